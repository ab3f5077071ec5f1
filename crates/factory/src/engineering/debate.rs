//! One module's debate (rule F9) and its ship (rule F11): what an answer means, and where the
//! debate stands after it. Every bound is here, in code, not in a prompt.

use super::amend;
use super::exam::{self, Examined, Then};
use super::kind::{HOLDS, TELLS, TRIES};
use super::roles::{Occasion, Role};
use super::ship::{Applies, OnFail, ShipStep};
use super::told;
use crate::debate::{
    Adjudication, Amended, Amendment, Challenge, Criterion, Decision, Failure, Mark, Proposal,
    Trail, Verdict, judge, read, words,
};
use kernel::form::Answer;
use kernel::outcome::{CheckResult, Verdict as Checks, passes};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Revisions after the first proposal.
pub const MOST_REVISIONS: u32 = 2;
/// How often an invalid or mild answer is asked for again.
pub const MOST_COMPLAINTS: u32 = 2;
/// How often the engine's own step of a ship is tried again.
const MOST_RETRIES: u32 = 2;

/// What a rejection is called among the failures.
pub(crate) const REJECTED: &str = "arbiter_rejected";

/// Where a debate stands: whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// The Proposer's first.
    Propose,
    /// The Proposer's, with what failed.
    Revise,
    /// The examiner's, before anybody builds.
    Examine,
    /// The engine's: could the exam fail?
    Seal,
    /// The engine's, before anybody debates a proposal: there is no debate over what does not build.
    Try,
    /// The engine's: what holds before the debate is told to the Challenger, what does not to the Proposer.
    Sit,
    /// The Challenger's.
    Challenge,
    /// The Arbiter's.
    Adjudicate,
    /// The Proposer's, with the amendments.
    Amend,
    /// The engine's.
    Ship(ShipStep),
}

/// The checks by which a proposal is tried: what a ship asks of it, as far as it can be asked before
/// anything is approved.
pub const TRIED: [ShipStep; 3] = [ShipStep::Fingerprint, ShipStep::Surface, ShipStep::Tests];

impl At {
    /// Where a valid proposal goes; in projects that began before the form 4 it was debated at once.
    pub fn proposed(briefs: u32) -> Self {
        match briefs >= TRIES {
            true => At::Try,
            false => At::Challenge,
        }
    }

    /// Whose turn it is; none: the engine's.
    pub fn role(self) -> Option<(Role, Occasion)> {
        match self {
            At::Propose => Some((Role::Proposer, Occasion::Propose)),
            At::Revise => Some((Role::Proposer, Occasion::Revise)),
            At::Amend => Some((Role::Proposer, Occasion::Amend)),
            At::Challenge => Some((Role::Challenger, Occasion::Challenge)),
            At::Adjudicate => Some((Role::Arbiter, Occasion::Adjudicate)),
            At::Examine => Some((Role::Examiner, Occasion::Examine)),
            At::Seal | At::Try | At::Sit | At::Ship(_) => None,
        }
    }
}

/// What follows from a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Now {
    /// It goes on here.
    At(At),
    /// Every step of the ship passed.
    Shipped,
    /// A person must help.
    Failed(String),
}

