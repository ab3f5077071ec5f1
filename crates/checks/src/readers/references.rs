//! What is there of all that a text refers to. It is looked up in the task folder and in the repository,
//! and nowhere else.

use crate::Subject;
use crate::readers::paths;
use documents::references::{Named, in_prose, quotes};
use std::io::Read;
use std::path::Path;

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

/// Looks it up. `ours` are paths of the task folder that the engine writes, or that refer to
/// themselves: they are nobody's evidence. `said` is the text that names it.
pub(crate) fn look_up(one: &Named, subject: &Subject<'_>, ours: &[String], said: &str) -> There {
    let place = subject.place;
    let candidates = match one.path.split_once('/') {
        Some(("task", rest)) => vec![(place.task, rest)],
        Some(("repo", rest)) => vec![(place.repo, rest)],
        _ if one.path == "task" || one.path == "repo" => Vec::new(),
        _ => vec![(place.task, one.path.as_str()), (place.repo, &one.path)],
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
                Ok(full) => file(one, subject, of_task.as_deref(), path, &full, said),
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
    one: &Named,
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
    if let Some(line) = one.line {
        let lines = text.lines().count();
        let there = line.checked_sub(1).and_then(|at| text.lines().nth(at));
        match there {
            None => {
                return There::NoLine(format!("names line {line} of {path}, which has {lines}"));
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
        match (look_up(&one, subject, &[], evidence), one.line) {
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
