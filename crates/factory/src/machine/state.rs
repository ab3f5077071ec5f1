//! What a project remembers, and how each fact changes it.

use super::facts::Fact;
use crate::delivery::manifest::{Building, Manifest, Scope, gates_of};
use crate::delivery::promised::Promised;
use crate::delivery::registry::Registry;
use crate::engineering::asked::{Asked, asked};
use crate::engineering::debate::At;
use crate::engineering::exam::Exams;
use crate::engineering::kind::{ASSEMBLES, CONTINUES, HOLDS, Kind};
use crate::engineering::work::{Answer, Work};
use crate::halt::artifact::{Escalation, Resolved};
use crate::halt::change::Change;
use crate::halt::exception::{ExceptionDecision, Record};
use crate::plan::Known;
use crate::plan::further::Released;
use crate::product::{self, Product};
use crate::project::types::Head;
use crate::project::types::{EscalationId, ExceptionId, ModuleId, ModuleRef, TaskId};
use crate::project::{Declared, TaskGraph, TaskStatus};
use crate::readable::alike;
use kernel::event::{Body, RunStarted};
use kernel::ledger::{LOST_AGAIN, Ledger, MOST_LOSSES};
use kernel::outcome::{CheckResult, Verdict};
use kernel::{Decision, EffectId, Event, Refusal, Time};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// For whom an effect is in flight.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum For {
    /// A task's loop.
    Task(TaskId),
    /// The debate on a changed contract.
    Change(ExceptionId),
    Release,
    /// The product loop.
    Product,
}

/// How far the project is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// Tasks are being declared.
    #[default]
    Declaring,
    /// There is no approved spec yet.
    Specifying,
    /// Work goes on.
    Open,
    /// A person stopped it.
    Stopped,
}

impl Phase {
    /// Is anything wanted at all?
    pub(crate) fn works(self) -> bool {
        match self {
            Phase::Specifying | Phase::Open => true,
            Phase::Declaring | Phase::Stopped => false,
        }
    }
}

/// A release that is being judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Releasing {
    pub(crate) release_id: String,
    pub(crate) scope: Scope,
    pub(crate) modules: Vec<ModuleRef>,
    pub(crate) answer: Option<Vec<CheckResult>>,
    /// Gates that were lost in a row.
    #[serde(default)]
    pub(crate) losses: u32,
    #[serde(default)]
    pub(crate) product: Option<Building>,
}

impl Releasing {
    /// Lost too often, a gate is one that could not run: the release fails, and a person is asked.
    fn lost(&mut self) {
        self.losses += 1;
        if self.losses >= MOST_LOSSES {
            let gates = gates_of(self.product.as_ref()).into_iter();
            let lost =
                gates.map(|gate| CheckResult::new(gate.as_str(), Verdict::CouldNotRun, LOST_AGAIN));
            self.answer = Some(lost.collect());
        }
    }
}

/// The files of a person's fix, for the engine to write before it ships.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    pub module: ModuleRef,
    /// Content by path.
    pub files: BTreeMap<String, String>,
    /// The attempt whose deliverable it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upon: Option<EffectId>,
}

/// What belongs to earlier versions of the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Before {
    /// How many of the releases.
    pub(crate) releases: usize,
    /// Answers of before.
    pub(crate) at: Time,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) started: Option<RunStarted>,
    pub(crate) head: Head,
    pub(crate) phase: Phase,
    #[serde(default)]
    pub(crate) product: Option<Product>,
    /// The spec that it was started with.
    #[serde(default)]
    pub(crate) spec: Option<String>,
    /// The form of its briefs.
    #[serde(default)]
    pub(crate) briefs: u32,
    /// Whether its modules have exams.
    #[serde(default)]
    pub(crate) exams: Option<Exams>,
    /// What comes out at the end.
    #[serde(default)]
    pub(crate) promised: Option<Promised>,
    pub(crate) jobs: u32,
    pub(crate) declaring: Vec<Declared>,
    pub(crate) graph: TaskGraph,
    pub(crate) work: BTreeMap<TaskId, Work>,
    /// What is wanted, by the number that it has or will have.
    pub(crate) orders: BTreeMap<EffectId, For>,
    pub(crate) next: EffectId,
    pub(crate) ledger: Ledger,
    pub(crate) escalations: BTreeMap<EscalationId, Escalation>,
    /// Resolutions of tasks that had no escalation: they were blocked.
    pub(crate) resolutions: Vec<(TaskId, Resolved)>,
    /// How many resolutions people have given.
    #[serde(default)]
    pub(crate) resolved: usize,
    pub(crate) exceptions: BTreeMap<ExceptionId, Record>,
    pub(crate) rulings: Vec<ExceptionDecision>,
    pub(crate) changes: BTreeMap<ExceptionId, Change>,
    /// The attempt that answered last in the debate of each change.
    #[serde(default)]
    pub(crate) heard: BTreeMap<ExceptionId, EffectId>,
    pub(crate) registry: Registry,
    /// Versions that are being made, and by whom.
    pub(crate) reserved: Vec<(ModuleRef, TaskId)>,
    pub(crate) criteria: BTreeMap<TaskId, Vec<Vec<String>>>,
    pub(crate) fixes: BTreeMap<TaskId, Fix>,
    pub(crate) releasing: Option<Releasing>,
    pub(crate) releases: Vec<Manifest>,
    /// How many releases and answers there were before this version of the spec.
    #[serde(default)]
    pub(crate) before: Before,
    /// What the spec wants otherwise of tasks that are made once more.
    #[serde(default)]
    pub(crate) changed: BTreeMap<TaskId, Vec<String>>,
    /// A person has put a case of the product right since the last release began.
    #[serde(default)]
    pub(crate) corrected: bool,
    pub(crate) decision: Option<Decision>,
    pub(crate) last_refusal: Option<Refusal>,
    pub(crate) updated: Time,
}

