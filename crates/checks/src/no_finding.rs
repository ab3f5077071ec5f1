//! `no_finding`: nobody has raised a finding of a kind that must not be passed over. It refuses to
//! weigh findings: one that sounds like the kind is of the kind.

use crate::settings::Settings;
use crate::text::{answer, first_few, one_line};
use crate::{Check, Example, Setting, Subject};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};

/// The check.
pub(crate) struct NoFinding;

impl Check for NoFinding {
    fn name(&self) -> &'static str {
        "no_finding"
    }

    fn about(&self) -> &'static str {
        "the agent's result has no finding that mentions one of these words"
    }

    fn settings(&self) -> &'static [Setting] {
        const {
            &[Setting::required(
                "mentions",
                "the words, or their beginnings",
            )]
        }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        Settings::open(self, with)?.list("mentions").map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let words = Settings::open(self, with).and_then(|settings| settings.list("mentions"));
        let words: Vec<String> = match words {
            Ok(words) => words
                .unwrap_or_default()
                .iter()
                .map(|word| word.to_lowercase())
                .collect(),
            Err(why) => return vec![answer(self.name(), Verdict::CouldNotRun, &why)],
        };
        let findings = match subject.result.map(|result| &result["findings"]) {
            Some(Value::Array(findings)) => findings.as_slice(),
            _ => &[],
        };
        let sounds = |text: &str| {
            let lower = text.to_lowercase();
            let mut said = lower.split(|char: char| !char.is_alphanumeric());
            said.any(|said| words.iter().any(|word| said.starts_with(word.as_str())))
        };
        let raised: Vec<String> = findings
            .iter()
            .map(|finding| match finding {
                Value::String(text) => one_line(text, 120),
                other => one_line(&other.to_string(), 120),
            })
            .filter(|text| sounds(text))
            .collect();
        let (verdict, reason) = match raised.is_empty() {
            true => (Verdict::Pass, "none was raised".to_owned()),
            false => (Verdict::Fail, first_few(&raised, 3)),
        };
        vec![answer(self.name(), verdict, &reason)]
    }

    fn examples(&self) -> Vec<Example> {
        let with = || json!({"mentions": ["security", "vulnerab"]});
        let result = |finding: &str| Some(json!({"summary": "x", "findings": [finding]}));
        vec![
            Example {
                result: result("naming: `x` says little"),
                ..Example::passes("another kind", with(), "none was raised")
            },
            Example {
                result: result("Security: the path is not checked"),
                ..Example::fails("of this kind", with(), "the path is not checked")
            },
            Example {
                result: result("minor: a known vulnerability in left-pad"),
                ..Example::fails("it sounds like it", with(), "left-pad")
            },
            Example::passes("no findings", with(), "none was raised"),
        ]
    }
}
