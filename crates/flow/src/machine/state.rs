//! What a run remembers, and how each fact changes it.

use super::memory::{Memory, REPEATED, UNPROVEN};
use super::patience::Patience;
use super::record::Record;
use crate::snapshot::{Left, Snapshots};
use crate::workflow::{Checkpoints, Owner, Workflow};
use kernel::effect::{Frozen, Weight};
use kernel::event::{Arrival, AttemptEnded, Body, Moved, RunStarted};
use kernel::ledger::{LOST_AGAIN, Ledger, MOST_LOSSES};
use kernel::outcome::{CheckResult, Class, RoleResult, Verdict, passes};
use kernel::position::Hold;
use kernel::table::{Guard, Kind};
use kernel::{Decision, EffectId, Event, Outcome, Position, Refusal, StateName, Time, Word};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

const MOST_NOTES: usize = 16;
const MOST_NOTE_CHARS: usize = 600;

/// How far the work in the present state is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub(crate) enum Stage {
    /// Nothing begun.
    Fresh,
    /// An agent works.
    Attempting { effect: EffectId },
    /// It ended well; its gate is next.
    Answered { attempt: Option<EffectId> },
    /// The pass came to nothing.
    Failed { why: String },
    /// The environment could not run it.
    Stuck {
        why: String,
        /// The attempt whose gate it was. It ended well: it is judged again, not made again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answered: Option<EffectId>,
    },
    /// The gate is being run.
    Gating {
        effect: EffectId,
        attempt: Option<EffectId>,
    },
    /// The gate has spoken.
    Judged { passed: bool, stalled: bool },
    /// The attempt was lost, and the table has a way for that.
    Dropped,
}

/// A state's last gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateMemo {
    /// Did it pass?
    pub passed: bool,
    /// Every check's answer.
    pub results: Vec<CheckResult>,
    /// The run's move count at that time.
    pub moves: u32,
    /// When.
    pub at: Time,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FlowState {
    pub(crate) started: Option<RunStarted>,
    pub(crate) position: Position,
    pub(crate) ledger: Ledger,
    pub(crate) stage: Stage,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) fields_before: BTreeMap<String, String>,
    pub(crate) notes: Vec<String>,
    pub(crate) gates: BTreeMap<StateName, GateMemo>,
    pub(crate) visits: BTreeMap<StateName, u32>,
    pub(crate) moves: u32,
    pub(crate) checkpoint_due: Option<String>,
    pub(crate) decision: Option<Decision>,
    pub(crate) last_refusal: Option<Refusal>,
    pub(crate) last_why: String,
    /// The last agent's own summary, for people who are asked something.
    #[serde(default)]
    pub(crate) said: String,
    pub(crate) updated: Time,
    #[serde(default)]
    pub(crate) patience: Patience,
    /// Fields that a person has edited since the start: theirs from then on.
    #[serde(default)]
    pub(crate) by_person: BTreeSet<String>,
    /// The last valid result of each role.
    #[serde(default)]
    pub(crate) results: BTreeMap<String, RoleResult>,
    /// Gates and checkpoints lost in a row.
    #[serde(default)]
    pub(crate) losses: u32,
    /// The words that the present state's gate showed.
    #[serde(default)]
    pub(crate) words: BTreeSet<Word>,
    /// What passed gates have frozen.
    #[serde(default)]
    pub(crate) frozen: Frozen,
    /// What failed and why: for post-mortems and repeated failures.
    #[serde(default)]
    pub(crate) memory: Memory,
    /// The last checkpoint commit.
    #[serde(default)]
    pub(crate) good_commit: Option<String>,
    /// Paths that agents have changed since.
    #[serde(default)]
    pub(crate) touched: BTreeSet<String>,
    /// The due checkpoint also puts back what was touched.
    #[serde(default)]
    pub(crate) revert_due: bool,
    /// Has putting it back failed once, and was it asked for again?
    #[serde(default)]
    pub(crate) revert_failed: bool,
    /// What the run knows, and what the next snapshot must say.
    #[serde(default)]
    pub(crate) snapshots: Snapshots,
    /// When the run began.
    #[serde(default)]
    pub(crate) created: Time,
    /// How states were left.
    #[serde(default)]
    pub(crate) record: Record,
    /// The state whose passed gate the due checkpoint records.
    #[serde(default)]
    pub(crate) checkpoint_of: Option<StateName>,
    /// The checkpoint after each state's last passed gate.
    #[serde(default)]
    pub(crate) commits: BTreeMap<StateName, String>,
}

