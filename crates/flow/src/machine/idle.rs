//! Attempts that leave everything as it was after a gate has failed. What a gate judged is the same, so its
//! verdict would be: it is not run again, the agent is told so once, and then a person is.

use crate::mentions::mentions;
use crate::workflow::Workflow;
use kernel::effect::Access;
use kernel::outcome::Class;
use kernel::{Outcome, StateName};
use serde::{Deserialize, Serialize};

/// As many in a row, and a person is asked.
const MOST: u32 = 2;

/// What is known of the last gate that failed, and of those who did nothing about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Idle {
    /// The state whose gate failed, and did not pass since.
    failed: Option<StateName>,
    /// Attempts in a row that changed nothing.
    times: u32,
    /// Has nobody made anything yet?
    #[serde(default)]
    nothing_made: bool,
    /// It passed, and a person rejected what it judged.
    #[serde(default)]
    rejected: bool,
    /// Has somebody changed files, or a field that the gate reads, since such a gate has judged? Whoever was
    /// refused for a word of theirs, or crashed, leaves them to the next.
    #[serde(default)]
    unjudged: bool,
}

/// How the last attempts failed, if alike.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Alike {
    how: String,
    times: u32,
}

impl Alike {
    /// Has an attempt ended in the same way as those before it, as often as the workflow puts up with?
    pub(super) fn failed(&mut self, workflow: &Workflow, outcome: &Outcome) -> bool {
        let made = !outcome.changed.is_empty();
        // Runs that began when a workflow could not say `failures_stop` count wrong results alone, of
        // those who made nothing: crashes are bounded by a state's passes.
        let counts = match (outcome.class, workflow.failures_stop) {
            (Class::InvalidResult, None) => !made,
            (Class::InvalidResult | Class::Crashed, Some(_)) => true,
            _ => false,
        };
        if !counts {
            *self = Self::default();
            return false;
        }
        let how = match workflow.failures_stop {
            None => outcome.reason.clone(),
            Some(_) => {
                let (class, made) = (outcome.class.as_str(), outcome.changed.join(" "));
                format!("{class}: {}: {made}", outcome.reason)
            }
        };
        self.times = match self.how == how {
            true => self.times + 1,
            false => 1,
        };
        self.how = how;
        let Some(most) = workflow.failures_stop else {
            return workflow.alike_stops == Some(self.times);
        };
        // What was made is offered to the next attempt, which may do better with it.
        let stops = self.times >= most + u32::from(made);
        if stops {
            // After a person's answer it is counted anew.
            *self = Self::default();
        }
        stops
    }
}

/// What follows from an attempt that changed nothing.
pub(super) enum Follows {
    /// The agent is told, and works once more.
    Again(String),
    /// A person is asked.
    Person(String),
}

impl Idle {
    /// The gate of a state has spoken in which nobody works: it judges files, and nobody's word.
    pub(super) fn judged(&mut self, state: &StateName, passed: bool) {
        self.unjudged = false;
        match passed {
            false => self.failed = Some(state.clone()),
            true if self.failed.as_ref() == Some(state) => *self = Self::default(),
            true => {}
        }
    }

    /// A person has said how to go on: the gate is run again, whatever comes.
    pub(super) fn answered(&mut self) {
        *self = Self::default();
    }

    /// A person has rejected what the gate of a state let through: on the same files it says the same.
    pub(super) fn rejected(&mut self, state: &StateName) {
        self.failed = Some(state.clone());
        (self.rejected, self.unjudged) = (true, false);
    }

    /// A field has another value: where the gate that failed reads it, it is another gate.
    pub(super) fn field_changed(&mut self, workflow: &Workflow, name: &str) {
        let failed = self.failed.as_ref();
        let def = failed.and_then(|state| workflow.states.get(state));
        let mut gate = def.into_iter().flat_map(|def| &def.gate);
        self.unjudged |= gate.any(|check| mentions(&check.with, name));
    }

    /// An attempt in a state has ended, well or not.
    pub(super) fn made(&mut self, workflow: &Workflow, state: &StateName, outcome: &Outcome) {
        self.unjudged |= !outcome.changed.is_empty() && edits(workflow, state);
    }

    /// An attempt in a state has ended well. Says what the next brief has to say of it.
    pub(super) fn attempted(
        &mut self,
        workflow: &Workflow,
        state: &StateName,
        outcome: &Outcome,
        made_before: bool,
    ) -> Option<String> {
        if !edits(workflow, state) {
            return None;
        }
        let idle = outcome.changed.is_empty() && !self.unjudged;
        // Runs that began when a workflow could not say `alike_stops` go on without this.
        self.nothing_made = idle && !made_before && workflow.alike_stops.is_some();
        self.times = match idle && (self.failed.is_some() || self.nothing_made) {
            true => self.times + 1,
            false => 0,
        };
        (self.times > 0 && workflow.idle_stops).then(|| self.sentence())
    }

    /// What follows where the gate that failed would be next.
    pub(super) fn follows(&self, workflow: &Workflow, state: &StateName) -> Option<Follows> {
        match self.times {
            _ if !edits(workflow, state) || !workflow.idle_stops => None,
            0 => None,
            times if times < MOST => Some(Follows::Again(self.sentence())),
            _ => Some(Follows::Person(self.sentence())),
        }
    }

    fn sentence(&self) -> String {
        match &self.failed {
            Some(state) if self.rejected => format!(
                "the agent changed nothing since a person rejected the work: the gate of `{state}` is not run again"
            ),
            Some(state) => format!(
                "the agent changed nothing since the gate of `{state}` failed: it is not run again"
            ),
            None => "the agent changed nothing, so there is nothing to judge yet".to_owned(),
        }
    }
}

/// May whoever works in a state edit? Who only looks changes nothing, and what it says is judged.
fn edits(workflow: &Workflow, state: &StateName) -> bool {
    let role = workflow.states[state].role.as_ref();
    let role = role.and_then(|role| workflow.roles.get(role));
    role.is_some_and(|role| role.access() == Access::Edit)
}
