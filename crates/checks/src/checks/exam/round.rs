//! What all drivers of functions share: how a round is asked, what a driver is told, and how its frame is
//! read.

use kernel::exam::answers::{self, Answer, Answers};
use kernel::exam::paper::Asked;
use serde_json::json;
use std::time::Duration;

/// How long one launch may take.
pub(super) const WALL: Duration = Duration::from_secs(120);

/// How a round is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    /// All cases in one process.
    Together,
    /// Each in a process that has seen nothing else.
    Apart,
}

/// All that a driver is told.
pub(super) fn order(asked: &[&Asked<'_>], round: Round) -> Vec<u8> {
    let cases = asked.iter().map(|one| json!({ "steps": one.case.steps }));
    let cases: Vec<_> = cases.collect();
    let order = json!({ "apart": round == Round::Apart, "cases": cases });
    order.to_string().into_bytes()
}

/// The answers of a frame; where it cannot be believed, none.
pub(super) fn framed(frame: &[u8], asked: &[&Asked<'_>], faults: &mut Vec<String>) -> Vec<Answers> {
    let calls: Vec<usize> = asked.iter().map(|one| one.case.steps.len()).collect();
    answers::read(frame, &calls).unwrap_or_else(|why| {
        faults.push(why);
        let nothing = calls.iter().map(|calls| vec![Answer::Nothing; *calls]);
        nothing.collect()
    })
}
