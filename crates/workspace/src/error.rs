//! One error for everything that performs: whose it is, a stable code, what happened, how to mend it.

use kernel::Refusal;
use kernel::refusal::Whose;
use std::error::Error as Cause;
use std::sync::Arc;
use store::StoreError;

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

/// What code acts on when it meets an error. A code is a text for people and their scripts; nothing
/// here looks at one to find out what to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// Only to be told.
    #[default]
    Plain,
    /// Another process appended to the journal: what was read is old.
    JournalConflict,
    /// Another engine drives the run.
    RunBusy,
    /// An agent made something that cannot be taken back, whoever runs it.
    AgentsDoing,
    /// git ended with an error; it is `what` that says which.
    GitFailed,
}

/// What went wrong.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{what} [{code}]")]
pub struct Error {
    pub blame: Blame,
    /// Stable, snake_case.
    pub code: String,
    /// What, and where.
    pub what: String,
    /// How to mend it.
    pub mend: String,
    /// What code acts on.
    pub kind: Kind,
    /// What it follows from, as it was.
    #[source]
    source: Option<Arc<dyn Cause + Send + Sync>>,
}

/// What the crates that stand on this one call it.
pub type EngineError = Error;

/// Two errors are the same if they say the same.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let said = |one: &Self| (one.blame, one.kind);
        said(self) == said(other)
            && self.code == other.code
            && self.what == other.what
            && self.mend == other.mend
    }
}

impl Eq for Error {}

impl Error {
    /// The user's.
    pub fn user(code: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::of(Blame::User, code, what.into(), mend.into())
    }

    /// The environment's.
    pub fn environment(code: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::of(Blame::Environment, code, what.into(), mend.into())
    }

    /// Ours.
    pub fn bug(code: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::of(Blame::Bug, code, what.into(), mend.into())
    }

    fn of(blame: Blame, code: &str, what: String, mend: String) -> Self {
        Self {
            blame,
            code: code.to_owned(),
            what,
            mend,
            kind: Kind::Plain,
            source: None,
        }
    }

    /// The same, for code to act on.
    pub fn of_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// The same, with what it follows from.
    pub fn caused_by(self, source: impl Cause + Send + Sync + 'static) -> Self {
        Self {
            source: Some(Arc::new(source)),
            ..self
        }
    }

    /// What the system said of a file, if that is what it follows from.
    pub(crate) fn of_file(&self) -> Option<std::io::ErrorKind> {
        let mut cause = std::error::Error::source(self);
        while let Some(one) = cause {
            if let Some(error) = one.downcast_ref::<std::io::Error>() {
                return Some(error.kind());
            }
            cause = one.source();
        }
        None
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
            Self::environment("io", format!("{what}: {error}"), mend).caused_by(error)
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let (blame, kind) = match &error {
            StoreError::JournalConflict { .. } => (Blame::User, Kind::JournalConflict),
            StoreError::JournalMissing { .. }
            | StoreError::BadRunName { .. }
            | StoreError::JournalExists { .. } => (Blame::User, Kind::Plain),
            _ => (Blame::Environment, Kind::Plain),
        };
        let mend = error.mend().to_owned();
        Self::of(blame, error.code(), error.to_string(), mend)
            .of_kind(kind)
            .caused_by(error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let blame = match refusal.whose {
            Whose::Asker => Blame::User,
            Whose::Engine => Blame::Bug,
        };
        Self::of(blame, &refusal.code, refusal.what, refusal.mend)
    }
}

impl From<index::IndexError> for Error {
    fn from(error: index::IndexError) -> Self {
        let blame = match (&error, error.is_the_users()) {
            (index::IndexError::IndexFailed { .. }, _) => Blame::Bug,
            (_, true) => Blame::User,
            (_, false) => Blame::Environment,
        };
        let what = error.to_string();
        Self::of(blame, error.code(), what, error.mend().to_owned()).caused_by(error)
    }
}

impl From<sandbox::LaunchError> for Error {
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
        Self::of(blame, error.code(), what, mend.to_owned()).caused_by(error)
    }
}

impl From<agents::AgentError> for Error {
    fn from(error: agents::AgentError) -> Self {
        // Most of them say in their last clause what to do.
        let said = error.to_string();
        let (what, mend) = said.rsplit_once("; ").unwrap_or((
            &said,
            "correct the agent; docs/agents.md and docs/scripted-agent.md show how",
        ));
        let (what, mend) = (what.to_owned(), mend.to_owned());
        Self::of(Blame::User, error.code(), what, mend).caused_by(error)
    }
}

impl From<flow::LoadError> for Error {
    fn from(error: flow::LoadError) -> Self {
        let code = error
            .problems
            .first()
            .map_or("malformed_workflow", |problem| problem.code);
        let mend = "mend the lines above; `proofhouse workflow lint NAME` checks again".to_owned();
        Self::of(Blame::User, code, error.to_string(), mend).caused_by(error)
    }
}
