//! What a process may reach, as a pure value. Whether it can be enforced here is
//! [`crate::Plan::of`]'s question.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// What one launch may reach. What is not named here does not exist for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Files and folders that may be read and run, on top of [`Policy::base_system`].
    pub read: Vec<PathBuf>,
    /// Files and folders that may be read, run and changed.
    pub write: Vec<PathBuf>,
    /// Folders that it may change without changing them. Needs a mount namespace.
    pub overlays: Vec<Overlay>,
    /// Files and folders that it may read in another place than they lie. Needs a mount namespace.
    pub placed: Vec<Placed>,
    /// Files and folders below the roots that are not there for it: an empty folder or an empty file
    /// stands in their place. Needs a mount namespace.
    pub hidden: Vec<PathBuf>,
    /// What it may talk to.
    pub network: Network,
    /// The names of [`crate::Launch::env`] that are handed down; none means all of them.
    pub environment: Option<BTreeSet<String>>,
    /// How much it may use. Wall time, idle time and output are in [`crate::Limits`].
    pub bounds: Bounds,
    /// Its `HOME`, inside a writable root; none means a fresh folder that dies with it.
    pub home: Option<PathBuf>,
    /// What to do on a machine that cannot enforce all of this.
    pub enforcement: Enforcement,
}

/// A folder that a process may change, while what lies there stays as it is: its changes go into
/// another folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// Where it is, for the process. What lies there outside is not seen.
    pub at: PathBuf,
    /// What is there at first. Nothing may change it while the process lives.
    pub lower: PathBuf,
    /// Where the changes go; an empty folder.
    pub upper: PathBuf,
    /// An empty folder beside `upper` that the kernel needs for itself.
    pub work: PathBuf,
    /// Files and folders of `lower`, relative, that are laid over it once more and that it cannot
    /// change at all.
    pub fixed: Vec<PathBuf>,
}

/// Something that lies elsewhere for a process than it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Where it lies.
    pub source: PathBuf,
    /// Where it is, for the process. Nothing need be there.
    pub at: PathBuf,
}

/// What a process may talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// Nothing: it cannot even make a socket.
    None,
    /// Itself: a loopback of its own, for tests that start servers. Needs a network namespace.
    Loopback,
    /// These hosts, through a proxy of ours. What it refuses is recorded, and what goes past it where
    /// the machine can see that (docs/sandbox.md, "Refused connections", says what it cannot).
    Endpoints(Vec<Endpoint>),
    /// Everything that we can reach.
    Full,
}

/// A host and a port that the proxy lets through.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    /// A name or an address, without brackets. Names are compared without case.
    pub host: String,
    pub port: u16,
    pub leads: Leads,
}

/// Where a name may lead. Who holds a name's zone can let it lead into the network of whoever looks
/// it up, so a name that says nothing of that leads to public addresses alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leads {
    ToPublic,
    /// To this machine and its own network too: a person said so.
    Anywhere,
}

impl Endpoint {
    /// An endpoint. An address and `localhost` lead where they say; other names to public addresses.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        let host = host.into();
        let name = host.to_ascii_lowercase();
        let says =
            name.parse::<IpAddr>().is_ok() || name == "localhost" || name.ends_with(".localhost");
        Self {
            leads: if says {
                Leads::Anywhere
            } else {
                Leads::ToPublic
            },
            host,
            port,
        }
    }

    /// The same, wherever its name leads.
    pub fn anywhere(mut self) -> Self {
        self.leads = Leads::Anywhere;
        self
    }

    /// As people write one: `example.org`, `example.org:8443`, `[::1]:80`, and `lan:` before a name
    /// that leads into their own network.
    pub fn read(text: &str, default: Option<u16>) -> Option<Self> {
        match text.strip_prefix("lan:") {
            Some(name) => Self::of_authority(name, default).map(Self::anywhere),
            None => Self::of_authority(text, default),
        }
    }

    /// The host and port of an address.
    pub(crate) fn of_authority(authority: &str, default: Option<u16>) -> Option<Self> {
        // A user name before the host is a way to look like another host.
        if authority.contains('@') {
            return None;
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']')?;
                let port = match rest.strip_prefix(':') {
                    Some(port) => Some(port),
                    None if rest.is_empty() => None,
                    None => return None,
                };
                (host, port)
            }
            None => match authority.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let bracketed = authority.starts_with('[');
        let fits = |letter: char| {
            letter.is_ascii_alphanumeric() || "-._".contains(letter) || (bracketed && letter == ':')
        };
        if host.is_empty() || !host.chars().all(fits) {
            return None;
        }
        let port = match port {
            Some(port) => port.parse().ok()?,
            None => default?,
        };
        Some(Self::new(host, port))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// How much a launch may use. None means no limit, save for `scratch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Processor time of each process.
    pub cpu: Option<Duration>,
    /// Address space of each process, in bytes.
    pub memory: Option<u64>,
    /// Processes and threads at once. On Linux it is held by the PID namespace, which adds up to
    /// 300, or by the user namespace, exactly.
    pub processes: Option<u32>,
    /// The size of any file that it writes, in bytes.
    pub file_size: Option<u64>,
    /// The size of its private `/tmp` and, once more, of `/dev/shm`, in bytes.
    pub scratch: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            cpu: None,
            memory: None,
            processes: None,
            file_size: None,
            scratch: 512 << 20,
        }
    }
}

/// What to do on a machine that cannot enforce a whole policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enforcement {
    /// Refuse to start anything.
    Required,
    /// Enforce what can be, and say what is missing. A person took that on.
    Waived {
        /// Who.
        by: String,
    },
}

/// What a program needs to run at all. It holds no secrets, and it is never writable.
const BASE_SYSTEM: [&str; 30] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    // Not the whole of /etc/ssl: `private` is in there.
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
];

/// The devices that are there. No terminal, no disks, no memory.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) const DEVICES: [&str; 5] = [
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

impl Policy {
    /// No network, no limits but the scratch space's, enforcement required.
    pub fn confined(
        read: impl IntoIterator<Item = impl Into<PathBuf>>,
        write: impl IntoIterator<Item = impl Into<PathBuf>>,
    ) -> Self {
        Self {
            read: read.into_iter().map(Into::into).collect(),
            write: write.into_iter().map(Into::into).collect(),
            overlays: Vec::new(),
            placed: Vec::new(),
            hidden: Vec::new(),
            network: Network::None,
            environment: None,
            bounds: Bounds::default(),
            home: None,
            enforcement: Enforcement::Required,
        }
    }

    /// The system's files that every confined process can read; those that exist here are used.
    /// Toolchains outside them (`CARGO_HOME`, `RUSTUP_HOME`, `/opt/...`) are the caller's to add.
    pub fn base_system() -> Vec<PathBuf> {
        BASE_SYSTEM.iter().map(PathBuf::from).collect()
    }
}
