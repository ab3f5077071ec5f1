//! One move of a debate as a turn: whose it is, the word that counts, and its points.

use super::{Point, Speaker, Turn};
use crate::story::Mark;
use factory::debate::rubric::EVALUATION;
use factory::debate::{
    Adjudication, Amended, Amendment, Challenge, Decision, Failure, Mark as Met, Proposal, Verdict,
};
use factory::engineering::debate::{Judge, Said};
use factory::engineering::ship::ShipStep;
use factory::halt::resolution::Resolution;
use kernel::Time;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The word of steps of a ship that held.
pub(super) const SHIPS: &str = "ships it";

fn read<T: DeserializeOwned>(result: &Value) -> Option<T> {
    T::deserialize(result).ok()
}

fn point(about: impl Into<String>, mark: Mark, text: impl Into<String>) -> Point {
    Point {
        about: about.into(),
        mark,
        text: text.into(),
        mend: String::new(),
    }
}

fn failures(all: &[Failure]) -> Vec<Point> {
    let each = all.iter().map(|one| Point {
        mend: one.required_change.clone(),
        ..point(&one.invariant, Mark::Bad, &one.evidence)
    });
    each.collect()
}

fn amendments(all: &[Amendment]) -> Vec<Point> {
    let each = all.iter().map(|one| {
        let about = format!("{} {}", one.action.as_str(), one.target);
        point(about, Mark::Person, &one.detail)
    });
    each.collect()
}

/// The rubric, criterion by criterion.
fn rubric(challenge: &Challenge) -> Vec<Point> {
    let each = challenge.rubric_assessments.iter().map(|one| {
        let id = one.criterion.as_str();
        let named = EVALUATION.iter().find(|(known, ..)| *known == id);
        let name = named.map_or("", |(_, name, _)| *name);
        let mark = match one.assessment {
            Met::Met => Mark::Good,
            Met::NotMet => Mark::Bad,
        };
        point(format!("{id} {name}"), mark, &one.evidence)
    });
    each.collect()
}

fn step(step: ShipStep) -> &'static str {
    match step {
        ShipStep::Amendments => "amendments",
        ShipStep::Fingerprint => "interface",
        ShipStep::Surface => "public surface",
        ShipStep::Tests => "tests",
        ShipStep::Stubs => "tests fail on stubs",
        ShipStep::Exam => "exam",
        ShipStep::Record => "sealed",
    }
}

