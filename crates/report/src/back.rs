//! To lead a run back to one of its commits: what a person's decision carries, and what stands in its way that no
//! answer takes back. What the machine itself can see, it refuses itself.

use crate::History;
use crate::caught::{Gravity, caught};
use crate::look;
use flow::{Flow, Workflow};
use kernel::decision::REWIND;
use kernel::outcome::{EvidenceRef, Verdict};
use kernel::table::Renewal;
use kernel::{Body, CounterName, Decision, Event, Input, Machine, What};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{Journal, Replay};
use workspace::{EngineError, Project};

/// The check that ships what was judged.
const SHIPS: &str = "deployed";

/// What the decision carries that leads the run back to the commit of this record.
pub fn to(project: &Project, run: &str, at: u64) -> Result<Value, EngineError> {
    if look::is_project(project, run) {
        return Err(EngineError::user(
            "factory_project",
            format!("`{run}` is a project of the factory"),
            "only runs are led back; `factory status` shows what a project's tasks wait for",
        ));
    }
    let since = since(project, run, at)?;
    let commits = &since.commits;
    let found = commits.iter().find(|(seq, _)| *seq == at);
    if let Some((record, commit)) = found {
        since.unspent(run)?;
        return Ok(json!({"record": record, "commit": commit}));
    }
    let before = commits.iter().rev().find(|(seq, _)| *seq < at);
    let before = before.or(commits.first());
    Err(EngineError::user(
        "rewind_unknown",
        format!("record {at} of `{run}` is no commit of the run's"),
        match before {
            Some((seq, _)) => {
                format!("name the record of one, such as {seq} (`proofhouse log {run}`)")
            }
            None => "it has made no commit yet, so there is nothing to go back to".to_owned(),
        },
    ))
}

/// What such a decision is about, for whoever signs it.
pub fn about(with: &Value) -> String {
    let commit = with["commit"].as_str().unwrap_or_default();
    format!("back to record {}, commit {commit}", with["record"])
}

/// The records of a run's own commits, oldest first.
pub fn commits(project: &Project, run: &str) -> Result<Vec<u64>, EngineError> {
    let since = since(project, run, u64::MAX)?;
    Ok(since.commits.into_iter().map(|(seq, _)| seq).collect())
}

/// Refuses what the machine itself would refuse, before anybody is asked to sign it.
pub fn taken(machine: &Flow, with: &Value, because: &str) -> Result<(), EngineError> {
    let decision = Decision {
        option: REWIND.to_owned(),
        because: because.to_owned(),
        who: String::new(),
        channel: String::new(),
        seen_seq: 0,
        tree: String::new(),
        with: with.clone(),
        signature: None,
    };
    let input = Input::new(workspace::clock::now(), What::Decide(decision));
    machine.decide(&input)?;
    Ok(())
}

/// Refuses to go back behind what cannot be taken back.
pub fn hold(project: &Project, run: &str, with: &Value) -> Result<(), EngineError> {
    let at = with["record"].as_u64().unwrap_or_default();
    let since = since(project, run, at)?;
    let named = |(seq, commit): &(u64, String)| *seq == at && with["commit"] == commit.as_str();
    if !since.commits.iter().any(named) {
        return Err(EngineError::user(
            "rewind_unknown",
            format!("record {at} of `{run}` is not the commit that is named beside it"),
            format!("let `proofhouse rewind {run} --at SEQ` name it"),
        ));
    }
    since.unspent(run)
}

/// What the journal says of a record's past and future.
#[derive(Default)]
struct Since {
    /// Every commit of the run's, with its record.
    commits: Vec<(u64, String)>,
    /// What cannot be taken back, and the last record behind the one in question that says so.
    spent: Option<(u64, &'static str)>,
}

impl Since {
    fn unspent(&self, run: &str) -> Result<(), EngineError> {
        match self.spent {
            None => Ok(()),
            Some((later, what)) => Err(EngineError::user(
                "rewind_spent",
                format!("{what} at record {later} of `{run}`, which nobody takes back"),
                format!("name a commit behind record {later}"),
            )),
        }
    }
}

fn since(project: &Project, run: &str, at: u64) -> Result<Since, EngineError> {
    let name = look::run_name(project, run)?;
    let peek = look::peek_run(project, run)?;
    let mut cheats = Cheats::of(peek.machine.workflow());
    let mut since = Since::default();
    Journal::read(
        &project.at_top().journals(),
        &name,
        Replay::default(),
        |record| {
            let event = look::event(&record)?;
            if let Body::CheckpointEnded(ended) = &event.body
                && let Some(commit) = &ended.commit
            {
                since.commits.push((record.seq, commit.clone()));
            }
            let caught = cheats.see(&event);
            if record.seq > at
                && let Some(what) = irrevocable(&event, caught)
            {
                since.spent = Some((record.seq, what));
            }
            Ok(())
        },
    )?;
    Ok(since)
}

/// What of a record stays, wherever the run goes.
fn irrevocable(event: &Event, caught: Option<Cheat>) -> Option<&'static str> {
    let ships = |event: &Event| match &event.body {
        Body::GateEnded(ended) => {
            let mut results = ended.results.iter();
            results.any(|one| one.check == SHIPS && one.verdict == Verdict::Pass)
        }
        _ => false,
    };
    if caught.is_some() {
        return Some("somebody was caught cheating");
    }
    if evidence(event).any(|one| one.sealed) {
        return Some("the exam was written or sat");
    }
    ships(event).then_some("the product was shipped")
}

/// Somebody was caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cheat;

/// Reads records in their order, and says with which of them somebody was caught: at what nobody does by accident,
/// or at what the workflow counts as that.
pub struct Cheats {
    /// The counters that no way leads around, with what they had come to.
    counted: BTreeMap<CounterName, u32>,
}

impl Cheats {
    /// Before the first record.
    pub fn of(workflow: &Workflow) -> Self {
        let counters = workflow.table.counters.iter();
        let kept = counters.filter(|(_, counter)| counter.renewal == Renewal::Kept);
        Self {
            counted: kept.map(|(name, _)| (name.clone(), 0)).collect(),
        }
    }

    /// The next record.
    pub fn see(&mut self, event: &Event) -> Option<Cheat> {
        let mut alone = History::default();
        alone.take(event);
        let mut all = caught(&alone).into_iter();
        let mut found = all.any(|one| one.gravity == Gravity::Cheat);
        if let Body::Moved(moved) = &event.body {
            for (name, had) in &mut self.counted {
                let now = moved.position.count(name);
                found |= now > *had;
                *had = now;
            }
        }
        found.then_some(Cheat)
    }
}

/// The evidence of a record.
pub fn evidence(event: &Event) -> impl Iterator<Item = &EvidenceRef> {
    let (attempt, gate) = match &event.body {
        Body::AttemptEnded(ended) => (Some(&ended.outcome.evidence), None),
        Body::GateEnded(ended) => (None, Some(&ended.results)),
        _ => (None, None),
    };
    let of_gate = gate.into_iter().flatten().flat_map(|one| &one.evidence);
    attempt.into_iter().flatten().chain(of_gate)
}
