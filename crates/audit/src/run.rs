//! One run, recomputed: its chain, its steps, its evidence, and what was written of it beside it.

use crate::decisions::{self, Signers};
use crate::finding::{Finding, Rigour, RunAudit, beside, finding};
use crate::forked::Lineage;
use crate::landed;
use crate::views;
use crate::walker::Walker;
use flow::Flow;
use kernel::machine::Activity;
use kernel::outcome::EvidenceRef;
use kernel::{Body, Machine};
use report::due::Waiver;
use report::look::{known, peek_run};
use report::views::snapshot;
use report::work::task_inside;
use std::collections::BTreeSet;
use store::{Audit, Checkpoint, RecordRef};
use workspace::context::task_folder;
use workspace::error::EngineError;
use workspace::git::{self, Claim};
use workspace::project::{Project, Records};

pub(crate) fn audit(
    project: &Project,
    name: &str,
    claims: &[Claim],
    signers: &Signers,
) -> RunAudit {
    let claims: Vec<&Claim> = claims.iter().filter(|claim| claim.run == name).collect();
    let journal = project.journals().join(format!("{name}.jsonl"));
    let file = crate::from_top(project, &journal);
    let mut report = RunAudit::new(name.to_owned(), file, claims.len());
    let accepted = report::due::waived(project, name, workspace::clock::now());
    // What cannot be read has its finding.
    lapsed(&mut report, &accepted.unwrap_or_default(), signers.rigour());
    if let Err(error) = read(project, name, &claims, signers, &mut report) {
        let what = format!("{}; {}", error.what, error.mend);
        report.findings.push(finding(&error.code, 0, what));
    }
    report
}

fn read(
    project: &Project,
    name: &str,
    claims: &[&Claim],
    signers: &Signers,
    report: &mut RunAudit,
) -> Result<(), EngineError> {
    let run = store::RunName::new(name)?;
    // Reading once leniently gives the workflow; a run that cannot even say that has its finding.
    let peek = peek_run(project, name).ok();
    report.worth = peek
        .as_ref()
        .map(|peek| peek.machine.worth())
        .unwrap_or_default();
    let workflow = peek.map(|peek| peek.machine.workflow().clone());
    let mut walker = workflow.as_ref().map(Walker::of);
    if let (Some(walker), Some(workflow)) = (&mut walker, &workflow) {
        walker.recall(project, name, workflow)?;
    }
    let mut of_factory = report::look::is_project(project, name).then(crate::project::Walker::new);
    let pairs: Vec<(u64, String)> = claims
        .iter()
        .map(|claim| (claim.seq, claim.hash.clone()))
        .collect();
    let against = Audit {
        claims: &pairs,
        not_after: Some(report::look::latest()),
    };
    let mut misnamed = None;
    let mut pinned = None;
    let mut unsigned = 0u64;
    let (lineage, unlike) = Lineage::of(project, name);
    report.findings.extend(unlike);
    let audited = store::audit(&project.journals(), &run, against, |record| {
        if record.seq == 1 {
            misnamed = of_another(name, record);
        }
        match (&mut walker, &workflow) {
            (Some(walker), Some(workflow)) => {
                let event = known(workflow, record)?;
                if record.seq == 1 {
                    pinned = signers.pinned(&event);
                }
                let signers = pinned.as_ref().unwrap_or(signers);
                unsigned += u64::from(signers.is_unsigned(&event));
                let moment = match &event.body {
                    Body::Decided(decision) => walker.moment(&decision.option),
                    _ => decisions::Moment::Later,
                };
                if record.seq > 1 && record.seq <= lineage.copied() {
                    // What it is there, the audit of that run says; who signed it, signed it there.
                    let doubt = lineage.origin(record.seq).and_then(|(run, prev)| {
                        let there = RecordRef { prev, ..*record };
                        signers.doubt(run, &event, &there, moment)
                    });
                    walker.copy(event, record.seq);
                    walker.findings.extend(lineage.differs(record));
                    walker.findings.extend(doubt);
                    return Ok(());
                }
                let doubt = signers.doubt(name, &event, record, moment);
                walker.findings.extend(doubt);
                walker.findings.extend(signers.hidden_guest(&event, record));
                walker.findings.extend(signers.waiver(name, &event, record));
                walker.take(event, record.seq);
                Ok(())
            }
            _ => match &mut of_factory {
                Some(walker) => walker.take(name, record, signers),
                None => report::look::event(record).map(|_| ()),
            },
        }
    })?;
    report.records = audited.records;
    report.head = Some(audited.head.clone());
    report.of_store(&audited.findings);
    report.findings.extend(misnamed);
    if unsigned > 0 {
        let what = format!(
            "nobody signed {unsigned} of its decisions, though .proofhouse/approvers says here who may; with `--ci` each is a finding"
        );
        report.notes.push(beside("unsigned_decision", what));
    }
    if audited.left_out > 0 {
        let what = format!("and {} more findings of the same journal", audited.left_out);
        report.findings.push(finding("more_findings", 0, what));
    }
    if let Some(walker) = of_factory {
        let (evidence, findings) = walker.end(project, name);
        report.evidence = evidence;
        report.findings.extend(findings);
    } else if workflow.is_none() && report.findings.is_empty() {
        let error = peek_run(project, name).err();
        let error = error.map(|error| finding(&error.code, 0, error.what));
        report.findings.extend(error);
    }
    if let Some(walker) = walker {
        report
            .findings
            .extend(missing_commits(project, name, &walker)?);
        report.findings.extend(unsaid(project, name, &walker)?);
        report.findings.extend(unjudged(project, &walker)?);
        report.findings.extend(walker.findings);
        report
            .findings
            .extend(landed::findings(project, name, &walker.machine)?);
        let started = walker.machine.started();
        if let Some(started) = started.filter(|one| one.instead_of_built_in) {
            let what = format!(
                "`{}` was a folder of the repository's own here, and not the workflow that comes with proofhouse",
                started.workflow
            );
            report.notes.push(beside("own_workflow", what));
        }
        if started.is_some_and(|one| one.unconfined) {
            let what = "a guest works in it, whom nothing confines: what it read and reached is not known, and its decisions are signed by keys that want a touch".to_owned();
            report.notes.push(beside("not_confined", what));
        }
        // Under seal until the run is over, and then like any other.
        let over = matches!(
            walker.machine.status().activity,
            Activity::Done | Activity::Stopped
        );
        let (sealed, open): (Vec<_>, Vec<_>) = walker
            .evidence
            .iter()
            .partition(|evidence| evidence.sealed && !over);
        let hashes = |of: &[&EvidenceRef]| -> BTreeSet<String> {
            of.iter().map(|evidence| evidence.hash.clone()).collect()
        };
        // On another machine there is nothing of them to be looked at.
        if let Some(vault) = workspace::sealed::vault(project, name)? {
            let broken = vault.verify_all(hashes(&sealed).iter().map(String::as_str));
            let findings = broken
                .iter()
                .map(|error| finding(error.code(), 0, error.to_string()));
            report.findings.extend(findings);
        }
        let hashes = hashes(&open);
        let hashes: BTreeSet<&str> = hashes.iter().map(String::as_str).collect();
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
            let taken: Vec<_> = walker.snapshots.iter().collect();
            for wrong in snapshot::faults(&task, &spec.folder, &taken)? {
                report.findings.push(finding(wrong.code, 0, wrong.what));
            }
        }
        caches(project, &run, &walker.machine, &audited.head, report)?;
    }
    Ok(())
}

