//! The product loop inside the project's machine: what a person may say to a spec, what follows from
//! it, and how an approved spec becomes tasks.

use super::facts::{
    Fact, ProductStepped, ProjectOpened, SpecAmended, SpecApproved, SpecRejected, TasksDeclared,
};
use super::gate::gate;
use super::options::{AMEND, APPROVE, REJECT, RETRY};
use super::state::{Phase, State};
use crate::delivery::promised::Promised;
use crate::plan::further::Further;
use crate::product::{self, Approved, At, Began, Product, Want};
use crate::project::types::TaskId;
use crate::project::{Declared, declare};
use kernel::effect::{Access, AttemptOrder, Effect};
use kernel::{Decision, EffectId, Refusal, StateName, Time};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Facts are of a size that a journal's line can hold.
const TASKS_PER_FACT: usize = 500;
/// Research takes longer than a module.
const ATTEMPT_MILLIS: u64 = 60 * 60_000;

/// May the loop begin?
pub(crate) fn may_begin(state: &State, began: &Began) -> Result<(), Refusal> {
    if began.jobs == 0 {
        return Err(Refusal::new(
            "no_jobs",
            "a project with no task at a time never ends",
            "give at least one job",
        ));
    }
    let begun = state.product.is_some() || !state.declaring.is_empty();
    let free = match began.released {
        Some(_) => state.released().is_some(),
        None => !begun,
    };
    if !free {
        return Err(Refusal::new(
            "product_begun",
            "the project has a spec already",
            "begin another project, or a further version once this one is released",
        ));
    }
    Ok(())
}

/// The next step that follows from the state alone.
pub(crate) fn advance(state: &State, at: Time) -> Option<Fact> {
    let product = state.product.as_ref()?;
    if state.phase == Phase::Specifying {
        let step = product.next(at)?;
        return Some(Fact::ProductStepped(Box::new(ProductStepped { step })));
    }
    let approved = product.approved.as_ref()?;
    let declared = state.declaring.len();
    if let Some(rest) = approved
        .tasks
        .get(declared..)
        .filter(|rest| !rest.is_empty())
    {
        let tasks = rest.iter().take(TASKS_PER_FACT).cloned().collect();
        return Some(Fact::TasksDeclared(TasksDeclared { tasks }));
    }
    let per_task = product.began.attempts_per_task;
    let tasks = u64::try_from(declared).unwrap_or(u64::MAX);
    Some(Fact::ProjectOpened(Box::new(ProjectOpened {
        project_id: approved.spec_id.clone(),
        spec_version: approved.spec_version.clone(),
        jobs: product.began.jobs,
        attempts: per_task.map(|one| one.saturating_mul(tasks)),
        spec: None,
        briefs: product.began.briefs,
        product: approved.product.clone(),
        exams: product.began.exams,
        further: approved.further.clone(),
    })))
}

/// What should be in flight for it.
pub(crate) fn effect(state: &State, id: EffectId) -> Option<Effect> {
    let product = state.product.as_ref()?;
    let subject = product.began.spec.name.clone();
    Some(match product.want()? {
        Want::Draft => Effect::Attempt(AttemptOrder {
            id,
            state: StateName::from(product::STATE),
            role: product::ROLE.to_owned(),
            subject,
            access: Access::Edit,
            sight: product::sight(product),
            nth: product.ended + 1,
            brief: product::brief(product),
            wall_millis: state.ledger.wall_limit(ATTEMPT_MILLIS),
            not_before: product.patience.not_before,
            continues: product.patience.continues.as_ref().map(|(one, _)| *one),
            session: None,
            again: None,
            sealed: BTreeMap::new(),
            papers: BTreeMap::new(),
            change: None,
            allowance: state.ledger.allowance(),
        }),
        Want::Judgement => {
            let mut with = json!({"research": product.research, "named": product.named});
            if let Some(briefs) = product.began.briefs {
                with["briefs"] = json!(briefs);
            }
            if let Some(released) = &product.began.released {
                with["released"] = json!(released);
            }
            gate(
                state,
                id,
                product::GATE,
                subject,
                product.attempt,
                &[product::CHECK],
                &with,
            )
        }
    })
}

/// What an approval is of. The tasks are the engine's: they follow from the very bytes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnApproval {
    spec: String,
    spec_id: String,
    spec_version: String,
    tasks: Vec<Declared>,
    #[serde(default)]
    product: Option<Promised>,
    #[serde(default)]
    further: Option<Further>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnRejection {
    reasons: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnAmendment {
    feedback: String,
}

fn payload<T: serde::de::DeserializeOwned>(decision: &Decision) -> Result<T, Refusal> {
    T::deserialize(&decision.with).map_err(|error| {
        Refusal::new(
            "payload_malformed",
            format!("{}: {error}", decision.option),
            "decide with `proofhouse factory approve`, `reject` or `amend`",
        )
    })
}

fn said<'a>(name: &str, text: &'a str) -> Result<&'a str, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::new(
            "payload_member_empty",
            format!("`{name}` is empty"),
            format!("say something in `{name}`: it is all that the agent hears"),
        ));
    }
    Ok(text)
}

/// What follows from a decision about a spec; none if it is about something else.
pub(crate) fn carry(state: &State, decision: &Decision) -> Option<Result<Fact, Refusal>> {
    let carried = match decision.option.as_str() {
        APPROVE => approve(state, decision),
        REJECT => reject(state, decision),
        AMEND => amend(state, decision),
        _ => return None,
    };
    Some(carried)
}