/// Who gave a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    Challenger,
    /// The engine, after too many mild reviews.
    ComplianceGate,
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// A valid proposal.
    Proposed,
    /// The engine tried it.
    Tried {
        /// What is wrong with it; nothing: it goes to the Challenger.
        found: Vec<Failure>,
        /// What was seen of one that holds.
        saw: Vec<String>,
    },
    /// The examiner handed in an exam, under seal.
    HandedIn(String),
    /// There is no exam, and why.
    Unasked(String),
    /// The exam could have failed, and nobody sees it any more.
    Sealed(String),
    /// It could not, or it cannot be read; who wrote it hears why, without a value.
    HandedBack(Vec<String>),
    /// The engine asked a proposal what may be told.
    Sat {
        /// What does not hold; nothing: it goes to the Challenger.
        found: Vec<Failure>,
        /// What was seen, clause by clause.
        saw: Vec<String>,
    },
    /// Every case was told: new ones are written for the last word.
    UsedUp,
    /// An answer that is invalid or mild; it is asked for again.
    Complained(Vec<String>),
    /// A compliant challenge.
    Challenged {
        /// Pass or fail.
        verdict: Verdict,
        /// What is wrong.
        failures: Vec<Failure>,
        /// Whose word it is.
        by: Judge,
    },
    /// A valid adjudication.
    Ruled {
        decision: Decision,
        amendments: Vec<Amendment>,
        /// What a rejection rests on.
        failures: Vec<Failure>,
    },
    /// The amendments are in, by the Proposer's word.
    Amended,
    /// Some are not.
    Unapplied(Vec<Failure>),
    /// A step of the ship held.
    Passed(ShipStep),
    /// It did not.
    Broke(ShipStep, Vec<Failure>),
    /// The attempts themselves kept failing.
    GaveUp(String),
}

/// One step of a debate, as it is journaled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    pub said: Said,
    /// Where that leads.
    pub to: Now,
}

/// What a step of the ship means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// The debate goes on, or ends.
    Moved(Move),
    /// The step could not be tried. That says nothing about the module, so it costs no revision:
    /// a person mends the environment, and the same step is tried again.
    CouldNotRun(String),
}

/// A debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debate {
    /// Whose turn it is.
    pub at: At,
    /// Revisions used.
    pub revisions: u32,
    /// Complaints about answers to the present question.
    pub complaints: u32,
    /// What the last complaint was.
    pub complaint: Vec<String>,
    /// What the last challenge or ship found.
    pub failures: Vec<Failure>,
    /// What the engine saw when it tried the last proposal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saw: Vec<String>,
    /// Has the present turn changed a file, in whatever attempt?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub touched: bool,
    /// The last challenge's word; before any, none was passed.
    pub standing: Verdict,
    /// Of the last approval.
    pub amendments: Vec<Amendment>,
    /// All rounds.
    pub trail: Trail,
    /// How the exam stands; none: the module has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exam: Option<Box<Examined>>,
}

impl Default for Debate {
    fn default() -> Self {
        Self {
            at: At::Propose,
            revisions: 0,
            complaints: 0,
            complaint: Vec::new(),
            failures: Vec::new(),
            saw: Vec::new(),
            touched: false,
            standing: Verdict::Fail,
            amendments: Vec::new(),
            trail: Trail::default(),
            exam: None,
        }
    }
}

/// What a person says in the Arbiter's place.
pub fn override_words(who: &str, rationale: &str) -> Value {
    json!({
        "decision": Decision::Approve, "amendments": [], "rationale": rationale,
        "ship_directive": "SHIP", "by": who,
    })
}

/// What a person says in the Proposer's place.
pub fn fix_words(who: &str, description: &str) -> Value {
    json!({
        "claim": description, "deliverable_ref": "the person's files", "by": who,
        "acceptance_checks": ["the contract and the acceptance criteria of the task"],
    })
}

/// What did not hold, or was not run at all.
fn failures(results: &[CheckResult], check: &str, briefs: u32) -> Vec<Failure> {
    let wrong = results
        .iter()
        .filter(|result| result.verdict != Checks::Pass);
    let mut failures: Vec<Failure> = Vec::new();
    for result in wrong {
        // What cannot be read is told once, not by each check that reads it.
        if !failures.iter().any(|one| one.evidence == result.reason) {
            let mend = match briefs {
                ..TELLS => "",
                _ => told::mend(&result.check, &result.reason),
            };
            failures.push(Failure::new(&result.check, result.reason.clone(), mend));
        }
    }
    if failures.is_empty() {
        failures.push(Failure::new(check, "it was not run", ""));
    }
    failures
}

