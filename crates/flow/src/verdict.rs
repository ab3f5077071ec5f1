//! Who hears it when a role says `fail`: whether a run can come to its end past a state whose role
//! objects. The loader refuses tables in which it can; the machine withholds such a way.

use crate::workflow::Workflow;
use kernel::StateName;
use kernel::table::{Actor, Completing, Guard, Table, Target, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// Do ways that only people take count as well?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum People {
    /// A person who moves a run on has heard what stands against it.
    Apart,
    /// Every way counts.
    Counted,
}

/// What a table says about being heard.
pub(crate) struct Hearing<'a> {
    table: &'a Table,
    /// States in which a run is done, besides those that complete it.
    done: BTreeSet<&'a str>,
    /// For each state, those that settle what was said against it there.
    settled_by: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Hearing<'a> {
    /// `settles` has each state with the states that it settles.
    pub(crate) fn new(
        table: &'a Table,
        done: impl Iterator<Item = &'a str>,
        settles: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut settled_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (state, settled) in settles {
            settled_by.entry(settled).or_default().insert(state);
        }
        Self {
            table,
            done: done.collect(),
            settled_by,
        }
    }

    pub(crate) fn of(workflow: &'a Workflow) -> Self {
        let states = || workflow.states.iter();
        let done = states().filter(|(_, def)| def.done);
        let settles = states().flat_map(|(name, def)| {
            let settled = def.settles.iter();
            settled.map(move |settled| (name.as_str(), settled.as_str()))
        });
        Self::new(
            &workflow.table,
            done.map(|(name, _)| name.as_str()),
            settles,
        )
    }

    /// Is what `objecting` says settled in `state`?
    pub(crate) fn settles(&self, state: &StateName, objecting: &StateName) -> bool {
        let by = self.settled_by.get(objecting.as_str());
        by.is_some_and(|by| by.contains(state.as_str()))
    }

    /// Is it settled anywhere but where it was said?
    pub(crate) fn is_settled_elsewhere(&self, objecting: &StateName) -> bool {
        self.settled_by.contains_key(objecting.as_str())
    }

    /// Can a run that takes this way be done without coming back to `objecting`, or to a state that
    /// settles what was said there?
    pub(crate) fn way_leads_past(
        &self,
        objecting: &StateName,
        from: &StateName,
        way: &Transition,
        people: People,
    ) -> bool {
        let targets = self.targets(from, way);
        let mut targets = targets.iter();
        targets.any(|to| self.leads_past(objecting, to, people))
    }

    /// Does this way give it up: can the run be done from there, and `objecting`, or a state that
    /// settles what was said there, is not to be reached any more?
    pub(crate) fn way_gives_up(
        &self,
        objecting: &StateName,
        from: &StateName,
        way: &Transition,
    ) -> bool {
        let targets = self.targets(from, way);
        targets.iter().any(|to| self.gives_up(objecting, to))
    }

    /// The same of a run that stands in `at`.
    pub(crate) fn gives_up(&self, objecting: &StateName, at: &StateName) -> bool {
        let reached = self.reached(at, People::Apart, |_| false);
        let heard = |state: &StateName| state == objecting || self.settles(state, objecting);
        reached.iter().any(|state| self.is_done(state)) && !reached.iter().any(heard)
    }

    fn leads_past(&self, objecting: &StateName, at: &StateName, people: People) -> bool {
        let heard = |state: &StateName| state == objecting || self.settles(state, objecting);
        let reached = self.reached(at, people, heard);
        reached
            .iter()
            .any(|state| self.is_done(state) && !heard(state))
    }

    fn is_done(&self, state: &StateName) -> bool {
        self.table.state(state).completing == Completing::Yes || self.done.contains(state.as_str())
    }

    /// The states that a run can come to from here, not going on beyond those that stop it.
    fn reached(
        &self,
        at: &StateName,
        people: People,
        stops: impl Fn(&StateName) -> bool,
    ) -> BTreeSet<StateName> {
        let mut seen = BTreeSet::from([at.clone()]);
        let mut queue = vec![at.clone()];
        while let Some(here) = queue.pop() {
            if stops(&here) {
                continue;
            }
            let ways = self.table.leaving(&here).map(|(_, way)| way);
            // After a drop the gates that stand say where the run goes on: the table alone does not.
            let ways = ways.filter(|way| !way.when.contains(&Guard::Lost));
            let ways = ways.filter(|way| people == People::Counted || way.by != Actor::Human);
            for to in ways.flat_map(|way| self.targets(&here, way)) {
                if seen.insert(to.clone()) {
                    queue.push(to);
                }
            }
        }
        seen
    }

    fn targets(&self, from: &StateName, way: &Transition) -> Vec<StateName> {
        match &way.to {
            Target::State(to) => vec![to.clone()],
            Target::Return => self.table.possible_returns(from),
        }
    }
}
