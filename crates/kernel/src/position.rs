//! Where a run stands on its table, and the only code that moves it.
//!
//! The flow machine, the exploration and the TLA+ export all mean these steps: what is proven of
//! one is true of the others. Whether the world's guards hold (gate, request) is the caller's to
//! know; everything that the table itself can decide is decided here.

use crate::autonomy::{Autonomy, Completion, Mode, Pace};
use crate::ids::{ActionName, CounterName, StateName};
use crate::refusal::Refusal;
use crate::table::{Actor, Completing, Guard, Kind, Slot, Stepping, Table, Target, Transition};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name under which the passes of one visit are counted.
pub const PASSES: &str = "passes";

/// Why a run stands still until a person answers. Every hold is an escalation with options.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "hold", rename_all = "snake_case")]
pub enum Hold {
    /// A completing transition is ready; the ladder asks for a person.
    Approval {
        /// The transition that waits.
        action: ActionName,
        /// Where it leads.
        to: StateName,
    },
    /// A stepped run paused after a passed gate.
    Step,
    /// A budget is used up.
    Budget { name: CounterName },
    /// A pass made no material progress.
    Stall,
    /// `risk: high` under `auto`.
    Risk,
    /// The engine could not do its own part (a commit failed, say).
    Trouble,
}

impl Hold {
    /// The hold's name, as stored and exported.
    pub fn name(&self) -> &'static str {
        match self {
            Hold::Approval { .. } => "approval",
            Hold::Step => "step",
            Hold::Budget { .. } => "budget",
            Hold::Stall => "stall",
            Hold::Risk => "risk",
            Hold::Trouble => "trouble",
        }
    }

    /// What a person may answer, besides `stop`.
    pub fn options(&self) -> &'static [&'static str] {
        match self {
            Hold::Approval { .. } => &["approve", "reject"],
            Hold::Step | Hold::Stall => &["continue"],
            Hold::Budget { .. } => &["extend"],
            Hold::Risk => &[LOWER],
            Hold::Trouble => &["retry"],
        }
    }
}

/// The answer that is always possible.
pub const STOP: &str = "stop";
/// The answer that has a gate judge once more what it has refused.
pub const LOOK_AGAIN: &str = "look_again";
/// The answer that gives up `auto`, wherever a run waits for a person.
pub(crate) const LOWER: &str = "lower";

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The present state.
    pub state: StateName,
    /// The return slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<StateName>,
    /// Counters that are not zero.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<CounterName, u32>,
    /// Passes that ended in this visit of the state.
    #[serde(default)]
    pub passes: u32,
    /// Why it stands still, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// The present rung; a person may lower it.
    pub autonomy: Autonomy,
    /// Stopped by a person.
    #[serde(default)]
    pub stopped: bool,
}

/// One step on the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The engine takes the transition with this index; a person's it may not take.
    Fire(usize),
    /// Another pass in the same state.
    Again,
    /// The pass made no progress.
    Stall,
    /// A budget of the run (tokens, money, time, attempts) is used up.
    Exhaust(CounterName),
    /// The engine could not do its part.
    Trouble,
    /// A person answers a hold, or stops the run.
    Answer(String),
}

impl Position {
    /// The start of a run.
    pub fn start(table: &Table, autonomy: Autonomy) -> Self {
        Self {
            state: table.initial.clone(),
            slot: None,
            counts: BTreeMap::new(),
            passes: 0,
            hold: None,
            autonomy,
            stopped: false,
        }
    }

    /// The counter's value.
    pub fn count(&self, counter: &CounterName) -> u32 {
        self.counts.get(counter).copied().unwrap_or(0)
    }

    /// Nothing can happen any more.
    pub fn is_over(&self, table: &Table) -> bool {
        self.stopped || table.state(&self.state).kind == Kind::End
    }

    /// May the engine act here (start attempts, run gates, move)?
    pub fn is_active(&self, table: &Table) -> bool {
        !self.stopped
            && self.hold.is_none()
            && matches!(table.state(&self.state).kind, Kind::Work | Kind::Gate)
    }

    fn set(&mut self, counter: &CounterName, value: u32) {
        if value == 0 {
            self.counts.remove(counter);
        } else {
            self.counts.insert(counter.clone(), value);
        }
    }

    /// The same place, and nobody is waited for. It stood here before it was held, so no place is reached
    /// that could not be reached before.
    #[must_use]
    pub fn released(&self) -> Position {
        Position {
            hold: None,
            ..self.clone()
        }
    }

    fn held(&self, hold: Hold) -> Position {
        Position {
            hold: Some(hold),
            ..self.clone()
        }
    }
}

