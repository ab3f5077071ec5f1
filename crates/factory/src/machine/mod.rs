//! A whole project as one machine on the engine's loop: the same decide, apply and wanted, the same
//! journal, the same effects as a workflow.
//!
//! Nothing is dispatched while a task is halted, nothing ships without its
//! debate and its gates, nothing a person must decide is decided here.

mod around;
mod decide;
pub mod facts;
mod gate;
mod halting;
mod options;
mod people;
mod product;
mod questions;
pub mod records;
mod state;
mod status;
mod taken;
mod wanted;

pub use facts::Fact;
pub use options::{AMEND, APPROVE, DEPRECATE, EXTEND, REJECT, RELEASE, RETRY, RULINGS};
pub use questions::{Question, Subject};
pub use records::{Record, Recorder};
pub use state::{Fix, For};

use crate::context_pack::ContextPack;
use crate::contract::MicroModuleContract;
use crate::delivery::manifest::Manifest;
use crate::delivery::registry::Registry;
use crate::engineering::work::Work;
use crate::halt::artifact::{Escalation, Resolved};
use crate::halt::blank;
use crate::halt::change::Change;
use crate::halt::exception::{ExceptionDecision, Record as ExceptionRecord};
use crate::halt::resolution::Action;
use crate::plan::Known;
use crate::plan::further::Released;
use crate::product::Product;
use crate::project::types::{EscalationId, ExceptionId, ModuleRef, TaskId};
use crate::project::{ProjectState, TaskGraph, TaskStatus};
use kernel::effect::Effect;
use kernel::machine::Gauge;
use kernel::{Body, EffectId, Event, Input, Machine, Refusal, Status, Time, What};
use serde::Deserialize;
use serde_json::{Value, json};
use state::State;
use std::collections::BTreeMap;

/// A project.
#[derive(Debug, Clone, Default)]
pub struct Factory {
    state: State,
}

fn as_value(state: &ProjectState<'_>) -> Value {
    serde_json::to_value(state).expect("plain data with string keys always serializes")
}

impl Factory {
    /// A project that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// The loop before its tasks, if it began with one.
    pub fn product(&self) -> Option<&Product> {
        self.state.product.as_ref()
    }

    /// A person's files for the module that a task has at work, while no attempt has taken them up.
    pub fn standing_fix(&self, task: &TaskId) -> Option<&Fix> {
        let work = self.state.work.get(task)?;
        let module = work.reference(work.active()?)?;
        self.state.standing_fix(task, &module)
    }

    /// The module of a task that a person's fix would be for.
    pub fn to_fix(&self, task: &TaskId) -> Option<ModuleRef> {
        let work = self.state.work.get(task)?;
        work.reference(work.fixable()?)
    }

    /// The payload of a resolution of a task, to be filled in.
    pub fn payload(&self, task: &TaskId, action: Action) -> Value {
        let work = self.state.work.get(task);
        let plan = work.and_then(|work| match (&work.plan, &work.refused) {
            (Some(plan), _) => Some(json!(plan.modules)),
            (None, Some((refused, _))) => refused.get("modules").cloned(),
            (None, None) => None,
        });
        let promised = self.state.promised.as_ref();
        let promised = promised.filter(|one| one.entry.as_ref() == Some(task));
        let cases = promised.map_or(&[][..], |one| one.product.cases.as_slice());
        match action {
            Action::AmendSpec => blank::amendment(self.state.shows(task), cases),
            _ => blank::payload(action, plan),
        }
    }

    /// The contract of the module that a task has at work, as the engine writes it.
    pub fn locked(&self, task: &TaskId) -> Option<MicroModuleContract> {
        let work = self.state.work.get(task)?;
        wanted::locked(work, work.active()?)
    }

    /// The hash of the spec that the tasks come from: the one that a person approved, or that the
    /// project was started with. None before that, and of a journal that does not name it.
    pub fn spec(&self) -> Option<&str> {
        self.state.spec_hash()
    }

    /// What a further version of its spec begins with; none: it is not released, or goes on.
    pub fn released(&self) -> Option<Released> {
        self.state.released()
    }

    /// The ids that tasks have or had.
    pub fn known(&self) -> Known {
        self.state.known()
    }

    /// When the present version of the spec was opened; answers of before are not about it.
    pub fn opened_at(&self) -> Time {
        self.state.before.at
    }

    /// Which project it is.
    pub fn head(&self) -> &crate::project::types::Head {
        &self.state.head
    }

    /// The form of its briefs and task files, which it began with.
    pub fn briefs(&self) -> u32 {
        self.state.briefs
    }

    /// Its tasks.
    pub fn tasks(&self) -> &TaskGraph {
        &self.state.graph
    }

    /// A task's status.
    pub fn task_status(&self, id: &TaskId) -> Option<TaskStatus> {
        self.state.graph.get(id).map(|task| task.status)
    }

