//! The third phase of an exception (rule F13.5): a candidate contract with a bumped version, its
//! debate of at most three rounds, and the ship of what was approved. A version that was debated and
//! not shipped supersedes nothing: whoever uses it would find no code (rule F5.6).

use crate::debate::{Adjudication, Decision, words};
use crate::engineering::debate::{At, Checked, Debate, Move, Now, Said};
use crate::engineering::roles::{Occasion, Role};
use crate::engineering::ship::ShipStep;
use crate::exception::{Compatibility, ContractDelta};
use crate::project::types::{ExceptionId, ModuleRef, TaskId, Version};
use kernel::EffectId;
use kernel::ledger::{LOST_AGAIN, MOST_LOSSES};
use kernel::module::Bump;
use kernel::outcome::{CheckResult, Class, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Rounds of propose, challenge and adjudicate.
pub const MOST_ROUNDS: u32 = 3;
const MOST_BAD_ENDS: u32 = 2;

/// The version that a change leads to. What nobody knows is taken for breaking.
pub fn bump(version: Version, compatibility: Compatibility) -> Version {
    version.bumped(match compatibility {
        Compatibility::BackwardCompatible => Bump::Minor,
        Compatibility::Breaking | Compatibility::Unknown => Bump::Major,
    })
}

/// The contract with the change in it, or why that cannot be done.
pub fn apply(contract: &Value, delta: &ContractDelta) -> Result<Value, Vec<String>> {
    let mut after = contract.clone();
    let mut faults = Vec::new();
    let lists = [
        (
            "inputs",
            &delta.removed_inputs,
            &delta.modified_inputs,
            &delta.added_inputs,
        ),
        (
            "outputs",
            &delta.removed_outputs,
            &delta.modified_outputs,
            &delta.added_outputs,
        ),
        (
            "error_surfaces",
            &Vec::new(),
            &Vec::new(),
            &delta.added_error_surfaces,
        ),
        ("effects", &Vec::new(), &Vec::new(), &delta.added_effects),
    ];
    for (dimension, removed, modified, added) in lists {
        let had = after.get(dimension).and_then(Value::as_array);
        let mut list = had.cloned().unwrap_or_default();
        for gone in removed {
            let before = list.len();
            list.retain(|one| name(one) != name(gone));
            if list.len() == before {
                faults.push(format!(
                    "{dimension}: there is no `{}` to remove",
                    name(gone)
                ));
            }
        }
        for changed in modified {
            match list.iter_mut().find(|one| name(one) == name(changed)) {
                Some(one) => *one = changed.clone(),
                None => faults.push(format!(
                    "{dimension}: there is no `{}` to change",
                    name(changed)
                )),
            }
        }
        for new in added {
            if list.iter().any(|one| name(one) == name(new)) {
                faults.push(format!("{dimension}: `{}` is there already", name(new)));
            }
            list.push(new.clone());
        }
        if !(removed.is_empty() && modified.is_empty() && added.is_empty()) {
            after[dimension] = Value::Array(list);
        }
    }
    if let Some(modes) = &delta.mode_changes {
        after["modes"] = modes.clone();
    }
    if faults.is_empty() {
        Ok(after)
    } else {
        Err(faults)
    }
}

/// An element's name: its member `name`, or of a line in the plan's short form what stands before
/// the colon.
fn name(element: &Value) -> String {
    let named = element.get("name").unwrap_or(element);
    let text = named
        .as_str()
        .map_or_else(|| named.to_string(), str::to_owned);
    let kind = text.split(' ').next().unwrap_or_default();
    // An effect is its kind and its target: two WRITEs are two effects.
    if kind.len() > 1 && kind.chars().all(|c| c.is_ascii_uppercase()) {
        return text;
    }
    text.split(':').next().unwrap_or_default().trim().to_owned()
}

/// A candidate contract and its debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub exception: ExceptionId,
    /// The task that waits for it.
    pub task: TaskId,
    /// The version that would be superseded.
    pub from: ModuleRef,
    /// The version that would be shipped.
    pub to: ModuleRef,
    /// Its contract.
    pub candidate: Value,
    /// From one.
    pub round: u32,
    /// The present round.
    pub debate: Debate,
    /// Who came back and was not heard yet.
    pub answer: Option<Box<Outcome>>,
    /// The attempt that it came from.
    #[serde(default)]
    pub answered: Option<EffectId>,
    /// The attempt that made the newest deliverable: what was debated is what is shipped.
    #[serde(default)]
    pub deliverable: Option<EffectId>,
    /// What the engine's own step of the ship found, not heard yet.
    #[serde(default)]
    pub checked: Option<Vec<CheckResult>>,
    bad_ends: u32,
    /// Gates of the present step that were lost in a row.
    #[serde(default)]
    losses: u32,
}

/// What should be in flight for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A role's turn in the debate.
    Role(Role, Occasion),
    /// A step of the ship.
    Ship(ShipStep),
}

/// One step, as it is journaled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeStep {
    /// The debate went on.
    Debated(Move),
    /// Not resolved: another round.
    Round(Move),
    /// The attempt ended badly; again.
    Again(String),
    /// Approved and shipped.
    Resolved(Move),
    /// No consensus, or nobody who could give one. A person decides what next.
    Failed(String),
}

