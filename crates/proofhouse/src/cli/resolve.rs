//! `proofhouse resolve`: a person's resolution of an escalation of the factory.

use super::args::Resolve;
use super::out::{Out, Tone};
use super::{exit, payload, signing};
use ::factory::halt::Action;
use engine::approval::Words;
use engine::factory::Asked;
use serde_json::{Map, Value};
use workspace::{EngineError, Project};

pub(crate) fn resolve(project: &Project, args: &Resolve, out: &Out) -> Result<u8, EngineError> {
    if args.payload.is_none() && args.set.is_empty() {
        let blank = engine::factory::blank(project, &args.escalation, &args.action)?;
        if let Some(blank) = blank {
            return Err(unfilled(args, &blank, out));
        }
    }
    let payload = match &args.payload {
        None => members(args)?,
        Some(path) => payload::read(path)?,
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

/// Shows the payload that is wanted, by itself on standard output, so that it can be kept and edited.
fn unfilled(args: &Resolve, blank: &Value, out: &Out) -> EngineError {
    let members = blank.as_object().into_iter().flat_map(|one| one.keys());
    let members: Vec<String> = members.map(|name| format!("`{name}`")).collect();
    let (what, action) = (members.join(", "), &args.action);
    let set = match Action::of(action) {
        Some(Action::RevisePlan | Action::SplitTask | Action::ProvideFix) | None => "",
        Some(_) => ", or give each member by `--set NAME=VALUE`",
    };
    match out.json {
        true => out.facts(&serde_json::json!({"payload": blank})),
        false => out.line(&serde_json::to_string_pretty(blank).unwrap_or_default()),
    }
    EngineError::user(
        "payload_member_missing",
        format!("{action} needs a payload: {what} is missing"),
        format!(
            "keep what was printed as FILE, edit it, and hand it back with `--payload FILE`{set}"
        ),
    )
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
