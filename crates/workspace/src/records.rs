//! Records of a run as commits on a ref of its own, `refs/proofhouse/records/RUN`: its journal, the
//! evidence that the journal names, and its task folder. They can be pushed and fetched like any ref,
//! and are laid out below `.proofhouse/` where somebody else reads them.
//!
//! It refuses to write a file from a ref to any other place than those three, and to put a fetched
//! journal in the place of one that says something else.

mod lay_out;
mod remote;

pub use lay_out::{LaidOut, Standing, lay_out_missing, standing, task_files_at};
pub use remote::{Fetched, Pushed, address, fetch, let_in, push, speak, with_edits};

use crate::error::Error;
use crate::git::{self, IDENTITY};
use crate::places::Places;
use crate::project::{Project, Records};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use store::{RunName, Vault};

/// Where the records of all runs are.
pub const RECORDS: &str = "refs/proofhouse/records/";
/// Where the records of all milestones are.
const MILESTONES: &str = "refs/proofhouse/milestones/";
/// Names that runs cannot have: their refs would be folders of other refs.
pub const RESERVED: [&str; 5] = ["records", "milestones", "edits", "unfinished", "replaced"];

/// The body of the journal's first line, read as leniently: nothing else of the journal is read.
pub fn first_body(project: &Project, name: &RunName) -> Result<Option<Value>, Error> {
    let path = project.journals().join(format!("{name}.jsonl"));
    let file = std::fs::File::open(&path).map_err(Error::io("open", &path))?;
    let mut line = String::new();
    let read = std::io::BufReader::new(file).read_line(&mut line);
    let first = read
        .ok()
        .and_then(|_| serde_json::from_str::<Value>(&line).ok());
    Ok(first.map(|record| record["body"].clone()))
}

/// The ref of a run's records.
pub fn records_ref(run: &str) -> String {
    format!("{RECORDS}{run}")
}

/// Larger pieces of evidence are output, which names no other piece.
const LARGEST_READ: usize = 1 << 20;

/// Commits the records of a run that has them on a ref, or in a tree where git ignores them: no commit of
/// the person's would hold those, and the run's own commits go to others without them. Gives what a person
/// should know if that fails. They are on disk in any case, and the next stop commits them all.
pub fn keep_where_due(project: &Project, run: &str) -> Option<String> {
    if project.records_of(run) == Records::InTree && !is_ignored(project, run) {
        return None;
    }
    let error = keep(project, run).err()?;
    Some(format!(
        "records of `{run}` are not on their ref yet: {error}"
    ))
}

fn is_ignored(project: &Project, run: &str) -> bool {
    let journal = project.journals().join(format!("{run}.jsonl"));
    let journal = journal.display().to_string();
    let args = ["check-ignore", "--quiet", "--", &journal];
    git::ended(project.top(), &args, &[]).is_ok_and(|ended| ended.exited_with(0))
}

/// Commits a run's records as they are now. Whoever calls it holds the run's lock, or has just written.
pub fn keep(project: &Project, run: &str) -> Result<(), Error> {
    let journal = format!("journal/{run}.jsonl");
    kept(project, run, &journal, &records_ref(run))
}

/// Commits the records of a milestone's waves: what its gates have shown, too. Gives what a person should know
/// if that fails.
pub fn keep_milestone(project: &Project, milestone: &str) -> Option<String> {
    let journal = milestone_journal(milestone);
    let own_ref = format!("{MILESTONES}{milestone}");
    let noted = format!("_milestone-{milestone}");
    let error = kept(project, &noted, &journal, &own_ref).err()?;
    Some(format!(
        "records of the milestone `{milestone}` are not on their ref yet: {error}"
    ))
}

fn milestone_journal(milestone: &str) -> String {
    format!("milestones/{milestone}/wave.jsonl")
}

/// Commits a journal, the evidence that it names, and the task folder of `run`, where there is one.
fn kept(project: &Project, run: &str, place: &str, own_ref: &str) -> Result<(), Error> {
    let project = &project.at_top();
    let repo = project.repo();
    let path = project.home().join(place);
    let mut journal = std::fs::read(&path).map_err(Error::io("read", &path))?;
    // Somebody may be in the middle of a line.
    let whole = journal.iter().rposition(|byte| *byte == b'\n');
    journal.truncate(whole.map_or(0, |at| at + 1));
    let mark = format!("{} {}", journal.len(), store::sha256_hex(&journal));
    let noted = project.work(run).join("records-kept");
    let last = listed(repo, own_ref)?;
    // A ref that somebody took away is made again.
    if !last.is_empty() && std::fs::read_to_string(&noted).is_ok_and(|last| last == mark) {
        return Ok(());
    }
    let mut files = BTreeMap::new();
    evidence(&project.vault()?, &journal, &last, &mut files)?;
    files.insert(place.to_owned(), journal);
    let tasks = project.tasks().join(run);
    let places = Places::of(project.top());
    for file in task_files(&tasks)? {
        let from = tasks.join(&file);
        let bytes = std::fs::read(&from).map_err(Error::io("read", &from))?;
        files.insert(
            format!("tasks/{run}/{}", file.display()),
            places.bytes(&bytes),
        );
    }
    import(repo, run, own_ref, !last.is_empty(), &files)?;
    std::fs::create_dir_all(project.work(run)).map_err(Error::io("create", &noted))?;
    Ok(store::write_atomic(&noted, mark.as_bytes())?)
}

