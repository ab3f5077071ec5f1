//! What a run remembers of its exam: every case, what became of it, and what the builder was told. It
//! is kept under seal, and the next version of it replaces the last.

use super::answers::{Answer, Answers};
use super::claims;
use super::round::Asked;
use crate::Subject;
use crate::error::Error;
use crate::readers::hash;
use crate::text::one_line;
use kernel::exam::{Case, Driver, Service};
use kernel::outcome::EvidenceRef;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Its name among the evidence.
const NAME: &str = "exam";

/// The exam of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Paper {
    pub(super) cases: Vec<Known>,
    /// Cases that count for nothing, each with the reason.
    pub(super) thrown_out: Vec<(String, String)>,
    /// Cases of earlier rounds.
    #[serde(default)]
    pub(super) former: Vec<Case>,
    /// How often an examiner handed in cases.
    pub(super) rounds: usize,
}

/// A case of the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) driver: Driver,
    /// What is started to be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service: Option<Service>,
    pub(super) case: Case,
    /// It holds on the code before as well: it says what must not break.
    pub(super) guard: bool,
    /// Kept for the last word.
    pub(super) held_back: bool,
    /// The builder knows it.
    pub(super) told: bool,
}

impl Paper {
    /// As it is now; none: nobody wrote one.
    pub(super) fn last(subject: &Subject<'_>) -> Result<Option<Self>, Error> {
        let earlier = subject.earlier(NAME)?;
        let Some(bytes) = earlier.last() else {
            return Ok(None);
        };
        let mut last: Self = serde_json::from_slice(bytes)?;
        // A run that was over and was opened again: everybody can read its cases.
        if subject.keep.was_opened(&hash::bytes(bytes)) {
            last.cases.iter_mut().for_each(|one| one.told = true);
        }
        Ok(Some(last))
    }

    pub(super) fn keep(&self, subject: &Subject<'_>) -> Result<EvidenceRef, Error> {
        let bytes = serde_json::to_vec(self)?;
        let kept = subject.keep.seal(NAME, &bytes);
        kept.map_err(Error::undone("the exam cannot be sealed"))
    }

    /// Cases that are asked before the last word.
    pub(super) fn open(&self) -> Vec<&Known> {
        let open = |one: &&Known| !one.held_back;
        self.cases.iter().filter(open).collect()
    }

    /// Cases that nobody was told, for the last word.
    pub(super) fn held_back(&self) -> Vec<&Known> {
        let held = |one: &&Known| one.held_back && !one.told;
        self.cases.iter().filter(held).collect()
    }

    /// The builder hears of these; who is told a case of the last word has had it.
    pub(super) fn tell(&mut self, names: &[String]) {
        for one in &mut self.cases {
            one.told |= names.contains(&one.name);
        }
    }
}

impl Known {
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked {
            name: &self.name,
            driver: self.driver,
            service: self.service.as_ref(),
            case: &self.case,
        }
    }

    /// The answers of the first round in which it did not hold.
    pub(super) fn failed<'a>(&self, rounds: Option<&'a Vec<Answers>>) -> Option<&'a [Answer]> {
        let rounds = rounds.map(Vec::as_slice).unwrap_or_default();
        if rounds.is_empty() {
            return Some(&[]);
        }
        let wrong = |answers: &&Answers| !claims::holds(&self.case, answers);
        rounds.iter().find(wrong).map(Vec::as_slice)
    }

    /// What the builder is told: the clause, the calls, and what was answered. What should have been
    /// answered is for the builder to find out.
    pub(super) fn story(&self, answers: &[Answer]) -> String {
        let calls = self.calls(answers).into_iter();
        let calls: String = calls
            .map(|(call, answer)| {
                format!("  {} -> {}\n", one_line(&call, 400), one_line(&answer, 400))
            })
            .collect();
        format!(
            "{}: {}\n{calls}",
            self.name,
            one_line(&self.case.clause, 400)
        )
    }

    /// The same for a person, with what the case claims.
    pub(super) fn for_a_person(&self, answers: &[Answer]) -> Value {
        let calls = self.calls(answers).into_iter();
        let calls: Vec<String> = calls
            .map(|(call, answer)| format!("{call} -> {answer}"))
            .collect();
        let claims: Vec<String> = self.case.holds.iter().map(ToString::to_string).collect();
        json!({ "name": self.name, "clause": self.case.clause, "calls": calls, "claims": claims })
    }

    /// Each call, and what was answered.
    fn calls(&self, answers: &[Answer]) -> Vec<(String, String)> {
        let mut calls = Vec::new();
        for (number, step) in self.case.steps.iter().enumerate() {
            let mut call = step.call.clone();
            match (self.driver, step.with.as_slice()) {
                (_, []) => {}
                // It is the body itself.
                (Driver::Http, [body]) => call.push_str(&format!(" with the body {body}")),
                (_, inputs) => call.push_str(&format!(" with {}", Value::from(inputs))),
            }
            if !step.named.is_empty() {
                let what = match self.driver {
                    Driver::Command => " beside the files",
                    Driver::Http => " with the headers",
                    Driver::Python | Driver::JavaScript | Driver::Rust => "",
                };
                call.push_str(&format!("{what} {}", Value::from(step.named.clone())));
            }
            if !step.stdin.is_empty() {
                call.push_str(&format!(" reading {:?}", step.stdin));
            }
            let answer = match answers.get(number) {
                Some(Answer::Value(value)) => format!("answered {value}"),
                Some(Answer::Error(names, says)) => {
                    let name = names.first().map_or("", String::as_str);
                    format!("failed: {name} {says:?}")
                }
                Some(Answer::Missing) => "there is nothing to call".to_owned(),
                Some(Answer::Nothing) | None => "gave no answer that can be read".to_owned(),
            };
            calls.push((call, answer));
        }
        calls
    }
}

/// The cases that were asked before and what became of each, for whoever writes others.
pub fn so_far(bytes: &[u8]) -> Option<String> {
    let paper: Paper = serde_json::from_slice(bytes).ok()?;
    let became = |known: &Known| match (known.told, known.held_back, known.guard) {
        (true, _, _) => "did not hold, and was told to whoever builds",
        (false, true, _) => "kept for the last word, and not told to anybody",
        (false, false, true) => "holds on the code before as well: it guards what must not break",
        (false, false, false) => "not told to anybody",
    };
    let of = |case: &Case, became: &str| json!({ "case": case, "became": became });
    let former = paper
        .former
        .iter()
        .map(|case| of(case, "of an earlier round"));
    let last = paper
        .cases
        .iter()
        .map(|known| of(&known.case, became(known)));
    let thrown_out = paper.thrown_out.iter();
    let thrown_out: Vec<_> = thrown_out
        .map(|(name, why)| format!("{name}: {why}"))
        .collect();
    let cases: Vec<Value> = former.chain(last).collect();
    let all = json!({ "cases": cases, "thrown_out": thrown_out });
    serde_json::to_string_pretty(&all).ok()
}
