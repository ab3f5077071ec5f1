//! The one shape that every machine has: decide, apply, wanted. Its inputs, its facts and its wants
//! are its own; the loop around it is one.

use crate::decision::Decision;
use crate::effect::{Effect, EffectKind};
use crate::event::{Body, Event, Stored};
use crate::ids::{EffectId, RunId, StateName};
use crate::input::{Input, What};
use crate::ledger::{AttemptNote, Ledger};
use crate::refusal::Refusal;
use crate::table::Kind;
use crate::time::Time;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{Debug, Display};

/// A pure machine. The driver is the only one to call it in earnest; the simulator and the
/// explorer call the same three functions.
pub trait Machine {
    /// What can happen to it.
    type What: Happening<Id = IdOf<Self>>;
    /// What survives of that.
    type Fact: Stored;
    /// What it wants done.
    type Want: Want;
    /// How it is shown.
    type Status: Standing<Id = IdOf<Self>>;

    /// What follows from an input: facts, or a refusal. Never changes anything.
    fn decide(&self, input: &Input<Self::What>) -> Result<Vec<Event<Self::Fact>>, Refusal>;

    /// Takes a fact in. Total: a journal that was accepted once is accepted for ever.
    fn apply(&mut self, event: &Event<Self::Fact>);

    /// What should be in flight now, begun or not.
    fn wanted(&self) -> Vec<Self::Want>;

    /// The machine as a person or a script wants to see it.
    fn status(&self) -> Self::Status;

    /// The budgets alone, for whoever looks several times a second: a status has every attempt in it.
    fn gauges(&self) -> BTreeMap<String, Gauge> {
        BTreeMap::new()
    }

    /// The whole state as data, for a checkpoint.
    fn snapshot(&self) -> Value;

    /// Takes a snapshot back. A snapshot of another shape is refused and replay begins at the start.
    fn restore(&mut self, snapshot: &Value) -> serde_json::Result<()>;
}

/// A machine that works by attempts, gates and checkpoints: a run of a workflow, a project.
pub trait RunMachine: Machine<What = What, Fact = Body, Want = Effect, Status = Status> {}

impl<M: Machine<What = What, Fact = Body, Want = Effect, Status = Status>> RunMachine for M {}

/// What tells the wants of a machine apart.
pub type IdOf<M> = <<M as Machine>::Want as Want>::Id;

/// Something that should be in flight. Plain data: whoever performs it may be elsewhere.
pub trait Want: Clone + PartialEq + Debug + Serialize + DeserializeOwned {
    /// What tells it apart. Never given twice, so that a late answer fits nothing.
    type Id: Ord + Clone + Debug + Display + Send + 'static;

    /// What tells this one apart.
    fn id(&self) -> Self::Id;

    /// Not to be begun before this.
    fn not_before(&self) -> Option<Time> {
        None
    }

    /// Is it one of those that are counted where a person asks for one pass?
    fn is_a_pass(&self) -> bool {
        false
    }
}

impl Want for Effect {
    type Id = EffectId;

    fn id(&self) -> EffectId {
        self.id()
    }

    fn not_before(&self) -> Option<Time> {
        match self {
            Effect::Attempt(order) => order.not_before,
            Effect::Gate(_) | Effect::Checkpoint(_) => None,
        }
    }

    fn is_a_pass(&self) -> bool {
        self.kind() == EffectKind::Attempt
    }
}

/// Something that can happen. The loop itself says the first two, people the third; the world says the
/// rest.
pub trait Happening: Clone + Debug + Send + 'static {
    /// What tells wants apart.
    type Id;

    /// Settle: take the next step that follows from the state alone, if there is one.
    fn advance() -> Self;

    /// This is about to be started.
    fn begin(id: Self::Id) -> Self;

    /// A person decided.
    fn decide(decision: Decision) -> Self;
}

impl Happening for What {
    type Id = EffectId;

    fn advance() -> Self {
        What::Advance
    }

    fn begin(effect: EffectId) -> Self {
        What::Begin(effect)
    }

    fn decide(decision: Decision) -> Self {
        What::Decide(decision)
    }
}

/// What the loop's surroundings ask of any machine's status.
pub trait Standing: Clone + PartialEq + Debug {
    /// What tells wants apart.
    type Id;

    /// Does it go on by itself?
    fn activity(&self) -> Activity;

    /// What it waits for, if for somebody.
    fn waiting_for(&self) -> Option<&Waiting>;

    /// What began and did not end.
    fn in_flight(&self) -> Vec<Self::Id>;
}

impl Standing for Status {
    type Id = EffectId;

    fn activity(&self) -> Activity {
        self.activity
    }

    fn waiting_for(&self) -> Option<&Waiting> {
        self.waiting_for.as_ref()
    }

    fn in_flight(&self) -> Vec<EffectId> {
        self.in_flight.iter().map(|flying| flying.effect).collect()
    }
}

/// Does the run go on by itself?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// The engine has something to do.
    Working,
    /// A person has.
    Waiting,
    /// Nobody has; it may be taken up again.
    Resting,
    /// It completed.
    Done,
    /// A person stopped it.
    Stopped,
}

/// What the run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Always `human` so far.
    pub who: &'static str,
    /// A stable word: `approval`, `budget`, `stall`, ... or the wait state's name.
    pub reason: String,
    /// A sentence.
    pub why: String,
    /// What may be answered.
    pub options: Vec<String>,
    /// What each answer does, and what its reason must say.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub means: BTreeMap<String, String>,
}

/// One budget as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Gauge {
    pub used: u64,
    /// At the most.
    pub cap: u64,
}

/// An effect in flight, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InFlight {
    pub effect: EffectId,
    /// Attempt, gate or checkpoint.
    pub kind: crate::effect::EffectKind,
    /// Since when.
    pub began: crate::time::Time,
}

impl InFlight {
    /// All of them.
    pub fn of(ledger: &Ledger) -> Vec<Self> {
        let flying = ledger.flying.iter();
        flying
            .map(|(effect, flying)| Self {
                effect: *effect,
                kind: flying.kind,
                began: flying.began,
            })
            .collect()
    }
}

/// The run, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The run's id.
    pub run: RunId,
    /// The workflow's name.
    pub workflow: String,
    /// The present state.
    pub state: StateName,
    /// The state's kind.
    pub kind: Kind,
    /// Does it go on by itself?
    pub activity: Activity,
    /// What it waits for; null if for nobody.
    pub waiting_for: Option<Waiting>,
    /// The state that a detour comes back to.
    pub return_to: Option<StateName>,
    /// The present rung.
    pub autonomy: crate::autonomy::Autonomy,
    /// Pace and risk.
    pub mode: crate::autonomy::Mode,
    /// Run budgets and table counters.
    pub budgets: BTreeMap<String, Gauge>,
    /// Every attempt so far.
    pub attempts: Vec<AttemptNote>,
    pub in_flight: Vec<InFlight>,
    /// The last "no", with its mend.
    pub last_refusal: Option<Refusal>,
    /// Does it still matter: has no gate passed since?
    pub refusal_stands: bool,
    /// Document fields.
    pub fields: BTreeMap<String, String>,
}
