//! The order for a gate, as all of the factory's loops give it.

use super::state::State;
use kernel::effect::{CheckSpec, Effect, GateOrder, Weight};
use kernel::{EffectId, StateName};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const GATE_MILLIS: u64 = 15 * 60_000;

pub(crate) fn gate(
    state: &State,
    id: EffectId,
    name: &str,
    subject: String,
    attempt: Option<EffectId>,
    checks: &[&str],
    with: &Value,
) -> Effect {
    let spec = |check: &&str| CheckSpec {
        check: (*check).to_owned(),
        with: with.clone(),
        weight: Weight::Binding,
        shows: None,
        code: None,
    };
    Effect::Gate(GateOrder {
        id,
        state: StateName::from(name),
        subject,
        attempt,
        checks: checks.iter().map(spec).collect(),
        fields: BTreeMap::new(),
        frozen: BTreeMap::new(),
        known: kernel::effect::Known::default(),
        commits: BTreeMap::new(),
        proven: None,
        standing: BTreeSet::new(),
        wall_millis: state.ledger.wall_limit(GATE_MILLIS),
    })
}
