//! Git, through its command line and our one way to start processes. Only plumbing that leaves the
//! user's branch, index and working tree alone.

use crate::error::EngineError;
use crate::lock::{self, Turn};
use sandbox::{Cancel, Ended, Launch, Limits};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs git and gives its standard output.
pub(crate) fn git(
    dir: &Path,
    args: &[&str],
    extra_env: &[(&str, &str)],
) -> Result<Vec<u8>, EngineError> {
    let ended = ended(dir, args, extra_env)?;
    if ended.exited_with(0) && !ended.truncated {
        return Ok(ended.stdout);
    }
    Err(failed(dir, args, &ended))
}

/// Runs git and gives its end, for commands whose exit code is an answer.
pub(crate) fn ended(
    dir: &Path,
    args: &[&str],
    extra_env: &[(&str, &str)],
) -> Result<Ended, EngineError> {
    started(dir, args, extra_env, Input::Nothing)
}

/// Runs a git that leaves a ruin if it is killed half way: it is let finish if we are killed, and its
/// turn lasts as long.
pub(crate) fn finishing(dir: &Path, args: &[&str], turn: &Turn) -> Result<Vec<u8>, EngineError> {
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

fn started(
    dir: &Path,
    args: &[&str],
    extra_env: &[(&str, &str)],
    input: Input<'_>,
) -> Result<Ended, EngineError> {
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
        "-c",
        "diff.ignoreSubmodules=dirty",
        // The user, or an agent of theirs, may be at it.
        "-c",
        "core.filesRefLockTimeout=3000",
        "-c",
        "core.packedRefsTimeout=3000",
    ];
    let mut argv: Vec<String> = hardened.map(str::to_owned).to_vec();
    argv.extend(args.iter().map(|arg| (*arg).to_owned()));
    let mut env = sandbox::base_env();
    // Answers in one language, no prompts, and no configuration of ours leaking in.
    for (name, value) in [
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
    ]
    .iter()
    .chain(extra_env)
    {
        env.insert((*name).to_owned(), (*value).to_owned());
    }
    let limits = Limits {
        wall: Duration::from_secs(120),
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
fn commits<const N: usize>(
    repo: &Path,
    names: [&str; N],
) -> Result<[Option<String>; N], EngineError> {
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

/// What git's refusal is to us.
pub(crate) fn failed(dir: &Path, args: &[&str], ended: &Ended) -> EngineError {
    let said = String::from_utf8_lossy(&ended.stderr);
    EngineError::environment(
        "git_failed",
        format!(
            "`git {}` failed in {}: {}",
            args.join(" "),
            dir.display(),
            said.trim()
        ),
        "run the command by hand to see why",
    )
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// The top of the repository that holds `dir`.
pub fn top(dir: &Path) -> Result<PathBuf, EngineError> {
    let found = git(dir, &["rev-parse", "--show-toplevel"], &[]).map_err(|error| {
        match error.code.as_str() {
            // Somebody else's repository: git says itself what to do about it.
            "git_failed" if error.what.contains("dubious ownership") => error,
            "git_failed" if is_bare(dir) => EngineError::user(
                "bare_repository",
                format!(
                    "{} is a bare git repository: it has no files to work on",
                    dir.display()
                ),
                "go into a clone of it, or name one with `--repo PATH`",
            ),
            "git_failed" => EngineError::user(
                "not_a_git_repo",
                format!("{} is not inside a git repository", dir.display()),
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
pub fn files(repo: &Path, work_tree: &Path) -> Result<Vec<PathBuf>, EngineError> {
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
    let mut files: Vec<PathBuf> = listed
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| PathBuf::from(OsString::from_vec(path.to_vec())))
        .filter(|path| !path.starts_with(".proofhouse") && !path.starts_with(".git"))
        .filter(|path| {
            // A submodule is a folder in the index: its files belong to another repository.
            work_tree
                .join(path)
                .symlink_metadata()
                .is_ok_and(|found| !found.is_dir())
        })
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The ref that keeps a run's checkpoints, out of the way of the user's branches.
pub fn run_ref(run: &str) -> String {
    format!("refs/proofhouse/{run}")
}

/// Who signs commits of the engine's own.
pub(crate) const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "Proofhouse"),
    ("GIT_AUTHOR_EMAIL", "proofhouse@localhost"),
    ("GIT_COMMITTER_NAME", "Proofhouse"),
    ("GIT_COMMITTER_EMAIL", "proofhouse@localhost"),
];

/// The trailer's key.
pub const TRAILER: &str = "Proofhouse-Head";

/// In the scratch of a run or a milestone: whose turn it is to set its ref.
pub const TURNS: &str = "ref.lock";

/// Sets a ref that nobody writes but whoever holds the lock of its run or milestone, and the turn. What
/// is to be set is as in `git update-ref`.
pub(crate) fn set_ref(repo: &Path, turn: &Turn, what: &[&str]) -> Result<(), EngineError> {
    // Nobody else is at it, so that there is nobody to wait for.
    let mut args = vec!["-c", "core.filesRefLockTimeout=0", "update-ref"];
    args.extend(what);
    let Err(error) = finishing(repo, &args, turn) else {
        return Ok(());
    };
    // Everything was killed at once, or the power failed: what lies there is nobody's.
    let left = what.first().map(|name| format!("{name}.lock"));
    let left = common_dir(repo)?.join(left.unwrap_or_default());
    match std::fs::remove_file(&left) {
        Ok(()) => finishing(repo, &args, turn).map(drop),
        Err(_) => Err(error),
    }
}

/// The folder that all worktrees of a repository share.
pub(crate) fn common_dir(repo: &Path) -> Result<PathBuf, EngineError> {
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

/// Commits the working tree as it is onto the run's own ref. Touches neither branch nor index.
pub fn checkpoint(
    repo: &Path,
    run: &str,
    turns: &Path,
    scratch: &Path,
    subject: &str,
    head: &store::Head,
) -> Result<String, EngineError> {
    // First: the git of an engine that was killed may be about to set the ref.
    let turn = lock::turn(turns)?;
    let index = scratch.display().to_string();
    let mut env = vec![("GIT_INDEX_FILE", index.as_str())];
    env.extend(IDENTITY);
    let own_ref = run_ref(run);
    let [head_commit, own] = commits(repo, ["HEAD", &own_ref])?;
    let parent = own.or_else(|| head_commit.clone());
    let from = head_commit.map_or("--empty", |_| "HEAD");
    stage_all(repo, from, &env)?;
    let tree = text(&git(repo, &["write-tree"], &env)?);
    let message = format!("{subject}\n\n{TRAILER}: {run}@{}:{}\n", head.seq, head.hash);
    let mut args = vec!["commit-tree", "-m", message.as_str()];
    if let Some(parent) = &parent {
        args.extend(["-p", parent.as_str()]);
    }
    args.push(&tree);
    let commit = text(&git(repo, &args, &env)?);
    set_ref(repo, &turn, &[&own_ref, &commit])?;
    // Scratch of this checkpoint alone.
    let _ = std::fs::remove_file(scratch);
    Ok(commit)
}

/// Fills an index with the working tree as it is, without what git ignores. A repository that lies in it
/// and that the commit does not know is left out: its files belong to nobody here, a commit would have a
/// name for it that means nothing elsewhere, and git refuses one without a commit altogether.
fn stage_all(repo: &Path, from: &str, env: &[(&str, &str)]) -> Result<(), EngineError> {
    const WITHOUT_OURS: [&str; 3] = ["--", ".", ":(exclude).proofhouse"];
    git(repo, &["read-tree", from], env)?;
    // Not `--all`: that takes repositories in, and fails where the user's git ignores our folder. With the
    // errors ignored it has failed all the same, save for an index with nothing in it.
    let update = ["add", "--update", "--ignore-errors"];
    git(repo, &[&update, &WITHOUT_OURS[..]].concat(), env)?;
    let others = ["ls-files", "-z", "--others", "--exclude-standard"];
    let others = git(repo, &[&others, &WITHOUT_OURS[..]].concat(), env)?;
    // Only a repository is named as a folder.
    let ends_as_file = |path: &&[u8]| {
        path.strip_suffix(b"\0")
            .is_some_and(|it| !it.ends_with(b"/"))
    };
    let files: Vec<&[u8]> = others
        .split_inclusive(|byte| *byte == 0)
        .filter(ends_as_file)
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    // One that is gone meanwhile is no failure.
    let args = ["update-index", "--add", "--remove", "-z", "--stdin"];
    let ended = started(repo, &args, env, Input::Bytes(files.concat()))?;
    match ended.exited_with(0) {
        true => Ok(()),
        false => Err(failed(repo, &args, &ended)),
    }
}

/// Lays the files of a commit out in a folder. Touches neither branch, index nor working tree.
pub fn check_out(
    repo: &Path,
    commit: &str,
    scratch: &Path,
    into: &Path,
) -> Result<(), EngineError> {
    let index = scratch.display().to_string();
    let env = [("GIT_INDEX_FILE", index.as_str())];
    git(repo, &["read-tree", commit], &env)?;
    let prefix = format!("--prefix={}/", into.display());
    let laid_out = git(repo, &["checkout-index", "--all", "--force", &prefix], &env);
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    laid_out.map(drop)
}

/// Those of the paths that a commit holds, or that are not there at all.
pub fn committed(repo: &Path, commit: &str, paths: &[String]) -> Result<Vec<String>, EngineError> {
    let mut kept = Vec::new();
    for path in paths {
        let absent = repo.join(path).symlink_metadata().is_err();
        if absent || !git(repo, &["ls-tree", "-z", commit, "--", path], &[])?.is_empty() {
            kept.push(path.clone());
        }
    }
    Ok(kept)
}

/// Puts paths back to what they are in a commit, and deletes those that it does not have. Only what
/// is given, and never through a link: the rest of the working tree is the user's.
pub fn put_back(repo: &Path, commit: &str, paths: &[String]) -> Result<(), EngineError> {
    for path in paths {
        let target = repo.join(path);
        if !stays_inside(repo, &target) {
            continue;
        }
        let listed = git(repo, &["ls-tree", "-z", commit, "--", path], &[])?;
        let Some((mode, _)) = text(&listed)
            .split_once(' ')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
        else {
            match std::fs::remove_file(&target) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(EngineError::io("delete", &target)(error));
                }
                _ => continue,
            }
        };
        let bytes = git(
            repo,
            &["cat-file", "blob", &format!("{commit}:{path}")],
            &[],
        )?;
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
        }
        if mode == "120000" {
            store::link_atomic(&target, Path::new(&OsString::from_vec(bytes)))?;
            continue;
        }
        let bits = if mode == "100755" { 0o755 } else { 0o644 };
        let bits = std::os::unix::fs::PermissionsExt::from_mode(bits);
        store::write_atomic_with(&target, &bytes, Some(bits))?;
    }
    Ok(())
}

/// What differs between two commits, as a patch, without one folder.
pub fn diff(
    repo: &Path,
    from: &str,
    to: &str,
    without: Option<&Path>,
) -> Result<Vec<u8>, EngineError> {
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

/// No folder on the way to it is a link.
fn stays_inside(repo: &Path, target: &Path) -> bool {
    let Ok(inside) = target.strip_prefix(repo) else {
        return false;
    };
    let mut here = repo.to_owned();
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        if !matches!(part, std::path::Component::Normal(_)) {
            return false;
        }
        here.push(part);
        let link = here
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink());
        if link && parts.peek().is_some() {
            return false;
        }
    }
    true
}

/// A journal head that some commit vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The commit.
    pub commit: String,
    /// The run.
    pub run: String,
    /// The record's number.
    pub seq: u64,
    /// The record's hash.
    pub hash: String,
}

/// Every claim that a commit reachable from any ref makes, and every trailer that is malformed.
pub fn claims(repo: &Path) -> Result<(Vec<Claim>, Vec<String>), EngineError> {
    claims_by(repo, TRAILER)
}

/// The same, for another trailer.
pub fn claims_by(repo: &Path, key: &str) -> Result<(Vec<Claim>, Vec<String>), EngineError> {
    let format = format!("--format=%H%x09%(trailers:key={key},valueonly,separator=%x2C)");
    let grep = format!("--grep={key}:");
    let log = git(repo, &["log", "--all", &grep, &format], &[])?;
    let (mut claims, mut malformed) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(&log).lines() {
        let Some((commit, trailers)) = line.split_once('\t') else {
            continue;
        };
        for trailer in trailers
            .split(',')
            .filter(|trailer| !trailer.trim().is_empty())
        {
            match parse_claim(commit, trailer.trim()) {
                Some(claim) => claims.push(claim),
                None => malformed.push(format!("commit {commit}: `{key}: {trailer}`")),
            }
        }
    }
    Ok((claims, malformed))
}

fn parse_claim(commit: &str, trailer: &str) -> Option<Claim> {
    let (run, rest) = trailer.split_once('@')?;
    let (seq, hash) = rest.split_once(':')?;
    let hex = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then_some(())?;
    Some(Claim {
        commit: commit.to_owned(),
        run: run.to_owned(),
        seq: seq.parse().ok()?,
        hash: hash.to_owned(),
    })
}

/// Makes a repository with one commit of everything in it; for samples.
pub fn first_commit(dir: &Path, message: &str) -> Result<(), EngineError> {
    git(dir, &["init", "--quiet", "--initial-branch=main"], &[])?;
    git(dir, &["add", "--all"], &[])?;
    git(
        dir,
        &["commit", "--quiet", "--no-verify", "--message", message],
        &IDENTITY,
    )?;
    Ok(())
}
