//! Which files of a change are its tests and which its code, and rooms with the one and without the
//! other. Tests that stand inside of a Rust source are cut out of it and put beside other code.

use super::Helpers;
use crate::Subject;
use crate::checks::controls::Files;
use crate::error::Error;
use crate::readers::{hash, items, paths};
use crate::room::{Candidate, Room};
use globset::GlobSet;
use languages::judges::{Standing, Texts};
use languages::recipes::Shadow;
use languages::rust::inline_tests;
use languages::test_texts::{Moved, Tests, asks_less, moved};
use std::collections::{BTreeMap, BTreeSet};

/// How a repository's files are told apart.
pub(crate) struct Layout {
    tests: GlobSet,
    /// Who decides how tests run: it comes from the code before, always.
    config: GlobSet,
    everything: GlobSet,
    /// What says what is tried elsewhere is no test, whatever it is called.
    elsewhere: GlobSet,
    inline: bool,
    /// Files that serve tests alone, and that were changed.
    helpers: BTreeSet<String>,
    /// Is what was added inside of tests looked at?
    additions: bool,
    /// Tests that stand in another file now.
    moved: Vec<Moved>,
}

/// Which files are held like tests.
pub(super) struct Wanted<'a> {
    pub(super) helpers: Helpers,
    /// The lines that test.
    pub(super) lines: &'a [String],
    /// What is asked for: whatever it names is no judge.
    pub(super) asked: &'a str,
}

/// What was found among the files that are no tests by their names.
#[derive(Default)]
pub(super) struct Helped {
    /// Programs of which nobody can tell whether they judge.
    pub(super) unclear: Vec<String>,
    /// New files that change a program which judges, in words.
    pub(super) bent: Vec<String>,
}

/// What a change did to tests.
#[derive(Default)]
pub(super) struct Compared {
    /// All that is not as it was, each with what happened to it.
    pub(super) touched: Vec<String>,
    /// Those that were there before.
    pub(super) touched_old: Vec<String>,
    /// Those that lost something.
    pub(super) weakened: Vec<String>,
    /// The texts of those that are as they were.
    kept: String,
}

impl Compared {
    /// Does a test of this name stand in a text that the change left alone?
    pub(super) fn was_there(&self, test: &str) -> bool {
        let name = test.rsplit("::").next().unwrap_or(test);
        let name = name.split('[').next().unwrap_or(name);
        !name.is_empty() && self.kept.contains(name)
    }
}

impl Layout {
    pub(crate) fn of(subject: &Subject<'_>, tests: &[String]) -> Result<Self, Error> {
        let config = items::spelt_out(subject, &["test config".to_owned()])?.inside;
        Ok(Self {
            tests: items::globs(&items::spelt_out(subject, tests)?.inside)?,
            config: items::globs(&config)?,
            everything: items::globs(&["repo/**"])?,
            elsewhere: items::globs(
                &items::spelt_out(subject, &[items::CI_FILES.to_owned()])?.inside,
            )?,
            inline: tests.iter().any(|word| word == "inline tests"),
            helpers: BTreeSet::new(),
            additions: false,
            moved: Vec::new(),
        })
    }

    fn is_test(&self, path: &str) -> bool {
        let item = format!("repo/{path}");
        let by_name = self.tests.is_match(&item) && !self.elsewhere.is_match(&item);
        by_name || self.helpers.contains(path)
    }

    /// From now on, what was added inside of a test that was there is looked at.
    pub(super) fn look_at_additions(&mut self) {
        self.additions = true;
    }

    /// Takes files for tests that serve tests alone, and programs that judge. Only those that were there
    /// and are another now can have been bent, so only then is anything read. Says which programs it
    /// could not place.
    pub(super) fn take_helpers(
        &mut self,
        subject: &Subject<'_>,
        before: &Room,
        wanted: &Wanted<'_>,
    ) -> Result<Helped, Error> {
        let names = before.names()?;
        let now = subject.tree()?.files.into_keys();
        let new: Vec<String> = now.filter(|path| !names.contains(path)).collect();
        let changed: Vec<&String> = names
            .iter()
            .filter(|path| {
                let other = || {
                    let old = before.text(path);
                    old.is_some() && old != candidate(subject, path)
                };
                !self.is_test(path) && !self.config.is_match(format!("repo/{path}")) && other()
            })
            .collect();
        if changed.is_empty() && new.is_empty() {
            return Ok(Helped::default());
        }
        let read = |path: &String| Some((path.clone(), before.text(path)?));
        let all: Vec<(String, String)> = names.iter().filter_map(read).collect();
        let mut texts = Texts {
            tests: BTreeMap::new(),
            others: BTreeMap::new(),
        };
        for (path, text) in &all {
            match self.is_test(path) {
                true => texts.tests.insert(path, text),
                false => texts.others.insert(path, text),
            };
        }
        let started = texts.started(wanted.lines);
        let standing = |path: &str| {
            let by_script = |recipe: &String| ["pretest", "test", "posttest"].contains(&&**recipe);
            let held = match wanted.helpers {
                Helpers::Started => true,
                Helpers::Tests => {
                    let program = started.programs.get(path);
                    program.is_some_and(|one| one.recipes.iter().all(by_script))
                }
            };
            texts
                .standing(path, &started, wanted.asked)
                .filter(|_| held)
        };
        let mut helped = Helped::default();
        for path in changed {
            let standing = standing(path);
            if standing == Some(Standing::Judge) || texts.is_of_tests(path) {
                self.helpers.insert(path.clone());
            } else if standing == Some(Standing::Unclear) && wanted.helpers == Helpers::Started {
                helped.unclear.push(path.clone());
            }
        }
        if wanted.helpers == Helpers::Started {
            let all = texts.shadows((wanted.lines, &started), &new, wanted.asked);
            for (Shadow { path, of }, standing) in all {
                match (standing, of) {
                    (Standing::Judge, Some(of)) => helped.bent.push(format!(
                        "{path} is new, and {of} would load it in the place of something else"
                    )),
                    _ => helped.unclear.push(path),
                }
            }
        }
        Ok(helped)
    }

