//! A person's waiver of the sandbox for one run: the words that are signed or confirmed, and how an
//! audit finds the same words again. It refuses to let a waiver stand for another run, another start
//! or another moment than the one that the person saw.

use approval::{Approve, Words};
use kernel::event::RunStarted;
use kernel::{Body, Time};
use serde_json::Value;
use workspace::error::EngineError;

pub use kernel::decision::WAIVE;
pub(crate) const WAIVE_BECAUSE: &str =
    "this machine may not be able to hold the agents and checks of this run; I take that on";

/// What the waiver itself puts into the start, and so cannot be bound to.
const ITS_OWN: [&str; 3] = [
    "sandbox_waived_by",
    "sandbox_waived_through",
    "sandbox_waiver_signature",
];

/// Asks a person, and writes the answer into what is to be started.
pub(crate) fn waive(
    started: &mut RunStarted,
    at: Time,
    approve: &Approve<'_>,
) -> Result<(), EngineError> {
    let head = bound_to(&Body::RunStarted(Box::new(started.clone())).to_value(), at);
    let words = words(started.run.as_str(), &head);
    let approved = approve(&words)?;
    approval::admits(started, &words, &approved, at)?;
    started.sandbox_waived_by = Some(approved.who);
    started.sandbox_waived_through = Some(approved.channel);
    started.sandbox_waiver_signature = approved.signature;
    Ok(())
}

/// What the channel of a run begins with that inherits its milestone's waiver; the name follows.
pub const INHERITED: &str = "milestone ";

/// The words of a waiver. `head` is [`bound_to`].
pub fn words<'a>(run: &'a str, head: &'a str) -> Words<'a> {
    Words {
        run,
        seq: 0,
        head,
        tree: "",
        option: WAIVE,
        because: WAIVE_BECAUSE,
    }
}

/// There is no journal yet whose head a waiver could be bound to: it is bound to what is to be
/// started, and when. It takes the record's own JSON, so that members which a later version adds
/// do not change what an earlier one signed.
pub fn bound_to(body: &Value, at: Time) -> String {
    let mut start = body.clone();
    if let Value::Object(members) = &mut start {
        members.retain(|name, _| !ITS_OWN.contains(&name.as_str()));
    }
    let whole = serde_json::json!({"at": at, "start": start});
    let text = serde_json_canonicalizer::to_vec(&whole)
        .expect("text, numbers and lists of a journal's record have a canonical form");
    store::sha256_hex(&text)
}