impl State {
    pub(crate) fn run(&self) -> &str {
        self.started
            .as_ref()
            .map_or("", |started| started.run.as_str())
    }

    /// The shipped module that stands at the front of the product: that of its entry's task, as it
    /// is now.
    pub(crate) fn front(&self) -> Option<&ModuleRef> {
        let mut task = self.graph.get(self.promised.as_ref()?.entry.as_ref()?)?;
        while let Some(next) = task.superseded_by.last() {
            task = self.graph.get(next)?;
        }
        let shipped = task.modules.last()?;
        let newest = self.registry.newest(&shipped.module)?;
        Some(&newest.reference)
    }

    /// What a task makes.
    pub(crate) fn kind(&self, task: &TaskId) -> Kind {
        let entry = self.promised.as_ref().and_then(|one| one.entry.as_ref());
        match self.briefs >= ASSEMBLES && entry == Some(task) {
            true => Kind::Assembly,
            false => Kind::Modules,
        }
    }

    /// The releases of the present version of the spec.
    pub(crate) fn of_this_version(&self) -> &[Manifest] {
        self.releases
            .get(self.before.releases..)
            .unwrap_or_default()
    }

    /// The hash of the spec that the tasks come from.
    pub(crate) fn spec_hash(&self) -> Option<&str> {
        let approved = self.product.as_ref();
        let approved = approved.filter(|product| product.at == product::At::Approved);
        let approved = approved.and_then(|product| product.shown.as_ref());
        let approved = approved.map(|shown| shown.spec.hash.as_str());
        approved.or(self.spec.as_deref())
    }

    /// What a further version of the spec begins with; none while there is something left to do.
    pub(crate) fn released(&self) -> Option<Released> {
        let mut all = self.of_this_version().iter().rev();
        let full = all.find(|one| one.scope == Scope::Full)?;
        let rests = self.phase == Phase::Open
            && self.graph.is_complete()
            && self.releasing.is_none()
            && self.changes.is_empty();
        let spec = self.spec_hash().filter(|_| rests && full.passed())?;
        let criteria = self.criteria.iter();
        let criteria = criteria.filter_map(|(id, all)| Some((id.clone(), all.last()?.clone())));
        let promised = self.promised.as_ref();
        Some(Released {
            spec: spec.to_owned(),
            known: self.known(),
            criteria: criteria.collect(),
            cases: promised.map_or_else(Vec::new, |one| one.product.cases.clone()),
        })
    }

    /// The ids that tasks have or had.
    pub(crate) fn known(&self) -> Known {
        Known::of(self.graph.iter().map(|task| &task.declared))
    }

    /// The assembly of a product that could not be released: a person may have it made once more.
    pub(crate) fn may_reopen(&self) -> Option<&TaskId> {
        let last = self.of_this_version().last()?;
        let failed = last.scope == Scope::Full && !last.passed();
        let rests = self.releasing.is_none() && self.graph.is_complete();
        let entry = self.promised.as_ref()?.entry.as_ref()?;
        let shipped = self.graph.get(entry)?.status == TaskStatus::Shipped;
        (failed && rests && shipped && self.briefs >= HOLDS).then_some(entry)
    }

