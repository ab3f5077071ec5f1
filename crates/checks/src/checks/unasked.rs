//! `unasked`: what was changed since the run began though nobody asked for it, and no test would notice:
//! files that say what is tried elsewhere once the work has landed, files on which tools act by themselves,
//! parts of manifests on which they do, and what became executable or leads out of the repository. Gates
//! have it as `advisory`: honest work may have a reason, and a person is told before they approve it.

use super::controls::whole::asked_for_less;
use super::frozen;
use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::items;
use crate::readers::paths::{self, Found};
use crate::room::Room;
use crate::settings::{Choice, Items, Text, Texts, Words};
use crate::text::{answer, first_few, several_lines};
use globset::GlobSet;
use kernel::Word;
use kernel::effect::BEGUN;
use kernel::outcome::{CheckResult, UNASKED, Verdict};
use kernel::unseen::spelt;
use languages::judges;
use languages::manifests::settings;
use languages::public_names;
use languages::readable;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

/// Files that are as they were when the run began, unless what is asked for names them.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Unasked {
    /// Globs that begin with `repo/`, `ci files` and `acting files`: everything hidden, and what people's
    /// tools and agents run or follow because it is there.
    items: Items,
    /// A field with what is asked for.
    asked_in: Text,
    /// Words of that field that ask for all `ci files`.
    #[serde(default)]
    words: Texts,
    /// Files in which a person says what they want, as `repo/...`: they ask as that field does.
    #[serde(default)]
    asked_files: Items,
    /// Globs that a person approved, as `repo/{FIELD}`: one that spells out what it opens asks for it. A
    /// glob for everything, or for a folder around it, does not.
    #[serde(default)]
    scope: Items,
    /// `tests`: those that were there when the run began ask for no less.
    held_to: Option<Choice<HeldTo>>,
    /// A name, as given to `freeze`: what stands as it was frozen was asked about there. Nothing but the
    /// items is looked at then.
    seen: Option<Text>,
}

/// What else is as it was, or nobody asked for it to be otherwise.
#[derive(Clone, Copy)]
pub(crate) enum HeldTo {
    Tests,
}

impl Words for HeldTo {
    const WORDS: &'static [(&'static str, Self)] = &[("tests", Self::Tests)];
}

