//! `no_objection`: the agent's own result may hold the gate shut. It refuses to be the reason why
//! a gate opens: without an objection it says only that there was none.

use crate::judge::{Judge, Judged, Trouble};
use crate::settings::{Choice, Text, Texts, Words};
use crate::text::{first_few, one_line};
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The agent's result has no verdict `fail` and no findings.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoObjection {
    /// Judge the last result of this role, not the present one.
    role: Option<Text>,
    /// Severities with which a finding is a remark and holds nothing; none.
    #[serde(default)]
    harmless: Texts,
    /// A finding without a `severity`: `holds` or `passes`; holds.
    untyped: Option<Choice<Untyped>>,
}

/// What becomes of a finding that names no severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Untyped {
    Holds,
    Passes,
}

impl Words for Untyped {
    const WORDS: &'static [(&'static str, Self)] =
        &[("holds", Self::Holds), ("passes", Self::Passes)];
}

/// Where an agent's finding may keep its sentence.
const SENTENCES: [&str; 6] = [
    "summary",
    "title",
    "message",
    "what",
    "description",
    "finding",
];

impl Judge for NoObjection {
    const NAME: &'static str = "no_objection";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let nothing = Value::Null;
        let result = match self.role.as_deref() {
            None => subject.result.unwrap_or(&nothing),
            // A role that has not spoken has not agreed either.
            Some(role) => match subject.results.get(role) {
                Some(result) => &result.value,
                None => {
                    let why = format!("the role `{role}` has left no result in this run");
                    return Err(Trouble::CouldNotRun(why));
                }
            },
        };
        let findings = self.holding(&result["findings"]);
        let against = result["verdict"]
            .as_str()
            .is_some_and(|verdict| verdict.trim().eq_ignore_ascii_case("fail"));
        match (against, findings.len()) {
            (false, 0) => Ok("the agent does not object".to_owned()),
            (true, 0) => Err("the agent's verdict is fail".to_owned().into()),
            (_, count) => {
                let first = first_few(&findings, 3);
                Err(format!("the agent has {count} findings: {first}").into())
            }
        }
    }

    fn examples() -> Vec<Example> {
        let object = |result: Value, name: &'static str, reason: &'static str| Example {
            result: Some(result),
            ..Example::fails(name, json!({}), reason)
        };
        vec![
            Example {
                result: Some(json!({"verdict": "pass", "findings": []})),
                ..Example::passes("no findings", json!({}), "does not object")
            },
            Example::passes("no result at all", json!({}), "does not object"),
            object(json!({"verdict": "fail"}), "its verdict", "verdict is fail"),
            object(
                json!({"verdict": "pass", "findings": ["the test is skipped", {"title": "leak", "line": 3}]}),
                "findings weigh more than its verdict",
                "2 findings: the test is skipped, leak",
            ),
            object(
                json!({"findings": "the parser panics"}),
                "a finding that is not in a list",
                "1 findings: the parser panics",
            ),
            object(
                json!({"findings": [1, 2, 3, 4, 5]}),
                "the first ones are quoted",
                "5 findings: 1, 2, 3 and 2 more",
            ),
            Example {
                results: vec![("reviewer", json!({"findings": []}))],
                ..Example::passes(
                    "another role",
                    json!({"role": "reviewer"}),
                    "does not object",
                )
            },
            Example {
                result: Some(json!({"findings": []})),
                results: vec![("reviewer", json!({"findings": ["it leaks"]}))],
                ..Example::fails(
                    "another role's findings",
                    json!({"role": "reviewer"}),
                    "1 findings: it leaks",
                )
            },
            Example::cannot_run(
                "a role that has not spoken",
                json!({"role": "reviewer"}),
                "has left no result",
            ),
            Example {
                result: Some(
                    json!({"findings": [{"title": "a name", "severity": "Note"}, "a remark"]}),
                ),
                ..Example::passes(
                    "remarks, where the gate says what is one",
                    json!({"harmless": ["note"], "untyped": "passes"}),
                    "does not object",
                )
            },
            Example {
                result: Some(json!({"findings": [{"title": "a leak", "severity": "grave"}]})),
                ..Example::fails(
                    "a severity that is no remark's",
                    json!({"harmless": ["note"], "untyped": "passes"}),
                    "1 findings: a leak",
                )
            },
            Example {
                result: Some(json!({"findings": ["it leaks"]})),
                ..Example::fails(
                    "a finding without a severity",
                    json!({"harmless": ["note"]}),
                    "1 findings: it leaks",
                )
            },
            Example::cannot_run(
                "a setting that is not there",
                json!({"strict": true}),
                "allowed keys: harmless, role, untyped",
            ),
            Example::cannot_run(
                "another word for untyped",
                json!({"untyped": "maybe"}),
                "`holds` or `passes`",
            ),
        ]
    }
}

impl NoObjection {
    /// Whatever is not plainly nothing is a finding: a wrong shape must not open the gate.
    fn holding(&self, value: &Value) -> Vec<String> {
        let one = std::slice::from_ref(value);
        let all = match value {
            Value::Null | Value::Bool(false) => &[],
            Value::Array(list) => list.as_slice(),
            Value::Object(map) if map.is_empty() => &[],
            Value::String(text) if text.trim().is_empty() => &[],
            _ => one,
        };
        let holds = |finding: &&Value| match finding["severity"].as_str() {
            None => self
                .untyped
                .is_none_or(|untyped| *untyped == Untyped::Holds),
            Some(severity) => {
                let same = |harmless: &String| harmless.eq_ignore_ascii_case(severity.trim());
                !self.harmless.iter().any(same)
            }
        };
        all.iter().filter(holds).map(sentence).collect()
    }
}

fn sentence(finding: &Value) -> String {
    let said = SENTENCES.iter().find_map(|key| finding[*key].as_str());
    match said.or(finding.as_str()) {
        Some(text) => one_line(text, 80),
        None => one_line(&finding.to_string(), 80),
    }
}
