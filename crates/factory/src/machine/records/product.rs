//! The product loop's records (rule F3.2): who drafted the spec, from what, and the spec as an
//! artifact. Each invocation has its pack and each answer its contribution, as those of the
//! engineering loop have; there is no task yet, so a name stands in its place.
//!
//! The spec is not copied: its bytes are evidence, and the body names them by their hash.

use super::super::facts::Fact;
use super::super::state::State;
use super::{Heard, Record, artifact, pack};
use crate::artifact::ArtifactType;
use crate::artifact::ContributionType;
use crate::engineering::work::Answer;
use crate::escalation::SpecWord;
use crate::product::escalation::Said;
use crate::product::{Product, ProductStep, ROLE};
use crate::project::types::{TaskId, mint};
use kernel::{EffectId, EvidenceRef, Time};
use serde_json::{Value, json};

/// What the loop's newest draft is called.
fn id(state: &State, effect: EffectId) -> String {
    mint("SPEC", state.run(), &effect.to_string())
}

/// The escalation, while the role cannot go on; with what a person says to it now.
pub(crate) fn of_spec(state: &State, said: Option<Said<'_>>) -> Option<Value> {
    let product = state.product.as_ref()?;
    let view = state.graph.view(&state.head, product.spent?);
    product.escalation(state.run(), &json!(view), said)
}

/// Its file.
pub(super) fn escalated(artifact: &Value) -> Record {
    let id = artifact["escalation_id"].as_str().unwrap_or_default();
    Record::of(
        format!("escalations/{id}.json"),
        "EscalationArtifact",
        artifact,
    )
}

/// The draft with a person's word on it, and the escalation that it answers.
fn answered(state: &State, product: &Product, notes: &str, said: Said<'_>) -> Vec<Record> {
    let draft = Draft::kept(state, product, said.at);
    let mut all = draft.map_or_else(Vec::new, |draft| draft.records(notes));
    all.extend(of_spec(state, Some(said)).as_ref().map(escalated));
    all
}

/// What follows from a step of the loop, or from a person's word about a spec.
pub(super) fn records(state: &State, fact: &Fact, at: Time) -> Vec<Record> {
    let Some(product) = &state.product else {
        return Vec::new();
    };
    match fact {
        Fact::ProductStepped(stepped) => stepped_on(state, product, &stepped.step, at),
        Fact::SpecApproved(one) => {
            let said = format!("approved by {}", one.who);
            Draft::kept(state, product, at).map_or_else(Vec::new, |draft| draft.records(&said))
        }
        Fact::SpecRejected(one) => {
            let notes = format!("rejected by {}: {}", one.who, one.reasons);
            let said = Said {
                word: SpecWord::Reject,
                text: &one.reasons,
                who: &one.who,
                at,
            };
            answered(state, product, &notes, said)
        }
        Fact::SpecAmended(one) => {
            let notes = format!("to be changed, says {}: {}", one.who, one.feedback);
            let said = Said {
                word: SpecWord::Amend,
                text: &one.feedback,
                who: &one.who,
                at,
            };
            answered(state, product, &notes, said)
        }
        // What was drafted stays as it was judged.
        Fact::TroubleMended(_) => {
            let decision = state.decision.as_ref();
            let said = decision.map(|decision| Said {
                word: SpecWord::Retry,
                text: &decision.because,
                who: &decision.who,
                at,
            });
            let settled = said.and_then(|said| of_spec(state, Some(said)));
            settled.as_ref().map(escalated).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn stepped_on(state: &State, product: &Product, step: &ProductStep, at: Time) -> Vec<Record> {
    match (step, &product.answer) {
        (ProductStep::Drafted { .. }, Some(Answer::Attempt(effect, outcome))) => {
            let Some(result) = &outcome.result else {
                return Vec::new();
            };
            let task = TaskId::from(pack::PRODUCT);
            let heard = Heard {
                state,
                task: &task,
                effect: *effect,
                result,
                at,
            };
            let id = id(state, *effect);
            let kind = ContributionType::ProductSpec;
            let mut all = vec![heard.contributes(ROLE, kind, Some(&id))];
            let draft = Draft {
                state,
                effect: *effect,
                spec: None,
                report: None,
                at,
            };
            all.extend(draft.records("nobody has judged it yet"));
            all
        }
        (ProductStep::Shown(shown), _) => {
            let draft = Draft {
                spec: Some(&shown.spec),
                report: Some(&shown.report),
                ..Draft::blank(state, product, at)
            };
            draft.records("complete; it waits for a person")
        }
        (ProductStep::Refused { draft, report, .. }, _) => {
            let draft = Draft {
                spec: draft.as_ref(),
                report: report.as_ref(),
                ..Draft::blank(state, product, at)
            };
            draft.records("not complete; see the report")
        }
        _ => Vec::new(),
    }
}

struct Draft<'a> {
    state: &'a State,
    effect: EffectId,
    spec: Option<&'a EvidenceRef>,
    report: Option<&'a EvidenceRef>,
    at: Time,
}

impl<'a> Draft<'a> {
    fn blank(state: &'a State, product: &Product, at: Time) -> Self {
        Self {
            state,
            effect: product.attempt.unwrap_or(EffectId(0)),
            spec: None,
            report: None,
            at,
        }
    }

    /// The newest draft that was judged.
    fn kept(state: &'a State, product: &'a Product, at: Time) -> Option<Self> {
        product.attempt?;
        Some(Self {
            spec: product.draft.as_ref(),
            report: product.report.as_ref(),
            ..Self::blank(state, product, at)
        })
    }

    fn records(&self, notes: &str) -> Vec<Record> {
        let task = TaskId::from(pack::PRODUCT);
        let attempts = self.state.ledger.attempts.iter();
        let began = attempts.rev().find(|one| one.effect == self.effect);
        let heard = Heard {
            state: self.state,
            task: &task,
            effect: self.effect,
            result: &Value::Null,
            at: began.map_or(self.at, |one| one.began),
        };
        let id = id(self.state, self.effect);
        let mut envelope = heard.envelope(&id, ArtifactType::ProductSpec, ROLE);
        envelope.notes = format!("{notes}; specs are judged by rule and by people, not debated");
        let body = json!({"spec": self.spec, "report": self.report});
        artifact(self.state, &task, &envelope, "spec.json", "", body).into()
    }
}
