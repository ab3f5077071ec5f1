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
    kinds: Option<Texts>,
    /// Words or their beginnings, of runs that began before findings had kinds.
    mentions: Option<Texts>,
}

impl NoFinding {
    fn names(&self, kind: FindingKind) -> bool {
        let mut kinds = self.kinds.iter().flat_map(|kinds| kinds.iter());
        kinds.any(|wanted| wanted == kind.as_str())
    }

    fn mentions(&self, finding: &Value) -> bool {
        let text = match finding {
            Value::String(text) => text.to_lowercase(),
            other => other.to_string().to_lowercase(),
        };
        let mut said = text.split(|char: char| !char.is_alphanumeric());
        let words = || self.mentions.iter().flat_map(|words| words.iter());
        said.any(|said| words().any(|word| said.starts_with(&word.to_lowercase())))
    }
}

impl Judge for NoFinding {
    const NAME: &'static str = "no_finding";
    type Answer = Judged<CheckResult>;

    fn lint(&self) -> Result<(), SettingsError> {
        let known = |kinds: &Texts| kinds.iter().all(|kind| FindingKind::of(kind).is_some());
        match self.kinds.as_ref().is_some_and(known) || self.mentions.is_some() {
            true => Ok(()),
            false => Self::refuse(
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
            kind.is_some_and(|kind| self.names(kind)) || self.mentions(finding)
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
