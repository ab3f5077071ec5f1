//! The table of who judges which text: a check, a role that answers a question, or a person. A workflow
//! that has one leaves no text out that a gate asks for: what nobody judges, nobody should write.

use super::Loader;
use crate::raw::{RawCheck, RawState, RawWorkflow};
use crate::workflow::Judged;
use kernel::table::Kind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Checks that see whether a text says anything. What it says is judged by others.
const OF_PRESENCE: [&str; 2] = ["sections", "fields"];
/// Where the fields of the state file stand in the table.
const FIELDS: &str = "fields";

pub(super) fn judged(loader: &mut Loader<'_>, raw: &RawWorkflow) -> Vec<Judged> {
    if raw.judged.is_empty() {
        return Vec::new();
    }
    let asked = asked(raw);
    for (file, text) in &asked {
        let row = raw.judged.get(file).map(|rows| rows.get_ref());
        if !row.is_some_and(|rows| rows.contains_key(text)) {
            let what = format!("a gate asks for `{text}` of `{file}`, and nobody judges it");
            let mend = "add it to [judged.\"FILE\"] with `check NAME in STATE`, `question ID in STATE` or `person in STATE`, or do not ask for it";
            let at = raw
                .judged
                .values()
                .next()
                .map_or(0, |rows| rows.span().start);
            loader.problem("unjudged_text", at, what, mend);
        }
    }
    let mut judged = Vec::new();
    for (file, rows) in &raw.judged {
        let at = rows.span().start;
        for (text, by) in rows.get_ref() {
            if !asked.contains(&(file.clone(), text.clone())) {
                let what = format!("`{text}` of `{file}` is judged, and no gate asks for it");
                loader.problem(
                    "unjudged_text",
                    at,
                    what,
                    "remove the row, or correct the name",
                );
            }
            if let Err(why) = judge(raw, by) {
                let what = format!("`{text}` of `{file}` is judged by `{by}`: {why}");
                let mend =
                    "write `check NAME in STATE`, `question ID in STATE` or `person in STATE`";
                loader.problem("unknown_judge", at, what, mend);
            }
            judged.push(Judged {
                file: file.clone(),
                text: text.clone(),
                by: by.clone(),
            });
        }
    }
    judged
}

/// Every text that a gate asks for: a file and a heading, or `fields` and a field.
fn asked(raw: &RawWorkflow) -> BTreeSet<(String, String)> {
    let states = raw.state.values().map(|state| state.get_ref());
    let checks = states.flat_map(|state| &state.gate);
    let mut asked = BTreeSet::new();
    for check in checks {
        let RawCheck::Settings(with) = check else {
            continue;
        };
        let text = |key: &str| with.get(key).and_then(Value::as_str).map(str::to_owned);
        let texts = |key: &str| {
            let list = with
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            list.filter_map(Value::as_str).map(str::to_owned)
        };
        if let Some(file) = text("file") {
            let headings = texts("headings").chain(text("section"));
            asked.extend(headings.map(|heading| (file.clone(), heading)));
        }
        asked.extend(texts("required").map(|field| (FIELDS.to_owned(), field)));
    }
    asked
}

fn judge(raw: &RawWorkflow, by: &str) -> Result<(), String> {
    let (who, state) = by.rsplit_once(" in ").ok_or("it names no state")?;
    let found = raw.state.get(state).map(|found| found.get_ref());
    let found = found.ok_or_else(|| format!("there is no state `{state}`"))?;
    match who.split_once(' ') {
        Some(("check", name)) if OF_PRESENCE.contains(&name) => Err(format!(
            "`{name}` sees whether it says anything, and not what"
        )),
        Some(("check", name)) => match has(found, name) {
            true => Ok(()),
            false => Err(format!("the gate of `{state}` has no `{name}`")),
        },
        Some(("question", id)) => match found.questions.iter().any(|one| one.id == id) {
            true => Ok(()),
            false => Err(format!("`{state}` asks no `{id}`")),
        },
        None if who == "person" => match found.kind {
            Kind::Wait | Kind::Rest => Ok(()),
            Kind::Work | Kind::Gate | Kind::End => Err(format!("no person decides in `{state}`")),
        },
        _ => Err("that is nobody".to_owned()),
    }
}

fn has(state: &RawState, name: &str) -> bool {
    let named = |check: &RawCheck| match check {
        RawCheck::Name(one) => one == name,
        RawCheck::Settings(with) => {
            let settings: &BTreeMap<String, Value> = with;
            settings.get("check").and_then(Value::as_str) == Some(name)
        }
    };
    state.gate.iter().any(named)
}
