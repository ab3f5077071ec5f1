//! The counters of failures in a row (rule S3.2). Texts are not compared: a reworded sentence resets
//! nothing.

use kernel::snapshot::{GateRun, Snapshot};
use std::collections::BTreeMap;

/// PASS or FAIL.
pub(super) fn word(passed: bool) -> &'static str {
    if passed { "PASS" } else { "FAIL" }
}

/// What the header says of gates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) last_run: Option<GateRun>,
    pub(super) fails: BTreeMap<String, u32>,
}

/// The counters of a new snapshot, from its parent, its own identity, and the gate that was just
/// run, if any.
pub(super) fn count(
    parent: Option<&Snapshot>,
    id: &str,
    gates: &[&str],
    ran: Option<&GateRun>,
) -> Counted {
    let same = parent.is_some_and(|parent| parent.id == id);
    let before = |gate: &str| {
        let counted = parent
            .filter(|_| same)
            .and_then(|parent| parent.fails.get(gate));
        counted.copied().unwrap_or(0)
    };
    let mut fails: BTreeMap<String, u32> = gates
        .iter()
        .map(|gate| ((*gate).to_owned(), before(gate)))
        .collect();
    let Some(ran) = ran else {
        // A new identity starts from nothing; the same one keeps what was run last.
        let kept = parent.filter(|_| same);
        return Counted {
            last_run: kept.and_then(|parent| parent.last_run.clone()),
            fails,
        };
    };
    let counter = fails.entry(ran.gate.clone()).or_default();
    *counter = match (ran.passed, same) {
        (true, _) => 0,
        (false, true) => *counter + 1,
        (false, false) => 1,
    };
    Counted {
        last_run: Some(ran.clone()),
        fails,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATES: [&str; 2] = ["iteration", "exit"];

    fn snapshot(id: &str, counted: Counted) -> Snapshot {
        Snapshot {
            iteration: 1,
            parent: None,
            id: id.to_owned(),
            header: Vec::new(),
            last_run: counted.last_run,
            fails: counted.fails,
            evidence: Vec::new(),
            facts: Vec::new(),
            open: Vec::new(),
            resolved: Vec::new(),
        }
    }

    /// Iteration failures, exit failures, the last run.
    type Header = (u32, u32, Option<String>);

    /// Walks steps such as `S-1` (a snapshot without a gate), `S-1 iteration FAIL`.
    fn walk(steps: &[&str]) -> Header {
        let mut parent: Option<Snapshot> = None;
        for step in steps {
            let words: Vec<&str> = step.split(' ').collect();
            let ran = (words.len() == 3).then(|| GateRun {
                gate: words[1].to_owned(),
                passed: words[2] == "PASS",
            });
            let counted = count(parent.as_ref(), words[0], &GATES, ran.as_ref());
            parent = Some(snapshot(words[0], counted));
        }
        let last = parent.expect("a step");
        let run = last
            .last_run
            .map(|run| format!("{} {}", run.gate, word(run.passed)));
        (last.fails["iteration"], last.fails["exit"], run)
    }

    #[test]
    fn the_update_rules_to_the_letter() {
        let run = |text: &str| Some(text.to_owned());
        let table: [(&[&str], Header); 9] = [
            (&["S-1"], (0, 0, None)),
            (
                &["S-1", "S-1 iteration FAIL"],
                (1, 0, run("iteration FAIL")),
            ),
            // A snapshot without a gate run between two failures changes nothing.
            (
                &[
                    "S-1",
                    "S-1 iteration FAIL",
                    "S-1",
                    "S-1 iteration FAIL",
                    "S-1 iteration FAIL",
                ],
                (3, 0, run("iteration FAIL")),
            ),
            (
                &[
                    "S-1",
                    "S-1 iteration FAIL",
                    "S-1 exit FAIL",
                    "S-1 exit FAIL",
                ],
                (1, 2, run("exit FAIL")),
            ),
            (
                &[
                    "S-1",
                    "S-1 iteration FAIL",
                    "S-1 exit FAIL",
                    "S-1 iteration PASS",
                ],
                (0, 1, run("iteration PASS")),
            ),
            (
                &["S-1", "S-1 exit FAIL", "S-1 exit PASS"],
                (0, 0, run("exit PASS")),
            ),
            // Another identity: the first failure on it is one.
            (
                &[
                    "S-1",
                    "S-1 iteration FAIL",
                    "S-1 iteration FAIL",
                    "S-2 iteration FAIL",
                ],
                (1, 0, run("iteration FAIL")),
            ),
            // A new slice starts with nothing at all.
            (&["S-1", "S-1 iteration FAIL", "S-2"], (0, 0, None)),
            (
                &["S-1", "S-1 iteration FAIL", "S-2", "S-2 exit FAIL", "S-2"],
                (0, 1, run("exit FAIL")),
            ),
        ];
        for (steps, expected) in table {
            assert_eq!(walk(steps), expected, "{steps:?}");
        }
    }
}