/// Risks that somebody accepted until a day that is over. Nothing of the run is wrong; a build server asks
/// for somebody to look at it again.
fn lapsed(report: &mut RunAudit, accepted: &[Waiver], rigour: Rigour) {
    let over = accepted.iter().filter(|one| one.over);
    let over = over.map(|one| beside("waiver_expired", one.sentence()));
    match rigour {
        Rigour::Usual => report.notes.extend(over),
        Rigour::Ci => report.findings.extend(over),
    }
}

/// A journal that lies where another run's should: its first record names its own.
fn of_another(name: &str, record: &RecordRef<'_>) -> Option<Finding> {
    let body: serde_json::Value = serde_json::from_str(record.body.get()).ok()?;
    let run = body["run"].as_str().filter(|run| *run != name)?;
    let what = format!("it lies there as `{name}`, and is the journal of `{run}`");
    Some(finding("journal_of_another", 1, what))
}

/// Commits that the journal names and this repository does not have. A run that keeps its records in the
/// tree may have been cloned without its ref; where the ref is, its commits are.
fn missing_commits(
    project: &Project,
    name: &str,
    walker: &Walker,
) -> Result<Vec<Finding>, EngineError> {
    let commits = project.commits();
    let on_ref = project.records_of(name) == Records::OnRef;
    if !on_ref && commits.resolve(&git::run_ref(name))?.is_none() {
        return Ok(Vec::new());
    }
    let named: BTreeSet<&str> = walker
        .commits
        .iter()
        .map(|(_, commit)| commit.as_str())
        .collect();
    let missing = commits.missing(&named)?;
    let found = walker.commits.iter();
    let found = found.filter(|(_, commit)| missing.contains(commit));
    Ok(found
        .map(|(seq, commit)| {
            let what = format!("the journal names the commit {commit}, and nobody has it here");
            finding("commit_missing", *seq, what)
        })
        .collect())
}

