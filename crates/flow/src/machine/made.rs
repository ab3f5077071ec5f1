//! What a run has made so far: the tree that it began with, and what its agents changed. Facts of the
//! journal; nobody's word.

use kernel::Outcome;
use kernel::effect::Access;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// More paths than this are remembered by nobody; a change of that size is outside of everything.
const MOST_PATHS: usize = 10_000;

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Made {
    /// The repository's tree before the first attempt.
    pub(super) tree: Option<String>,
    /// The first commit of the run.
    #[serde(default)]
    pub(super) commit: Option<String>,
    /// Paths that roles have changed that may edit.
    pub(super) by_editors: BTreeSet<String>,
    /// Paths that were changed up to the last checkpoint, or that a person took on.
    pub(super) recorded: BTreeSet<String>,
}

impl Made {
    /// These are part of the work from now on.
    pub(super) fn record(&mut self, touched: &BTreeSet<String>) {
        let left = MOST_PATHS.saturating_sub(self.recorded.len());
        self.recorded.extend(touched.iter().take(left).cloned());
    }

    /// What was recorded since stays recorded.
    pub(super) fn record_all(&mut self, since: Made) {
        self.record(&since.recorded);
        self.tree = self.tree.take().or(since.tree);
    }

    /// An attempt ended well, of a role that may do this.
    pub(super) fn take(&mut self, outcome: &Outcome, access: Option<Access>) {
        if self.tree.is_none() && !outcome.tree_before.is_empty() {
            self.tree = Some(outcome.tree_before.clone());
        }
        if access == Some(Access::Edit) {
            let left = MOST_PATHS.saturating_sub(self.by_editors.len());
            let paths = outcome.changed.iter().take(left).cloned();
            self.by_editors.extend(paths);
        }
    }
}
