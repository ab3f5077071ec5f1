//! `promotion`: what an agent wants in the next snapshot rests on evidence that the run knows. It
//! refuses a fact without evidence, evidence that nobody left, and an issue without its one next
//! action.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::substance::hollow;
use crate::settings::{Choices, Text, Texts, Words};
use crate::text::{first_few, one_line};
use documents::substance::{alike, little};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The result's `snapshot` promotes facts with evidence that the run knows, and nothing else.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Promotion {
    /// The keys that the draft may have here.
    may: Choices<Key>,
    /// Those of them that must have something in them, here or in the snapshot.
    #[serde(default)]
    must: Choices<Key>,
    /// A step that may be asked for instead, with an open issue, where what must be there is missing.
    unless: Option<Text>,
    /// Fields with commands: each criterion is `{text, by}`, and `by` is one of these commands, one that
    /// a person set, or `audit`.
    #[serde(default)]
    tied: Texts,
}

/// A key of a draft.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(&'static str);

impl Words for Key {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("constraints", Self("constraints")),
        ("criteria", Self("criteria")),
        ("facts", Self("facts")),
        ("retract", Self("retract")),
        ("open", Self("open")),
        ("resolve", Self("resolve")),
    ];
}

/// Why an agent closes no such issue.
pub(super) const OF_A_PERSON: &str =
    "was opened by a person, who closes it when they have seen the work: leave it open";

const NEXT: [&str; 3] = ["fix", "re-scout", "re-plan"];

impl Judge for Promotion {
    const NAME: &'static str = "promotion";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let draft = subject
            .result
            .map_or(&Value::Null, |result| &result["snapshot"]);
        let Some(map) = draft.as_object() else {
            return Err("the result has no `snapshot` object".to_owned().into());
        };
        let mut wrong = Vec::new();
        let other: Vec<&str> = map
            .keys()
            .map(String::as_str)
            .filter(|key| !self.may.iter().any(|Key(may)| may == key))
            .collect();
        if !other.is_empty() {
            wrong.push(format!("not allowed here: {}", other.join(", ")));
        }
        let says = |value: &Value| {
            value
                .as_str()
                .is_some_and(|text| hollow(subject, text, "").is_none())
        };
        // Whoever finds nothing to promote, and says what is missing, is honest.
        let asks = subject.result.and_then(|result| result["next"].as_str());
        let instead = asks.is_some()
            && asks == self.unless.as_deref()
            && items(draft, "open").next().is_some();
        for Key(key) in self.must.iter().filter(|_| !instead) {
            // Constraints and criteria can be cited like facts, and are none of the repository.
            let kind = if *key == "facts" { "retractable" } else { *key };
            let had = subject
                .known
                .get(kind)
                .is_some_and(|names| !names.is_empty());
            if !had && !items(draft, key).any(|item| says(item) || says(&item["text"])) {
                wrong.push(format!("`{key}` is empty"));
            }
        }
        let known = |kind: &str, id: &str| {
            let names = subject.known.get(kind);
            names.is_some_and(|names| names.contains(id))
        };
        for fact in items(draft, "facts") {
            let whole = fact["text"].as_str().unwrap_or_default();
            let text = one_line(whole, 60);
            match hollow(subject, whole, "").or_else(|| little(whole)) {
                None => {}
                Some(why) if why.is_blank() => wrong.push("a fact has no `text`".to_owned()),
                Some(why) => wrong.push(format!("a fact's text `{text}` {why}")),
            }
            let ids: Vec<&str> = items(fact, "evidence").filter_map(Value::as_str).collect();
            if ids.is_empty() {
                wrong.push(format!("`{text}` has no evidence"));
            }
            if !ids.is_empty() && ids.iter().all(|id| known("questions", id)) {
                wrong.push(format!(
                    "`{text}` rests on an open question, and on no finding"
                ));
            }
            for id in ids.iter().filter(|id| !known("evidence", id)) {
                let id = one_line(id, 40);
                wrong.push(format!(
                    "`{text}` rests on {id}, which the run does not know"
                ));
            }
        }
        for key in ["facts", "criteria"] {
            let texts = items(draft, key).enumerate();
            let named: Vec<(String, &str)> = texts
                .map(|(at, one)| {
                    let text = one["text"].as_str().or_else(|| one.as_str());
                    (format!("{key} {}", at + 1), text.unwrap_or_default())
                })
                .collect();
            wrong.extend(alike(
                named.iter().map(|(name, text)| (name.as_str(), *text)),
            ));
        }
        if !self.tied.is_empty() {
            wrong.extend(items(draft, "criteria").filter_map(|one| self.untied(subject, one)));
        }
        for id in items(draft, "retract") {
            let id = id.as_str().unwrap_or_default();
            if !known("retractable", id) {
                wrong.push(format!("{} cannot be taken back", one_line(id, 40)));
            }
        }
        for issue in items(draft, "open") {
            let next = issue["next"].as_str().unwrap_or_default();
            if !says(&issue["text"]) || !NEXT.contains(&next) {
                wrong.push(format!(
                    "an open issue needs one `next` of {}",
                    NEXT.join(", ")
                ));
            }
        }
        for one in items(draft, "resolve") {
            let (id, by) = (one["id"].as_str(), one["by"].as_str());
            let (id, by) = (id.unwrap_or_default(), by.unwrap_or_default());
            if known("people's issues", id) {
                let id = one_line(id, 40);
                wrong.push(format!("`{id}` {OF_A_PERSON}"));
            } else if !known("issues", id) || !known("evidence", by) {
                let (id, by) = (one_line(id, 40), one_line(by, 40));
                wrong.push(format!(
                    "`{id}` by `{by}`: one of them is a name which the run does not know"
                ));
            }
        }
        if wrong.is_empty() {
            return Ok(format!(
                "{} facts with their evidence",
                items(draft, "facts").count()
            ));
        }
        Err(first_few(&wrong, 3).into())
    }
}

impl Promotion {
    /// Why a criterion can be checked by nobody.
    fn untied(&self, subject: &Subject<'_>, criterion: &Value) -> Option<String> {
        let whole = criterion["text"].as_str().unwrap_or_default();
        let text = one_line(whole, 60);
        let by = criterion["by"].as_str().unwrap_or_default().trim();
        let by = by.trim_matches('`');
        if hollow(subject, whole, "criterion").is_some() {
            return Some("a criterion needs `text` and `by`".to_owned());
        }
        if let Some(why) = little(whole) {
            return Some(format!("the criterion `{text}` {why}"));
        }
        let mut fields = self
            .tied
            .iter()
            .filter_map(|field| subject.fields.get(field));
        let is_gate = fields.any(|text| match kernel::pattern::quoted(text) {
            quoted if quoted.is_empty() => text.trim() == by,
            quoted => quoted.contains(&by),
        });
        let is_set = subject.commands.iter().any(|command| command == by);
        (by != "audit" && !is_gate && !is_set).then(|| {
            let by = one_line(by, 60);
            format!(
                "`{text}` is judged by `{by}`, which is neither a command of a gate nor `audit`"
            )
        })
    }
}

fn items<'v>(draft: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    draft[key].as_array().into_iter().flatten()
}
