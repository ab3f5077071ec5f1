//! What performs the wants of a milestone's waves works with: the milestone's place, and what a person
//! has said of it. How each want is performed is in `perform.rs`.

use super::folder::MilestoneFolder;
use super::tidying::Tidying;
use crate::on_commit::{Meanwhile, OnCommit};
use ::wave::fact::Said;
use ::wave::want::MergeOrder;
use agents::Agent;
use kernel::outcome::CheckResult;
use sandbox::Cancel;
use std::sync::Arc;
use workspace::error::EngineError;

/// What performs the wants of a milestone's waves.
pub(super) struct WavePerformer {
    /// Where the milestone lies.
    pub(super) folder: MilestoneFolder,
    /// Who took on that the sandbox may not hold.
    pub(super) waived: Option<Said>,
    /// An agent that is already built, for all tasks.
    pub(super) agent: Option<Arc<dyn Agent>>,
    /// Worktrees that are being removed.
    pub(super) tidying: Tidying,
}

impl WavePerformer {
    /// Runs commands of the milestone on a commit, in the worktree for merges; `before` is what it was
    /// merged into.
    pub(super) fn run_on(
        &self,
        commit: &str,
        before: Option<&str>,
        commands: &[String],
        cancel: &Cancel,
    ) -> Result<Vec<CheckResult>, EngineError> {
        self.on_commit(&|place| place.run(commit, before, commands, cancel))
    }

    /// Runs the integration gate on what a task's work and the tip have become together.
    pub(super) fn run_merged(
        &self,
        commit: &str,
        order: &MergeOrder,
        cancel: &Cancel,
    ) -> Result<Vec<CheckResult>, EngineError> {
        let meanwhile = Meanwhile {
            base: &order.base,
            head: &order.tip,
            work: &order.work,
        };
        let commands = &self.folder.milestone.integration;
        self.on_commit(&|place| {
            place.told_apart(commit, &meanwhile, &|tried| {
                // Without the tests that came to the tip, the tip is nothing to compare with.
                let before = if tried == commit {
                    &order.tip
                } else {
                    &order.base
                };
                place.run(tried, Some(before), commands, cancel)
            })
        })
    }

    fn on_commit(
        &self,
        judge: &dyn Fn(&OnCommit<'_>) -> Result<Vec<CheckResult>, EngineError>,
    ) -> Result<Vec<CheckResult>, EngineError> {
        let folder = &self.folder;
        judge(&OnCommit {
            project: &folder.project,
            worktree: &folder.integration_name(),
            scratch: &folder.scratch(),
            waived_by: self.waived.as_ref().map(|said| said.who.as_str()),
        })
    }
}
