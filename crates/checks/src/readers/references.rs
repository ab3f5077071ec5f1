//! What a text refers to: the targets of its links, what it puts in backticks, and plain words that
//! are paths. It is looked up in the task folder and in the repository, and nowhere else.

use crate::Place;
use crate::readers::paths;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
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
    how: How,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum There {
    Nothing,
    /// The engine's own, or what refers to itself: there, and nobody's evidence.
    Ours,
    /// A folder without a file that anybody but the engine has made.
    EmptyFolder,
    Something,
}

/// What is named in plain text.
pub(crate) fn in_text(text: &str) -> Vec<Named> {
    text.split(|each: char| each.is_whitespace() || ",;".contains(each))
        .filter_map(|word| named(word, How::Perhaps))
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
            Event::Text(piece) | Event::Code(piece) => found.extend(in_text(&piece)),
            _ => {}
        }
    }
    found
}

fn named(word: &str, how: How) -> Option<Named> {
    let bare = word.trim_matches(|each: char| "()[]{}<>\"'`*!?|".contains(each));
    let bare = bare.trim_end_matches(['.', ':', ',']);
    // An address elsewhere cannot be looked up.
    if bare.is_empty() || bare.contains("://") || bare.starts_with('#') {
        return None;
    }
    let path = bare.split('#').next().unwrap_or(bare);
    let path = path.strip_prefix("./").unwrap_or(path);
    // `file:12` and `file:12:3` name a line of it.
    let path = match path.split_once(':') {
        Some((file, line)) if line.split(':').all(is_number) => file,
        _ => path,
    };
    let path = path.trim_end_matches('/');
    paths::lint(path).ok()?;
    let placed = ["task/", "repo/", "artifacts/"];
    let surely = placed.iter().any(|folder| path.starts_with(folder));
    Some(Named {
        path: path.to_owned(),
        how: if surely { How::Surely } else { how },
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|each| each.is_ascii_digit())
}

impl Named {
    /// Must it be there?
    pub(crate) fn is_sure(&self) -> bool {
        self.how == How::Surely
    }

    /// Looks it up. `ours` are paths of the task folder that the engine writes, or that refer to
    /// themselves: they are nobody's evidence.
    pub(crate) fn look_up(&self, place: Place<'_>, ours: &[String]) -> There {
        let candidates = match self.path.split_once('/') {
            Some(("task", rest)) => vec![(place.task, rest)],
            Some(("repo", rest)) => vec![(place.repo, rest)],
            _ if self.path == "task" || self.path == "repo" => Vec::new(),
            _ => vec![(place.task, self.path.as_str()), (place.repo, &self.path)],
        };
        let mut best = There::Nothing;
        for (root, path) in candidates {
            let is_task = root == place.task;
            if is_task && ours.iter().any(|own| is_at_or_below(path, own)) {
                if root.join(path).exists() && best == There::Nothing {
                    best = There::Ours;
                }
                continue;
            }
            let there = match paths::regular(root, path) {
                Ok(_) => There::Something,
                Err(_) => match paths::folder(root, path) {
                    Some(folder) if holds(&folder, path, is_task, ours) => There::Something,
                    Some(_) => There::EmptyFolder,
                    None => There::Nothing,
                },
            };
            match there {
                There::Something => return there,
                There::EmptyFolder => best = there,
                There::Nothing | There::Ours => {}
            }
        }
        best
    }
}

fn is_at_or_below(path: &str, own: &str) -> bool {
    Path::new(path).starts_with(own)
}

/// Is there a file in it that is not the engine's own?
fn holds(folder: &Path, path: &str, is_task: bool, ours: &[String]) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{path}/{name}");
        if is_task && ours.iter().any(|own| is_at_or_below(&path, own)) {
            return false;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_file() => entry.metadata().is_ok_and(|found| found.len() > 0),
            Ok(kind) if kind.is_dir() => holds(&entry.path(), &path, is_task, ours),
            _ => false,
        }
    })
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
}
