//! How one attempt of an external agent is started.

/// What becomes of sessions when their view moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sessions {
    /// They go on.
    Move,
    /// They are lost: a later attempt begins a new one.
    Stay,
}

/// How an agent is started: what follows the program's name, and what it is given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(&'static str, String)>,
    /// Set over the settings' own: it holds what they asked for, and our limits.
    pub(crate) fixed: Vec<(&'static str, String)>,
    pub(crate) stdin: Vec<u8>,
}
