//! How each fact changes what a run remembers. It decides nothing: a fact that is in the journal is
//! true, and replay must come to the same state.

mod aside;
mod attempt;
mod finding;
mod gate;
mod heard;
mod moved;

use super::rewind;
use super::state::{FlowState, Stage};
use super::told;
use super::words::UNFINISHED;
use crate::workflow::Workflow;
use kernel::effect::EffectKind;
use kernel::event::{Body, CheckpointEnded, RunStarted};
use kernel::ledger::{LOST_AGAIN, MOST_LOSSES};
use kernel::outcome::Class;
use kernel::table::{Guard, Kind};
use kernel::{EffectId, Event, Position};

impl FlowState {
    pub(crate) fn apply(&mut self, workflow: &Workflow, event: &Event) {
        self.ledger.apply(event);
        self.updated = event.at;
        match &event.body {
            Body::RunStarted(started) => {
                self.created = event.at;
                self.start(workflow, started);
            }
            Body::EffectBegan(began) => {
                let issue = began.subject.as_str();
                match began.kind == EffectKind::Attempt && !issue.is_empty() {
                    true => self.ahead.begun(began.effect, issue),
                    false => self.began(began.effect, began.kind),
                }
            }
            Body::AttemptEnded(ended) => {
                // Also of one that nobody waits for any more: its changes are in the tree.
                if ended.outcome.class == Class::Done {
                    self.touched.extend(ended.outcome.changed.iter().cloned());
                    let mut changed = ended.outcome.changed.iter();
                    self.changed_code |= changed.any(|path| path.starts_with("repo/"));
                    aside::worked(self, workflow, &ended.outcome.changed);
                    rewind::changed(self, &ended.outcome.changed);
                }
                rewind::spent(self, &ended.outcome.evidence);
                if self.stage
                    == (Stage::Attempting {
                        effect: ended.effect,
                    })
                {
                    self.attempt_ended(workflow, ended, event.at);
                } else {
                    self.ahead.ended(ended);
                }
            }
            Body::GateEnded(ended) => {
                for result in &ended.results {
                    rewind::spent(self, &result.evidence);
                }
                if let Stage::Gating { effect, .. } = self.stage
                    && effect == ended.effect
                {
                    self.gate_ended(workflow, event.at, ended);
                }
            }
            Body::CheckpointEnded(ended) => self.checkpoint_ended(workflow, ended),
            Body::EffectLost(lost) => self.lost(workflow, lost.effect, &lost.reason),
            Body::Refused(refused) => {
                self.refuse(refused.refusal.clone());
                self.note(format!(
                    "refused [{}]: {}; {}",
                    refused.refusal.code, refused.refusal.what, refused.refusal.mend
                ));
                self.stage = Stage::Failed {
                    why: refused.refusal.what.clone(),
                };
            }
            Body::Decided(decision) => {
                let because = told::without_stamps(workflow, &self.position.state, decision);
                if because.is_empty() && !decision.because.is_empty() {
                    self.told.said_nothing();
                } else if !because.is_empty() {
                    // In a state where somebody waits, their last words were the question.
                    let waits = workflow.table.state(&self.position.state).kind == Kind::Wait;
                    let asked = if waits { self.said.as_str() } else { "" };
                    let said = self.told.said(&told::sentence(decision, &because, asked));
                    self.note(said);
                }
                self.decision = Some(decision.clone());
            }
            Body::Moved(moved) => self.moved(workflow, moved),
            Body::Rewound(back) => rewind::rewound(self, workflow, back),
            Body::FieldsEdited(edited) => self.edited(workflow, edited),
            Body::SnapshotTaken(taken) => self.snapshots.taken(taken),
            Body::SessionOpened(_) | Body::TailCut(_) | Body::LateDropped(_) | Body::Noted(_) => {}
        }
    }

    fn start(&mut self, workflow: &Workflow, started: &RunStarted) {
        self.position = Position::start(&workflow.table, started.autonomy);
        self.ledger.budgets = kernel::budget::Budgets::with_caps(&started.budgets);
        self.ledger.next = EffectId(1);
        self.fields = workflow.defaults();
        self.fields.extend(started.fields.clone());
        self.visits.insert(self.position.state.clone(), 0);
        if workflow.after.iter().any(|after| after.revert) {
            // What a revert can go back to before any gate has passed.
            self.checkpoint_due = Some(format!("{}: the run begins", workflow.name));
        }
        self.stage = self.first_stage(workflow);
        self.started = Some(started.clone());
    }

