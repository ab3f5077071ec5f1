//! What should be in flight: the one place.

use super::around::{Around, built_on};
use super::gate::gate;
use super::state::{For, State};
use crate::context_pack::ContextPack;
use crate::contract::{MicroModuleContract, from_plan};
use crate::delivery::gates::Gate;
use crate::delivery::manifest::gates_of;
use crate::engineering::context::{
    DATA, Scene, brief, module_folder, of_a_change, pack, pretty, sight, workspace,
};
use crate::engineering::debate::TRIED;
use crate::engineering::exam;
use crate::engineering::kind::{ASSEMBLES, HOLDS, Kind, TELLS};
use crate::engineering::reuse;
use crate::engineering::roles::{Occasion, Role};
use crate::engineering::work::{Surroundings, Want, Work};
use crate::halt::candidate;
use crate::halt::change::{Change, Turn};
use crate::halt::exception::Ruling;
use crate::project::types::{ModuleRef, TaskId};
use kernel::effect::{Access, AttemptOrder, Effect, Sight};
use kernel::event::{Body, EffectBegan};
use kernel::exam::EARLIER;
use kernel::module::ModuleStatus;
use kernel::{EffectId, Refusal, StateName};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const ATTEMPT_MILLIS: u64 = 30 * 60_000;

/// May anything new be begun?
pub(crate) fn may_begin(state: &State) -> bool {
    state.phase.works() && state.ledger.budgets.first_spent().is_none()
}

pub(crate) fn wanted(state: &State) -> Vec<Effect> {
    if !state.phase.works() {
        return Vec::new();
    }
    let free = may_begin(state);
    let orders = state.orders.iter();
    let allowed = orders.filter(|(id, _)| free || state.ledger.flying.contains_key(*id));
    allowed
        .filter_map(|(id, of)| effect(state, *id, of))
        .collect()
}

fn effect(state: &State, id: EffectId, of: &For) -> Option<Effect> {
    match of {
        For::Task(task) => {
            let work = state.work.get(task)?;
            Some(match work.want()? {
                Want::Plan => role(
                    state,
                    id,
                    task,
                    work,
                    None,
                    Role::MicroPlanner,
                    Occasion::Propose,
                ),
                Want::Role(module, who, occasion) => {
                    role(state, id, task, work, Some(module), who, occasion)
                }
                Want::Try(module) => {
                    let checks = TRIED.map(|step| step.row().check);
                    of_module(state, id, task, work, module, ("try", &checks))?
                }
                Want::Seal(module) => {
                    of_module(state, id, task, work, module, ("exam", &[exam::WRITTEN]))?
                }
                Want::Sit(module) => {
                    of_module(state, id, task, work, module, ("exam", &[exam::OPEN]))?
                }
                Want::Seek(module) => {
                    let sought = work.modules[module].elsewhere.as_ref()?;
                    let subject = format!("{task}/{}", sought.reference.module);
                    let with = json!({"module": sought.reference});
                    gate(
                        state,
                        id,
                        "seek",
                        subject,
                        None,
                        &["module_elsewhere"],
                        &with,
                    )
                }
                Want::Ship(module, step) => {
                    let gate = ("ship", &[step.row().check][..]);
                    of_module(state, id, task, work, module, gate)?
                }
            })
        }
        For::Change(exception) => {
            let change = state.changes.get(exception)?;
            Some(match change.want()? {
                Turn::Role(who, occasion) => change_role(state, id, change, who, occasion),
                Turn::Ship(step) => {
                    let mut with = json!({
                        "module": change.to,
                        "folder": module_folder(&change.to),
                        "contract": candidate::short(&change.candidate),
                        "supersedes": change.from,
                    });
                    // Nobody plans it: it needs what the version before needs.
                    if state.briefs >= HOLDS
                        && let Some(old) = state.registry.get(&change.from)
                    {
                        let uses = old.dependencies.iter().map(|(used, _)| used);
                        with["uses"] = json!(uses.collect::<Vec<_>>());
                    }
                    if state.briefs >= TELLS {
                        with["dependencies"] = json!("declared");
                    }
                    if state.exams.is_some() {
                        with["exam"] = json!({"unasked": exam::OF_A_CHANGE});
                    }
                    let subject = format!("{}/{}", change.exception, change.to.module);
                    let made = change.deliverable;
                    gate(state, id, "ship", subject, made, &[step.row().check], &with)
                }
            })
        }
        For::Product => super::product::effect(state, id),
        For::Release => {
            let releasing = state.releasing.as_ref()?;
            let gates = gates_of(releasing.product.as_ref()).into_iter();
            let checks: Vec<&str> = gates.map(Gate::as_str).collect();
            let mut with = json!({"modules": releasing.modules});
            if let (Some(_), Some(promised)) = (&releasing.product, &state.promised) {
                with["version"] = json!(state.head.spec_version);
                with["promised"] = json!(promised);
                with["front"] = json!(state.front());
                if state.briefs >= TELLS {
                    with["errors"] = json!("in_words");
                }
                if state.briefs >= ASSEMBLES && promised.product.cases.is_empty() {
                    with["unshown"] = json!(state.stories());
                }
            }
            let subject = releasing.release_id.clone();
            Some(gate(state, id, "release", subject, None, &checks, &with))
        }
    }
}