fn could_not_run(failures: &[Failure]) -> String {
    let lines = failures.iter();
    let lines: Vec<String> = lines
        .map(|failure| format!("{} could not run: {}", failure.invariant, failure.evidence))
        .collect();
    lines.join("; ")
}

impl Debate {
    fn failed(&self, code: &str) -> Now {
        Now::Failed(code.to_owned())
    }

    fn revise_or(&self, otherwise: Now) -> Now {
        if self.revisions < MOST_REVISIONS {
            Now::At(At::Revise)
        } else {
            otherwise
        }
    }

    fn complain(&self, faults: Vec<String>, code: &str) -> Move {
        let to = if self.complaints < MOST_COMPLAINTS {
            Now::At(self.at)
        } else {
            self.failed(code)
        };
        Move {
            said: Said::Complained(faults),
            to,
        }
    }

    /// What the present turn may be answered with; nothing: the engine ships, no role does.
    fn answer(&self) -> Answer {
        let turn = self.at.role();
        turn.map_or(Answer(&[]), |(role, occasion)| role.answer(occasion))
    }

    /// What a role's result means. `proposed` is where a valid proposal goes, `briefs` the form that
    /// the project began with.
    pub fn hear(&self, result: &Value, proposed: At, briefs: u32) -> Move {
        let answer = self.answer();
        match self.at {
            At::Propose | At::Revise => match read::<Proposal>(answer, result, |_| Vec::new()) {
                Ok(_) => Move {
                    said: Said::Proposed,
                    to: Now::At(proposed),
                },
                Err(faults) => self.complain(faults, "proposal_invalid"),
            },
            At::Challenge => self.challenged(read(answer, result, |one| {
                let mut faults = judge::challenge(one);
                if briefs >= HOLDS {
                    faults.extend(judge::repeated(one));
                }
                faults
            })),
            At::Adjudicate => {
                let standing = Some(self.standing);
                match read(answer, result, |one| judge::adjudication(one, standing)) {
                    Ok(ruling) => self.ruled(ruling, briefs),
                    Err(faults) => self.complain(faults, "adjudication_invalid"),
                }
            }
            At::Amend => match read::<Amended>(answer, result, |_| Vec::new()) {
                Ok(said) => {
                    let failures = amend::unapplied(&self.amendments, &said);
                    if failures.is_empty() {
                        Move {
                            said: Said::Amended,
                            to: Now::At(At::Ship(ShipStep::first(Applies::WithAmendments))),
                        }
                    } else {
                        Move {
                            said: Said::Unapplied(failures),
                            to: self.failed("amendment_unapplied"),
                        }
                    }
                }
                Err(faults) => self.complain(faults, "amendment_unapplied"),
            },
            At::Examine => match Examined::handed_in(result) {
                Ok(hash) => Move {
                    said: Said::HandedIn(hash),
                    to: Now::At(At::Seal),
                },
                Err(why) => Move {
                    said: Said::Unasked(why),
                    to: Now::At(self.after_the_exam()),
                },
            },
            At::Seal | At::Try | At::Sit | At::Ship(_) => {
                self.complain(vec!["the engine does this, no role does".to_owned()], "bug")
            }
        }
    }

    /// An exam is to be written.
    pub(super) fn examine(&mut self, then: Then) {
        self.at = At::Examine;
        self.exam = Some(Box::new(Examined::begun(then)));
    }

    /// Where it goes on when the exam is written, or when there will be none.
    fn after_the_exam(&self) -> At {
        match self.exam.as_ref().map(|exam| exam.then) {
            Some(Then::Sit) => At::Sit,
            Some(Then::Ship) => At::Ship(ShipStep::first(Applies::Always)),
            Some(Then::Build) | None => At::Propose,
        }
    }

