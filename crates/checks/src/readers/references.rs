//! What a text refers to: the targets of its links, what it puts in backticks, and plain words that
//! are paths. It is looked up in the task folder and in the repository, and nowhere else.

use crate::Subject;
use crate::readers::paths;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::io::Read;
use std::path::Path;

/// How something is referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// By a link, or as a path that can mean nothing else: it must be there.
    Surely,
    /// By words that may be a path.
    Perhaps,
}

/// What a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) path: String,
    /// A line of it.
    pub(crate) line: Option<usize>,
    how: How,
}

/// What is at a path, the least first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum There {
    Nothing,
    /// The engine's own, or what refers to itself: there, and nobody's evidence.
    Ours,
    /// A folder without a file that anybody but the engine has made.
    EmptyFolder,
    /// A line that the file does not have, or that is blank: what is wrong with it.
    NoLine(String),
    /// A file that nobody has written anything into: what is wrong with it.
    Blank(String),
    /// As the run found it, and nothing of it is quoted: it would be there without the work as well.
    Untouched,
    /// What the run has made or changed, or what is quoted as it stands.
    Something,
}

/// What is named in plain text.
pub(crate) fn in_text(text: &str) -> Vec<Named> {
    text.split(|each: char| each.is_whitespace() || ",;".contains(each))
        .filter_map(|word| named(word, How::Perhaps))
        .collect()
}

/// The same of a sentence, where a word is no path because there is a folder of that name.
pub(crate) fn in_prose(text: &str) -> Vec<Named> {
    text.split(|each: char| each.is_whitespace() || ",;".contains(each))
        .filter_map(|word| Some((word, named(word, How::Perhaps)?)))
        .filter(|(word, one)| word.contains('`') || one.is_path())
        .map(|(_, one)| one)
        .collect()
}

/// What is named under this heading, whatever its level and case.
pub(crate) fn under(text: &str, heading: &str) -> Vec<Named> {
    let wanted = heading.trim().to_lowercase();
    let mut found = Vec::new();
    let (mut title, mut inside): (Option<String>, Option<HeadingLevel>) = (None, None);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                title = Some(String::new());
                inside = inside.filter(|open| *open < level);
            }
            Event::End(TagEnd::Heading(level)) => {
                let title = title.take().unwrap_or_default();
                if title.trim().to_lowercase() == wanted {
                    inside = Some(level);
                }
            }
            Event::Text(piece) | Event::Code(piece) if title.is_some() => {
                if let Some(title) = &mut title {
                    title.push_str(&piece);
                }
            }
            _ if inside.is_none() => {}
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.extend(named(&dest_url, How::Surely));
            }
            Event::Text(piece) => found.extend(in_prose(&piece)),
            Event::Code(piece) => found.extend(in_text(&piece)),
            _ => {}
        }
    }
    found
}

fn named(word: &str, how: How) -> Option<Named> {
    let around = |each: char| "()[]{}<>\"'`*!?|".contains(each);
    // As people write it: "`src/a.rs:12`: it adds".
    let bare = word.trim_start_matches(around);
    let bare = bare.trim_end_matches(|each| around(each) || ".:,".contains(each));
    // An address elsewhere cannot be looked up.
    if bare.is_empty() || bare.contains("://") || bare.starts_with('#') {
        return None;
    }
    let path = bare.split('#').next().unwrap_or(bare);
    let path = path.strip_prefix("./").unwrap_or(path);
    // `file:12`, `file:12:3` and `file:12-14` name a line of it.
    let (path, line) = match path.split_once(':') {
        Some((file, lines)) if lines.split([':', '-']).all(is_number) => {
            let first = lines.split([':', '-']).next().unwrap_or_default();
            (file, Some(first.parse().unwrap_or(usize::MAX)))
        }
        // `file.py:name` names something in it.
        Some((file, name)) if is_file(file) && is_name(name) => (file, None),
        _ => (path, None),
    };
    let path = path.trim_end_matches('/');
    paths::lint(path).ok()?;
    let placed = ["task/", "repo/", "artifacts/"];
    let surely = placed.iter().any(|folder| path.starts_with(folder));
    Some(Named {
        path: path.to_owned(),
        line,
        how: if surely { How::Surely } else { how },
    })
}

fn is_file(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(name, kind)| {
        !name.is_empty() && !kind.is_empty() && kind.chars().all(char::is_alphanumeric)
    })
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    first.is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|each| each.is_alphanumeric() || "_.:".contains(each))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|each| each.is_ascii_digit())
}

impl Named {
    /// Must it be there?
    pub(crate) fn is_sure(&self) -> bool {
        self.how == How::Surely
    }

