//! How each fact changes what a project remembers. Facts were legal when they were decided, so
//! nothing is refused here.

use super::around::{built_on, resolved};
use super::facts::{
    ChangeStepped, EngineeringStepped, ExceptionDecided, Fact, ProjectOpened, ReleaseBegan,
    TaskHalted, TaskResolved,
};
use super::state::{Before, Fix, Phase, Releasing, State};
use crate::debate::stored;
use crate::delivery::registry::{Entry, Origin, hash_of};
use crate::engineering::debate::{Now, Said};
use crate::engineering::kind::TELLS;
use crate::engineering::work::{Fate, Step, Work};
use crate::halt::artifact::{Escalation, Resolved};
use crate::halt::change::{Change, ChangeStep};
use crate::halt::exception::{AfterRejection, Record, Ruling};
use crate::halt::resolution::Resolution;
use crate::plan::further::Further;
use crate::product::{At, Product};
use crate::project::types::Head;
use crate::project::types::{ModuleRef, TaskId, mint};
use crate::project::{TaskGraph, TaskStatus};
use crate::spec::amend;
use kernel::Time;
use kernel::module::ModuleStatus;
use serde_json::json;

impl State {
    pub(super) fn take(&mut self, fact: Fact, at: Time) {
        match fact {
            Fact::ProductBegan(began) => {
                // Until the next one is approved, the released spec stands.
                self.spec = self.spec_hash().map(str::to_owned);
                if let Some(attempts) = began.attempts {
                    let budgets = &mut self.ledger.budgets;
                    budgets.raise(kernel::budget::ATTEMPTS, attempts);
                }
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
            Fact::ProjectOpened(opened) => self.open(&opened, at),
            Fact::TaskDispatched(dispatched) => {
                // Refusals cannot come: a fact was legal when it was decided.
                let _ = self.graph.dispatch(&dispatched.task);
                let work = self.fresh_work();
                self.work.insert(dispatched.task, work);
            }
            Fact::EngineeringStepped(stepped) => self.stepped(&stepped, at),
            Fact::TaskShipped(shipped) => {
                let _ = self.graph.ship(&shipped.task, &shipped.modules, at);
                self.work.remove(&shipped.task);
                self.fixes.remove(&shipped.task);
                self.changed.remove(&shipped.task);
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
                        work.mended();
                    }
                }
                if let (Phase::Specifying, Some(product)) = (self.phase, &mut self.product) {
                    product.retry();
                }
                self.decision = None;
            }
            Fact::TasksReopened(reopened) => {
                for one in &reopened.tasks {
                    let _ = self.graph.reopen(&one.task);
                    self.forget(&one.task);
                }
            }
            Fact::ModulesRetired(retired) => {
                for module in &retired.modules {
                    self.registry.deprecate(module, None, &retired.note);
                }
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

    fn fresh_work(&self) -> Work {
        Work {
            exams: self.exams,
            ..Work::default()
        }
    }

    fn open(&mut self, opened: &ProjectOpened, at: Time) {
        self.head = Head {
            project_id: opened.project_id.clone(),
            spec_version: opened.spec_version.clone(),
        };
        self.jobs = opened.jobs;
        self.briefs = opened.briefs.unwrap_or_default();
        self.exams = opened.exams;
        self.spec.clone_from(&opened.spec);
        self.promised.clone_from(&opened.product);
        if let Some(attempts) = opened.attempts {
            let budgets = &mut self.ledger.budgets;
            budgets.raise(kernel::budget::ATTEMPTS, attempts);
        }
        if let Some(product) = &mut self.product {
            product.approved = None;
        }
        let declared = std::mem::take(&mut self.declaring);
        let graph = match &opened.further {
            Some(further) => {
                self.goes_on(further, at);
                let version = &opened.spec_version;
                Ok(self.graph.further(declared, &further.stays, version))
            }
            None => TaskGraph::declare(declared),
        };
        if let Ok(graph) = graph {
            self.graph = graph;
            self.phase = Phase::Open;
        }
    }

    /// What was said of the version before does not count for this one: its spec says all of it anew.
    fn goes_on(&mut self, further: &Further, at: Time) {
        let releases = self.releases.len();
        self.before = Before { releases, at };
        self.criteria.clear();
        self.corrected = false;
        let changes = further.changes.iter();
        let changes = changes.map(|one| (one.task.clone(), one.what.clone()));
        self.changed = changes.collect();
    }

    fn stepped(&mut self, stepped: &EngineeringStepped, at: Time) {
        let task = &stepped.task;
        let Some(work) = self.work.get_mut(task) else {
            return;
        };
        let sought = work.modules.iter().filter_map(|one| one.elsewhere.as_ref());
        let sought: Vec<ModuleRef> = sought.map(|one| one.reference.clone()).collect();
        work.take(&stepped.step);
        match &stepped.step {
            // Whoever makes it here begins anew.
            Step::PlanRefused(_) => self.reserved.retain(|(one, _)| !sought.contains(one)),
            Step::Began(module, _) | Step::Sought(module, _) => {
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
        let used = match self.briefs >= TELLS {
            true => built_on(work, module),
            false => resolved(&self.registry, work, module),
        };
        let dependencies = used.into_iter().filter_map(|one| {
            let entry = self.registry.get(&one)?;
            Some((one, entry.fingerprint.clone()))
        });
        let entry = Entry {
            ship_ref: mint("SHIP", self.run(), &reference.to_string()),
            reference: reference.clone(),
            task: Some(task.clone()),
            fingerprint: hash_of(&contract),
            contract,
            dependencies: dependencies.collect(),
            status: ModuleStatus::Shipped,
            superseded_by: None,
            notes: Vec::new(),
            at,
            origin: work.origin(module),
        };
        self.reserved.retain(|(one, _)| *one != entry.reference);
        let new = entry.reference.clone();
        self.registry.add(entry);
        if let Some(old) = self.earlier(task, &new) {
            self.registry.supersede(&old, &new);
        }
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
                amended_cases,
                ..
            } => {
                if let (false, Some(promised)) = (amended_cases.is_empty(), &mut self.promised) {
                    amend(&mut promised.product.cases, &amended_cases);
                    self.corrected = true;
                }
                let cases_alone = amended_acceptance_criteria.is_empty();
                if !cases_alone {
                    let history = self.criteria.entry(task.clone()).or_default();
                    history.push(amended_acceptance_criteria);
                }
                let status = self.graph.get(&task).map(|one| one.status);
                let _ = match status {
                    // What is shipped is only tried again, and what nobody has begun begins with it.
                    Some(TaskStatus::Shipped | TaskStatus::Pending) if cases_alone => return,
                    // It need not wait any more for what was abandoned.
                    Some(TaskStatus::Blocked) => self.graph.waive(&task),
                    Some(TaskStatus::Shipped) => self.graph.reopen(&task),
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
                let mut work = Work {
                    revision: self.graph.get(&task).map_or(0, |one| one.rounds),
                    ..self.fresh_work()
                };
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
                let proposed = self.proposed();
                if let Some(work) = self.work.get_mut(&task)
                    && let Some((module, upon)) =
                        work.fix_by(&resolved.who, &fix_description, proposed)
                {
                    // A second fix stands on the first, unless an attempt has taken that up.
                    let before = self.standing_fix(&task, &module);
                    let mut files = before.map(|fix| fix.files.clone()).unwrap_or_default();
                    files.extend(fix_artifacts);
                    let fix = Fix {
                        module,
                        files,
                        upon,
                    };
                    self.fixes.insert(task, fix);
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
                    fingerprint: hash_of(&change.candidate),
                    contract: change.candidate,
                    dependencies,
                    status: ModuleStatus::Shipped,
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
                let about = stored::change_target(self.run(), &change.exception);
                let trail = stored::documents(self.run(), &about, &change.debate.trail);
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
        self.corrected = false;
        self.releasing = Some(Releasing {
            release_id: began.release_id,
            scope: began.scope,
            modules: began.modules,
            answer: None,
            losses: 0,
            product: began.product,
        });
    }
}
