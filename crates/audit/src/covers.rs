//! Which files of a change a run has proven. A file counts by its content: a squash, a rebase or a copy of
//! the commits changes nothing, and an edit after the proof does. It trusts no trailer, and no run whose
//! evidence has a finding.

use crate::finding::{About, RunAudit};
use crate::policy::{POLICY, Policy};
use crate::span::Span;
use kernel::Machine;
use kernel::machine::Activity;
use report::look::peek_run;
use report::work::Work;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use workspace::error::EngineError;
use workspace::git::{git, text};
use workspace::project::Project;
use workspace::worktree;

/// What of a change is proven, and what is not.
#[derive(Debug, Serialize)]
pub struct Coverage {
    /// Where the change began: the last commit that both sides have.
    pub base: String,
    pub head: String,
    pub covered: Vec<Covered>,
    pub uncovered: Vec<Uncovered>,
}

/// A file whose content a run has proven.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Covered {
    pub path: String,
    pub run: String,
    /// What its evidence is worth.
    pub worth: String,
}

/// A file that no run has proven as it stands.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Uncovered {
    pub path: String,
    /// Why no run counts for it.
    pub why: String,
    /// Does the policy say that one must?
    pub required: bool,
}

impl Coverage {
    /// Does everything that the policy asks for hold?
    pub fn suffices(&self) -> bool {
        self.uncovered.iter().all(|one| !one.required)
    }
}

/// The mode and the object of a file; none where it is gone.
type Content = Option<(String, String)>;

/// What a run counts for.
struct Proven {
    run: String,
    worth: String,
    /// Why it does not count, if it does not.
    doubt: Option<String>,
    files: BTreeMap<String, Content>,
}

/// Holds a change against the runs of the repository, which have been audited.
pub fn covers(
    project: &Project,
    span: &Span,
    audits: &[RunAudit],
) -> Result<Coverage, EngineError> {
    let repo = project.top();
    let policy = span.there(repo, POLICY)?;
    let policy = policy.map_or_else(|| Ok(Policy::none()), |text| Policy::read(&text))?;
    let base = git(repo, &["merge-base", &span.onto, &span.head], &[]).map_err(|error| {
        EngineError::user(
            "span_invalid",
            format!("{} and {} have no commit in common", span.onto, span.head),
            "name two ends of one history; a build server often has a shallow one (`fetch-depth: 0`)",
        )
        .caused_by(error)
    })?;
    let base = text(&base);
    let proven = audits
        .iter()
        .filter_map(|audit| proven(project, audit, &policy).transpose())
        .collect::<Result<Vec<Proven>, EngineError>>()?;
    let mut coverage = Coverage {
        base: base.clone(),
        head: span.head.clone(),
        covered: Vec::new(),
        uncovered: Vec::new(),
    };
    for (path, content) in changed(repo, &base, &span.head, None)? {
        let same = proven
            .iter()
            .filter(|run| run.files.get(&path) == Some(&content));
        let (sound, doubted): (Vec<_>, Vec<_>) = same.partition(|run| run.doubt.is_none());
        if let Some(run) = sound.first() {
            coverage.covered.push(Covered {
                path,
                run: run.run.clone(),
                worth: run.worth.clone(),
            });
            continue;
        }
        let other = proven.iter().find(|run| run.files.contains_key(&path));
        let why = match (doubted.first(), other) {
            (Some(run), _) => format!(
                "`{}` made it, and {}",
                run.run,
                run.doubt.as_deref().unwrap_or_default()
            ),
            (None, Some(run)) => format!(
                "`{}` proved another content: it was edited or merged since",
                run.run
            ),
            (None, None) => "no run has made it".to_owned(),
        };
        coverage.uncovered.push(Uncovered {
            required: policy.requires(&path),
            path,
            why,
        });
    }
    Ok(coverage)
}

/// What a run made and may count for; none where it is no run with work of its own.
fn proven(
    project: &Project,
    audit: &RunAudit,
    policy: &Policy,
) -> Result<Option<Proven>, EngineError> {
    // Milestones and projects have their work in runs; what cannot be read has its finding.
    let Ok(work) = Work::of(project, &audit.run) else {
        return Ok(None);
    };
    let Ok(peek) = peek_run(project, &audit.run) else {
        return Ok(None);
    };
    let mut broken = audit.findings.iter();
    let broken = broken.find(|one| one.about == About::Evidence);
    let doubt = if let Some(one) = broken {
        Some(format!("its audit says `{}`", one.code))
    } else if peek.machine.status().activity != Activity::Done {
        Some("is not done".to_owned())
    } else if !policy.is_met_by(&audit.worth) {
        let worth = match audit.worth.as_str() {
            "" => "nothing that was run",
            worth => worth,
        };
        Some(format!(
            "its evidence is {worth}; the policy asks for {}",
            policy.least()
        ))
    } else {
        None
    };
    let repo = project.top();
    let without = work.without();
    let there = worktree::resolve(repo, &work.base)?.is_some()
        && worktree::resolve(repo, &work.tip)?.is_some();
    let files = match there {
        true => changed(repo, &work.base, &work.tip, without.as_deref())?,
        false => BTreeMap::new(),
    };
    Ok(Some(Proven {
        run: audit.run.clone(),
        worth: audit.worth.clone(),
        doubt,
        files,
    }))
}

/// Every file that differs between two commits, and what it is in the second.
fn changed(
    repo: &Path,
    from: &str,
    to: &str,
    without: Option<&str>,
) -> Result<BTreeMap<String, Content>, EngineError> {
    let mut args = vec![
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--no-abbrev",
        from,
        to,
        "--",
        ".",
    ];
    args.extend(without);
    let told = git(repo, &args, &[])?;
    let told = String::from_utf8_lossy(&told);
    let mut parts = told.split('\0');
    let mut files = BTreeMap::new();
    // `:OLDMODE NEWMODE OLD NEW STATUS`, then the path.
    while let (Some(facts), Some(path)) = (parts.next(), parts.next()) {
        let facts: Vec<&str> = facts.trim_start_matches(':').split(' ').collect();
        let [_, mode, _, object, status] = facts.as_slice() else {
            continue;
        };
        let content = (*status != "D").then(|| ((*mode).to_owned(), (*object).to_owned()));
        files.insert(path.to_owned(), content);
    }
    Ok(files)
}
