//! What a person's resolution makes: the tasks of a split, by the scheme of rule F4.1, and a plan
//! in the place of the planner's. It refuses ids beyond the scheme and plans that are not sound.

use crate::engineering::held::{Held, settled};
use crate::engineering::kind::{Kind, TELLS};
use crate::engineering::reuse::misreused;
use crate::engineering::work::Surroundings;
use crate::halt::payload::together;
use crate::halt::resolution::{NewTask, PlanLine};
use crate::machine::around::Around;
use crate::machine::state::State;
use crate::micro_plan::{self, Author, Plan, PlanFault, PlannedModule, ReuseDecision};
use crate::project::Declared;
use crate::project::types::{ModuleRef, TaskId};
use kernel::Refusal;
use serde_json::json;
use std::collections::BTreeSet;

/// Rule F4.1.
const LONGEST_TASK_ID: usize = 128;

/// `T-a-b-c-` and `007` of `T-a-b-c-007`.
fn sequence(id: &str) -> Option<(&str, u32)> {
    let (stem, number) = id.rsplit_once('-')?;
    let good = number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit());
    Some((stem, good.then(|| number.parse().ok())??))
}

/// The tasks of a split with ids by the scheme of rule F4.1, after those of the same story.
pub(super) fn parts(state: &State, id: &TaskId, new: &[NewTask]) -> Result<Vec<Declared>, Refusal> {
    let stem = sequence(id.as_str()).map_or(id.as_str(), |(stem, _)| stem);
    let all = state.graph.iter().filter_map(|task| {
        let (of, number) = sequence(task.declared.id.as_str())?;
        (of == stem).then_some(number)
    });
    let last = all.max().unwrap_or(0);
    let mut names = BTreeSet::new();
    let mut ids = Vec::new();
    let mut wrong = Vec::new();
    for (at, (number, task)) in (last + 1..).zip(new).enumerate() {
        if !names.insert(task.name.as_str()) {
            wrong.push(Refusal::new(
                "split_name_twice",
                format!(
                    "`new_tasks[{at}].name`: two new tasks are called `{}`",
                    task.name
                ),
                "give each a name of its own: siblings refer to it",
            ));
        }
        let new_id = format!("{stem}-{number:03}");
        if number > 999 || new_id.len() > LONGEST_TASK_ID {
            wrong.push(Refusal::new(
                "task_id_too_long",
                format!("`{new_id}` is beyond the scheme of task ids"),
                "split the story itself",
            ));
        }
        ids.push(TaskId::new(new_id));
    }
    let siblings = |on: &String| new.iter().any(|other| other.name == *on);
    for (at, task) in new.iter().enumerate() {
        let others = task.depends_on.iter().filter(|on| !siblings(on));
        for on in others.filter(|on| state.graph.get(&TaskId::new(*on)).is_none()) {
            wrong.push(Refusal::new(
                "split_dependency_unknown",
                format!("`new_tasks[{at}].depends_on` names `{on}`, which is no task"),
                "name a task of this project, or a sibling by its name",
            ));
        }
    }
    together(wrong)?;
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
            criteria: task.acceptance_criteria.clone(),
            sketch: task.io_contract_sketch.clone(),
        }
    });
    Ok(declared.collect())
}

/// A person's plan: as the planner writes it, and judged as that; or in short, and then a module keeps the
/// contract that it had. A project that began before goes on without one where there was none.
pub(super) fn human_plan(state: &State, id: &TaskId, lines: &[PlanLine]) -> Result<Plan, Refusal> {
    let work = state.work.get(id);
    let before = work.and_then(|work| work.plan.as_ref());
    let mut modules = Vec::new();
    for line in lines {
        modules.push(match line {
            PlanLine::Planned(module) => (**module).clone(),
            PlanLine::Kept {
                module_id,
                description,
                depends_on,
            } => {
                let mut all = before.iter().flat_map(|plan| &plan.modules);
                let had = all.find(|module| module.module_id == *module_id);
                PlannedModule {
                    module_id: module_id.clone(),
                    name: had.map_or_else(|| module_id.to_string(), |one| one.name.clone()),
                    purpose: description.clone(),
                    io_contract: had.and_then(|one| one.io_contract.clone()),
                    error_cases: had.map(|one| one.error_cases.clone()).unwrap_or_default(),
                    depends_on: needed(state, lines, depends_on)?,
                    reuse_candidate_refs: Vec::new(),
                    reuse_decision: ReuseDecision::CreateNew,
                    reuse_justification: "a person's plan".to_owned(),
                    answers: had.map(|one| one.answers.clone()).unwrap_or_default(),
                }
            }
        });
    }
    let plan = Plan {
        by: Author::Human,
        modules,
    };
    let faults = micro_plan::human_faults(&plan);
    if !faults.is_empty() {
        let lines: Vec<String> = faults.iter().map(crate::debate::line).collect();
        return Err(invalid(lines.join("; ")));
    }
    let planned = |line: &PlanLine| matches!(line, PlanLine::Planned(_));
    match state.briefs >= TELLS || lines.iter().any(planned) {
        true => held(state, id, plan),
        false => Ok(plan),
    }
}

fn invalid(what: String) -> Refusal {
    Refusal::new(
        "plan_invalid",
        what,
        "mend the plan and give REVISE_PLAN again; without a payload it shows the plan to mend",
    )
}

/// What a module in short depends on.
fn needed(
    state: &State,
    lines: &[PlanLine],
    depends_on: &[String],
) -> Result<Vec<ModuleRef>, Refusal> {
    let mut found = Vec::new();
    for on in depends_on {
        let named = if on.contains('@') {
            on.clone()
        } else {
            format!("{on}@1.0.0")
        };
        let reference = ModuleRef::parse(&named)
            .map_err(|_| invalid(format!("`{on}` is not `MM-...` or `MM-...@x.y.z`")))?;
        let inside = lines
            .iter()
            .any(|other| *other.module_id() == reference.module);
        if !inside && !state.registry.is_shipped(&reference) {
            return Err(invalid(format!(
                "`{on}` is neither in the plan nor shipped"
            )));
        }
        found.push(reference);
    }
    Ok(found)
}

/// Holds a person's plan to what the planner's is held to, save that they may drop a point of the task:
/// nobody can implement a module without a contract.
fn held(state: &State, id: &TaskId, plan: Plan) -> Result<Plan, Refusal> {
    let bare = plan
        .modules
        .iter()
        .position(|one| one.io_contract.is_none());
    if let Some(at) = bare {
        return Err(invalid(format!(
            "`modules[{at}].io_contract` is missing, and {} had no contract before",
            plan.modules[at].module_id
        )));
    }
    let said = json!({"modules": plan.modules});
    let around = Around { state, task: id };
    let judged = micro_plan::judge(&said).and_then(|plan| match around.kind() {
        Kind::Modules => Ok(plan),
        Kind::Assembly => micro_plan::assembly(plan),
    });
    let judged = judged.and_then(|_| {
        let plan = settled(plan);
        let offered = |one: &ModuleRef| around.offered(one);
        let mut faults = misreused(&plan, &[], &offered);
        let held = Held {
            asked: &around.asked(),
            offered: &offered,
            near: &[],
            namesake: &|_| None,
            briefs: state.briefs,
        };
        faults.extend(held.of_a_person(&said["modules"], &plan));
        match faults.is_empty() {
            true => Ok(plan),
            false => Err(faults),
        }
    });
    judged.map_err(|faults| {
        let lines: Vec<String> = faults.iter().map(PlanFault::line).collect();
        invalid(lines.join("; "))
    })
}
