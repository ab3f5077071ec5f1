//! `no_objection`: the agent's own result may hold the gate shut. It refuses to be the reason why
//! a gate opens: without an objection it says only that there was none.

use crate::settings::Settings;
use crate::text::{answer, first_few, one_line};
use crate::{Check, Example, Setting, Subject};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};

/// The check.
pub(crate) struct NoObjection;

/// Where an agent's finding may keep its sentence.
const SENTENCES: [&str; 6] = [
    "summary",
    "title",
    "message",
    "what",
    "description",
    "finding",
];

impl Check for NoObjection {
    fn name(&self) -> &'static str {
        "no_objection"
    }

    fn about(&self) -> &'static str {
        "the agent's result has no verdict `fail` and no findings"
    }

    fn settings(&self) -> &'static [Setting] {
        const {
            &[Setting::optional(
                "role",
                "judge the last result of this role, not the present one",
            )]
        }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        role(self, with).map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let nothing = Value::Null;
        let result = match role(self, with) {
            Err(why) => return vec![answer(self.name(), Verdict::CouldNotRun, &why)],
            Ok(None) => subject.result.unwrap_or(&nothing),
            // A role that has not spoken has not agreed either.
            Ok(Some(role)) => match subject.results.get(&role) {
                Some(result) => &result.value,
                None => {
                    let why = format!("the role `{role}` has left no result in this run");
                    return vec![answer(self.name(), Verdict::CouldNotRun, &why)];
                }
            },
        };
        let findings = findings(&result["findings"]);
        let against = result["verdict"]
            .as_str()
            .is_some_and(|verdict| verdict.trim().eq_ignore_ascii_case("fail"));
        let (verdict, reason) = match (against, findings.is_empty()) {
            (false, true) => (Verdict::Pass, "the agent does not object".to_string()),
            (true, true) => (Verdict::Fail, "the agent's verdict is fail".to_string()),
            (_, false) => {
                let count = findings.len();
                let first = first_few(&findings, 3);
                (
                    Verdict::Fail,
                    format!("the agent has {count} findings: {first}"),
                )
            }
        };
        vec![answer(self.name(), verdict, &reason)]
    }

    fn examples(&self) -> Vec<Example> {
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
            Example::cannot_run(
                "a setting that is not there",
                json!({"strict": true}),
                "allowed keys: role",
            ),
        ]
    }
}

fn role(check: &NoObjection, with: &Value) -> Result<Option<String>, String> {
    let settings = Settings::open(check, with)?;
    Ok(settings.text("role")?.map(str::to_owned))
}

/// Whatever is not plainly nothing is a finding: a wrong shape must not open the gate.
fn findings(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Array(list) => list.iter().map(sentence).collect(),
        Value::Object(map) if map.is_empty() => Vec::new(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        other => vec![sentence(other)],
    }
}

fn sentence(finding: &Value) -> String {
    let said = SENTENCES.iter().find_map(|key| finding[*key].as_str());
    match said.or(finding.as_str()) {
        Some(text) => one_line(text, 80),
        None => one_line(&finding.to_string(), 80),
    }
}