impl Judge for Unasked {
    const NAME: &'static str = UNASKED;
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let field = subject.fields.get(&*self.asked_in).cloned();
        let files = self.asked_files.iter();
        let files = files.filter_map(|file| paths::read(subject.place, file).ok());
        let asked: Vec<String> = field.into_iter().chain(files).collect();
        let asked = asked.join("\n").to_lowercase();
        let passes = |reason: &str| Ok(answer(Self::NAME, Verdict::Pass, reason));
        let Some(begun) = subject.known.get(BEGUN).and_then(|one| one.first()) else {
            return passes("the run began without a commit to compare with");
        };
        let named = items::spelt_out(subject, &self.items).map_err(Trouble::cannot)?;
        // `agents.md` is `AGENTS.md` where names have no case.
        let small = |globs: &[String]| -> Vec<String> {
            globs.iter().map(|glob| glob.to_lowercase()).collect()
        };
        let [inside, outside] =
            [&named.inside, &named.outside].map(|one| items::globs(&small(one)));
        let (inside, outside) = (
            inside.map_err(Trouble::cannot)?,
            outside.map_err(Trouble::cannot)?,
        );
        let scope = Scope::of(subject, &self.scope)?;
        let acting = self.items.iter().any(|one| one == items::ACTING_FILES);
        let acting = acting && self.seen.is_none();
        let seen = match &self.seen {
            None => None,
            Some(name) => Some(subject.frozen.get(&**name).ok_or_else(|| {
                let why = format!("nothing was frozen as `{}` (tripwire_missing)", &**name);
                Trouble::CouldNotRun(why)
            })?),
        };
        // What is gone and was not frozen was gone then.
        let was_seen = |item: &str, now: &Seen| match seen.map(|frozen| frozen.get(item)) {
            Some(Some(hash)) => frozen::otherwise(subject, item, hash).is_none(),
            Some(None) => *now == Seen::Nothing,
            None => false,
        };
        let tried = items::globs(&items::ci_files()).map_err(Trouble::cannot)?;
        let all_tried = self.words.iter().any(|one| judges::word(&asked, one));
        let before = Room::as_before(subject, begun).map_err(Trouble::cannot)?;
        let names = before.names().map_err(Trouble::cannot)?;
        let now = subject.tree().map_err(Trouble::cannot)?.files;
        // The run's own folder is its record, wherever it lies.
        let task = subject.place.task.strip_prefix(subject.place.repo).ok();
        let all = names.into_iter().chain(now.into_keys());
        let all = all.filter(|path| !task.is_some_and(|task| Path::new(path).starts_with(task)));
        let all: BTreeSet<String> = all.collect();
        let is_asked = |path: &str, item: &str| match tried.is_match(item) {
            true => all_tried || names_the_file(&asked, path),
            false => names_the_file(&asked, path) || names_its_tool(&asked, path),
        } || scope.names(path);
        let changed = all.into_iter().filter_map(|path| {
            let item = format!("repo/{path}");
            let lower = item.to_lowercase();
            let watched = inside.is_match(&lower) && !outside.is_match(&lower);
            let reads = watched || settings::may_act(&path) || judges::is_source(&path);
            let (old, new) = (
                Seen::at(before.path(), &path, reads),
                Seen::at(subject.place.repo, &path, reads),
            );
            let how = match watched {
                true => Seen::changed(&old, &new),
                false if acting => Seen::acts_now(&path, &old, &new),
                false => None,
            };
            // Who asks for a change of code has not asked for one that nobody can read.
            let hidden = acting && judges::is_source(&path);
            let hidden = hidden.then(|| Seen::hides(&path, &old, &new)).flatten();
            let how =
                hidden.or(how.filter(|_| !is_asked(&path, &item) && !was_seen(&item, &new)))?;
            Some(format!("{} {how}", spelt(&path)))
        });
        let mut changed: Vec<String> = changed.collect();
        if acting {
            let taken = taken_away(subject, &before, &asked).map_err(Trouble::cannot)?;
            changed.extend(taken);
            let alone = named_by_nobody(subject, &before, &asked).map_err(Trouble::cannot)?;
            let told = |path: &String| {
                let begins = format!("{} ", spelt(path));
                changed.iter().any(|one| one.starts_with(&begins))
            };
            let new = alone
                .into_iter()
                .filter(|path| !told(path) && !scope.names(path));
            let new: Vec<String> = new
                .map(|path| format!("{} is new, and nothing else names it", spelt(&path)))
                .collect();
            changed.extend(new);
        }
        if let Some(HeldTo::Tests) = self.held_to.map(|set| *set) {
            changed.extend(asked_for_less(subject).map_err(Trouble::cannot)?);
        }
        if changed.is_empty() {
            return passes("every file that tools act on by themselves is as it was, or asked for");
        }
        let reason = format!("nobody asked for this: {}", first_few(&changed, 8));
        let mut result = answer(Self::NAME, Verdict::Fail, reason);
        // Whoever approves is shown all of it, however much there is.
        let all = changed.join("\n");
        result.details = several_lines(&all);
        let kept = subject.keep.keep(UNASKED, all.as_bytes());
        result.evidence.push(kept.map_err(Trouble::cannot)?);
        result.shows.insert(Word::from(UNASKED));
        Ok(result)
    }
}

/// Public names that are gone though nobody said so, and that nothing of the repository used: whoever does is
/// elsewhere, and no test tells.
fn taken_away(subject: &Subject<'_>, before: &Room, asked: &str) -> Result<Vec<String>, Error> {
    let tests = items::globs(&items::test_files())?;
    let product = |path: &str| judges::is_source(path) && !tests.is_match(format!("repo/{path}"));
    let now = |path: &str| paths::read(subject.place, &format!("repo/{path}")).ok();
    let mut gone = Vec::new();
    for path in before.names()?.into_iter().filter(|path| product(path)) {
        let (was, is) = (before.text(&path), now(&path));
        if was == is {
            continue;
        }
        let is = is.unwrap_or_default();
        for name in public_names::of(&path, &was.unwrap_or_default()) {
            let said = judges::word(asked, &name.to_lowercase()) || judges::word(&is, &name);
            gone.extend((!said).then(|| (path.clone(), name)));
        }
    }
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let mut there = BTreeSet::new();
    for path in subject
        .tree()?
        .files
        .into_keys()
        .filter(|path| product(path))
    {
        there.extend(public_names::of(&path, &now(&path).unwrap_or_default()));
    }
    let of_code = before
        .names()?
        .into_iter()
        .filter(|path| judges::is_source(path));
    let texts: Vec<String> = of_code.filter_map(|path| before.text(&path)).collect();
    let used = |name: &str| {
        texts
            .iter()
            .map(|text| judges::words(text, name))
            .sum::<usize>()
            > 1
    };
    gone.retain(|(_, name)| !there.contains(name) && !used(name));
    let told = gone
        .iter()
        .map(|(path, name)| format!("{path} has no `{name}` any more"));
    Ok(told.collect())
}

