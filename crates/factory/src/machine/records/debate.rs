//! A module's debate as rule F7 lays it out: the proposal, challenge and adjudication of each
//! round, the newest of each on top, and the deliverable in its envelope, whose status goes on with
//! the debate (rule F8.4).

use super::super::facts::TaskResolved;
use super::super::state::State;
use super::deliverable::Made;
use super::{Heard, Record, plan};
use crate::artifact::ArtifactStatus;
use crate::artifact::ContributionType;
use crate::contract::from_plan;
use crate::debate::stored::{adjudication, challenge, proposal, target};
use crate::debate::{self, Decision, Failure, words};
use crate::delivery::registry::Origin;
use crate::engineering::debate::{At, Move, Now, Said, fix_words, override_words};
use crate::engineering::roles::Role;
use crate::engineering::work::{Answer, Step, Work};
use crate::halt::resolution::Resolution;
use crate::project::types::{TaskId, mint};
use kernel::Time;
use serde_json::{Value, json};

/// The round's file, and the same as the newest of its kind.
pub(super) fn said(
    target: &str,
    round: usize,
    name: &str,
    kind: &'static str,
    value: &Value,
) -> [Record; 2] {
    let record = |path: String| Record {
        path,
        document: kind,
        value: value.clone(),
    };
    [
        record(format!("debates/{target}/round-{round}/{name}.json")),
        record(format!("debates/{target}/{name}.json")),
    ]
}

fn heard<'a>(state: &'a State, task: &'a TaskId, work: &'a Work, at: Time) -> Option<Heard<'a>> {
    let Some(Answer::Attempt(effect, outcome)) = &work.answer else {
        return None;
    };
    Some(Heard {
        state,
        task,
        effect: *effect,
        result: outcome.result.as_ref()?,
        at,
    })
}

pub(super) fn stepped(state: &State, task: &TaskId, step: &Step, at: Time) -> Vec<Record> {
    let Some(work) = state.work.get(task) else {
        return Vec::new();
    };
    let heard = heard(state, task, work, at);
    match (step, heard) {
        (Step::PlanLocked(plan), Some(heard)) => plan::locked(&heard, plan),
        (Step::Began(module, version), _) => {
            let mut work = work.clone();
            if let Some(one) = work.modules.get_mut(*module) {
                one.version = *version;
            }
            begun(state, task, &work, *module, at)
        }
        (Step::PlanRefused(_), Some(heard)) => {
            let role = Role::MicroPlanner.as_str();
            vec![heard.contributes(role, ContributionType::MicroPlan, None)]
        }
        (Step::Raised(raised), Some(heard)) => {
            let rounds = state.graph.get(task).map_or(0, |one| one.rounds);
            let id = mint("ICE", state.run(), &format!("{task}/{rounds}"));
            vec![heard.contributes(raised.role.as_str(), made_by(raised.role), Some(&id))]
        }
        (Step::RaiseRefused(_), Some(heard)) => turn(work).map_or_else(Vec::new, |role| {
            vec![heard.contributes(role.as_str(), made_by(role), None)]
        }),
        (Step::Debated(module, moved), heard) => {
            debated(state, task, work, *module, moved, heard, at)
        }
        _ => Vec::new(),
    }
}

/// A person's word in a role's place is part of the debate.
pub(super) fn resolved(state: &State, resolved: &TaskResolved, at: Time) -> Vec<Record> {
    let run = state.run();
    if let Some(plan) = &resolved.plan {
        return plan::revised(state, resolved, plan, at);
    }
    let Some(work) = state.work.get(&resolved.task) else {
        return Vec::new();
    };
    let about = |at: usize| {
        let module = &work.modules[at];
        let reference = work.reference(at)?;
        let target = target(run, &resolved.task, &reference, module.opened);
        Some((target, &module.debate.trail))
    };
    match &resolved.resolution {
        Resolution::ProvideFix {
            fix_description, ..
        } => {
            let Some((target, trail)) = work.fixable().and_then(about) else {
                return Vec::new();
            };
            let before = trail.proposals.len();
            let words = fix_words(&resolved.who, fix_description);
            let document = proposal(run, &target, before, &words);
            said(&target, before + 1, "proposal", "Proposal", &document).into()
        }
        Resolution::ApproveOverride { rationale } => {
            let words = override_words(&resolved.who, rationale);
            let mut all = Vec::new();
            for (target, trail) in work.shippable().into_iter().filter_map(about) {
                let before = trail.adjudications.len();
                let document = adjudication(run, &target, before, &words);
                let round = trail.proposals.len();
                all.extend(said(
                    &target,
                    round,
                    "adjudication",
                    "Adjudication",
                    &document,
                ));
            }
            all
        }
        _ => Vec::new(),
    }
}

fn turn(work: &Work) -> Option<Role> {
    let (role, _) = work.modules[work.active()?].debate.at.role()?;
    Some(role)
}

/// What a role's answer is.
pub(super) fn made_by(role: Role) -> ContributionType {
    match role {
        Role::MicroPlanner => ContributionType::MicroPlan,
        Role::Proposer => ContributionType::Implementation,
        Role::Challenger => ContributionType::Challenge,
        Role::Arbiter => ContributionType::Adjudication,
        Role::Examiner => ContributionType::Exam,
    }
}

