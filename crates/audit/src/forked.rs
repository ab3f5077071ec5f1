//! A run that left another one: what it says of that run, held against that run's own journal. The records
//! that it has from there must be the other's to the letter, what was signed in them was signed there, and
//! what was used up there must be used up here.

use crate::finding::{About, Finding, RunAudit, finding};
use kernel::event::{Forked, RunStarted};
use kernel::{Body, Time};
use report::look;
use serde::Deserialize;
use std::collections::BTreeMap;
use store::{Journal, RecordRef, Replay, RunName};
use workspace::project::Project;

/// A chain of forks cannot be endless; nobody goes so deep.
const DEEPEST: usize = 32;

/// Those that a run comes from, the nearest first.
#[derive(Default)]
pub(crate) struct Lineage {
    ancestors: Vec<Ancestor>,
    /// The number up to which records are copies, whether the other run is here or not.
    copied: u64,
}

struct Ancestor {
    run: String,
    /// Where it was left.
    seq: u64,
    records: BTreeMap<u64, Kept>,
}

/// A record as the other run has it.
struct Kept {
    at: Time,
    kind: String,
    body: String,
    hash: String,
    prev: String,
}

impl Lineage {
    /// Reads the journals of those that a run left, and says what does not fit.
    pub(crate) fn of(project: &Project, name: &str) -> (Self, Vec<Finding>) {
        let (mut lineage, mut findings) = (Self::default(), Vec::new());
        let mut child = first(project, name);
        while let Some(started) = child.take() {
            let Some(forked) = started.forked.clone() else {
                break;
            };
            let nearest = lineage.ancestors.is_empty();
            if nearest {
                lineage.copied = forked.seq;
            }
            let parent = forked.run.to_string();
            let Some((records, first)) = records(project, &parent, forked.seq) else {
                let what =
                    format!("it left `{parent}`, whose journal is not here or cannot be read");
                findings.push(finding("parent_missing", 1, what));
                break;
            };
            // Of its parent's own parents the parent's audit speaks.
            if nearest {
                let has = records.keys().next_back().copied().unwrap_or(0);
                if has < forked.seq {
                    let what = format!(
                        "it left `{parent}` at record {}, whose journal ends at record {has} here: bring its later records (`proofhouse records push` where it was made, once it has stopped)",
                        forked.seq
                    );
                    findings.push(finding("parent_missing", 1, what));
                }
                findings.extend(unlike(&started, &forked, &first, &records));
            }
            lineage.ancestors.push(Ancestor {
                run: parent,
                seq: forked.seq,
                records,
            });
            child = (lineage.ancestors.len() < DEEPEST).then_some(first);
        }
        (lineage, findings)
    }

    /// The number of the last record that is another run's.
    pub(crate) fn copied(&self) -> u64 {
        self.copied
    }

    /// Is a record another one than the run has that it was copied from?
    pub(crate) fn differs(&self, record: &RecordRef<'_>) -> Option<Finding> {
        let parent = self.ancestors.first()?;
        if record.seq == 1 || record.seq > self.copied {
            return None;
        }
        // What is not here was said of the whole.
        let kept = parent.records.get(&record.seq)?;
        let same = (kept.at, kept.kind.as_str(), kept.body.as_str())
            == (record.at, record.kind, record.body.get());
        (!same).then(|| {
            let what = format!(
                "`{}`, which it left later, has another record there",
                parent.run
            );
            finding("parent_differs", record.seq, what)
        })
    }

    /// The run that a record is of, and the hash of the record before it there: what people have signed.
    pub(crate) fn origin(&self, seq: u64) -> Option<(&str, &str)> {
        let copied = self.ancestors.iter().take_while(|one| seq <= one.seq);
        let origin = copied.last()?;
        let kept = origin.records.get(&seq)?;
        Some((&origin.run, &kept.prev))
    }
}

/// Those that a run comes from, the nearest first, each with the last of its records that the run has too.
pub(crate) fn ancestors(project: &Project, name: &str) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = Vec::new();
    let mut bound = u64::MAX;
    let mut forked = first(project, name).and_then(|started| started.forked);
    while let Some(from) = forked.take().filter(|_| all.len() < DEEPEST) {
        bound = bound.min(from.seq);
        forked = first(project, from.run.as_str()).and_then(|started| started.forked);
        all.push((from.run.to_string(), bound));
    }
    all
}

