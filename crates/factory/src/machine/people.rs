//! What a person may decide, and the fact that follows. A decision that does not fit is refused and
//! changes nothing; the same function carries out what was accepted.

use super::facts::{
    BudgetExtended, Candidate, ExceptionDecided, Fact, ModuleDeprecated, ReleaseBegan, RunStopped,
    TaskResolved, TroubleMended,
};
use super::state::{Phase, State};
use crate::delivery::manifest::Scope;
use crate::engineering::plan::{self, Author, Plan, PlanModule, ReuseDecision};
use crate::halt::change;
use crate::halt::exception::{AfterRejection, ExceptionDecision, Ruling};
use crate::halt::resolution::{Action, NewTask, PlanLine, Resolution};
use crate::project::types::{ExceptionId, ModuleRef, TaskId, mint};
use crate::project::{Declared, TaskStatus};
use kernel::position::STOP;
use kernel::{Decision, Refusal, Time};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Extends the budget that is spent.
pub const EXTEND: &str = "extend";
/// Tries again what the environment could not run.
pub const RETRY: &str = "retry";
/// Releases the named modules, or everything.
pub const RELEASE: &str = "RELEASE";
/// Deprecates a module.
pub const DEPRECATE: &str = "DEPRECATE";
/// The rulings on an exception.
pub(crate) const RULINGS: [(&str, Ruling); 3] = [
    ("APPROVE_CHANGE", Ruling::ApproveChange),
    ("REJECT_CHANGE", Ruling::RejectChange),
    ("DEFER", Ruling::Defer),
];
/// Section 4.1.
const LONGEST_TASK_ID: usize = 128;

/// What follows from a decision.
pub(crate) fn carry(state: &State, decision: &Decision, at: Time) -> Result<Fact, Refusal> {
    let option = decision.option.as_str();
    if state.phase == Phase::Stopped {
        return Err(Refusal::new(
            "run_stopped",
            "the run was stopped",
            "start another",
        ));
    }
    if option == STOP {
        let who = decision.who.clone();
        return Ok(Fact::RunStopped(RunStopped { who }));
    }
    if let Some((_, ruling)) = RULINGS.iter().find(|(name, _)| *name == option) {
        return ruled(state, decision, *ruling, at);
    }
    if let Some(carried) = super::product::carry(state, decision) {
        return carried;
    }
    match option {
        EXTEND => {
            let spent = state.ledger.budgets.first_spent().ok_or_else(|| {
                Refusal::new(
                    "no_budget_spent",
                    "no budget is used up",
                    "nothing is to be done",
                )
            })?;
            let budget = spent.to_string();
            Ok(Fact::BudgetExtended(BudgetExtended { budget }))
        }
        RETRY => {
            let all = state.work.iter();
            let stuck = all.filter(|(_, work)| work.stuck.is_some());
            let tasks: Vec<TaskId> = stuck.map(|(id, _)| id.clone()).collect();
            if tasks.is_empty() && !super::product::may_retry(state) {
                return Err(Refusal::new(
                    "nothing_is_stuck",
                    "no task is stuck",
                    "nothing is to be done",
                ));
            }
            Ok(Fact::TroubleMended(TroubleMended { tasks }))
        }
        RELEASE => release(state, &decision.with),
        DEPRECATE => deprecate(state, &decision.with, at),
        _ => resolve(state, decision),
    }
}