/// A gate on a module that is being made: its state's name and its checks.
fn of_module(
    state: &State,
    id: EffectId,
    task: &TaskId,
    work: &Work,
    module: usize,
    (name, checks): (&str, &[&str]),
) -> Option<Effect> {
    let reference = work.reference(module)?;
    let debate = &work.modules[module].debate;
    let plan = work.plan.as_ref()?;
    let mut with = json!({
        "module": reference,
        "folder": module_folder(&reference),
        "contract": plan.modules[module].io_contract,
        "locked": locked(work, module),
        "uses": plan.modules[module].depends_on,
        "amendments": debate.amendments,
        "fix": state.standing_fix(task, &reference).map(|fix| &fix.files),
        "before": before(state, task, work, module),
    });
    if state.kind(task) == Kind::Assembly {
        with["assembly"] = json!(true);
    }
    if let Some(elsewhere) = &work.modules[module].elsewhere {
        with["elsewhere"] = json!(elsewhere.reference);
    }
    if let Some(old) = state.earlier(task, &reference) {
        with["supersedes"] = json!(old);
    }
    let promised = state.promised.as_ref();
    if let Some(tongue) = promised.and_then(|one| one.product.language) {
        with["language"] = json!(tongue);
    }
    if state.briefs >= HOLDS {
        with["additions"] = json!("seen");
    }
    if state.briefs >= TELLS {
        with["dependencies"] = json!("declared");
    }
    if let Some(exam) = &debate.exam {
        with["exam"] = exam.order(plan.modules[module].io_contract.as_ref());
    } else if work.exams == Some(exam::Exams::Off) {
        with["exam"] = json!({"unasked": exam::OFF});
    }
    if let Some(reused) = &work.modules[module].reused {
        with["reused"] = json!(reused);
    }
    let subject = format!("{task}/{}", reference.module);
    let made = work.modules[module].deliverable;
    Some(gate(state, id, name, subject, made, checks, &with))
}

/// What was debated last, before the Proposer applied amendments to it: the attempt that made it,
/// and the files that a person laid over that.
fn before(state: &State, task: &TaskId, work: &Work, module: usize) -> Value {
    let proposed = work.modules[module].proposed;
    let reference = work.reference(module);
    let fix = state.fixes.get(task);
    let fix = fix.filter(|fix| Some(&fix.module) == reference.as_ref() && fix.upon == proposed);
    json!({"attempt": proposed, "fix": fix.map(|fix| &fix.files)})
}