/// What does not hold of those that a run comes from, up to where it left them: its first records are theirs, and
/// are judged there alone. Nobody gets rid of a finding by leaving the run that has it.
pub(crate) fn unsound(
    ancestors: &[(String, u64)],
    audits: &BTreeMap<&str, &RunAudit>,
) -> Option<Finding> {
    ancestors.iter().find_map(|(run, seq)| {
        let mut findings = audits.get(run.as_str())?.findings.iter();
        // Line 0 is about all of it.
        let one = findings.find(|one| one.about == About::Evidence && one.line <= *seq)?;
        let what = format!(
            "it goes on from `{run}`, which does not hold itself: {} [{}]",
            one.what, one.code
        );
        Some(finding("parent_unsound", 1, what))
    })
}

/// What a run was started with. Its first line alone is read: most runs are no forks, and what is wrong with
/// it has its finding elsewhere.
fn first(project: &Project, run: &str) -> Option<RunStarted> {
    let name = RunName::new(run).ok()?;
    let body = workspace::records::first_body(project, &name).ok()??;
    RunStarted::deserialize(&body).ok()
}

/// The records of a run up to one of them, and what it was started with; none if its chain does not hold.
fn records(project: &Project, run: &str, to: u64) -> Option<(BTreeMap<u64, Kept>, RunStarted)> {
    let name = RunName::new(run).ok()?;
    let (mut records, mut first) = (BTreeMap::new(), None);
    let read = Journal::read(&project.journals(), &name, Replay::default(), |record| {
        if record.seq == 1
            && let Body::RunStarted(started) = look::event(&record)?.body
        {
            first = Some(*started);
        }
        if record.seq <= to {
            let kept = Kept {
                at: record.at,
                kind: record.kind.to_owned(),
                body: record.body.get().to_owned(),
                hash: record.hash.to_owned(),
                prev: record.prev.to_owned(),
            };
            records.insert(record.seq, kept);
        }
        Ok(())
    });
    read.ok()?;
    Some((records, first?))
}

/// What a first record says of the run that it left, and that run does not.
fn unlike(
    started: &RunStarted,
    forked: &Forked,
    parent: &RunStarted,
    records: &BTreeMap<u64, Kept>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut says = |what: String| found.push(finding("parent_differs", 1, what));
    match records.get(&forked.seq) {
        Some(kept) if kept.hash == forked.hash => {}
        Some(_) => says(format!(
            "record {} of `{}` is another one than it says that it left",
            forked.seq, forked.run
        )),
        None => says(format!(
            "it says that it left `{}` at record {}, and that run has none such: it was cut",
            forked.run, forked.seq
        )),
    }
    let commits = records.values().rev().find_map(|kept| {
        let ended = Body::decode(&kept.kind, &kept.body).ok()?;
        match ended {
            Body::CheckpointEnded(ended) => ended.commit,
            _ => None,
        }
    });
    let base = parent.own_tree.as_ref().map(|own| own.base.clone());
    if commits.or(base).as_ref() != Some(&forked.commit) {
        says(format!(
            "it says that it went on from {}, which was not the last commit of `{}` then",
            forked.commit, forked.run
        ));
    }
    // Whatever may be used, asked or decided is as it was there; a fork is no way around it.
    let terms = |of: &RunStarted| RunStarted {
        run: forked.run.clone(),
        task: String::new(),
        agent: String::new(),
        sandbox_waived_by: None,
        sandbox_waived_through: None,
        sandbox_waiver_signature: None,
        forked: None,
        commands_found: false,
        ..of.clone()
    };
    // No wave merges a fork, whoever would have merged the other.
    let mut there = terms(parent);
    there
        .own_tree
        .iter_mut()
        .for_each(|own| own.milestone = None);
    if terms(started) != there {
        says(format!(
            "its budgets, commands, fields, signers or rung are others than those of `{}`",
            forked.run
        ));
    }
    found
}
