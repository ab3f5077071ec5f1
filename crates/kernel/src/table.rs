//! A workflow's control flow as data: states, named actions, actors, guards, counters, return slot.
//!
//! The table holds no behaviour of its own; [`crate::position`] is the one place that moves on it.

use crate::ids::{ActionName, CounterName, StateName, Word};
use crate::outcome::Class;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What kind of place a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An agent works here in a role, then the gate is run.
    Work,
    /// Checks alone decide; no agent.
    Gate,
    /// A person decides.
    Wait,
    /// Nothing to do; a person may start something again.
    Rest,
    /// Over.
    End,
}

impl Kind {
    /// The kind's name in workflow files.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Work => "work",
            Kind::Gate => "gate",
            Kind::Wait => "wait",
            Kind::Rest => "rest",
            Kind::End => "end",
        }
    }
}

/// Does reaching a state complete the run's promise? The autonomy ladder guards those that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completing {
    /// Reaching it says "this is proven".
    Yes,
    /// It promises nothing.
    No,
}

/// One state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// What kind of place it is.
    pub kind: Kind,
    /// How many attempts (or gate runs) one visit may use before a person is asked.
    pub passes: u32,
    /// Guarded by the autonomy ladder?
    pub completing: Completing,
}

/// Who takes a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The engine, on evidence.
    Engine,
    /// The engine, at an agent's request.
    Agent,
    /// A person.
    Human,
}

impl Actor {
    /// The actor's name in files and exports.
    pub fn as_str(self) -> &'static str {
        match self {
            Actor::Engine => "engine",
            Actor::Agent => "agent",
            Actor::Human => "human",
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One condition of a transition; all of them must hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Guard {
    /// The state's gate passed.
    GatePass,
    /// The gate failed, or the agent itself asks for this way (stricter is always allowed).
    GateFail,
    /// The agent asked for the target.
    Requested,
    /// The gate's checks showed this word.
    Shows(Word),
    /// The attempt was lost: the engine died, or was interrupted, before it ended.
    Lost,
    /// The attempt ended in this way, and not well.
    Ended(Class),
    /// The counter is below its cap.
    Left(CounterName),
    /// The counter is at its cap.
    Spent(CounterName),
    /// The return slot holds this state.
    ReturnIs(StateName),
    /// The return slot is empty.
    ReturnEmpty,
    /// The run is stepped.
    Stepped,
    /// The run is not stepped.
    Flowing,
}

impl Guard {
    /// Does the world outside the table decide this one?
    pub fn is_of_the_world(&self) -> bool {
        match self {
            Guard::GatePass
            | Guard::GateFail
            | Guard::Requested
            | Guard::Shows(_)
            | Guard::Lost
            | Guard::Ended(_) => true,
            Guard::Left(_)
            | Guard::Spent(_)
            | Guard::ReturnIs(_)
            | Guard::ReturnEmpty
            | Guard::Stepped
            | Guard::Flowing => false,
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guard::GatePass => f.write_str("gate.pass"),
            Guard::GateFail => f.write_str("gate.fail"),
            Guard::Requested => f.write_str("requested"),
            Guard::Shows(word) => write!(f, "shows {word}"),
            Guard::Lost => f.write_str("lost"),
            Guard::Ended(class) => write!(f, "ended {}", class.as_str()),
            Guard::Left(counter) => write!(f, "left {counter}"),
            Guard::Spent(counter) => write!(f, "spent {counter}"),
            Guard::ReturnIs(state) => write!(f, "return {state}"),
            Guard::ReturnEmpty => f.write_str("return none"),
            Guard::Stepped => f.write_str("stepped"),
            Guard::Flowing => f.write_str("flowing"),
        }
    }
}

/// Where a transition leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Target {
    /// A named state.
    State(StateName),
    /// The state in the return slot.
    Return,
}

/// What a transition does to the return slot. Going to [`Target::Return`] always empties it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Slot {
    /// Leave it.
    Keep,
    /// Remember the state that is being left.
    SaveFrom,
    /// Remember this state.
    Save(StateName),
    /// Empty it.
    Clear,
}

/// One named way from some states to one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// Its name; several transitions may share one.
    pub action: ActionName,
    /// Where it may start.
    pub from: Vec<StateName>,
    /// Where it leads.
    pub to: Target,
    /// Who takes it.
    pub by: Actor,
    /// All must hold.
    pub when: Vec<Guard>,
    /// Counters that it raises by one. At the cap it becomes an escalation instead.
    pub count: Vec<CounterName>,
    /// Counters that it sets back to zero.
    pub reset: Vec<CounterName>,
    /// What it does to the return slot.
    pub slot: Slot,
}

/// A state, and what the return slot holds there.
pub type Place<'t> = (&'t StateName, Option<&'t StateName>);