/// The turn of a move. `result` is what the role answered, `reason` what the engine's own gate said.
pub(super) fn turn(at: Time, said: &Said, result: &Value, reason: &str) -> Turn {
    let make = |speaker: Speaker, word: &str, mark: Mark, points: Vec<Point>| Turn {
        at,
        speaker,
        word: word.to_owned(),
        mark,
        text: String::new(),
        points,
        attempt: None,
    };
    let engine = |word: &str, mark: Mark, points| make(Speaker::Engine, word, mark, points);
    match said {
        Said::Proposed => {
            let proposal: Option<Proposal> = read(result);
            let checks = proposal
                .as_ref()
                .map(|one| one.acceptance_checks.as_slice());
            let checks = checks.unwrap_or_default().iter();
            let points = checks.map(|one| point("to be checked", Mark::Plain, one));
            let mut turn = make(Speaker::Proposer, "claims", Mark::Plain, points.collect());
            turn.text = proposal.map_or_else(String::new, |one| one.claim);
            turn
        }
        Said::Tried { found, saw } if found.is_empty() => {
            let points = saw.iter().map(|one| point("", Mark::Good, one)).collect();
            engine("tried it: it holds", Mark::Good, points)
        }
        Said::Tried { found, .. } => {
            engine("tried it: it does not hold", Mark::Bad, failures(found))
        }
        Said::HandedIn(_) => engine("takes an exam in, under seal", Mark::Plain, Vec::new()),
        Said::Unasked(why) => {
            let points = vec![point("", Mark::Bad, why)];
            engine("goes on without an exam", Mark::Bad, points)
        }
        Said::Sealed(what) => {
            let points = vec![point("", Mark::Good, what)];
            engine("tried the exam: it can fail", Mark::Good, points)
        }
        Said::HandedBack(faults) => {
            let points = faults.iter().map(|one| point("", Mark::Bad, one));
            engine("hands the exam back", Mark::Bad, points.collect())
        }
        Said::Sat { found, saw } if found.is_empty() => {
            let points = saw.iter().map(|one| point("", Mark::Good, one)).collect();
            engine("asked it: the exam holds", Mark::Good, points)
        }
        Said::Sat { found, .. } => {
            engine("asked it: cases do not hold", Mark::Bad, failures(found))
        }
        Said::UsedUp => engine(
            "has told every case: others are needed",
            Mark::Bad,
            Vec::new(),
        ),
        Said::Complained(faults) => {
            let points = faults.iter().map(|one| point("", Mark::Bad, one));
            engine("sends the answer back", Mark::Bad, points.collect())
        }
        Said::Challenged {
            verdict,
            failures: found,
            by,
        } => {
            let challenge: Option<Challenge> = read(result);
            let mark = match verdict {
                Verdict::Pass => Mark::Good,
                Verdict::Fail => Mark::Bad,
            };
            let mut points = failures(found);
            match by {
                Judge::Challenger => {
                    points.extend(challenge.iter().flat_map(rubric));
                    make(Speaker::Challenger, verdict.as_str(), mark, points)
                }
                Judge::ComplianceGate => engine(verdict.as_str(), mark, points),
            }
        }
        Said::Ruled {
            decision,
            amendments: asked,
            failures: found,
        } => {
            let mark = match decision {
                Decision::Approve => Mark::Good,
                Decision::ApproveWithAmendments => Mark::Person,
                Decision::Reject => Mark::Bad,
            };
            let points = match decision {
                Decision::Reject => failures(found),
                _ => amendments(asked),
            };
            let mut turn = make(Speaker::Arbiter, decision.as_str(), mark, points);
            let ruling: Option<Adjudication> = read(result);
            turn.text = ruling.map_or_else(String::new, |one| one.rationale);
            turn
        }
        Said::Amended => {
            let amended: Option<Amended> = read(result);
            let notes = amended.map(|one| one.amendments).unwrap_or_default();
            let notes = notes.into_iter().filter(|one| !one.note.is_empty());
            let points = notes.map(|one| {
                let about = format!("amendment {}", one.amendment_index + 1);
                point(about, Mark::Plain, one.note)
            });
            make(Speaker::Proposer, "amends", Mark::Plain, points.collect())
        }
        Said::Unapplied(found) => {
            engine("does not find the amendments", Mark::Bad, failures(found))
        }
        Said::Passed(passed) => {
            let points = vec![point(step(*passed), Mark::Good, reason)];
            engine(SHIPS, Mark::Good, points)
        }
        Said::Broke(broken, found) => {
            let word = format!("does not ship it: {}", step(*broken));
            let mut points = failures(found);
            if points.is_empty() {
                points.push(point("", Mark::Bad, reason));
            }
            engine(&word, Mark::Bad, points)
        }
        Said::GaveUp(why) => {
            let mut turn = engine("gives up", Mark::Bad, Vec::new());
            turn.text.clone_from(why);
            turn
        }
    }
}

/// What a person said in a role's place, or instead of the debate.
pub(super) fn by_person(at: Time, who: &str, resolution: &Resolution) -> Turn {
    let text = match resolution {
        Resolution::ApproveOverride { rationale } | Resolution::AbandonTask { rationale } => {
            rationale.clone()
        }
        Resolution::AmendSpec {
            amendment_rationale,
            ..
        } => amendment_rationale.clone(),
        Resolution::ProvideFix {
            fix_description, ..
        } => fix_description.clone(),
        Resolution::SplitTask { new_tasks } => {
            let names: Vec<&str> = new_tasks.iter().map(|one| one.name.as_str()).collect();
            format!("into {}", names.join(", "))
        }
        Resolution::RevisePlan { .. } => String::new(),
    };
    let points = match resolution {
        Resolution::AmendSpec {
            amended_acceptance_criteria,
            ..
        } => amended_acceptance_criteria
            .iter()
            .map(|one| point("criterion", Mark::Person, one))
            .collect(),
        Resolution::ProvideFix { fix_artifacts, .. } => fix_artifacts
            .keys()
            .map(|path| point("file", Mark::Plain, path))
            .collect(),
        _ => Vec::new(),
    };
    Turn {
        at,
        speaker: Speaker::Person(who.to_owned()),
        word: resolution.action().as_str().to_owned(),
        mark: Mark::Person,
        text,
        points,
        attempt: None,
    }
}
