//! `no_finding`: nobody has raised a finding of a kind that must not be passed over. Findings are
//! not weighed: one that sounds like the kind is of the kind.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::settings::Texts;
use crate::text::{answer, first_few, listed, one_line};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The agent's result has no finding that mentions one of these words.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoFinding {
    /// The words, or their beginnings.
    mentions: Texts,
}

impl Judge for NoFinding {
    const NAME: &'static str = "no_finding";
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let findings = match subject.result.map(|result| &result["findings"]) {
            Some(Value::Array(findings)) => findings.as_slice(),
            _ => &[],
        };
        let words: Vec<String> = self
            .mentions
            .iter()
            .map(|word| word.to_lowercase())
            .collect();
        let sounds = |text: &str| {
            let lower = text.to_lowercase();
            let mut said = lower.split(|char: char| !char.is_alphanumeric());
            said.any(|said| words.iter().any(|word| said.starts_with(word.as_str())))
        };
        let raised: Vec<String> = findings
            .iter()
            .map(|finding| match finding {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            })
            .filter(|text| sounds(text))
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
