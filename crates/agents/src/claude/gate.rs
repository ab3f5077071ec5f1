//! What Claude Code may edit, and where it finds its sessions again. The gate is pure: a tool and
//! its input in, a refusal out. It refuses edits outside the folders that the role may change.

use crate::external::place::Place;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The tools that change files, as a hook's matcher.
pub(super) const EDITS: &str = "Write|Edit|MultiEdit|NotebookEdit";
/// Tools that wait for a person, for another time, or work somewhere else.
pub(super) const UNFIT: &str =
    "AskUserQuestion,EnterPlanMode,ExitPlanMode,EnterWorktree,CronCreate,ScheduleWakeup";

/// The folders that an attempt may change.
#[derive(Debug, Default)]
pub(super) struct Gate {
    pub(super) may_edit: Vec<PathBuf>,
    pub(super) repo: PathBuf,
}

impl Gate {
    /// The gate for these folders. The agent may see them under their true names too.
    pub(super) fn new(repo: &Path, mut may_edit: Vec<PathBuf>) -> Self {
        let real: Vec<PathBuf> = may_edit
            .iter()
            .filter_map(|folder| fs::canonicalize(folder).ok())
            .collect();
        may_edit.extend(real);
        Self {
            may_edit,
            repo: repo.to_owned(),
        }
    }

    /// Why a tool call is refused, if it is.
    pub(super) fn refusal(&self, tool: &str, input: &Value) -> Option<String> {
        if UNFIT.split(',').any(|unfit| unfit == tool) {
            return Some("nobody is here to answer; decide by yourself".to_owned());
        }
        if !EDITS.split('|').any(|edit| edit == tool) {
            return None;
        }
        let path = ["file_path", "notebook_path"]
            .iter()
            .find_map(|key| input[*key].as_str());
        let path = plain(&self.repo.join(path.unwrap_or_default()));
        let may = self.may_edit.iter().any(|folder| path.starts_with(folder));
        (!may).then(|| format!("this role may not write {}", path.display()))
    }
}

/// Sessions lie in a folder that is named after the working folder. The view has moved since, so
/// that folder gets its new name.
pub(super) fn settle(place: &Place) -> io::Result<()> {
    let projects = place.folder(".claude/projects")?;
    let repo = fs::canonicalize(&place.repo)?;
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = Place::text(&repo).chars().map(plain).collect();
    let target = projects.join(name);
    if target.exists() {
        return Ok(());
    }
    match fs::read_dir(&projects)?.next() {
        Some(entry) => fs::rename(entry?.path(), target),
        None => Ok(()),
    }
}

/// Without `.` and `..`, so that a path cannot walk out of the folder that it begins with.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