    /// Does it look like a path: `src/a.rs`, `a.rs`, `Makefile:3`?
    pub(crate) fn is_path(&self) -> bool {
        is_file(&self.path) || self.path.contains('/') || self.line.is_some()
    }

    /// Looks it up. `ours` are paths of the task folder that the engine writes, or that refer to
    /// themselves: they are nobody's evidence. `said` is the text that names it.
    pub(crate) fn look_up(&self, subject: &Subject<'_>, ours: &[String], said: &str) -> There {
        let place = subject.place;
        let candidates = match self.path.split_once('/') {
            Some(("task", rest)) => vec![(place.task, rest)],
            Some(("repo", rest)) => vec![(place.repo, rest)],
            _ if self.path == "task" || self.path == "repo" => Vec::new(),
            _ => vec![(place.task, self.path.as_str()), (place.repo, &self.path)],
        };
        let there = candidates.into_iter().map(|(root, path)| {
            let full = root.join(path);
            // The task's folder may lie in the repository.
            let own = full.strip_prefix(place.task).ok();
            let of_task = own.map(|own| own.to_string_lossy().into_owned());
            let is_ours = |path: &String| ours.iter().any(|own| is_at_or_below(path, own));
            match &of_task {
                Some(path) if is_ours(path) && full.exists() => There::Ours,
                Some(path) if is_ours(path) => There::Nothing,
                _ => match paths::regular(root, path) {
                    Ok(full) => self.file(subject, of_task.as_deref(), path, &full, said),
                    Err(_) => match paths::folder(root, path) {
                        Some(folder) => below(subject, &folder, of_task.as_deref(), path, ours),
                        None => There::Nothing,
                    },
                },
            }
        });
        there.max().unwrap_or(There::Nothing)
    }

    fn file(
        &self,
        subject: &Subject<'_>,
        of_task: Option<&str>,
        path: &str,
        full: &Path,
        said: &str,
    ) -> There {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(full);
        let read = file.and_then(|file| file.take(paths::LARGEST).read_to_end(&mut bytes));
        if read.is_err() {
            return There::Nothing;
        }
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() {
            return There::Blank(format!("`{path}` is empty"));
        }
        if let Some(line) = self.line {
            let lines = text.lines().count();
            let there = line.checked_sub(1).and_then(|at| text.lines().nth(at));
            match there {
                None => {
                    return There::NoLine(format!(
                        "names line {line} of {path}, which has {lines}"
                    ));
                }
                Some(there) if there.trim().is_empty() => {
                    return There::NoLine(format!("names line {line} of {path}, which is blank"));
                }
                Some(_) => {}
            }
        }
        let form = of_task.and_then(|name| subject.forms?.get(name));
        match of_task {
            Some(_) if form.is_some_and(|form| *form == text) => {
                There::Blank(format!("`{path}` is as it was laid out"))
            }
            Some(_) => There::Something,
            None if is_changed(subject, path) || quotes(said, &text) => There::Something,
            None => There::Untouched,
        }
    }
}

/// Has the run changed it, or something below it?
fn is_changed(subject: &Subject<'_>, path: &str) -> bool {
    changed(subject).any(|changed| is_at_or_below(changed, path))
}

/// The files of the repository that those who may have changed in this run.
pub(crate) fn changed<'s>(subject: &'s Subject<'_>) -> impl Iterator<Item = &'s str> {
    let made = subject.known.get("made").into_iter().flatten();
    let made = made.chain(subject.changed);
    made.filter_map(|path| path.strip_prefix("repo/"))
}

/// Does a text quote something that stands in the other one: in backticks or quotation marks, and no
/// name of a file?
fn quotes(said: &str, text: &str) -> bool {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let text = flat(text);
    let quoted = ['`', '"'].into_iter().flat_map(|mark| {
        let pieces = said.split(mark).skip(1).step_by(2);
        pieces.map(flat).collect::<Vec<String>>()
    });
    let telling = |piece: &String| {
        let letters = piece.chars().filter(|char| char.is_alphanumeric()).count();
        let name = named(piece, How::Perhaps).is_some_and(|one| one.is_path());
        letters >= OF_A_QUOTE && (!name || piece.contains(' '))
    };
    quoted.filter(telling).any(|piece| text.contains(&piece))
}

/// As many letters are no chance.
const OF_A_QUOTE: usize = 5;

fn is_at_or_below(path: &str, own: &str) -> bool {
    Path::new(path).starts_with(own)
}

