//! What the evidence of a run is worth as a whole, in words for whoever decides on it.

use crate::change::Change;
use crate::file_change;
use crate::gate::{Answer, Gate, latest};
use flow::Workflow;
use kernel::outcome::Worth;
use serde::Serialize;

/// The strongest word that the last gates show, and what it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// `observed`, `reported` or `weak`.
    pub worth: &'static str,
    /// What that is, and what it leaves open.
    pub means: &'static str,
    /// What was tried to find out: the controls and the exam, as their checks say it.
    pub tried: Vec<String>,
    /// How a run gets stronger evidence; empty where it has the strongest, or its workflow no way.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub stronger: &'static str,
}

impl Standing {
    /// Of gates that stand newest first; none where no check says what it is worth.
    pub(crate) fn of(workflow: &Workflow, gates: &[Gate]) -> Option<Self> {
        let checks = latest(gates).into_iter().flat_map(|gate| &gate.checks);
        let passed: Vec<_> = checks
            .filter(|one| one.answer == Answer::Passed && !one.worth.is_empty())
            .collect();
        let says = |worth: &Worth| passed.iter().any(|one| one.worth == worth.as_str());
        let worth = Worth::ALL.into_iter().rev().find(says)?;
        // A command's own answer says nothing about itself: what was tried on it does.
        let tried = passed.iter().filter(|one| one.argv.is_empty());
        let mut tried: Vec<String> = tried.map(|one| one.reason.clone()).collect();
        tried.dedup();
        let examines = |role: &String| {
            let role = workflow.roles.get(role);
            role.is_some_and(|role| role.hands_in.is_some())
        };
        let has_exam = workflow.roles.keys().any(examines);
        // Also one that was waived, or whose questions nobody could ask: another would end in the same way.
        let had_one = gates.iter().any(|gate| {
            let mut states = workflow.states.iter();
            let state = states.find(|(name, _)| name.as_str() == gate.state);
            let role = state.and_then(|(_, state)| state.role.as_ref());
            role.is_some_and(examines)
        });
        let sat = passed.iter().any(|one| {
            one.worth == Worth::Observed.as_str() && one.check.starts_with(kernel::exam::EXAM)
        });
        Some(Self {
            worth: worth.as_str(),
            means: match (worth, sat) {
                // What was tried says what it lacks: it may well have shown that it can fail.
                (Worth::Weak, _) if !tried.is_empty() => {
                    "less than it could be, for the reason that is said here; read the change"
                }
                (_, true) => means(worth),
                (_, false) => without_exam(worth),
            },
            tried,
            stronger: match worth {
                Worth::Weak | Worth::Reported if has_exam && !had_one => {
                    "begin a run with --exam: then the engine asks the product itself, by questions that no coder has seen"
                }
                _ => "",
            },
        })
    }
}

/// Is it nothing but what people read? A text without markup may well be data.
fn is_prose(change: &Change) -> bool {
    let reads = |path: &String| file_change::is_prose(path) && !path.ends_with(".txt");
    !change.files.is_empty() && change.files.iter().all(reads)
}

impl Standing {
    /// No question to a product can show what only people read: nothing is advised then.
    pub(crate) fn fits(&mut self, change: &Change) {
        if is_prose(change) {
            self.stronger = "";
        }
    }
}

fn means(worth: Worth) -> &'static str {
    match worth {
        Worth::Weak => "a command's own word; nothing shows that it could have failed",
        Worth::Reported => {
            "the tests' own word, and controls showed that they can fail; code that knows just the tests' answers would pass them too, so read the change"
        }
        Worth::Observed => {
            "the engine asked the product itself, by questions that its coder had not seen"
        }
    }
}

/// The same of a run that had no exam: what was seen of the product then was asked by nobody's questions.
fn without_exam(worth: Worth) -> &'static str {
    match worth {
        Worth::Observed => {
            "the engine ran the product itself and saw what it did; no exam was held, so only what its makers named was asked"
        }
        Worth::Weak | Worth::Reported => means(worth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Word;
    use kernel::event::GateEnded;
    use kernel::outcome::{CheckResult, Found, Verdict};
    use kernel::{EffectId, Time};

    fn standing(check: &str) -> Standing {
        let source = flow::built_in("quick").expect("it is built in");
        let workflow = flow::load(&source, &|_, _| Ok(())).expect("it is sound");
        let mut result = CheckResult::new(check, Verdict::Pass, "seen");
        result.shows.insert(Word::from(Worth::Observed.as_str()));
        let ended = GateEnded {
            effect: EffectId(1),
            results: vec![result],
            tree: None,
            found: Found::default(),
        };
        let gate = Gate::of(Time(0), &ended, None, None);
        Standing::of(&workflow, &[gate]).expect("it says what it is worth")
    }

    #[test]
    fn only_an_exam_is_told_in_the_words_of_one() {
        let exam = standing("exam");
        assert_eq!(exam.worth, "observed");
        assert!(exam.means.contains("questions"), "{}", exam.means);
        let health = standing("health");
        assert_eq!(health.worth, "observed");
        assert!(
            health.means.contains("no exam was held"),
            "{}",
            health.means
        );
    }
}
