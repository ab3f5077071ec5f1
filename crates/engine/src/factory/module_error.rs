//! Why a module of the state store cannot be taken as it stands, with what that follows from.

use ::factory::project::ModuleRef;
use languages::Unread;
use workspace::error::EngineError;

#[derive(Debug, thiserror::Error)]
pub(super) enum ModuleError {
    #[error("{place}: {source}")]
    File {
        place: String,
        source: std::io::Error,
    },
    #[error("{place}: {source}")]
    Json {
        place: String,
        source: serde_json::Error,
    },
    #[error("{place}: {problems}")]
    Document { place: String, problems: String },
    #[error("there is no document {0}")]
    NoDocument(&'static str),
    #[error("contract.json is that of {contract}, and the module is {module}")]
    OtherContract { contract: String, module: ModuleRef },
    #[error("{0} is no plain file")]
    NotPlain(String),
    /// `when` says between which two looks.
    #[error("changed {when}: {}", names.join(", "))]
    Changed {
        when: &'static str,
        names: Vec<String>,
    },
    #[error("{module} is used, and its seal is broken: {}", names.join(", "))]
    SealBroken {
        module: ModuleRef,
        names: Vec<String>,
    },
    #[error("{0} has no tests/")]
    NoTests(ModuleRef),
    #[error("{module}: {source}")]
    NoLanguage { module: ModuleRef, source: Unread },
    #[error("{module} is in {language}, and a module in {wanted} cannot use it")]
    OtherLanguage {
        module: ModuleRef,
        language: &'static str,
        wanted: &'static str,
    },
    #[error("no shipped module is {0}")]
    NotShipped(String),
    #[error(transparent)]
    Dependency(#[from] kernel::module::Malformed),
    #[error(transparent)]
    Store(#[from] store::StoreError),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ModuleError {
    /// For a file: where it is, in words.
    pub(super) fn file(place: impl ToString) -> impl FnOnce(std::io::Error) -> Self {
        let place = place.to_string();
        move |source| Self::File { place, source }
    }
}
