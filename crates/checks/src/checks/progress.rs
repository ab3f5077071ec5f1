//! `progress`: the attempt moved something that can be seen. It refuses to count a new time stamp
//! or a rewritten state file with the same fields.

use crate::judge::{Judge, Judged};
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// At least one of: code or doc change, state change, evidence gain, blocker clarification, risk
/// reduction.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Progress {}

const CLOCK: &str = "Last updated";
const STATE: &str = "task/STATE.md";

impl Judge for Progress {
    const NAME: &'static str = "progress";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let changed = |test: &dyn Fn(&str) -> bool| subject.changed.iter().any(|path| test(path));
        let differs =
            |field: &str| value(subject.fields, field) != value(subject.fields_before, field);
        let any_field = subject
            .fields
            .keys()
            .chain(subject.fields_before.keys())
            .any(|field| field != CLOCK && differs(field));
        let kinds = [
            (
                "code or doc change",
                changed(&|path| {
                    path.starts_with("repo/") || path.starts_with("task/") && path != STATE
                }),
            ),
            ("state change", any_field),
            (
                "evidence gain",
                changed(&|path| path.starts_with("task/artifacts/") || path == "task/EVIDENCE.md"),
            ),
            ("blocker clarification", differs("Blockers")),
            (
                "risk reduction",
                differs("Reality constraints") || differs("Risks"),
            ),
        ];
        let happened: Vec<&str> = kinds
            .iter()
            .filter(|(_, happened)| *happened)
            .map(|(kind, _)| *kind)
            .collect();
        if happened.is_empty() {
            let names = kinds.map(|(kind, _)| kind).join(", ");
            return Err(format!("none of the five happened: {names}").into());
        }
        Ok(happened.join(", "))
    }

    fn examples() -> Vec<Example> {
        vec![
            Example {
                changed: &["repo/src/lib.rs"],
                ..Example::passes("code changed", json!({}), "code or doc change")
            },
            Example {
                changed: &["task/artifacts/run.txt"],
                ..Example::passes("evidence came", json!({}), "evidence gain")
            },
            Example {
                changed: &[STATE],
                fields: &[("Next step", "write the parser")],
                fields_before: &[("Next step", "read the code")],
                ..Example::passes("a field changed", json!({}), "state change")
            },
            Example {
                fields: &[("Blockers", "needs the API key of the test account")],
                fields_before: &[("Blockers", "auth")],
                ..Example::passes("a blocker got clear", json!({}), "blocker clarification")
            },
            Example {
                fields_before: &[("Risks", "the parser may be slow")],
                ..Example::passes("a risk is gone", json!({}), "risk reduction")
            },
            Example::fails("nothing", json!({}), "none of the five happened"),
            Example {
                changed: &[STATE],
                fields: &[("Last updated", "today"), ("Objective", "x ")],
                fields_before: &[("Last updated", "yesterday"), ("Objective", "x")],
                ..Example::fails("a new time stamp", json!({}), "none of the five happened")
            },
            Example {
                result: Some(json!({"progress": "a lot"})),
                ..Example::fails("the agent's word", json!({}), "none of the five happened")
            },
        ]
    }
}

/// A missing field and an empty one are the same, and white space is no change.
fn value<'a>(fields: &'a BTreeMap<String, String>, field: &str) -> &'a str {
    fields.get(field).map_or("", |value| value.trim())
}
