//! A project's journal as sentences: what happened, to which task, and what of it a person should
//! notice. The demo's narration and the page of evidence both come from here, so neither can say
//! what the journal does not hold.
//!
//! It does not judge: a line repeats what a role said or what the engine found.

use factory::debate::{Decision as Ruled, Verdict as Challenged};
use factory::delivery::manifest::ProductResult;
use factory::engineering::debate::{Move, Said};
use factory::engineering::ship::ShipStep;
use factory::engineering::work::Step;
use factory::halt::change::ChangeStep;
use factory::halt::exception::Ruling as OnException;
use factory::machine::Fact;
use factory::machine::facts::TaskResolved;
use factory::micro_plan::Plan;
use factory::product::ProductStep;
use kernel::outcome::{CheckResult, Outcome, Verdict};
use kernel::{Body, Decision, EffectId, Event, Time};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a line is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// For whoever looks closely.
    Quiet,
    /// It went on.
    Plain,
    /// Something held.
    Good,
    /// Something did not.
    Bad,
    /// A person spoke, or must.
    Person,
}

/// What a person should notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// The engine sent a draft of the spec back.
    DraftRefused,
    /// A person approved the spec.
    SpecApproved,
    ChallengeFailed,
    /// An approval asked for changes.
    Amendment,
    /// The ship refused what the debate had approved.
    ShipRefused,
    /// A task waits for a person.
    Halted,
    /// A person resolved it.
    Resolved,
    /// A contract upstream is not enough.
    ExceptionRaised,
    /// A version took another one's place.
    Superseded,
    /// A shipped module did the work.
    Reused,
    /// A release was judged.
    Released,
}

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// When.
    pub at: Time,
    /// The task that it is about; none: the project.
    pub task: Option<String>,
    /// A word for the margin.
    pub what: &'static str,
    /// How to read it.
    pub mark: Mark,
    /// What to notice.
    pub moment: Option<Moment>,
    /// The sentence.
    pub text: String,
}

/// What is remembered from one event to the next.
#[derive(Debug, Default)]
pub struct Story {
    /// State and subject of what is in flight.
    flying: BTreeMap<EffectId, (String, String)>,
    /// What came back last, by subject.
    states: BTreeMap<String, String>,
    outcomes: BTreeMap<String, Outcome>,
    results: BTreeMap<String, Vec<CheckResult>>,
    exceptions: BTreeMap<String, String>,
}

/// `T-a/MM-b` is about `T-a`.
fn owner(subject: &str) -> String {
    subject.split('/').next().unwrap_or_default().to_owned()
}

impl Story {
    /// Hears an event; most say nothing to people.
    pub fn hear(&mut self, event: &Event) -> Vec<Line> {
        match &event.body {
            Body::EffectBegan(began) => {
                let of = (began.state.to_string(), owner(&began.subject));
                self.flying.insert(began.effect, of);
            }
            Body::AttemptEnded(ended) => {
                if let Some((state, of)) = self.flying.remove(&ended.effect) {
                    self.states.insert(of.clone(), state);
                    self.outcomes.insert(of, ended.outcome.clone());
                }
            }
            Body::GateEnded(ended) => {
                if let Some((_, of)) = self.flying.remove(&ended.effect) {
                    self.results.insert(of, ended.results.clone());
                }
            }
            Body::EffectLost(lost) => {
                let about = self.flying.remove(&lost.effect);
                let text = format!("{} is lost: {}", lost.effect, lost.reason);
                let task = about.map(|(_, of)| self.task_of(&of));
                return vec![line(event.at, task, "lost", Mark::Bad, text)];
            }
            Body::Decided(decision) => return vec![self.decided(event.at, decision)],
            Body::Noted(note) => {
                if let Ok(fact) = Fact::read(note) {
                    return self.fact(event.at, &fact);
                }
            }
            _ => {}
        }
        Vec::new()
    }

    /// The task behind a subject: an exception's is the one that it halted.
    fn task_of(&self, subject: &str) -> String {
        self.exceptions
            .get(subject)
            .cloned()
            .unwrap_or_else(|| subject.to_owned())
    }

