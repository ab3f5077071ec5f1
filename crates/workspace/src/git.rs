//! Git, through its command line and our one way to start processes. Only plumbing that leaves the
//! user's branch, index and working tree alone.

mod checkpoint;
mod claims;
mod conversion;
mod proven;
mod put_back;
mod unfinished;

pub use checkpoint::set_ref;
pub use checkpoint::{
    Content, Settled, Spot, TURNS, check_out, checkpoint, edits, edits_here, edits_ref, run_ref,
    settled,
};
pub use claims::{Claim, TRAILER, claims_by};
pub(crate) use claims::{claims, claims_in, claims_of};
pub use conversion::{ATTRIBUTES, as_handed_out};
pub use proven::as_proven;
pub use put_back::{committed, put_back};
pub(crate) use unfinished::REPLACED;
pub use unfinished::{Keep, edited, keep};

use crate::error::{Error, Kind};
use crate::lock::Turn;
use sandbox::{Cancel, Ended, Launch, Limits};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs git and gives its standard output.
pub fn git(dir: &Path, args: &[&str], extra_env: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
    let ended = ended(dir, args, extra_env)?;
    if ended.exited_with(0) && !ended.truncated {
        return Ok(ended.stdout);
    }
    Err(failed(dir, args, &ended))
}

/// Runs git and gives its end, for commands whose exit code is an answer.
pub(crate) fn ended(dir: &Path, args: &[&str], extra_env: &[(&str, &str)]) -> Result<Ended, Error> {
    started(dir, args, extra_env, Input::Nothing)
}

/// Runs git with these bytes on its standard input, and gives its standard output.
pub(crate) fn with_input(dir: &Path, args: &[&str], bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    let ended = started(dir, args, &[], Input::Bytes(bytes))?;
    if ended.exited_with(0) && !ended.truncated {
        return Ok(ended.stdout);
    }
    Err(failed(dir, args, &ended))
}

/// Runs a git that leaves a ruin if it is killed half way: it is let finish if we are killed, and its
/// turn lasts as long.
pub(crate) fn finishing(dir: &Path, args: &[&str], turn: &Turn) -> Result<Vec<u8>, Error> {
    let ended = started(dir, args, &[], Input::Turn(turn))?;
    if ended.exited_with(0) {
        return Ok(ended.stdout);
    }
    Err(failed(dir, args, &ended))
}

/// What git finds on its standard input.
enum Input<'a> {
    Nothing,
    Bytes(Vec<u8>),
    Turn(&'a Turn),
}

/// What speaks with another machine or writes a whole tree takes as long as that takes.
const LONG: [&str; 4] = ["push", "fetch", "worktree", "checkout-index"];
/// What compares files, and how it goes about repositories that lie in another: which commit of theirs is meant is
/// told, and nobody looks into them. A `.gitmodules` says otherwise for each, over the settings but not over this.
const COMPARING: [&str; 5] = ["diff", "diff-tree", "diff-index", "diff-files", "status"];
const NOT_INTO: &str = "--ignore-submodules=dirty";
const AN_HOUR: Duration = Duration::from_secs(3600);
const TWO_MINUTES: Duration = Duration::from_secs(120);

fn started(
    dir: &Path,
    args: &[&str],
    extra_env: &[(&str, &str)],
    input: Input<'_>,
) -> Result<Ended, Error> {
    // Nothing that lies in a repository is run by us.
    let hardened = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        // A repository that lies in another has settings of its own, with programs in them, and
        // whatever a gate runs can write such a one: git is never to look into it.
        "-c",
        "submodule.recurse=false",
        // What is added is what was judged, whatever its line ends.
        "-c",
        "core.safecrlf=false",
        // The user, or an agent of theirs, may be at it.
        "-c",
        "core.filesRefLockTimeout=3000",
        "-c",
        "core.packedRefsTimeout=3000",
    ];
    let mut argv: Vec<String> = hardened.map(str::to_owned).to_vec();
    let verb = args.iter().position(|arg| !arg.starts_with('-'));
    for (at, arg) in args.iter().enumerate() {
        argv.push((*arg).to_owned());
        if verb == Some(at) && COMPARING.contains(arg) {
            argv.push(NOT_INTO.to_owned());
        }
    }
    let mut env = sandbox::base_env();
    // Answers in one language, no prompts, and no configuration of ours leaking in.
    for (name, value) in [
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        // A commit is what its name says, not what somebody has put in its place.
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_GRAFT_FILE", "/dev/null/none"),
    ]
    .iter()
    .chain(extra_env)
    {
        env.insert((*name).to_owned(), (*value).to_owned());
    }
    let limits = Limits {
        wall: match args.first() {
            Some(verb) if LONG.contains(verb) => AN_HOUR,
            _ => TWO_MINUTES,
        },
        idle: None,
        output_bytes: 256 << 20,
    };
    let mut launch = Launch::new(argv, dir, env, limits);
    match input {
        Input::Nothing => {}
        Input::Bytes(bytes) => launch.stdin = bytes,
        Input::Turn(turn) => launch.holds = Some(turn.held()),
    }
    Ok(sandbox::run(&launch, &Cancel::new())?)
}

