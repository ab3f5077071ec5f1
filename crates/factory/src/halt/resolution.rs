//! The six resolutions of section 17.2 with their payloads, read strictly, as one table of members.
//! What is wrong is refused with a code; nothing is guessed.

use crate::project::types::{ModuleId, TaskId};
use kernel::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Which resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// Ship it all the same.
    ApproveOverride,
    /// Other acceptance criteria.
    AmendSpec,
    /// Several tasks instead.
    SplitTask,
    /// Another plan.
    RevisePlan,
    /// The person's own code.
    ProvideFix,
    /// Not needed.
    AbandonTask,
}

/// What kind of value a member holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Text,
    Texts,
    Objects(&'static [(&'static str, Holds)]),
    Files,
    MaybeTexts,
}

type Members = &'static [(&'static str, Holds)];

/// One row: its name, its payload, and whether it may be given for a blocked task.
struct Row {
    action: Action,
    name: &'static str,
    members: Members,
    for_blocked: Blocked,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocked {
    Allowed,
    Refused,
}

const NEW_TASK: Members = &[
    ("name", Holds::Text),
    ("description", Holds::Text),
    ("acceptance_criteria", Holds::Texts),
    ("depends_on", Holds::MaybeTexts),
];
const PLAN_LINE: Members = &[
    ("module_id", Holds::Text),
    ("description", Holds::Text),
    ("depends_on", Holds::MaybeTexts),
];

const TABLE: [Row; 6] = [
    Row {
        action: Action::ApproveOverride,
        name: "APPROVE_OVERRIDE",
        members: &[("rationale", Holds::Text)],
        for_blocked: Blocked::Refused,
    },
    Row {
        action: Action::AmendSpec,
        name: "AMEND_SPEC",
        members: &[
            ("amended_acceptance_criteria", Holds::Texts),
            ("amendment_rationale", Holds::Text),
        ],
        for_blocked: Blocked::Allowed,
    },
    Row {
        action: Action::SplitTask,
        name: "SPLIT_TASK",
        members: &[("new_tasks", Holds::Objects(NEW_TASK))],
        for_blocked: Blocked::Allowed,
    },
    Row {
        action: Action::RevisePlan,
        name: "REVISE_PLAN",
        members: &[("revised_micro_plan", Holds::Objects(PLAN_LINE))],
        for_blocked: Blocked::Refused,
    },
    Row {
        action: Action::ProvideFix,
        name: "PROVIDE_FIX",
        members: &[
            ("fix_description", Holds::Text),
            ("fix_artifacts", Holds::Files),
        ],
        for_blocked: Blocked::Refused,
    },
    Row {
        action: Action::AbandonTask,
        name: "ABANDON_TASK",
        members: &[("rationale", Holds::Text)],
        for_blocked: Blocked::Allowed,
    },
];

impl Action {
    /// All of them, in the document's order.
    pub fn all() -> impl Iterator<Item = Action> {
        TABLE.iter().map(|row| row.action)
    }

    fn row(self) -> &'static Row {
        let found = TABLE.iter().find(|row| row.action == self);
        found.expect("the table has a row for every action")
    }

    /// The document's name.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// The action of a name.
    pub fn of(name: &str) -> Option<Self> {
        let found = TABLE.iter().find(|row| row.name == name);
        found.map(|row| row.action)
    }

    /// Is this member of its payload a list of texts?
    pub fn takes_list(self, member: &str) -> bool {
        let mut members = self.row().members.iter();
        members.any(|(name, holds)| *name == member && *holds == Holds::Texts)
    }