    fn fact(&mut self, at: Time, fact: &Fact) -> Vec<Line> {
        match fact {
            Fact::ProductStepped(stepped) => self.product(at, &stepped.step),
            Fact::SpecApproved(approved) => {
                let text = format!(
                    "{} {} is what will be built",
                    approved.spec_id, approved.spec_version
                );
                let mut said = line(at, None, "approved", Mark::Good, text);
                said.moment = Some(Moment::SpecApproved);
                vec![said]
            }
            Fact::EngineeringStepped(stepped) => {
                self.step(at, stepped.task.as_str(), &stepped.step)
            }
            Fact::TaskShipped(shipped) => {
                let all: Vec<String> = shipped.modules.iter().map(ToString::to_string).collect();
                let text = format!("the task is done by {}", all.join(", "));
                vec![line(
                    at,
                    Some(shipped.task.to_string()),
                    "SHIPPED",
                    Mark::Good,
                    text,
                )]
            }
            Fact::TaskHalted(halted) => {
                let task = halted.task.to_string();
                if let Some(id) = &halted.exception {
                    self.exceptions.insert(id.to_string(), task.clone());
                }
                let text = format!(
                    "{}: it waits for a person as {}",
                    halted.code, halted.escalation
                );
                let mut said = line(at, Some(task), "HALTED", Mark::Person, text);
                said.moment = Some(Moment::Halted);
                vec![said]
            }
            Fact::TaskResolved(resolved) => vec![self::resolved(at, resolved)],
            Fact::ExceptionDecided(decided) => {
                let id = decided.decision.exception_id.to_string();
                let text = match (&decided.candidate, decided.decision.ruling) {
                    (Some(candidate), OnException::ApproveChange) => {
                        format!("the change is debated as version {}", candidate.version)
                    }
                    (_, ruling) => format!("{ruling:?}"),
                };
                let task = self.task_of(&id);
                vec![line(at, Some(task), "change", Mark::Person, text)]
            }
            Fact::ChangeStepped(stepped) => {
                let id = stepped.exception.to_string();
                let task = self.task_of(&id);
                match &stepped.step {
                    ChangeStep::Debated(said) | ChangeStep::Round(said) => {
                        self.debated(at, &task, &id, said)
                    }
                    ChangeStep::Resolved(_) => {
                        let results = self.results.get(&id);
                        let text = results.and_then(|all| Some(all.first()?.reason.clone()));
                        let text = text.unwrap_or_default();
                        let mut said = line(at, Some(task), "sealed", Mark::Good, text);
                        said.moment = Some(Moment::Superseded);
                        vec![said]
                    }
                    ChangeStep::Failed(why) | ChangeStep::Again(why) => {
                        vec![line(at, Some(task), "change", Mark::Bad, why.clone())]
                    }
                }
            }
            Fact::ReleaseJudged(manifest) => {
                let passed = manifest.passed();
                let (mark, word) = if passed {
                    (Mark::Good, "PASS")
                } else {
                    (Mark::Bad, "FAIL")
                };
                let count = manifest.modules.len();
                let text = format!("{word}: {} with {count} modules", manifest.release_id);
                let mut said = line(at, None, "release", mark, text);
                said.moment = Some(Moment::Released);
                let product = manifest.product.as_ref().map(|product| {
                    let mark = match product.result {
                        ProductResult::Pass => Mark::Good,
                        ProductResult::Fail | ProductResult::Waived => Mark::Bad,
                    };
                    let text = format!("{}: {}", product.result.as_str(), product.what);
                    line(at, None, "product", mark, text)
                });
                product.into_iter().chain([said]).collect()
            }
            Fact::TasksReopened(reopened) => {
                let tasks = reopened.tasks.iter().map(|one| {
                    let text = format!(
                        "{} uses {}, and {} is in use now",
                        one.module, one.uses, one.now
                    );
                    line(at, Some(one.task.to_string()), "again", Mark::Plain, text)
                });
                tasks.collect()
            }
            _ => Vec::new(),
        }
    }

    /// A step of the product loop. Its effects are about the person's document.
    fn product(&self, at: Time, step: &ProductStep) -> Vec<Line> {
        let say = |what, mark, text| line(at, None, what, mark, text);
        match step {
            ProductStep::Drafted { .. } => {
                let mut all = self.outcomes.values();
                let result = all.find_map(|one| one.result.as_ref()?.get("summary")?.as_str());
                let text = result.unwrap_or("a draft").to_owned();
                vec![say("drafted", Mark::Plain, text)]
            }
            ProductStep::Shown(shown) => {
                let hash: String = shown.spec.hash.chars().take(12).collect();
                let text = format!("complete by all rules; it waits for a person as {hash}");
                vec![say("judged", Mark::Person, text)]
            }
            ProductStep::Refused { deficiencies, .. } => {
                let mut said = say("judged", Mark::Bad, deficiencies.join("; "));
                said.text = format!("REFUSED: {}", said.text);
                said.moment = Some(Moment::DraftRefused);
                vec![said]
            }
            ProductStep::Again { why, .. } => vec![say("again", Mark::Bad, why.clone())],
            ProductStep::Stuck(why) | ProductStep::GaveUp(why) => {
                vec![say("stuck", Mark::Bad, why.clone())]
            }
        }
    }

