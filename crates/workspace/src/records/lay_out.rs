//! Records from refs, laid out below `.proofhouse/`: where they were fetched, audits and people find
//! them at the same place as where they were made.

use super::{MILESTONES, RECORDS, listed, milestone_journal, records_ref};
use crate::error::{Error, Kind};
use crate::git;
use crate::project::{Project, Records, no_link};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use store::RunName;

/// Files by their paths, with their blobs.
type Files = BTreeMap<String, String>;

/// The bytes of a file; none where there is no such file.
type Content = Option<Vec<u8>>;

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

/// What files of a task are laid out over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// Whatever lies there stays: the journal alone may have been lost.
    Nothing,
    /// Those of the run as it was before.
    Files,
}

/// What became of the runs that had no records here.
#[derive(Debug, Default)]
pub struct LaidOut {
    /// Theirs lie here now.
    pub runs: Vec<String>,
    /// Their refs hold none that can be laid out, each with why.
    pub without: BTreeMap<String, String>,
}

/// Said where a ref holds something else.
const NO_JOURNAL: &str = "it holds no journal of this run";

/// Lays out the records of every run that has none here. A ref that holds none keeps no other away.
pub fn lay_out_missing(project: &Project) -> Result<LaidOut, Error> {
    let args = ["for-each-ref", "--format=%(refname)", RECORDS];
    let said = git::text(&git::git(project.repo(), &args, &[])?);
    let names = said.lines().filter_map(|line| line.strip_prefix(RECORDS));
    let runs = names.filter_map(|name| RunName::new(name).ok());
    let here = store::list(&project.journals())?;
    let runs = runs.filter(|run| !here.contains(run));
    let runs: Vec<String> = runs.map(|run| run.to_string()).collect();
    let found = lay_out(project, &runs, Over::Nothing)?;
    milestones(project)?;
    Ok(found)
}

/// Lays out the records of milestones whose journals are not here, or end where the ref goes on.
fn milestones(project: &Project) -> Result<(), Error> {
    let project = &project.at_top();
    let (repo, home) = (project.repo(), project.home());
    let args = ["for-each-ref", "--format=%(refname)", MILESTONES];
    let said = git::text(&git::git(repo, &args, &[])?);
    let names = said
        .lines()
        .filter_map(|line| line.strip_prefix(MILESTONES));
    for name in names.filter(|name| RunName::new(name).is_ok()) {
        let place = milestone_journal(name);
        let own_ref = format!("{MILESTONES}{name}");
        let journal = contents(repo, [format!("{own_ref}:{place}").as_str()])?;
        let Some(journal) = journal.into_iter().next().flatten() else {
            continue;
        };
        // Where it was put away, that is its place.
        let path = project.milestone(name).join("wave.jsonl");
        let here = std::fs::read(&path).unwrap_or_default();
        // What says something else than the ref is a finding, and stays.
        if here.len() >= journal.len() || !journal.starts_with(&here) {
            continue;
        }
        project.prepare(Records::OnRef)?;
        let vault = project.vault()?;
        let files = listed(repo, &own_ref)?;
        let evidence = files
            .iter()
            .filter(|(path, _)| path.starts_with("evidence/"));
        let pieces = contents(repo, evidence.map(|(_, blob)| blob.as_str()))?;
        vault.put_copies(pieces.iter().flatten().map(Vec::as_slice))?;
        store::settle(&home)?;
        store::write_copy(&path, &journal, None)?;
        store::settle(&home)?;
    }
    Ok(())
}

/// Compares, and changes nothing. What was once kept on the ref must be the beginning of what is here: also
/// what later commits of the ref no longer hold.
pub fn standing<'r>(
    project: &Project,
    runs: impl IntoIterator<Item = &'r str>,
) -> Result<BTreeMap<&'r str, Standing>, Error> {
    let mut all = BTreeMap::new();
    for (run, kept) in kept(project, runs)? {
        let path = project.journals().join(format!("{run}.jsonl"));
        let here = std::fs::read(&path).unwrap_or_default();
        let is =
            |kept: &Option<Vec<u8>>, so: &dyn Fn(&[u8]) -> bool| kept.as_deref().is_some_and(so);
        let begins = |kept: &Option<Vec<u8>>| is(kept, &|kept| here.starts_with(kept));
        let goes_on = |kept: &Option<Vec<u8>>| is(kept, &|kept| kept.starts_with(&here));
        let standing = match kept.iter().all(begins) {
            true => Standing::Whole,
            false if kept.iter().all(|kept| begins(kept) || goes_on(kept)) => Standing::Behind,
            false => Standing::Differs,
        };
        all.insert(run, standing);
    }
    Ok(all)
}