/// The contract as the engine writes it for a module that is being made; none: the plan has none.
pub(crate) fn locked(work: &Work, module: usize) -> Option<MicroModuleContract> {
    let reference = work.reference(module)?;
    let planned = work.plan.as_ref()?.modules.get(module)?;
    from_plan::contract(planned, reference.version, &planned.depends_on)
}

/// The state's name of a turn.
fn turn(role: Role, occasion: Occasion) -> &'static str {
    match (role, occasion) {
        (Role::MicroPlanner, _) => "micro_plan",
        (_, Occasion::Propose) => "propose",
        (_, Occasion::Revise) => "revise",
        (_, Occasion::Amend) => "amend",
        (_, Occasion::Challenge) => "challenge",
        (_, Occasion::Adjudicate) => "adjudicate",
        (_, Occasion::Examine) => "examine",
    }
}

fn upstream(state: &State, task: &TaskId, work: &Work, module: Option<usize>) -> Vec<ModuleRef> {
    let around = Around { state, task };
    match module {
        Some(module) => around.upstream(work, module),
        None => around.of_tasks(),
    }
}

/// What a task has shipped before.
fn shipped<'s>(state: &'s State, task: &TaskId) -> &'s [ModuleRef] {
    let task = state.graph.get(task);
    task.map_or(&[], |task| task.modules.as_slice())
}

/// Why a task is made once more: what it uses has changed, or the product of it did not hold.
fn again(state: &State, task: &TaskId) -> Vec<String> {
    let modules = shipped(state, task).iter();
    let entries = modules.filter_map(|one| state.registry.get(one));
    let mut why = Vec::new();
    if let Some(what) = state.changed.get(task) {
        let version = &state.head.spec_version;
        why.push(format!(
            "the spec {version} wants it otherwise: {}",
            what.join(", ")
        ));
    }
    for entry in entries {
        for (used, _) in &entry.dependencies {
            let now = state.registry.current(used);
            if now != *used {
                why.push(format!(
                    "{} uses {used}; {now} is in use now",
                    entry.reference
                ));
            }
        }
    }
    let failed = state.of_this_version().last().filter(|last| !last.passed());
    let failed = failed.filter(|_| {
        state
            .front()
            .is_some_and(|one| shipped(state, task).contains(one))
    });
    why.extend(
        failed
            .into_iter()
            .flat_map(|last| last.violations.iter().map(|one| one.why.clone())),
    );
    why
}

/// What is upstream of a task, or what its module was planned on, and is not for use any more.
fn outdated(state: &State, task: &TaskId, work: &Work, module: Option<usize>) -> Vec<String> {
    let used = match module {
        Some(module) => built_on(work, module),
        None => Around { state, task }.of_tasks(),
    };
    let entries = used.iter().filter_map(|one| state.registry.get(one));
    let gone = entries.filter(|entry| entry.status != ModuleStatus::Shipped);
    let said = gone.map(|entry| {
        let now = state.registry.current(&entry.reference);
        let now = Some(&now).filter(|one| state.registry.is_shipped(one));
        let mut said = reuse::outdated(&entry.reference, now);
        for note in &entry.notes {
            said = format!("{said}; {note}");
        }
        said
    });
    said.collect()
}

/// Changes of contracts that a task asked for in vain.
fn rejected(state: &State, task: &TaskId) -> Vec<Value> {
    let rulings = state.rulings.iter();
    let rulings = rulings.filter(|one| one.ruling == Ruling::RejectChange);
    let said = rulings.filter_map(|one| {
        let record = state.exceptions.get(&one.exception_id)?;
        let exception = &record.raised.exception;
        (record.task == *task).then(|| {
            json!({
                "target_module": exception.target_module,
                "asked_for": exception.proposed_contract_delta,
                "reason": exception.reason,
                "refused_because": one.because,
            })
        })
    });
    said.collect()
}

