//! What performs the wants of a milestone's waves works with: the milestone's place, and what a person
//! has said of it. How each want is performed is in `perform.rs`.

use super::folder::MilestoneFolder;
use super::tidying::Tidying;
use ::wave::fact::Said;
use agents::Agent;
use std::sync::Arc;

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
