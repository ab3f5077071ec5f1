//! The six resolutions of rule F17.2 with their payloads, read strictly by the form of the document
//! (`payload.rs`). What is wrong is refused with a code; nothing is guessed.

use super::payload::{self, PLAN};
pub use crate::escalation::Action;
use crate::micro_plan::PlannedModule;
use crate::project::types::{ModuleId, TaskId};
use crate::spec::{AmendedCase, IoContractSketch};
use kernel::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
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
    /// What goes in and out of it, in prose; left out: its file has that of the task that is split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_contract_sketch: Option<IoContractSketch>,
}

/// A module of a person's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PlanLine {
    /// As the planner writes it.
    Planned(Box<PlannedModule>),
    /// In short: it keeps the contract that it had.
    Kept {
        module_id: ModuleId,
        /// What it does.
        description: String,
        /// Module ids of this plan, or `MM-...@x.y.z`.
        #[serde(default)]
        depends_on: Vec<String>,
    },
}

impl PlanLine {
    /// Which module.
    pub(crate) fn module_id(&self) -> &ModuleId {
        match self {
            PlanLine::Planned(module) => &module.module_id,
            PlanLine::Kept { module_id, .. } => module_id,
        }
    }
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
    /// Other acceptance criteria, or cases of the product that were wrong.
    AmendSpec {
        /// The new ones; empty: they stay.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        amended_acceptance_criteria: Vec<String>,
        /// What is changed of the product's cases.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        amended_cases: Vec<AmendedCase>,
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
            return Err(payload::mistyped("the payload", "an object"));
        };
        let mut members = members.clone();
        let mut wrong = Vec::new();
        let task = match members.remove("task") {
            Some(Value::String(task)) if !task.is_empty() => task,
            given => {
                wrong.push(match given {
                    Some(_) => payload::mistyped("task", "a task id"),
                    None => payload::missing("task", "a task id"),
                });
                String::new()
            }
        };
        if action == Action::RevisePlan {
            as_planned(&mut members);
        }
        let mut payload = Value::Object(members);
        wrong.extend(payload::wrong(action, &payload));
        payload::together(wrong)?;
        payload["action"] = Value::from(name);
        let resolution = Self::deserialize(&payload).map_err(|error| {
            Refusal::new(
                "payload_malformed",
                error.to_string(),
                "give the payload as rule F17.2 of docs/rules.md says",
            )
        })?;
        Ok((TaskId::new(task), resolution))
    }
}

/// A plan may be handed back as the planner wrote it: `{"modules": [...]}`.
fn as_planned(members: &mut Map<String, Value>) {
    let whole = match members.get_mut(PLAN) {
        Some(Value::Object(plan)) => plan.remove("modules"),
        Some(_) => None,
        None => members.remove("modules").inspect(|_| {
            for given in ["micro_plan_id", "parent_task_ref", "summary"] {
                members.remove(given);
            }
        }),
    };
    members.extend(whole.map(|modules| (PLAN.to_owned(), modules)));
}
