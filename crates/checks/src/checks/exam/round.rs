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

/// Whose machine it seems to be: a product must not be right in an empty home alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// The room as it is.
    Bare,
    /// Somebody's, with files of theirs in their home.
    LivedIn,
}

/// Makes a home that looks as if somebody lived in it. No zone, no language and no terminal is set: an honest answer
/// may follow those.
const LIVED_IN: &str = "h=$(mktemp -d) || exit 1; mkdir -p \"$h/.config\" \"$h/.cache\" \"$h/.local/share\" \"$h/Documents\"; \
     for f in .profile .bashrc .bash_history .gitconfig Documents/notes.txt; do echo '# of ada' > \"$h/$f\"; done; \
     export HOME=\"$h\" USER=ada LOGNAME=ada HOSTNAME=desk SHELL=/bin/bash; ";

impl Around {
    /// A line for `sh` that runs these there.
    pub(super) fn line(self, commands: &str) -> String {
        match self {
            Self::Bare => commands.to_owned(),
            Self::LivedIn => {
                format!("( {LIVED_IN}( {commands}\n); e=$?; rm -rf \"$h\"; exit $e )")
            }
        }
    }
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
