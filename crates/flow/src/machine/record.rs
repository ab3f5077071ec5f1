//! How states were left, by whom and why: what the engine writes into a document as its record. It
//! refuses any other source than the journal.

use super::exits::Exit;
use super::state::FlowState;
use crate::workflow::{Field, Leaving};
use kernel::StateName;
use kernel::table::Actor;

const PENDING: &str = "pending";

/// `DRAFT`, or who froze it: the gate of `state` stands, and a person has taken `action` since.
pub(super) fn frozen_by(run: &FlowState, state: &StateName, action: &str) -> String {
    let gate = run.gates.get(state).filter(|memo| memo.passed);
    let mut exits = run.record.exits.values();
    let exit = exits.find(|exit| {
        exit.action == action
            && exit.by == Actor::Human
            && gate.is_some_and(|gate| gate.moves <= exit.moves)
    });
    match exit.and_then(|exit| exit.person.as_ref()) {
        Some((who, _)) => {
            let version = run.record.taken.get(action).copied().unwrap_or(1);
            format!("FROZEN @ v{version} - approved by {who}")
        }
        None => "DRAFT".to_owned(),
    }
}

/// How one of these states was last left, by whom or why. An action that the field has no word for
/// is not yet what is asked for.
pub(super) fn left(run: &FlowState, states: &[StateName], what: Leaving, field: &Field) -> String {
    let exits = states
        .iter()
        .filter_map(|state| run.record.exits.get(state));
    let words = &field.words;
    let word_of = |exit: &Exit| {
        let exactly = words.get(&format!("{} to {}", exit.action, exit.to));
        exactly.or_else(|| words.get(&exit.action))
    };
    // Stopping is an outcome, where the field has a word for it, unless there is one already.
    let last = exits.max_by_key(|exit| exit.moves);
    let last = last.filter(|exit| word_of(exit).is_some());
    let Some((exit, word)) = last
        .or(run.record.stopped.as_ref())
        .and_then(|exit| Some((exit, word_of(exit)?)))
    else {
        return PENDING.to_owned();
    };
    match (what, &exit.person) {
        (Leaving::How, _) => word.clone(),
        (Leaving::By, Some((who, channel))) => format!("{who} through {channel}"),
        (Leaving::By, None) => {
            let started = run.started.as_ref();
            let name = started.map_or("", |started| started.run.as_str());
            format!("auto-resolved by run {name}")
        }
        (Leaving::Because, _) => exit.because.clone(),
    }
}

/// `yes`, or what the state's last gate raised under this code; `pending` before it.
pub(super) fn clear(run: &FlowState, state: &StateName, code: &str) -> String {
    let Some(memo) = run.gates.get(state) else {
        return PENDING.to_owned();
    };
    let raised = memo
        .results
        .iter()
        .find(|result| result.code.as_deref() == Some(code));
    match raised {
        Some(result) => format!("no ({code}: {})", result.reason),
        None => "yes".to_owned(),
    }
}
