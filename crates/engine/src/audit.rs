//! Recomputing everything that a run claims: the chain, the commits that vouch for it, every step
//! on the table, every piece of evidence. It trusts no checkpoint and no view.

pub(crate) mod decisions;
mod project;
mod seals;
mod specs;
mod views;
mod waiver;

use crate::context::task_folder;
use crate::error::EngineError;
use crate::git::{self, Claim};
use crate::project::Project;
use crate::run::{Run, known, run_name};
use crate::views::snapshot;
use flow::{Flow, Workflow};
use kernel::explore::{RUN_BUDGET, ways};
use kernel::outcome::EvidenceRef;
use kernel::position::Hold;
use kernel::snapshot::SnapshotTaken;
use kernel::{Actor, Body, CounterName, Event, Input, Machine, Position, What};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Audit, Checkpoint};

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable, snake_case.
    pub code: String,
    /// The journal's line; 0 where none is meant.
    pub line: u64,
    /// What, and where.
    pub what: String,
}

/// What the audit of one run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunAudit {
    /// The run.
    pub run: String,
    /// Records read.
    pub records: u64,
    /// The last record.
    pub head: Option<store::Head>,
    /// Commits whose trailers were compared.
    pub claims: usize,
    /// Pieces of evidence whose content was hashed again.
    pub evidence: usize,
    /// Empty: all of it holds.
    pub findings: Vec<Finding>,
}

/// How much an audit asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rigour {
    /// What a run claims must hold.
    Usual,
    /// Besides, where `.proofhouse/approvers` exists, every decision must be signed.
    Ci,
}

/// Audits one run, or all of them.
pub fn audit(
    project: &Project,
    only: Option<&str>,
    rigour: Rigour,
) -> Result<Vec<RunAudit>, EngineError> {
    let (claims, malformed) = git::claims(project.repo())?;
    let names: Vec<String> = match only {
        Some(name) => vec![
            run_name(project, name)
                .map(|name| name.to_string())
                .or_else(|error| vouched(name, &claims, error))?,
        ],
        None => {
            let runs = store::list(&project.journals())?
                .into_iter()
                .map(|name| name.to_string());
            // A run that a commit vouches for and that has no journal is the worst case of all.
            let runs = runs.chain(claims.iter().map(|claim| claim.run.clone()));
            runs.collect::<BTreeSet<_>>().into_iter().collect()
        }
    };
    let seals = seals::Seals::of(project)?;
    let signers = decisions::Signers::of(project, rigour)?;
    let mut reports = Vec::new();
    for name in names {
        let mut report = audit_run(project, &name, &claims, &signers);
        report.findings.extend(seals.broken(project, &name));
        let own = malformed
            .iter()
            .filter(|trailer| trailer.contains(&format!(" {name}@")));
        report
            .findings
            .extend(own.map(|trailer| finding("malformed_trailer", 0, trailer.clone())));
        reports.push(report);
    }
    if only.is_none() {
        reports.extend(crate::wave::audit::audit(project, &signers)?);
    }
    Ok(reports)
}

fn vouched(name: &str, claims: &[Claim], error: EngineError) -> Result<String, EngineError> {
    if claims.iter().any(|claim| claim.run == name) {
        Ok(name.to_owned())
    } else {
        Err(error)
    }
}

fn finding(code: &str, line: u64, what: String) -> Finding {
    Finding {
        code: code.to_owned(),
        line,
        what,
    }
}

fn audit_run(
    project: &Project,
    name: &str,
    claims: &[Claim],
    signers: &decisions::Signers,
) -> RunAudit {
    let claims: Vec<&Claim> = claims.iter().filter(|claim| claim.run == name).collect();
    let mut report = RunAudit {
        run: name.to_owned(),
        records: 0,
        head: None,
        claims: claims.len(),
        evidence: 0,
        findings: Vec::new(),
    };
    if let Err(error) = read(project, name, &claims, signers, &mut report) {
        report.findings.push(finding(&error.code, 0, error.what));
    }
    report
}

