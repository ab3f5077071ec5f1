//! Why a model's folder cannot be used: which file, and what is wrong with it.

/// Why a model's folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    /// The folder itself cannot be found.
    #[error("{0}")]
    Folder(#[source] std::io::Error),
    /// A file cannot be read.
    #[error("{file}: {source}")]
    Unreadable {
        file: String,
        source: std::io::Error,
    },
    /// A file is not JSON, or not of the form that it should have.
    #[error("{file}: {source}")]
    Json {
        file: &'static str,
        source: serde_json::Error,
    },
    /// The vocabulary is no text.
    #[error("vocab.txt: {0}")]
    Text(#[from] std::str::Utf8Error),
    /// A file says what would be computed wrongly.
    #[error("{file}: {why}")]
    Unfit { file: &'static str, why: String },
    /// An array of the weights is not what the network needs.
    #[error("model.safetensors: {name}: {why}")]
    Array { name: String, why: String },
    /// The model is of more parts than are known here.
    #[error("it has a layer after pooling (2_Dense), which is not known here")]
    MoreLayers,
}

impl ModelError {
    pub(super) fn json(file: &'static str) -> impl Fn(serde_json::Error) -> Self {
        move |source| Self::Json { file, source }
    }

    pub(super) fn unfit(file: &'static str, why: impl Into<String>) -> Self {
        let why = why.into();
        Self::Unfit { file, why }
    }
}
