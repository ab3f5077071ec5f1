//! What a run does not know yet, and who looks into it: each open issue that asks for it by an attempt of
//! its own. It sends nobody out where nothing is unknown.

use super::{SnapshotSpec, Snapshots, draft};
use kernel::snapshot::{FactKind, Issue};
use kernel::{Outcome, StateName};
use std::collections::BTreeSet;

/// The next action of an issue that somebody is to look into.
const LOOK: &str = "re-scout";
/// Nothing is known of the repository: the slice itself is what is unknown.
const SLICE: &str = "slice";
/// Nobody has said what is unknown, and something is unresolved.
const UNRESOLVED: &str = "unresolved";

impl Snapshots {
    /// Issues that are still to be looked into, the present one first.
    fn to_look_into(&self) -> impl Iterator<Item = &Issue> {
        let open = self.latest.iter().flat_map(|latest| &latest.open);
        open.filter(|issue| issue.next == LOOK && !self.looked_into.contains(&issue.id))
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
