//! Files that were changed though nobody asked for it, and on which tools act by themselves: all of them, for a
//! question names only some.

use crate::gate::Gate;
use kernel::outcome::UNASKED;
use serde::Serialize;
use workspace::Project;

/// What the last look found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unasked {
    /// Each with what became of it.
    pub files: Vec<String>,
    /// Where the whole list is kept, for whom it is too long.
    pub kept: String,
}

impl Unasked {
    /// In these gates, the latest first.
    pub(crate) fn of(project: &Project, gates: &[Gate]) -> Option<Self> {
        let looked = gates.iter().filter(|gate| gate.passed);
        let mut looked = looked.flat_map(|gate| &gate.checks);
        let last = looked.find(|check| check.check == UNASKED)?;
        let mut pieces = last.evidence.iter();
        let piece = pieces.find(|piece| piece.name == UNASKED)?;
        let vault = project.vault().ok()?;
        let text = vault.get(&piece.hash).ok()?;
        let at = vault.place(&piece.hash).ok()?;
        let at = at.strip_prefix(project.top()).unwrap_or(&at);
        Some(Self {
            files: String::from_utf8_lossy(&text)
                .lines()
                .map(str::to_owned)
                .collect(),
            kept: at.display().to_string(),
        })
    }
}