/// Commits that the journal calls its checkpoints, and that do not say so themselves: who rewrites a journal
/// can name any commit there.
fn unsaid(project: &Project, name: &str, walker: &Walker) -> Result<Vec<Finding>, EngineError> {
    let made: BTreeSet<&str> = walker.checkpoints().map(|(_, commit)| commit).collect();
    // Those that are not here have their finding, or were never cloned.
    let missing = project.commits().missing(&made)?;
    let there = made.into_iter().filter(|commit| !missing.contains(*commit));
    let there: BTreeSet<&str> = there.collect();
    if there.is_empty() {
        return Ok(Vec::new());
    }
    let claims = project.commits().claims_of(&there)?;
    let said = |commit: &str, seq: u64| {
        let mut claims = claims.iter();
        claims.any(|claim| claim.commit == commit && claim.run == name && claim.seq < seq)
    };
    let unsaid = walker
        .checkpoints()
        .filter(|(seq, commit)| there.contains(commit) && !said(commit, *seq));
    Ok(unsaid
        .map(|(seq, commit)| {
            let what = format!(
                "the journal calls {commit} its checkpoint, and that commit names no earlier record of this run"
            );
            finding("checkpoint_unsaid", seq, what)
        })
        .collect())
}

/// Checkpoints that hold something else than the gate before them had let pass. A person's signature binds
/// that gate, and not always the line behind it that names the commit.
fn unjudged(project: &Project, walker: &Walker) -> Result<Vec<Finding>, EngineError> {
    let repo = project.top();
    let task = walker.machine.started().and_then(task_inside);
    let without = task.map(|task| format!(":(exclude,top,literal){task}"));
    let made: BTreeSet<&str> = walker.judged().map(|(_, commit, _)| commit).collect();
    // Those that are not here have their finding, or were never cloned.
    let missing = project.commits().missing(&made)?;
    let mut found = Vec::new();
    for (seq, commit, tree) in walker.judged() {
        if missing.contains(commit) || project.commits().tree(commit)? == tree {
            continue;
        }
        // No ref keeps a tree that no commit has: with a task folder of its own in it, a clone has it not.
        let there = project.commits().named_tree(tree)?;
        let differs = match (&there, &without) {
            (None, None) => true,
            (None, Some(_)) => false,
            (Some(there), without) => {
                let mut args = vec!["diff-tree", "-r", "--name-only", there, commit, "--", "."];
                args.extend(without.as_deref());
                !git::git(repo, &args, &[])?.is_empty()
            }
        };
        if differs {
            let what = format!(
                "the gate before it let the tree {tree} pass, and {commit} holds another: nobody has judged that"
            );
            found.push(finding("checkpoint_unjudged", seq, what));
        }
    }
    Ok(found)
}

/// A checkpoint or a state file that says something else than the journal.
fn caches(
    project: &Project,
    run: &store::RunName,
    machine: &Flow,
    head: &store::Head,
    report: &mut RunAudit,
) -> Result<(), EngineError> {
    let findings = &mut report.findings;
    if let Some(checkpoint) = Checkpoint::load(&project.journals(), run)?
        && checkpoint.head() == head
        && checkpoint.state != machine.snapshot()
    {
        findings.push(beside(
            "checkpoint_differs",
            "the checkpoint's state is not what the journal says; delete the checkpoint".to_owned(),
        ));
    }
    let own = project.of_run(run.as_str());
    findings.extend(views::page(&own, machine));
    let differing = views::differing(&own, machine);
    if differing.is_empty() {
        return Ok(());
    }
    match views::behind(project, run.as_str(), head.seq) {
        Some(seq) => {
            let what = format!(
                "the state file says what record {seq} says: the engine ended before it wrote what followed; `proofhouse run {run}` writes it"
            );
            report.notes.push(finding("view_behind", seq, what));
        }
        None => findings.extend(differing),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_that_is_over_is_told_and_fails_a_build_server() {
        let accepted = |expiry: &str, over: bool| Waiver {
            run: "t".to_owned(),
            action: "risk_accepted".to_owned(),
            who: "ann".to_owned(),
            at: workspace::clock::now(),
            expiry: expiry.to_owned(),
            over,
            because: String::new(),
        };
        let all = [accepted("2026-01-01", true), accepted("2999-01-01", false)];
        let told = |rigour: Rigour| {
            let mut report = RunAudit::new("t".to_owned(), String::new(), 0);
            lapsed(&mut report, &all, rigour);
            (report.findings, report.notes)
        };
        let (findings, notes) = told(Rigour::Usual);
        assert!(findings.is_empty() && notes.len() == 1);
        assert_eq!(notes[0].code, "waiver_expired");
        assert!(notes[0].what.contains("ann until 2026-01-01"));
        let (findings, notes) = told(Rigour::Ci);
        assert!(findings.len() == 1 && notes.is_empty());
        // It bears on no evidence: the work may land.
        assert_eq!(findings[0].about, crate::About::Beside);
    }
}
