//! A gate as it was run: each check with its command, its exit and what was kept.

use crate::proof::{Proof, cannot_fail};
use kernel::effect::Weight;
use kernel::event::{EffectBegan, GateEnded, WHAT_IS_THERE};
use kernel::outcome::{CheckResult, EvidenceRef, Ran, Verdict, Worth, passes};
use kernel::{EffectId, Time};
use serde::Serialize;
use std::collections::BTreeSet;

/// An effect that began, and when.
#[derive(Debug, Clone)]
pub struct Began {
    /// When.
    pub at: Time,
    pub effect: EffectBegan,
}

/// One run of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// Its number in the journal.
    pub effect: EffectId,
    /// The state whose gate it is.
    pub state: String,
    /// What of a project it is for; empty where the run is one piece of work.
    pub subject: String,
    /// When it ended.
    pub at: Time,
    /// How long it took.
    pub millis: u64,
    /// Did it let the run through?
    pub passed: bool,
    /// It did not, and the engine took the run back, to where that is mended.
    #[serde(skip)]
    pub sent_back: bool,
    /// Every check's answer.
    pub checks: Vec<Check>,
}

/// How the results of the check begin that looks at the code before anybody works.
const BEFORE: &str = "suite: ";

/// What a check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The engine saw it hold.
    Passed,
    /// The engine saw it not hold.
    Failed,
    /// It could not be tried, which counts as failed.
    CouldNotRun,
    /// It did not hold, but the gate does not judge by it (a workflow's stall check).
    Noted,
}

impl Answer {
    /// What the check itself said, whatever the gate made of it.
    pub fn verdict(self) -> Verdict {
        match self {
            Answer::Passed => Verdict::Pass,
            Answer::Failed | Answer::Noted => Verdict::Fail,
            Answer::CouldNotRun => Verdict::CouldNotRun,
        }
    }
}

/// One check of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name.
    pub check: String,
    /// What it said.
    pub answer: Answer,
    /// It says how far the work is, and not that the work is wrong: tried on what was there before anybody
    /// worked, or a check of progress.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_yet: bool,
    /// What it is worth if it passed.
    pub proof: Proof,
    /// `observed` where the engine saw it from outside, `reported` or `weak` where it is a suite's own
    /// word, with and without controls; empty where the check says nothing of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub worth: String,
    /// Why it proves nothing, if it proves nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub empty: String,
    /// The part of its output that says why it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// Why, in a sentence.
    pub reason: String,
    /// The role whose word it is; empty where the engine saw it itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said_by: String,
    /// The command, if it ran one.
    pub argv: Vec<String>,
    /// The command's exit code.
    pub exit: Option<i32>,
    /// The hash of the tree that it looked at; empty if none.
    pub tree: String,
    /// Connections that the command was refused, in a line; empty if there is nothing to say.
    pub refused: String,
    /// How long it took.
    pub millis: u64,
    /// What was kept.
    pub evidence: Vec<EvidenceRef>,
}

impl Gate {
    pub(crate) fn of(
        at: Time,
        ended: &GateEnded,
        began: Option<&Began>,
        noted: Option<&str>,
    ) -> Gate {
        let judged = |result: &&CheckResult| noted != Some(result.check.as_str());
        let mut results = ended.results.iter().filter(judged);
        let effect = began.map(|began| &began.effect);
        Gate {
            effect: ended.effect,
            state: effect.map_or_else(|| "?".to_owned(), |effect| effect.state.to_string()),
            subject: effect.map_or_else(String::new, |effect| effect.subject.clone()),
            at,
            millis: began.map_or(0, |began| at.since(began.at)),
            passed: results.all(|result| passes(std::slice::from_ref(result))),
            sent_back: false,
            checks: ended
                .results
                .iter()
                .map(|result| Check {
                    not_yet: result.verdict == Verdict::Fail
                        && result.weight.is_binding()
                        && (noted == Some(result.check.as_str())
                            || effect.is_some_and(|effect| effect.subject == WHAT_IS_THERE)),
                    ..Check::of(result, noted)
                })
                .collect(),
        }
    }

    /// Was it tried on what was there before anybody worked, and is that not enough yet?
    pub fn is_not_yet(&self) -> bool {
        !self.passed && self.subject == WHAT_IS_THERE
    }
}

/// How people are told of what is not reached yet, and failed nobody.
pub const NOT_YET: &str = "not there yet";

