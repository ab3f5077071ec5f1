//! What is to be started, as a pure value; `run` does it.

use crate::Policy;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The variable that marks every process of a tree. [`crate::run`] sets it; a value given in
/// [`Launch::env`] is overwritten.
pub const TREE_VARIABLE: &str = "PROOFHOUSE_TREE";

/// What a child may know of our own environment. No keys, no tokens, no agent sockets.
const ALLOWED: [&str; 10] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TERM",
    "TMPDIR",
    "USER",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
];

/// One process to be started, with everything that it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments. A program without `/` is looked up in `env`'s `PATH`.
    pub argv: Vec<String>,
    /// The folder it starts in.
    pub dir: PathBuf,
    /// The complete environment, save [`TREE_VARIABLE`]: nothing is inherited.
    pub env: BTreeMap<String, String>,
    /// What it reads on standard input; after that, end of file.
    pub stdin: Vec<u8>,
    /// When it is stopped, and how much of its output is kept.
    pub limits: Limits,
    /// Where to note the process while it lives, for [`crate::kill_leftover`].
    pub pid_file: Option<PathBuf>,
    /// What it may reach; none means all that we can, for programs of our own such as git.
    pub policy: Option<Policy>,
    /// For a program that leaves a ruin if it is killed half way: if we are killed, it is let finish,
    /// and holds this until it has.
    pub holds: Option<Held>,
}

/// A locked file that a process is given as its standard input, if it has no other. The lock is free
/// when both we and the process are done with it, whichever dies first: who takes it next knows that
/// the process has ended.
#[derive(Debug, Clone)]
pub struct Held(pub Arc<File>);

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Held {}

impl Launch {
    /// A launch with nothing on standard input, no pid file, no policy and nothing to hold.
    pub fn new(
        argv: Vec<String>,
        dir: impl Into<PathBuf>,
        env: BTreeMap<String, String>,
        limits: Limits,
    ) -> Self {
        Self {
            argv,
            dir: dir.into(),
            env,
            stdin: Vec::new(),
            limits,
            pid_file: None,
            policy: None,
            holds: None,
        }
    }
}

/// The bounds of one launch. There is no launch without a wall limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall time from start to kill.
    pub wall: Duration,
    /// Time without a byte of output from start or last output to kill.
    pub idle: Option<Duration>,
    /// Bytes kept of each of stdout, stderr and both together. More is read, counted and left out
    /// of the middle: a talkative child is neither killed nor blocked.
    pub output_bytes: usize,
}

/// The allowlisted part of our own environment; a start for [`Launch::env`].
pub fn base_env() -> BTreeMap<String, String> {
    ALLOWED
        .iter()
        .filter_map(|name| Some((name.to_string(), std::env::var(name).ok()?)))
        .collect()
}
