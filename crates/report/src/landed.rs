//! Commits on branches that say they are a run's work, and whether they hold it. A trailer is a text that
//! anybody can write: what a commit is worth is what it makes of its parent.

use crate::look::run_name;
use crate::replay::run_at;
use crate::work::Work;
use kernel::Machine;
use kernel::machine::Activity;
use std::collections::BTreeSet;
use std::path::Path;
use workspace::git::{TRAILER, git, text};
use workspace::worktree::{self, Merged};
use workspace::{EngineError, Project};

/// The trailer that says what the evidence of a landed run is worth.
pub const EVIDENCE: &str = "Proofhouse-Evidence";

/// A commit that names a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub commit: String,
    /// The ref that leads there.
    pub branch: String,
    /// `RUN@SEQ:HASH`
    pub claim: String,
    /// What it says of the evidence, if it does.
    pub evidence: Option<String>,
}

/// Every commit, since the base where there is one, that names the run in its trailer, the newest first.
pub fn named(
    repo: &Path,
    run: &str,
    within: &[&str],
    base: Option<&str>,
) -> Result<Vec<Named>, EngineError> {
    let grep = format!("--grep={TRAILER}: {run}@");
    let trailer = |key: &str| format!("%(trailers:key={key},valueonly,separator=%x2C)");
    let format = format!(
        "--format=%H%x09%S%x09{}%x09{}",
        trailer(TRAILER),
        trailer(EVIDENCE)
    );
    let without = base.map(|base| format!("^{base}"));
    let mut args = vec!["log", "--fixed-strings", &grep, &format];
    args.extend(within);
    args.extend(without.as_deref());
    let begins = format!("{run}@");
    let log = git(repo, &args, &[])?;
    let log = text(&log);
    let found = log.lines().filter_map(|line| {
        let mut parts = line.split('\t');
        let (commit, branch, claims) = (parts.next()?, parts.next()?, parts.next()?);
        let evidence = parts.next().map(str::trim).filter(|said| !said.is_empty());
        let mut claims = claims.split(',').map(str::trim);
        let claim = claims.find(|one| one.starts_with(&begins))?;
        Some(Named {
            commit: commit.to_owned(),
            branch: branch
                .strip_prefix("refs/heads/")
                .unwrap_or(branch)
                .to_owned(),
            claim: claim.to_owned(),
            // Several words of it are one trailer.
            evidence: evidence.map(str::to_owned),
        })
    });
    Ok(found.collect())
}

/// What the run had made, and what its evidence was worth, at the record that a commit names; none where it was
/// not done then, or has not gone on since.
pub fn then(
    project: &Project,
    run: &str,
    named: &Named,
) -> Result<Option<(Work, String)>, EngineError> {
    let seq = named.claim.split_once('@').map(|(_, rest)| rest);
    let seq = seq.and_then(|rest| rest.split_once(':')?.0.parse().ok());
    let Some(seq) = seq else {
        return Ok(None);
    };
    // A number that no record has is a finding of its own.
    let Ok((peek, _, last)) = run_at(project, &run_name(project, run)?, seq) else {
        return Ok(None);
    };
    let done = peek.machine.status().activity == Activity::Done;
    let started = peek.machine.started();
    let own = started.and_then(|started| Some((started, started.own_tree.as_ref()?)));
    let Some((started, own)) = own.filter(|_| done && seq < last) else {
        return Ok(None);
    };
    let work = Work::since(project, &peek, started, &own.base)?;
    Ok(Some((work, peek.machine.worth())))
}

/// The last commit of the run's work that was landed on a branch before it was taken up again.
pub fn earlier(
    project: &Project,
    run: &str,
    work: &Work,
    head: &str,
) -> Result<Option<String>, EngineError> {
    for named in named(project.top(), run, &[head], Some(&work.base))? {
        if let Some((then, _)) = then(project, run, &named)? {
            return Ok(Some(then.tip));
        }
    }
    Ok(None)
}

/// Does the commit hold what the run made, put onto its parent, and nothing else?
pub fn holds(
    project: &Project,
    run: &str,
    work: &Work,
    named: &Named,
) -> Result<bool, EngineError> {
    let repo = project.top();
    let tree_of = |name: &str| format!("{name}^{{tree}}");
    if work.task.is_none() {
        // Mostly, and each start of git is felt.
        let parent = format!("{}^1", named.commit);
        let names = [&named.commit, &work.tip, &parent, &work.base].map(|name| tree_of(name));
        let [one, two, three, four] = &names;
        let said = git(repo, &["rev-parse", one, two, three, four], &[]);
        let said = said.map(|said| text(&said)).unwrap_or_default();
        let trees: Vec<&str> = said.lines().collect();
        if let [itself, made, parent, began] = trees[..]
            && (itself, parent) == (made, began)
        {
            return Ok(true);
        }
    }
    let range = format!("{}..{}", work.base, work.tip);
    let own = text(&git(repo, &["rev-list", &range], &[])?);
    let own: BTreeSet<&str> = own.lines().collect();
    if own.contains(named.commit.as_str()) {
        return Ok(true);
    }
    let tree = tree_of(&named.commit);
    let parent = tree_of(&format!("{}^1", named.commit));
    let asked = ["rev-parse", "--verify", "--quiet"];
    let of = |name: &str| -> Option<String> {
        let said = git(repo, &[&asked[..], &[name]].concat(), &[]).ok()?;
        Some(text(&said))
    };
    // A commit without a parent holds more than any run's work.
    let (Some(tree), Some(parent)) = (of(&tree), of(&parent)) else {
        return Ok(false);
    };
    let scratch = project.work(run);
    std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
    let index = scratch.join("landed-index");
    let steps = |from: &str, to: &str| -> Result<bool, EngineError> {
        let (before, after) = (
            work.tree_of(repo, from, &index)?,
            work.tree_of(repo, to, &index)?,
        );
        if parent == before {
            return Ok(tree == after);
        }
        let merged = worktree::merge_trees(repo, &before, &parent, &after)?;
        Ok(merged == Merged::Tree(tree.clone()))
    };
    if steps(&work.base, &work.tip)? {
        return Ok(true);
    }
    // Of a run that was landed before, and taken up again.
    let parent_commit = format!("{}^1", named.commit);
    if let Some(since) = earlier(project, run, work, &parent_commit)?
        && steps(&since, &work.tip)?
    {
        return Ok(true);
    }
    // One of several that the run's own commits were replayed as.
    let replayed = self::named(repo, run, &[&work.tip], Some(&work.base))?;
    for one in replayed.iter().filter(|one| one.claim == named.claim) {
        if steps(&format!("{}^", one.commit), &one.commit)? {
            return Ok(true);
        }
    }
    Ok(false)
}
