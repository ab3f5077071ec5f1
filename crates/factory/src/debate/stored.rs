//! What was said in a debate as the documents that are stored: the same words, with the ids that the
//! engine gives, and a person's name where a person spoke in a role's place.

use super::{Criterion, Mark, Trail};
use crate::project::types::{ExceptionId, ModuleRef, TaskId, mint};
use kernel::EffectId;
use serde_json::{Value, json};

/// What an artifact of a debate is called: which kind, and how many there were before it.
fn id(prefix: &str, run: &str, target: &str, before: usize) -> String {
    mint(prefix, run, &format!("{target}/{before}"))
}

fn picked(value: &Value, names: &[&str]) -> Value {
    let has = names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), value.get(*name)?.clone())));
    Value::Object(has.collect())
}

/// A person's name, where a person spoke in a role's place.
fn spoken(value: &Value, member: &str) -> Value {
    let text = value[member].as_str().unwrap_or_default();
    match value.get("by").and_then(Value::as_str) {
        Some(who) => json!(format!("{text} (by {who})")),
        None => json!(text),
    }
}

pub(crate) fn proposal(run: &str, target: &str, before: usize, said: &Value) -> Value {
    let mut document = picked(said, &["deliverable_ref", "acceptance_checks"]);
    document["claim"] = spoken(said, "claim");
    document["proposal_id"] = json!(id("PROP", run, target, before));
    document["target_artifact_id"] = json!(target);
    document
}

pub(crate) fn challenge(run: &str, target: &str, before: usize, said: &Value) -> Value {
    let own = id("CHAL", run, target, before);
    let members = [
        "verdict",
        "failures",
        "optional_alternative_ref",
        "rubric_assessments",
    ];
    let mut document = picked(said, &members);
    if document.get("rubric_assessments").is_none() {
        // The compliance gate's word in the place of a challenge that stayed mild.
        let blank = |criterion: &Criterion| {
            json!({
                "criterion": criterion, "assessment": Mark::NotMet,
                "evidence": "no compliant assessment of inputs, outputs, errors, effects and modes was given",
            })
        };
        let blanks: Vec<Value> = Criterion::ALL.iter().map(blank).collect();
        document["rubric_assessments"] = json!(blanks);
    }
    document["challenge_id"] = json!(own);
    document["target_artifact_id"] = json!(target);
    document
}

pub(crate) fn adjudication(run: &str, target: &str, before: usize, said: &Value) -> Value {
    let mut document = picked(said, &["decision", "amendments", "ship_directive"]);
    if document.get("amendments").is_none() {
        document["amendments"] = json!([]);
    }
    document["rationale"] = spoken(said, "rationale");
    document["adjudication_id"] = json!(id("ADJ", run, target, before));
    document["target_artifact_id"] = json!(target);
    document
}

/// Everything that was said, as documents with their ids.
pub(crate) fn documents(run: &str, target: &str, trail: &Trail) -> Trail {
    type Make = fn(&str, &str, usize, &Value) -> Value;
    let all = |list: &[Value], make: Make| {
        let all = list.iter().enumerate();
        all.map(|(at, said)| make(run, target, at, said)).collect()
    };
    Trail {
        proposals: all(&trail.proposals, proposal),
        challenges: all(&trail.challenges, challenge),
        adjudications: all(&trail.adjudications, adjudication),
    }
}

/// The artifact that a module's debate is about. It has one for each debate: what is begun anew after
/// a person's answer is another deliverable.
pub(crate) fn target(
    run: &str,
    task: &TaskId,
    module: &ModuleRef,
    opened: Option<EffectId>,
) -> String {
    let opened = opened.map_or(0, |effect| effect.0);
    mint("IMPL", run, &format!("{task}/{module}/{opened}"))
}

/// The artifact that the debate of a change is about.
pub(crate) fn change_target(run: &str, exception: &ExceptionId) -> String {
    mint("CTR", run, exception.as_str())
}
