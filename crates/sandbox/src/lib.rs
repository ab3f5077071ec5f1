//! The one place where Proofhouse starts a process.
//!
//! A [`Launch`] is a pure description: what, where, with which environment and limits. [`run`] is
//! the only function that performs one, so that Landlock, seccomp and namespaces have one place to
//! be added (`spawn.rs`). This crate refuses to start anything with an inherited environment, an
//! inherited terminal or no limit, and to return while it knows of a living descendant.
//!
//! Its honest limit, until namespaces come: a descendant that leaves the session, loses its parent
//! and rewrites its own environment block is not found by the sweep (see `tree`).

// Without unix there is only the refusal below, and nothing that uses the rest.
#![cfg_attr(not(unix), allow(dead_code))]

mod cancel;
mod capture;
mod ended;
mod error;
mod launch;
mod listen;
#[cfg(unix)]
mod note;
#[cfg(unix)]
mod pipes;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod spawn;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod watch;

pub use cancel::Cancel;
pub use ended::{Ended, Killed};
pub use error::LaunchError;
pub use launch::{Launch, Limits, TREE_VARIABLE, base_env};
pub use listen::{Listener, Stream, Talk};
#[cfg(unix)]
pub use note::kill_leftover;
#[cfg(unix)]
pub use run::{run, run_with};

/// Refuses: there is no way here to kill a whole tree of processes.
#[cfg(not(unix))]
pub fn run(_launch: &Launch, _cancel: &Cancel) -> Result<Ended, LaunchError> {
    Err(LaunchError::Unsupported)
}

/// Refuses, as [`run`] does.
#[cfg(not(unix))]
pub fn run_with(
    _launch: &Launch,
    _cancel: &Cancel,
    _listener: &mut dyn Listener,
) -> Result<Ended, LaunchError> {
    Err(LaunchError::Unsupported)
}

/// Refuses, as [`run`] does.
#[cfg(not(unix))]
pub fn kill_leftover(_pid_file: &std::path::Path) -> Result<usize, LaunchError> {
    Err(LaunchError::Unsupported)
}
