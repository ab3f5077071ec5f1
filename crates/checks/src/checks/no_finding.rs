//! `no_finding`: nobody has raised a finding of a kind that must not be passed over. Findings are
//! not weighed: one that says that it is of the kind is, however grave, and no other is.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::settings::{SettingsError, Texts};
use crate::text::{answer, first_few, listed, one_line};
use kernel::finding::{FINDINGS, Finding, FindingKind};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The agent's result has no finding of one of these kinds.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoFinding {
    /// The kinds: security, correctness, scope, cheat, concurrency, architecture or style.
    kinds: Texts,
}

impl Judge for NoFinding {
    const NAME: &'static str = "no_finding";
    type Answer = Judged<CheckResult>;

    fn lint(&self) -> Result<(), SettingsError> {
        let unknown = |kind: &&String| FindingKind::of(kind).is_none();
        match self.kinds.iter().find(unknown) {
            None => Ok(()),
            Some(_) => Self::refuse(
                "needs `kinds` of findings: security, correctness, scope, cheat, concurrency, architecture or style",
            ),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let findings = match subject.result.map(|result| &result[FINDINGS]) {
            Some(Value::Array(findings)) => findings.as_slice(),
            _ => &[],
        };
        let wanted = |finding: &&Value| {
            let kind = Finding::kind_of(finding);
            kind.is_some_and(|kind| self.kinds.iter().any(|wanted| wanted == kind.as_str()))
        };
        let raised: Vec<String> = findings
            .iter()
            .filter(wanted)
            .map(|finding| match (finding, Finding::of(finding)) {
                (_, Some(typed)) => typed.to_string(),
                (Value::String(text), None) => text.clone(),
                (other, None) => other.to_string(),
            })
            .collect();
        if raised.is_empty() {
            return Ok(answer(Self::NAME, Verdict::Pass, "none was raised"));
        }
        let short: Vec<String> = raised.iter().map(|one| one_line(one, 120)).collect();
        let mut result = answer(Self::NAME, Verdict::Fail, first_few(&short, 3));
        result.details = listed(&raised);
        Ok(result)
    }
}
