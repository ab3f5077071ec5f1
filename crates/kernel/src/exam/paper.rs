//! What is remembered of an exam: every case, what became of it, and what the builder was told. It is kept
//! under seal, and the next version of it replaces the last.

use super::answers::{Answer, Answers};
use super::{Case, Driver, Exam, LEAST_CASES, Service, claims, controls, values};
use crate::line::one_line;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The exam of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Paper {
    pub cases: Vec<Known>,
    /// Cases that count for nothing, each with the reason.
    pub thrown_out: Vec<(String, String)>,
    /// Cases of earlier rounds.
    #[serde(default)]
    pub former: Vec<Case>,
    /// How often an examiner handed in cases.
    pub rounds: usize,
}

/// A case of the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Known {
    pub name: String,
    pub driver: Driver,
    /// What is started to be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    pub case: Case,
    /// It holds on the code before as well: it says what must not break.
    pub guard: bool,
    /// Kept for the last word.
    pub held_back: bool,
    /// The builder knows it.
    pub told: bool,
}

/// A case, the name that it has in this run, and how its product is asked.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub name: &'a str,
    pub driver: Driver,
    pub service: Option<&'a Service>,
    pub case: &'a Case,
}

impl Paper {
    /// Takes in what an examiner hands in: new cases take the place of the old, and none of those is asked
    /// again, unless nobody was told any. What cannot fail is thrown out, by name.
    pub fn take(&mut self, exam: &Exam) -> Vec<(String, String)> {
        self.rounds += 1;
        let old = std::mem::take(&mut self.cases);
        if old.iter().any(|known| known.told) {
            let former = old.into_iter().map(|known| known.case);
            self.former.extend(former);
        }
        let all: Vec<&Case> = exam.cases.iter().collect();
        let mut thrown_out: Vec<(String, String)> = Vec::new();
        for case in &exam.cases {
            let name = match self.rounds {
                1 => case.id.clone(),
                round => format!("{round}.{}", case.id),
            };
            let before = self.former.iter();
            let mut before = before.chain(self.cases.iter().map(|known| &known.case));
            let why = match controls::cannot_fail(case, &all) {
                Some(why) => Some(why),
                None => before
                    .any(|known| known.steps == case.steps)
                    .then_some("it was asked before"),
            };
            match why {
                Some(why) => thrown_out.push((name, why.to_owned())),
                None => self.cases.push(Known {
                    name,
                    driver: exam.driver,
                    service: exam.service.clone(),
                    case: case.clone(),
                    guard: false,
                    held_back: false,
                    told: false,
                }),
            }
        }
        self.thrown_out.extend(thrown_out.clone());
        thrown_out
    }

    /// Cases that say what is new.
    pub fn counted(&self) -> Vec<&Known> {
        self.cases.iter().filter(|one| !one.guard).collect()
    }

    /// Why its cases would pass a product that is surely wrong, in words without a value; none: they would not.
    pub fn unnoticed(&self, driver: Driver) -> Option<String> {
        let cases: Vec<&Case> = self.counted().iter().map(|one| &one.case).collect();
        let ignored = || match driver {
            // Its first words say what is asked for.
            Driver::Command | Driver::Http => None,
            Driver::Python | Driver::JavaScript | Driver::Rust => controls::ignored(&cases),
        };
        // A request names what it asks for, and is no function of its own.
        let each = driver != Driver::Http;
        let guards: Vec<&Case> = {
            let held = self.cases.iter().filter(|one| one.guard);
            held.map(|one| &one.case).collect()
        };
        controls::unnoticed(&cases, each)
            .or_else(|| values::unnoticed(&cases, &guards, driver))
            .or_else(ignored)
    }

    /// Holds a third of what counts back for the last word: those that come first in an order that nobody
    /// knows before.
    pub fn hold_back(&mut self, order: &mut dyn FnMut(&mut Vec<String>)) -> usize {
        let mut chosen: Vec<String> = self.counted().iter().map(|one| one.name.clone()).collect();
        order(&mut chosen);
        chosen.truncate(chosen.len().div_ceil(LEAST_CASES));
        for known in &mut self.cases {
            known.held_back = chosen.contains(&known.name);
        }
        chosen.len()
    }

    /// Cases that are asked before the last word.
    pub fn open(&self) -> Vec<&Known> {
        let open = |one: &&Known| !one.held_back;
        self.cases.iter().filter(open).collect()
    }

    /// Cases that nobody was told, for the last word.
    pub fn held_back(&self) -> Vec<&Known> {
        let held = |one: &&Known| one.held_back && !one.told;
        self.cases.iter().filter(held).collect()
    }

    /// The builder hears of these; who is told a case of the last word has had it.
    pub fn tell(&mut self, names: &[String]) {
        for one in &mut self.cases {
            one.told |= names.contains(&one.name);
        }
    }
}

impl Known {
    /// As it is put to a product.
    pub fn asked(&self) -> Asked<'_> {
        Asked {
            name: &self.name,
            driver: self.driver,
            service: self.service.as_ref(),
            case: &self.case,
        }
    }

    /// The answers of the first round in which it did not hold.
    pub fn failed<'a>(&self, rounds: Option<&'a Vec<Answers>>) -> Option<&'a [Answer]> {
        let rounds = rounds.map(Vec::as_slice).unwrap_or_default();
        if rounds.is_empty() {
            return Some(&[]);
        }
        let wrong = |answers: &&Answers| !claims::holds(&self.case, answers);
        rounds.iter().find(wrong).map(Vec::as_slice)
    }

    /// What the builder is told: the clause, the calls, and what was answered. What should have been
    /// answered is for the builder to find out.
    pub fn story(&self, answers: &[Answer]) -> String {
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
    pub fn for_a_person(&self, answers: &[Answer]) -> Value {
        let calls = self.calls(answers).into_iter();
        let calls: Vec<String> = calls
            .map(|(call, answer)| format!("{call} -> {answer}"))
            .collect();
        let claims: Vec<String> = self.case.holds.iter().map(ToString::to_string).collect();
        json!({ "name": self.name, "clause": self.case.clause, "calls": calls, "claims": claims })
    }

    /// Each call, and what was answered.
    pub fn calls(&self, answers: &[Answer]) -> Vec<(String, String)> {
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