fn resolve(state: &State, decision: &Decision) -> Result<Fact, Refusal> {
    let (id, resolution) = Resolution::read(&decision.option, &decision.with)?;
    let action = resolution.action();
    let Some(task) = state.graph.get(&id) else {
        return Err(Refusal::new(
            "task_unknown",
            format!("there is no task `{id}`"),
            "name a task of `state_machine.json`",
        ));
    };
    match task.status {
        TaskStatus::Halted => {}
        TaskStatus::Blocked if action.suits_blocked() => {}
        TaskStatus::Blocked => {
            return Err(Refusal::new(
                "resolution_not_for_blocked",
                format!(
                    "`{id}` is BLOCKED; there is nothing of it to {}",
                    action.as_str()
                ),
                "give AMEND_SPEC, SPLIT_TASK or ABANDON_TASK, or resolve what blocks it",
            ));
        }
        other => {
            return Err(Refusal::new(
                "task_not_escalated",
                format!("`{id}` is {}", other.as_str()),
                "resolve a task that is HALTED or BLOCKED",
            ));
        }
    }
    if let Some(change) = state.changes.values().find(|change| change.task == id) {
        return Err(Refusal::new(
            "exception_in_debate",
            format!(
                "the change of {} for {} is being debated",
                change.from, change.exception
            ),
            "wait for the end of that debate",
        ));
    }
    let (mut tasks, mut plan) = (Vec::new(), None);
    match &resolution {
        Resolution::ApproveOverride { .. } => {
            let work = state.work.get(&id);
            if work.is_none_or(|work| work.shippable().is_empty()) {
                return Err(Refusal::new(
                    "nothing_to_ship",
                    format!("`{id}` halted before anything was proposed"),
                    "give another resolution",
                ));
            }
        }
        Resolution::ProvideFix { .. } => {
            let work = state.work.get(&id);
            if work.is_none_or(|work| work.fixable().is_none()) {
                return Err(Refusal::new(
                    "no_module_to_fix",
                    format!("`{id}` has no module that failed"),
                    "give REVISE_PLAN first, or another resolution",
                ));
            }
        }
        Resolution::AmendSpec { .. } => {
            if task.status == TaskStatus::Blocked {
                state.graph.dead_dependencies(&id)?;
            }
        }
        Resolution::SplitTask { new_tasks } => {
            tasks = parts(state, &id, new_tasks)?;
            state.graph.may_split(&id, &tasks)?;
        }
        Resolution::RevisePlan { revised_micro_plan } => {
            plan = Some(human_plan(state, &id, revised_micro_plan)?);
        }
        Resolution::AbandonTask { .. } => {}
    }
    Ok(Fact::TaskResolved(Box::new(TaskResolved {
        task: id,
        resolution,
        who: decision.who.clone(),
        tasks,
        plan,
    })))
}

/// `T-a-b-c-` and `007` of `T-a-b-c-007`.
fn sequence(id: &str) -> Option<(&str, u32)> {
    let (stem, number) = id.rsplit_once('-')?;
    let good = number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit());
    Some((stem, good.then(|| number.parse().ok())??))
}

/// The tasks of a split with ids by the scheme of section 4.1, after those of the same story.
fn parts(state: &State, id: &TaskId, new: &[NewTask]) -> Result<Vec<Declared>, Refusal> {
    let stem = sequence(id.as_str()).map_or(id.as_str(), |(stem, _)| stem);
    let all = state.graph.iter().filter_map(|task| {
        let (of, number) = sequence(task.declared.id.as_str())?;
        (of == stem).then_some(number)
    });
    let last = all.max().unwrap_or(0);
    let mut names = BTreeSet::new();
    let mut ids = Vec::new();
    for (number, task) in (last + 1..).zip(new) {
        if !names.insert(task.name.as_str()) {
            return Err(Refusal::new(
                "split_name_twice",
                format!("two new tasks are called `{}`", task.name),
                "give each a name of its own: siblings refer to it",
            ));
        }
        let new_id = format!("{stem}-{number:03}");
        if number > 999 || new_id.len() > LONGEST_TASK_ID {
            return Err(Refusal::new(
                "task_id_too_long",
                format!("`{new_id}` is beyond the scheme of task ids"),
                "split the story itself",
            ));
        }
        ids.push(TaskId::new(new_id));
    }
    let original = state.graph.get(id).map(|task| &task.declared);
    let place = |of: fn(&Declared) -> &String| original.map(of).cloned().unwrap_or_default();
    let declared = new.iter().zip(&ids).map(|(task, id)| {
        let depends_on = task.depends_on.iter().map(|on| {
            let sibling = new.iter().position(|other| other.name == *on);
            sibling.map_or_else(|| TaskId::new(on), |at| ids[at].clone())
        });
        Declared {
            id: id.clone(),
            pillar: place(|one| &one.pillar),
            epic: place(|one| &one.epic),
            story: place(|one| &one.story),
            task: task.name.clone(),
            depends_on: depends_on.collect(),
        }
    });
    Ok(declared.collect())
}

