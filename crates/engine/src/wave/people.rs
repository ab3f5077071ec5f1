//! What people say about a milestone as a whole: that a criterion holds which no command can show, and
//! that they take on a machine without the whole sandbox. The way in is `crate::decision`, as for every
//! other decision; one engine at a time works on a milestone, also here.

use super::folder::{MilestoneFolder, OpenMilestone};
use crate::decision::{Ask, Decidable, take};
use crate::waiver::{WAIVE, WAIVE_BECAUSE};
use ::wave::{Waves, What, tick_option};
use approval::Approve;
use serde_json::Value;
use store::Journal;
use workspace::error::EngineError;

/// The milestone's journal, where a person signs for it.
pub fn signed_as(milestone: &str) -> String {
    format!("wave:{milestone}")
}

/// A milestone that was opened for a person to decide about.
struct OpenForPeople<'a> {
    folder: &'a MilestoneFolder,
    open: OpenMilestone,
}

impl Decidable for OpenForPeople<'_> {
    type Machine = Waves;

    fn parts(&mut self) -> (&mut Waves, &mut Journal) {
        (&mut self.open.waves, &mut self.open.journal)
    }

    fn signed_as(&self) -> String {
        signed_as(&self.folder.milestone.name)
    }

    fn go_on(&self) -> String {
        format!("proofhouse wave run {}", self.folder.milestone.name)
    }

    fn due(&mut self) -> Vec<What> {
        let torn = self.open.torn.take();
        let torn = torn.map(|torn| What::TailCut {
            bytes: torn.bytes,
            kept_in: torn.kept_in.display().to_string(),
        });
        torn.into_iter().collect()
    }

    fn follow(&mut self) -> Result<(), EngineError> {
        let board = self.open.waves.board();
        // Before all tasks are merged, nothing that people say of a milestone is on its page.
        if board.complete(&self.folder.milestone) {
            self.folder.write_views(board)?;
        }
        Ok(())
    }
}

fn said(
    folder: &MilestoneFolder,
    open: OpenMilestone,
    option: &str,
    because: &str,
    approve: &Approve<'_>,
) -> Result<(), EngineError> {
    let ask = Ask {
        name: &folder.milestone.name,
        option,
        about: "",
        with: &Value::Null,
        because,
    };
    let subject = OpenForPeople { folder, open };
    take(&folder.project, subject, &ask, approve).map(drop)
}

/// Ticks a criterion, by its text or its number. Nobody is asked to sign what would be refused.
pub fn tick(
    folder: &MilestoneFolder,
    which: &str,
    because: &str,
    approve: &Approve<'_>,
) -> Result<String, EngineError> {
    let criterion = folder.milestone.criterion(which);
    let criterion = criterion.map_or(which, |one| one.text.as_str()).to_owned();
    said(
        folder,
        folder.open()?,
        &tick_option(&criterion),
        because,
        approve,
    )?;
    Ok(criterion)
}

/// Takes the sandbox's assurance from a milestone, once.
pub fn waive(folder: &MilestoneFolder, approve: &Approve<'_>) -> Result<(), EngineError> {
    let open = folder.open()?;
    if open.waves.board().waived.is_some() {
        return Ok(());
    }
    said(folder, open, WAIVE, WAIVE_BECAUSE, approve)
}