    /// May a case of the product be put right, for the task of its entry? Not while somebody works by it,
    /// and not once it is released.
    pub(crate) fn may_correct(&self, task: &TaskId) -> bool {
        let promised = self.promised.as_ref();
        let entry = promised.and_then(|one| one.entry.as_ref());
        let released = |one: &Manifest| one.scope == Scope::Full && one.passed();
        entry == Some(task)
            && self.releasing.is_none()
            && !self.of_this_version().iter().any(released)
    }

    /// The last full release, if it failed, and nothing was changed since that could let it pass.
    pub(crate) fn failed_as_it_is(&self) -> Option<&Manifest> {
        let mut full = self.of_this_version().iter().rev();
        let last = full.find(|one| one.scope == Scope::Full)?;
        let tried = last.modules.iter().map(|one| &one.module_ref);
        let now = self.registry.iter().map(|entry| &entry.reference);
        let now = now.filter(|one| self.registry.is_shipped(one));
        let same = !self.corrected && tried.collect::<BTreeSet<_>>() == now.collect();
        (!last.passed() && same).then_some(last)
    }

    /// The version of a module that a task has shipped before this one.
    pub(crate) fn earlier(&self, task: &TaskId, new: &ModuleRef) -> Option<ModuleRef> {
        let shipped = &self.graph.get(task)?.modules;
        let earlier = shipped.iter().filter(|one| one.module == new.module);
        let earlier = earlier.filter(|one| one.version < new.version).max()?;
        // An exception may have made another one since, which belongs to the task as well.
        match self.briefs >= CONTINUES {
            true => Some(self.registry.current(earlier)).filter(|one| one.version < new.version),
            false => Some(earlier.clone()),
        }
    }

    /// Where a valid proposal goes.
    pub(crate) fn proposed(&self) -> At {
        At::proposed(self.briefs)
    }

    /// What a task must show: as a person amended it, or else the spec's.
    pub(crate) fn shows(&self, task: &TaskId) -> &[String] {
        let amended = self.criteria.get(task).and_then(|all| all.last());
        let declared = self.graph.get(task).map(|task| &task.declared.criteria);
        amended.or(declared).map_or(&[], Vec::as_slice)
    }

    /// What a plan must answer; nothing in a project of before.
    pub(crate) fn asked(&self, task: &TaskId) -> Vec<Asked> {
        let declared = self.graph.get(task).map(|task| &task.declared);
        match self.briefs >= HOLDS {
            true => asked(
                self.shows(task),
                declared.and_then(|one| one.sketch.as_ref()),
                self.briefs,
            ),
            false => Vec::new(),
        }
    }

    /// What another task makes under this id, or under one that looks like it.
    pub(crate) fn in_the_making(&self, task: &TaskId, id: &ModuleId) -> Option<&ModuleId> {
        let reserved = self.reserved.iter().filter(|(_, by)| by != task);
        let others = self.work.iter().filter(|(by, _)| *by != task);
        let planned = others.filter_map(|(_, work)| work.plan.as_ref());
        let planned = planned.flat_map(|plan| plan.modules.iter().map(|one| &one.module_id));
        let mut all = reserved.map(|(one, _)| &one.module).chain(planned);
        all.find(|one| *one == id || alike(one.as_str(), id.as_str()))
    }

    /// Every story, by its name and its epic's.
    pub(crate) fn stories(&self) -> BTreeSet<String> {
        let tasks = self.graph.iter();
        tasks
            .map(|task| format!("{} / {}", task.declared.epic, task.declared.story))
            .collect()
    }

    /// What becomes of the product in a full release.
    pub(crate) fn building(&self, waived: Option<&str>) -> Option<Building> {
        let promised = self.promised.as_ref().filter(|one| one.is_built());
        promised.map(|_| match waived {
            Some(why) => Building::Waived(why.to_owned()),
            None => Building::Built,
        })
    }

    /// Does a task wait for a person to mend the environment?
    pub(crate) fn is_stuck(&self, task: &TaskId) -> bool {
        let work = self.work.get(task);
        work.is_some_and(|work| work.stuck.is_some() && work.end.is_none())
    }

    /// A person's files for a module, while no attempt has taken them up.
    pub(crate) fn standing_fix(&self, task: &TaskId, module: &ModuleRef) -> Option<&Fix> {
        let work = self.work.get(task)?;
        let fix = self.fixes.get(task).filter(|fix| fix.module == *module)?;
        let mut made = (0..work.modules.len())
            .filter(|at| work.reference(*at).as_ref() == Some(module))
            .map(|at| work.modules[at].deliverable);
        (made.next()? == fix.upon).then_some(fix)
    }

