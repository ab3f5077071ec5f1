//! A person's resolution of an escalation (section 17.2), through the same channels as every other
//! decision. What is signed or confirmed names the escalation and the payload's hash, so a payload
//! can not be exchanged for another one.

use super::decision::{self, Resolved, Word};
use super::session::{peek, projects};
use crate::approval::{Approved, Words};
use crate::error::EngineError;
use crate::project::Project;
use ::factory::halt::artifact::Escalation;
use serde_json::{Value, json};

/// What a person asks for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// `ESC-...`.
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
        for escalation in peek(project, &name)?.machine.escalations() {
            if escalation.escalation_id.as_str() == id {
                return Ok((name, escalation.clone()));
            }
            if escalation.resolved.is_none() {
                known.push(escalation.escalation_id.to_string());
            }
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

/// The reason as it is signed and journaled.
fn because(asked: &Asked<'_>) -> String {
    let hash = store::sha256_hex(asked.payload.to_string().as_bytes());
    format!(
        "{} [{}, payload sha256 {hash}]",
        asked.because, asked.escalation
    )
}

/// The payload with what the machine finds the task or the exception by.
fn with(asked: &Asked<'_>, escalation: &Escalation) -> Result<Value, EngineError> {
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
    let (name, id) = match (asked.action, &escalation.exception) {
        ("APPROVE_CHANGE" | "REJECT_CHANGE" | "DEFER", Some(id)) => {
            ("exception_id", id.to_string())
        }
        _ => ("task", escalation.task_id.to_string()),
    };
    members.insert(name.to_owned(), Value::String(id));
    Ok(payload)
}

/// The bytes that are to be signed.
pub fn message(project: &Project, asked: &Asked<'_>) -> Result<Vec<u8>, EngineError> {
    let (name, _) = escalated(project, asked.escalation)?;
    let head = peek(project, &name)?.head;
    Ok(crate::approval::message(&Words {
        run: &name,
        seq: head.seq,
        head: &head.hash,
        option: asked.action,
        because: &because(asked),
    }))
}

/// Resolves. `approve` is asked with the exact words before anything is written.
pub fn resolve(
    project: &Project,
    asked: &Asked<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Resolved, EngineError> {
    let (name, escalation) = escalated(project, asked.escalation)?;
    if escalation.resolved.is_some() {
        return Err(EngineError::user(
            "escalation_resolved",
            format!("`{}` is resolved already", asked.escalation),
            format!("`proofhouse factory status {name}` shows what waits"),
        ));
    }
    let word = Word {
        option: asked.action,
        because: &because(asked),
        with: with(asked, &escalation)?,
    };
    decision::take(project, &name, word, approve, || Ok(()))
}