/// The pack of what is in flight for a task; the engine writes it down before the role works.
pub(crate) fn pack_of(state: &State, effect: EffectId) -> Option<ContextPack> {
    let For::Task(task) = state.orders.get(&effect)? else {
        return None;
    };
    let work = state.work.get(task)?;
    let (module, who, occasion) = match work.want()? {
        Want::Plan => (None, Role::MicroPlanner, Occasion::Propose),
        Want::Role(module, who, occasion) => (Some(module), who, occasion),
        Want::Try(_) | Want::Seal(_) | Want::Sit(_) | Want::Ship(..) | Want::Seek(_) => {
            return None;
        }
    };
    let upstream = upstream(state, task, work, module);
    let scene = Scene {
        task,
        work,
        module,
        upstream: &upstream,
        criteria: &[],
        shows: &[],
        asked: &[],
        briefs: state.briefs,
        kind: state.kind(task),
        promised: state.promised.as_ref(),
        shipped: shipped(state, task),
        again: &[],
        outdated: &[],
        rejected: &[],
    };
    Some(pack(&scene, who, occasion))
}

fn role(
    state: &State,
    id: EffectId,
    task: &TaskId,
    work: &Work,
    module: Option<usize>,
    who: Role,
    occasion: Occasion,
) -> Effect {
    let upstream = upstream(state, task, work, module);
    let criteria = state.criteria.get(task).and_then(|all| all.last());
    let asked = match who {
        Role::MicroPlanner | Role::Challenger | Role::Examiner => state.asked(task),
        Role::Proposer | Role::Arbiter => Vec::new(),
    };
    let again = again(state, task);
    let outdated = outdated(state, task, work, module);
    let rejected = match who {
        Role::Arbiter | Role::Examiner => Vec::new(),
        Role::MicroPlanner | Role::Proposer | Role::Challenger => rejected(state, task),
    };
    let scene = Scene {
        task,
        work,
        module,
        upstream: &upstream,
        criteria: criteria.map_or(&[], Vec::as_slice),
        shows: state.shows(task),
        asked: &asked,
        briefs: state.briefs,
        kind: state.kind(task),
        promised: state.promised.as_ref(),
        shipped: shipped(state, task),
        again: &again,
        outdated: &outdated,
        rejected: &rejected,
    };
    let reference = module.and_then(|module| work.reference(module));
    let subject = match reference {
        Some(reference) => format!("{task}/{}", reference.module),
        None => task.to_string(),
    };
    let continues = work.patience.continues.as_ref();
    let debate = module.map(|module| &work.modules[module].debate);
    let paper = debate.and_then(|debate| debate.exam.as_ref()?.paper.clone());
    // Who writes others does not write the same ones again.
    let paper = paper.filter(|_| who == Role::Examiner);
    let papers = paper.map(|hash| (EARLIER.to_owned(), json!({"sealed": hash}).to_string()));
    Effect::Attempt(AttemptOrder {
        id,
        state: StateName::from(turn(who, occasion)),
        role: who.as_str().to_owned(),
        subject,
        access: match who {
            Role::Proposer => Access::Edit,
            Role::MicroPlanner | Role::Challenger | Role::Arbiter | Role::Examiner => {
                Access::ReadOnly
            }
        },
        sight: sight(&scene, who, occasion),
        nth: work.asked() + 1,
        brief: brief(&scene, who, occasion),
        wall_millis: state.ledger.wall_limit(ATTEMPT_MILLIS),
        allowance: state.ledger.allowance(),
        not_before: work.patience.not_before,
        continues: continues.map(|(effect, _)| *effect),
        session: None,
        again: None,
        sealed: BTreeMap::new(),
        papers: papers.into_iter().collect(),
        change: None,
    })
}