    pub(crate) fn apply(&mut self, event: &Event) {
        self.ledger.apply(event);
        self.updated = event.at;
        match &event.body {
            Body::RunStarted(started) => {
                self.ledger.budgets = kernel::budget::Budgets::with_caps(&started.budgets);
                self.ledger.next = EffectId(1);
                self.next = EffectId(1);
                self.started = Some((**started).clone());
            }
            Body::AttemptEnded(ended) => {
                let outcome = Box::new(ended.outcome.clone());
                match self.orders.remove(&ended.effect) {
                    Some(For::Task(task)) => {
                        if let Some(work) = self.work.get_mut(&task) {
                            work.answer = Some(Answer::Attempt(ended.effect, outcome));
                        }
                    }
                    Some(For::Change(id)) => {
                        if let Some(change) = self.changes.get_mut(&id) {
                            change.answer = Some(outcome);
                            change.answered = Some(ended.effect);
                            self.heard.insert(id, ended.effect);
                        }
                    }
                    Some(For::Product) => {
                        if let Some(product) = &mut self.product {
                            product.answer = Some(Answer::Attempt(ended.effect, outcome));
                        }
                    }
                    Some(For::Release) | None => {}
                }
            }
            Body::GateEnded(ended) => match self.orders.remove(&ended.effect) {
                Some(For::Task(task)) => {
                    if let Some(work) = self.work.get_mut(&task) {
                        work.answer = Some(Answer::Gate(ended.results.clone()));
                    }
                }
                Some(For::Release) => {
                    if let Some(releasing) = &mut self.releasing {
                        releasing.answer = Some(ended.results.clone());
                    }
                }
                Some(For::Product) => {
                    if let Some(product) = &mut self.product {
                        product.answer = Some(Answer::Gate(ended.results.clone()));
                    }
                }
                Some(For::Change(id)) => {
                    if let Some(change) = self.changes.get_mut(&id) {
                        change.checked = Some(ended.results.clone());
                    }
                }
                None => {}
            },
            // Wanted again under a new number; a lost attempt has no session to go on with.
            Body::EffectLost(lost) => match self.orders.remove(&lost.effect) {
                Some(For::Task(task)) => {
                    if let Some(work) = self.work.get_mut(&task) {
                        work.lost();
                    }
                }
                Some(For::Product) => {
                    if let Some(product) = &mut self.product {
                        product.lost();
                    }
                }
                Some(For::Change(id)) => {
                    if let Some(change) = self.changes.get_mut(&id) {
                        change.lost();
                    }
                }
                Some(For::Release) => {
                    if let Some(releasing) = &mut self.releasing {
                        releasing.lost();
                    }
                }
                None => {}
            },
            Body::Decided(decision) => self.decision = Some(decision.clone()),
            Body::Refused(refused) => self.last_refusal = Some(refused.refusal.clone()),
            Body::Noted(note) => {
                if let Ok(fact) = Fact::read(note) {
                    self.take(fact, event.at);
                }
            }
            Body::EffectBegan(_)
            | Body::CheckpointEnded(_)
            | Body::SessionOpened(_)
            | Body::TailCut(_)
            | Body::LateDropped(_)
            | Body::Moved(_)
            | Body::Rewound(_)
            | Body::FieldsEdited(_)
            | Body::SnapshotTaken(_) => {}
        }
        self.place_orders();
    }

    /// Gives a number to everything that is wanted and has none. Part of taking a fact in, so a
    /// replay gives the same numbers.
    fn place_orders(&mut self) {
        if !self.phase.works() {
            self.orders.clear();
            return;
        }
        let ordered: BTreeSet<&For> = self.orders.values().collect();
        let mut wants: Vec<For> = Vec::new();
        let product = self.product.as_ref();
        if self.phase == Phase::Specifying && product.is_some_and(|one| one.want().is_some()) {
            wants.push(For::Product);
        }
        for task in self.graph.in_progress() {
            let id = &task.declared.id;
            if self.work.get(id).is_some_and(|work| work.want().is_some()) {
                wants.push(For::Task(id.clone()));
            }
        }
        let changes = self.changes.iter();
        let open = changes.filter(|(_, change)| change.want().is_some());
        wants.extend(open.map(|(id, _)| For::Change(id.clone())));
        if self
            .releasing
            .as_ref()
            .is_some_and(|one| one.answer.is_none())
        {
            wants.push(For::Release);
        }
        let new: Vec<For> = wants
            .iter()
            .filter(|of| !ordered.contains(of))
            .cloned()
            .collect();
        self.orders.retain(|_, of| wants.contains(of));
        for of in new {
            let id = self.next.max(self.ledger.next);
            self.orders.insert(id, of);
            self.next = id.next();
            self.ledger.next = self.next;
        }
    }
}
