//! One error for everything that performs: whose it is, a stable code, what happened, how to mend it.

use kernel::Refusal;
use std::fmt;

/// Whose error it is. The binary turns it into an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The user's: something to mend in what was asked.
    User,
    /// The environment's: something is missing or broken around us.
    Environment,
    /// Ours: a bug.
    Bug,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct EngineError {
    pub blame: Blame,
    /// Stable, snake_case.
    pub code: String,
    /// What, and where.
    pub what: String,
    /// How to mend it.
    pub mend: String,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.what, self.code)
    }
}

impl EngineError {
    /// The user's.
    pub fn user(code: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::of(Blame::User, code, what.into(), mend.into())
    }

    /// The environment's.
    pub fn environment(code: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::of(Blame::Environment, code, what.into(), mend.into())
    }

    /// Ours.
    pub fn bug(code: &str, what: impl Into<String>) -> Self {
        let mend = "please report it, with the run's journal".to_owned();
        Self::of(Blame::Bug, code, what.into(), mend)
    }

    fn of(blame: Blame, code: &str, what: String, mend: String) -> Self {
        Self {
            blame,
            code: code.to_owned(),
            what,
            mend,
        }
    }

    /// A file or folder could not be read or written.
    pub fn io(doing: &str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let what = format!("could not {doing} {}", path.display());
        move |error| {
            let mend = match error.kind() {
                std::io::ErrorKind::PermissionDenied => "give yourself the rights to it",
                std::io::ErrorKind::StorageFull => "free some disk space; nothing was lost",
                std::io::ErrorKind::ReadOnlyFilesystem => {
                    "make the disk writable; nothing was changed"
                }
                _ => "look at the path; nothing was lost",
            };
            Self::environment("io", format!("{what}: {error}"), mend)
        }
    }
}

impl From<store::StoreError> for EngineError {
    fn from(error: store::StoreError) -> Self {
        let blame = match error.code() {
            "journal_missing" | "bad_run_name" | "journal_exists" | "journal_conflict" => {
                Blame::User
            }
            _ => Blame::Environment,
        };
        Self::of(
            blame,
            error.code(),
            error.to_string(),
            error.mend().to_owned(),
        )
    }
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::of(Blame::User, &refusal.code, refusal.what, refusal.mend)
    }
}

impl From<index::IndexError> for EngineError {
    fn from(error: index::IndexError) -> Self {
        let blame = match (&error, error.is_the_users()) {
            (index::IndexError::IndexFailed { .. }, _) => Blame::Bug,
            (_, true) => Blame::User,
            (_, false) => Blame::Environment,
        };
        let what = error.to_string();
        Self::of(blame, error.code(), what, error.mend().to_owned())
    }
}

impl From<sandbox::LaunchError> for EngineError {
    fn from(error: sandbox::LaunchError) -> Self {
        let (blame, mend) = match &error {
            sandbox::LaunchError::Policy { .. } => (Blame::User, "correct the sandbox policy"),
            sandbox::LaunchError::SandboxUnavailable { .. } => (
                Blame::Environment,
                "`proofhouse doctor` shows what this machine can hold; docs/sandbox.md says what each part needs",
            ),
            _ => (
                Blame::Environment,
                "install the program, or name it with its full path",
            ),
        };
        let what = error.to_string();
        Self::of(blame, error.code(), what, mend.to_owned())
    }
}

impl From<agents::AgentError> for EngineError {
    fn from(error: agents::AgentError) -> Self {
        let mend =
            "correct the agent; docs/agents.md and docs/scripted-agent.md show how".to_owned();
        Self::of(Blame::User, error.code(), error.to_string(), mend)
    }
}

impl From<flow::LoadError> for EngineError {
    fn from(error: flow::LoadError) -> Self {
        let code = error
            .problems
            .first()
            .map_or("malformed_workflow", |problem| problem.code);
        let mend = "mend the lines above; `proofhouse workflow lint NAME` checks again".to_owned();
        Self::of(Blame::User, code, error.to_string(), mend)
    }
}
