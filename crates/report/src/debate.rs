//! What was said about a module, turn by turn: what the Proposer claimed, what the engine tried, what the
//! Challenger found, how the Arbiter ruled, and what a person said in the place of one of them.
//!
//! It repeats what the journal holds of each, and judges nothing.

mod said;

use crate::story::Mark;
use factory::engineering::debate::{At, Now, Said};
use factory::engineering::work::Step;
use factory::halt::change::ChangeStep;
use factory::halt::resolution::Resolution;
use factory::machine::Fact;
use factory::machine::facts::TaskResolved;
use factory::micro_plan::Plan;
use factory::project::{ModuleId, ModuleRef, TaskId, Version};
use kernel::outcome::{CheckResult, Verdict};
use kernel::{Body, EffectId, Event, Time};
use serde_json::Value;
use std::collections::BTreeMap;

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speaker {
    Proposer,
    Challenger,
    Arbiter,
    /// What it ran or compared itself.
    Engine,
    /// By name.
    Person(String),
}

/// One point of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// What it is about; may be empty.
    pub about: String,
    pub mark: Mark,
    pub text: String,
    /// What would mend it; may be empty.
    pub mend: String,
}

/// What somebody said at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub at: Time,
    pub speaker: Speaker,
    /// The word that counts: proposes, PASS, REJECT.
    pub word: String,
    pub mark: Mark,
    /// In their own words; may be empty.
    pub text: String,
    pub points: Vec<Point>,
    /// The attempt behind it.
    pub attempt: Option<EffectId>,
}

/// A proposal, and everything that was said until the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    pub turns: Vec<Turn>,
}

/// Everything that was said about one version of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub task: String,
    /// The version that it is about.
    pub module: Option<ModuleRef>,
    /// The exception that asked for it.
    pub exception: Option<String>,
    pub rounds: Vec<Round>,
    /// The next turn begins a round.
    over: bool,
}

impl Conversation {
    fn new(task: String, module: Option<ModuleRef>, exception: Option<String>) -> Self {
        Self {
            task,
            module,
            exception,
            rounds: Vec::new(),
            over: true,
        }
    }

    fn push(&mut self, turn: Turn) {
        if std::mem::take(&mut self.over) || self.rounds.is_empty() {
            self.rounds.push(Round::default());
        }
        let Some(round) = self.rounds.last_mut() else {
            return;
        };
        // Steps of a ship that held are one turn.
        match round.turns.last_mut() {
            Some(last) if last.word == said::SHIPS && turn.word == said::SHIPS => {
                last.points.extend(turn.points);
                last.mark = turn.mark;
            }
            _ => round.turns.push(turn),
        }
    }
}

/// What a conversation is looked up by: a module of a task's plan, or an exception.
type Key = (String, usize);

/// Hears a project's events, and keeps what was said.
#[derive(Debug, Default)]
pub struct Debates {
    all: Vec<Conversation>,
    open: BTreeMap<Key, usize>,
    plans: BTreeMap<TaskId, Plan>,
    /// Of what is in flight: what it is about.
    flying: BTreeMap<EffectId, String>,
    answers: BTreeMap<String, (EffectId, Value)>,
    results: BTreeMap<String, Vec<CheckResult>>,
    /// The task that an exception halted.
    halted: BTreeMap<String, String>,
}

/// Every conversation of these events, in the order in which they began.
pub fn of(events: &[Event]) -> Vec<Conversation> {
    let mut debates = Debates::default();
    events.iter().for_each(|event| debates.hear(event));
    let mut all = debates.all;
    all.retain(|one| !one.rounds.is_empty());
    all
}

impl Debates {
    fn hear(&mut self, event: &Event) {
        match &event.body {
            Body::EffectBegan(began) => {
                let of = began.subject.split('/').next().unwrap_or_default();
                self.flying.insert(began.effect, of.to_owned());
            }
            Body::AttemptEnded(ended) => {
                if let Some(of) = self.flying.remove(&ended.effect) {
                    let result = ended.outcome.result.clone().unwrap_or_default();
                    self.answers.insert(of, (ended.effect, result));
                }
            }
            Body::GateEnded(ended) => {
                if let Some(of) = self.flying.remove(&ended.effect) {
                    self.results.insert(of, ended.results.clone());
                }
            }
            Body::Noted(note) => {
                if let Ok(fact) = Fact::read(note) {
                    self.fact(event.at, &fact);
                }
            }
            _ => {}
        }
    }

