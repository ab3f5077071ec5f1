//! `state_machine.json` as a type (rule F4.2): the document that people and other programs read. It
//! lends its texts from the graph when it is written, and owns them when it is read, so writer and
//! schema cannot part.

use super::graph::Task;
use super::status::TaskStatus;
use super::types::{Head, ModuleRef};
use crate::ids::{self, MOMENT};
use kernel::Time;
use kernel::form::{Fault, Form, Formed, Object, Size, TEXT, may, must};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// All tasks of a project, and where each stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectState<'g> {
    pub project_id: Cow<'g, str>,
    /// The version of the spec that drives it.
    pub spec_version: Cow<'g, str>,
    /// ISO 8601.
    pub updated_at: Time,
    /// By task id.
    pub tasks: BTreeMap<Cow<'g, str>, TaskState<'g>>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskState<'g> {
    /// The name of its pillar.
    pub pillar: Cow<'g, str>,
    pub epic: Cow<'g, str>,
    pub story: Cow<'g, str>,
    /// Its own.
    pub task: Cow<'g, str>,
    /// Where it stands.
    pub status: TaskStatus,
    /// What must be shipped before it.
    pub depends_on: Vec<Cow<'g, str>>,
    /// `MM-...@x.y.z`, once it is shipped.
    pub module_ref: Option<Cow<'g, ModuleRef>>,
    /// ISO 8601, once it is shipped.
    pub shipped_at: Option<Time>,
    /// Why it is halted or abandoned.
    pub halted_reason: Option<Cow<'g, str>>,
    /// `ESC-...`.
    pub escalation_ref: Option<Cow<'g, str>>,
    /// Its place in the approved spec, from 0. It never changes.
    pub declaration_order: u32,
    /// The tasks of a split (rule F17.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<Cow<'g, str>>,
}

impl<'g> ProjectState<'g> {
    pub(super) fn of(
        head: &Head,
        updated_at: Time,
        tasks: BTreeMap<Cow<'g, str>, TaskState<'g>>,
    ) -> Self {
        Self {
            project_id: Cow::Owned(head.project_id.clone()),
            spec_version: Cow::Owned(head.spec_version.clone()),
            updated_at,
            tasks,
        }
    }
}

impl<'g> TaskState<'g> {
    pub(super) fn of(order: usize, task: &'g Task) -> Self {
        let declared = &task.declared;
        let text = |text: &'g str| Cow::Borrowed(text);
        Self {
            pillar: text(&declared.pillar),
            epic: text(&declared.epic),
            story: text(&declared.story),
            task: text(&declared.task),
            status: task.status,
            depends_on: task.depends_on().map(|on| text(on.as_str())).collect(),
            module_ref: task.module_ref.as_ref().map(Cow::Borrowed),
            shipped_at: task.shipped_at,
            halted_reason: task.halted_reason.as_deref().map(text),
            escalation_ref: task.escalation_ref.as_ref().map(|id| text(id.as_str())),
            declaration_order: u32::try_from(order).unwrap_or(u32::MAX),
            superseded_by: task
                .superseded_by
                .iter()
                .map(|id| text(id.as_str()))
                .collect(),
        }
    }
}

const TASK: Form = Form::Object(&Object {
    name: "TaskState",
    about: "One task.",
    members: &[
        must("pillar", "The name of its pillar.", TEXT),
        must("epic", "Of its epic.", TEXT),
        must("story", "Of its story.", TEXT),
        must("task", "Its own.", TEXT),
        must("status", "Where it stands.", TaskStatus::FORM),
        must("depends_on", "What must be shipped before it.", TEXTS),
        must(
            "module_ref",
            "`MM-...@x.y.z`, once it is shipped.",
            Form::Nullable(&ModuleRef::FORM),
        ),
        must(
            "shipped_at",
            "ISO 8601, once it is shipped.",
            Form::Nullable(&MOMENT),
        ),
        must(
            "halted_reason",
            "Why it is halted or abandoned.",
            Form::Nullable(&TEXT),
        ),
        must("escalation_ref", "`ESC-...`.", Form::Nullable(&TEXT)),
        must(
            "declaration_order",
            "Its place in the approved spec, from 0. It never changes.",
            Form::Count(0),
        ),
        may(
            "superseded_by",
            "The tasks that stand in for it after a split.",
            TEXTS,
        ),
    ],
});
const TEXTS: Form = Form::List(&TEXT, Size::ANY);

/// The view as a document.
pub const FORM: Object = Object {
    name: "ProjectState",
    about: "All tasks of a project, and where each stands.",
    members: &[
        must("project_id", "The project.", TEXT),
        must(
            "spec_version",
            "The version of the spec that drives it.",
            TEXT,
        ),
        must("updated_at", "ISO 8601.", MOMENT),
        must("tasks", "By task id.", Form::Map(&TASK, Size::ANY)),
    ],
};

/// Ids that are ids, places of its own for each task, references that lead somewhere.
pub(crate) fn rules(state: &Value, found: &mut Vec<Fault>) {
    let Some(tasks) = state["tasks"].as_object() else {
        return;
    };
    let mut orders = BTreeSet::new();
    for (task, state) in tasks {
        let path = format!("$.tasks.{task}");
        if !ids::TASK.accepts(task) {
            let what = format!("{task:?} should have the form {}", ids::TASK);
            found.push(Fault::rule("bad_id", "$.tasks", "task_id", what));
        }
        let order = &state["declaration_order"];
        if !orders.insert(order.as_u64()) {
            let what = format!("{order} is another task's");
            found.push(Fault::rule(
                "duplicate_id",
                &path,
                "declaration_order",
                what,
            ));
        }
        for name in ["depends_on", "superseded_by"] {
            let list = state[name].as_array().into_iter().flatten();
            for on in list.filter_map(Value::as_str) {
                if !tasks.contains_key(on) {
                    let what = format!("`{on}` is no task of this project");
                    found.push(Fault::rule("unknown_reference", &path, name, what));
                }
            }
        }
        let unsaid = state["halted_reason"].is_null() || state["escalation_ref"].is_null();
        if state["status"] == "HALTED" && unsaid {
            let what = "a halted task says why, and names its escalation";
            found.push(Fault::rule("empty_field", &path, "escalation_ref", what));
        }
        if state["status"] == "SHIPPED" && state["shipped_at"].is_null() {
            let what = "a shipped task says when";
            found.push(Fault::rule("empty_field", &path, "shipped_at", what));
        }
    }
}