fn change_role(
    state: &State,
    id: EffectId,
    change: &Change,
    who: Role,
    occasion: Occasion,
) -> Effect {
    let record = state.exceptions.get(&change.exception);
    let exception = record
        .map(|record| json!(record.raised.exception))
        .unwrap_or_default();
    let task = match who {
        Role::Proposer => format!(
            "\n## Your workspace\n\n`{}/`: implement the new version there, with black-box tests and `examples.md`. The present one is in `{}/`.\n",
            module_folder(&change.to),
            module_folder(&change.from)
        ),
        Role::MicroPlanner | Role::Challenger | Role::Arbiter | Role::Examiner => String::new(),
    };
    let failures = match occasion {
        Occasion::Propose if !change.debate.failures.is_empty() => {
            format!(
                "\n## What failed\n\n{}\n",
                pretty(&json!(change.debate.failures))
            )
        }
        _ => String::new(),
    };
    // An approval with amendments is another round here, and the Proposer is told what is asked for.
    let asked = change.debate.trail.adjudications.last();
    let asked = asked.filter(|_| !change.debate.amendments.is_empty());
    let amendments = match (occasion, asked) {
        (Occasion::Propose, Some(asked)) => format!("\n## The adjudication\n\n{}\n", pretty(asked)),
        _ => String::new(),
    };
    let trail = of_a_change(&change.debate, who, occasion, state.briefs);
    let brief = format!(
        "# {} for {} (round {} of {})\n\nThe contract of {} is to become that of {}. Judge whether it is well-formed, whether the evidence justifies the change, and whether the claim of compatibility is true.\n\n{DATA}\n{task}{failures}{amendments}\n## The exception\n\n{}\n\n## The candidate contract\n\n{}\n{trail}",
        who.as_str(),
        change.exception,
        change.round,
        crate::halt::change::MOST_ROUNDS,
        change.from,
        change.to,
        pretty(&exception),
        pretty(&change.candidate),
    );
    let own = |one: &ModuleRef| format!("{}/**", module_folder(one));
    // Both are versions of the same module, so its Proposer sees the source of both (rule F9.7).
    let (access, sees, scope) = match who {
        Role::Proposer => (
            Access::Edit,
            vec![own(&change.to), own(&change.from)],
            workspace(&module_folder(&change.to)).to_vec(),
        ),
        Role::MicroPlanner | Role::Challenger | Role::Arbiter | Role::Examiner => {
            (Access::ReadOnly, Vec::new(), Vec::new())
        }
    };
    Effect::Attempt(AttemptOrder {
        id,
        state: StateName::from(turn(who, occasion)),
        role: who.as_str().to_owned(),
        subject: change.exception.to_string(),
        access,
        sight: Sight {
            sees,
            hidden: Vec::new(),
            scope,
            within: Vec::new(),
        },
        nth: change.round,
        brief,
        wall_millis: state.ledger.wall_limit(ATTEMPT_MILLIS),
        allowance: state.ledger.allowance(),
        not_before: None,
        continues: None,
        session: None,
        again: None,
        sealed: BTreeMap::new(),
        papers: BTreeMap::new(),
        change: None,
    })
}

pub(crate) fn begin(state: &State, effect: EffectId) -> Result<Body, Refusal> {
    let all = wanted(state).into_iter();
    let mut fresh = all.filter(|one| !state.ledger.flying.contains_key(&one.id()));
    let Some(order) = fresh.find(|one| one.id() == effect) else {
        return Err(Refusal::new(
            "effect_not_wanted",
            format!("effect {effect} is not wanted, or has begun before"),
            "ask `wanted` again",
        ));
    };
    let kind = order.kind();
    let (state, role, subject, wall_millis) = match order {
        Effect::Attempt(one) => (one.state, one.role, one.subject, one.wall_millis),
        Effect::Gate(one) => (one.state, String::new(), one.subject, one.wall_millis),
        Effect::Checkpoint(_) => (StateName::from(""), String::new(), String::new(), 0),
    };
    Ok(Body::EffectBegan(EffectBegan {
        effect,
        kind,
        state,
        role,
        subject,
        wall_millis,
    }))
}
