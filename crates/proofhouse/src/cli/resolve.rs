//! `proofhouse resolve`: a person's resolution of an escalation of the factory.

use super::args::Resolve;
use super::out::{Out, Tone};
use super::{decide, exit, signing};
use ::factory::halt::Action;
use engine::approval::Words;
use engine::factory::Asked;
use serde_json::{Map, Value};
use workspace::{EngineError, Project};

pub(crate) fn resolve(project: &Project, args: &Resolve, out: &Out) -> Result<u8, EngineError> {
    let payload = match &args.payload {
        None => members(args)?,
        Some(path) => decide::payload(path)?,
    };
    let asked = Asked {
        escalation: &args.escalation,
        action: &args.action,
        payload: &payload,
        because: &args.because,
    };
    if args.signing.message {
        return signing::show(&engine::factory::message(project, &asked)?);
    }
    let approve = |words: &Words<'_>| signing::approved(project, &args.signing, words);
    let resolved = engine::factory::resolve(project, &asked, approve)?;
    if out.json {
        out.facts(&serde_json::json!({"project": resolved.name, "status": resolved.status}));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} {}: `{}` is on record\nnext: proofhouse factory run {}",
        out.paint(Tone::Good, "resolved"),
        args.escalation,
        args.action,
        resolved.name
    ));
    Ok(exit::OK)
}

/// The payload as flags give it: texts, and lists where the action takes one.
fn members(args: &Resolve) -> Result<Value, EngineError> {
    let action = Action::of(&args.action);
    let mut payload = Map::new();
    for (name, value) in &args.set {
        let value = Value::String(value.clone());
        let holds_list = action.is_some_and(|action| action.takes_list(name));
        match payload.get_mut(name) {
            Some(Value::Array(list)) => list.push(value),
            Some(_) => {
                return Err(EngineError::user(
                    "payload_malformed",
                    format!("`{name}` is set twice, and is no list"),
                    "set it once",
                ));
            }
            None if holds_list => {
                payload.insert(name.clone(), Value::Array(vec![value]));
            }
            None => {
                payload.insert(name.clone(), value);
            }
        }
    }
    Ok(Value::Object(payload))
}
