//! `progress`: the attempt moved something that can be seen. A new time stamp or a rewritten state
//! file with the same fields is no progress.

use crate::Subject;
use crate::judge::{Judge, Judged};
use kernel::effect::REFUSED_HERE;
use schemars::JsonSchema;
use serde::Deserialize;
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
        // What a list of the state file says is no field: it was asked for, and is as it was wanted.
        let refused = subject.known.get(REFUSED_HERE).into_iter().flatten();
        let others = refused.filter(|check| !check.starts_with(Self::NAME));
        if happened.is_empty() && !subject.failing && others.count() > 0 {
            return Ok("what the gate refused before holds now".to_owned());
        }
        if happened.is_empty() {
            let names = kinds.map(|(kind, _)| kind).join(", ");
            return Err(format!("none of the five happened: {names}").into());
        }
        Ok(happened.join(", "))
    }
}

/// A missing field and an empty one are the same, and white space is no change.
fn value<'a>(fields: &'a BTreeMap<String, String>, field: &str) -> &'a str {
    fields.get(field).map_or("", |value| value.trim())
}
