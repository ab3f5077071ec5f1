//! Rule F4.2: the counts that the graph keeps must equal the definition, read off its own view.

use factory::project::status::TRANSITIONS;
use factory::project::types::Head;
use factory::project::{Declared, EscalationId, ModuleRef, TaskGraph, TaskId, TaskStatus};
use kernel::Time;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) fn task(id: &str, depends_on: &[&str]) -> Declared {
    Declared {
        id: TaskId::from(id),
        pillar: "Core".to_owned(),
        epic: "Auth".to_owned(),
        story: "Login".to_owned(),
        task: format!("task {id}"),
        depends_on: depends_on.iter().map(|id| TaskId::from(*id)).collect(),
        criteria: Vec::new(),
        sketch: None,
    }
}

fn graph(tasks: &[(&str, &[&str])]) -> TaskGraph {
    TaskGraph::declare(tasks.iter().map(|(id, on)| task(id, on)).collect()).unwrap()
}

fn view(graph: &TaskGraph) -> Value {
    let head = Head {
        project_id: "P-1".to_owned(),
        spec_version: "1.0.0".to_owned(),
    };
    serde_json::to_value(graph.view(&head, Time(0))).unwrap()
}

fn status(graph: &TaskGraph, id: &str) -> TaskStatus {
    graph.get(&TaskId::from(id)).unwrap().status
}

fn escalation() -> EscalationId {
    EscalationId::from("ESC-00000000")
}

fn module() -> ModuleRef {
    ModuleRef::parse("MM-a@1.0.0").unwrap()
}

fn ship(graph: &mut TaskGraph, id: &str) {
    graph.dispatch(&TaskId::from(id)).unwrap();
    graph.ship(&TaskId::from(id), &[module()], Time(7)).unwrap();
}

fn halt(graph: &mut TaskGraph, id: &str) {
    graph.dispatch(&TaskId::from(id)).unwrap();
    graph.halt(&TaskId::from(id), "no", &escalation()).unwrap();
}

// ---- the definition, as a pure function of the view ----

