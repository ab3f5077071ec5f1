//! What is known after a launch has ended. Exit code 0 after a kill is still a kill, and both are on
//! record.

use crate::Layer;
use std::fmt;
use std::time::Duration;

/// How a launch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The exit code; none if a signal ended it or it was never started.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Why we stopped it, if we did, whatever the exit code says.
    pub killed: Option<Killed>,
    /// Did we stop it because it stayed after its listener said that the talk was over?
    pub dismissed: bool,
    /// Standard output, at most the cap (plus one line that says what was left out).
    pub stdout: Vec<u8>,
    /// Standard error, likewise.
    pub stderr: Vec<u8>,
    /// Both in the order in which they were read, likewise.
    pub output: Vec<u8>,
    /// Was something left out of the middle of `output`? If not, of neither stream.
    pub truncated: bool,
    /// Processes of the tree, other than the child itself, that were alive when the child had
    /// ended and that we killed. Always 0 where there is no `/proc`.
    pub leftover: usize,
    /// Processes that even SIGKILL did not end in time (stuck in the kernel). They may still
    /// write: whoever judges the tree must not trust it.
    pub survivors: usize,
    /// Wall time.
    pub millis: u64,
    /// What really held it; empty without a policy.
    pub enforced: Vec<Layer>,
    /// What its policy asked for and nothing held, because somebody waived it.
    pub missing: Vec<String>,
    /// What it tried to connect to and was refused, by our proxy or past it.
    pub denied: Vec<Denied>,
    /// Why `denied` says nothing of attempts past our proxy; none if it does.
    pub unrecorded: Option<String>,
}

impl Ended {
    /// The end of a launch that was cancelled before it began.
    pub(crate) fn never_started() -> Self {
        Self {
            exit: None,
            signal: None,
            killed: Some(Killed::Cancelled),
            dismissed: false,
            stdout: Vec::new(),
            stderr: Vec::new(),
            output: Vec::new(),
            truncated: false,
            leftover: 0,
            survivors: 0,
            millis: 0,
            enforced: Vec::new(),
            missing: Vec::new(),
            denied: Vec::new(),
            unrecorded: None,
        }
    }

    /// Did it end by itself, with this exit code?
    pub fn exited_with(&self, code: i32) -> bool {
        self.killed.is_none() && self.exit == Some(code)
    }
}

/// A target that a process tried to connect to and was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// `host:port`; the path of a UNIX socket, or `@` and the name of one without a path; where
    /// there is no network at all, the kind of the socket. Of our proxy, also the start of a request
    /// that was not understood. `and more` stands for all that had no room.
    pub target: String,
    /// How often.
    pub times: u32,
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.times {
            1 => f.write_str(&self.target),
            times => write!(f, "{} ({times} times)", self.target),
        }
    }
}

/// Why we stopped a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    /// It ran longer than this.
    Wall(Duration),
    /// It said nothing for this long.
    Idle(Duration),
    /// Somebody asked for it.
    Cancelled,
}

impl fmt::Display for Killed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Killed::Wall(limit) => write!(
                f,
                "killed by Proofhouse: wall limit of {} s",
                limit.as_secs_f64()
            ),
            Killed::Idle(limit) => write!(
                f,
                "killed by Proofhouse: no output for {} s",
                limit.as_secs_f64()
            ),
            Killed::Cancelled => write!(f, "killed by Proofhouse: cancelled"),
        }
    }
}