/// What a folder holds.
fn below(
    subject: &Subject<'_>,
    folder: &Path,
    of_task: Option<&str>,
    path: &str,
    ours: &[String],
) -> There {
    match of_task {
        Some(own) if holds(folder, own, ours) => There::Something,
        None if is_changed(subject, path) => There::Something,
        None if holds(folder, path, &[]) => There::Untouched,
        _ => There::EmptyFolder,
    }
}

/// Is there a file in it that is not the engine's own?
fn holds(folder: &Path, path: &str, ours: &[String]) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = match path {
            "" => name,
            path => format!("{path}/{name}"),
        };
        if ours.iter().any(|own| is_at_or_below(&path, own)) {
            return false;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_file() => entry.metadata().is_ok_and(|found| found.len() > 0),
            Ok(kind) if kind.is_dir() => holds(&entry.path(), &path, ours),
            _ => false,
        }
    })
}

/// What the engine lays beside the folders of whoever judges a change.
const PAPERS: [&str; 3] = ["change.patch", "changed-files.txt", "checks.md"];

/// At least one file that the evidence names is there and of the work, and so is every line that it names.
pub(crate) fn seen(evidence: &str, subject: &Subject<'_>) -> Result<(), String> {
    // Before anybody has worked, there is nothing but what the run found.
    let works = changed(subject).next().is_some();
    let (mut shown, mut shows_nothing) = (false, Vec::new());
    for one in in_prose(evidence) {
        let path = crate::text::label(&one.path);
        // Whoever judges has these beside the folders, and nobody else ever sees them.
        if PAPERS.contains(&one.path.as_str()) {
            shown = true;
            continue;
        }
        match (one.look_up(subject, &[], evidence), one.line) {
            (There::Something, _) => shown = true,
            (There::Untouched, _) if !works => shown = true,
            (There::Untouched, _) => shows_nothing.push(format!("`{path}` is as the run found it")),
            (There::Blank(why), _) => shows_nothing.push(why),
            (There::EmptyFolder, _) => shows_nothing.push(format!("`{path}` holds nothing")),
            (There::NoLine(why), _) => return Err(why),
            (There::Nothing, Some(line)) => {
                return Err(format!("names {path}:{line}, which is not there"));
            }
            (There::Nothing | There::Ours, _) => {}
        }
    }
    match (shown, shows_nothing.first()) {
        (true, _) => Ok(()),
        (false, Some(why)) => Err(format!(
            "names nothing that shows the work: {why}; name what the run has changed or left, or quote in backticks the line that shows it"
        )),
        (false, None) => Err(
            "names no file that is there; name one, such as `src/a.rs:12` or `task/a.md`".into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_names() {
        let text = "# A\n`artifacts/run.txt:3` and [log](logs/a.log#end), see <https://x.org/a>\n# B\nnothing/here\n";
        let found = under(text, "a");
        let sure: Vec<&str> = found
            .iter()
            .filter(|one| one.is_sure())
            .map(|one| one.path.as_str())
            .collect();
        assert_eq!(sure, ["artifacts/run.txt", "logs/a.log"]);
        assert!(
            !found
                .iter()
                .any(|one| one.path.contains("x.org") || one.path == "nothing/here")
        );
        assert!(under(text, "b").iter().all(|one| !one.is_sure()));
    }

    #[test]
    fn a_word_is_no_path_because_a_folder_has_that_name() {
        let named = |text| -> Vec<String> {
            let found = in_prose(text).into_iter();
            found.map(|one| one.path).collect()
        };
        assert!(named("all tests pass").is_empty());
        assert_eq!(named("`tests` and a.rs:3-7, `Makefile`").len(), 3);
        assert_eq!(in_prose("src/a.rs:3-7")[0].line, Some(3));
        for (said, path, line) in [
            ("`cart.py:1`: total goes", "cart.py", Some(1)),
            ("(`cart.py:12`), and so on", "cart.py", Some(12)),
            ("cart.py:total adds", "cart.py", None),
            ("`src/cart.rs:Cart::total`.", "src/cart.rs", None),
        ] {
            let one = &in_prose(said)[0];
            assert_eq!((one.path.as_str(), one.line), (path, line), "{said}");
        }
        // A label is no file.
        assert!(named("or note:this").is_empty());
    }

    #[test]
    fn a_quote_is_what_stands_there() {
        let text = "# Greeter\n\nIt greets\npeople by name.\n";
        assert!(quotes("as it says: `greets people by name`", text));
        assert!(quotes("\"people by name\" in README.md", text));
        for other in [
            "`greets nobody`",
            "greets people",
            "`a`",
            "README.md",
            "`README.md`",
        ] {
            assert!(!quotes(other, text), "{other}");
        }
    }
}
