//! What a run remembers. How each fact changes it is in `apply.rs`.

use super::ahead::Ahead;
use super::exits::Record;
use super::finding::Findings;
use super::heard::Heard;
use super::idle::{Alike, Idle};
use super::made::Made;
use super::memory::Memory;
use super::told::Told;
use crate::snapshot::Snapshots;
use crate::workflow::Workflow;
use kernel::autonomy::Risk;
use kernel::effect::Frozen;
use kernel::event::RunStarted;
use kernel::ledger::Ledger;
use kernel::outcome::{CheckResult, RoleResult};
use kernel::{Decision, EffectId, Outcome, Position, Refusal, StateName, Time, Word};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const MOST_NOTES: usize = 16;
/// The longest of what agents and checks say that is kept for briefs and people.
pub(super) const MOST_NOTE_CHARS: usize = 600;
/// The same of what the next attempt has to mend: a finding that is cut is found anew.
const MOST_KEPT_CHARS: usize = 14_000;

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

/// What is remembered of failures that cost no pass.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Patience {
    /// Passing faults in a row.
    pub(crate) retries: u32,
    pub(crate) not_before: Option<Time>,
    /// Invalid results in a row.
    pub(crate) reasks: u32,
    /// The attempt to go on with, and what was wrong with its result.
    pub(crate) continues: Option<(EffectId, String)>,
}

/// Paths that go back to what they are in a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PutBack {
    pub(crate) to: Option<String>,
    pub(crate) paths: BTreeSet<String>,
}

/// Work that was set aside, until it is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Aside {
    pub(crate) paths: BTreeSet<String>,
    /// The commit that holds it, once it is made.
    pub(crate) commit: Option<String>,
    /// The commit without it.
    pub(crate) back_to: Option<String>,
}

/// A commit of the run's, and the run as it stood with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(super) commit: String,
    /// What agents have changed since.
    pub(super) changed: BTreeSet<String>,
    /// Without what only ever grows: that is taken from the day on which it is gone back.
    pub(super) then: Box<FlowState>,
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
    /// Has a gate passed since the last refusal?
    #[serde(default)]
    pub(crate) refusal_met: bool,
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
    /// What it puts back instead: to which commit, and which paths.
    #[serde(default)]
    pub(crate) put_back: Option<PutBack>,
    /// Work that was set aside.
    #[serde(default)]
    pub(crate) aside: Option<Aside>,
    /// What a person has opened again, by field: no line of the state file is its source.
    #[serde(default)]
    pub(crate) opened: BTreeMap<String, String>,
    /// Paths that attempts changed, by state, where a workflow may set its work aside.
    #[serde(default)]
    pub(crate) worked: BTreeMap<StateName, BTreeSet<String>>,
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
    /// The tree that the last gate let pass, as git names it, until somebody works again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) judged: Option<String>,
    /// The checkpoint after each state's last passed gate.
    #[serde(default)]
    pub(crate) commits: BTreeMap<StateName, String>,
    /// What roles said against the work, by state, and nobody has answered yet.
    #[serde(default)]
    pub(crate) objections: BTreeMap<StateName, String>,
    /// The risk that a person declared since the start.
    #[serde(default)]
    pub(crate) risk: Option<Risk>,
    /// What was found in each state, and what was said to it since.
    #[serde(default)]
    pub(crate) earlier: BTreeMap<StateName, Vec<Heard>>,
    /// Has an agent changed the repository in this run?
    #[serde(default)]
    pub(crate) changed_code: bool,
    /// The state that a person asked for in the state file.
    #[serde(default)]
    pub(crate) asked: Option<StateName>,
    /// What was made so far, for checks.
    #[serde(default)]
    pub(crate) made: Made,
    /// Findings that nobody has settled yet.
    #[serde(default)]
    pub(crate) findings: Findings,
    /// Who did nothing about a gate that failed.
    #[serde(default)]
    pub(crate) idle: Idle,
    /// How the last attempts failed, if alike.
    #[serde(default)]
    pub(crate) alike: Alike,
    /// Attempts in a row that did not end well.
    #[serde(default)]
    pub(crate) failures: u32,
    /// Does the run wait because the engine led it there, and no agent asked?
    #[serde(default)]
    pub(crate) gate_asks: bool,
    /// What people said when they decided.
    #[serde(default)]
    pub(crate) told: Told,
    /// Has a person just said of work that passed its gate that it is not good enough?
    #[serde(default)]
    pub(crate) sent_back: bool,
    /// Has a person rejected what was to complete the run? Then they see what became of it.
    #[serde(default)]
    pub(crate) rejected: bool,
    /// Who was sent ahead of their turn.
    #[serde(default, skip_serializing_if = "Ahead::is_empty")]
    pub(crate) ahead: Ahead,
    /// Its commits to which a person may lead it back, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) marks: Vec<Mark>,
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
            refusal_met: false,
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
            put_back: None,
            aside: None,
            opened: BTreeMap::new(),
            worked: BTreeMap::new(),
            revert_failed: false,
            snapshots: Snapshots::default(),
            created: Time::default(),
            record: Record::default(),
            checkpoint_of: None,
            judged: None,
            commits: BTreeMap::new(),
            objections: BTreeMap::new(),
            risk: None,
            earlier: BTreeMap::new(),
            changed_code: false,
            asked: None,
            made: Made::default(),
            findings: Findings::default(),
            idle: Idle::default(),
            alike: Alike::default(),
            failures: 0,
            gate_asks: false,
            told: Told::default(),
            sent_back: false,
            rejected: false,
            ahead: Ahead::default(),
            marks: Vec::new(),
        }
    }

    /// The states whose last gate passed.
    pub(crate) fn standing(&self) -> BTreeSet<StateName> {
        let passed = self.gates.iter().filter(|(_, memo)| memo.passed);
        passed.map(|(state, _)| state.clone()).collect()
    }

    pub(crate) fn mode(&self) -> kernel::Mode {
        let started = self.started.as_ref().map(|started| started.mode);
        let mode = started.unwrap_or_default();
        kernel::Mode {
            risk: self.risk.unwrap_or(mode.risk),
            ..mode
        }
    }

    /// The fields, with what a person has opened again.
    pub(crate) fn filled(&self) -> BTreeMap<String, String> {
        let mut fields = self.fields.clone();
        fields.extend(self.opened.clone());
        fields
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

    /// Is a gate tried, or about to be, on what is there, before anybody has worked in the state?
    pub(crate) fn tries_first(&self) -> bool {
        matches!(
            self.stage,
            Stage::Answered { attempt: None } | Stage::Gating { attempt: None, .. }
        )
    }

    /// What comes first in a state that was just entered: an attempt, or its gate where the workflow
    /// says so and nothing that the gate needs is still empty.
    pub(crate) fn first_stage(&self, workflow: &Workflow) -> Stage {
        let def = &workflow.states[&self.position.state];
        let empty = |name: &Value| {
            let name = name.as_str().unwrap_or_default();
            self.fields
                .get(name)
                .is_none_or(|value| value.trim().is_empty())
        };
        let lacks = |with: &Value| {
            let lists = [&with["required"], &with["fields"]];
            let mut named = lists.into_iter().filter_map(Value::as_array).flatten();
            named.any(empty) || (with["field"].is_string() && empty(&with["field"]))
        };
        match def.gate_first && !def.gate.iter().any(|spec| lacks(&spec.with)) {
            true => Stage::Answered { attempt: None },
            false => Stage::Fresh,
        }
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) {
        let text: String = text.into().chars().take(MOST_KEPT_CHARS).collect();
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}