impl FlowState {
    pub(crate) fn blank(workflow: &Workflow) -> Self {
        Self {
            started: None,
            position: Position::start(&workflow.table, kernel::Autonomy::Manual),
            ledger: Ledger::default(),
            stage: Stage::Fresh,
            outcome: None,
            fields: BTreeMap::new(),
            fields_before: BTreeMap::new(),
            notes: Vec::new(),
            gates: BTreeMap::new(),
            visits: BTreeMap::new(),
            moves: 0,
            checkpoint_due: None,
            decision: None,
            last_refusal: None,
            last_why: String::new(),
            said: String::new(),
            updated: Time::default(),
            patience: Patience::default(),
            by_person: BTreeSet::new(),
            results: BTreeMap::new(),
            losses: 0,
            words: BTreeSet::new(),
            frozen: Frozen::new(),
            memory: Memory::default(),
            good_commit: None,
            touched: BTreeSet::new(),
            revert_due: false,
            revert_failed: false,
            snapshots: Snapshots::default(),
            created: Time::default(),
            record: Record::default(),
            checkpoint_of: None,
            commits: BTreeMap::new(),
        }
    }

    /// The states whose last gate passed.
    pub(crate) fn standing(&self) -> BTreeSet<StateName> {
        let passed = self.gates.iter().filter(|(_, memo)| memo.passed);
        passed.map(|(state, _)| state.clone()).collect()
    }

    pub(crate) fn mode(&self) -> kernel::Mode {
        self.started
            .as_ref()
            .map(|started| started.mode)
            .unwrap_or_default()
    }