    /// What trying an exam means. One that cannot fail goes back to who wrote it, and not for ever.
    fn sealed(&self, results: &[CheckResult]) -> Checked {
        let on = |said| {
            let to = Now::At(self.after_the_exam());
            Checked::Moved(Move { said, to })
        };
        if !results.is_empty() && passes(results) {
            return on(Said::Sealed(results[0].reason.clone()));
        }
        let found = failures(results, exam::WRITTEN, TELLS);
        if !results.iter().any(|one| one.verdict == Checks::Fail) {
            return Checked::CouldNotRun(could_not_run(&found));
        }
        let told = exam::failures(results).into_iter();
        let told: Vec<String> = told.map(|one| one.evidence).collect();
        match self.exam.as_ref().is_some_and(|exam| exam.may_mend()) {
            true => Checked::Moved(Move {
                said: Said::HandedBack(told),
                to: Now::At(At::Examine),
            }),
            false => on(Said::Unasked(format!(
                "no exam that could fail was handed in: {}",
                found[0].evidence
            ))),
        }
    }

    /// What sitting the exam means before the debate: what does not hold costs a revision, as red tests do.
    fn sat(&self, results: &[CheckResult]) -> Checked {
        if !results.is_empty() && passes(results) {
            let (found, saw) = (Vec::new(), exam::seen(results));
            return Checked::Moved(Move {
                said: Said::Sat { found, saw },
                to: Now::At(At::Challenge),
            });
        }
        if !results.iter().any(|one| one.verdict == Checks::Fail) {
            return Checked::CouldNotRun(could_not_run(&failures(results, exam::OPEN, TELLS)));
        }
        let used_up = |one: &CheckResult| one.code.as_deref() == Some(exam::USED_UP);
        if results.iter().any(used_up) {
            let renews = self.exam.as_ref().is_some_and(|exam| exam.may_renew());
            return Checked::Moved(Move {
                said: Said::UsedUp,
                to: match renews {
                    true => Now::At(At::Examine),
                    false => self.failed(exam::USED_UP),
                },
            });
        }
        let (found, saw) = (exam::failures(results), Vec::new());
        Checked::Moved(Move {
            said: Said::Sat { found, saw },
            to: self.revise_or(self.failed(exam::OPEN)),
        })
    }

    fn challenged(&self, read: Result<Challenge, Vec<String>>) -> Move {
        match read {
            Ok(challenge) => Move {
                to: match challenge.verdict {
                    Verdict::Pass => Now::At(At::Adjudicate),
                    Verdict::Fail => self.revise_or(Now::At(At::Adjudicate)),
                },
                said: Said::Challenged {
                    verdict: challenge.verdict,
                    failures: challenge.failures,
                    by: Judge::Challenger,
                },
            },
            Err(faults) if self.complaints < MOST_COMPLAINTS => Move {
                said: Said::Complained(faults),
                to: Now::At(At::Challenge),
            },
            Err(faults) => Move {
                said: Said::Challenged {
                    verdict: Verdict::Fail,
                    failures: vec![Failure::new(
                        "mild_review_violation",
                        faults.join("; "),
                        "a challenge that meets section 9.5",
                    )],
                    by: Judge::ComplianceGate,
                },
                to: self.revise_or(Now::At(At::Adjudicate)),
            },
        }
    }

    /// Was the last proposal rejected, and nothing of it changed since?
    pub(crate) fn is_rejected(&self) -> bool {
        let rejected = self.failures.iter().any(|one| one.invariant == REJECTED);
        self.at == At::Revise && rejected && !self.touched
    }

    /// What was rejected is handed in once more as it was: nobody need judge it again.
    pub(crate) fn unmoved(&self) -> Move {
        let what = "no file of the module has changed since the Arbiter rejected it: change what \"What failed\" asks for, and hand it in then";
        self.complain(vec![what.to_owned()], "debate_rejected")
    }