/// The journal of each run as each commit of its ref holds it, the last first; none inside where one holds
/// none, and no entry where there is no such ref.
fn kept<'r>(
    project: &Project,
    runs: impl IntoIterator<Item = &'r str>,
) -> Result<BTreeMap<&'r str, Vec<Content>>, Error> {
    let mut asked = Vec::new();
    for run in runs {
        let line = project.commits().line(&records_ref(run))?;
        let commits = line.into_iter();
        asked.extend(commits.map(|commit| (run, format!("{commit}:journal/{run}.jsonl"))));
    }
    let names = asked.iter().map(|(_, name)| name.as_str());
    let mut kept: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for ((run, _), blob) in asked.iter().zip(contents(project.top(), names)?) {
        kept.entry(run).or_default().push(blob);
    }
    Ok(kept)
}

/// The task folder of a run as it was kept last when its journal had no more than so many records; nothing
/// where none was kept by then.
pub fn task_files_at(
    project: &Project,
    run: &str,
    records: u64,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let repo = project.top();
    let kept = kept(project, [run])?.remove(run).unwrap_or_default();
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
    let blobs = contents(repo, files.values().map(|blob| blob.as_str()))?;
    let files = files.into_keys().zip(blobs);
    let files = files.filter_map(|(path, bytes)| Some((path.to_owned(), bytes?)));
    Ok(files.collect())
}

