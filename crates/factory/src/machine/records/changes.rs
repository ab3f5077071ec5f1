//! An exception's third phase (rule F13.5): the candidate contract in its envelope, and its debate
//! of at most three rounds.

use super::super::facts::{ChangeStepped, ExceptionDecided};
use super::super::state::State;
use super::debate::{made_by, said};
use super::deliverable::Made;
use super::{Heard, Record, artifact};
use crate::artifact::ContributionType;
use crate::artifact::{ArtifactStatus, ArtifactType, PurposedRef};
use crate::debate::stored::{adjudication, challenge, change_target, proposal};
use crate::debate::{self, words};
use crate::delivery::registry::Origin;
use crate::engineering::debate::{Move, Said};
use crate::engineering::roles::Role;
use crate::halt::change::{Change, ChangeStep};
use crate::project::types::{ExceptionId, TaskId};
use kernel::{EffectId, Time};
use serde_json::{Value, json};

/// Phase 2 ends: the candidate is there, and nobody has judged it.
pub(super) fn decided(state: &State, decided: &ExceptionDecided, at: Time) -> Vec<Record> {
    let id = &decided.decision.exception_id;
    let (Some(candidate), Some(record)) = (&decided.candidate, state.exceptions.get(id)) else {
        return Vec::new();
    };
    let effect = record.raised.effect;
    let one = Envelope {
        task: &record.task,
        exception: id,
        effect,
        contract: &candidate.contract,
        status: ArtifactStatus::Draft,
    };
    one.records(state, at)
}

struct Envelope<'a> {
    task: &'a TaskId,
    exception: &'a ExceptionId,
    effect: EffectId,
    contract: &'a Value,
    status: ArtifactStatus,
}

impl Envelope<'_> {
    fn records(&self, state: &State, at: Time) -> Vec<Record> {
        let heard = Heard {
            state,
            task: self.task,
            effect: self.effect,
            result: &Value::Null,
            at,
        };
        let id = change_target(state.run(), self.exception);
        let mut envelope = heard.envelope(&id, ArtifactType::Contract, Role::Proposer.as_str());
        envelope.status = self.status;
        envelope.inputs.push(PurposedRef {
            reference: format!("{}@1.0.0", self.exception),
            purpose: "the exception that asks for it".to_owned(),
        });
        let document = contract_kind(self.contract);
        let body = self.contract.clone();
        artifact(state, self.task, &envelope, "contract.json", document, body).into()
    }
}

/// A candidate is a whole contract where the plan locked one; else it is what was asked for.
fn contract_kind(contract: &Value) -> &'static str {
    match contract.get("module_id") {
        Some(_) => "MicroModuleContract",
        None => "",
    }
}

pub(super) fn stepped(state: &State, stepped: &ChangeStepped, at: Time) -> Vec<Record> {
    let Some(change) = state.changes.get(&stepped.exception) else {
        return Vec::new();
    };
    let mut all = match &stepped.step {
        ChangeStep::Debated(moved) | ChangeStep::Round(moved) | ChangeStep::Resolved(moved) => {
            debated(state, change, moved, at)
        }
        ChangeStep::Again(_) | ChangeStep::Failed(_) => Vec::new(),
    };
    let status = match &stepped.step {
        ChangeStep::Debated(moved) if matches!(moved.said, Said::Challenged { .. }) => {
            Some(ArtifactStatus::Challenged)
        }
        ChangeStep::Debated(moved) if matches!(moved.said, Said::Ruled { .. }) => {
            Some(ArtifactStatus::Adjudicated)
        }
        ChangeStep::Round(_) => Some(ArtifactStatus::Draft),
        ChangeStep::Resolved(_) => Some(ArtifactStatus::Shipped),
        ChangeStep::Failed(_) => Some(ArtifactStatus::Adjudicated),
        ChangeStep::Debated(_) | ChangeStep::Again(_) => None,
    };
    if let (Some(status), Some(record)) = (status, state.exceptions.get(&stepped.exception)) {
        let ruled = state.rulings.iter().rev();
        let mut ruled = ruled.filter(|one| one.exception_id == stepped.exception);
        let made = ruled.next().map_or(at, |one| one.at);
        let one = Envelope {
            task: &change.task,
            exception: &change.exception,
            effect: record.raised.effect,
            contract: &change.candidate,
            status,
        };
        all.extend(one.records(state, made));
        let origin = Origin {
            exception: Some(change.exception.clone()),
            ..Origin::default()
        };
        let version = Made {
            state,
            task: &change.task,
            reference: &change.to,
            origin: &origin,
            at,
        };
        all.extend(version.work(status));
        if status == ArtifactStatus::Shipped {
            let checked = change.checked.as_deref().unwrap_or_default();
            all.extend(version.evidence(checked));
            let old = state.registry.get(&change.from);
            if let Some(old) = old.and_then(|entry| Made::of(state, entry)) {
                all.extend(old.deprecated(&format!("superseded by {}", change.to)));
            }
        }
    }
    all
}

fn debated(state: &State, change: &Change, moved: &Move, at: Time) -> Vec<Record> {
    let answer = change.answer.as_ref();
    let result = answer.and_then(|outcome| outcome.result.as_ref());
    let effect = state.heard.get(&change.exception);
    let (Some(result), Some(effect)) = (result, effect) else {
        return Vec::new();
    };
    let heard = Heard {
        state,
        task: &change.task,
        effect: *effect,
        result,
        at,
    };
    let run = state.run();
    let target = change_target(run, &change.exception);
    let trail = &change.debate.trail;
    let round = change.round as usize;
    let role = change
        .debate
        .at
        .role()
        .map_or(Role::Proposer, |(role, _)| role);
    let (document, name, kind) = match &moved.said {
        Said::Proposed => {
            let before = trail.proposals.len();
            (
                proposal(run, &target, before, &words::<debate::Proposal>(result)),
                "proposal",
                "Proposal",
            )
        }
        Said::Challenged {
            verdict,
            failures,
            by,
        } => {
            let word = match by {
                crate::engineering::debate::Judge::Challenger => words::<debate::Challenge>(result),
                crate::engineering::debate::Judge::ComplianceGate => {
                    json!({"verdict": verdict, "failures": failures})
                }
            };
            let before = trail.challenges.len();
            (
                challenge(run, &target, before, &word),
                "challenge",
                "Challenge",
            )
        }
        Said::Ruled { .. } => {
            let before = trail.adjudications.len();
            let document =
                adjudication(run, &target, before, &words::<debate::Adjudication>(result));
            (document, "adjudication", "Adjudication")
        }
        _ => return vec![heard.contributes(role.as_str(), of_contract(role), None)],
    };
    let id = document[format!("{name}_id")].as_str().map(str::to_owned);
    let mut all: Vec<Record> = said(&target, round, name, kind, &document).into();
    all.push(heard.contributes(role.as_str(), of_contract(role), id.as_deref()));
    all
}

/// Who proposes here proposes a contract.
fn of_contract(role: Role) -> ContributionType {
    match role {
        Role::Proposer => ContributionType::Contract,
        other => made_by(other),
    }
}