impl Transition {
    /// Where it leads from a place; none: it cannot be taken there. The world, counters and pace are not
    /// asked.
    pub fn along<'t>(&'t self, (at, slot): Place<'t>) -> Option<Place<'t>> {
        let from = self.from.iter().find(|from| *from == at)?;
        let fits = self.when.iter().all(|guard| match guard {
            Guard::ReturnIs(state) => slot == Some(state),
            Guard::ReturnEmpty => slot.is_none(),
            _ => true,
        });
        match (&self.to, &self.slot, slot) {
            _ if !fits => None,
            (Target::Return, _, slot) => slot.map(|to| (to, None)),
            (Target::State(to), Slot::Clear, _) => Some((to, None)),
            (Target::State(to), Slot::Keep, slot) => Some((to, slot)),
            (Target::State(to), Slot::SaveFrom, _) => Some((to, Some(from))),
            (Target::State(to), Slot::Save(saved), _) => Some((to, Some(saved))),
        }
    }
}

/// May a passed gate set the counter back?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Renewal {
    /// Transitions may reset it.
    OnPass,
    /// Only a person's `extend` renews it.
    Never,
    /// Likewise, and no way leads around it: nobody who was counted begins anew before that.
    Kept,
}

/// A named budget of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// The highest value it takes.
    pub cap: u32,
    /// May a passed gate set it back?
    pub renewal: Renewal,
}

/// How `stepped` runs pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stepping {
    /// The kernel pauses after each passed gate.
    Held,
    /// The table has pause states of its own, guarded by `stepped` and `flowing`.
    InTable,
}

/// What a pass without material progress does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stalling {
    /// It halts the run and asks a person.
    Halts,
    /// It is a pass like any other.
    Counts,
}

/// A whole workflow's control flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The workflow's name.
    pub name: String,
    /// Where a run begins.
    pub initial: StateName,
    /// All states.
    pub states: BTreeMap<StateName, State>,
    /// All counters.
    pub counters: BTreeMap<CounterName, Counter>,
    /// All transitions, in the order in which the engine prefers them.
    pub transitions: Vec<Transition>,
    /// How stepped runs pause.
    pub stepping: Stepping,
    /// What a stalled pass does.
    pub stalling: Stalling,
}

impl Table {
    /// The state's data. Loaders guarantee that every named state exists.
    pub fn state(&self, name: &StateName) -> &State {
        self.states
            .get(name)
            .expect("a table is only built with states that exist (flow::load, Table::problems)")
    }

    /// Every transition that starts in `state`, with its index.
    pub fn leaving<'a>(
        &'a self,
        state: &'a StateName,
    ) -> impl Iterator<Item = (usize, &'a Transition)> {
        self.transitions
            .iter()
            .enumerate()
            .filter(move |(_, transition)| transition.from.contains(state))
    }

    /// The states that the return slot may hold in `state`: what `to = "return"` can mean there.
    pub fn possible_returns(&self, state: &StateName) -> Vec<StateName> {
        let here = self.places().into_iter().filter(|(at, _)| *at == state);
        here.filter_map(|(_, slot)| slot.cloned()).collect()
    }

    /// Every state that a run can come to, with what the return slot may hold there. Follows the slot along
    /// every transition and ignores counters and pace, so it may name too many, never too few;
    /// exploration is exact.
    pub fn places(&self) -> BTreeSet<Place<'_>> {
        self.places_from([(&self.initial, None)], |_| true, |_| false)
    }

    /// The same from some places on, by ways that count, and not beyond states that stop it.
    pub fn places_from<'t>(
        &'t self,
        start: impl IntoIterator<Item = Place<'t>>,
        counts: impl Fn(&Transition) -> bool,
        stops: impl Fn(&StateName) -> bool,
    ) -> BTreeSet<Place<'t>> {
        let mut seen: BTreeSet<Place<'t>> = start.into_iter().collect();
        let mut queue: Vec<Place<'t>> = seen.iter().copied().collect();
        while let Some((here, slot)) = queue.pop() {
            if stops(here) {
                continue;
            }
            let ways = self.transitions.iter().filter(|way| counts(way));
            for next in ways.filter_map(|way| way.along((here, slot))) {
                if seen.insert(next) {
                    queue.push(next);
                }
            }
        }
        seen
    }

    /// The states that an agent in `state` may ask for, in table order.
    pub fn allowed_requests(&self, state: &StateName) -> Vec<StateName> {
        let mut found: Vec<StateName> = Vec::new();
        for (_, transition) in self.leaving(state) {
            if let (Actor::Engine | Actor::Agent, Target::State(to)) =
                (transition.by, &transition.to)
                && !found.contains(to)
            {
                found.push(to.clone());
            }
        }
        found
    }
}
