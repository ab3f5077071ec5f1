//! What a run does not know yet, and who looks into it: each open issue that asks for it by an attempt of
//! its own. It sends nobody out where nothing is unknown.

use super::{SnapshotSpec, Snapshots, draft};
use kernel::snapshot::{FactKind, Issue};
use kernel::{Outcome, StateName};
use std::collections::BTreeSet;

/// The next action of an issue that somebody is to look into.
pub const LOOK_INTO: &str = "re-scout";
/// Nothing is known of the repository: the slice itself is what is unknown.
const SLICE: &str = "slice";
/// Nobody has said what is unknown, and something is unresolved.
const UNRESOLVED: &str = "unresolved";

impl Snapshots {
    /// Issues that are still to be looked into, the present one first.
    fn to_look_into(&self) -> impl Iterator<Item = &Issue> {
        let open = self.latest.iter().flat_map(|latest| &latest.open);
        open.filter(|issue| issue.next == LOOK_INTO && !self.looked_into.contains(&issue.id))
    }

    /// The names of what is unknown: issues, or one word for what no issue says.
    pub(super) fn unknown_names(&self) -> BTreeSet<String> {
        let named: BTreeSet<String> = self.to_look_into().map(|issue| issue.id.clone()).collect();
        if !named.is_empty() || !self.looked_into.is_empty() {
            return named;
        }
        let facts = self.latest.iter().flat_map(|latest| &latest.facts);
        let knows = facts.into_iter().any(|fact| fact.kind == FactKind::Fact);
        let open = self.latest.as_ref().is_some_and(|one| !one.open.is_empty());
        let word = match (knows, open) {
            (false, _) => Some(SLICE),
            (true, true) => Some(UNRESOLVED),
            (true, false) => None,
        };
        word.into_iter().map(str::to_owned).collect()
    }

    /// The one unknown that whoever works in this state looks into.
    pub(crate) fn question(
        &self,
        spec: Option<&SnapshotSpec>,
        state: &StateName,
    ) -> Option<&Issue> {
        let here = spec?.unknowns.as_ref() == Some(state);
        self.to_look_into().next().filter(|_| here)
    }

    /// The unknowns behind that one, whose turn is still to come.
    pub(crate) fn waiting(&self, spec: Option<&SnapshotSpec>, state: &StateName) -> Vec<String> {
        let here = self.question(spec, state).is_some();
        let behind = self.to_look_into().skip(1).filter(|_| here);
        behind.map(|issue| issue.id.clone()).collect()
    }

    /// Among how many what is left of the budgets is shared: those that are or may be sent at once.
    pub(crate) fn to_be_sent(&self, spec: Option<&SnapshotSpec>, state: &StateName) -> u64 {
        1 + self.waiting(spec, state).len() as u64
    }

    /// The same once everything before this unknown has been looked into.
    pub(crate) fn until(&self, id: &str) -> Self {
        let before: Vec<String> = self
            .to_look_into()
            .take_while(|issue| issue.id != id)
            .map(|issue| issue.id.clone())
            .collect();
        let mut then = self.clone();
        then.looked_into.extend(before);
        then
    }

    /// Who leaves evidence in this state, as the snapshot tells it.
    pub(super) fn whose(&self, spec: &SnapshotSpec, state: &StateName) -> String {
        match self.question(Some(spec), state) {
            Some(issue) => format!("{state}, {}", issue.id),
            None => state.to_string(),
        }
    }

    /// One of several has been looked into: what was found is evidence, and the next one follows.
    pub(crate) fn part(
        &mut self,
        spec: Option<&SnapshotSpec>,
        state: &StateName,
        outcome: Option<&Outcome>,
    ) {
        let Some(id) = self.question(spec, state).map(|issue| issue.id.clone()) else {
            return;
        };
        let result = outcome.and_then(|outcome| outcome.result.as_ref());
        let from = format!("{state}, {id}");
        for lines in result.map(draft::evidence).unwrap_or_default() {
            self.add_evidence(&from, lines);
        }
        self.looked_into.insert(id);
    }
}