/// New files at the top that are neither code nor tests, and of which neither the request nor any other file says a
/// word: whatever reads them does so because they are there.
fn named_by_nobody(
    subject: &Subject<'_>,
    before: &Room,
    asked: &str,
) -> Result<Vec<String>, Error> {
    let tests = items::globs(&items::test_files())?;
    let packages = items::globs(&items::package_files())?;
    let old: BTreeSet<String> = before.names()?.into_iter().collect();
    // Where there was no code, what is made of nothing needs files of every kind.
    if !old.iter().any(|path| judges::is_source(path)) {
        return Ok(Vec::new());
    }
    let all: Vec<String> = subject.tree()?.files.into_keys().collect();
    let is_asked = |path: &str| {
        let path = path.to_lowercase();
        let mut words = path.split(|one: char| !one.is_alphanumeric());
        let named = names_the_file(asked, &path) || names_its_tool(asked, &path);
        named || words.any(|word| word.len() > 3 && asked.contains(word))
    };
    let mut alone: Vec<String> = all
        .iter()
        // Hidden ones are watched anyway, but for lists of what is ignored.
        .filter(|path| !path.contains('/') && !path.starts_with('.') && !old.contains(*path))
        .filter(|path| !judges::is_source(path) && !is_document(path))
        .filter(|path| {
            let item = format!("repo/{path}");
            !tests.is_match(&item) && !packages.is_match(&item) && !is_asked(path)
        })
        .cloned()
        .collect();
    for other in &all {
        if alone.is_empty() {
            break;
        }
        let text = paths::read(subject.place, &format!("repo/{other}"));
        let text = text.unwrap_or_default();
        alone.retain(|path| path == other || !text.contains(path.as_str()));
    }
    Ok(alone)
}

/// Is it for people to read?
fn is_document(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["md", "rst", "txt", "adoc"].contains(&ending) || path.starts_with("LICENSE")
}

/// What a person approved, as globs.
struct Scope {
    inside: Vec<(String, GlobSet)>,
    outside: GlobSet,
}

impl Scope {
    fn of(subject: &Subject<'_>, patterns: &[String]) -> Judged<Self> {
        let named = items::spelt_out(subject, patterns).map_err(Trouble::cannot)?;
        let set = |one: &String| items::globs(&[one]).map_err(Trouble::cannot);
        let inside = named.inside.iter().map(|one| Ok((one.clone(), set(one)?)));
        Ok(Self {
            inside: inside.collect::<Judged<_>>()?,
            outside: items::globs(&named.outside).map_err(Trouble::cannot)?,
        })
    }

    /// Does a glob spell out the file, or the hidden folder that it is in?
    fn names(&self, path: &str) -> bool {
        let item = format!("repo/{path}");
        let hidden = path.split('/').find(|part| part.starts_with('.'));
        let spells = |glob: &str| {
            glob.rsplit('/').next() == path.rsplit('/').next()
                || hidden.is_some_and(|part| glob.split('/').any(|one| one == part))
        };
        let mut inside = self.inside.iter();
        !self.outside.is_match(&item)
            && inside.any(|(glob, set)| set.is_match(&item) && spells(glob))
    }
}

/// Does what is asked for name the file?
fn names_the_file(asked: &str, path: &str) -> bool {
    let path = path.to_lowercase();
    judges::word(asked, path.rsplit('/').next().unwrap_or(&path))
}

