//! What a machine can enforce, as facts to plan with; `linux::probe` finds them, once per process.

/// What was found when it was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The Landlock version; 0 is none.
    pub landlock: u32,
    /// System-call filters.
    pub seccomp: Result<(), Lacking>,
    /// Filters that ask us about a call, so that attempts to connect can be recorded.
    pub notices: Result<(), Lacking>,
    /// How namespaces can be had at all.
    pub namespaces: Result<Through, Lacking>,
    /// A root of its own, with its own `/proc`.
    pub mount: Result<(), Lacking>,
    /// Processes of its own.
    pub pid: Result<(), Lacking>,
    /// A network of its own.
    pub network: Result<(), Lacking>,
    /// A limit on processes that holds for whoever we are.
    pub processes: Result<Counting, Lacking>,
}

/// Why a mechanism is not to be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Lacking {
    /// The system's answer when it was tried, by its number.
    #[error("{}", answer(.0))]
    System(i32),
    /// The trial was killed by this signal.
    #[error("killed by signal {0}")]
    Killed(i32),
    /// No process could be made to try it in.
    #[error("cannot fork: {}", answer(.0))]
    NoFork(i32),
    /// It was not tried, or the trial says nothing.
    #[error("{0}")]
    Because(&'static str),
    /// There are two ways to it, and neither is there.
    #[error("{0}; {1}")]
    Both(Box<Lacking>, Box<Lacking>),
}

fn answer(number: &i32) -> std::io::Error {
    std::io::Error::from_raw_os_error(*number)
}

/// How namespaces are had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    /// We have the right to make them.
    Privilege,
    /// A user namespace gives the right.
    User,
}

/// What counts processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// The PID namespace's own `pid_max` (Linux 6.14): the limit plus up to 300.
    PidNamespace,
    /// `RLIMIT_NPROC` in a user namespace of its own, which counts nobody else.
    UserNamespace,
}
