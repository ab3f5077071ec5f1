//! What a person's resolution makes: the tasks of a split, by the scheme of rule F4.1, and a plan
//! in the place of the planner's. It refuses ids beyond the scheme and plans that are not sound.

use crate::halt::resolution::{NewTask, PlanLine};
use crate::machine::state::State;
use crate::micro_plan::{self, Author, Plan, PlannedModule, ReuseDecision};
use crate::project::Declared;
use crate::project::types::{ModuleRef, TaskId};
use kernel::Refusal;
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
            criteria: task.acceptance_criteria.clone(),
            sketch: None,
        }
    });
    Ok(declared.collect())
}

/// A person's plan. It has no contracts of its own: a module keeps the one that it had, and a new
/// one takes the task file's.
pub(super) fn human_plan(state: &State, id: &TaskId, lines: &[PlanLine]) -> Result<Plan, Refusal> {
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
                .map_err(|_| invalid(format!("`{on}` is not `MM-...` or `MM-...@x.y.z`")))?;
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
        modules.push(PlannedModule {
            module_id: line.module_id.clone(),
            name: had.map_or_else(|| line.module_id.to_string(), |one| one.name.clone()),
            purpose: line.description.clone(),
            io_contract: had.and_then(|one| one.io_contract.clone()),
            error_cases: had.map(|one| one.error_cases.clone()).unwrap_or_default(),
            depends_on,
            reuse_candidate_refs: Vec::new(),
            reuse_decision: ReuseDecision::CreateNew,
            reuse_justification: "a person's plan".to_owned(),
            answers: had.map(|one| one.answers.clone()).unwrap_or_default(),
        });
    }
    let plan = Plan {
        by: Author::Human,
        modules,
    };
    let faults = micro_plan::human_faults(&plan);
    if faults.is_empty() {
        return Ok(plan);
    }
    let lines: Vec<String> = faults.iter().map(crate::debate::line).collect();
    Err(invalid(lines.join("; ")))
}