/// The commits that these names mean, in one question; none for a name that means none.
fn commits<const N: usize>(repo: &Path, names: [&str; N]) -> Result<[Option<String>; N], Error> {
    let args = ["cat-file", "--batch-check=%(objectname)"];
    let asked: String = names
        .iter()
        .map(|name| format!("{name}^{{commit}}\n"))
        .collect();
    let ended = started(repo, &args, &[], Input::Bytes(asked.into_bytes()))?;
    if !ended.exited_with(0) {
        return Err(failed(repo, &args, &ended));
    }
    let said = text(&ended.stdout);
    let mut lines = said.lines();
    // A name without an object comes back with a remark.
    Ok(names.map(|_| {
        let line = lines.next().filter(|line| !line.contains(' '))?;
        Some(line.to_owned())
    }))
}

/// The commit that a name means, if there is one.
pub fn resolve(repo: &Path, name: &str) -> Result<Option<String>, Error> {
    let name = format!("{name}^{{commit}}");
    let ended = ended(repo, &["rev-parse", "--verify", "--quiet", &name], &[])?;
    Ok(ended.exited_with(0).then(|| text(&ended.stdout)))
}

/// Is the first commit in the history of the second, or the same?
pub fn is_ancestor(repo: &Path, earlier: &str, later: &str) -> Result<bool, Error> {
    let args = ["merge-base", "--is-ancestor", earlier, later];
    let ended = self::ended(repo, &args, &[])?;
    match ended.exit {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(failed(repo, &args, &ended)),
    }
}

/// Those of the commits that a repository does not have.
pub(crate) fn missing(repo: &Path, commits: &BTreeSet<&str>) -> Result<BTreeSet<String>, Error> {
    let args = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
    let asked: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
    let said = text(&with_input(repo, &args, asked.into_bytes())?);
    let there: BTreeSet<&str> = said
        .lines()
        .filter_map(|line| line.strip_suffix(" commit"))
        .collect();
    let gone = commits.iter().filter(|commit| !there.contains(**commit));
    Ok(gone.map(|commit| (*commit).to_owned()).collect())
}

/// Lays these files of a commit out in a folder; those that it does not have are not there then.
pub fn check_out_some(
    repo: &Path,
    commit: &str,
    paths: &[&str],
    scratch: &Path,
    into: &Path,
) -> Result<(), Error> {
    let index = scratch.display().to_string();
    git(repo, &["read-tree", commit], &[("GIT_INDEX_FILE", &index)])?;
    let ended = hand_out(repo, &index, paths, into);
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    ended.map(drop)
}

/// Lays files of an index out as a checkout would. Git's own ending tells whether all of them were there.
fn hand_out(repo: &Path, index: &str, paths: &[&str], into: &Path) -> Result<Ended, Error> {
    let prefix = format!("--prefix={}/", into.display());
    let args = [
        "checkout-index",
        "--quiet",
        "--force",
        "-z",
        "--stdin",
        &prefix,
    ];
    let asked: String = paths.iter().map(|path| format!("{path}\0")).collect();
    let env = [("GIT_INDEX_FILE", index)];
    started(repo, &args, &env, Input::Bytes(asked.into_bytes()))
}

/// What git's refusal is to us.
pub(crate) fn failed(dir: &Path, args: &[&str], ended: &Ended) -> Error {
    let said = String::from_utf8_lossy(&ended.stderr);
    let why = match &ended.killed {
        Some(killed) => format!("{killed}; {said}"),
        None => said.into_owned(),
    };
    Error::environment(
        "git_failed",
        format!(
            "`git {}` failed in {}: {}",
            args.join(" "),
            dir.display(),
            why.trim().trim_end_matches(';')
        ),
        "run the command by hand to see why",
    )
    .of_kind(Kind::GitFailed)
}

