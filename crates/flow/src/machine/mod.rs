//! The machine of every workflow file: one agent at a time (and whoever only reads
//! ahead of it), its gate, the table's next step.
//!
//! Each decision follows from the state alone (`Advance`), so a journal that ends after any event
//! goes on from there without a special case.

mod activity;
mod advance;
mod again;
mod ahead;
mod apply;
mod decide;
mod edited;
mod exits;
mod facts;
mod finding;
mod heard;
mod idle;
mod known;
mod made;
mod memory;
mod objection;
mod patience;
mod record;
mod rewind;
mod session;
mod state;
mod told;
mod wanted;
mod words;
mod worth;

pub use memory::PostMortem;
pub(crate) use memory::{REPEATED, UNPROVEN};
pub(crate) use state::FlowState;

use crate::workflow::Workflow;
use kernel::effect::Effect;
use kernel::machine::Gauge;
use kernel::outcome::Worth;
use kernel::{Body, Event, Input, Machine, Refusal, Status, What};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A run of a workflow.
#[derive(Debug, Clone)]
pub struct Flow {
    workflow: Arc<Workflow>,
    run: FlowState,
}

impl Flow {
    /// A run that has not begun.
    pub fn new(workflow: Arc<Workflow>) -> Self {
        let run = FlowState::blank(&workflow);
        Self { workflow, run }
    }

    /// Its workflow.
    pub fn workflow(&self) -> &Arc<Workflow> {
        &self.workflow
    }

    /// Where it stands on the table.
    pub fn position(&self) -> &kernel::Position {
        &self.run.position
    }

    /// How it was started; none before that.
    pub fn started(&self) -> Option<&kernel::event::RunStarted> {
        self.run.started.as_ref()
    }

    /// Its pace, and the risk as it is declared now.
    pub fn mode(&self) -> kernel::Mode {
        self.run.mode()
    }

    /// The fields that the engine writes, and in which a person may declare something.
    pub fn declared(&self) -> std::collections::BTreeMap<String, String> {
        let declares = |name: &String| self.workflow.field(name).is_some_and(edited::declares);
        let document = self.document("").into_iter();
        document.filter(|(name, _)| declares(name)).collect()
    }

    /// The last commit of the run's own; none before the first.
    pub fn last_commit(&self) -> Option<&str> {
        self.run.good_commit.as_deref()
    }

    /// The tree that the last gate let pass, as git names it; none once somebody works again.
    pub fn passed_tree(&self) -> Option<&str> {
        self.run.judged.as_deref()
    }

    /// What its evidence is worth so far, strongest first; empty where nobody said.
    pub fn worth(&self) -> String {
        let words = self.run.worth().into_iter().rev();
        words.map(Worth::as_str).collect::<Vec<_>>().join(", ")
    }

    /// The document fields that agents and people write.
    pub fn fields(&self) -> &BTreeMap<String, String> {
        &self.run.fields
    }

    /// What was learnt of failures, in the order of states.
    pub fn post_mortems(&self) -> Vec<(&kernel::StateName, &PostMortem)> {
        self.run.memory.all().collect()
    }

    /// What each answer does that a person may give now, in a line.
    pub fn means(&self) -> BTreeMap<String, String> {
        decide::means(&self.workflow, &self.run)
    }

    /// What makes the work done, as the latest snapshot has it.
    pub fn criteria(&self) -> impl Iterator<Item = &kernel::snapshot::Fact> {
        self.run.snapshots.criteria()
    }

    /// What audits flagged as risks.
    pub fn risks(&self) -> Vec<crate::Risk> {
        self.run.snapshots.risks()
    }

    /// Findings that nobody has settled yet: each with its id, and what others have said to it.
    pub fn open_findings(&self) -> impl Iterator<Item = (String, &kernel::finding::Finding)> {
        self.run.findings.open.iter().map(|(id, open)| {
            let said = open.said.iter().map(|said| format!(" -> {said}"));
            let said: String = said.collect();
            let (finding, state) = (&open.finding, &open.raised_in);
            (
                format!("{id} (found in `{state}`) {finding}{said}"),
                finding,
            )
        })
    }

    /// What passed gates have frozen.
    pub fn frozen(&self) -> &kernel::effect::Frozen {
        &self.run.frozen
    }

    /// Frozen items that no agent may change any more, with their hashes.
    pub fn sealed(&self) -> BTreeMap<String, String> {
        self.run.sealed(&self.workflow)
    }

    /// The commit since which people see what changed where the run stands; none: since it began.
    pub fn compared(&self) -> Option<&str> {
        let def = self.workflow.states.get(&self.run.position.state)?;
        let since = self.run.commits.get(def.compares.as_ref()?)?;
        Some(since)
    }

    /// The fields as they were before the attempt that is being judged.
    pub fn fields_before(&self) -> &BTreeMap<String, String> {
        &self.run.fields_before
    }

    /// The last valid result of each role.
    pub fn results(&self) -> &BTreeMap<String, kernel::outcome::RoleResult> {
        &self.run.results
    }

    /// The outcome of the attempt that is being judged.
    pub fn judged(&self) -> Option<&kernel::Outcome> {
        self.run.outcome.as_ref()
    }

    /// The last gate of each state: passed or not, and every result.
    pub fn gates(&self) -> impl Iterator<Item = (&kernel::StateName, &state::GateMemo)> {
        self.run.gates.iter()
    }

    /// Every field of the state file in its order, the engine's own among them.
    pub fn document(&self, evidence_link: &str) -> Vec<(String, String)> {
        facts::document(&self.workflow, &self.run, evidence_link)
    }
}

impl Machine for Flow {
    type What = What;
    type Fact = Body;
    type Want = Effect;
    type Status = Status;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Refusal> {
        decide::decide(&self.workflow, &self.run, input)
    }

    fn apply(&mut self, event: &Event) {
        self.run.apply(&self.workflow, event);
    }

    fn wanted(&self) -> Vec<Effect> {
        wanted::wanted(&self.workflow, &self.run)
    }

    fn status(&self) -> Status {
        facts::status(&self.workflow, &self.run)
    }

    fn gauges(&self) -> BTreeMap<String, Gauge> {
        self.status().budgets
    }

    fn snapshot(&self) -> Value {
        serde_json::to_value(&self.run).expect("plain data with string keys always serializes")
    }

    fn restore(&mut self, snapshot: &Value) -> serde_json::Result<()> {
        self.run = Deserialize::deserialize(snapshot)?;
        Ok(())
    }
}