    /// May it be given for a blocked task?
    pub fn suits_blocked(self) -> bool {
        self.row().for_blocked == Blocked::Allowed
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
    /// Its id.
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
    SplitTask {
        /// Which.
        new_tasks: Vec<NewTask>,
    },
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

    /// What it carries, as section 17.2 has it.
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
            let names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
            return Err(Refusal::new(
                "resolution_unknown",
                format!("`{name}` is no resolution"),
                format!("choose one of: {}", names.join(", ")),
            ));
        };
        let Some(members) = payload.as_object() else {
            return Err(mistyped("", "an object"));
        };
        let mut members = members.clone();
        let task = match members.remove("task") {
            Some(Value::String(task)) if !task.is_empty() => TaskId::new(task),
            Some(_) => return Err(mistyped("task", "a task id")),
            None => return Err(missing("task")),
        };
        judge("", &members, action.row().members)?;
        members.insert("action".to_owned(), Value::from(name));
        let read = serde_json::from_value(Value::Object(members));
        let resolution = read.map_err(|error| {
            Refusal::new(
                "payload_malformed",
                error.to_string(),
                "give the payload as section 17.2 says",
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
    let name = if path.is_empty() { "the payload" } else { path };
    Refusal::new(
        "payload_member_mistyped",
        format!("`{name}` is not {wanted}"),
        format!("give {wanted}"),
    )
}

fn empty(path: &str) -> Refusal {
    Refusal::new(
        "payload_member_empty",
        format!("`{path}` is empty"),
        format!("say something in `{path}`: it goes on record"),
    )
}

fn judge(prefix: &str, given: &Map<String, Value>, members: Members) -> Result<(), Refusal> {
    for name in given.keys() {
        if !members.iter().any(|(known, _)| known == name) {
            let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
            return Err(Refusal::new(
                "payload_member_unknown",
                format!("`{prefix}{name}` is not known here"),
                format!("the members are: {}", names.join(", ")),
            ));
        }
    }
    for (name, holds) in members {
        let path = format!("{prefix}{name}");
        match (given.get(*name), holds) {
            (None, Holds::MaybeTexts) => {}
            (None, _) => return Err(missing(&path)),
            (Some(value), holds) => member(&path, value, *holds)?,
        }
    }
    Ok(())
}

fn text(path: &str, value: &Value) -> Result<(), Refusal> {
    let text = value.as_str().ok_or_else(|| mistyped(path, "a text"))?;
    if text.trim().is_empty() {
        return Err(empty(path));
    }
    Ok(())
}

fn member(path: &str, value: &Value, holds: Holds) -> Result<(), Refusal> {
    let list = || value.as_array().ok_or_else(|| mistyped(path, "a list"));
    match holds {
        Holds::Text => text(path, value),
        Holds::Texts | Holds::MaybeTexts => {
            let list = list()?;
            if list.is_empty() && holds == Holds::Texts {
                return Err(empty(path));
            }
            let mut lines = list.iter().enumerate();
            lines.try_for_each(|(at, line)| text(&format!("{path}[{at}]"), line))
        }
        Holds::Objects(members) => {
            let list = list()?;
            if list.is_empty() {
                return Err(empty(path));
            }
            for (at, one) in list.iter().enumerate() {
                let here = format!("{path}[{at}]");
                let one = one
                    .as_object()
                    .ok_or_else(|| mistyped(&here, "an object"))?;
                judge(&format!("{here}."), one, members)?;
            }
            Ok(())
        }
        Holds::Files => {
            let files = value
                .as_object()
                .ok_or_else(|| mistyped(path, "an object of paths and contents"))?;
            if files.is_empty() {
                return Err(empty(path));
            }
            for (name, content) in files {
                let mut parts = name.split('/');
                let plain = !parts.clone().any(|part| {
                    matches!(part, "" | "." | "..")
                        || part.len() > 200
                        || part.chars().any(char::is_control)
                });
                let known = matches!(
                    (parts.next(), parts.next()),
                    (Some("implementation" | "tests"), Some(_))
                        | (Some("examples.md" | "contract.json"), None)
                );
                // The ship writes it, over whatever stands there.
                let log = name == "tests/execution_log.json";
                if !plain || !known || log {
                    return Err(Refusal::new(
                        "fix_path_outside",
                        format!("`{name}` is no file of a module"),
                        "give paths below `implementation/` or `tests/`, `examples.md` or `contract.json`",
                    ));
                }
                apart(name, files.keys())?;
                if !content.is_string() {
                    return Err(mistyped(&format!("{path}.{name}"), "a text"));
                }
            }
            Ok(())
        }
    }
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
            format!("`{name}` can not be a file and the folder of `{other}`"),
            "give each file a path of its own, below no other file",
        )),
    }
}
