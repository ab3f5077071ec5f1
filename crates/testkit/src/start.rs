//! How a simulated run begins.

use crate::random::Random;
use kernel::event::RunStarted;
use kernel::{Autonomy, Mode, Pace, Risk, RunId};
use std::collections::BTreeMap;

/// A start drawn from the seed: every rung, pace and risk, and budgets that some runs exhaust.
pub fn drawn_start(seed: u64) -> RunStarted {
    let mut random = Random::stream(seed, "start");
    let autonomy = *random.pick(&Autonomy::ALL).unwrap_or(&Autonomy::Auto);
    let pace = *random.pick(&Pace::ALL).unwrap_or(&Pace::Flowing);
    let risk = *random.pick(&Risk::ALL).unwrap_or(&Risk::Normal);
    let mut budgets = BTreeMap::from([("attempts".into(), 3 + random.below(12))]);
    if random.happens(300) {
        budgets.insert("tokens".into(), random.below(400_000));
    }
    if random.happens(300) {
        budgets.insert("wall_millis".into(), random.below(7_200_000));
    }
    if random.happens(300) {
        budgets.insert("refusals".into(), random.below(3));
    }
    RunStarted {
        run: RunId::from("sim"),
        workflow: "sim".to_owned(),
        workflow_hash: "sim".to_owned(),
        autonomy,
        mode: Mode { pace, risk },
        budgets,
        fields: BTreeMap::new(),
        task: "task".to_owned(),
        commands: Vec::new(),
        agent: "sim".to_owned(),
        sandbox_waived_by: None,
        sandbox_waived_through: None,
        sandbox_waiver_signature: None,
        own_tree: None,
        signers: None,
        forked: None,
        commands_found: false,
        unconfined: false,
        instead_of_built_in: false,
        weak: kernel::Weak::Suffices,
    }
}