impl Table {
    /// Do the guards that the table itself can judge hold here?
    pub fn possible(&self, at: &Position, mode: Mode, transition: &Transition) -> bool {
        transition.from.contains(&at.state)
            && (transition.to != Target::Return || at.slot.is_some())
            && transition.when.iter().all(|guard| match guard {
                Guard::GatePass
                | Guard::GateFail
                | Guard::Requested
                | Guard::Shows(_)
                | Guard::Lost
                | Guard::Ended(_) => true,
                Guard::Left(counter) => at.count(counter) < self.cap(counter),
                Guard::Spent(counter) => at.count(counter) >= self.cap(counter),
                Guard::ReturnIs(state) => at.slot.as_ref() == Some(state),
                Guard::ReturnEmpty => at.slot.is_none(),
                Guard::Stepped => mode.pace == Pace::Stepped,
                Guard::Flowing => mode.pace == Pace::Flowing,
            })
    }

    /// The counter's cap.
    pub fn cap(&self, counter: &CounterName) -> u32 {
        self.counters.get(counter).map_or(0, |counter| counter.cap)
    }

    /// What a person may say here: the hold's options or the state's human actions, then `stop`.
    pub fn options(&self, at: &Position, mode: Mode) -> Vec<String> {
        if at.is_over(self) {
            return Vec::new();
        }
        let mut options: Vec<String> = match &at.hold {
            Some(hold) => hold.options().iter().map(|&name| name.to_owned()).collect(),
            None => Vec::new(),
        };
        for (_, transition) in self.leaving(&at.state) {
            let name = transition.action.as_str();
            if transition.by == Actor::Human
                && self.possible(at, mode, transition)
                && !options.iter().any(|option| option == name)
            {
                options.push(name.to_owned());
            }
        }
        if self.may_lower(at) {
            options.push(LOWER.to_owned());
        }
        options.push(STOP.to_owned());
        options
    }

    /// Where a person is asked, they may also take the gate into their own hands: nothing is lost by
    /// it, and a way to complete that the risk guard refuses them would stay shut for good otherwise.
    fn may_lower(&self, at: &Position) -> bool {
        at.hold.is_none()
            && self.state(&at.state).kind == Kind::Wait
            && at.autonomy == Autonomy::Auto
    }

    /// Takes one step. Refuses what the table does not allow; never changes `at`.
    pub fn step(&self, at: &Position, mode: Mode, step: &Step) -> Result<Position, Refusal> {
        if at.is_over(self) {
            return Err(Refusal::new(
                "run_is_over",
                format!("the run has ended in `{}`", at.state),
                "start a new run with `proofhouse new`",
            ));
        }
        match step {
            Step::Fire(index) => self.fire(at, mode, *index),
            Step::Answer(option) => self.answer(at, mode, option),
            Step::Again | Step::Stall | Step::Exhaust(_) | Step::Trouble if !at.is_active(self) => {
                Err(not_now(at, "the engine may not act here"))
            }
            Step::Again => {
                let mut next = at.clone();
                next.passes += 1;
                if next.passes >= self.state(&at.state).passes {
                    next.hold = Some(Hold::Budget {
                        name: CounterName::from(PASSES),
                    });
                }
                Ok(next)
            }
            Step::Stall => Ok(at.held(Hold::Stall)),
            Step::Exhaust(name) => Ok(at.held(Hold::Budget { name: name.clone() })),
            Step::Trouble => Ok(at.held(Hold::Trouble)),
        }
    }

    fn fire(&self, at: &Position, mode: Mode, index: usize) -> Result<Position, Refusal> {
        let transition = self
            .transitions
            .get(index)
            .ok_or_else(|| not_now(at, "there is no such transition"))?;
        if !self.possible(at, mode, transition) {
            return Err(not_now(
                at,
                &format!("`{}` is not possible here", transition.action),
            ));
        }
        if transition.by == Actor::Human {
            return Err(not_now(
                at,
                &format!("only a person takes `{}`", transition.action),
            ));
        }
        if !at.is_active(self) {
            return Err(not_now(at, "the engine may not act here"));
        }
        if let Some(counter) = self.spent_counter(at, transition) {
            return Ok(at.held(Hold::Budget {
                name: counter.clone(),
            }));
        }
        let to = resolve(at, transition);
        if self.state(&to).completing == Completing::Yes {
            match at.autonomy.completion(mode.risk) {
                Err(_) => return Ok(at.held(Hold::Risk)),
                Ok(Completion::NeedsApproval) => {
                    return Ok(at.held(Hold::Approval {
                        action: transition.action.clone(),
                        to,
                    }));
                }
                Ok(Completion::OnEvidence) => {}
            }
        }
        Ok(self.land(at, mode, transition, to))
    }

