//! What a person resolves: an escalation, the exception behind one, or a task that is blocked by
//! what was abandoned and has no escalation of its own (rules F13.5 and F17.2).

use super::decide::{decide, decide_message};
use crate::decision::{Ask, Decided};
use ::factory::halt::Action;
use ::factory::halt::artifact::Escalation;
use ::factory::machine::RULINGS;
use ::factory::project::{TaskId, TaskStatus};
use approval::{Approved, Words};
use report::look::{peek_project, projects};
use serde_json::{Value, json};
use workspace::error::EngineError;
use workspace::project::Project;

/// What a person asks for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// `ESC-...`, `ICE-...` or `T-...`.
    pub escalation: &'a str,
    /// One of the six resolutions, or a ruling on an exception.
    pub action: &'a str,
    /// What the action needs.
    pub payload: &'a Value,
    /// Why.
    pub because: &'a str,
}

/// The project that holds an escalation, and the escalation.
pub fn escalated(project: &Project, id: &str) -> Result<(String, Escalation), EngineError> {
    let mut known = Vec::new();
    for name in projects(project)? {
        let machine = peek_project(project, &name)?.machine;
        let mut found = None;
        for escalation in machine.escalations() {
            let exception = escalation.exception.as_ref();
            let this = escalation.escalation_id.as_str() == id
                || exception.is_some_and(|one| one.as_str() == id);
            if this {
                found = Some(escalation.clone());
            }
        }
        let of_spec = machine.spec_escalation();
        if of_spec.is_some_and(|one| one["escalation_id"] == id) {
            return Err(EngineError::user(
                "escalation_of_spec",
                format!("`{id}` is about the spec, and the six resolutions are about tasks"),
                format!(
                    "`proofhouse factory amend {name} --feedback TEXT`, `proofhouse factory reject {name} --reasons TEXT`, or `proofhouse factory retry {name}`"
                ),
            ));
        }
        let open = machine.open_escalations();
        known.extend(open.map(|one| one.escalation_id.to_string()));
        if let Some(found) = found {
            return Ok((name, found));
        }
    }
    let mend = match known.as_slice() {
        [] => "nothing waits for a resolution here".to_owned(),
        names => format!("these wait for one: {}", names.join(", ")),
    };
    Err(EngineError::user(
        "unknown_escalation",
        format!("there is no escalation `{id}`"),
        mend,
    ))
}

/// The project of a task, if some project has it; its open escalation, if it has one.
fn task_named(project: &Project, id: &str) -> Result<Option<Subject>, EngineError> {
    let task = TaskId::new(id);
    for name in projects(project)? {
        let machine = peek_project(project, &name)?.machine;
        let Some(found) = machine.tasks().get(&task) else {
            continue;
        };
        let halted = found.status == TaskStatus::Halted;
        let escalation = found.escalation_ref.as_ref().filter(|_| halted);
        let escalation = escalation.and_then(|id| {
            let mut all = machine.escalations();
            all.find(|one| one.escalation_id == *id).cloned()
        });
        return Ok(Some(Subject {
            name,
            task,
            escalation,
        }));
    }
    Ok(None)
}

/// What a resolution is about.
struct Subject {
    name: String,
    task: TaskId,
    escalation: Option<Escalation>,
}

fn subject(project: &Project, id: &str) -> Result<Subject, EngineError> {
    if id.starts_with("T-")
        && let Some(found) = task_named(project, id)?
    {
        return Ok(found);
    }
    let (name, escalation) = escalated(project, id)?;
    if escalation.resolved.is_some() {
        return Err(EngineError::user(
            "escalation_resolved",
            format!("`{id}` is resolved already"),
            format!("`proofhouse factory status {name}` shows what waits"),
        ));
    }
    Ok(Subject {
        name,
        task: escalation.task_id.clone(),
        escalation: Some(escalation),
    })
}

/// The payload with what the machine finds the task or the exception by.
fn with(asked: &Asked<'_>, subject: &Subject) -> Result<Value, EngineError> {
    let mut payload = match asked.payload {
        Value::Null => json!({}),
        other => other.clone(),
    };
    let Some(members) = payload.as_object_mut() else {
        return Err(EngineError::user(
            "payload_malformed",
            "the payload is no JSON object",
            "`proofhouse schema HumanResolution` has the form",
        ));
    };
    let exception = subject.escalation.as_ref();
    let exception = exception.and_then(|one| one.exception.as_ref());
    // Everything else is about a task.
    let ruling = RULINGS.iter().any(|(name, _)| *name == asked.action);
    let (name, id) = match exception.filter(|_| ruling) {
        Some(id) => ("exception_id", id.to_string()),
        None if ruling => {
            return Err(EngineError::user(
                "exception_not_open",
                format!("`{}` was halted by no exception", asked.escalation),
                "give one of the six resolutions",
            ));
        }
        None => ("task", subject.task.to_string()),
    };
    members.insert(name.to_owned(), Value::String(id));
    Ok(payload)
}

fn asking<T>(
    project: &Project,
    asked: &Asked<'_>,
    then: impl FnOnce(&Ask<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let subject = subject(project, asked.escalation)?;
    then(&Ask {
        name: &subject.name,
        option: asked.action,
        about: asked.escalation,
        with: &with(asked, &subject)?,
        because: asked.because,
    })
}

/// The payload of one of the six resolutions, to be filled in; none of a ruling.
pub fn blank(project: &Project, id: &str, action: &str) -> Result<Option<Value>, EngineError> {
    let Some(action) = Action::of(action) else {
        return Ok(None);
    };
    let subject = subject(project, id)?;
    let machine = peek_project(project, &subject.name)?.machine;
    Ok(Some(machine.payload(&subject.task, action)))
}

/// The bytes that are to be signed.
pub fn message(project: &Project, asked: &Asked<'_>) -> Result<Vec<u8>, EngineError> {
    asking(project, asked, |ask| decide_message(project, ask))
}

/// Resolves. `approve` is asked with the exact words before anything is written.
pub fn resolve(
    project: &Project,
    asked: &Asked<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided, EngineError> {
    asking(project, asked, |ask| decide(project, ask, approve))
}
