//! `no_objection`: the agent's own result may hold the gate shut. It is never the reason why a gate
//! opens: without an objection it says only that there was none.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::settings::{Choice, Text, Texts, Words};
use crate::text::{answer, first_few, listed, one_line, several_lines};
use kernel::finding::{Finding, FindingKind};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The agent's result has no verdict `fail` and no finding that holds.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoObjection {
    /// Judge the last result of this role, not the present one.
    role: Option<Text>,
    /// Severities with which a finding is a remark and holds nothing; none.
    #[serde(default)]
    harmless: Texts,
    /// A finding without a `severity`: `holds` or `passes`; holds. One that says its kind and its
    /// severity holds by these.
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
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
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
            (false, 0) if result.is_null() => Ok(answer(
                Self::NAME,
                Verdict::Pass,
                "nobody objects: no agent has spoken here yet",
            )),
            (false, 0) => Ok(answer(
                Self::NAME,
                Verdict::Pass,
                "the agent does not object",
            )),
            (true, 0) => {
                let said = result["summary"].as_str().unwrap_or_default();
                let mut against = answer(Self::NAME, Verdict::Fail, "the agent's verdict is fail");
                against.details = several_lines(said);
                Ok(against)
            }
            (_, count) => {
                let short: Vec<String> = findings
                    .iter()
                    .map(|one| one_line(&sentence(one), 80))
                    .collect();
                let many = if count == 1 { "finding" } else { "findings" };
                let reason = format!("the agent has {count} {many}: {}", first_few(&short, 3));
                let mut against = answer(Self::NAME, Verdict::Fail, reason);
                against.details =
                    listed(&findings.iter().map(|one| whole(one)).collect::<Vec<_>>());
                Ok(against)
            }
        }
    }
}

impl NoObjection {
    /// Whatever is not plainly nothing is a finding: a wrong shape must not open the gate.
    fn holding<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let one = std::slice::from_ref(value);
        let all = match value {
            Value::Null | Value::Bool(false) => &[],
            Value::Array(list) => list.as_slice(),
            Value::Object(map) if map.is_empty() => &[],
            Value::String(text) if text.trim().is_empty() => &[],
            _ => one,
        };
        let by_word = |finding: &&Value| match finding["severity"].as_str() {
            None => self
                .untyped
                .is_none_or(|untyped| *untyped == Untyped::Holds),
            Some(severity) => {
                let same = |harmless: &String| harmless.eq_ignore_ascii_case(severity.trim());
                !self.harmless.iter().any(same)
            }
        };
        let holds = |finding: &&Value| match Finding::of(finding) {
            // Who says that the proof was gamed has not agreed, however lightly it is said.
            Some(typed) => typed.holds() || typed.kind == FindingKind::Cheat,
            None => by_word(finding),
        };
        all.iter().filter(holds).collect()
    }
}

fn sentence(finding: &Value) -> String {
    let said = SENTENCES.iter().find_map(|key| finding[*key].as_str());
    match said.or(finding.as_str()) {
        Some(text) => text.to_owned(),
        None => finding.to_string(),
    }
}

/// What stands beside the sentence (file, line, severity) is part of the finding.
fn whole(finding: &Value) -> String {
    if let Some(typed) = Finding::of(finding) {
        return typed.to_string();
    }
    match finding.as_object().filter(|all| all.len() > 1) {
        Some(_) => format!("{} {finding}", sentence(finding)),
        None => sentence(finding),
    }
}