    fn ruled(&self, ruling: Adjudication, briefs: u32) -> Move {
        let to = match ruling.decision {
            Decision::Approve => Now::At(At::Ship(ShipStep::first(Applies::Always))),
            Decision::ApproveWithAmendments => Now::At(At::Amend),
            // Within the retry window a rejected artifact returns to DRAFT (rule F8.4).
            Decision::Reject => self.revise_or(self.failed("debate_rejected")),
        };
        let failures = match ruling.decision {
            Decision::Reject => {
                let mut failures = self.failures.clone();
                let words = ruling.rationale;
                failures.push(match briefs {
                    ..TELLS => Failure::new(REJECTED, words, ""),
                    _ => Failure::new(REJECTED, "the Arbiter rejected it", &words),
                });
                failures
            }
            Decision::Approve | Decision::ApproveWithAmendments => Vec::new(),
        };
        Move {
            said: Said::Ruled {
                decision: ruling.decision,
                amendments: ruling.amendments,
                failures,
            },
            to,
        }
    }

    /// What trying a proposal means: what is red costs a revision, as a failed challenge does.
    fn tried(&self, results: &[CheckResult], briefs: u32) -> Checked {
        if !results.is_empty() && passes(results) {
            let saw = results.iter().map(|result| result.reason.clone()).collect();
            let found = Vec::new();
            return Checked::Moved(Move {
                said: Said::Tried { found, saw },
                to: Now::At(match self.exam {
                    Some(_) => At::Sit,
                    None => At::Challenge,
                }),
            });
        }
        let found = failures(results, ShipStep::Tests.row().check, briefs);
        if !results.iter().any(|one| one.verdict == Checks::Fail) {
            return Checked::CouldNotRun(could_not_run(&found));
        }
        let broke = results.iter().find(|one| one.verdict == Checks::Fail);
        let code = broke.map_or(String::new(), |one| one.check.clone());
        let saw = Vec::new();
        Checked::Moved(Move {
            said: Said::Tried { found, saw },
            to: self.revise_or(self.failed(&code)),
        })
    }

    /// What the engine's own step means. A step without results was not run. `briefs` is the form that
    /// the project began with.
    pub fn checked(&self, results: &[CheckResult], briefs: u32) -> Option<Checked> {
        let step = match self.at {
            At::Ship(step) => step,
            At::Try => return Some(self.tried(results, briefs)),
            At::Seal => return Some(self.sealed(results)),
            At::Sit => return Some(self.sat(results)),
            _ => return None,
        };
        let row = step.row();
        if !results.is_empty() && passes(results) {
            let proven = match self.exam {
                Some(_) => Applies::WithExam,
                None => Applies::Always,
            };
            let to = step
                .next(proven)
                .map_or(Now::Shipped, |next| Now::At(At::Ship(next)));
            let said = Said::Passed(step);
            return Some(Checked::Moved(Move { said, to }));
        }
        let failures = match step {
            ShipStep::Exam if !results.is_empty() => exam::failures(results),
            _ => failures(results, row.check, briefs),
        };
        let again = row.on_fail == OnFail::Retry && self.complaints < MOST_RETRIES;
        let judged = results.iter().any(|one| one.verdict == Checks::Fail);
        if !judged && !again {
            return Some(Checked::CouldNotRun(could_not_run(&failures)));
        }
        let to = match row.on_fail {
            OnFail::Halt => self.failed("amendment_unapplied"),
            OnFail::Revise => self.revise_or(self.failed(row.check)),
            OnFail::Retry if again => Now::At(self.at),
            OnFail::Retry => self.failed(row.check),
        };
        let said = Said::Broke(step, failures);
        Some(Checked::Moved(Move { said, to }))
    }

