//! What a machine can enforce, as facts to plan with. It refuses to try anything: `linux::probe`
//! does, once per process.

/// What was found when it was tried. An error is the reason in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The Landlock version; 0 is none.
    pub landlock: u32,
    /// System-call filters.
    pub seccomp: Result<(), String>,
    /// Filters that ask us about a call, so that attempts to connect can be recorded.
    pub notices: Result<(), String>,
    /// How namespaces can be had at all.
    pub namespaces: Result<Through, String>,
    /// A root of its own, with its own `/proc`.
    pub mount: Result<(), String>,
    /// Processes of its own.
    pub pid: Result<(), String>,
    /// A network of its own.
    pub network: Result<(), String>,
    /// A limit on processes that holds for whoever we are.
    pub processes: Result<Counting, String>,
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
