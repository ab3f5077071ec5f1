//! What makes the work done, and who has judged it: a command that the engine ran, or an audit. A verdict on
//! code that was edited since is none.

use crate::gate::{Answer, Check, Gate, latest};
use flow::Flow;
use kernel::snapshot::Fact;
use serde::Serialize;

/// A criterion with its judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Met {
    /// `F-0002`.
    pub id: String,
    /// As it was asked for.
    pub text: String,
    /// Is it met? None where nobody has judged the work as it is.
    pub met: Option<bool>,
    /// Who said so, and where that is kept.
    pub how: String,
}

impl Met {
    /// Every criterion of a run, from its gates, newest first.
    pub(crate) fn all(machine: &Flow, gates: &[Gate]) -> Vec<Met> {
        let of = |fact: &Fact| {
            let (met, how) = judged(fact, gates);
            Met {
                id: fact.id.clone(),
                text: fact.text.clone(),
                met,
                how,
            }
        };
        machine.criteria().map(of).collect()
    }

    /// `met`, `not met` or `not judged`.
    pub fn word(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "not met",
            None => "not judged",
        }
    }
}

fn judged(fact: &Fact, gates: &[Gate]) -> (Option<bool>, String) {
    if let Some(judged) = &fact.judged {
        let id = &judged.evidence;
        return match fact.stale.contains(id) {
            true => (None, format!("the code was edited after the audit {id}")),
            false => (Some(judged.met), format!("by the audit {id}")),
        };
    }
    match fact.by.as_str() {
        "" => (None, "nobody was named to judge it".to_owned()),
        "audit" => (None, "by an audit, and there was none".to_owned()),
        command => by_command(command, gates),
    }
}

fn by_command(command: &str, gates: &[Gate]) -> (Option<bool>, String) {
    let ran = latest(gates).into_iter().find_map(|gate| {
        let mut checks = gate.checks.iter();
        let check = checks.find(|one| is_of(one, command))?;
        Some((gate, check))
    });
    match ran {
        None => (None, format!("by `{command}`, which has not run")),
        Some((gate, check)) => {
            let met = match check.answer {
                Answer::Passed => Some(true),
                Answer::Failed => Some(false),
                Answer::CouldNotRun | Answer::Noted => None,
            };
            (met, format!("by `{command}` in `{}`", gate.state))
        }
    }
}

/// Is it the answer of this command? Long ones are cut in a check's name.
fn is_of(check: &Check, command: &str) -> bool {
    let (name, command) = (check.check.as_str(), command.trim());
    let Some((_, of)) = name.split_once(": ") else {
        return false;
    };
    match of.strip_suffix('…') {
        Some(cut) => command.starts_with(cut),
        None => of == command,
    }
}