    /// Takes a move in. `result` is what the role returned.
    pub fn take(&mut self, step: &Move, result: Option<&Value>) {
        let heard = result.unwrap_or(&Value::Null);
        match &step.said {
            Said::Proposed => self.trail.proposals.push(words::<Proposal>(heard)),
            Said::Tried { found, saw } => {
                self.failures.clone_from(found);
                self.saw.clone_from(saw);
            }
            Said::Complained(faults) => self.complaint.clone_from(faults),
            Said::Challenged {
                verdict,
                failures,
                by,
            } => {
                self.standing = *verdict;
                self.failures.clone_from(failures);
                self.trail.challenges.push(match by {
                    Judge::Challenger => words::<Challenge>(heard),
                    Judge::ComplianceGate => json!({"verdict": verdict, "failures": failures}),
                });
            }
            Said::Ruled {
                amendments,
                failures,
                ..
            } => {
                self.amendments.clone_from(amendments);
                if !failures.is_empty() {
                    self.failures.clone_from(failures);
                }
                self.trail.adjudications.push(words::<Adjudication>(heard));
            }
            Said::Unapplied(failures) | Said::Broke(_, failures) => {
                self.failures.clone_from(failures);
            }
            Said::GaveUp(why) => {
                self.failures = vec![Failure::new("attempt_ends_well", why.clone(), "")];
            }
            Said::Sat { found, saw } => {
                self.failures.clone_from(found);
                self.saw.extend(saw.clone());
            }
            Said::HandedIn(_)
            | Said::Unasked(_)
            | Said::Sealed(_)
            | Said::HandedBack(_)
            | Said::UsedUp => self.examined(&step.said),
            Said::Amended | Said::Passed(_) => {}
        }
        let Now::At(to) = &step.to else {
            return;
        };
        if *to == self.at {
            self.complaints += 1;
            return;
        }
        self.revisions += u32::from(*to == At::Revise);
        (self.complaints, self.at, self.touched) = (0, *to, false);
        self.complaint = match &step.said {
            Said::HandedBack(faults) => faults.clone(),
            _ => Vec::new(),
        };
    }

    fn examined(&mut self, said: &Said) {
        let Some(exam) = &mut self.exam else {
            return;
        };
        match said {
            Said::HandedIn(hash) => exam.handed_in = Some(hash.clone()),
            Said::Unasked(why) => {
                exam.unasked = Some(why.clone());
                exam.rounds += 1;
            }
            Said::Sealed(_) => {
                (exam.refusals, exam.unasked) = (0, None);
                exam.rounds += 1;
            }
            Said::HandedBack(_) => exam.refusals += 1,
            Said::UsedUp => exam.then = Then::Sit,
            _ => {}
        }
    }

    /// Does the last challenge say that the plan itself was wrong (rule F10.3)?
    pub fn doubts_the_plan(&self) -> bool {
        let last = self.trail.challenges.last();
        let read = last.and_then(|one| Challenge::deserialize(one).ok());
        read.is_some_and(|challenge| {
            let mut marks = challenge.rubric_assessments.iter();
            marks.any(|mark| mark.criterion == Criterion::R6 && mark.assessment == Mark::NotMet)
        })
    }

    /// A person's word in the Arbiter's place: it ships without a debate, and fails for good if it
    /// cannot.
    pub fn override_by(&mut self, who: &str, rationale: &str) {
        self.trail
            .adjudications
            .push(override_words(who, rationale));
        self.at = At::Ship(ShipStep::first(Applies::Always));
        (self.revisions, self.complaints) = (MOST_REVISIONS, 0);
        self.amendments.clear();
        // They have seen which cases do not hold, and it is theirs to say that those are wrong.
        if let Some(exam) = &mut self.exam {
            exam.waived = Some(who.to_owned());
        }
    }

    /// What another project has debated is shipped as it is, or not at all.
    pub fn as_it_is(&mut self) {
        self.at = At::Ship(ShipStep::first(Applies::Always));
        (self.revisions, self.complaints) = (MOST_REVISIONS, 0);
        if let Some(exam) = &mut self.exam {
            exam.then = Then::Ship;
            self.at = At::Examine;
        }
    }

    /// A person's fix in the Proposer's place: it is tried and challenged like any other, once.
    pub fn fix_by(&mut self, who: &str, description: &str, proposed: At) {
        self.trail.proposals.push(fix_words(who, description));
        self.at = proposed;
        (self.revisions, self.complaints) = (MOST_REVISIONS, 0);
        self.complaint.clear();
        self.amendments.clear();
    }
}
