//! What became of approved work in a run that brought it together with its branch: lines that are not in
//! it any more, and lines that nobody had approved. It compares two changes; it judges neither.

use crate::change::{Change, Depth};
use crate::file_change::FileChange;
use crate::work::Work;
use flow::Flow;
use serde::Serialize;
use std::collections::BTreeMap;
use workspace::Project;
use workspace::git::git;

/// What a settling run made of the work that it settles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settled {
    /// The run whose work was approved.
    pub run: String,
    /// Of the approved change: what is not done here.
    pub missing: Vec<Line>,
    /// What is done here and was no part of it.
    pub new: Vec<Line>,
}

/// A line that came (`+`) or went (`-`); a whole file where it is no text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Line {
    pub path: String,
    pub line: String,
}

impl Settled {
    /// Of a run that settles another one's work: its change, against what was approved. None where it
    /// settles none, or git cannot tell.
    pub fn of(project: &Project, machine: &Flow, change: Option<&Change>) -> Option<Self> {
        let own = machine.started()?.own_tree.as_ref()?;
        let (run, change) = (own.settles.as_ref()?.as_str(), change?);
        let approved = Work::of(project, run).ok()?;
        let approved = approved.change(project, run, Depth::Hunks).ok()?;
        // What a gate let pass may be in no commit yet.
        let made = machine.passed_tree().unwrap_or(&change.commit);
        let text = |path: &str| {
            let name = format!("{made}:{path}");
            let text = git(project.top(), &["show", &name], &[]).unwrap_or_default();
            String::from_utf8_lossy(&text).into_owned()
        };
        Some(Self {
            run: run.to_owned(),
            missing: missing(&approved.changes, &change.changes, &text),
            new: beyond(&change.changes, &approved.changes),
        })
    }
}

/// What the one change does and the other does not, line by line; an empty line says nothing.
fn beyond(one: &[FileChange], other: &[FileChange]) -> Vec<Line> {
    let mut known: BTreeMap<Line, usize> = BTreeMap::new();
    for line in lines(other) {
        *known.entry(line).or_default() += 1;
    }
    let is_new = |line: &Line| match known.get_mut(line) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    lines(one).into_iter().filter(is_new).collect()
}

/// The same of what was approved, but for what the branch had done by itself: a line that stands there
/// anyhow is not missing, and one that is gone anyhow went.
fn missing(
    approved: &[FileChange],
    settled: &[FileChange],
    text: &dyn Fn(&str) -> String,
) -> Vec<Line> {
    let mut left = beyond(approved, settled);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    left.retain(|Line { path, line }| {
        let (sign, words) = line.split_at(1.min(line.len()));
        let now = texts.entry(path.clone()).or_insert_with(|| text(path));
        let there = now.lines().any(|line| line == words);
        match sign {
            "+" => !there,
            "-" => there,
            _ => true,
        }
    });
    left
}

fn lines(changes: &[FileChange]) -> Vec<Line> {
    let mut all = Vec::new();
    for one in changes {
        let path = || one.path.clone();
        if one.added.is_none() {
            let line = format!("{}, no text", one.kind.as_str());
            all.push(Line { path: path(), line });
        }
        if let Some(mode) = one.mode {
            let line = mode.to_owned();
            all.push(Line { path: path(), line });
        }
        let lines = one.hunks.iter().flat_map(|hunk| &hunk.lines);
        let changed = lines.filter(|line| line.starts_with(['+', '-']) && line.trim().len() > 1);
        all.extend(changed.map(|line| Line {
            path: path(),
            // How it ends is no difference to whoever asks what was lost.
            line: line.trim_end_matches('\r').to_owned(),
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_change::{Hunk, Kind};

    fn change(path: &str, lines: &[&str]) -> FileChange {
        FileChange {
            path: path.to_owned(),
            from: None,
            kind: Kind::Modified,
            mode: None,
            added: Some(1),
            removed: Some(1),
            ends: None,
            hunks: vec![Hunk {
                before: 1,
                after: 1,
                about: String::new(),
                lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            }],
        }
    }

    fn said(lines: &[Line]) -> Vec<String> {
        lines
            .iter()
            .map(|one| format!("{} {}", one.path, one.line))
            .collect()
    }

    #[test]
    fn what_is_lost_and_what_is_new_is_told_line_by_line() {
        let approved = [
            change("a", &["-old", "+one", "+one", "+", " same"]),
            change("b", &["+taken over"]),
        ];
        let settled = [change("a", &["+one", "+other"])];
        let text = |path: &str| match path {
            "a" => "old\none\nother\n".to_owned(),
            _ => "taken over\n".to_owned(),
        };
        // The second `one` stands there, and the branch has all of `b` already.
        let lost = missing(&approved, &settled, &text);
        assert_eq!(said(&lost), ["a -old"]);
        assert_eq!(said(&beyond(&settled, &approved)), ["a +other"]);
        assert!(missing(&approved, &approved, &text).is_empty());
        let picture = FileChange {
            added: None,
            ..change("p.png", &[])
        };
        let lost = missing(&[picture], &settled, &text);
        assert_eq!(said(&lost), ["p.png modified, no text"]);
    }
}