fn awaits(tasks: &Value, id: &str) -> Vec<String> {
    let one = &tasks[id];
    let ids = one.get("superseded_by").unwrap_or(&one["depends_on"]);
    let ids = ids.as_array().unwrap().iter();
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

fn closure(tasks: &Value, id: &str) -> BTreeSet<String> {
    let (mut open, mut seen) = (awaits(tasks, id), BTreeSet::new());
    while let Some(next) = open.pop() {
        if seen.insert(next.clone()) {
            open.extend(awaits(tasks, &next));
        }
    }
    seen
}

fn met(tasks: &Value, id: &str) -> bool {
    match tasks[id].get("superseded_by") {
        Some(_) => awaits(tasks, id).iter().all(|one| met(tasks, one)),
        None => tasks[id]["status"] == "SHIPPED",
    }
}

fn blocked(tasks: &Value, id: &str) -> bool {
    closure(tasks, id).iter().any(|one| {
        let of = &tasks[one.as_str()];
        of["status"] == "HALTED"
            || (of["status"] == "ABANDONED" && of.get("superseded_by").is_none())
    })
}

fn next(tasks: &Value) -> Option<String> {
    let tasks_by_id = tasks.as_object().unwrap();
    if tasks_by_id.values().any(|one| one["status"] == "HALTED") {
        return None;
    }
    let eligible = tasks_by_id.iter().filter(|(_, one)| {
        let on = one["depends_on"].as_array().unwrap();
        one["status"] == "PENDING" && on.iter().all(|id| met(tasks, id.as_str().unwrap()))
    });
    eligible
        .min_by_key(|(_, one)| one["declaration_order"].as_u64())
        .map(|(id, _)| id.clone())
}

fn check(graph: &TaskGraph) {
    let view = view(graph);
    let tasks = &view["tasks"];
    for (id, one) in tasks.as_object().unwrap() {
        let waiting = one["status"] == "PENDING" || one["status"] == "BLOCKED";
        if waiting {
            let want = if blocked(tasks, id) {
                "BLOCKED"
            } else {
                "PENDING"
            };
            assert_eq!(one["status"], want, "{id} in {tasks}");
        }
    }
    let chosen = graph.next().map(|task| task.declared.id.to_string());
    assert_eq!(chosen, next(tasks), "{tasks}");
    for status in TaskStatus::ALL {
        let counted = graph.iter().filter(|task| task.status == status).count();
        assert_eq!(graph.count(status) as usize, counted, "{status:?}");
    }
    let stored = serde_json::to_value(graph).unwrap();
    let restored: TaskGraph = serde_json::from_value(stored).unwrap();
    assert_eq!(self::view(&restored), view);
    assert_eq!(
        restored.next().map(|t| &t.declared.id),
        graph.next().map(|t| &t.declared.id)
    );
}

#[derive(Debug, Clone)]
enum Operation {
    DispatchNext,
    Ship(usize),
    Halt(usize),
    Requeue(usize),
    Resume(usize),
    Abandon(usize),
    Waive(usize),
    Split(usize, usize, usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    let n = 0..64usize;
    prop_oneof![
        6 => Just(Operation::DispatchNext),
        5 => n.clone().prop_map(Operation::Ship),
        3 => n.clone().prop_map(Operation::Halt),
        2 => n.clone().prop_map(Operation::Requeue),
        1 => n.clone().prop_map(Operation::Resume),
        2 => n.clone().prop_map(Operation::Abandon),
        2 => n.clone().prop_map(Operation::Waive),
        2 => (n.clone(), 1..4usize, n).prop_map(|(a, b, c)| Operation::Split(a, b, c)),
    ]
}

/// Edges only from later to earlier indices of a shuffled naming, so that every graph is a DAG and
/// declaration order says nothing about dependence.
fn dag() -> impl Strategy<Value = Vec<Declared>> {
    (1..14usize, any::<u64>()).prop_flat_map(|(size, _)| {
        let edges = proptest::collection::vec(any::<bool>(), size * size);
        let order = Just((0..size).collect::<Vec<usize>>()).prop_shuffle();
        (edges, order).prop_map(move |(edges, order)| {
            (0..size)
                .map(|at| {
                    let on = (0..size).filter(|of| order[*of] < order[at]);
                    let on = on.filter(|of| edges[at * size + of] && edges[of * size + at]);
                    let names: Vec<String> = on.map(|of| format!("t{of}")).collect();
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    task(&format!("t{at}"), &names)
                })
                .collect()
        })
    })
}

fn perform(graph: &mut TaskGraph, step: usize, operation: &Operation) {
    let with = |graph: &TaskGraph, status: &[TaskStatus], n: usize| {
        let all: Vec<TaskId> = graph
            .iter()
            .filter(|task| status.contains(&task.status))
            .map(|task| task.declared.id.clone())
            .collect();
        (!all.is_empty()).then(|| all[n % all.len()].clone())
    };
    use TaskStatus::{Blocked, Halted, InProgress};
    // Refusals are fine: they must change nothing, which the check that follows would see.
    let before = view(graph);
    let done = match operation {
        Operation::DispatchNext => graph
            .next()
            .map(|task| task.declared.id.clone())
            .map(|id| graph.dispatch(&id)),
        Operation::Ship(n) => {
            with(graph, &[InProgress], *n).map(|id| graph.ship(&id, &[module()], Time(1)))
        }
        Operation::Halt(n) => {
            with(graph, &[InProgress], *n).map(|id| graph.halt(&id, "no", &escalation()))
        }
        Operation::Requeue(n) => with(graph, &[Halted], *n).map(|id| graph.requeue(&id)),
        Operation::Resume(n) => with(graph, &[Halted], *n).map(|id| graph.resume(&id)),
        Operation::Abandon(n) => {
            with(graph, &[Halted, Blocked], *n).map(|id| graph.abandon(&id, "not needed"))
        }
        Operation::Waive(n) => with(graph, &[Blocked], *n).map(|id| graph.waive(&id)),
        Operation::Split(n, parts, on) => with(graph, &[Halted, Blocked], *n).map(|id| {
            let name = |part: usize| format!("s{step}-{part}");
            let new: Vec<Declared> = (0..*parts)
                .map(|part| {
                    let mut depends: Vec<String> = vec![format!("t{on}")];
                    if part + 1 < *parts {
                        depends.push(name(part + 1));
                    }
                    let depends: Vec<&str> = depends
                        .iter()
                        .map(String::as_str)
                        .filter(|one| {
                            one.starts_with('s') || graph.get(&TaskId::from(*one)).is_some()
                        })
                        .collect();
                    task(&name(part), &depends)
                })
                .collect();
            graph.split(&id, "too big", &new)
        }),
    };
    if let Some(Err(refusal)) = done {
        assert!(!refusal.mend.is_empty());
        assert_eq!(view(graph), before, "{refusal} changed something");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn s4_2_the_incremental_state_equals_the_definition(
        tasks in dag(),
        operations in proptest::collection::vec(operation(), 0..60),
    ) {
        let mut graph = TaskGraph::declare(tasks).unwrap();
        check(&graph);
        for (step, operation) in operations.iter().enumerate() {
            perform(&mut graph, step, operation);
            check(&graph);
        }
    }

    #[test]
    fn s17_1_a_snapshot_is_the_view_as_it_was(
        tasks in dag(),
        operations in proptest::collection::vec(operation(), 0..60),
    ) {
        let mut graph = TaskGraph::declare(tasks).unwrap();
        let head = Head { project_id: "P-1".to_owned(), spec_version: "1.0.0".to_owned() };
        let mut taken = Vec::new();
        for (step, operation) in operations.iter().enumerate() {
            if step % 7 == 0 {
                let snapshot = graph.take_snapshot(Time(step as u64));
                let view = serde_json::to_value(graph.view(&head, snapshot.at)).unwrap();
                taken.push((view, snapshot));
            }
            perform(&mut graph, step, operation);
        }
        for (was, snapshot) in &taken {
            let then = serde_json::to_value(graph.view_at(&head, snapshot)).unwrap();
            prop_assert_eq!(&then, was);
        }
    }
}

#[test]
fn s4_2_the_view_has_exactly_the_documents_members() {
    let mut graph = graph(&[("T-a-001", &[]), ("T-a-002", &["T-a-001"])]);
    ship(&mut graph, "T-a-001");
    let view = view(&graph);
    assert_eq!(
        view,
        json!({
            "project_id": "P-1",
            "spec_version": "1.0.0",
            "updated_at": "1970-01-01T00:00:00.000Z",
            "tasks": {
                "T-a-001": {
                    "pillar": "Core", "epic": "Auth", "story": "Login", "task": "task T-a-001",
                    "status": "SHIPPED", "depends_on": [], "module_ref": "MM-a@1.0.0",
                    "shipped_at": "1970-01-01T00:00:00.007Z", "halted_reason": null,
                    "escalation_ref": null, "declaration_order": 0,
                },
                "T-a-002": {
                    "pillar": "Core", "epic": "Auth", "story": "Login", "task": "task T-a-002",
                    "status": "PENDING", "depends_on": ["T-a-001"], "module_ref": null,
                    "shipped_at": null, "halted_reason": null,
                    "escalation_ref": null, "declaration_order": 1,
                },
            },
        })
    );
}

#[test]
fn s3_3_dispatch_goes_by_declaration_order_among_what_is_ready() {
    let mut graph = graph(&[("late", &["c"]), ("b", &[]), ("c", &[])]);
    let mut order = Vec::new();
    while let Some(task) = graph.next() {
        let id = task.declared.id.clone();
        ship(&mut graph, id.as_str());
        order.push(id.to_string());
    }
    assert_eq!(order, ["b", "c", "late"]);
    assert!(graph.is_complete());
}

#[test]
fn s3_3_no_task_is_dispatched_while_one_is_halted() {
    let mut graph = graph(&[("a", &[]), ("b", &[])]);
    halt(&mut graph, "a");
    assert_eq!(graph.next(), None);
    graph.requeue(&TaskId::from("a")).unwrap();
    assert_eq!(graph.next().unwrap().declared.id.as_str(), "a");
}

#[test]
fn s4_2_two_halts_and_one_resolution_keep_what_the_other_blocks() {
    // A halted, C depends on A, D depends on C and B, B halted too. The clear rule as written
    // would free D when B is resolved.
    let mut graph = graph(&[("A", &[]), ("B", &[]), ("C", &["A"]), ("D", &["C", "B"])]);
    for id in ["A", "B"] {
        graph.dispatch(&TaskId::from(id)).unwrap();
    }
    for id in ["A", "B"] {
        graph.halt(&TaskId::from(id), "no", &escalation()).unwrap();
    }
    assert_eq!(status(&graph, "D"), TaskStatus::Blocked);
    graph.requeue(&TaskId::from("B")).unwrap();
    assert_eq!(status(&graph, "D"), TaskStatus::Blocked);
    graph.requeue(&TaskId::from("A")).unwrap();
    assert_eq!(status(&graph, "D"), TaskStatus::Pending);
}

#[test]
fn s17_2_what_was_split_is_replaced_by_its_parts() {
    let mut graph = graph(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    halt(&mut graph, "a");
    let parts = [task("a1", &[]), task("a2", &["a1"])];
    graph.split(&TaskId::from("a"), "too big", &parts).unwrap();
    assert_eq!(status(&graph, "a"), TaskStatus::Abandoned);
    assert_eq!(status(&graph, "b"), TaskStatus::Pending);
    ship(&mut graph, "a1");
    assert!(graph.dispatch(&TaskId::from("b")).is_err());
    halt(&mut graph, "a2");
    assert_eq!(status(&graph, "c"), TaskStatus::Blocked);
    graph.requeue(&TaskId::from("a2")).unwrap();
    for id in ["a2", "b", "c"] {
        ship(&mut graph, id);
    }
    assert!(graph.is_complete());
}

#[test]
fn s17_2_a_split_may_not_wait_for_itself() {
    let mut graph = graph(&[("a", &[]), ("b", &["a"])]);
    halt(&mut graph, "a");
    for (on, code) in [
        ("b", "split_makes_a_cycle"),
        ("a", "split_makes_a_cycle"),
        ("x", "split_dependency_unknown"),
        ("a1", "task_dependency_cycle"),
    ] {
        let refusal = graph.split(&TaskId::from("a"), "r", &[task("a1", &[on])]);
        assert_eq!(refusal.unwrap_err().code, code, "{on}");
    }
}

#[test]
fn s17_2_what_depends_on_an_abandoned_task_stays_blocked_until_it_is_amended() {
    let mut graph = graph(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    halt(&mut graph, "a");
    graph.abandon(&TaskId::from("a"), "not needed").unwrap();
    assert_eq!(status(&graph, "b"), TaskStatus::Blocked);
    let refusal = graph.waive(&TaskId::from("c")).unwrap_err();
    assert_eq!(refusal.code, "task_still_blocked");
    graph.waive(&TaskId::from("b")).unwrap();
    assert_eq!(status(&graph, "b"), TaskStatus::Pending);
    assert_eq!(status(&graph, "c"), TaskStatus::Pending);
    assert_eq!(graph.next().unwrap().declared.id.as_str(), "b");
}

#[test]
fn s4_2_every_transition_outside_the_table_is_refused() {
    use TaskStatus::{Abandoned, Halted, InProgress, Pending, Shipped};
    // a: in each status in turn; one try of every move.
    for from in [Pending, InProgress, Shipped, Halted, Abandoned] {
        let make = || {
            let mut graph = graph(&[("a", &[])]);
            let id = TaskId::from("a");
            match from {
                Pending => {}
                InProgress => graph.dispatch(&id).unwrap(),
                Shipped => ship(&mut graph, "a"),
                _ => halt(&mut graph, "a"),
            }
            if from == Abandoned {
                graph.abandon(&id, "r").unwrap();
            }
            graph
        };
        let id = TaskId::from("a");
        let moves: [(TaskStatus, bool); 5] = [
            (InProgress, make().dispatch(&id).is_ok()),
            (Shipped, make().ship(&id, &[], Time(0)).is_ok()),
            (Halted, make().halt(&id, "r", &escalation()).is_ok()),
            (Pending, make().requeue(&id).is_ok()),
            (Abandoned, make().abandon(&id, "r").is_ok()),
        ];
        for (to, done) in moves {
            assert_eq!(done, TRANSITIONS.contains(&(from, to)), "{from:?} {to:?}");
        }
    }
}

#[test]
fn s3_2_3_a_project_with_a_fault_is_refused_whole() {
    for (tasks, code) in [
        (vec![task("a", &[]), task("a", &[])], "task_id_twice"),
        (vec![task("a", &["x"])], "task_dependency_unknown"),
        (
            vec![task("a", &["b"]), task("b", &["a"])],
            "task_dependency_cycle",
        ),
    ] {
        assert_eq!(TaskGraph::declare(tasks).unwrap_err().code, code);
    }
}
