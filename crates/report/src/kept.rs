//! What was read of kept evidence, and of git, so that a page that is written again does not read it
//! again: a hash never means anything else.

use crate::change::Change;
use crate::gate::{Answer, Check, Gate};
use crate::proof::{Proof, empty_suite};
use crate::transcript::{self, Turn};
use crate::work::Work;
use crate::{excerpt, gate};
use kernel::outcome::EvidenceRef;
use std::collections::BTreeMap;
use std::sync::Arc;
use workspace::Project;

/// What an output says.
#[derive(Debug, Clone, Default)]
struct Output {
    /// Why its suite proves nothing.
    empty: Option<String>,
    /// The part that says why it failed.
    failure: String,
}

/// Everything that was read so far.
#[derive(Debug, Default)]
pub struct Kept {
    outputs: BTreeMap<String, Output>,
    transcripts: BTreeMap<String, Arc<Vec<Turn>>>,
    changes: Vec<(Work, Option<Change>)>,
}

impl Kept {
    /// Looks into the outputs of gates: what failed, and what proves nothing.
    pub fn look_into(&mut self, project: &Project, gates: &mut [Gate]) {
        let newest: Vec<_> = gate::latest(gates).iter().map(|gate| gate.effect).collect();
        for gate in gates {
            let latest = newest.contains(&gate.effect);
            for check in &mut gate.checks {
                let failed = !matches!(check.answer, Answer::Passed | Answer::Noted);
                if check.argv.is_empty() || !(failed || latest) {
                    continue;
                }
                self.read(project, check);
            }
        }
    }

    fn read(&mut self, project: &Project, check: &mut Check) {
        let Some(piece) = check.evidence.first() else {
            return;
        };
        let output = self.output(project, piece);
        if let (Some(empty), Proof::Executed) = (&output.empty, check.proof) {
            check.proof = Proof::Nothing;
            check.empty.clone_from(empty);
        }
        if check.answer == Answer::Failed || check.answer == Answer::CouldNotRun {
            check.failure = output.failure;
        }
    }

    fn output(&mut self, project: &Project, piece: &EvidenceRef) -> Output {
        if let Some(known) = self.outputs.get(&piece.hash) {
            return known.clone();
        }
        let Some(bytes) = get(project, piece) else {
            return Output::default();
        };
        let text = String::from_utf8_lossy(&bytes);
        let output = Output {
            empty: empty_suite(&text),
            failure: excerpt::failure(&text),
        };
        self.outputs.insert(piece.hash.clone(), output.clone());
        output
    }

    /// A transcript to be read; nothing if it is not there.
    pub fn transcript(&mut self, project: &Project, piece: &EvidenceRef) -> Arc<Vec<Turn>> {
        if let Some(known) = self.transcripts.get(&piece.hash) {
            return known.clone();
        }
        let Some(bytes) = get(project, piece) else {
            return Arc::default();
        };
        let turns = Arc::new(transcript::read(&bytes));
        self.transcripts.insert(piece.hash.clone(), turns.clone());
        turns
    }

    /// What lies between two commits, asked for once.
    pub fn change(&mut self, work: &Work, ask: impl FnOnce() -> Option<Change>) -> Option<Change> {
        if let Some((_, known)) = self.changes.iter().find(|(known, _)| known == work) {
            return known.clone();
        }
        let change = ask();
        // Only the last is asked for again.
        self.changes.clear();
        self.changes.push((work.clone(), change.clone()));
        change
    }
}

fn get(project: &Project, piece: &EvidenceRef) -> Option<Vec<u8>> {
    project.vault().ok()?.get(&piece.hash).ok()
}