/// A person's plan. It has no contracts of its own: a module keeps the one that it had, and a new
/// one takes the task file's.
fn human_plan(state: &State, id: &TaskId, lines: &[PlanLine]) -> Result<Plan, Refusal> {
    let invalid = |what: String| {
        Refusal::new(
            "plan_invalid",
            what,
            "mend the plan and give REVISE_PLAN again",
        )
    };
    let work = state.work.get(id);
    let before = work.and_then(|work| work.plan.as_ref());
    let mut modules = Vec::new();
    for line in lines {
        let mut depends_on = Vec::new();
        for on in &line.depends_on {
            let named = if on.contains('@') {
                on.clone()
            } else {
                format!("{on}@1.0.0")
            };
            let reference = ModuleRef::parse(&named)
                .ok_or_else(|| invalid(format!("`{on}` is not `MM-...` or `MM-...@x.y.z`")))?;
            let inside = lines
                .iter()
                .any(|other| other.module_id == reference.module);
            if !inside && !state.registry.is_shipped(&reference) {
                return Err(invalid(format!(
                    "`{on}` is neither in the plan nor shipped"
                )));
            }
            depends_on.push(reference);
        }
        let had = before.and_then(|plan| {
            let mut all = plan.modules.iter();
            all.find(|module| module.module_id == line.module_id)
        });
        modules.push(PlanModule {
            module_id: line.module_id.clone(),
            name: had.map_or_else(|| line.module_id.to_string(), |one| one.name.clone()),
            purpose: line.description.clone(),
            io_contract: had.and_then(|one| one.io_contract.clone()),
            error_cases: had.map(|one| one.error_cases.clone()).unwrap_or_default(),
            depends_on,
            reuse_candidate_refs: Vec::new(),
            reuse_decision: ReuseDecision::CreateNew,
            reuse_justification: "a person's plan".to_owned(),
        });
    }
    let plan = Plan {
        by: Author::Human,
        modules,
    };
    let faults = plan::structure(&plan);
    if faults.is_empty() {
        return Ok(plan);
    }
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| format!("{}: {}", fault.path, fault.message))
        .collect();
    Err(invalid(lines.join("; ")))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnException {
    exception_id: ExceptionId,
    #[serde(default)]
    then: AfterRejection,
}

fn payload<T: serde::de::DeserializeOwned>(with: &Value) -> Result<T, Refusal> {
    serde_json::from_value(with.clone()).map_err(|error| {
        Refusal::new(
            "payload_malformed",
            error.to_string(),
            "give the members that this decision needs",
        )
    })
}