/// What git printed, without the space around it.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// The top of the repository that holds `dir`.
pub fn top(dir: &Path) -> Result<PathBuf, Error> {
    let found = git(dir, &["rev-parse", "--show-toplevel"], &[]).map_err(|error| {
        // A dot says nothing to whoever is not where they believe to be.
        let named = dir.canonicalize();
        let named = named.as_deref().unwrap_or(dir).display();
        match error.kind {
            // Somebody else's repository: git says itself what to do about it.
            Kind::GitFailed if error.what.contains("dubious ownership") => error,
            Kind::GitFailed if is_bare(dir) => Error::user(
                "bare_repository",
                format!("{named} is a bare git repository: it has no files to work on"),
                "go into a clone of it, or name one with `--repo PATH`",
            ),
            Kind::GitFailed => Error::user(
                "not_a_git_repo",
                format!("{named} is not inside a git repository"),
                "go into your repository, name it with `--repo PATH`, or make one with `git init`",
            ),
            _ => error,
        }
    })?;
    Ok(PathBuf::from(OsString::from_vec(
        found.trim_ascii_end().to_vec(),
    )))
}

fn is_bare(dir: &Path) -> bool {
    let said = git(dir, &["rev-parse", "--is-bare-repository"], &[]);
    said.is_ok_and(|said| said.trim_ascii() == b"true")
}

/// The files of a working tree as git sees them: tracked or untracked, not ignored. `work_tree` may
/// be a copy elsewhere. Deleted files and `.proofhouse/` are left out.
pub fn files(repo: &Path, work_tree: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(listed(repo, work_tree)?.files)
}

/// What git lists of a working tree.
pub(crate) struct Listed {
    pub(crate) files: Vec<PathBuf>,
    /// What is another repository to git: its files are not listed.
    pub(crate) folders: Vec<PathBuf>,
}

/// As [`files`], with the folders that git does not look into.
pub(crate) fn listed(repo: &Path, work_tree: &Path) -> Result<Listed, Error> {
    // In the repository itself git finds both by itself; each start of it is felt.
    let elsewhere = if work_tree == repo {
        None
    } else {
        let git_dir = text(&git(repo, &["rev-parse", "--absolute-git-dir"], &[])?);
        Some((git_dir, work_tree.display().to_string()))
    };
    let env: Vec<(&str, &str)> = match &elsewhere {
        Some((git_dir, tree)) => vec![("GIT_DIR", git_dir), ("GIT_WORK_TREE", tree)],
        None => Vec::new(),
    };
    let listed = git(
        work_tree,
        &[
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
        &env,
    )?;
    let paths = listed
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| PathBuf::from(OsString::from_vec(path.to_vec())))
        .filter(|path| !path.starts_with(".proofhouse") && !path.starts_with(".git"));
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for path in paths {
        match work_tree.join(&path).symlink_metadata() {
            // A submodule is a folder in the index: its files belong to another repository.
            Ok(found) if found.is_dir() => folders.push(path),
            Ok(_) => files.push(path),
            Err(_) => {}
        }
    }
    files.sort();
    files.dedup();
    Ok(Listed { files, folders })
}

/// Who signs commits of the engine's own.
pub const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "Proofhouse"),
    ("GIT_AUTHOR_EMAIL", "proofhouse@localhost"),
    ("GIT_COMMITTER_NAME", "Proofhouse"),
    ("GIT_COMMITTER_EMAIL", "proofhouse@localhost"),
];

/// The folder that all worktrees of a repository share.
pub(crate) fn common_dir(repo: &Path) -> Result<PathBuf, Error> {
    let own = repo.join(".git");
    // A folder that points nowhere else is the repository itself; each start of git is felt.
    if own.join("HEAD").is_file() && !own.join("commondir").exists() {
        return Ok(own);
    }
    let shared = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    let said = git(repo, &shared, &[])?;
    Ok(PathBuf::from(OsString::from_vec(
        said.trim_ascii_end().to_vec(),
    )))
}

/// What differs between two commits, as a patch, without one folder.
pub fn diff(repo: &Path, from: &str, to: &str, without: Option<&Path>) -> Result<Vec<u8>, Error> {
    let mut args = vec![
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--submodule=short",
        "--no-color",
        "--binary",
    ];
    args.extend([from, to, "--", "."]);
    let exclude = without.map(|path| format!(":(exclude,top,literal){}", path.display()));
    args.extend(exclude.as_deref());
    git(repo, &args, &[])
}

/// Makes a repository with one commit of everything in it; for samples.
pub fn first_commit(dir: &Path, message: &str) -> Result<(), Error> {
    git(dir, &["init", "--quiet", "--initial-branch=main"], &[])?;
    git(dir, &["add", "--all"], &[])?;
    git(
        dir,
        &["commit", "--quiet", "--no-verify", "--message", message],
        &IDENTITY,
    )?;
    Ok(())
}