/// Does it name the tool that a file is for: `vscode` asks for `.vscode/tasks.json`, `docker` for a
/// `Dockerfile`?
fn names_its_tool(asked: &str, path: &str) -> bool {
    let path = path.to_lowercase();
    let mut parts = path.split('/');
    let hidden = parts.clone().find(|part| part.starts_with('.'));
    let tool = hidden.or(parts.next_back()).unwrap_or_default();
    let tool = tool.trim_start_matches('.');
    let mut known = TOOLS.iter().filter(|name| tool.starts_with(**name));
    known.any(|name| judges::word(asked, name))
}

/// Names of tools with which their files begin, and which mean nothing else: `cursor` and `idea` do.
const TOOLS: [&str; 26] = [
    "agents",
    "babel",
    "buildkite",
    "circleci",
    "claude",
    "codex",
    "copilot",
    "devcontainer",
    "direnv",
    "docker",
    "editorconfig",
    "envrc",
    "eslint",
    "gemini",
    "gitlab",
    "gradle",
    "husky",
    "lefthook",
    "netlify",
    "opencode",
    "pre-commit",
    "prettier",
    "stylelint",
    "vagrant",
    "vercel",
    "vscode",
];

/// What is at a path.
#[derive(PartialEq, Eq)]
enum Seen {
    Nothing,
    File {
        size: u64,
        /// None where nobody asks for it, and where it is too large to be read.
        bytes: Option<Vec<u8>>,
        executable: bool,
    },
    Link {
        leads_out: bool,
        target: std::path::PathBuf,
    },
}

impl Seen {
    fn at(root: &Path, path: &str, reads: bool) -> Self {
        match paths::found_in(root, path) {
            Ok(Found::File(file)) => {
                let found = std::fs::metadata(&file).ok();
                let mode = found.as_ref().map(|one| one.permissions().mode());
                Self::File {
                    size: found.map_or(0, |one| one.len()),
                    bytes: reads.then(|| paths::bytes_in(root, path).ok()).flatten(),
                    executable: mode.is_some_and(|mode| mode & 0o100 != 0),
                }
            }
            Ok(Found::Link(target)) => Self::Link {
                leads_out: leads_out(path, &target),
                target,
            },
            Err(_) => Self::Nothing,
        }
    }

    /// What it says, where it is text.
    fn text(&self) -> Option<&str> {
        let Self::File {
            bytes: Some(bytes), ..
        } = self
        else {
            return None;
        };
        let text = str::from_utf8(bytes).ok()?;
        (!text.contains('\0')).then_some(text)
    }

    /// How a file that is watched was changed.
    fn changed(old: &Self, new: &Self) -> Option<&'static str> {
        match (old, new) {
            (Self::Nothing, Self::Nothing) => None,
            (old, new) if old == new => None,
            (_, Self::Nothing) => Some("was deleted"),
            (Self::Nothing, _) => Some("is new"),
            _ => Some("was changed"),
        }
    }

    /// What of changed code a machine reads otherwise than people do.
    fn hides(path: &str, old: &Self, new: &Self) -> Option<&'static str> {
        match new {
            Self::File { .. } if old != new => unreadable(path, old.text(), new.text()),
            _ => None,
        }
    }

    /// What else a tool or a system does of itself now: of any file.
    fn acts_now(path: &str, old: &Self, new: &Self) -> Option<&'static str> {
        match (old, new) {
            (
                old,
                Self::Link {
                    leads_out: true, ..
                },
            ) if old != new => Some("leads out of the repository"),
            (
                Self::File {
                    executable: false, ..
                },
                Self::File {
                    executable: true, ..
                },
            ) => Some("became executable"),
            (old, new @ Self::File { .. }) if old != new => {
                // What is no manifest is for others to refuse.
                let said = |text: Option<&str>| {
                    text.map_or_else(String::new, |text| {
                        settings::acting(path, text).unwrap_or_default()
                    })
                };
                let (old, new) = (said(old.text()), said(new.text()));
                (old != new && !new.is_empty()).then_some("starts or fetches something by itself")
            }
            _ => None,
        }
    }
}

