//! What looks at runs from outside of them. The audit recomputes everything that a run claims: the
//! chain, the commits that vouch for it, every step on the table, every piece of evidence; it trusts
//! no checkpoint and no view. What it bears out can be vouched for ([`attest`]). The clean-up ([`gc`]) removes what runs that are over left behind.

pub mod attest;
mod covers;
mod decisions;
mod finding;
mod forked;
pub mod formats;
pub mod gc;
mod landed;
mod policy;
mod project;
mod run;
mod seals;
mod span;
mod specs;
mod views;
mod waiver;
mod walker;
mod wave;

pub use covers::{Coverage, Covered, Uncovered, covers};
pub use finding::{About, Asked, Finding, Rigour, RunAudit};
pub use policy::POLICY;
pub use span::Span;

use finding::{beside, finding};
use report::look::run_name;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use workspace::error::EngineError;
use workspace::git::Claim;
use workspace::project::Project;
use workspace::records::{self, Standing};

/// Audits one run, or all of them.
pub fn audit(project: &Project, asked: Asked<'_>) -> Result<Vec<RunAudit>, EngineError> {
    let only = asked.run;
    // Where refs were fetched, records are read as where they were made.
    let without = records::lay_out_missing(project)?.without;
    let here = store::list(&project.journals())?;
    let project = &project.surveyed(only.map_or(here.len(), |_| 1))?;
    let (claims, malformed) = project.commits().claims()?;
    let mut names: Vec<String> = match only {
        Some(name) => vec![
            run_name(project, name)
                .map(|name| name.to_string())
                .or_else(|error| vouched(name, &claims, error))?,
        ],
        None => {
            let runs = here.iter().map(ToString::to_string);
            // A run that a commit vouches for and that has no journal is the worst case of all.
            let runs = runs.chain(claims.iter().map(|claim| claim.run.clone()));
            // So is one whose ref holds no records.
            let runs = runs.chain(without.keys().cloned());
            runs.collect::<BTreeSet<_>>().into_iter().collect()
        }
    };
    let come_from: BTreeMap<String, Vec<(String, u64)>> = names
        .iter()
        .map(|name| (name.clone(), forked::ancestors(project, name)))
        .collect();
    // What a fork has of another run is judged there, whether that was asked for or not.
    let others: BTreeSet<&str> = come_from
        .values()
        .flatten()
        .map(|one| one.0.as_str())
        .collect();
    let others = here
        .iter()
        .map(ToString::to_string)
        .filter(|name| others.contains(name.as_str()));
    let others: Vec<String> = others.filter(|name| !names.contains(name)).collect();
    let asked_for = only.map(|_| names.clone());
    names.extend(others);
    let seals = seals::Seals::of(project)?;
    let signers = decisions::Signers::of(project, asked)?;
    let standing = records::standing(project, names.iter().map(String::as_str))?;
    let of_change = asked
        .span
        .map(|span| span.commits(project.top()))
        .transpose()?;
    let one = |name: &String| {
        let mut report = run::audit(project, name, &claims, &signers);
        report.findings.extend(seals.broken(project, name));
        let own_ref = records::records_ref(name);
        let (code, what) = match standing.get(name.as_str()) {
            _ if without.contains_key(name) => {
                report.findings.retain(|one| one.code != "journal_missing");
                let why = &without[name];
                (
                    "journal_missing",
                    format!(
                        "{own_ref}: {why}, and there is no journal here: fetch its records (`proofhouse records fetch`); where the ref is nobody's, `git update-ref -d {own_ref}` removes it"
                    ),
                )
            }
            None | Some(Standing::Whole) => ("", String::new()),
            Some(Standing::Behind) => (
                "journal_behind",
                format!(
                    "{own_ref} goes on where the journal in .proofhouse/ ends: it was cut, or the rest was fetched with git alone (`proofhouse records fetch` brings it here)"
                ),
            ),
            Some(Standing::Differs) => (
                "records_differ",
                format!(
                    "{own_ref} holds, or once held, another journal of this run than .proofhouse/"
                ),
            ),
        };
        if !code.is_empty() {
            report.findings.push(finding(code, 0, what));
        }
        // Whoever asks for a change cannot mend what others left out, of another branch or long ago.
        let elsewhere = |commits: &BTreeSet<String>| {
            let mut own = claims.iter().filter(|claim| claim.run == *name);
            !own.any(|claim| commits.contains(&claim.commit))
        };
        if of_change.as_ref().is_some_and(elsewhere) {
            let missing = |one: &mut Finding| one.code == "journal_missing";
            report.notes.extend(report.findings.extract_if(.., missing));
        }
        let own = malformed
            .iter()
            .filter(|trailer| trailer.contains(&format!(" {name}@")));
        report
            .findings
            .extend(own.map(|trailer| beside("malformed_trailer", trailer.clone())));
        report
    };
    let mut reports = at_once(&names, &one);
    hold_forks(&come_from, &mut reports);
    reports.retain(|report| {
        asked_for
            .as_ref()
            .is_none_or(|names| names.contains(&report.run))
    });
    if only.is_none() {
        reports.extend(wave::audit(project, &signers)?);
    }
    Ok(reports)
}

/// Tells of every fork whether what it comes from holds.
fn hold_forks(come_from: &BTreeMap<String, Vec<(String, u64)>>, reports: &mut [RunAudit]) {
    let forks = come_from
        .iter()
        .filter(|(_, ancestors)| !ancestors.is_empty());
    let audits: BTreeMap<&str, &RunAudit> = reports
        .iter()
        .map(|report| (report.run.as_str(), report))
        .collect();
    let unsound: BTreeMap<&str, Finding> = forks
        .filter_map(|(run, ancestors)| Some((run.as_str(), forked::unsound(ancestors, &audits)?)))
        .collect();
    for report in reports.iter_mut() {
        report
            .findings
            .extend(unsound.get(report.run.as_str()).cloned());
    }
}

/// Each item looked at on as many threads as there are processors; the answers in the order of the items.
fn at_once<T: Sync, R: Send>(items: &[T], look: &(dyn Fn(&T) -> R + Sync)) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut seen = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return seen;
            };
            seen.push((at, look(item)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let others = 1..threads.min(items.len());
        let others: Vec<_> = others.map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(seen) => all.extend(seen),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, found)| found).collect()
}

/// A file of ours as findings name it.
pub(crate) fn from_top(project: &Project, path: &std::path::Path) -> String {
    let inside = path.strip_prefix(project.top()).unwrap_or(path);
    inside.display().to_string()
}

fn vouched(name: &str, claims: &[Claim], error: EngineError) -> Result<String, EngineError> {
    if claims.iter().any(|claim| claim.run == name) {
        Ok(name.to_owned())
    } else {
        Err(error)
    }
}