fn debated(
    state: &State,
    task: &TaskId,
    work: &Work,
    module: usize,
    moved: &Move,
    heard: Option<Heard<'_>>,
    at: Time,
) -> Vec<Record> {
    let Some(reference) = work.reference(module) else {
        return Vec::new();
    };
    let debate = &work.modules[module].debate;
    let effect = heard.map(|heard| heard.effect);
    let opened = match moved.said {
        Said::Proposed => work.modules[module].opened.or(effect),
        _ => work.modules[module].opened,
    };
    let run = state.run();
    let target = target(run, task, &reference, opened);
    let trail = &debate.trail;
    let (proposals, challenges) = (trail.proposals.len(), trail.challenges.len());
    let role = debate.at.role().map(|(role, _)| role);
    let mut all = Vec::new();
    let accepted = match (&moved.said, heard) {
        (Said::Proposed, Some(heard)) => {
            let document = proposal(
                run,
                &target,
                proposals,
                &words::<debate::Proposal>(heard.result),
            );
            all.extend(said(
                &target,
                proposals + 1,
                "proposal",
                "Proposal",
                &document,
            ));
            Some(document["proposal_id"].clone())
        }
        (Said::Challenged { failures, .. }, Some(heard)) => {
            let word = by_gate(moved, failures)
                .unwrap_or_else(|| words::<debate::Challenge>(heard.result));
            let document = challenge(run, &target, challenges, &word);
            all.extend(said(
                &target,
                proposals,
                "challenge",
                "Challenge",
                &document,
            ));
            Some(document["challenge_id"].clone())
        }
        (Said::Ruled { .. }, Some(heard)) => {
            let before = trail.adjudications.len();
            let document = adjudication(
                run,
                &target,
                before,
                &words::<debate::Adjudication>(heard.result),
            );
            all.extend(said(
                &target,
                proposals,
                "adjudication",
                "Adjudication",
                &document,
            ));
            Some(document["adjudication_id"].clone())
        }
        (Said::Amended | Said::Unapplied(_), Some(_)) => Some(json!(target)),
        _ => None,
    };
    if let (Some(heard), Some(role)) = (heard, role) {
        let id = accepted.as_ref().and_then(Value::as_str);
        all.push(heard.contributes(role.as_str(), made_by(role), id));
    }
    if let Some(status) = status(moved, debate.at) {
        let origin = Origin {
            opened,
            ..work.origin(module)
        };
        let made = Made {
            state,
            task,
            reference: &reference,
            origin: &origin,
            at,
        };
        all.extend(made.work(status));
        all.extend(made.contract(status, locked(work, module)));
        if let (ArtifactStatus::Shipped, Some(Answer::Gate(results))) = (status, &work.answer) {
            all.extend(made.evidence(results));
        }
    }
    all
}

/// The contract that a plan locks for a module; a person's plan may leave it to the task's file.
fn locked(work: &Work, module: usize) -> (Value, &'static str) {
    let plan = work.plan.as_ref().and_then(|plan| plan.modules.get(module));
    let version = work.reference(module).map(|one| one.version);
    let contract = plan.zip(version);
    let contract =
        contract.and_then(|(plan, version)| from_plan::contract(plan, version, &plan.depends_on));
    match contract {
        Some(contract) => (json!(contract), "MicroModuleContract"),
        None => {
            let reference = work.reference(module);
            (
                json!({"module_ref": reference, "left_to": "the task's file"}),
                "",
            )
        }
    }
}

/// A module's turn: its contract is locked before anybody implements it.
fn begun(state: &State, task: &TaskId, work: &Work, module: usize, at: Time) -> Vec<Record> {
    let Some(reference) = work.reference(module) else {
        return Vec::new();
    };
    let origin = work.origin(module);
    let made = Made {
        state,
        task,
        reference: &reference,
        origin: &origin,
        at,
    };
    let body = locked(work, module);
    made.contract(ArtifactStatus::Draft, body).into()
}

/// The compliance gate's challenge; none: it is the Challenger's own.
fn by_gate(moved: &Move, failures: &[Failure]) -> Option<Value> {
    use crate::engineering::debate::Judge;
    match &moved.said {
        Said::Challenged {
            verdict,
            by: Judge::ComplianceGate,
            ..
        } => Some(json!({"verdict": verdict, "failures": failures})),
        _ => None,
    }
}

/// Where the deliverable stands after a move; none: where it stood.
fn status(moved: &Move, at: At) -> Option<ArtifactStatus> {
    match (&moved.said, &moved.to) {
        (Said::Proposed, _) => Some(ArtifactStatus::Draft),
        (Said::Challenged { .. }, _) => Some(ArtifactStatus::Challenged),
        // Within the retry window what was rejected is a draft again (rule F8.4).
        (Said::Ruled { decision, .. }, Now::At(At::Revise)) if *decision == Decision::Reject => {
            Some(ArtifactStatus::Draft)
        }
        (Said::Ruled { .. }, _) => Some(ArtifactStatus::Adjudicated),
        (Said::Passed(_), Now::Shipped) if matches!(at, At::Ship(_)) => {
            Some(ArtifactStatus::Shipped)
        }
        _ => None,
    }
}
