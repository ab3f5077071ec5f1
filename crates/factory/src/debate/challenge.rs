//! The compliance gate for challenges (sections 9.4 and 9.5). A review that is mild, vague or at
//! odds with itself is no challenge; after two more tries it counts as a FAIL of its own making.

use super::{Assessment, Challenge, Criterion, Failure, Met, Verdict, target};
use crate::deficiency::{Deficiency, Report};
use crate::findings::{id, said};
use crate::ids;
use crate::schema::Judged;

/// Evidence of fewer words cites nothing.
const FEWEST_WORDS: usize = 4;

/// Words that make no evidence, however many there are of them.
const MILD: [&str; 44] = [
    "a",
    "all",
    "and",
    "appears",
    "are",
    "as",
    "be",
    "checked",
    "code",
    "correct",
    "everything",
    "expected",
    "fine",
    "good",
    "great",
    "implementation",
    "in",
    "is",
    "it",
    "looks",
    "met",
    "minor",
    "nice",
    "no",
    "ok",
    "okay",
    "overall",
    "pass",
    "passes",
    "problems",
    "proper",
    "properly",
    "reasonable",
    "seems",
    "suggestions",
    "that",
    "the",
    "this",
    "to",
    "verified",
    "very",
    "well",
    "with",
    "works",
];

/// What the evidence for R1 must speak of (section 9.5: every dimension, explicitly).
const DIMENSIONS: [(&str, &[&str]); 5] = [
    ("inputs", &["input"]),
    ("outputs", &["output"]),
    ("error surfaces", &["error", "exception"]),
    ("effects", &["effect"]),
    ("modes", &["mode", "sync"]),
];

impl Judged for Challenge {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(
            &mut found,
            "$",
            "challenge_id",
            ids::CHALLENGE,
            &self.challenge_id,
        );
        target(&mut found, &self.target_artifact_id);
        for (index, failure) in self.failures.iter().enumerate() {
            let path = format!("$.failures[{index}]");
            said(&mut found, &path, "invariant", &failure.invariant);
            said(&mut found, &path, "evidence", &failure.evidence);
            said(
                &mut found,
                &path,
                "required_change",
                &failure.required_change,
            );
        }
        self.rubric(&mut found);
        self.verdict(&mut found);
        found.into_iter().collect()
    }
}

impl Challenge {
    fn rubric(&self, found: &mut Vec<Deficiency>) {
        let mut say = |code, field: String, message: String| {
            found.push(Deficiency::error(code, "$", field, message));
        };
        for criterion in Criterion::ALL {
            let mut entries = self.rubric_assessments.iter();
            let count = entries
                .by_ref()
                .filter(|a| a.criterion == criterion)
                .count();
            if count != 1 {
                let message = format!("{criterion:?} is assessed {count} times, not once");
                say(
                    "rubric_incomplete",
                    "rubric_assessments".to_owned(),
                    message,
                );
            }
        }
        for (index, assessment) in self.rubric_assessments.iter().enumerate() {
            let field = format!("rubric_assessments[{index}].evidence");
            if is_mild(&assessment.evidence) {
                let message = format!(
                    "{:?} wants specific evidence: a test, a contract field, a behaviour",
                    assessment.criterion
                );
                say("mild_evidence", field.clone(), message);
            }
            if assessment.criterion == Criterion::R1 {
                for dimension in unspoken(&assessment.evidence) {
                    let message = format!("R1 says nothing about {dimension}");
                    say("dimension_unchecked", field.clone(), message);
                }
            }
        }
    }

    fn verdict(&self, found: &mut Vec<Deficiency>) {
        let not_met = |a: &&Assessment| a.assessment == Met::NotMet;
        let lacking = self.rubric_assessments.iter().filter(not_met).count();
        let message = match self.verdict {
            Verdict::Pass if lacking > 0 => "PASS although a criterion is NOT_MET",
            Verdict::Pass if !self.failures.is_empty() => "PASS although failures are listed",
            Verdict::Fail if lacking == 0 && self.failures.is_empty() => {
                "FAIL although nothing is NOT_MET and no failure is listed"
            }
            Verdict::Fail if self.failures.is_empty() => {
                "FAIL without a failure that says what must change"
            }
            Verdict::Pass | Verdict::Fail => return,
        };
        found.push(Deficiency::error(
            "verdict_contradicts",
            "$",
            "verdict",
            message,
        ));
    }

    /// What takes the place of a challenge that stayed non-compliant (section 9.5).
    pub fn mild_review(challenge_id: &str, target_artifact_id: &str, report: &Report) -> Self {
        let reasons: Vec<String> = report
            .errors
            .iter()
            .map(|found| format!("{}: {}", found.whole_path(), found.message))
            .collect();
        let assessments = Criterion::ALL.map(|criterion| Assessment {
            criterion,
            assessment: Met::NotMet,
            evidence:
                "no compliant assessment of inputs, outputs, errors, effects and modes was given"
                    .to_owned(),
        });
        Self {
            challenge_id: challenge_id.to_owned(),
            target_artifact_id: target_artifact_id.to_owned(),
            verdict: Verdict::Fail,
            failures: vec![Failure {
                invariant: "mild_review_violation".to_owned(),
                evidence: reasons.join("; "),
                required_change: "a challenge with specific evidence for R1 to R6".to_owned(),
            }],
            optional_alternative_ref: None,
            rubric_assessments: assessments.to_vec(),
        }
    }
}

/// Too short, or made of nothing but approving words.
fn is_mild(evidence: &str) -> bool {
    let words: Vec<String> = evidence
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.len() < FEWEST_WORDS || words.iter().all(|word| MILD.contains(&word.as_str()))
}

fn unspoken(evidence: &str) -> impl Iterator<Item = &'static str> {
    let lower = evidence.to_lowercase();
    DIMENSIONS
        .into_iter()
        .filter(move |(_, words)| !words.iter().any(|word| lower.contains(word)))
        .map(|(name, _)| name)
}
