//! Rules F13 and F17: what people are asked when a task halts. What they may answer, what is refused,
//! and exceptions are a file each.

mod exceptions;
mod refused;
mod resolved;

use crate::project::task;
use crate::world::{Project, Script};
use factory::halt::Action;
use factory::project::{EscalationId, TaskStatus};
use proptest::prelude::*;

const A: &str = "T-a-001";
const B: &str = "T-a-002";
const C: &str = "T-a-003";

/// A halts in its debate; B depends on A, C on B.
fn halted() -> Project {
    let tasks = [task(A, &[]), task(B, &[A]), task(C, &[B])];
    let mut project = Project::new(&tasks, 1, Script::default().rejects(A));
    project.run();
    assert_eq!(project.status(A), TaskStatus::Halted);
    assert_eq!(project.status(C), TaskStatus::Blocked);
    project
}

fn escalation(project: &Project) -> EscalationId {
    let last = project.machine.escalations().last().unwrap();
    last.escalation_id.clone()
}

#[test]
fn s17_1_an_escalation_has_every_member_and_the_project_as_it_was() {
    let mut project = halted();
    let id = escalation(&project);
    let then = project.machine.state_machine();
    project.resolve("ABANDON_TASK", A).unwrap();
    let artifact = project.machine.escalation_artifact(&id).unwrap();
    let members: Vec<&String> = artifact.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "created_at",
            "debate_trail",
            "escalation_id",
            "failed_invariants",
            "minimal_decision_required",
            "recommended_resolution",
            "resolution",
            "resolution_context",
            "state_machine_snapshot",
            "task_id",
            "task_ref",
        ]
    );
    // What the person attests is added; the document's own members stay as they were.
    assert_eq!(artifact["resolution"]["action"], "ABANDON_TASK");
    let snapshot = &artifact["state_machine_snapshot"];
    assert_eq!(snapshot["tasks"], then["tasks"]);
    assert_eq!(snapshot["tasks"][A]["status"], "HALTED");
    let trail = &artifact["debate_trail"];
    assert_eq!(trail["proposals"].as_array().unwrap().len(), 3);
    assert_eq!(trail["challenges"].as_array().unwrap().len(), 3);
    assert_eq!(trail["adjudications"][0]["decision"], "REJECT");
    let text = id.as_str().strip_prefix("ESC-").unwrap();
    assert!(
        text.len() == 8
            && text
                .bytes()
                .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
    );
    assert!(Action::of(artifact["recommended_resolution"].as_str().unwrap()).is_some());
    assert!(
        artifact["resolution_context"]
            .as_str()
            .unwrap()
            .contains("still fails")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn s17_2_every_sequence_of_resolutions_ends_where_the_table_says(
        actions in proptest::collection::vec(0..6usize, 1..8),
    ) {
        let all: Vec<Action> = Action::ALL.to_vec();
        let mut project = halted();
        for number in actions {
            let action = all[number];
            let waits = project.machine.tasks().iter().find(|task| {
                matches!(task.status, TaskStatus::Halted | TaskStatus::Blocked)
            });
            let Some(task) = waits.map(|task| task.declared.id.to_string()) else { break };
            let was = project.status(&task);
            let done = project.resolve(action.as_str(), &task);
            let is = project.status(&task);
            match (action, done) {
                (_, Err(refusal)) => prop_assert!(is == was && !refusal.mend.is_empty()),
                (Action::ApproveOverride | Action::RevisePlan | Action::ProvideFix, Ok(())) => {
                    prop_assert_eq!((was, is), (TaskStatus::Halted, TaskStatus::InProgress));
                }
                // Dispatched at once, if it is its turn.
                (Action::AmendSpec, Ok(())) => {
                    prop_assert!(matches!(is, TaskStatus::Pending | TaskStatus::InProgress));
                }
                (Action::SplitTask | Action::AbandonTask, Ok(())) => {
                    prop_assert_eq!(is, TaskStatus::Abandoned);
                }
            }
            project.run();
        }
    }
}