    /// The transition behind an approval. A hold changes nothing else of the position, so what was
    /// possible when it was raised still is; others of the same name are not meant.
    fn approved<'a>(
        &'a self,
        at: &'a Position,
        mode: Mode,
        action: &ActionName,
        to: &StateName,
    ) -> Option<&'a Transition> {
        self.leaving(&at.state).map(|(_, way)| way).find(|way| {
            way.by != Actor::Human
                && way.action == *action
                && self.possible(at, mode, way)
                && self.spent_counter(at, way).is_none()
                && resolve(at, way) == *to
        })
    }

    fn spent_counter<'a>(&self, at: &Position, way: &'a Transition) -> Option<&'a CounterName> {
        way.count
            .iter()
            .find(|counter| at.count(counter) >= self.cap(counter))
    }

    fn land(&self, at: &Position, mode: Mode, way: &Transition, to: StateName) -> Position {
        let mut next = at.clone();
        next.hold = None;
        next.passes = 0;
        next.slot = match (&way.to, &way.slot) {
            (Target::Return, _) | (_, Slot::Clear) => None,
            (_, Slot::Keep) => at.slot.clone(),
            (_, Slot::SaveFrom) => Some(at.state.clone()),
            (_, Slot::Save(state)) => Some(state.clone()),
        };
        for counter in &way.count {
            let raised = (at.count(counter) + 1).min(self.cap(counter));
            next.set(counter, raised);
        }
        for counter in &way.reset {
            next.set(counter, 0);
        }
        next.state = to;
        let kind = self.state(&next.state).kind;
        if mode.pace == Pace::Stepped
            && self.stepping == Stepping::Held
            && way.by != Actor::Human
            && way.when.contains(&Guard::GatePass)
            && matches!(kind, Kind::Work | Kind::Gate)
        {
            next.hold = Some(Hold::Step);
        }
        next
    }

    fn answer(&self, at: &Position, mode: Mode, option: &str) -> Result<Position, Refusal> {
        let mut next = at.clone();
        if option == STOP {
            next.stopped = true;
            next.hold = None;
            return Ok(next);
        }
        let way = self.leaving(&at.state).find(|(_, way)| {
            way.by == Actor::Human && way.action.as_str() == option && self.possible(at, mode, way)
        });
        // A workflow may say itself where a rejected work goes.
        let own = way.is_some() && matches!(at.hold, Some(Hold::Approval { .. }));
        if let Some(hold) = &at.hold
            && hold.options().contains(&option)
            && !own
        {
            next.hold = None;
            match hold {
                Hold::Approval { action, to } if option == "approve" => {
                    return self
                        .approved(at, mode, action, to)
                        .map(|way| self.land(at, mode, way, to.clone()))
                        .ok_or_else(|| not_now(at, "the approved transition is gone"));
                }
                Hold::Budget { name } if name.as_str() == PASSES => next.passes = 0,
                Hold::Budget { name } => next.set(name, 0),
                Hold::Risk => next.autonomy = Autonomy::Conservative,
                Hold::Approval { .. } | Hold::Step | Hold::Stall | Hold::Trouble => {}
            }
            return Ok(next);
        }
        if way.is_none() && option == LOWER && self.may_lower(at) {
            next.autonomy = Autonomy::Conservative;
            return Ok(next);
        }
        match way {
            Some((_, way)) => Ok(self.land(at, mode, way, resolve(at, way))),
            None => Err(unknown_option(option, at, &self.options(at, mode))),
        }
    }
}

/// The refusal of an answer that nobody asked for, with those that are offered.
pub fn unknown_option(option: &str, at: &Position, offered: &[String]) -> Refusal {
    Refusal::new(
        "unknown_option",
        format!(
            "`{option}` is not an answer to what the run waits for in `{}`",
            at.state
        ),
        format!("choose one of: {}", offered.join(", ")),
    )
}

fn resolve(at: &Position, way: &Transition) -> StateName {
    match &way.to {
        Target::State(state) => state.clone(),
        // `possible` has seen a filled slot; staying put is the harmless reading of an empty one.
        Target::Return => at.slot.clone().unwrap_or_else(|| at.state.clone()),
    }
}

fn not_now(at: &Position, why: &str) -> Refusal {
    Refusal::new(
        "step_not_possible",
        format!("in state `{}`: {why}", at.state),
        "ask `proofhouse status RUN` what the run waits for",
    )
}
