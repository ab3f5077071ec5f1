//! The six resolutions of rule F17.2 with their payloads, read strictly by the form of the document.
//! What is wrong is refused with a code; nothing is guessed.

pub use crate::escalation::Action;
use crate::project::types::{ModuleId, TaskId};
use kernel::Refusal;
use kernel::form::{Cause, Form};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// May a resolution be given for a blocked task?
pub fn suits_blocked(action: Action) -> bool {
    match action {
        Action::AmendSpec | Action::SplitTask | Action::AbandonTask => true,
        Action::ApproveOverride | Action::RevisePlan | Action::ProvideFix => false,
    }
}

/// A task of a split, as the person gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTask {
    /// Its name; siblings refer to it by that.
    pub name: String,
    /// What it does.
    pub description: String,
    /// When it is done.
    pub acceptance_criteria: Vec<String>,
    /// Task ids, or names of siblings.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// A module of a person's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanLine {
    pub module_id: ModuleId,
    /// What it does.
    pub description: String,
    /// Module ids of this plan, or `MM-...@x.y.z`.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// A resolution with what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Resolution {
    /// Ship it all the same.
    ApproveOverride {
        /// Why.
        rationale: String,
    },
    /// Other acceptance criteria.
    AmendSpec {
        /// The new ones.
        amended_acceptance_criteria: Vec<String>,
        /// Why.
        amendment_rationale: String,
    },
    /// Several tasks instead.
    SplitTask { new_tasks: Vec<NewTask> },
    /// Another plan.
    RevisePlan {
        /// Its modules.
        revised_micro_plan: Vec<PlanLine>,
    },
    /// The person's own code.
    ProvideFix {
        /// What it does, and why.
        fix_description: String,
        /// Files by path.
        fix_artifacts: BTreeMap<String, String>,
    },
    /// Not needed.
    AbandonTask {
        /// Why.
        rationale: String,
    },
}

impl Resolution {
    /// Which one.
    pub fn action(&self) -> Action {
        match self {
            Resolution::ApproveOverride { .. } => Action::ApproveOverride,
            Resolution::AmendSpec { .. } => Action::AmendSpec,
            Resolution::SplitTask { .. } => Action::SplitTask,
            Resolution::RevisePlan { .. } => Action::RevisePlan,
            Resolution::ProvideFix { .. } => Action::ProvideFix,
            Resolution::AbandonTask { .. } => Action::AbandonTask,
        }
    }

    /// What it carries, as rule F17.2 has it.
    pub fn payload(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(members) = value.as_object_mut() {
            members.remove("action");
        }
        value
    }

    /// Reads an action and its payload: the task that it is for, and the resolution.
    pub fn read(name: &str, payload: &Value) -> Result<(TaskId, Self), Refusal> {
        let Some(action) = Action::of(name) else {
            let names: Vec<&str> = Action::ALL.iter().map(|one| one.as_str()).collect();
            return Err(Refusal::new(
                "resolution_unknown",
                format!("`{name}` is no resolution"),
                format!("choose one of: {}", names.join(", ")),
            ));
        };
        let Some(members) = payload.as_object() else {
            return Err(mistyped("the payload", "an object"));
        };
        let mut members = members.clone();
        let task = match members.remove("task") {
            Some(Value::String(task)) if !task.is_empty() => TaskId::new(task),
            Some(_) => return Err(mistyped("task", "a task id")),
            None => return Err(missing("task")),
        };
        let mut payload = Value::Object(members);
        refused(action, &payload)?;
        payload["action"] = Value::from(name);
        let resolution = Self::deserialize(&payload).map_err(|error| {
            Refusal::new(
                "payload_malformed",
                error.to_string(),
                "give the payload as rule F17.2 of docs/rules.md says",
            )
        })?;
        Ok((task, resolution))
    }
}

fn missing(path: &str) -> Refusal {
    Refusal::new(
        "payload_member_missing",
        format!("`{path}` is missing"),
        format!("add `{path}` to the payload"),
    )
}

fn mistyped(path: &str, wanted: &str) -> Refusal {
    Refusal::new(
        "payload_member_mistyped",
        format!("`{path}` is not {wanted}"),
        format!("give {wanted}"),
    )
}

/// Refuses a payload that has not the form of its action, or files that are none of a module.
fn refused(action: Action, payload: &Value) -> Result<(), Refusal> {
    let object = action.payload();
    let mut found = Form::Object(object).faults(payload);
    // An id that is none and a text that says little are judged with the plan and by people.
    found.retain(|one| !matches!(one.cause, Cause::Wording | Cause::Id));
    // A name that is misspelt is told before the one that is missing by that.
    let unknown = found.iter().find(|one| one.cause == Cause::Unknown);
    if let Some(fault) = unknown.or(found.first()) {
        let place = fault.place();
        return Err(match fault.cause {
            Cause::Missing => missing(&place),
            Cause::Unknown => {
                let names: Vec<&str> = object.members.iter().map(|one| one.name).collect();
                Refusal::new(
                    "payload_member_unknown",
                    format!("`{place}` is not known here"),
                    format!("the members are: {}", names.join(", ")),
                )
            }
            Cause::Type => Refusal::new(
                "payload_member_mistyped",
                format!("`{place}` {}", fault.what),
                "`proofhouse schema HumanResolution` has the form",
            ),
            Cause::Content | Cause::Id | Cause::Wording => Refusal::new(
                "payload_member_empty",
                format!("`{place}` is empty"),
                format!("say something in `{place}`: it goes on record"),
            ),
        });
    }
    let files = payload["fix_artifacts"].as_object();
    for name in files.into_iter().flat_map(|files| files.keys()) {
        if !is_of_a_module(name) {
            return Err(Refusal::new(
                "fix_path_outside",
                format!("`{name}` is no file of a module"),
                "give paths below `implementation/` or `tests/`, `examples.md` or `contract.json`",
            ));
        }
        apart(name, files.into_iter().flat_map(|files| files.keys()))?;
    }
    Ok(())
}

fn is_of_a_module(name: &str) -> bool {
    let mut parts = name.split('/');
    let plain = !parts.clone().any(|part| {
        matches!(part, "" | "." | "..") || part.len() > 200 || part.chars().any(char::is_control)
    });
    let known = matches!(
        (parts.next(), parts.next()),
        (Some("implementation" | "tests"), Some(_)) | (Some("examples.md" | "contract.json"), None)
    );
    // The ship writes the log, over whatever stands there.
    plain && known && name != "tests/execution_log.json"
}

/// Refuses a file that would be the folder of one of the others.
pub(crate) fn apart<'a>(
    name: &str,
    others: impl IntoIterator<Item = &'a String>,
) -> Result<(), Refusal> {
    let inside = |other: &&String| {
        let rest = other.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    match others.into_iter().find(inside) {
        None => Ok(()),
        Some(other) => Err(Refusal::new(
            "fix_paths_collide",
            format!("`{name}` cannot be a file and the folder of `{other}`"),
            "give each file a path of its own, below no other file",
        )),
    }
}