    fn fact(&mut self, at: Time, fact: &Fact) {
        match fact {
            Fact::EngineeringStepped(stepped) => self.stepped(at, &stepped.task, &stepped.step),
            Fact::TaskHalted(halted) => {
                if let Some(id) = &halted.exception {
                    let task = halted.task.to_string();
                    self.halted.insert(id.to_string(), task);
                }
            }
            Fact::TaskResolved(resolved) => self.resolved(at, resolved),
            Fact::ExceptionDecided(decided) => {
                let id = decided.decision.exception_id.to_string();
                if decided.candidate.is_some() {
                    let task = self.halted.get(&id).cloned().unwrap_or_default();
                    self.begin((id.clone(), 0), Conversation::new(task, None, Some(id)));
                }
            }
            Fact::ChangeStepped(stepped) => {
                let id = stepped.exception.to_string();
                match &stepped.step {
                    ChangeStep::Debated(moved) | ChangeStep::Resolved(moved) => {
                        self.moved(at, (id.clone(), 0), &id, moved);
                    }
                    ChangeStep::Round(moved) => {
                        self.moved(at, (id.clone(), 0), &id, moved);
                        if let Some(one) = self.of_key(&(id, 0)) {
                            one.over = true;
                        }
                    }
                    ChangeStep::Again(_) | ChangeStep::Failed(_) => {}
                }
            }
            _ => {}
        }
    }

    fn stepped(&mut self, at: Time, task: &TaskId, step: &Step) {
        match step {
            Step::PlanLocked(plan) => {
                self.plans.insert(task.clone(), plan.clone());
            }
            Step::Began(module, version) => {
                let id = self.module(task, *module);
                let about = id.map(|id| reference(id, *version));
                let new = Conversation::new(task.to_string(), about, None);
                self.begin((task.to_string(), *module), new);
            }
            Step::Sought(module, reference) | Step::Examining(module, reference) => {
                let new = Conversation::new(task.to_string(), Some(reference.clone()), None);
                self.begin((task.to_string(), *module), new);
            }
            Step::Debated(module, moved) => {
                let key = (task.to_string(), *module);
                self.moved(at, key, task.as_str(), moved);
            }
            _ => {}
        }
    }

    fn module(&self, task: &TaskId, at: usize) -> Option<ModuleId> {
        let module = self.plans.get(task)?.modules.get(at)?;
        Some(module.module_id.clone())
    }

    fn begin(&mut self, key: Key, new: Conversation) {
        self.open.insert(key, self.all.len());
        self.all.push(new);
    }

    fn of_key(&mut self, key: &Key) -> Option<&mut Conversation> {
        let at = *self.open.get(key)?;
        self.all.get_mut(at)
    }

    /// A move; `about` is what its effects are about.
    fn moved(
        &mut self,
        at: Time,
        key: Key,
        about: &str,
        moved: &factory::engineering::debate::Move,
    ) {
        let nothing = (EffectId(0), Value::Null);
        let (effect, result) = self.answers.get(about).unwrap_or(&nothing);
        let mut turn = said::turn(at, &moved.said, result, &self.reason(about));
        let by_role = !matches!(turn.speaker, Speaker::Engine);
        turn.attempt = (by_role && effect.0 > 0).then_some(*effect);
        if self.of_key(&key).is_none() {
            let new = Conversation::new(key.0.clone(), None, None);
            self.begin(key.clone(), new);
        }
        let Some(one) = self.of_key(&key) else { return };
        one.push(turn);
        let again = matches!(moved.to, Now::At(At::Revise));
        one.over = again && !matches!(moved.said, Said::Complained(_));
    }

    /// What the last gate said.
    fn reason(&self, about: &str) -> String {
        let results = self.results.get(about).map(Vec::as_slice);
        let results = results.unwrap_or_default();
        let failed = results.iter().find(|one| one.verdict != Verdict::Pass);
        let told = failed.or(results.first());
        told.map(|one| one.reason.clone()).unwrap_or_default()
    }

    /// What a person said about a task stands where its debate ended.
    fn resolved(&mut self, at: Time, resolved: &TaskResolved) {
        if let Some(plan) = &resolved.plan {
            self.plans.insert(resolved.task.clone(), plan.clone());
        }
        let task = resolved.task.as_str();
        let Some(last) = self.all.iter_mut().rev().find(|one| one.task == task) else {
            return;
        };
        if matches!(resolved.resolution, Resolution::ProvideFix { .. }) {
            last.over = true;
        }
        last.push(said::by_person(at, &resolved.who, &resolved.resolution));
    }
}

fn reference(module: ModuleId, version: Version) -> ModuleRef {
    ModuleRef { module, version }
}
