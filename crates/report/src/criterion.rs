//! Criteria of milestones that only a person can judge: every task is merged, and somebody must look.

use crate::look;
use ::wave::board::Board;
use ::wave::milestone::Milestone;
use ::wave::page;
use serde::Serialize;
use std::path::Path;
use store::{Journal, Replay, RunName};
use workspace::Project;

/// In the folder of a milestone that a person has put away: its runs, a line each. Their lessons are
/// folded into the file beside it.
pub const ARCHIVED: &str = "archived";

/// One that waits for a person's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Criterion {
    pub milestone: String,
    /// From 1, as `wave tick` takes it.
    pub number: usize,
    /// As it is written.
    pub criterion: String,
    /// What says that it holds.
    pub commands: Vec<String>,
}

impl Criterion {
    /// In a sentence.
    pub fn words(&self) -> String {
        format!(
            "`{}` waits for a person (criterion {}): {}",
            self.milestone, self.number, self.criterion
        )
    }
}

/// All of a repository. A milestone that cannot be read says so to whoever asks for it.
pub fn unticked(project: &Project) -> Vec<Criterion> {
    let [folder, _] = project.milestones();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| RunName::new(name).is_ok())
        .collect();
    names.sort();
    let of = |name: &String| of_one(project, name).unwrap_or_default();
    names.iter().flat_map(of).collect()
}

fn of_one(project: &Project, name: &str) -> Option<Vec<Criterion>> {
    let folder = project.milestone(name);
    if folder.join(ARCHIVED).is_file() {
        return None;
    }
    let text = std::fs::read_to_string(folder.join("milestone.toml")).ok()?;
    let configured = project.config().ok()?.commands();
    let milestone = Milestone::parse(name, &text, &configured).ok()?;
    let board = board(&folder)?;
    let open = board.unticked();
    let all = page::criteria(&milestone, &board).into_iter();
    let all = all.filter(|one| open.contains(&one.text.as_str()));
    let one = |one: page::CriterionReport| Criterion {
        milestone: name.to_owned(),
        number: one.number,
        commands: vec![format!(
            "proofhouse wave tick {name} {} --because \"...\"",
            one.number
        )],
        criterion: one.text,
    };
    Some(all.map(one).collect())
}

fn board(folder: &Path) -> Option<Board> {
    let mut board = Board::default();
    let name = RunName::new("wave").ok()?;
    let read = Journal::read(folder, &name, Replay::default(), |record| {
        board.apply(&look::stored(&record)?);
        Ok(())
    });
    read.ok()?;
    Some(board)
}
