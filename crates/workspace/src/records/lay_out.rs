//! Records from refs, laid out below `.proofhouse/`: where they were fetched, audits and people find
//! them at the same place as where they were made.

use super::{RECORDS, listed, records_ref};
use crate::error::Error;
use crate::git;
use crate::project::{Project, Records};
use crate::worktree;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};
use store::RunName;

/// How the journal here stands to the one on the ref of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// All that is on the ref is here; or there is no such ref.
    Whole,
    /// The ref goes on where it ends.
    Behind,
    /// Neither is the beginning of the other.
    Differs,
}

/// Every run whose records are on a ref.
fn runs(repo: &Path) -> Result<Vec<RunName>, Error> {
    let args = ["for-each-ref", "--format=%(refname)", RECORDS];
    let said = git::text(&git::git(repo, &args, &[])?);
    let names = said.lines().filter_map(|line| line.strip_prefix(RECORDS));
    Ok(names.filter_map(|name| RunName::new(name).ok()).collect())
}

/// Lays out the records of every run that has none here. Gives their names.
pub fn lay_out_missing(project: &Project) -> Result<Vec<String>, Error> {
    let mut laid_out = Vec::new();
    let here = store::list(&project.journals())?;
    for run in runs(project.repo())? {
        if !here.contains(&run) {
            one(project, run.as_str())?;
            laid_out.push(run.to_string());
        }
    }
    Ok(laid_out)
}

/// Compares, and changes nothing. What was once kept on the ref must be the beginning of what is here: also
/// what later commits of the ref no longer hold.
pub fn standing(project: &Project, run: &str) -> Result<Standing, Error> {
    let path = project.journals().join(format!("{run}.jsonl"));
    let here = std::fs::read(&path).unwrap_or_default();
    let Some(kept) = kept(project.repo(), run)? else {
        return Ok(Standing::Whole);
    };
    let begins = |kept: &Option<Vec<u8>>| kept.as_ref().is_some_and(|kept| here.starts_with(kept));
    let goes_on =
        |kept: &Option<Vec<u8>>| kept.as_ref().is_some_and(|kept| kept.starts_with(&here));
    Ok(match kept.iter().all(begins) {
        true => Standing::Whole,
        false if kept.iter().all(|kept| begins(kept) || goes_on(kept)) => Standing::Behind,
        false => Standing::Differs,
    })
}

/// The journal as each commit of a run's ref holds it, the last first; none inside where one holds none, and
/// none at all where there is no such ref.
fn kept(repo: &Path, run: &str) -> Result<Option<Vec<Option<Vec<u8>>>>, Error> {
    let own_ref = records_ref(run);
    if worktree::resolve(repo, &own_ref)?.is_none() {
        return Ok(None);
    }
    let log = git::text(&git::git(
        repo,
        &["rev-list", "--first-parent", &own_ref],
        &[],
    )?);
    let asked: String = log
        .lines()
        .map(|commit| format!("{commit}:journal/{run}.jsonl\n"))
        .collect();
    let names = ["cat-file", "--batch-check=%(objectname)"];
    let names = git::text(&git::with_input(repo, &names, asked.into_bytes())?);
    // One that is not there comes back with a remark.
    let names: Vec<Option<String>> = names
        .lines()
        .map(|name| (!name.contains(' ')).then(|| name.to_owned()))
        .collect();
    let different: BTreeSet<&String> = names.iter().flatten().collect();
    let blobs = contents(repo, different.into_iter())?;
    let each = names.iter().map(|name| blobs.get(name.as_ref()?).cloned());
    Ok(Some(each.collect()))
}

/// The task folder of a run as it was kept last when its journal had no more than so many records; nothing
/// where none was kept by then.
pub fn task_files_at(
    project: &Project,
    run: &str,
    records: u64,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let repo = project.top();
    let Some(kept) = kept(repo, run)? else {
        return Ok(BTreeMap::new());
    };
    let lines = |journal: &[u8]| journal.iter().filter(|byte| **byte == b'\n').count() as u64;
    let fits = |journal: &Option<Vec<u8>>| {
        let journal = journal.as_deref();
        journal.is_some_and(|journal| lines(journal) <= records)
    };
    // The last first.
    let Some(at) = kept.iter().position(fits) else {
        return Ok(BTreeMap::new());
    };
    let files = listed(repo, &format!("{}~{at}", records_ref(run)))?;
    let task = format!("tasks/{run}/");
    let files: BTreeMap<&str, &String> = files
        .iter()
        .filter_map(|(path, blob)| Some((path.strip_prefix(&task)?, blob)))
        .filter(|(path, _)| is_plain(Path::new(path)))
        .collect();
    let blobs = contents(repo, files.values().copied())?;
    let files = files.into_iter();
    let files = files.filter_map(|(path, blob)| Some((path.to_owned(), blobs.get(blob)?.clone())));
    Ok(files.collect())
}

pub(super) fn one(project: &Project, run: &str) -> Result<(), Error> {
    let project = &project.at_top();
    let repo = project.repo();
    let files = listed(repo, &records_ref(run))?;
    let blobs = contents(repo, files.values())?;
    project.prepare(Records::OnRef)?;
    let vault = project.vault()?;
    let (journal, task) = (format!("journal/{run}.jsonl"), format!("tasks/{run}/"));
    // The journal last: without it, the rest is none of a run's yet.
    let mut last = None;
    for (path, blob) in &files {
        let Some(bytes) = blobs.get(blob) else {
            continue;
        };
        if *path == journal {
            last = Some(bytes);
        } else if path.starts_with("evidence/") {
            // Under the hash that its content has, whatever it was called.
            vault.put("fetched", bytes)?;
        } else if path.starts_with(&task) && is_plain(Path::new(path)) {
            write(&project.home().join(path), bytes)?;
        }
    }
    match last {
        Some(bytes) => write(&project.home().join(&journal), bytes),
        None => Err(Error::environment(
            "records_incomplete",
            format!("{} holds no journal", records_ref(run)),
            "fetch it anew from where the run was made",
        )),
    }
}

fn is_plain(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    Ok(store::write_atomic(path, bytes)?)
}

/// The bytes of blobs, as they are: no filter of a checkout touches them.
fn contents<'b>(
    repo: &Path,
    blobs: impl Iterator<Item = &'b String>,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let asked: String = blobs.map(|blob| format!("{blob}\n")).collect();
    let said = git::with_input(repo, &["cat-file", "--batch"], asked.into_bytes())?;
    let mut rest = said.as_slice();
    let mut found = BTreeMap::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut words = line.split(' ');
        let (blob, size) = (words.next(), words.nth(1));
        let size = size.and_then(|size| size.parse::<usize>().ok());
        if let (Some(blob), Some(size)) = (blob, size)
            && size < rest.len()
        {
            found.insert(blob.to_owned(), rest[..size].to_vec());
            rest = &rest[size + 1..];
        }
    }
    Ok(found)
}
