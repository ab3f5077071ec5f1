//! The one place where Proofhouse starts a process.
//!
//! A [`Launch`] is a pure description: what, where, with which environment and limits. [`run`] is
//! the only function that performs one. A [`Policy`] says what it may reach; [`Plan::of`] says what
//! will hold it on this machine, and [`Ended::enforced`] what did. Nothing is started with an
//! inherited environment, an inherited terminal or no limit, save what a person asks for by name
//! ([`hand_over`]), and `run` does not return while it knows of a living descendant.
//!
//! Its honest limit without a PID namespace: a descendant that leaves the session, loses its parent
//! and rewrites its own environment block is not found by the sweep (see `tree`).

// Without unix there is only the refusal below, and nothing that uses the rest.
#![cfg_attr(not(unix), allow(dead_code))]

mod cancel;
mod capture;
#[cfg(unix)]
mod confine;
mod detached;
mod ended;
mod error;
mod launch;
mod layer;
#[cfg(target_os = "linux")]
mod linux;
mod listen;
mod machine;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(unix)]
mod note;
mod person;
#[cfg(unix)]
mod pipes;
mod plan;
mod policy;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(unix)]
mod proxy;
mod refusals;
#[cfg(unix)]
mod run;
// Pure text, and tested everywhere; only macOS runs it.
#[cfg_attr(target_os = "linux", allow(dead_code))]
mod seatbelt;
#[cfg(unix)]
mod spawn;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod watch;

pub use cancel::{Cancel, Woken};
pub use detached::{detach, interrupt};
pub use ended::{Denied, Ended, Killed};
pub use error::LaunchError;
pub use launch::{Held, Launch, Limits, TREE_VARIABLE, base_env};
pub use layer::{Capability, CapabilityState, Layer};
pub use listen::{Listener, Stream, Talk};
pub use machine::{Counting, Lacking, Machine, Through};
#[cfg(unix)]
pub use note::{kill_leftover, launches};
pub use person::hand_over;
pub use plan::{Plan, Recording, Route};
pub use policy::{Bounds, Endpoint, Enforcement, Leads, Network, Overlay, Placed, Policy};
pub use refusals::Refusals;
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

/// What this machine can enforce, each mechanism tried for real.
pub fn probe() -> Vec<Capability> {
    #[cfg(target_os = "linux")]
    return linux::capabilities();
    #[cfg(all(unix, not(target_os = "linux")))]
    return macos::capabilities();
    #[cfg(not(unix))]
    Vec::new()
}

/// What was found out about this machine, to plan with.
#[cfg(target_os = "linux")]
pub fn this_machine() -> &'static Machine {
    linux::machine()
}

/// Can a process have mounts of its own here? Without them there are no overlays.
pub fn has_mounts() -> bool {
    #[cfg(target_os = "linux")]
    {
        let machine = linux::machine();
        machine.namespaces.is_ok() && machine.pid.is_ok() && machine.mount.is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    false
}
