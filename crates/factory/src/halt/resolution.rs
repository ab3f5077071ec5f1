//! The six resolutions of rule F17.2 with their payloads, read strictly by the form of the document.
//! What is wrong is refused with a code; nothing is guessed.

pub use crate::escalation::Action;
use crate::escalation::KEPT_MODULE;
use crate::micro_plan::PlannedModule;
use crate::project::types::{ModuleId, TaskId};
use kernel::Refusal;
use kernel::form::{Cause, Fault, Form, Formed};
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
        if action == Action::RevisePlan {
            as_planned(&mut members);
        }
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

const PLAN: &str = "revised_micro_plan";

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

/// The form of a module of a plan: the planner's, where one of its members is there.
fn form_of(module: &Value) -> Form {
    let own = PlannedModule::OBJECT.members.iter();
    let mut own = own.filter(|one| !KEPT_MODULE.members.iter().any(|kept| kept.name == one.name));
    match own.any(|one| module.get(one.name).is_some()) {
        true => PlannedModule::FORM,
        false => Form::Object(&KEPT_MODULE),
    }
}

/// Everything that is wrong with the form of a payload: where, what, and the members that there are.
fn faults(action: Action, payload: &Value) -> Vec<(String, Fault, Vec<&'static str>)> {
    let whole = Form::Object(action.payload());
    let say = |form: &Form, before: &str, fault: Fault| {
        let (place, dot) = (fault.place(), ".");
        let dot = match before.is_empty() || place.is_empty() {
            true => "",
            false => dot,
        };
        let names = members(form, &place);
        (format!("{before}{dot}{place}"), fault, names)
    };
    let inside = format!("{PLAN}[");
    let mut found: Vec<_> = whole
        .faults(payload)
        .into_iter()
        .map(|fault| say(&whole, "", fault))
        .filter(|(place, _, _)| !place.starts_with(&inside))
        .collect();
    // Each module by its own form: which one it has, the list cannot say.
    let modules = payload[PLAN].as_array().into_iter().flatten();
    for (at, module) in modules.enumerate() {
        let form = form_of(module);
        let before = format!("{inside}{at}]");
        let own = form.faults(module).into_iter();
        found.extend(own.map(|fault| say(&form, &before, fault)));
    }
    found
}

/// The names of the members that the object of a place has.
fn members(form: &Form, place: &str) -> Vec<&'static str> {
    match form {
        Form::Object(object) => {
            let (first, rest) = place.split_once('.').unwrap_or((place, ""));
            let name = first.split('[').next().unwrap_or_default();
            let mut all = object.members.iter();
            match all.find(|one| one.name == name && !rest.is_empty()) {
                Some(member) => members(&member.form, rest),
                None => object.members.iter().map(|one| one.name).collect(),
            }
        }
        Form::List(form, _) | Form::Map(form, _) | Form::Nullable(form) => members(form, place),
        _ => Vec::new(),
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
    let mut found = faults(action, payload);
    // An id that is none and a text that says little are judged with the plan and by people.
    found.retain(|(_, one, names)| match one.cause {
        Cause::Wording => false,
        // What the planner writes is read by its form.
        Cause::Id => names.contains(&"io_contract"),
        _ => true,
    });
    // A name that is misspelt is told before the one that is missing by that.
    let unknown = found.iter().find(|(_, one, _)| one.cause == Cause::Unknown);
    if let Some((place, fault, names)) = unknown.or(found.first()) {
        return Err(match fault.cause {
            Cause::Missing => missing(place),
            Cause::Unknown => Refusal::new(
                "payload_member_unknown",
                format!("`{place}` is not known here"),
                format!("the members are: {}", names.join(", ")),
            ),
            Cause::Type | Cause::Id => Refusal::new(
                "payload_member_mistyped",
                format!("`{place}` {}", fault.what),
                "`proofhouse schema HumanResolution` has the form, and without a payload `resolve` shows it",
            ),
            Cause::Content | Cause::Wording => Refusal::new(
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
