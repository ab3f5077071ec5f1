//! What a run has made so far, as gates ask for it: the tree that it began with, what its agents
//! changed, and what was found wrong. Facts of the journal; nobody's word.

use super::state::FlowState;
use crate::workflow::Workflow;
use kernel::effect::{Access, Known};
use kernel::event::AttemptEnded;
use kernel::outcome::passes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// More paths than this are remembered by nobody; a change of that size is outside of everything.
const MOST_PATHS: usize = 10_000;

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Made {
    /// The repository's tree before the first attempt.
    tree: Option<String>,
    /// Paths that roles have changed that may edit.
    by_editors: BTreeSet<String>,
    /// Paths that were changed up to the last checkpoint.
    recorded: BTreeSet<String>,
}

impl Made {
    /// A checkpoint holds these.
    pub(super) fn record(&mut self, touched: &BTreeSet<String>) {
        let left = MOST_PATHS.saturating_sub(self.recorded.len());
        self.recorded.extend(touched.iter().take(left).cloned());
    }
}

impl FlowState {
    /// An attempt of the present state ended well.
    pub(super) fn keep_made(&mut self, workflow: &Workflow, ended: &AttemptEnded) {
        let outcome = &ended.outcome;
        if self.made.tree.is_none() && !outcome.tree_before.is_empty() {
            self.made.tree = Some(outcome.tree_before.clone());
        }
        let role = workflow.states[&self.position.state].role.as_ref();
        let role = role.and_then(|role| workflow.roles.get(role));
        if role.is_some_and(|role| role.access() == Access::Edit) {
            let left = MOST_PATHS.saturating_sub(self.made.by_editors.len());
            let paths = outcome.changed.iter().take(left).cloned();
            self.made.by_editors.extend(paths);
        }
    }

    /// The names that this run knows, for checks.
    pub(super) fn known(&self) -> Known {
        let mut known = self.snapshots.known();
        let failing = self.gates.values().filter(|memo| !memo.passed);
        let failing = failing
            .flat_map(|memo| &memo.results)
            .filter(|result| !passes(std::slice::from_ref(result)));
        let wrong = failing.map(|one| format!("{}\n{}\n{}", one.check, one.reason, one.details));
        let kinds = [
            ("tree begun", self.made.tree.iter().cloned().collect()),
            ("made", self.made.by_editors.clone()),
            ("recorded", self.made.recorded.clone()),
            ("touched", self.touched.clone()),
            ("wrong", wrong.collect()),
        ];
        let some = kinds.into_iter().filter(|(_, names)| !names.is_empty());
        known.extend(some.map(|(kind, names): (&str, BTreeSet<String>)| (kind.to_owned(), names)));
        known
    }
}
