//! Who hears it when a role says `fail`: whether a run can come to its end past a state whose role
//! objects. The loader refuses tables in which it can; the machine withholds such a way.

use crate::workflow::Workflow;
use kernel::StateName;
use kernel::table::{Actor, Completing, Guard, Place, Table, Transition};
use std::cell::OnceCell;
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
    /// Every place of it, once somebody asks.
    places: OnceCell<BTreeSet<Place<'a>>>,
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
            places: OnceCell::new(),
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
        self.leads_past(objecting, self.behind(from, way), people)
    }

    /// Does this way give it up: can the run be done from there, and `objecting`, or a state that
    /// settles what was said there, is not to be reached any more?
    pub(crate) fn way_gives_up(
        &self,
        objecting: &StateName,
        from: &StateName,
        way: &Transition,
    ) -> bool {
        self.gives_up_from(objecting, self.behind(from, way))
    }

    /// The same of a run that stands in `at`.
    pub(crate) fn gives_up(&self, objecting: &StateName, at: &StateName) -> bool {
        self.gives_up_from(objecting, self.places_of(at).collect())
    }

    fn gives_up_from(&self, objecting: &StateName, at: Vec<Place<'_>>) -> bool {
        let reached = self.reached(at, People::Apart, |_| false);
        let heard = |state: &&StateName| *state == objecting || self.settles(state, objecting);
        reached.iter().any(|state| self.is_done(state)) && !reached.iter().any(heard)
    }

    fn leads_past(&self, objecting: &StateName, at: Vec<Place<'_>>, people: People) -> bool {
        let heard = |state: &StateName| state == objecting || self.settles(state, objecting);
        let reached = self.reached(at, people, heard);
        reached
            .iter()
            .any(|state| self.is_done(state) && !heard(state))
    }

    fn is_done(&self, state: &StateName) -> bool {
        self.table.state(state).completing == Completing::Yes || self.done.contains(state.as_str())
    }

    /// The states that a run can come to from these places, not going on beyond those that stop it.
    fn reached<'t>(
        &'t self,
        at: Vec<Place<'t>>,
        people: People,
        stops: impl Fn(&StateName) -> bool,
    ) -> BTreeSet<&'t StateName> {
        // After a drop the gates that stand say where the run goes on: the table alone does not.
        let counts = |way: &Transition| {
            let by = people == People::Counted || way.by != Actor::Human;
            by && !way.when.contains(&Guard::Lost)
        };
        let places = self.table.places_from(at, counts, stops);
        places.into_iter().map(|(state, _)| state).collect()
    }

    fn places_of(&self, state: &StateName) -> impl Iterator<Item = Place<'_>> {
        let places = self.places.get_or_init(|| self.table.places());
        places.iter().copied().filter(move |(at, _)| *at == state)
    }

    /// Where a way leads from this state, whatever the return slot holds there.
    fn behind<'t>(&'t self, from: &StateName, way: &'t Transition) -> Vec<Place<'t>> {
        let here = self.places_of(from);
        here.filter_map(|place| way.along(place)).collect()
    }
}