fn read(
    project: &Project,
    name: &str,
    claims: &[&Claim],
    signers: &decisions::Signers,
    report: &mut RunAudit,
) -> Result<(), EngineError> {
    let run = store::RunName::new(name)?;
    // Reading once leniently gives the workflow; a run that can not even say that has its finding.
    let workflow = Run::peek(project, name)
        .ok()
        .map(|peek| peek.machine.workflow().clone());
    let mut walker = workflow.as_ref().map(Walker::of);
    if let (Some(walker), Some(workflow)) = (&mut walker, &workflow) {
        walker.recall(project, name, workflow)?;
    }
    let mut of_factory = crate::factory::is_project(project, name).then(self::project::Walker::new);
    let pairs: Vec<(u64, String)> = claims
        .iter()
        .map(|claim| (claim.seq, claim.hash.clone()))
        .collect();
    let against = Audit {
        claims: &pairs,
        not_after: Some(crate::run::latest()),
    };
    let audited = store::audit(&project.journals(), &run, against, |record| {
        match (&mut walker, &workflow) {
            (Some(walker), Some(workflow)) => {
                let event = known(workflow, record)?;
                let moment = match &event.body {
                    Body::Decided(decision) => walker.moment(&decision.option),
                    _ => decisions::Moment::Later,
                };
                let doubt = signers.doubt(name, &event, record, moment);
                walker.findings.extend(doubt);
                walker.findings.extend(signers.waiver(name, &event, record));
                walker.take(event, record.seq)
            }
            _ => match &mut of_factory {
                Some(walker) => walker.take(name, record, signers),
                None => crate::run::event(record).map(|_| ()),
            },
        }
    })?;
    report.records = audited.records;
    report.head = Some(audited.head.clone());
    report.findings.extend(
        audited
            .findings
            .iter()
            .map(|found| finding(found.code.as_str(), found.line, found.what.clone())),
    );
    if audited.left_out > 0 {
        let what = format!("and {} more findings of the same journal", audited.left_out);
        report.findings.push(finding("more_findings", 0, what));
    }
    if let Some(walker) = of_factory {
        let (evidence, findings) = walker.end(project, name);
        report.evidence = evidence;
        report.findings.extend(findings);
    } else if workflow.is_none() && report.findings.is_empty() {
        let error = Run::peek(project, name).err();
        let error = error.map(|error| finding(&error.code, 0, error.what));
        report.findings.extend(error);
    }
    if let Some(walker) = walker {
        report.findings.extend(walker.findings);
        let hashes: BTreeSet<&str> = walker
            .evidence
            .iter()
            .map(|evidence| evidence.hash.as_str())
            .collect();
        report.evidence = hashes.len();
        if !hashes.is_empty() {
            let broken = project.vault()?.verify_all(hashes);
            let findings = broken
                .iter()
                .map(|error| finding(error.code(), 0, error.to_string()));
            report.findings.extend(findings);
        }
        if let (Some(spec), Some(started)) = (
            &walker.machine.workflow().snapshot,
            walker.machine.started(),
        ) {
            let task = task_folder(project, started);
            for wrong in snapshot::faults(&task, &spec.folder, &walker.snapshots)? {
                report.findings.push(finding(wrong.code, 0, wrong.what));
            }
        }
        caches(
            project,
            &run,
            &walker.machine,
            &audited.head,
            &mut report.findings,
        )?;
    }
    Ok(())
}

/// The hashes of everything that an event rests on.
fn evidence_of(event: &kernel::Event) -> Vec<String> {
    let hash = |kept: &kernel::outcome::EvidenceRef| kept.hash.clone();
    match &event.body {
        kernel::Body::AttemptEnded(ended) => ended.outcome.evidence.iter().map(hash).collect(),
        kernel::Body::GateEnded(ended) => {
            let all = ended.results.iter().flat_map(|result| &result.evidence);
            all.map(hash).collect()
        }
        // What can not be read has its finding elsewhere.
        kernel::Body::Noted(note) => ::factory::machine::Fact::read(note).map_or_else(
            |_| Vec::new(),
            |fact| fact.evidence().into_iter().map(hash).collect(),
        ),
        _ => Vec::new(),
    }
}

/// A checkpoint or a state file that says something else than the journal.
fn caches(
    project: &Project,
    run: &store::RunName,
    machine: &Flow,
    head: &store::Head,
    findings: &mut Vec<Finding>,
) -> Result<(), EngineError> {
    if let Some(checkpoint) = Checkpoint::load(&project.journals(), run)?
        && checkpoint.head() == head
        && checkpoint.state != machine.snapshot()
    {
        findings.push(finding(
            "checkpoint_differs",
            0,
            "the checkpoint's state is not what the journal says; delete the checkpoint".to_owned(),
        ));
    }
    findings.extend(views::differing(&project.of_run(run.as_str()), machine));
    Ok(())
}

/// Replays a journal and looks at every step.
struct Walker {
    machine: Flow,
    /// The same journal on the workflow as it was, where that has changed since.
    former: Vec<Flow>,
    /// Is every workflow at hand that the run ever went by?
    whole: bool,
    findings: Vec<Finding>,
    evidence: Vec<EvidenceRef>,
    snapshots: Vec<SnapshotTaken>,
    /// Has anybody worked on the run yet?
    opened: bool,
    /// The decision that the next step carries out.
    decided: Option<String>,
}

impl Walker {
    /// May the one who started the run have said this by starting it?
    fn moment(&self, option: &str) -> decisions::Moment {
        let workflow = self.machine.workflow();
        let says = workflow
            .task
            .as_ref()
            .and_then(|task| task.request_says.as_deref());
        let known = workflow.start_with.iter().map(String::as_str).chain(says);
        match !self.opened && known.into_iter().any(|known| known == option) {
            true => decisions::Moment::Start,
            false => decisions::Moment::Later,
        }
    }

