//! What a run tells its gates beside the fields: the names that it has given out, what was made, and what
//! was found wrong.

use super::state::FlowState;
use crate::workflow::Workflow;
use kernel::effect::{BEGUN, Known, REFUSED_HERE};
use kernel::outcome::passes;
use std::collections::BTreeSet;

impl FlowState {
    /// The names that this run knows, by kind.
    pub(super) fn known(&self, workflow: &Workflow) -> Known {
        let mut known = self.snapshots.known();
        let state = &self.position.state;
        let question = self.snapshots.question(workflow.snapshot.as_ref(), state);
        let own = question.map(|issue| issue.scope.clone());
        let own = own.filter(|scope| !scope.is_empty());
        let failing = self.gates.values().filter(|memo| !memo.passed);
        let failing = failing
            .flat_map(|memo| &memo.results)
            .filter(|result| !passes(std::slice::from_ref(result)));
        let wrong = failing.map(|one| format!("{}\n{}\n{}", one.check, one.reason, one.details));
        let trees = self.started.iter().flat_map(|started| &started.own_tree);
        let begun = trees.map(|own| &own.base).chain(&self.made.commit).take(1);
        let here = self.gates.get(state).filter(|memo| !memo.passed);
        let here = here.iter().flat_map(|memo| &memo.results);
        let here = here.filter(|result| !passes(std::slice::from_ref(result)));
        let here = here.map(|one| one.check.clone());
        let kinds: [(&str, BTreeSet<String>); 8] = [
            ("own scope", own.into_iter().collect()),
            ("tree begun", self.made.tree.iter().cloned().collect()),
            (REFUSED_HERE, here.collect()),
            (BEGUN, begun.cloned().collect()),
            ("made", self.made.by_editors.clone()),
            ("recorded", self.made.recorded.clone()),
            ("touched", self.touched.clone()),
            ("wrong", wrong.collect()),
        ];
        let some = kinds.into_iter().filter(|(_, names)| !names.is_empty());
        known.extend(some.map(|(kind, names)| (kind.to_owned(), names)));
        known
    }
}
