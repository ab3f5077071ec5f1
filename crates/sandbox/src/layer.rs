//! What holds a process, by name. A layer holds only once it was tried.

use std::fmt;

/// One thing that the operating system enforces on a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The other namespaces come through one of the user's own; outside root is not root inside.
    UserNamespace,
    /// Only the roots of the policy exist.
    MountNamespace,
    /// It sees no process but its own, and none of them outlives the first.
    PidNamespace,
    /// It has no network but a loopback of its own.
    NetworkNamespace,
    /// It shares no System V memory, queue or semaphore.
    IpcNamespace,
    /// Access to files, abstract sockets, signals and TCP, checked once more.
    Landlock {
        /// The kernel's Landlock version.
        abi: u32,
    },
    /// The system calls that lead out are refused.
    Seccomp,
    /// No set-uid program gives it rights.
    NoNewPrivileges,
    /// Root without root's powers.
    Capabilities,
    /// Processor time, address space, file size, no core files.
    ResourceLimits,
    /// A limit on processes that really holds.
    ProcessLimit,
    /// The only way out is our proxy.
    Proxy,
    /// macOS: a profile for `sandbox-exec`.
    Seatbelt,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Layer::UserNamespace => "user_namespace",
            Layer::MountNamespace => "mount_namespace",
            Layer::PidNamespace => "pid_namespace",
            Layer::NetworkNamespace => "network_namespace",
            Layer::IpcNamespace => "ipc_namespace",
            Layer::Landlock { abi } => return write!(f, "landlock_abi_{abi}"),
            Layer::Seccomp => "seccomp",
            Layer::NoNewPrivileges => "no_new_privileges",
            Layer::Capabilities => "capabilities",
            Layer::ResourceLimits => "resource_limits",
            Layer::ProcessLimit => "process_limit",
            Layer::Proxy => "proxy",
            Layer::Seatbelt => "seatbelt",
        };
        f.write_str(name)
    }
}

/// What this machine can enforce, as far as one mechanism goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// The mechanism.
    pub name: &'static str,
    /// Did it work when it was tried?
    pub state: CapabilityState,
    /// What was found.
    pub detail: String,
}

/// How a trial went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapabilityState {
    /// It works.
    Ok,
    /// It does not, and something else does its work.
    Note,
    /// It does not, and policies that need it are refused.
    Missing,
}