impl Change {
    /// A change in its first round.
    pub fn new(
        exception: ExceptionId,
        task: TaskId,
        from: ModuleRef,
        to: Version,
        candidate: Value,
    ) -> Self {
        let to = ModuleRef {
            module: from.module.clone(),
            version: to,
        };
        Self {
            exception,
            task,
            from,
            to,
            candidate,
            round: 1,
            debate: Debate::default(),
            answer: None,
            answered: None,
            deliverable: None,
            checked: None,
            bad_ends: 0,
            losses: 0,
        }
    }

    /// Whose turn it is; none while an answer waits to be heard.
    pub fn want(&self) -> Option<Turn> {
        let spent = self.losses >= MOST_LOSSES;
        if self.answer.is_some() || self.checked.is_some() || spent {
            return None;
        }
        Some(match self.debate.at {
            At::Ship(step) => Turn::Ship(step),
            turn => {
                let (role, occasion) = turn.role()?;
                Turn::Role(role, occasion)
            }
        })
    }

    /// What the engine's own step means. What does not ship is another round, as a rejection is.
    fn shipped(&self, results: &[CheckResult], briefs: u32) -> Option<ChangeStep> {
        let mut found = match self.debate.checked(results, briefs)? {
            Checked::Moved(found) => found,
            // It says nothing about the change, so it costs no round.
            Checked::CouldNotRun(why) if self.bad_ends < MOST_BAD_ENDS => {
                return Some(ChangeStep::Again(why));
            }
            // A change has no place to wait in: a person mends what is missing and rules again.
            Checked::CouldNotRun(why) => return Some(ChangeStep::Failed(why)),
        };
        Some(match (&found.said, &found.to) {
            (_, Now::Shipped) => ChangeStep::Resolved(found),
            (Said::Broke(..), Now::At(to)) if *to == self.debate.at => ChangeStep::Debated(found),
            (Said::Broke(..), _) if self.round < MOST_ROUNDS => {
                found.to = Now::At(At::Propose);
                ChangeStep::Round(found)
            }
            (Said::Broke(step, failures), _) => {
                let why: Vec<&str> = failures.iter().map(|one| one.evidence.as_str()).collect();
                ChangeStep::Failed(format!("{}: {}", step.row().check, why.join("; ")))
            }
            _ => ChangeStep::Debated(found),
        })
    }

    /// What was in flight was lost. A step of the ship is wanted again, and not for ever: a change
    /// has no place to wait in, so it fails, and the person rules again.
    pub fn lost(&mut self) {
        self.losses += u32::from(matches!(self.want(), Some(Turn::Ship(_))));
    }

    /// The next step that follows from the state alone. `briefs` is the form of the project's.
    pub fn next(&self, briefs: u32) -> Option<ChangeStep> {
        if let Some(results) = &self.checked {
            return self.shipped(results, briefs);
        }
        if self.losses >= MOST_LOSSES {
            return Some(ChangeStep::Failed(LOST_AGAIN.to_owned()));
        }
        let outcome = self.answer.as_ref()?;
        let (Class::Done, Some(result)) = (outcome.class, &outcome.result) else {
            let why = format!("{}: {}", outcome.class.as_str(), outcome.reason);
            return Some(if self.bad_ends < MOST_BAD_ENDS {
                ChangeStep::Again(why)
            } else {
                ChangeStep::Failed(why)
            });
        };
        let mut heard = self.debate.hear(result, At::Challenge, briefs);
        // A round has one challenge and one ruling; revisions are rounds here.
        if let Said::Challenged { .. } = heard.said {
            heard.to = Now::At(At::Adjudicate);
        }
        Some(match (&heard.said, &heard.to) {
            // The contract is approved; now its version must ship.
            (Said::Ruled { decision, .. }, _) if *decision == Decision::Approve => {
                ChangeStep::Debated(heard)
            }
            (Said::Ruled { .. }, _) if self.round < MOST_ROUNDS => {
                heard.to = Now::At(At::Propose);
                ChangeStep::Round(heard)
            }
            (Said::Ruled { .. }, _) => {
                ChangeStep::Failed(format!("no consensus after {MOST_ROUNDS} rounds"))
            }
            (_, Now::Failed(code)) => ChangeStep::Failed(code.clone()),
            _ => ChangeStep::Debated(heard),
        })
    }

    /// Takes a step in.
    pub fn take(&mut self, step: &ChangeStep) {
        let answer = self.answer.take();
        (self.checked, self.losses) = (None, 0);
        let result = answer.as_ref().and_then(|outcome| outcome.result.as_ref());
        match step {
            ChangeStep::Debated(said) | ChangeStep::Resolved(said) => {
                if said.said == Said::Proposed {
                    self.deliverable = self.answered;
                }
                self.debate.take(said, result);
                self.bad_ends = 0;
            }
            ChangeStep::Round(said) => {
                self.debate.take(said, result);
                self.debate.at = At::Propose;
                (self.debate.complaints, self.bad_ends) = (0, 0);
                self.round += 1;
            }
            ChangeStep::Again(_) => self.bad_ends += 1,
            ChangeStep::Failed(_) => {
                let ruled = result.filter(|_| self.debate.at == At::Adjudicate);
                let ruled = ruled.map(words::<Adjudication>);
                let ruled = ruled.filter(|words| !words.is_null());
                self.debate.trail.adjudications.extend(ruled);
            }
        }
    }
}
