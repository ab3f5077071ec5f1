//! Recomputing everything that a milestone's journal claims: its chain, the merge commits that vouch
//! for it, every step of the board, every piece of evidence. It trusts no view.

use crate::decisions::Signers;
use crate::finding::{Finding, RunAudit};
use ::wave::board::{Board, Stage};
use ::wave::fact::{Dated, Fact, Said};
use approval::Words;
use engine::wave::folder::{self, TRAILER};
use engine::wave::listed;
use engine::wave::people;
use kernel::outcome::{CheckResult, passes};
use std::collections::BTreeSet;
use store::{Audit, RunName};
use workspace::error::EngineError;
use workspace::git;
use workspace::project::Project;
use workspace::worktree;

/// Audits every milestone that has a journal.
pub(crate) fn audit(project: &Project, signers: &Signers) -> Result<Vec<RunAudit>, EngineError> {
    let (claims, malformed) = git::claims_by(project.repo(), TRAILER)?;
    let mut names: BTreeSet<String> = listed::names(project).into_iter().collect();
    // One that a commit vouches for and that is gone is the worst case of all.
    names.extend(claims.iter().map(|claim| claim.run.clone()));
    let mut reports = Vec::new();
    for name in names {
        let own: Vec<(u64, String)> = claims
            .iter()
            .filter(|claim| claim.run == name)
            .map(|claim| (claim.seq, claim.hash.clone()))
            .collect();
        let folder = project.milestone(&name);
        if own.is_empty() && !folder.join("wave.jsonl").exists() {
            continue;
        }
        let file = crate::from_top(project, &folder.join("wave.jsonl"));
        let mut report = RunAudit::new(format!("wave:{name}"), file, own.len());
        let trailers = malformed
            .iter()
            .filter(|trailer| trailer.contains(&format!(" {name}@")));
        report
            .findings
            .extend(trailers.map(|trailer| finding("malformed_trailer", 0, trailer.clone())));
        if let Err(error) = one(project, &name, signers, &own, &mut report) {
            report.findings.push(finding(&error.code, 0, error.what));
        }
        reports.push(report);
    }
    Ok(reports)
}

fn finding(code: &str, line: u64, what: String) -> Finding {
    crate::finding::finding(code, line, what)
}

fn one(
    project: &Project,
    milestone: &str,
    signers: &Signers,
    claims: &[(u64, String)],
    report: &mut RunAudit,
) -> Result<(), EngineError> {
    let folder = &project.milestone(milestone);
    let mut board = Board::default();
    let mut found = Vec::new();
    let mut evidence: BTreeSet<String> = BTreeSet::new();
    let against = Audit {
        claims,
        not_after: Some(report::look::latest()),
    };
    let name = RunName::new("wave")?;
    let audited = store::audit(folder, &name, against, |record| {
        let dated = folder::dated(record)?;
        if let Some(what) = unfounded(&board, &dated) {
            found.push(finding("unfounded_fact", record.seq, what));
        }
        if let Some((option, said)) = person(&dated.body) {
            let words = Words {
                run: &people::signed_as(milestone),
                seq: said.seen_seq,
                head: record.prev,
                tree: "",
                option: &option,
                because: &said.because,
            };
            let signature = said.signature.as_deref();
            let doubt = signers.vouches(&words, &said.who, &said.channel, signature, record.at);
            found.extend(doubt.map(|(code, why)| {
                let what = format!("`{option}` by {}: {why}", said.who);
                finding(code, record.seq, what)
            }));
        }
        for result in results(&dated.body) {
            evidence.extend(result.evidence.iter().map(|piece| piece.hash.clone()));
        }
        board.apply(&dated);
        Ok(())
    })?;
    report.records = audited.records;
    report.head = Some(audited.head);
    report.of_store(&audited.findings);
    report.findings.extend(found);
    report.evidence = evidence.len();
    if !evidence.is_empty() {
        let broken = project
            .vault()?
            .verify_all(evidence.iter().map(String::as_str).collect::<BTreeSet<_>>());
        let broken = broken.iter();
        report
            .findings
            .extend(broken.map(|error| finding(error.code(), 0, error.to_string())));
    }
    for (task, commit) in &board.merged {
        if worktree::resolve(project.repo(), commit)?.is_none() {
            let what = format!("the merge of `{task}`, {commit}, is not in the repository");
            report.findings.push(finding("merge_missing", 0, what));
        }
    }
    Ok(())
}

/// What a person said, and the option that they signed.
fn person(fact: &Fact) -> Option<(String, &Said)> {
    match fact {
        Fact::CriterionTicked(ticked) => {
            Some((::wave::tick_option(&ticked.criterion), &ticked.said))
        }
        Fact::SandboxWaived(said) => Some((engine::waiver::WAIVE.to_owned(), said)),
        _ => None,
    }
}

fn results(fact: &Fact) -> &[CheckResult] {
    match fact {
        Fact::WaveOpened(opened) => &opened.results,
        Fact::TaskMerged(merged) => &merged.results,
        Fact::TaskPutBack(back) => &back.results,
        Fact::GoalJudged(judged) => &judged.results,
        _ => &[],
    }
}

/// Why a fact does not follow from those before it.
fn unfounded(board: &Board, dated: &Dated) -> Option<String> {
    let slot = |task: &str| board.wave.as_ref().and_then(|wave| wave.slot(task));
    let base = board.wave.as_ref().map(|wave| wave.base.as_str());
    match &dated.body {
        Fact::WaveOpened(_) if board.wave.is_some() => {
            Some("a wave was opened while one was live".to_owned())
        }
        Fact::CriterionTicked(ticked) if board.tip.as_ref() != Some(&ticked.commit) => Some(
            format!("`{}` was ticked on what is not the tip", ticked.criterion),
        ),
        Fact::WaveOpened(opened) if !passes(&opened.results) => {
            Some("a wave was opened on a base whose gate had failed".to_owned())
        }
        Fact::TaskForked(forked) if base != Some(forked.echo.as_str()) => Some(format!(
            "`{}` was forked from {}, which is not the wave's base",
            forked.task, forked.echo
        )),
        Fact::TaskFinished(done) => {
            let claimed = slot(&done.task).is_some_and(|slot| {
                matches!(slot.stage, Stage::Claimed { .. }) && slot.echo.is_some()
            });
            (!claimed).then(|| format!("`{}` was finished, and nobody had it", done.task))
        }
        Fact::TaskMerged(merged) => {
            let merging =
                slot(&merged.task).is_some_and(|slot| matches!(slot.stage, Stage::Merging { .. }));
            if !merging {
                Some(format!("`{}` was merged without a merge", merged.task))
            } else if merged.results.is_empty() || !passes(&merged.results) {
                Some(format!(
                    "`{}` was merged past a gate that did not pass",
                    merged.task
                ))
            } else if base != Some(merged.echo.as_str()) {
                Some(format!(
                    "`{}` was merged from an unverified base",
                    merged.task
                ))
            } else if board.tip.as_ref() != Some(&merged.onto) {
                Some(format!(
                    "`{}` was merged onto what was not the tip",
                    merged.task
                ))
            } else {
                None
            }
        }
        _ => None,
    }
}