    fn step(&mut self, at: Time, task: &str, step: &Step) -> Vec<Line> {
        let say = |what, mark, text| line(at, Some(task.to_owned()), what, mark, text);
        let with = |moment, mut line: Line| {
            line.moment = Some(moment);
            vec![line]
        };
        match step {
            Step::PlanLocked(plan) => vec![say("plan", Mark::Plain, planned(plan))],
            Step::PlanRefused(faults) => {
                let first = faults.first().map(|one| one.message.clone());
                vec![say("plan", Mark::Bad, first.unwrap_or_default())]
            }
            Step::Reused(_, reference) => {
                let text = format!("{reference} is reused from the Code Index; nothing is written");
                with(Moment::Reused, say("reuse", Mark::Good, text))
            }
            Step::Examining(_, reference) => {
                let text = format!("{reference} is asked what this task needs of it");
                vec![say("reuse", Mark::Plain, text)]
            }
            Step::Sought(_, reference) => {
                let text = format!("{reference} is looked for in other projects");
                vec![say("reuse", Mark::Plain, text)]
            }
            Step::Found(_, found) => {
                let text = format!("it is brought in from {}, and tested anew", found.from);
                with(Moment::Reused, say("reuse", Mark::Good, text))
            }
            Step::Debated(_, said) => self.debated(at, task, task, said),
            Step::Raised(raised) => {
                let text = format!(
                    "{}: {}",
                    raised.exception.target_module, raised.exception.reason
                );
                with(Moment::ExceptionRaised, say("exception", Mark::Bad, text))
            }
            Step::RaiseRefused(faults) => vec![say("exception", Mark::Bad, faults.join("; "))],
            Step::Again { why, .. } => vec![say("again", Mark::Bad, why.clone())],
            Step::Stuck(why) | Step::GaveUp(why) => vec![say("stuck", Mark::Bad, why.clone())],
            Step::Began(..) | Step::Over(_) => Vec::new(),
        }
    }

    /// A move of a debate. `key` is what its effects are about: the task, or the exception.
    fn debated(&mut self, at: Time, task: &str, key: &str, step: &Move) -> Vec<Line> {
        let result = self.outcomes.get(key).and_then(|one| one.result.as_ref());
        let member = |name: &str| {
            let text = result.and_then(|result| result.get(name)?.as_str());
            text.unwrap_or_default().to_owned()
        };
        let (what, mark, moment, text) = match &step.said {
            Said::Proposed => {
                let again = self.states.get(key).is_some_and(|state| state == "revise");
                let what = if again { "revised" } else { "proposed" };
                (what, Mark::Plain, None, member("claim"))
            }
            Said::Tried { found, saw } if found.is_empty() => {
                ("tried", Mark::Plain, None, saw.join("; "))
            }
            Said::Tried { found, .. } => {
                let why: Vec<&str> = found.iter().map(|one| one.evidence.as_str()).collect();
                ("tried", Mark::Bad, None, why.join("; "))
            }
            Said::HandedIn(_) => (
                "exam",
                Mark::Quiet,
                None,
                "handed in, under seal".to_owned(),
            ),
            Said::Unasked(why) => ("no exam", Mark::Bad, None, why.clone()),
            Said::Sealed(what) => ("exam", Mark::Plain, None, what.clone()),
            Said::HandedBack(faults) => ("exam", Mark::Bad, None, faults.join("; ")),
            Said::Sat { found, saw } if found.is_empty() => {
                ("asked", Mark::Good, None, saw.join("; "))
            }
            Said::Sat { found, .. } => {
                let why: Vec<&str> = found.iter().map(|one| one.evidence.as_str()).collect();
                ("asked", Mark::Bad, None, why.join("; "))
            }
            Said::UsedUp => {
                let text = "every case was told: others are written for the last word";
                ("exam", Mark::Bad, None, text.to_owned())
            }
            Said::Complained(faults) => ("sent back", Mark::Bad, None, faults.join("; ")),
            Said::Challenged {
                verdict: Challenged::Pass,
                ..
            } => ("challenge", Mark::Plain, None, "PASS".to_owned()),
            Said::Challenged { failures, .. } => {
                let why: Vec<&str> = failures.iter().map(|one| one.evidence.as_str()).collect();
                let text = format!("FAIL: {}", why.join("; "));
                ("challenge", Mark::Bad, Some(Moment::ChallengeFailed), text)
            }
            Said::Ruled {
                decision,
                amendments,
                ..
            } => match decision {
                Ruled::Approve => ("arbiter", Mark::Plain, None, "APPROVE".to_owned()),
                Ruled::ApproveWithAmendments => {
                    let all: Vec<&str> = amendments.iter().map(|one| one.detail.as_str()).collect();
                    let text = format!("APPROVE_WITH_AMENDMENTS: {}", all.join("; "));
                    ("arbiter", Mark::Plain, Some(Moment::Amendment), text)
                }
                Ruled::Reject => {
                    let text = format!("REJECT: {}", member("rationale"));
                    ("arbiter", Mark::Bad, None, text)
                }
            },
            Said::Amended => ("amended", Mark::Plain, None, member("summary")),
            Said::Unapplied(failures) => {
                let why: Vec<&str> = failures.iter().map(|one| one.evidence.as_str()).collect();
                ("amended", Mark::Bad, None, why.join("; "))
            }
            Said::Passed(step) => {
                let (what, mark) = of_ship(*step);
                (what, mark, None, self.reason(key))
            }
            Said::Broke(step, _) => {
                let text = format!("REFUSED: {}", self.reason(key));
                let (what, _) = of_ship(*step);
                (what, Mark::Bad, Some(Moment::ShipRefused), text)
            }
            Said::GaveUp(why) => ("gave up", Mark::Bad, None, why.clone()),
        };
        let mut said = line(at, Some(task.to_owned()), what, mark, text);
        said.moment = moment;
        vec![said]
    }

