//! What a project remembers, and how each fact changes it.

use super::facts::{
    ChangeStepped, EngineeringStepped, ExceptionDecided, Fact, ProjectOpened, ReleaseBegan,
    TaskHalted, TaskResolved,
};
use crate::delivery::manifest::{Manifest, Scope};
use crate::delivery::registry::{Entry, IndexStatus, Origin, Registry, fingerprint};
use crate::engineering::debate::{Now, Said};
use crate::engineering::work::{Answer, Fate, Step, Work};
use crate::halt::artifact::{Escalation, Resolved};
use crate::halt::change::{Change, ChangeStep};
use crate::halt::exception::{AfterRejection, ExceptionDecision, Record, Ruling};
use crate::halt::resolution::Resolution;
use crate::product::{At, Product};
use crate::project::types::{EscalationId, ExceptionId, ModuleRef, TaskId, mint};
use crate::project::view::Head;
use crate::project::{Declared, TaskGraph, TaskStatus};
use kernel::event::{Body, RunStarted};
use kernel::ledger::Ledger;
use kernel::outcome::CheckResult;
use kernel::{Decision, EffectId, Event, Refusal, Time};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// For whom an effect is in flight.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum For {
    /// A task's loop.
    Task(TaskId),
    /// The debate on a changed contract.
    Change(ExceptionId),
    /// The release.
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
}