    /// Brings back the workflows that the run's records name and that are not today's. One that was
    /// never kept is of a journal of an older version, or somebody took it away: that is said.
    fn recall(
        &mut self,
        project: &Project,
        name: &str,
        today: &Arc<Workflow>,
    ) -> Result<(), EngineError> {
        let (mut named, mut kept) = (BTreeSet::new(), false);
        let journals = project.journals();
        let run = store::RunName::new(name)?;
        // What can not be read has its finding elsewhere.
        let _ = store::audit(&journals, &run, Audit::default(), |record| {
            match crate::run::event(record)?.body {
                Body::RunStarted(started) => {
                    named.insert(started.workflow_hash.clone());
                }
                Body::SessionOpened(opened) => {
                    kept |= opened.workflow_hash.is_some();
                    named.extend(opened.workflow_hash);
                }
                _ => {}
            }
            Ok(())
        });
        named.remove(&today.hash);
        for hash in named {
            match project.kept_workflow(&today.name, &hash) {
                Some(former) => self.former.push(Flow::new(former)),
                None => {
                    self.whole = false;
                    let what = format!(
                        "the workflow `{}` has changed since, and how it was ({hash}) is not among the evidence: its steps can not be taken again",
                        today.name
                    );
                    let lost = kept.then(|| finding("workflow_missing", 0, what));
                    self.findings.extend(lost);
                }
            }
        }
        Ok(())
    }

    /// The machines that may have made the records: on the workflow of today, and as it was.
    fn machines(&self) -> impl Iterator<Item = &Flow> {
        std::iter::once(&self.machine).chain(&self.former)
    }

    /// Is it a step of the workflow's table, as it is or was?
    fn legal(&self, to: &Position) -> bool {
        self.machines().any(|machine| {
            let at = general(machine.position());
            let ways = ways(&machine.workflow().table, &at, machine.mode());
            ways.iter().any(|way| way.to == *to)
        })
    }

    /// Every step follows from the state alone, so it can be taken again.
    fn follows(&self, at: kernel::Time, moved: &kernel::event::Moved) -> bool {
        self.machines().any(|machine| {
            let due = machine.decide(&Input::new(at, What::Advance));
            let due = due.unwrap_or_default();
            matches!(
                due.first().map(|event| &event.body),
                Some(Body::Moved(due)) if due.action == moved.action && due.by == moved.by && due.position == moved.position
            )
        })
    }

    fn of(workflow: &Arc<Workflow>) -> Self {
        Self {
            machine: Flow::new(workflow.clone()),
            former: Vec::new(),
            whole: true,
            findings: Vec::new(),
            evidence: Vec::new(),
            snapshots: Vec::new(),
            opened: false,
            decided: None,
        }
    }

    fn take(&mut self, event: Event, seq: u64) -> Result<(), String> {
        match &event.body {
            Body::SessionOpened(_) | Body::EffectBegan(_) => self.opened = true,
            Body::Decided(decision) => self.decided = Some(decision.option.clone()),
            Body::Moved(moved) => {
                let decided = self.decided.take();
                if moved.by == Actor::Human && decided.as_deref() != Some(moved.action.as_str()) {
                    let what = format!("`{}` by a person, and no decision led there", moved.action);
                    self.findings.push(finding("unfounded_move", seq, what));
                }
                let to = general(&moved.position);
                let at = &self.machine.position().state;
                let what = format!("`{}` from `{at}` to `{}`", moved.action, to.state);
                if !self.legal(&to) {
                    let what = format!("{what} is not a step of the workflow's table");
                    self.findings.push(finding("illegal_move", seq, what));
                } else if self.whole && !self.follows(event.at, moved) {
                    let what = format!(
                        "{what} does not follow from what the journal holds before it: no gate, request or decision led there"
                    );
                    self.findings.push(finding("unfounded_move", seq, what));
                }
            }
            Body::AttemptEnded(ended) => {
                self.evidence.extend(ended.outcome.evidence.iter().cloned())
            }
            Body::GateEnded(ended) => self.evidence.extend(
                ended
                    .results
                    .iter()
                    .flat_map(|result| result.evidence.iter().cloned()),
            ),
            Body::SnapshotTaken(taken) => {
                let hash = store::sha256_hex(taken.text.as_bytes());
                let founded = self.machines().any(|machine| {
                    let due = machine.decide(&Input::new(event.at, What::Advance));
                    let due = due.unwrap_or_default();
                    due.first().is_some_and(|due| due.body == event.body)
                });
                if hash != taken.hash || (self.whole && !founded) {
                    let what = format!(
                        "the snapshot {} does not follow from what the journal holds before it",
                        taken.file
                    );
                    self.findings.push(finding("unfounded_snapshot", seq, what));
                }
                self.snapshots.push((**taken).clone());
            }
            _ => {}
        }
        self.machine.apply(&event);
        for former in &mut self.former {
            former.apply(&event);
        }
        Ok(())
    }
}

/// Budgets of the run are one in the explored table.
fn general(position: &Position) -> Position {
    let mut position = position.clone();
    if let Some(Hold::Budget { name }) = &position.hold
        && kernel::budget::Budgets::is_known(name.as_str())
    {
        position.hold = Some(Hold::Budget {
            name: CounterName::from(RUN_BUDGET),
        });
    }
    position
}