    fn began(&mut self, effect: EffectId, kind: EffectKind) {
        match kind {
            EffectKind::Attempt => self.turn_of(effect),
            EffectKind::Gate => {
                let attempt = match self.stage {
                    Stage::Answered { attempt } => attempt,
                    _ => None,
                };
                self.stage = Stage::Gating { effect, attempt };
            }
            EffectKind::Checkpoint => {}
        }
    }

    /// An attempt is the one whose work is judged next.
    pub(super) fn turn_of(&mut self, effect: EffectId) {
        self.fields_before = self.fields.clone();
        self.judged = None;
        self.stage = Stage::Attempting { effect };
    }

    fn checkpoint_ended(&mut self, workflow: &Workflow, ended: &CheckpointEnded) {
        match &ended.problem {
            None => {
                self.checkpoint_due = None;
                if let (Some(state), Some(commit)) = (self.checkpoint_of.take(), &ended.commit) {
                    self.commits.insert(state, commit.clone());
                }
                self.revert_due = false;
                self.revert_failed = false;
                if self.good_commit.is_none() {
                    self.made.commit.clone_from(&ended.commit);
                }
                self.put_back = None;
                self.good_commit.clone_from(&ended.commit);
                self.made.record(&self.touched);
                self.touched.clear();
                self.losses = 0;
                aside::committed(self, workflow, ended.commit.as_ref());
                rewind::mark(self, workflow);
            }
            // It was tried again: it is a person's to do by hand, and the run goes on with what is
            // there. Without an end to this nobody gets past it.
            Some(problem) if self.revert_due && self.revert_failed => {
                self.checkpoint_due = None;
                self.revert_due = false;
                self.revert_failed = false;
                self.put_back = None;
                self.touched.clear();
                let why = format!("the broken work was not put back: {problem}");
                let report = self.memory.report.take().into_iter();
                let lines: Vec<String> = report.chain([format!("But {why}")]).collect();
                self.memory.report = Some(lines.join("\n"));
                self.note(why.clone());
                self.last_why = why;
            }
            // A person is asked something else here, and would hear of it too late: once they have
            // answered, their own edits are among what would be put back.
            Some(_) if self.revert_due && !self.position.is_active(&workflow.table) => {
                self.revert_failed = true;
            }
            // Nobody can be asked any more: say it and let the end be the end.
            Some(problem) if self.position.is_over(&workflow.table) => {
                self.checkpoint_due = None;
                self.last_why = format!("the last checkpoint commit failed: {problem}");
            }
            Some(problem) => {
                self.revert_failed = self.revert_due;
                self.stage = Stage::Stuck {
                    why: format!("the checkpoint commit failed: {problem}"),
                    answered: None,
                };
            }
        }
    }

    /// Not the agent's doing, so it costs no pass; the attempts budget bounds it all the same. The
    /// view of a lost attempt is never taken back: the next one starts from a clean tree, and is told
    /// what the engine kept of it.
    fn lost(&mut self, workflow: &Workflow, effect: EffectId, why: &str) {
        if self.ahead.lost(effect) {
            return;
        }
        if self.stage == (Stage::Attempting { effect }) {
            let state = &self.position.state;
            self.note(format!(
                "an attempt in `{state}` before this one was lost: {why}. {UNFINISHED}"
            ));
        }
        self.stage = match &self.stage {
            Stage::Attempting { effect: mine } if *mine == effect => {
                self.patience.continues = None;
                let mut ways = workflow.table.leaving(&self.position.state);
                match ways.any(|(_, way)| way.when.contains(&Guard::Lost)) {
                    true => Stage::Dropped,
                    false => Stage::Fresh,
                }
            }
            Stage::Gating {
                effect: mine,
                attempt,
            } if *mine == effect => {
                self.losses += 1;
                self.after_a_loss(Stage::Answered { attempt: *attempt })
            }
            // A checkpoint: it stays due.
            other => {
                self.losses += 1;
                self.after_a_loss(other.clone())
            }
        };
    }

    fn after_a_loss(&self, stage: Stage) -> Stage {
        if self.losses < MOST_LOSSES {
            return stage;
        }
        Stage::Stuck {
            why: LOST_AGAIN.to_owned(),
            answered: None,
        }
    }
}
