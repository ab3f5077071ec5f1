//! Which calls of Claude Code are refused, and where it finds its sessions again.

use crate::external::gate::Gate;
use crate::external::place::Place;
use serde_json::Value;
use std::fs;
use std::io;

/// The tools that change files, as a hook's matcher.
pub(super) const EDITS: &str = "Write|Edit|MultiEdit|NotebookEdit";
/// Tools that wait for a person, for another time, or work somewhere else.
pub(super) const UNFIT: &str =
    "AskUserQuestion,EnterPlanMode,ExitPlanMode,EnterWorktree,CronCreate,ScheduleWakeup";

/// Why a tool call is refused, if it is.
pub(super) fn refusal(gate: &Gate, tool: &str, input: &Value) -> Option<String> {
    if UNFIT.split(',').any(|unfit| unfit == tool) {
        return Some("nobody is here to answer; decide by yourself".to_owned());
    }
    if !EDITS.split('|').any(|edit| edit == tool) {
        return None;
    }
    let path = ["file_path", "notebook_path"]
        .iter()
        .find_map(|key| input[*key].as_str());
    gate.path(path.unwrap_or_default())
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