/// The latest gate of every state, of gates that stand newest first. One that took the run back is an earlier
/// try where another gate has proven the work since: not every way to the end leads through its state again.
pub fn latest(gates: &[Gate]) -> Vec<&Gate> {
    let mut latest: Vec<&Gate> = Vec::new();
    // With those that are passed over: what an older gate of theirs said was taken back.
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut proven = false;
    for gate in gates {
        let mended = gate.sent_back && proven;
        if seen.insert(&gate.state) && !mended {
            latest.push(gate);
        }
        proven |= gate.passed && gate.checks.iter().any(Check::proves);
    }
    latest
}

impl Gate {
    /// What came of it, in a line.
    pub fn sentence(&self) -> String {
        if self.is_not_yet() {
            let open = self.checks.iter().filter(|one| one.not_yet);
            let open: Vec<&str> = open.map(|one| one.check.as_str()).collect();
            return format!("{NOT_YET}: {}", open.join(", "));
        }
        let judged = self.checks.iter().filter(|one| one.answer != Answer::Noted);
        let (held, broke): (Vec<&Check>, Vec<&Check>) =
            judged.partition(|one| one.answer == Answer::Passed);
        let checks = |many: usize| match many {
            1 => "1 check".to_owned(),
            many => format!("{many} checks"),
        };
        match broke.as_slice() {
            [] => format!("{} held", checks(held.len())),
            [first, more @ ..] => {
                let more = match more.len() {
                    0 => String::new(),
                    more => format!(", and {more} more"),
                };
                format!("{}: {}{more}", first.check, first.reason)
            }
        }
    }
}

impl Check {
    /// Was it executed, could it have failed, and did it pass?
    pub fn proves(&self) -> bool {
        self.answer == Answer::Passed && self.proof == Proof::Executed
    }

    /// What it said, in the word for people.
    pub fn verdict(&self) -> &'static str {
        match self.not_yet {
            true => NOT_YET,
            false => self.answer.verdict().as_str(),
        }
    }

    fn of(result: &CheckResult, noted: Option<&str>) -> Check {
        let ran = result.ran.as_ref();
        let empty = ran.and_then(|ran| cannot_fail(&ran.argv));
        Check {
            check: result.check.clone(),
            answer: match result.verdict {
                Verdict::Pass => Answer::Passed,
                // Nobody is judged by it; that it could not be tried is for people to know all the same.
                Verdict::CouldNotRun
                    if result.weight == Weight::Advisory && result.shows.is_empty() =>
                {
                    Answer::CouldNotRun
                }
                // It chooses the way, or tells something that nobody is judged by.
                _ if result.weight == Weight::Advisory => Answer::Noted,
                // A stalled pass is worth knowing; it judges no one.
                _ if noted == Some(result.check.as_str()) => Answer::Noted,
                Verdict::Fail => Answer::Failed,
                Verdict::CouldNotRun => Answer::CouldNotRun,
            },
            not_yet: false,
            proof: match (ran, &empty) {
                (None, _) if result.said_by.is_some() => Proof::Said,
                // Asked by drivers of the engine's own, whose calls are under seal.
                (None, _) if Worth::of(result) == Some(Worth::Observed) => Proof::Executed,
                (None, _) => Proof::Looked,
                (Some(_), Some(_)) => Proof::Nothing,
                (Some(_), None) if result.check.starts_with(BEFORE) => Proof::Before,
                (Some(_), None) => Proof::Executed,
            },
            worth: worth(result).to_owned(),
            empty: empty.unwrap_or_default(),
            // What a role has found stands there whole; of a command, its output is looked into.
            failure: match (ran, result.verdict) {
                (None, Verdict::Fail | Verdict::CouldNotRun) => result.details.clone(),
                _ => String::new(),
            },
            reason: result.reason.clone(),
            said_by: result.said_by.clone().unwrap_or_default(),
            argv: ran.map(|ran| ran.argv.clone()).unwrap_or_default(),
            exit: ran.and_then(|ran| ran.exit),
            tree: ran.map(|ran| ran.tree.clone()).unwrap_or_default(),
            refused: ran.and_then(Ran::refused_connections).unwrap_or_default(),
            millis: ran.map_or(0, |ran| ran.millis),
            evidence: result.evidence.clone(),
        }
    }
}

/// What a passed check says that its evidence is worth.
fn worth(result: &CheckResult) -> &'static str {
    Worth::of(result).map(Worth::as_str).unwrap_or_default()
}