/// The loop, if a person may speak to it now.
fn listening(state: &State) -> Result<&Product, Refusal> {
    let refused = |what: &str, mend: &str| Refusal::new("spec_not_shown", what, mend);
    let product = state
        .product
        .as_ref()
        .filter(|_| state.phase == Phase::Specifying)
        .ok_or_else(|| {
            refused(
                "no spec of this project waits for a person",
                "look at `proofhouse factory status`",
            )
        })?;
    match (product.at, &product.stuck) {
        (At::Shown | At::Spent, _) | (_, Some(_)) => Ok(product),
        _ => Err(refused(
            "the spec is still being drafted",
            "wait for it: `proofhouse factory run` goes on",
        )),
    }
}

fn approve(state: &State, decision: &Decision) -> Result<Fact, Refusal> {
    let product = listening(state)?;
    let shown = product.shown.as_ref().filter(|_| product.at == At::Shown);
    let shown = shown.ok_or_else(|| {
        Refusal::new(
            "spec_not_shown",
            "there is no complete spec to approve",
            "reject or amend the draft, or retry",
        )
    })?;
    let on: OnApproval = payload(decision)?;
    if on.spec != shown.spec.hash {
        return Err(Refusal::new(
            "spec_changed",
            format!(
                "the approval is of {}, and {} was shown",
                on.spec, shown.spec.hash
            ),
            "read the spec again with `proofhouse factory review`, and decide again",
        ));
    }
    if on.tasks.is_empty() {
        return Err(Refusal::new(
            "no_tasks",
            "the spec has no tasks",
            "amend it",
        ));
    }
    declare::judge(&on.tasks)?;
    let ids: Vec<TaskId> = on.tasks.iter().map(|one| one.id.clone()).collect();
    match (&on.further, &product.began.released) {
        (Some(further), Some(_)) => further.fits(&state.graph, &ids)?,
        (None, None) => {}
        _ => {
            return Err(Refusal::new(
                "payload_malformed",
                "what becomes of the released tasks is said exactly if there are some",
                "decide with `proofhouse factory approve`",
            ));
        }
    }
    Ok(Fact::SpecApproved(SpecApproved {
        spec: on.spec,
        spec_id: on.spec_id,
        spec_version: on.spec_version,
        who: decision.who.clone(),
    }))
}

fn reject(state: &State, decision: &Decision) -> Result<Fact, Refusal> {
    listening(state)?;
    let on: OnRejection = payload(decision)?;
    Ok(Fact::SpecRejected(SpecRejected {
        reasons: said("reasons", &on.reasons)?.to_owned(),
        who: decision.who.clone(),
    }))
}

fn amend(state: &State, decision: &Decision) -> Result<Fact, Refusal> {
    listening(state)?;
    let on: OnAmendment = payload(decision)?;
    Ok(Fact::SpecAmended(SpecAmended {
        feedback: said("feedback", &on.feedback)?.to_owned(),
        who: decision.who.clone(),
    }))
}

/// What a person may say now.
pub(crate) fn options(state: &State) -> Vec<&'static str> {
    let Ok(product) = listening(state) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if product.at == At::Shown {
        all.push(APPROVE);
    }
    all.extend([REJECT, AMEND]);
    if product.at == At::Spent || product.stuck.is_some() {
        all.push(RETRY);
    }
    all
}

/// Could trying again help?
pub(crate) fn may_retry(state: &State) -> bool {
    options(state).contains(&RETRY)
}

/// Why the loop waits for a person: a stable word and a sentence.
pub(crate) fn reason(state: &State) -> Option<(&'static str, String)> {
    let product = state.product.as_ref()?;
    if state.phase != Phase::Specifying {
        return None;
    }
    if let Some(why) = &product.stuck {
        return Some(("trouble", format!("the product loop is stuck: {why}")));
    }
    let name = state.run();
    match product.at {
        At::Shown => {
            let hash = product.shown.as_ref().map_or("", |one| &one.spec.hash);
            let advice = product.advice();
            let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
            Some((
                "spec_review",
                format!(
                    "the spec {} waits for a person: `proofhouse factory review {name}`{advice}",
                    hash.get(..12).unwrap_or(hash)
                ),
            ))
        }
        At::Spent => {
            let first = product.deficiencies.first();
            let first = first.map_or("", String::as_str);
            Some((
                "spec_incomplete",
                format!(
                    "the spec is not complete after {} drafts ({first}): `proofhouse factory review {name}`",
                    product.refusals
                ),
            ))
        }
        At::Drafting | At::Judging | At::Approved => None,
    }
}

impl State {
    /// A person approved: the tasks of the decision are declared next.
    pub(super) fn spec_approved(&mut self, approved: SpecApproved) {
        let decision = self.decision.take();
        let on = decision.and_then(|one| payload::<OnApproval>(&one).ok());
        if let (Some(product), Some(on)) = (&mut self.product, on) {
            product.at = At::Approved;
            product.approved = Some(Approved {
                spec_id: approved.spec_id,
                spec_version: approved.spec_version,
                tasks: on.tasks,
                product: on.product,
                further: on.further,
            });
            self.phase = Phase::Declaring;
        }
    }
}
