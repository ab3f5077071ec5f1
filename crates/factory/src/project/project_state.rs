//! `state_machine.json` as a type (section 4.2): the document that people and other programs read. It
//! lends its texts from the graph when it is written, and owns them when it is read, so writer and
//! schema can not part. It refuses to be state: the journal is.

use super::graph::Task;
use super::status::TaskStatus;
use super::types::ModuleRef;
use super::view::Head;
use crate::deficiency::{Deficiency, Report};
use crate::findings::id;
use crate::ids;
use crate::schema::Judged;
use kernel::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// All tasks of a project, and where each stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectState<'g> {
    /// The project.
    pub project_id: Cow<'g, str>,
    /// The version of the spec that drives it.
    pub spec_version: Cow<'g, str>,
    /// ISO 8601.
    #[schemars(with = "String")]
    pub updated_at: Time,
    /// By task id.
    pub tasks: BTreeMap<Cow<'g, str>, TaskState<'g>>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskState<'g> {
    /// The name of its pillar.
    pub pillar: Cow<'g, str>,
    /// Of its epic.
    pub epic: Cow<'g, str>,
    /// Of its story.
    pub story: Cow<'g, str>,
    /// Its own.
    pub task: Cow<'g, str>,
    /// Where it stands.
    pub status: TaskStatus,
    /// What must be shipped before it.
    pub depends_on: Vec<Cow<'g, str>>,
    /// `MM-...@x.y.z`, once it is shipped.
    #[schemars(with = "Option<String>")]
    pub module_ref: Option<Cow<'g, ModuleRef>>,
    /// ISO 8601, once it is shipped.
    #[schemars(with = "Option<String>")]
    pub shipped_at: Option<Time>,
    /// Why it is halted or abandoned.
    pub halted_reason: Option<Cow<'g, str>>,
    /// `ESC-...`.
    pub escalation_ref: Option<Cow<'g, str>>,
    /// Its place in the approved spec, from 0. It never changes.
    pub declaration_order: u32,
    /// The tasks of a split (section 17.2).
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

impl Judged for ProjectState<'static> {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        let mut orders = BTreeSet::new();
        for (task, state) in &self.tasks {
            let path = format!("$.tasks.{task}");
            id(&mut found, "$.tasks", "task_id", ids::TASK, task);
            if !orders.insert(state.declaration_order) {
                let message = format!("{} is another task's", state.declaration_order);
                let field = "declaration_order";
                found.push(Deficiency::error("duplicate_id", &path, field, message));
            }
            for (name, list) in [
                ("depends_on", &state.depends_on),
                ("superseded_by", &state.superseded_by),
            ] {
                for on in list.iter().filter(|on| !self.tasks.contains_key(*on)) {
                    let message = format!("`{on}` is no task of this project");
                    found.push(Deficiency::error("unknown_reference", &path, name, message));
                }
            }
            let halted = state.status == TaskStatus::Halted;
            if halted && (state.halted_reason.is_none() || state.escalation_ref.is_none()) {
                let message = "a halted task says why, and names its escalation";
                let field = "escalation_ref";
                found.push(Deficiency::error("empty_field", &path, field, message));
            }
            if state.status == TaskStatus::Shipped && state.shipped_at.is_none() {
                let message = "a shipped task says when";
                found.push(Deficiency::error(
                    "empty_field",
                    &path,
                    "shipped_at",
                    message,
                ));
            }
        }
        found.into_iter().collect()
    }
}
