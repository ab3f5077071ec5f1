//! The product on a branch of the user's repository, `proofhouse/PROJECT`: one commit for each release
//! on top of what is there, in a folder of the product's own name, so that it lands without a
//! conflict. Neither the user's branch nor their index or files are touched.

use super::export::{all_released, files, released, write_all};
use ::factory::machine::Factory;
use std::collections::BTreeSet;
use std::path::Path;
use workspace::error::EngineError;
use workspace::git::{IDENTITY, git, text};
use workspace::project::Project;

/// The trailer that says which release a commit holds.
const TRAILER: &str = "Proofhouse-Release";

/// The branch of a project.
pub fn name(project: &str) -> String {
    format!("proofhouse/{project}")
}

/// Commits the product of the last release, unless the branch has it already.
pub(in crate::factory) fn follow(
    project: &Project,
    run: &str,
    machine: &Factory,
) -> Result<(), EngineError> {
    let (Some((manifest, product)), Some(promised)) = (released(machine), machine.promised())
    else {
        return Ok(());
    };
    let repo = project.top();
    let branch = format!("refs/heads/{}", name(run));
    let found = |what: &str| {
        let answer = git(repo, &["rev-parse", "--verify", "--quiet", what], &[]);
        answer.ok().map(|bytes| text(&bytes))
    };
    let (tip, head) = (
        found(&format!("{branch}^{{commit}}")),
        found("HEAD^{commit}"),
    );
    if let Some(tip) = &tip {
        let has = format!("{TRAILER}: {}", manifest.release_id);
        let said = git(
            repo,
            &["log", "--format=%B", "--grep", &has, "-1", tip],
            &[],
        )?;
        let checked_out = git(repo, &["symbolic-ref", "--quiet", "HEAD"], &[]);
        // Whoever stands on it would find their files changed under them.
        if !said.is_empty() || checked_out.is_ok_and(|head| text(&head) == branch) {
            return Ok(());
        }
    }
    let parent = tip.as_ref().or(head.as_ref());
    let message = format!(
        "{} {}\n\n{}\n\n{TRAILER}: {}\n",
        promised.product.name, manifest.spec_version, product.what, manifest.release_id
    );
    let scratch = project.work(run).join("product");
    let laid = scratch.join(&promised.product.name);
    if scratch.symlink_metadata().is_ok() {
        store::remove_tree(&scratch).map_err(EngineError::io("replace", &scratch))?;
    }
    write_all(&laid, &files(project, product)?)?;
    let commit = commit(repo, &scratch, &promised.product.name, parent, &message)?;
    // Only if nobody moved it meanwhile.
    let before = tip.unwrap_or_else(|| "0".repeat(commit.len()));
    git(repo, &["update-ref", &branch, &commit, &before], &[])?;
    store::remove_tree(&scratch).map_err(EngineError::io("remove", &scratch))
}

/// What of the products on the branch is not what was tried, release by release: a sentence each. A
/// branch that is not there says nothing.
pub fn faults(project: &Project, run: &str, machine: &Factory) -> Vec<String> {
    let Some(promised) = machine.promised() else {
        return Vec::new();
    };
    let repo = project.top();
    let folder = format!("{}/", promised.product.name);
    let mut found = Vec::new();
    for (manifest, product) in all_released(machine) {
        let Some(commit) = commit_of(project, run, &manifest.release_id) else {
            continue;
        };
        let held = files(project, product).and_then(|files| {
            let list = ["ls-tree", "-r", "-z", "--name-only", &commit, &folder];
            let names = String::from_utf8_lossy(&git(repo, &list, &[])?).into_owned();
            let names: BTreeSet<&str> = names.split('\0').filter(|one| !one.is_empty()).collect();
            let mut other: Vec<String> = Vec::new();
            for (path, wanted) in &files {
                let path = format!("{folder}{path}");
                let there = git(repo, &["show", &format!("{commit}:{path}")], &[]);
                if !there.is_ok_and(|bytes| bytes == wanted.as_bytes()) {
                    other.push(path);
                }
            }
            let known = |name: &str| {
                name.strip_prefix(&folder)
                    .is_some_and(|it| files.contains_key(it))
            };
            let strange = names.into_iter().filter(|name| !known(name));
            other.extend(strange.map(str::to_owned));
            Ok(other)
        });
        match held {
            Err(error) => found.push(error.what),
            Ok(other) if other.is_empty() => {}
            Ok(other) => found.push(format!(
                "{} of {} on {} is not what was tried",
                other.join(", "),
                manifest.release_id,
                name(run)
            )),
        }
    }
    found
}

/// The commit on the branch that holds the product of a release.
pub fn commit_of(project: &Project, run: &str, release: &str) -> Option<String> {
    let has = format!("^{TRAILER}: {release}$");
    let branch = format!("refs/heads/{}", name(run));
    let log = ["log", "--format=%H", "--grep", &has, "-1", &branch];
    let commit = git(project.top(), &log, &[]).ok()?;
    Some(text(&commit)).filter(|commit| !commit.is_empty())
}

/// A commit on `parent` whose `folder` is what lies in the scratch.
fn commit(
    repo: &Path,
    scratch: &Path,
    folder: &str,
    parent: Option<&String>,
    message: &str,
) -> Result<String, EngineError> {
    let (index, tree) = (scratch.join("index"), scratch.display().to_string());
    let index = index.display().to_string();
    let mut env = vec![
        ("GIT_INDEX_FILE", index.as_str()),
        ("GIT_WORK_TREE", tree.as_str()),
    ];
    env.extend(IDENTITY);
    git(
        repo,
        &["read-tree", parent.map_or("--empty", String::as_str)],
        &env,
    )?;
    let add = [
        "-c",
        "core.autocrlf=false",
        "add",
        "--force",
        "--all",
        "--",
        folder,
    ];
    git(repo, &add, &env)?;
    let tree = text(&git(repo, &["write-tree"], &env)?);
    let mut args = vec!["commit-tree", "-m", message];
    if let Some(parent) = parent {
        args.extend(["-p", parent.as_str()]);
    }
    args.push(&tree);
    Ok(text(&git(repo, &args, &env)?))
}