    /// Has this source tests inside, that are told apart from its code?
    fn is_mixed(&self, path: &str) -> bool {
        self.inline && path.ends_with(".rs") && !self.is_test(path)
    }

    /// Every text of tests, before and now.
    fn texts(&self, subject: &Subject<'_>, before: &Room) -> Result<Vec<Tests>, Error> {
        let mut paths: BTreeSet<String> = before.names()?.into_iter().collect();
        paths.extend(subject.tree()?.files.into_keys());
        let mut found = Vec::new();
        for path in paths {
            let (was, is) = (before.text(&path), candidate(subject, &path));
            let (was, is) = match (self.is_test(&path), self.is_mixed(&path)) {
                (true, _) => (was, is),
                (false, true) => (was.map(modules), is.map(modules)),
                (false, false) => continue,
            };
            // A file that only makes a folder a package asks for nothing.
            let says =
                |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
            if says(&was) || says(&is) {
                found.push(Tests { path, was, is });
            }
        }
        Ok(found)
    }

    /// Were tests moved to other files?
    pub(super) fn moves(&self) -> bool {
        !self.moved.is_empty()
    }

    /// What tests that stand in a room have lost.
    pub(crate) fn weakened(
        &mut self,
        subject: &Subject<'_>,
        before: &Room,
    ) -> Result<Vec<String>, Error> {
        Ok(self.compared(subject, before)?.weakened)
    }

    /// The tests of the candidate against those in a room with the code before.
    pub(super) fn compared(
        &mut self,
        subject: &Subject<'_>,
        before: &Room,
    ) -> Result<Compared, Error> {
        let mut texts = self.texts(subject, before)?;
        self.moved = moved(&texts, self.additions);
        let mut found = Compared::default();
        for Moved { from, to, same } in &self.moved {
            let stood = texts.iter().find(|one| one.path == *from);
            let stood = stood.and_then(|one| one.was.as_deref());
            found.kept.push_str(stood.unwrap_or_default());
            texts.retain(|one| one.path != *from && one.path != *to);
            if !same {
                let what = format!("tests in {to}, which stood in {from}, were added to");
                found.touched.push(what);
            }
        }
        for Tests { path, was, is } in &texts {
            let (old, new) = (was.clone(), is.clone());
            let whole = before.text(path).unwrap_or_default();
            let laid_out_anew = |old: &String| {
                let new = new.as_deref().unwrap_or_default();
                languages::same_but_for_layout(path, old, new)
            };
            if old == new || old.as_ref().is_some_and(laid_out_anew) {
                found.kept.push_str(&old.unwrap_or_default());
                continue;
            }
            let was_there = old.as_ref().is_some_and(|old| !old.trim().is_empty());
            let what = match &new {
                None => format!("{path} was deleted"),
                Some(_) if was_there => format!("tests in {path} were changed"),
                Some(_) => format!("tests in {path} are new"),
            };
            if was_there {
                found.touched_old.push(what.clone());
                let (was, is) = (old.unwrap_or_default(), new.as_deref());
                let texts = (was.as_str(), is.unwrap_or_default());
                let additions = self.additions && is.is_some();
                if let Some(lost) = asks_less(path, texts, &whole, additions) {
                    found.weakened.push(match &new {
                        Some(_) => format!("{path}{lost}"),
                        None => what.clone(),
                    });
                }
            }
            found.touched.push(what);
        }
        // Tests that were there are tried without what was made for others.
        for path in subject.tree()?.files.into_keys() {
            let item = format!("repo/{path}");
            let is_new = || candidate(subject, &path) != before.text(&path);
            if self.config.is_match(&item) && is_new() && got_fixtures(subject, before, &item) {
                found.touched_old.push(format!("{path} got fixtures"));
            }
        }
        Ok(found)
    }

    /// What controls look at.
    pub(super) fn files(&self, subject: &Subject<'_>, before: &Room) -> Result<Files, Error> {
        // Beside what only helps a runner finds no test, and nothing in it is mutated.
        let neither = |path: &str| {
            self.helpers.contains(path) || self.config.is_match(format!("repo/{path}"))
        };
        let is_test = |path: &str| match neither(path) {
            true => None,
            false => Some(self.is_test(path)),
        };
        Files::of(subject, before, &is_test)
    }

