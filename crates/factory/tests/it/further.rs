//! A further version of a released spec: ids that stay, and what becomes of each task.

use crate::samples::{spec_of, task, task_in};
use factory::plan::further::{Further, Released, further, judge};
use factory::plan::{Known, plan};
use factory::project::{Declared, TaskGraph, TaskId, TaskStatus};
use factory::spec::ProductSpec;
use kernel::Time;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn typed(spec: &Value) -> ProductSpec {
    serde_json::from_value(spec.clone()).unwrap()
}

fn id(number: usize) -> TaskId {
    TaskId::new(format!("T-core-auth-login-{number:03}"))
}

/// The tasks of a spec, all of them shipped.
fn shipped(spec: &Value) -> TaskGraph {
    let spec = typed(spec);
    let plan = plan(&spec, &Known::default()).unwrap();
    let all = plan.tasks.iter().zip(spec.tasks());
    let declared = all.map(|(planned, (pillar, epic, story, task))| Declared {
        id: TaskId::new(&planned.task_id),
        pillar: pillar.name.clone(),
        epic: epic.name.clone(),
        story: story.name.clone(),
        task: task.name.clone(),
        depends_on: planned.depends_on.iter().map(TaskId::new).collect(),
        criteria: task.acceptance_criteria.clone(),
        sketch: None,
    });
    let mut graph = TaskGraph::declare(declared.collect()).unwrap();
    while let Some(next) = graph.next().map(|task| task.declared.id.clone()) {
        graph.dispatch(&next).unwrap();
        graph.ship(&next, &[], Time(1)).unwrap();
    }
    graph
}

fn known(graph: &TaskGraph) -> Known {
    Known::of(graph.iter().map(|task| &task.declared))
}

fn becomes(graph: &TaskGraph, old: &Value, new: &Value) -> Further {
    let new = typed(new);
    let plan = plan(&new, &known(graph)).unwrap();
    further(graph, &typed(old), &new, &plan)
}

#[test]
fn s3_3_tasks_keep_their_ids_and_no_number_is_given_twice() {
    let old = spec_of(vec![task(1, &[]), task(2, &[]), task(3, &[])]);
    let graph = shipped(&old);
    // The second is gone, and its number with it; ids of the spec itself say nothing.
    let new = spec_of(vec![task(7, &[]), task(3, &[]), task(1, &[3])]);
    let planned = plan(&typed(&new), &known(&graph)).unwrap();
    let ids: Vec<String> = planned
        .tasks
        .iter()
        .map(|one| one.task_id.clone())
        .collect();
    assert_eq!(ids, [id(4), id(3), id(1)].map(|one| one.to_string()));
    let found = becomes(&graph, &old, &new);
    assert_eq!(found.stays, [id(3)]);
    assert_eq!(found.changes[0].task, id(1));
    assert_eq!(found.changes[0].what, ["what it depends on"]);
    assert_eq!((found.comes, found.goes), (vec![id(4)], vec![id(2)]));
}

#[test]
fn a_task_changes_with_its_words_its_story_and_the_promise_of_the_product() {
    let old = spec_of(vec![task(1, &[]), task(2, &[1])]);
    let graph = shipped(&old);
    assert_eq!(becomes(&graph, &old, &old).stays, [id(1), id(2)]);
    for (member, value, what) in [
        (
            "description",
            json!("Parses one line, and says which"),
            "its description",
        ),
        (
            "subtasks",
            json!(["Split it at a tab", "Read the moment"]),
            "its steps",
        ),
        (
            "acceptance_criteria",
            json!(["returns both", "rejects others"]),
            "its acceptance criteria",
        ),
    ] {
        let mut new = old.clone();
        task_in(&mut new, 0)[member] = value;
        let found = becomes(&graph, &old, &new);
        assert_eq!(found.changes[0].what, [what]);
        assert_eq!(
            found.stays,
            [id(2)],
            "what depends on it follows when it is shipped"
        );
    }
    let mut new = old.clone();
    new["pillars"][0]["epics"][0]["stories"][0]["user_facing_behavior"] = json!("Nothing is shown");
    assert_eq!(becomes(&graph, &old, &new).changes.len(), 2);
    let mut new = old.clone();
    new["product"] = json!({"name": "lines", "form": "library", "entry": "TSK-002"});
    let found = becomes(&graph, &old, &new);
    assert_eq!(found.changes[0].task, id(2));
    assert_eq!(found.stays, [id(1)]);
}

#[test]
fn what_people_gave_up_is_made_and_what_goes_is_closed_for_good() {
    let old = spec_of(vec![task(1, &[]), task(2, &[])]);
    let mut graph = shipped(&old);
    let mut stored: Value = serde_json::to_value(&graph).unwrap();
    stored["tasks"][1]["status"] = json!("ABANDONED");
    graph = serde_json::from_value(stored).unwrap();
    let found = becomes(&graph, &old, &old);
    assert_eq!(found.changes[0].what, ["it was given up"]);
    let all: Vec<Declared> = graph.iter().map(|task| task.declared.clone()).collect();
    let again = graph.further(all.clone(), &found.stays, "1.1.0");
    assert_eq!(again.next().unwrap().declared.id, id(2));
    let without = graph.further(all[1..].to_vec(), &[], "1.1.0");
    let gone = without.get(&id(1)).unwrap();
    assert_eq!(gone.status, TaskStatus::Abandoned);
    assert_eq!(gone.gone.as_deref(), Some("1.1.0"));
    // One that comes back later is the same task.
    let back = without.further(all, &[], "1.2.0");
    assert_eq!(back.get(&id(1)).unwrap().status, TaskStatus::Pending);
    assert_eq!(back.len(), 2);
}

#[test]
fn a_further_version_keeps_its_id_and_its_product_and_has_a_higher_number() {
    let mut old = spec_of(vec![task(1, &[])]);
    old["product"] =
        json!({"name": "lines", "form": "library", "language": "rust", "entry": "TSK-001"});
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut new = old.clone();
        new["spec_version"] = json!("1.0.1");
        change(&mut new);
        let found = judge(&typed(&old), &typed(&new));
        let paths = found.iter().map(|one| one.path.clone());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(wrong(&|_| {}), Vec::<String>::new());
    assert_eq!(
        wrong(&|new| new["spec_version"] = json!("1.0.0")),
        ["$.spec_version"]
    );
    assert_eq!(
        wrong(&|new| new["spec_id"] = json!("SPEC-002")),
        ["$.spec_id"]
    );
    assert_eq!(
        wrong(&|new| new["product"]["name"] = json!("other")),
        ["$.product.name"]
    );
    let other = wrong(&|new| new["product"]["language"] = json!("python"));
    assert_eq!(other, ["$.product.language"]);
}

#[test]
fn what_people_amended_is_what_was_released() {
    let old = spec_of(vec![task(1, &[]), task(2, &[])]);
    let graph = shipped(&old);
    let released = Released {
        spec: String::new(),
        known: known(&graph),
        criteria: BTreeMap::from([(id(2), vec!["returns it".to_owned()])]),
        cases: Vec::new(),
    };
    let left = released.amended(typed(&old)).unwrap();
    let criteria = left
        .tasks()
        .map(|(.., task)| task.acceptance_criteria.len());
    assert_eq!(criteria.collect::<Vec<_>>(), [2, 1]);
}