/// Code that people cannot read as a machine does.
fn unreadable(path: &str, old: Option<&str>, new: Option<&str>) -> Option<&'static str> {
    let Some(new) = new else {
        return Some("is code, and no text");
    };
    if old.is_none() && readable::unread(path).is_some() {
        return Some("has a name of letters that look like others");
    }
    let unread = |text: &str| {
        text.lines()
            .filter(|line| readable::unread(line).is_some())
            .count()
    };
    if unread(new) > old.map_or(0, unread) {
        return Some("holds letters that look like others, or that nobody sees");
    }
    // A line for Python: which letters the file is written in.
    let coding = |text: &str| {
        let lines = text.lines().take(2).filter(|line| line.starts_with('#'));
        lines
            .filter_map(|line| line.split_once("coding").map(|(_, behind)| behind))
            .map(|behind| behind.trim_start_matches([':', '=', ' ']).to_lowercase())
            .find(|name| {
                let plain = ["utf", "latin-1", "latin1", "iso-8859", "ascii", "us-ascii"];
                !plain.iter().any(|one| name.starts_with(one)) || name.starts_with("utf-7")
            })
    };
    let is_new = path.ends_with(".py") && coding(new) != old.and_then(coding);
    (is_new && coding(new).is_some()).then_some("says that it is written in other letters")
}

/// Does a link of the repository lead out of it, or into git's own folder?
fn leads_out(path: &str, target: &Path) -> bool {
    if target.components().any(|part| part.as_os_str() == ".git") {
        return true;
    }
    let mut depth = path.matches('/').count();
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_request_names_a_file_or_the_tool_that_it_is_for() {
        for (asked, path) in [
            ("add tasks for vscode", ".vscode/tasks.json"),
            ("build it with docker", "Dockerfile"),
            ("use pre-commit", ".pre-commit-config.yaml"),
            ("tell agents about make", "AGENTS.md"),
        ] {
            assert!(names_its_tool(asked, path), "{asked}: {path}");
        }
        for (asked, path) in [
            ("show the tasks of a cart", ".vscode/tasks.json"),
            ("set the env", ".envrc"),
            ("how far the cursor moved", ".cursor/hooks.json"),
            ("total of calc.py", "calc.pth"),
            ("parse carts", "parse/.claude/settings.json"),
        ] {
            assert!(!names_its_tool(asked, path), "{asked}: {path}");
        }
    }

    #[test]
    fn a_link_out_and_a_new_right_to_run_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        for root in [&old, &new] {
            std::fs::create_dir_all(root.join("a")).unwrap();
            std::fs::write(root.join("run"), "x").unwrap();
            std::fs::write(root.join("a/plain"), "x").unwrap();
        }
        let may_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(new.join("run"), may_run.clone()).unwrap();
        // A new program is what new programs are.
        std::fs::write(new.join("fresh"), "x").unwrap();
        std::fs::set_permissions(new.join("fresh"), may_run).unwrap();
        symlink("../run", new.join("a/inside")).unwrap();
        symlink("../../run", new.join("a/outside")).unwrap();
        symlink("/etc/passwd", new.join("absolute")).unwrap();
        symlink(".git/hooks", new.join("hooks")).unwrap();
        std::fs::write(new.join("a.js"), "// a\0\nevil()\n").unwrap();
        std::fs::write(new.join("a.py"), "# -*- coding: raw_unicode_escape -*-\n").unwrap();
        std::fs::write(new.join("b.py"), "# -*- coding: utf-8 -*-\nx = 1\n").unwrap();
        let how = |path| {
            Seen::acts_now(
                path,
                &Seen::at(&old, path, true),
                &Seen::at(&new, path, true),
            )
        };
        assert_eq!(how("run"), Some("became executable"));
        assert_eq!(how("a/outside"), Some("leads out of the repository"));
        assert_eq!(how("absolute"), Some("leads out of the repository"));
        assert_eq!(how("hooks"), Some("leads out of the repository"));
        let hides = |path| {
            let [old, new] = [&old, &new].map(|root| Seen::at(root, path, true));
            Seen::hides(path, &old, &new)
        };
        assert_eq!(hides("a.js"), Some("is code, and no text"));
        let other = Some("says that it is written in other letters");
        assert_eq!((hides("a.py"), hides("b.py")), (other, None));
        for path in ["a/plain", "fresh", "a/inside", "b.py", "not there"] {
            assert_eq!(how(path), None, "{path}");
        }
    }
}
