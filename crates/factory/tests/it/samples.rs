//! Inputs that are right, to be made wrong in one place.

use serde_json::{Value, json};

/// A task with everything that it needs.
pub(crate) fn task(number: usize, depends_on: &[usize]) -> Value {
    let depends_on: Vec<String> = depends_on.iter().map(|n| format!("TSK-{n:03}")).collect();
    json!({
        "task_id": format!("TSK-{number:03}"),
        "name": format!("Task {number}"),
        "description": "Parses one line of the log into its parts",
        "subtasks": ["Split the line at blanks", "Turn the first part into a moment"],
        "acceptance_criteria": ["returns the moment and the text", "rejects a line without a moment"],
        "depends_on": depends_on,
        "io_contract_sketch": {
            "inputs": "line: non-empty string",
            "outputs": "(moment, text), the text trimmed",
            "error_surfaces": "MalformedLine when there is no moment; EmptyLine when it is blank",
            "effects": "none; it is pure",
            "modes": "sync, because it only computes"
        }
    })
}

/// One pillar, one epic, one story with these tasks.
pub(crate) fn spec_of(tasks: Vec<Value>) -> Value {
    json!({
        "spec_id": "SPEC-001",
        "spec_version": "1.0.0",
        "title": "Log reader",
        "description": "Reads logs and says what is in them",
        "created_at": "2026-11-15T02:25:27Z",
        "updated_at": "2026-11-15T02:25:27Z",
        "pillars": [{
            "pillar_id": "PIL-001",
            "name": "Core",
            "description": "Everything that reads and understands",
            "rationale": "Nothing works without it",
            "epics": [{
                "epic_id": "EPC-001",
                "name": "Auth",
                "description": "Everything about single lines of logs",
                "success_criteria": ["99% of real lines are understood"],
                "stories": [{
                    "story_id": "STR-001",
                    "name": "Login",
                    "description": "A user sees the parts of a line",
                    "user_facing_behavior": "The parts of a line are shown",
                    "tasks": tasks
                }]
            }]
        }]
    })
}

pub(crate) fn spec() -> Value {
    spec_of(vec![task(1, &[]), task(2, &[1])])
}

/// The members of a task in [`spec`].
pub(crate) fn task_in(spec: &mut Value, index: usize) -> &mut Value {
    spec.pointer_mut(&format!("/pillars/0/epics/0/stories/0/tasks/{index}"))
        .unwrap()
}