    /// What gates that stand have sealed: no agent may change it any more.
    pub(crate) fn sealed(&self, workflow: &Workflow) -> BTreeMap<String, String> {
        let standing = self.gates.values().filter(|memo| memo.passed);
        let froze = standing
            .flat_map(|memo| &memo.results)
            .flat_map(|result| &result.froze);
        let sealed = froze.filter(|(name, _)| workflow.sealed.contains(name));
        sealed.flat_map(|(_, items)| items.clone()).collect()
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) {
        let text: String = text.into().chars().take(MOST_NOTE_CHARS).collect();
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    pub(crate) fn apply(&mut self, workflow: &Workflow, event: &Event) {
        self.ledger.apply(event);
        self.updated = event.at;
        match &event.body {
            Body::RunStarted(started) => {
                self.created = event.at;
                self.start(workflow, started);
            }
            Body::EffectBegan(began) => self.began(began.effect, began.kind),
            Body::AttemptEnded(ended) => {
                // Also of one that nobody waits for any more: its changes are in the tree.
                if ended.outcome.class == Class::Done {
                    self.touched.extend(ended.outcome.changed.iter().cloned());
                }
                if self.stage
                    == (Stage::Attempting {
                        effect: ended.effect,
                    })
                {
                    self.attempt_ended(workflow, ended, event.at);
                }
            }
            Body::GateEnded(ended) => {
                if let Stage::Gating { effect, .. } = self.stage
                    && effect == ended.effect
                {
                    self.gate_ended(workflow, event.at, &ended.results);
                }
            }
            Body::CheckpointEnded(ended) => match &ended.problem {
                None => {
                    self.checkpoint_due = None;
                    if let (Some(state), Some(commit)) = (self.checkpoint_of.take(), &ended.commit)
                    {
                        self.commits.insert(state, commit.clone());
                    }
                    self.revert_due = false;
                    self.revert_failed = false;
                    self.good_commit.clone_from(&ended.commit);
                    self.touched.clear();
                    self.losses = 0;
                }
                // It was tried again: it is a person's to do by hand, and the run goes on with what
                // is there. Without an end to this nobody gets past it.
                Some(problem) if self.revert_due && self.revert_failed => {
                    self.checkpoint_due = None;
                    self.revert_due = false;
                    self.revert_failed = false;
                    self.touched.clear();
                    let why = format!("the broken work was not put back: {problem}");
                    let report = self.memory.report.take().into_iter();
                    let lines: Vec<String> = report.chain([format!("But {why}")]).collect();
                    self.memory.report = Some(lines.join("\n"));
                    self.note(why.clone());
                    self.last_why = why;
                }
                // A person is asked something else here, and would hear of it too late: once they
                // have answered, their own edits are among what would be put back.
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
            },
            Body::EffectLost(lost) => self.lost(workflow, lost.effect),
            Body::Refused(refused) => {
                self.last_refusal = Some(refused.refusal.clone());
                self.note(format!(
                    "refused [{}]: {}; {}",
                    refused.refusal.code, refused.refusal.what, refused.refusal.mend
                ));
                self.stage = Stage::Failed {
                    why: refused.refusal.what.clone(),
                };
            }
            Body::Decided(decision) => {
                if !decision.because.is_empty() {
                    self.note(format!(
                        "{} decided `{}`: {}",
                        decision.who, decision.option, decision.because
                    ));
                }
                self.decision = Some(decision.clone());
            }
            Body::Moved(moved) => self.moved(workflow, moved),
            Body::FieldsEdited(edited) => {
                self.by_person.extend(edited.fields.keys().cloned());
                self.fields.extend(edited.fields.clone());
                if !self.position.is_over(&workflow.table) {
                    self.snapshots.edited(workflow, &edited.fields);
                }
            }
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
        self.started = Some(started.clone());
    }

    fn began(&mut self, effect: EffectId, kind: kernel::effect::EffectKind) {
        use kernel::effect::EffectKind;
        match kind {
            EffectKind::Attempt => {
                self.fields_before = self.fields.clone();
                self.stage = Stage::Attempting { effect };
            }
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

    fn attempt_ended(&mut self, workflow: &Workflow, ended: &AttemptEnded, at: Time) {
        let outcome = &ended.outcome;
        self.stage = if outcome.class == Class::Done {
            self.notes.clear();
            self.patience = Patience::default();
            self.take_fields(workflow, &outcome.fields);
            self.keep_result(workflow, ended);
            Stage::Answered {
                attempt: Some(ended.effect),
            }
        } else {
            self.failed(ended.effect, outcome, at)
        };
        let summary = outcome
            .result
            .as_ref()
            .and_then(|result| result["summary"].as_str());
        self.said = summary
            .unwrap_or_default()
            .chars()
            .take(MOST_NOTE_CHARS)
            .collect();
        self.outcome = Some(outcome.clone());
    }

    fn keep_result(&mut self, workflow: &Workflow, ended: &AttemptEnded) {
        let def = workflow.states.get(&self.position.state);
        if let (Some(role), Some(value)) = (
            def.and_then(|def| def.role.clone()),
            ended.outcome.result.clone(),
        ) {
            let result = RoleResult {
                attempt: ended.effect,
                tree: ended.outcome.tree_after.clone(),
                value,
            };
            self.results.insert(role, result);
        }
    }

    /// Agents may fill in what nobody has set; what a person set stays, or an agent could move
    /// its own goal posts.
    fn take_fields(&mut self, workflow: &Workflow, changed: &BTreeMap<String, String>) {
        for (name, value) in changed {
            let Some(field) = workflow
                .field(name)
                .filter(|field| field.owner == Owner::Author)
            else {
                continue;
            };
            if !field.is_open_in(&self.position.state) {
                self.note(format!(
                    "the field `{name}` is not written in this phase and stays as it is"
                ));
                continue;
            }
            let set = self
                .started
                .as_ref()
                .and_then(|started| started.fields.get(name));
            if set.is_some_and(|set| !set.is_empty()) || self.by_person.contains(name) {
                self.note(format!(
                    "the field `{name}` was set by a person and stays as it is"
                ));
            } else {
                self.fields.insert(name.clone(), value.clone());
            }
        }
    }

    fn gate_ended(&mut self, workflow: &Workflow, at: Time, results: &[CheckResult]) {
        let stall = workflow.stall_check.as_deref();
        let (stalls, gate): (Vec<_>, Vec<_>) = results
            .iter()
            .cloned()
            .partition(|result| stall == Some(result.check.as_str()));
        self.losses = 0;
        let (passed, stalled) = (passes(&gate), !passes(&stalls));
        let binding = |result: &&CheckResult| result.weight == Weight::Binding;
        // Not the agent's to mend: neither a pass nor a try is used up for it.
        if let Some(unheld) = results.iter().filter(binding).find(|one| one.is_unheld()) {
            let attempt = match self.stage {
                Stage::Gating { attempt, .. } => attempt,
                _ => None,
            };
            self.stage = Stage::Stuck {
                why: format!("check `{}` could not run: {}", unheld.check, unheld.reason),
                answered: attempt,
            };
            // All the same, this gate has not passed, whatever it said the last time.
            let memo = GateMemo {
                passed: false,
                results: gate,
                moves: self.moves,
                at,
            };
            self.gates.insert(self.position.state.clone(), memo);
            return;
        }
        for result in gate
            .iter()
            .chain(&stalls)
            .filter(binding)
            .filter(|result| result.verdict != Verdict::Pass)
        {
            let code = result.code.as_ref();
            let code = code.map_or_else(String::new, |code| format!(" [{code}]"));
            self.note(format!(
                "check `{}` {}{code}: {}",
                result.check,
                result.verdict.as_str(),
                result.reason
            ));
        }
        let refused = gate
            .iter()
            .filter(binding)
            .filter(|result| result.verdict != Verdict::Pass);
        if let Some((code, result)) = refused
            .filter_map(|result| Some((result.code.as_ref()?, result)))
            .next()
        {
            let what = format!("{}: {}", result.check, result.reason);
            let mend = "the next brief says so; the gate is run again after the next attempt";
            self.last_refusal = Some(Refusal::new(code, what, mend));
        }
        self.words = gate
            .iter()
            .flat_map(|result| result.shows.clone())
            .collect();
        let could_not = |result: &CheckResult| result.verdict == Verdict::CouldNotRun;
        if gate.iter().filter(binding).any(could_not) {
            self.words.insert(Word::from(UNPROVEN));
        }
        let state = self.position.state.clone();
        if passed {
            for result in &gate {
                self.frozen.extend(result.froze.clone());
            }
            self.memory.passed(&state);
        } else if self.memory.failed(&state, &gate, self.outcome.as_ref()) {
            self.words.insert(Word::from(REPEATED));
        }
        let memo = GateMemo {
            passed,
            results: gate,
            moves: self.moves,
            at,
        };
        self.gates.insert(self.position.state.clone(), memo);
        self.stage = Stage::Judged { passed, stalled };
    }

    /// Not the agent's doing, so it costs no pass; the attempts budget bounds it all the same. The
    /// view of a lost attempt is never taken back: the next one starts from a clean tree.
    fn lost(&mut self, workflow: &Workflow, effect: EffectId) {
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

    fn moved(&mut self, workflow: &Workflow, moved: &Moved) {
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
        let passed = matches!(self.stage, Stage::Judged { passed: true, .. });
        if moved.arrival == Arrival::Entered {
            self.record.left(moved, self.decision.as_ref(), self.moves);
        }
        self.position = moved.position.clone();
        self.last_why = moved.why.clone();
        let decision = self.decision.take();
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
            self.snapshots.left(workflow, &left);
        }
        let after = workflow
            .after(moved)
            .filter(|_| moved.arrival == Arrival::Entered);
        for state in after.iter().flat_map(|after| &after.forget) {
            self.gates.remove(state);
            self.memory.passed(state);
        }
        if moved.arrival != Arrival::Stayed {
            self.losses = 0;
            self.patience = Patience::default();
        }
        match moved.arrival {
            Arrival::Entered => {
                // What an earlier state's agent asked for means nothing here.
                self.outcome = None;
                self.words.clear();
                self.report(workflow, moved, passed);
                self.moves += 1;
                self.visits.insert(self.position.state.clone(), self.moves);
                self.stage = Stage::Fresh;
                let gated = workflow.table.state(&moved.from).kind != Kind::Wait;
                if passed && gated && workflow.checkpoints == Checkpoints::PassedGates {
                    self.checkpoint_due =
                        Some(format!("{}: {} passed its gate", workflow.name, moved.from));
                    self.checkpoint_of = Some(moved.from.clone());
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
                self.stage = match self.stage {
                    Stage::Stuck {
                        answered: attempt @ Some(_),
                        ..
                    } => Stage::Answered { attempt },
                    _ => Stage::Fresh,
                }
            }
            Arrival::Stayed if rejected => {
                self.stage = Stage::Judged {
                    passed: false,
                    stalled: false,
                };
            }
            Arrival::Stayed => {}
        }
    }
}