fn ruled(state: &State, given: &Decision, ruling: Ruling, at: Time) -> Result<Fact, Refusal> {
    let on: OnException = payload(&given.with)?;
    let id = &on.exception_id;
    let Some(record) = state.exceptions.get(id) else {
        return Err(Refusal::new(
            "exception_unknown",
            format!("there is no exception `{id}`"),
            "name one of `state_store/exceptions/`",
        ));
    };
    let task = state.graph.get(&record.task);
    let open = task.is_some_and(|task| {
        let escalation = task
            .escalation_ref
            .as_ref()
            .and_then(|one| state.escalations.get(one));
        let this = escalation.is_some_and(|one| one.exception.as_ref() == Some(id));
        task.status == TaskStatus::Halted && this
    });
    if !open || state.changes.contains_key(id) {
        return Err(Refusal::new(
            "exception_not_open",
            format!("`{id}` does not wait for a ruling"),
            "look at the task that raised it",
        ));
    }
    if ruling == Ruling::RejectChange && given.because.trim().is_empty() {
        return Err(Refusal::new(
            "payload_member_empty",
            "a rejection needs a reason",
            "say why: the Proposer must find another way",
        ));
    }
    let mut candidate = None;
    if ruling == Ruling::ApproveChange {
        let exception = &record.raised.exception;
        let target = &exception.target_module;
        if !state.registry.is_shipped(target) {
            return Err(Refusal::new(
                "module_not_in_use",
                format!("{target} is superseded or deprecated by now"),
                "reject the change and requeue the task",
            ));
        }
        let contract = state.registry.get(target).map(|entry| &entry.contract);
        let contract = contract.cloned().unwrap_or_default();
        let delta = &exception.proposed_contract_delta;
        let contract = change::apply(&contract, delta).map_err(|faults| {
            Refusal::new(
                "delta_does_not_fit",
                faults.join("; "),
                "reject the change; it must be raised anew",
            )
        })?;
        let version = change::bump(target.version, exception.compatibility_expectation);
        candidate = Some(Candidate { version, contract });
    }
    Ok(Fact::ExceptionDecided(ExceptionDecided {
        decision: ExceptionDecision {
            exception_id: id.clone(),
            ruling,
            because: given.because.clone(),
            who: given.who.clone(),
            at,
            then: on.then,
        },
        candidate,
    }))
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct OnRelease {
    modules: Vec<String>,
}

/// Everything that is shipped and in use.
pub(crate) fn everything(state: &State) -> Vec<ModuleRef> {
    let all = state.registry.iter();
    let all = all.map(|entry| entry.reference.clone());
    all.filter(|one| state.registry.is_shipped(one)).collect()
}

/// The next release's id follows from how many there were.
pub(crate) fn release_id(state: &State) -> String {
    mint("REL", state.run(), &state.releases.len().to_string())
}

fn release(state: &State, with: &Value) -> Result<Fact, Refusal> {
    let on: OnRelease = if with.is_null() {
        OnRelease::default()
    } else {
        payload(with)?
    };
    if state.releasing.is_some() {
        return Err(Refusal::new(
            "release_under_way",
            "a release is being judged",
            "wait for its result",
        ));
    }
    let (scope, modules) = if on.modules.is_empty() {
        if !state.graph.is_complete() {
            return Err(Refusal::new(
                "project_not_complete",
                "not every task is closed, so there is no full release",
                "name the modules of a partial release",
            ));
        }
        (Scope::Full, everything(state))
    } else {
        let mut modules = Vec::new();
        for name in &on.modules {
            let reference = ModuleRef::parse(name).filter(|one| state.registry.is_shipped(one));
            modules.push(reference.ok_or_else(|| {
                Refusal::new(
                    "module_not_shipped",
                    format!("`{name}` is not a shipped module"),
                    "name shipped modules, each MM-...@x.y.z",
                )
            })?);
        }
        (Scope::Partial, modules)
    };
    Ok(Fact::ReleaseBegan(ReleaseBegan {
        release_id: release_id(state),
        scope,
        modules,
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnDeprecate {
    module: ModuleRef,
    reason: String,
    #[serde(default)]
    superseded_by: Option<ModuleRef>,
    #[serde(default)]
    migration: String,
}

fn deprecate(state: &State, with: &Value, at: Time) -> Result<Fact, Refusal> {
    let on: OnDeprecate = payload(with)?;
    let new = on.superseded_by.as_ref();
    state.registry.may_deprecate(&on.module, new)?;
    let needed = [
        ("reason", on.reason.trim().is_empty()),
        ("migration", new.is_some() && on.migration.trim().is_empty()),
    ];
    if let Some((name, _)) = needed.iter().find(|(_, missing)| *missing) {
        return Err(Refusal::new(
            "payload_member_empty",
            format!("`{name}` is empty"),
            format!("say something in `{name}`: it goes into the Code Index"),
        ));
    }
    let mut note = format!("deprecated at {at}: {}", on.reason);
    if !on.migration.is_empty() {
        note = format!("{note}; migration: {}", on.migration);
    }
    Ok(Fact::ModuleDeprecated(ModuleDeprecated {
        users: state.registry.users(&on.module),
        module: on.module,
        superseded_by: on.superseded_by,
        note,
    }))
}

/// What may be answered now.
pub(crate) fn options(state: &State) -> Vec<String> {
    let mut all: Vec<&str> = super::product::options(state);
    if state.phase == Phase::Specifying && state.ledger.budgets.first_spent().is_some() {
        all.push(EXTEND);
    }
    if state.phase == Phase::Open {
        let halted = state.graph.count(TaskStatus::Halted) > 0;
        let blocked = state.graph.count(TaskStatus::Blocked) > 0;
        all.extend(
            Action::all()
                .filter(|action| halted || (blocked && action.suits_blocked()))
                .map(Action::as_str),
        );
        let waits = state.graph.halted().any(|task| {
            let escalation = task.escalation_ref.as_ref();
            let escalation = escalation.and_then(|id| state.escalations.get(id));
            escalation.is_some_and(|one| one.exception.is_some())
        });
        if waits {
            all.extend(RULINGS.iter().map(|(name, _)| *name));
        }
        if state.ledger.budgets.first_spent().is_some() {
            all.push(EXTEND);
        }
        if state.work.values().any(|work| work.stuck.is_some()) {
            all.push(RETRY);
        }
        if state.registry.iter().next().is_some() {
            all.extend([RELEASE, DEPRECATE]);
        }
    }
    all.push(STOP);
    all.into_iter().map(str::to_owned).collect()
}