/// Plain files of a task folder with plain names; nothing if it lies elsewhere.
fn task_files(tasks: &Path) -> Result<Vec<PathBuf>, Error> {
    if !tasks.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = store::walk(tasks, &|_| false)?;
    files.retain(|file| {
        let plain = file
            .to_str()
            .is_some_and(|name| !name.contains(['\n', '"']));
        let found = tasks.join(file).symlink_metadata();
        plain && found.is_ok_and(|found| found.is_file())
    });
    Ok(files)
}

/// The files of a commit, with their blobs; nothing if there is no such commit.
fn listed(repo: &Path, commit: &str) -> Result<BTreeMap<String, String>, Error> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", commit];
    let ended = git::ended(repo, &args, &[])?;
    if !ended.exited_with(0) {
        return Ok(BTreeMap::new());
    }
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let files = said.split('\0').filter_map(|line| {
        let (about, path) = line.split_once('\t')?;
        let mut words = about.split(' ');
        let (mode, kind, blob) = (words.next()?, words.next()?, words.next()?);
        (mode == "100644" && kind == "blob").then(|| (path.to_owned(), blob.to_owned()))
    });
    Ok(files.collect())
}

/// Every piece of the vault that the journal names, and that those name, without what the last commit
/// has: a piece never changes.
fn evidence(
    vault: &Vault,
    journal: &[u8],
    last: &BTreeMap<String, String>,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), Error> {
    let mut open: Vec<String> = hashes(journal).into_iter().collect();
    let mut seen: BTreeSet<String> = open.iter().cloned().collect();
    while let Some(hash) = open.pop() {
        let place = format!("evidence/{}/{hash}", &hash[..2]);
        if last.contains_key(&place) {
            continue;
        }
        // What is no piece of evidence, or is damaged, is for the audit to say.
        let Ok(bytes) = vault.get(&hash) else {
            continue;
        };
        if bytes.len() <= LARGEST_READ {
            let more = hashes(&bytes).into_iter();
            open.extend(more.filter(|hash| seen.insert(hash.clone())));
        }
        files.insert(place, bytes);
    }
    Ok(())
}

/// Everything in it that looks like the name of a piece.
fn hashes(bytes: &[u8]) -> BTreeSet<String> {
    const LENGTH: usize = 64;
    let hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let words = bytes.split(|byte| !hex(byte));
    let words = words.filter(|word| word.len() == LENGTH);
    words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// Makes the commit, in one git: each start of one is felt.
fn import(
    repo: &Path,
    run: &str,
    own_ref: &str,
    goes_on: bool,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<(), Error> {
    let [_, _, (_, name), (_, mail)] = IDENTITY;
    let seconds = crate::clock::now().0 / 1000;
    let message = format!("records of {run}\n");
    let mut stream = Vec::new();
    let mut head = String::new();
    let _ = write!(
        head,
        "commit {own_ref}\ncommitter {name} <{mail}> {seconds} +0000\ndata {}\n{message}\n",
        message.len()
    );
    if goes_on {
        let _ = writeln!(head, "from {own_ref}^0\nD tasks");
    }
    stream.extend_from_slice(head.as_bytes());
    for (path, bytes) in files {
        let line = format!("M 100644 inline {path}\ndata {}\n", bytes.len());
        stream.extend_from_slice(line.as_bytes());
        stream.extend_from_slice(bytes);
        stream.push(b'\n');
    }
    stream.extend_from_slice(b"done\n");
    let args = ["fast-import", "--quiet", "--done"];
    let made = git::with_input(repo, &args, stream.clone());
    let Err(error) = made else { return Ok(()) };
    // Everything was killed at once, or the power failed: what lies there is nobody's.
    let left = git::common_dir(repo)?.join(format!("{own_ref}.lock"));
    match std::fs::remove_file(left) {
        Ok(()) => git::with_input(repo, &args, stream).map(drop),
        Err(_) => Err(error),
    }
}