    /// The whole candidate; how tests run stays as it was.
    pub(super) fn candidate(&self, subject: &Subject<'_>, room: &Room) -> Result<(), Error> {
        room.lay_in(
            subject,
            &Candidate {
                scope: &self.everything,
                kept_out: &self.config,
                opened: &|item| got_fixtures(subject, room, item),
            },
        )
    }

    /// The candidate's code, with the tests of the code before.
    pub(super) fn with_the_tests_before(
        &self,
        subject: &Subject<'_>,
        before: &Room,
        room: &Room,
    ) -> Result<(), Error> {
        let code = Candidate {
            scope: &self.everything,
            kept_out: &self.config,
            opened: &|_| false,
        };
        room.lay_in(subject, &code)?;
        let mut paths: BTreeSet<String> = before.names()?.into_iter().collect();
        paths.extend(subject.tree()?.files.into_keys());
        let elsewhere: BTreeSet<&String> = self
            .moved
            .iter()
            .flat_map(|one| [&one.from, &one.to])
            .collect();
        for path in paths.iter().filter(|path| !elsewhere.contains(path)) {
            if self.is_test(path) && !self.config.is_match(format!("repo/{path}")) {
                room.put(path, before.text(path).as_deref())?;
            } else if self.is_mixed(path)
                && let (Some(old), Some(new)) = (before.text(path), candidate(subject, path))
            {
                room.put(path, Some(&joined(&new, &old)))?;
            }
        }
        Ok(())
    }

    /// One hash for all tests as they are now.
    pub(crate) fn fingerprint(&self, subject: &Subject<'_>) -> Result<String, Error> {
        let mut texts = Vec::new();
        for path in subject.tree()?.files.into_keys() {
            let text = match (self.is_test(&path), self.is_mixed(&path)) {
                (true, _) => candidate(subject, &path),
                (false, true) => candidate(subject, &path).map(modules),
                (false, false) => None,
            };
            let text = text.filter(|text| !text.trim().is_empty());
            texts.extend(text.map(|text| format!("{path}\0{text}\0")));
        }
        Ok(hash::bytes(texts.concat().as_bytes()))
    }

    /// A room with the code before, with the candidate's tests and what says how they run laid in: where
    /// nothing was there before, they would not be run at all.
    pub(crate) fn tests_and_manifests(
        &self,
        subject: &Subject<'_>,
        room: &Room,
    ) -> Result<(), Error> {
        self.tests_only(subject, room)?;
        let scope = items::globs(&items::runner_files())?;
        let nothing = GlobSet::empty();
        room.lay_in(
            subject,
            &Candidate {
                scope: &scope,
                kept_out: &nothing,
                opened: &|_| false,
            },
        )?;
        room.lay_in(
            subject,
            &Candidate {
                scope: &self.config,
                kept_out: &nothing,
                opened: &|_| false,
            },
        )
    }

    /// A room with the code before, with the candidate's tests laid in.
    pub(super) fn tests_only(&self, subject: &Subject<'_>, room: &Room) -> Result<(), Error> {
        for path in room.names()?.into_iter().filter(|path| self.is_mixed(path)) {
            if let (Some(old), Some(new)) = (room.text(&path), candidate(subject, &path)) {
                room.put(&path, Some(&joined(&old, &new)))?;
            }
        }
        for path in &self.helpers {
            room.put(path, candidate(subject, path).as_deref())?;
        }
        room.lay_in(
            subject,
            &Candidate {
                scope: &self.tests,
                kept_out: &self.config,
                opened: &|item| got_fixtures(subject, room, item),
            },
        )
    }
}

/// Is it as in the room, but for fixtures that tests ask for?
fn got_fixtures(subject: &Subject<'_>, room: &Room, item: &str) -> bool {
    let before = || room.text(item.strip_prefix("repo/").unwrap_or(item));
    items::got_fixtures(subject, item, before)
}

/// The text of a file of the candidate; none where it is no text, or gone.
fn candidate(subject: &Subject<'_>, path: &str) -> Option<String> {
    paths::read(subject.place, &format!("repo/{path}")).ok()
}

/// The modules of tests in a Rust source.
fn modules(text: String) -> String {
    inline_tests::test_modules(&text)
}

/// The code of one source with the tests of another.
fn joined(code: &str, tests: &str) -> String {
    let (code, tests) = (
        inline_tests::without_test_modules(code),
        inline_tests::test_modules(tests),
    );
    format!("{code}\n{tests}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_one_source_are_put_beside_the_code_of_another() {
        let old = "pub fn a() -> u8 {\n    1\n}\n";
        let new = "pub fn a() -> u8 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n";
        let both = joined(old, new);
        assert!(
            both.contains("    1\n") && !both.contains("    2\n"),
            "{both}"
        );
        assert!(both.contains("#[cfg(test)]\nmod tests {"), "{both}");
    }
}
