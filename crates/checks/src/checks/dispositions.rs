//! `dispositions`: what another role has reported is answered, item by item. It refuses an item that is
//! passed over, one that is dropped without a reason, and a promotion that promotes nothing. Whether an
//! answer is wise, it cannot tell.

use crate::Subject;
use crate::checks::promotion::OF_A_PERSON;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::substance::hollow;
use crate::settings::{Text, Texts};
use crate::text::{first_few, one_line};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Every item of a role's report, and every open issue, has a disposition in the result.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Dispositions {
    /// The role whose last result is answered.
    role: Text,
    /// The object's key in that result.
    key: Text,
    /// Its lists: each of their texts is an item, `LIST N`.
    lists: Texts,
}

impl Judge for Dispositions {
    const NAME: &'static str = "dispositions";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let Some(report) = subject.results.get(&*self.role) else {
            let why = format!("the role `{}` has left no result in this run", self.role);
            return Err(Trouble::CouldNotRun(why));
        };
        let report = &report.value[&*self.key];
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for list in self.lists.iter() {
            let count = report[list].as_array().map_or(0, Vec::len);
            wanted.extend((1..=count).map(|nth| format!("{list} {nth}")));
        }
        wanted.extend(subject.known.get("issues").into_iter().flatten().cloned());
        let nothing = Value::Null;
        let result = subject.result.unwrap_or(&nothing);
        let given = result["dispositions"].as_array().into_iter().flatten();
        let mut wrong = Vec::new();
        let mut seen = BTreeSet::new();
        for one in given {
            let of = one["of"].as_str().unwrap_or_default();
            let shown = one_line(of, 40);
            // What a gate or a person has opened needs no answer, and may be called open all the same.
            let of_gate = of.starts_with("I-") && one["as"] == "open";
            let new = seen.insert(of.to_owned());
            let people = subject.known.get("people's issues");
            if people.is_some_and(|ids| ids.contains(of)) && !of_gate {
                wrong.push(format!("`{shown}` {OF_A_PERSON}"));
                continue;
            }
            match (wanted.remove(of), new) {
                (_, false) => wrong.push(format!("`{shown}` stands twice")),
                (false, true) if !of_gate => {
                    wrong.push(format!(
                        "`{shown}` is no item of the report and no open issue"
                    ));
                }
                _ => {}
            }
            wrong.extend(fault(subject, one, result).map(|why| format!("`{shown}` {why}")));
        }
        // Who closes an issue has said what became of it.
        let closed = result["snapshot"]["resolve"].as_array();
        for one in closed.into_iter().flatten() {
            wanted.remove(one["id"].as_str().unwrap_or_default());
        }
        if !wanted.is_empty() {
            let left: Vec<&String> = wanted.iter().collect();
            wrong.push(format!("without a disposition: {}", first_few(&left, 8)));
        }
        if wrong.is_empty() {
            return Ok("every item has its disposition".to_owned());
        }
        Err(first_few(&wrong, 3).into())
    }
}

/// What is wrong with one disposition.
fn fault(subject: &Subject<'_>, one: &Value, result: &Value) -> Option<&'static str> {
    let some = |key: &str| {
        let items = result["snapshot"][key].as_array();
        items.is_some_and(|items| !items.is_empty())
    };
    match one["as"].as_str().unwrap_or_default() {
        "promoted" if some("facts") || some("retract") || some("resolve") => None,
        "promoted" => Some("is promoted, and the draft has no fact"),
        "open" if some("open") || one["of"].as_str().is_some_and(|of| of.starts_with("I-")) => None,
        "open" => Some("is open, and the draft opens no issue"),
        "dropped" => {
            let because = one["because"].as_str().unwrap_or_default();
            hollow(subject, because, "")
                .map(|_| "is dropped without a reason (`because`) that says something")
        }
        _ => Some("is none of promoted, dropped, open"),
    }
}