/// The files of a person's fix, for the engine to write before it ships.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// Whose module.
    pub module: ModuleRef,
    /// Content by path.
    pub files: BTreeMap<String, String>,
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
            Body::EffectLost(lost) => {
                let patience = match self.orders.remove(&lost.effect) {
                    Some(For::Task(task)) => self.work.get_mut(&task).map(|one| &mut one.patience),
                    Some(For::Product) => self.product.as_mut().map(|one| &mut one.patience),
                    Some(For::Change(_) | For::Release) | None => None,
                };
                if let Some(patience) = patience {
                    patience.continues = None;
                }
            }
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

    fn take(&mut self, fact: Fact, at: Time) {
        match fact {
            Fact::ProductBegan(began) => {
                self.product = Some(Product::new(*began));
                self.phase = Phase::Specifying;
            }
            Fact::ProductStepped(stepped) => {
                if let Some(product) = &mut self.product {
                    product.take(&stepped.step);
                    product.spent = (product.at == At::Spent).then_some(at);
                }
            }
            Fact::SpecApproved(approved) => self.spec_approved(approved),
            Fact::SpecRejected(rejected) => {
                self.decision = None;
                if let Some(product) = &mut self.product {
                    product.reject(&rejected.reasons);
                }
            }
            Fact::SpecAmended(amended) => {
                self.decision = None;
                if let Some(product) = &mut self.product {
                    product.amend(&amended.feedback);
                }
            }
            Fact::TasksDeclared(declared) => self.declaring.extend(declared.tasks),
            Fact::ProjectOpened(opened) => self.open(&opened),
            Fact::TaskDispatched(dispatched) => {
                // Refusals can not come: a fact was legal when it was decided.
                let _ = self.graph.dispatch(&dispatched.task);
                self.work.insert(dispatched.task, Work::default());
            }
            Fact::EngineeringStepped(stepped) => self.stepped(&stepped, at),
            Fact::TaskShipped(shipped) => {
                let _ = self.graph.ship(&shipped.task, &shipped.modules, at);
                self.work.remove(&shipped.task);
                self.fixes.remove(&shipped.task);
            }
            Fact::TaskHalted(halted) => self.halted(&halted, at),
            Fact::TaskResolved(resolved) => self.resolved(*resolved, at),
            Fact::ExceptionDecided(decided) => self.ruled(decided),
            Fact::ChangeStepped(stepped) => self.changed(&stepped, at),
            Fact::ReleaseBegan(began) => self.release_began(began),
            Fact::ReleaseJudged(manifest) => {
                self.releasing = None;
                self.releases.push(*manifest);
            }
            Fact::ModuleDeprecated(gone) => {
                let new = gone.superseded_by.as_ref();
                self.registry.deprecate(&gone.module, new, &gone.note);
                self.decision = None;
            }
            Fact::BudgetExtended(extended) => {
                self.ledger.budgets.extend(&extended.budget);
                self.decision = None;
            }
            Fact::TroubleMended(mended) => {
                for task in &mended.tasks {
                    if let Some(work) = self.work.get_mut(task) {
                        work.stuck = None;
                    }
                }
                if let (Phase::Specifying, Some(product)) = (self.phase, &mut self.product) {
                    product.retry();
                }
                self.decision = None;
            }
            Fact::RunStopped(_) => {
                self.phase = Phase::Stopped;
                self.decision = None;
            }
            Fact::DecisionVoid(void) => {
                self.last_refusal = Some(void.refusal);
                self.decision = None;
            }
        }
    }

    fn open(&mut self, opened: &ProjectOpened) {
        self.head = Head {
            project_id: opened.project_id.clone(),
            spec_version: opened.spec_version.clone(),
        };
        self.jobs = opened.jobs;
        self.spec.clone_from(&opened.spec);
        if let Some(attempts) = opened.attempts {
            let budgets = &mut self.ledger.budgets;
            budgets.raise(kernel::budget::ATTEMPTS, attempts);
        }
        if let Some(product) = &mut self.product {
            product.approved = None;
        }
        let declared = std::mem::take(&mut self.declaring);
        if let Ok(graph) = TaskGraph::declare(declared) {
            self.graph = graph;
            self.phase = Phase::Open;
        }
    }

    fn stepped(&mut self, stepped: &EngineeringStepped, at: Time) {
        let task = &stepped.task;
        let Some(work) = self.work.get_mut(task) else {
            return;
        };
        work.take(&stepped.step);
        match &stepped.step {
            Step::Began(module, _) => {
                if let Some(reference) = work.reference(*module) {
                    let one = (reference, task.clone());
                    if !self.reserved.contains(&one) {
                        self.reserved.push(one);
                    }
                }
            }
            Step::Debated(module, said) if said.to == Now::Shipped => {
                if matches!(said.said, Said::Passed(_)) {
                    self.ship_module(task, *module, at);
                }
            }
            _ => {}
        }
    }

    fn ship_module(&mut self, task: &TaskId, module: usize, at: Time) {
        let Some(work) = self.work.get(task) else {
            return;
        };
        let (Some(plan), Fate::Shipped(reference)) = (&work.plan, &work.modules[module].fate)
        else {
            return;
        };
        let contract = json!(plan.modules[module].io_contract);
        let used = super::around::resolved(&self.registry, work, module);
        let dependencies = used.into_iter().filter_map(|one| {
            let entry = self.registry.get(&one)?;
            Some((one, entry.fingerprint.clone()))
        });
        let entry = Entry {
            ship_ref: mint("SHIP", self.run(), &reference.to_string()),
            reference: reference.clone(),
            task: Some(task.clone()),
            fingerprint: fingerprint(&contract),
            contract,
            dependencies: dependencies.collect(),
            status: IndexStatus::Shipped,
            superseded_by: None,
            notes: Vec::new(),
            at,
            origin: work.origin(module),
        };
        self.reserved.retain(|(one, _)| *one != entry.reference);
        self.registry.add(entry);
    }

    fn halted(&mut self, halted: &TaskHalted, at: Time) {
        let task = &halted.task;
        let _ = self.graph.halt(task, &halted.code, &halted.escalation);
        let snapshot = self.graph.take_snapshot(at);
        let blank = Work::default();
        let work = self.work.get(task).unwrap_or(&blank);
        if let (Some(id), Some(raised)) = (&halted.exception, &work.raised) {
            let record = Record {
                exception_id: id.clone(),
                task: task.clone(),
                at,
                raised: (**raised).clone(),
            };
            self.exceptions.entry(id.clone()).or_insert(record);
        }
        let escalation = Escalation::compile(
            self.run(),
            halted.escalation.clone(),
            task,
            &halted.code,
            work,
            halted.exception.clone(),
            snapshot,
        );
        self.escalations
            .insert(halted.escalation.clone(), escalation);
    }

    fn resolved(&mut self, resolved: TaskResolved, at: Time) {
        self.decision = None;
        self.resolved += 1;
        let task = resolved.task;
        let record = Resolved {
            resolution: resolved.resolution.clone(),
            who: resolved.who.clone(),
            at,
        };
        let escalation = self
            .graph
            .get(&task)
            .and_then(|one| one.escalation_ref.clone());
        match escalation.and_then(|id| self.escalations.get_mut(&id)) {
            Some(escalation) => escalation.resolved = Some(record),
            None => self.resolutions.push((task.clone(), record)),
        }
        match resolved.resolution {
            Resolution::ApproveOverride { rationale } => {
                let _ = self.graph.resume(&task);
                if let Some(work) = self.work.get_mut(&task) {
                    work.override_by(&resolved.who, &rationale);
                }
            }
            Resolution::AmendSpec {
                amended_acceptance_criteria,
                ..
            } => {
                let history = self.criteria.entry(task.clone()).or_default();
                history.push(amended_acceptance_criteria);
                let status = self.graph.get(&task).map(|one| one.status);
                let _ = match status {
                    // It need not wait any more for what was abandoned.
                    Some(TaskStatus::Blocked) => self.graph.waive(&task),
                    _ => self.graph.requeue(&task),
                };
                self.forget(&task);
            }
            Resolution::SplitTask { .. } => {
                let _ = self.graph.split(&task, "split", &resolved.tasks);
                self.forget(&task);
            }
            Resolution::RevisePlan { .. } => {
                let _ = self.graph.resume(&task);
                let mut work = Work::default();
                work.revision = self.graph.get(&task).map_or(0, |one| one.rounds);
                if let Some(plan) = resolved.plan {
                    work.lock(plan);
                }
                self.work.insert(task, work);
            }
            Resolution::ProvideFix {
                fix_description,
                fix_artifacts,
            } => {
                let _ = self.graph.resume(&task);
                if let Some(work) = self.work.get_mut(&task)
                    && let Some(module) = work.fix_by(&resolved.who, &fix_description)
                {
                    let files = fix_artifacts;
                    self.fixes.insert(task, Fix { module, files });
                }
            }
            Resolution::AbandonTask { rationale } => {
                let _ = self.graph.abandon(&task, &rationale);
                self.forget(&task);
            }
        }
    }

    fn forget(&mut self, task: &TaskId) {
        self.work.remove(task);
        self.fixes.remove(task);
    }

    fn ruled(&mut self, decided: ExceptionDecided) {
        self.decision = None;
        let decision = decided.decision;
        let record = self.exceptions.get(&decision.exception_id);
        if let Some(record) = record {
            let task = record.task.clone();
            match (decision.ruling, decided.candidate) {
                (Ruling::ApproveChange, Some(candidate)) => {
                    let change = Change::new(
                        decision.exception_id.clone(),
                        task,
                        record.raised.exception.target_module.clone(),
                        candidate.version,
                        candidate.contract,
                    );
                    self.changes.insert(decision.exception_id.clone(), change);
                }
                (Ruling::RejectChange, _) if decision.then == AfterRejection::Requeue => {
                    let _ = self.graph.requeue(&task);
                    self.forget(&task);
                }
                _ => {}
            }
        }
        self.rulings.push(decision);
    }

    fn changed(&mut self, stepped: &ChangeStepped, at: Time) {
        let Some(change) = self.changes.get_mut(&stepped.exception) else {
            return;
        };
        change.take(&stepped.step);
        match &stepped.step {
            ChangeStep::Resolved(_) => {
                let change = change.clone();
                self.changes.remove(&stepped.exception);
                let old = self.registry.get(&change.from);
                let dependencies = old.map(|one| one.dependencies.clone()).unwrap_or_default();
                self.registry.add(Entry {
                    ship_ref: mint("SHIP", self.run(), &change.to.to_string()),
                    reference: change.to.clone(),
                    task: None,
                    fingerprint: fingerprint(&change.candidate),
                    contract: change.candidate,
                    dependencies,
                    status: IndexStatus::Shipped,
                    superseded_by: None,
                    notes: vec![format!("made by {}", change.exception)],
                    at,
                    origin: Origin {
                        exception: Some(change.exception.clone()),
                        ..Origin::default()
                    },
                });
                self.registry.supersede(&change.from, &change.to);
                let _ = self.graph.requeue(&change.task);
                self.forget(&change.task);
            }
            ChangeStep::Failed(why) => {
                let change = change.clone();
                self.changes.remove(&stepped.exception);
                let about = super::records::change_target(self.run(), &change.exception);
                let trail = super::records::documents(self.run(), &about, &change.debate.trail);
                let escalation = self
                    .graph
                    .get(&change.task)
                    .and_then(|task| task.escalation_ref.clone());
                if let Some(one) = escalation.and_then(|id| self.escalations.get_mut(&id)) {
                    one.debate_trail.proposals.extend(trail.proposals);
                    one.debate_trail.challenges.extend(trail.challenges);
                    one.debate_trail.adjudications.extend(trail.adjudications);
                    let note = format!("\nthe change of {} failed: {why}", change.from);
                    one.resolution_context.push_str(&note);
                }
            }
            ChangeStep::Debated(_) | ChangeStep::Round(_) | ChangeStep::Again(_) => {}
        }
    }

    fn release_began(&mut self, began: ReleaseBegan) {
        self.decision = None;
        self.releasing = Some(Releasing {
            release_id: began.release_id,
            scope: began.scope,
            modules: began.modules,
            answer: None,
        });
    }
}
