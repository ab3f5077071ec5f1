//! What a challenge must judge (section 9.4), what makes a module micro (10.4), and the gate that
//! finds mild reviews (9.5). Words are checked here, not truth: truth is the ship's business.

use super::artifacts::{Assessment, Challenge, ChallengeVerdict, Mark};

/// A criterion of the evaluation rubric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Criterion {
    /// `R1` to `R6`.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What is checked, as the Challenger reads it.
    pub checks: &'static str,
}

/// Section 9.4.
pub const EVALUATION: [Criterion; 6] = [
    Criterion {
        id: "R1",
        name: "Contract conformance",
        checks: "The implementation satisfies all five dimensions of the contract: inputs, outputs, error surfaces, effects and modes. Name each of the five in the evidence; an omitted one is NOT_MET.",
    },
    Criterion {
        id: "R2",
        name: "Test coverage",
        checks: "At least one test for each input constraint, each output invariant and each error surface, and one happy path; all black-box.",
    },
    Criterion {
        id: "R3",
        name: "Error handling completeness",
        checks: "Every declared error surface is handled, and no reachable error path is undeclared.",
    },
    Criterion {
        id: "R4",
        name: "Dependency usage",
        checks: "Dependencies are used through their published contracts only, and their fingerprints match the locked versions.",
    },
    Criterion {
        id: "R5",
        name: "Acceptance criteria",
        checks: "Each acceptance check can be traced to a test, an assertion or an output. A claim alone is NOT_MET.",
    },
    Criterion {
        id: "R6",
        name: "Decomposition compliance",
        checks: "The module is micro by the decomposition rubric.",
    },
];

/// The criterion that says that the plan itself was wrong (section 10.3).
pub const DECOMPOSITION_CRITERION: &str = "R6";

/// Section 10.4.
pub const DECOMPOSITION: [&str; 4] = [
    "it can be described as a single input→output behavior in one sentence",
    "it introduces at most one public contract surface",
    "it can be shipped independently (tests are local and black-box)",
    "it has clear dependencies (only via contracts)",
];

/// The five dimensions, each with the words that name it.
const DIMENSIONS: [(&str, &[&str]); 5] = [
    ("inputs", &["input"]),
    ("outputs", &["output"]),
    ("error surfaces", &["error"]),
    ("effects", &["effect"]),
    ("modes", &["mode", "sync"]),
];

/// Evidence shorter than this can not cite anything.
pub const LEAST_EVIDENCE_WORDS: usize = 4;

/// Praise that is no evidence, unless something specific follows.
const VAGUE: [&str; 8] = [
    "looks good",
    "looks correct",
    "looks fine",
    "seems fine",
    "seems correct",
    "lgtm",
    "no issues",
    "all good",
];
const SPECIFIC_WORDS: usize = 8;

/// What is mild about a challenge; empty: it is compliant.
pub fn mildness(challenge: &Challenge) -> Vec<String> {
    let mut faults = Vec::new();
    let marks = &challenge.rubric_assessments;
    for criterion in EVALUATION {
        let entries = marks.iter().filter(|mark| mark.criterion == criterion.id);
        match entries.count() {
            1 => {}
            0 => faults.push(format!("{} is not assessed", criterion.id)),
            _ => faults.push(format!("{} is assessed more than once", criterion.id)),
        }
    }
    for mark in marks {
        if !EVALUATION.iter().any(|known| known.id == mark.criterion) {
            faults.push(format!("`{}` is no criterion", mark.criterion));
        }
        faults.extend(evidence_fault(mark));
    }
    let unmet = marks.iter().any(|mark| mark.assessment == Mark::NotMet);
    match challenge.verdict {
        ChallengeVerdict::Pass if unmet => {
            faults.push("a criterion is NOT_MET, so the verdict must be FAIL".to_owned());
        }
        ChallengeVerdict::Pass if !challenge.failures.is_empty() => {
            faults.push("failures are listed, so the verdict must be FAIL".to_owned());
        }
        ChallengeVerdict::Fail if challenge.failures.is_empty() => {
            faults.push("FAIL names no failure that could be mended".to_owned());
        }
        ChallengeVerdict::Pass | ChallengeVerdict::Fail => {}
    }
    for (at, failure) in challenge.failures.iter().enumerate() {
        let parts = [
            ("invariant", &failure.invariant),
            ("evidence", &failure.evidence),
            ("required_change", &failure.required_change),
        ];
        for (name, text) in parts {
            if text.trim().is_empty() {
                faults.push(format!("failure {at} has no {name}"));
            }
        }
    }
    faults
}

fn evidence_fault(mark: &Assessment) -> Option<String> {
    let words = mark.evidence.split_whitespace().count();
    let text = mark.evidence.to_lowercase();
    let vague = VAGUE.iter().any(|phrase| text.trim().starts_with(phrase));
    if words < LEAST_EVIDENCE_WORDS || (vague && words < SPECIFIC_WORDS) {
        return Some(format!(
            "the evidence of {} cites nothing: `{}`",
            mark.criterion, mark.evidence
        ));
    }
    if mark.criterion != "R1" {
        return None;
    }
    let missing: Vec<&str> = DIMENSIONS
        .iter()
        .filter(|(_, names)| !names.iter().any(|name| text.contains(name)))
        .map(|(dimension, _)| *dimension)
        .collect();
    (!missing.is_empty()).then(|| format!("R1 does not evaluate: {}", missing.join(", ")))
}