    fn decided(&self, at: Time, decision: &Decision) -> Line {
        let about = ["task", "exception_id"]
            .iter()
            .find_map(|name| decision.with.get(name)?.as_str());
        // What is appended for the signature is for the audit, not for the reader.
        let because = decision.because.split(" [").next().unwrap_or_default();
        let channel = decision.channel.split(' ').next().unwrap_or_default();
        let text = format!(
            "{} by {} ({channel}): {because}",
            decision.option, decision.who
        );
        let task = about.map(|about| self.task_of(about));
        line(at, task, "person", Mark::Person, text)
    }

    /// Why the last gate said what it said.
    fn reason(&self, key: &str) -> String {
        let results = self.results.get(key).map(Vec::as_slice).unwrap_or_default();
        let failed = results.iter().find(|one| one.verdict != Verdict::Pass);
        let told = failed.or(results.first());
        told.map(|one| one.reason.clone()).unwrap_or_default()
    }
}

fn line(at: Time, task: Option<String>, what: &'static str, mark: Mark, text: String) -> Line {
    Line {
        at,
        task,
        what,
        mark,
        moment: None,
        text,
    }
}

/// The word for a step of the ship; what only confirms is quiet.
fn of_ship(step: ShipStep) -> (&'static str, Mark) {
    match step {
        ShipStep::Tests => ("tests", Mark::Good),
        ShipStep::Record => ("sealed", Mark::Good),
        ShipStep::Stubs => ("stubs", Mark::Good),
        ShipStep::Exam => ("exam", Mark::Good),
        ShipStep::Fingerprint => ("interface", Mark::Quiet),
        ShipStep::Surface => ("surface", Mark::Quiet),
        ShipStep::Amendments => ("amendments", Mark::Quiet),
    }
}

fn planned(plan: &Plan) -> String {
    let modules = plan.modules.iter().map(|module| {
        let uses: Vec<String> = module.depends_on.iter().map(ToString::to_string).collect();
        match uses.as_slice() {
            [] => format!("{}: {}", module.module_id, module.purpose),
            uses => format!(
                "{}: {} (uses {})",
                module.module_id,
                module.purpose,
                uses.join(", ")
            ),
        }
    });
    modules.collect::<Vec<_>>().join("; ")
}

fn resolved(at: Time, resolved: &TaskResolved) -> Line {
    let text = format!("{} is carried out", resolved.resolution.action().as_str());
    let mut said = line(
        at,
        Some(resolved.task.to_string()),
        "resolved",
        Mark::Good,
        text,
    );
    said.moment = Some(Moment::Resolved);
    said
}
