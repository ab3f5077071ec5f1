//! The run has moved: what it forgets, what it reports, and which checkpoint is due.

use crate::machine::idle::Alike;
use crate::machine::state::Patience;
use crate::machine::state::{FlowState, Stage};
use crate::machine::told;
use crate::snapshot::Left;
use crate::workflow::{Checkpoints, Owner, Workflow};
use kernel::event::{Arrival, Moved};
use kernel::position::{Hold, LOOK_AGAIN};
use kernel::table::{Actor, Kind};
use kernel::{Decision, StateName};

impl FlowState {
    /// What a person should know who is asked now, because a gate failed.
    fn report(&mut self, workflow: &Workflow, moved: &Moved, passed: bool) {
        self.memory.report = None;
        self.memory.advice = None;
        if let Stage::Failed { why } = &self.stage {
            self.memory.report = Some(format!("BLOCKED: {why}."));
            return;
        }
        if workflow.after(moved).is_some_and(|after| after.post_mortem) {
            self.memory.close(self.updated);
        } else if workflow.table.state(&moved.position.state).kind == Kind::Wait && !passed {
            self.memory.tell(&moved.from);
        }
    }

    /// Who asks the product hears nothing of what was said while it was built, but a person's word.
    fn forget_the_builder(&mut self, decision: Option<&Decision>) {
        self.notes.clear();
        if let Some(decision) = decision.filter(|decision| !decision.because.is_empty()) {
            self.note(told::sentence(decision, &decision.because, ""));
        }
    }

    /// Whoever is sent back to what a gate refused hears it again: somebody else has worked since, and heard
    /// it in their place.
    fn note_what_stands(&mut self, workflow: &Workflow) {
        let back = self.position.slot.as_ref();
        let gate = back.and_then(|state| self.gates.get(state));
        if workflow.is_sealed_in(&self.position.state) {
            return;
        }
        if let Some(gate) = gate.filter(|gate| !gate.passed) {
            let results = gate.results.clone();
            self.note_failures(&results);
        }
    }

    /// A person who opens the state file of a run that an agent has led aside reads there why: in the
    /// agent's words where nobody has filled the field in.
    fn tell_in_file(&mut self, workflow: &Workflow, moved: &Moved) {
        let def = &workflow.states[&self.position.state];
        let waits = workflow.table.state(&self.position.state).kind == Kind::Wait;
        let asked = waits && moved.by == Actor::Agent && !self.said.is_empty();
        let Some(field) = def.tells.as_ref().filter(|_| asked) else {
            return;
        };
        let own = workflow
            .field(field)
            .is_some_and(|one| one.owner == Owner::Author);
        let value = self.fields.entry(field.clone()).or_default();
        if own && value.trim().is_empty() {
            value.clone_from(&self.said);
        }
    }