    /// A task's engineering loop, while it has one.
    pub fn work(&self, id: &TaskId) -> Option<&Work> {
        self.state.work.get(id)
    }

    /// `state_store/project/state_machine.json`, lent from the state.
    pub fn project_state(&self) -> ProjectState<'_> {
        self.state.graph.view(&self.state.head, self.state.updated)
    }

    /// The same as a value.
    pub fn state_machine(&self) -> Value {
        as_value(&self.project_state())
    }

    /// All escalations there ever were.
    pub fn escalations(&self) -> impl Iterator<Item = &Escalation> {
        self.state.escalations.values()
    }

    /// Those whose task still waits for a person.
    pub fn open_escalations(&self) -> impl Iterator<Item = &Escalation> {
        let waiting = self.state.graph.halted();
        waiting.filter_map(|task| self.state.escalations.get(task.escalation_ref.as_ref()?))
    }

    /// `state_store/escalations/{id}.json`.
    pub fn escalation_artifact(&self, id: &EscalationId) -> Option<Value> {
        let escalation = self.state.escalations.get(id)?;
        let graph = &self.state.graph;
        let snapshot = graph.view_at(&self.state.head, &escalation.snapshot);
        Some(escalation.artifact(as_value(&snapshot)))
    }

    /// The escalation of a product loop that cannot complete its spec.
    pub fn spec_escalation(&self) -> Option<Value> {
        records::of_spec(&self.state, None)
    }

    /// All exceptions there ever were; none ever changes.
    pub fn exceptions(&self) -> impl Iterator<Item = &ExceptionRecord> {
        self.state.exceptions.values()
    }

    /// What people decided about them, in order.
    pub fn rulings(&self) -> &[ExceptionDecision] {
        &self.state.rulings
    }

    /// The changes of contracts that are being debated or shipped.
    pub fn change(&self, id: &ExceptionId) -> Option<&Change> {
        self.state.changes.get(id)
    }

    /// Every shipped version of every module.
    pub fn registry(&self) -> &Registry {
        &self.state.registry
    }

    /// What comes out at the end; none: the spec says nothing of it.
    pub fn promised(&self) -> Option<&crate::delivery::promised::Promised> {
        self.state.promised.as_ref()
    }

    /// Every release, passed or not.
    pub fn releases(&self) -> &[Manifest] {
        &self.state.releases
    }

    /// A task's acceptance criteria as people amended them, oldest first.
    pub fn amended_criteria(&self, id: &TaskId) -> &[Vec<String>] {
        self.state.criteria.get(id).map_or(&[], Vec::as_slice)
    }

    /// Every resolution that people gave, of halted and of blocked tasks.
    pub fn resolutions(&self) -> Vec<(&TaskId, &Resolved)> {
        let halted = self.state.escalations.values();
        let halted = halted.filter_map(|one| Some((&one.task_id, one.resolved.as_ref()?)));
        let blocked = self.state.resolutions.iter();
        let blocked = blocked.map(|(task, resolved)| (task, resolved));
        let mut all: Vec<(&TaskId, &Resolved)> = halted.chain(blocked).collect();
        all.sort_by_key(|(_, resolved)| resolved.at);
        all
    }

    /// How many there are, without looking at all of them.
    pub fn resolutions_given(&self) -> usize {
        self.state.resolved
    }

    /// Is this effect begun and not ended?
    pub fn is_flying(&self, effect: EffectId) -> bool {
        self.state.ledger.flying.contains_key(&effect)
    }

    /// The context pack of an attempt that is wanted or in flight.
    pub fn pack(&self, effect: EffectId) -> Option<ContextPack> {
        wanted::pack_of(&self.state, effect)
    }

    /// Everything that waits for a person, each with the answers that it may have now.
    pub fn questions(&self) -> Vec<Question> {
        questions::questions(&self.state)
    }

    /// For whom an effect is wanted or in flight.
    pub fn subject(&self, effect: EffectId) -> Option<&For> {
        self.state.orders.get(&effect)
    }
}

impl Machine for Factory {
    type What = What;
    type Fact = Body;
    type Want = Effect;
    type Status = Status;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Refusal> {
        decide::decide(&self.state, input)
    }

    fn apply(&mut self, event: &Event) {
        self.state.apply(event);
    }

    fn wanted(&self) -> Vec<Effect> {
        wanted::wanted(&self.state)
    }

    fn status(&self) -> Status {
        status::status(&self.state)
    }

    fn gauges(&self) -> BTreeMap<String, Gauge> {
        status::gauges(&self.state)
    }

    fn snapshot(&self) -> Value {
        serde_json::to_value(&self.state).expect("plain data with string keys always serializes")
    }

    fn restore(&mut self, snapshot: &Value) -> serde_json::Result<()> {
        self.state = State::deserialize(snapshot)?;
        Ok(())
    }
}