/// Lays out the records of these runs as their refs hold them.
pub(super) fn lay_out(project: &Project, runs: &[String], over: Over) -> Result<LaidOut, Error> {
    // So many runs, and so many bytes of their journals, are held in memory.
    const AT_ONCE: usize = 32;
    const HELD: usize = 64 << 20;
    let mut found = LaidOut::default();
    if runs.is_empty() {
        return Ok(found);
    }
    let project = &project.at_top();
    project.prepare(Records::OnRef)?;
    let vault = project.vault()?;
    let mut held = Vec::new();
    for some in runs.chunks(AT_ONCE) {
        let mut evidence = Vec::new();
        match together(project, some, over, &mut evidence) {
            Ok(journals) => held.extend(journals),
            // One of them cannot be laid out: which?
            Err(error) if is_theirs(&error) => {
                for run in some {
                    match together(project, std::slice::from_ref(run), over, &mut evidence) {
                        Ok(journals) => held.extend(journals),
                        Err(error) if is_theirs(&error) => {
                            found.without.insert(run.clone(), error.what);
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
            Err(error) => return Err(error),
        }
        vault.put_copies(evidence.iter().map(Vec::as_slice))?;
        if held.iter().map(|(_, journal)| journal.len()).sum::<usize>() > HELD {
            found.runs.extend(journals(project, &mut held)?);
        }
    }
    found.runs.extend(journals(project, &mut held)?);
    store::settle(&project.home())?;
    Ok(found)
}

/// Writes the journals last: without one, what else a run has is none of a run's yet. To wait for the disk takes
/// longer than all else, so it is done for many at once.
fn journals(project: &Project, held: &mut Vec<(String, Vec<u8>)>) -> Result<Vec<String>, Error> {
    if !held.is_empty() {
        store::settle(&project.home())?;
    }
    let mut runs = Vec::new();
    for (run, bytes) in held.drain(..) {
        let journal = project.journals().join(format!("{run}.jsonl"));
        store::write_copy(&journal, &bytes, None)?;
        runs.push(run);
    }
    Ok(runs)
}

/// Is it what the ref holds that is wrong, and not this machine? Whoever may push refs can make such a one, and it
/// keeps nobody else's records away.
fn is_theirs(error: &Error) -> bool {
    use std::io::ErrorKind::{AlreadyExists, InvalidFilename, IsADirectory, NotADirectory};
    let unfit = matches!(
        error.of_file(),
        Some(AlreadyExists | InvalidFilename | IsADirectory | NotADirectory)
    );
    unfit
        || error.kind == Kind::GitFailed
        || ["linked_folder", NOTHING_THERE].contains(&error.code.as_str())
}

/// The code of a ref that holds no journal, until it is a finding.
const NOTHING_THERE: &str = "records_incomplete";

/// Lays out what these runs have beside their journals, and gives those.
fn together(
    project: &Project,
    runs: &[String],
    over: Over,
    evidence: &mut Vec<Vec<u8>>,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let files = listed_at_once(project.repo(), runs)?;
    let blobs = files.iter().flat_map(BTreeMap::values).map(String::as_str);
    let mut blobs = contents(project.repo(), blobs)?.into_iter();
    let mut journals = Vec::new();
    for (run, files) in runs.iter().zip(&files) {
        let files: Vec<_> = files.keys().zip(blobs.by_ref().take(files.len())).collect();
        let journal = beside(project, run, files.into_iter(), over, evidence)?;
        let journal = journal.ok_or_else(|| {
            Error::environment(
                NOTHING_THERE,
                NO_JOURNAL,
                "fetch it anew from where the run was made",
            )
        })?;
        if strays(&journal) {
            let what = "its task folder would lie outside of this repository, or in git's own";
            return Err(Error::environment(NOTHING_THERE, what, "ask who pushed it"));
        }
        journals.push((run.clone(), journal));
    }
    Ok(journals)
}

/// Does a journal of others name a folder for its documents that is none of ours? Views are written there.
fn strays(journal: &[u8]) -> bool {
    let first = journal.split(|byte| *byte == b'\n').next();
    let first = first.and_then(|line| serde_json::from_slice::<Value>(line).ok());
    let task = first.and_then(|record| Some(record["body"]["task"].as_str()?.to_owned()));
    task.is_some_and(|task| !is_plain(Path::new(task.trim_start_matches("./"))))
}

/// The files on the ref of each run, with their blobs.
fn listed_at_once(repo: &Path, runs: &[String]) -> Result<Vec<Files>, Error> {
    let nothing = ["hash-object", "-t", "tree", "--stdin"];
    let nothing = git::text(&git::git(repo, &nothing, &[])?);
    let mut asked = vec!["rev-parse".to_owned()];
    asked.extend(
        runs.iter()
            .map(|run| format!("{}^{{tree}}", records_ref(run))),
    );
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let trees = git::text(&git::git(repo, &asked, &[])?);
    let asked: String = trees
        .lines()
        .map(|tree| format!("{nothing} {tree}\n"))
        .collect();
    let args = ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-abbrev"];
    let said = git::with_input(repo, &args, asked.into_bytes())?;
    let said = String::from_utf8_lossy(&said);
    let mut all = vec![BTreeMap::new(); runs.len()];
    let mut parts = said.split('\0');
    let mut begun = 0;
    // A line for each pair of trees, then `:OLDMODE MODE OLD BLOB STATUS` and the path of each file.
    while let (Some(facts), Some(path)) = (parts.next(), parts.next()) {
        begun += facts.matches('\n').count();
        let mut words = facts.rsplit('\n').next().unwrap_or_default().split(' ');
        let (mode, blob) = (words.nth(1), words.nth(1));
        let files = begun.checked_sub(1).and_then(|at| all.get_mut(at));
        if let (Some("100644"), Some(blob), Some(files)) = (mode, blob, files) {
            files.insert(path.to_owned(), blob.to_owned());
        }
    }
    Ok(all)
}

/// Lays out the task folder of a run, and gives its journal; none if there is none. Its evidence goes to the rest.
fn beside<'f>(
    project: &Project,
    run: &str,
    files: impl Iterator<Item = (&'f String, Option<Vec<u8>>)>,
    over: Over,
    evidence: &mut Vec<Vec<u8>>,
) -> Result<Option<Vec<u8>>, Error> {
    let (journal, task) = (format!("journal/{run}.jsonl"), format!("tasks/{run}/"));
    let mut last = None;
    for (path, bytes) in files {
        let Some(bytes) = bytes else {
            continue;
        };
        if *path == journal {
            last = Some(bytes);
        } else if path.starts_with("evidence/") {
            // Under the hash that its content has, whatever it was called.
            evidence.push(bytes);
        } else if path.starts_with(&task) && is_plain(Path::new(path)) {
            let to = project.home().join(path);
            no_link(&project.home(), &to)?;
            if over == Over::Files || to.symlink_metadata().is_err() {
                store::write_copy(&to, &bytes, None)?;
            }
        }
    }
    Ok(last)
}

/// Does a path stay below its folder, and make no repository there? Git runs what the settings of one say,
/// as soon as anybody asks it something in that folder.
fn is_plain(path: &Path) -> bool {
    path.components().all(|part| match part {
        Component::Normal(name) => {
            let name = name.to_string_lossy().to_lowercase();
            // On other systems that is another name of it.
            name.trim_end_matches(['.', ' ']) != ".git" && !name.starts_with("git~")
        }
        _ => false,
    })
}

/// The bytes of blobs, as they are: no filter of a checkout touches them. None for a name that means none.
fn contents<'b>(
    repo: &Path,
    blobs: impl IntoIterator<Item = &'b str>,
) -> Result<Vec<Content>, Error> {
    // What git says at once is bounded.
    const AT_ONCE: usize = 256;
    let blobs: Vec<&str> = blobs.into_iter().collect();
    let mut found = Vec::with_capacity(blobs.len());
    for some in blobs.chunks(AT_ONCE) {
        let asked: String = some.iter().map(|blob| format!("{blob}\n")).collect();
        let said = git::with_input(repo, &["cat-file", "--batch"], asked.into_bytes())?;
        let mut rest = said.as_slice();
        for _ in some {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let (line, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            // `NAME blob SIZE`; one that is not there comes back with a remark.
            let line = String::from_utf8_lossy(line);
            let mut words = line.trim_end().rsplit(' ');
            let (size, kind) = (words.next().unwrap_or_default(), words.next());
            let size = size.parse::<usize>().ok();
            // A folder has a size as well, and is followed by what it holds.
            let there = matches!(kind, Some("blob" | "tree" | "commit" | "tag"));
            let size = size.filter(|size| there && *size < after.len());
            let blob = size.filter(|_| kind == Some("blob"));
            found.push(blob.map(|size| after[..size].to_vec()));
            rest = size.map_or(after, |size| &after[size + 1..]);
        }
    }
    Ok(found)
}