    pub(super) fn moved(&mut self, workflow: &Workflow, moved: &Moved) {
        if moved.position.state != self.position.state {
            self.ahead.clear();
        }
        if let (Some(Hold::Budget { name }), "extend") =
            (&self.position.hold, moved.action.as_str())
        {
            let name = name.clone();
            self.ledger.budgets.extend(name.as_str());
        }
        let rejected = matches!(
            (&self.position.hold, moved.action.as_str()),
            (Some(Hold::Approval { .. }), "reject")
        );
        let held = matches!(self.position.hold, Some(Hold::Budget { .. }));
        let looks_again = held && moved.action == LOOK_AGAIN;
        let passed = matches!(self.stage, Stage::Judged { passed: true, .. });
        if moved.arrival == Arrival::Entered {
            self.record.left(moved, self.decision.as_ref(), self.moves);
        }
        // A run that began when stopping left no outcome goes on without one.
        let began = self.started.as_ref();
        let began = began.map(|started| started.workflow_hash.as_str());
        if moved.position.stopped && began == Some(workflow.hash.as_str()) {
            self.record
                .stopped(moved, self.decision.as_ref(), self.moves);
        }
        self.position = moved.position.clone();
        self.last_why = moved.why.clone();
        let decision = self.decision.take();
        self.overruled(workflow, moved, decision.as_ref());
        if moved.by == Actor::Human {
            // Whoever lets the run go on takes on what stands.
            self.made.record(&self.touched);
            self.idle.answered();
            if rejected && workflow.rules > 1 {
                self.rejected = true;
                self.idle.rejected(&moved.from);
            }
            self.alike = Alike::default();
            self.failures = 0;
        }
        if moved.arrival == Arrival::Entered {
            let judged = matches!(self.stage, Stage::Judged { .. });
            let memo = self.gates.get(&moved.from).filter(|_| judged);
            let left = Left {
                state: &moved.from,
                passed,
                outcome: self.outcome.as_ref(),
                results: memo.map_or(&[], |memo| memo.results.as_slice()),
                decision: decision.as_ref(),
            };
            self.snapshots.left(workflow.snapshot.as_ref(), &left);
        }
        let after = workflow
            .after(moved)
            .filter(|_| moved.arrival == Arrival::Entered);
        for state in after.iter().flat_map(|after| &after.forget) {
            self.gates.remove(state);
            self.memory.passed(state);
        }
        if moved.arrival != Arrival::Stayed {
            self.sent_back = false;
            self.losses = 0;
            self.patience = Patience::default();
        }
        match moved.arrival {
            Arrival::Entered => {
                if workflow.is_sealed_in(&self.position.state) {
                    self.forget_the_builder(decision.as_ref());
                }
                if moved.by == Actor::Human {
                    self.note_what_stands(workflow);
                }
                // What was asked for in an earlier state means nothing here.
                self.outcome = None;
                self.failures = 0;
                self.asked = None;
                self.tell_in_file(workflow, moved);
                self.words.clear();
                self.report(workflow, moved, passed);
                if let (true, Some(stall)) = (passed, &workflow.stall_check) {
                    // Whoever comes next has nothing to do with how much the last one got done.
                    let told = format!("check `{stall}` ");
                    self.notes.retain(|note| !note.starts_with(&told));
                }
                self.moves += 1;
                self.visits.insert(self.position.state.clone(), self.moves);
                // Who has just passed a gate may have done what comes next as well.
                let role = |state: &StateName| workflow.states[state].role.as_ref();
                let same =
                    role(&moved.from).is_some() && role(&moved.from) == role(&self.position.state);
                // A person has answered what a gate asked: the gate looks again, and not an agent first.
                let answers_gate = moved.by == Actor::Human && self.gate_asks;
                self.gate_asks = moved.by == Actor::Engine
                    && workflow.table.state(&self.position.state).kind == Kind::Wait;
                let tries = after.is_some_and(|after| after.gate_first);
                self.stage = match (passed && same) || answers_gate {
                    _ if tries => Stage::Answered { attempt: None },
                    true => self.first_stage(workflow),
                    false => Stage::Fresh,
                };
                let gated = workflow.table.state(&moved.from).kind != Kind::Wait;
                if passed && gated && workflow.checkpoints == Checkpoints::PassedGates {
                    self.checkpoint_due =
                        Some(format!("{}: {} passed its gate", workflow.name, moved.from));
                    self.checkpoint_of = Some(moved.from.clone());
                }
                if let Some(after) = after {
                    super::aside::taken(self, workflow, after, decision.as_ref());
                }
                if after.is_some_and(|after| after.revert) {
                    let state = self.memory.last().unwrap_or(&moved.from);
                    self.checkpoint_due = Some(format!(
                        "fix({state}): checkpoint broken state before revert"
                    ));
                    self.revert_due = true;
                }
            }
            Arrival::Again => {
                // Whoever is asked again is told why.
                if moved.by == Actor::Engine && passed {
                    self.note(moved.why.clone());
                }
                self.stage = match self.stage {
                    Stage::Stuck {
                        answered: attempt @ Some(_),
                        ..
                    } => Stage::Answered { attempt },
                    _ => Stage::Fresh,
                }
            }
            Arrival::Stayed if rejected => {
                self.sent_back = true;
                self.stage = Stage::Judged {
                    passed: false,
                    stalled: false,
                };
            }
            Arrival::Stayed if looks_again => {
                let role = workflow.states[&self.position.state].role.as_ref();
                let worked = role.and_then(|role| self.results.get(role));
                self.stage = match worked {
                    Some(worked) => Stage::Answered {
                        attempt: Some(worked.attempt),
                    },
                    None => Stage::Fresh,
                };
            }
            Arrival::Stayed => {}
        }
    }
}
