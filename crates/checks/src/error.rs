//! What goes wrong while a check reads, keeps or runs something. The text completes a sentence that
//! begins with the name of what was read: "repo/a.md is missing".

use std::error::Error as StdError;

/// What the engine answers when it cannot do something for a check.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Why something cannot be read, kept or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A path that could lead out of its folder.
    #[error("the path `{0}` must be relative, without `.` or `..`, and stay in its folder")]
    LeadsOut(String),
    /// A path in neither of the two folders.
    #[error("the path `{0}` must begin with `repo/` or `task/`")]
    NoFolder(String),
    /// There is nothing.
    #[error("is missing")]
    Missing,
    /// There is a link, here or on the way.
    #[error("is or lies behind a symlink")]
    Link,
    /// There is a folder, or something stranger.
    #[error("is not a regular file")]
    NotAFile,
    /// More than anybody reads.
    #[error("is larger than {0} MiB")]
    TooLarge(u64),
    /// The file system says no.
    #[error("cannot be read ({0})")]
    Io(#[from] std::io::Error),
    /// JSON was expected.
    #[error("is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// TOML was expected.
    #[error("is no TOML: {}", .0.message())]
    Toml(#[from] toml::de::Error),
    /// A glob was expected.
    #[error("`{}` is no glob: {}", .0.glob().unwrap_or_default(), .0.kind())]
    Glob(#[from] globset::Error),
    /// A manifest was expected.
    #[error(transparent)]
    Manifest(#[from] languages::manifests::NoManifest),
    /// A document does not say what it must.
    #[error(transparent)]
    Document(#[from] documents::Error),
    /// What was read does not say what it must.
    #[error("{0}")]
    Says(String),
    /// What is called takes or gives what no driver can make or read.
    #[error("no driver can carry the types of what is called: {0}")]
    Uncarried(String),
    /// Something is wrong with what has this name.
    #[error("{name} {source}")]
    Of {
        name: String,
        /// What is wrong.
        source: Box<Error>,
    },
    /// A program was not started.
    #[error(transparent)]
    NotStarted(#[from] sandbox::LaunchError),
    /// Something was not done.
    #[error("{what}: {source}")]
    Undone {
        /// What was not done.
        what: String,
        /// Why.
        source: BoxError,
    },
}

impl Error {
    /// The same of something with a name.
    pub(crate) fn of<E: Into<Error>>(name: &str) -> impl Fn(E) -> Error + Copy {
        move |source| Error::Of {
            name: name.to_owned(),
            source: Box::new(source.into()),
        }
    }

    /// Something that was not done, and why.
    pub(crate) fn undone<E: Into<BoxError>>(what: impl Into<String>) -> impl FnOnce(E) -> Error {
        let what = what.into();
        move |source| Error::Undone {
            what,
            source: source.into(),
        }
    }
}

impl From<String> for Error {
    fn from(what: String) -> Self {
        Error::Says(what)
    }
}

impl From<languages::runners::Unknown> for Error {
    fn from(why: languages::runners::Unknown) -> Self {
        Error::Says(why.to_string())
    }
}

impl From<&str> for Error {
    fn from(what: &str) -> Self {
        Error::Says(what.to_owned())
    }
}
