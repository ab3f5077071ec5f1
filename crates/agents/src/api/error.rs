//! Why a model cannot be used: each with its mend.

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// There is no key.
    #[error("there is no API key in {place}; {mend}")]
    NoKey {
        /// Where it was looked for.
        place: String,
        /// What to do.
        mend: &'static str,
    },
    /// Nobody knows what the model costs.
    #[error(
        "the price of `{model}` is not known, so no budget could hold; add it to the prices (docs/agents.md, API models)"
    )]
    NoPrice { model: String },
    /// The URL is not one.
    #[error(
        "`{url}` is not a base URL; write something like https://host/v1 or http://localhost:11434/v1, without a password or a query: keys go into the environment or a key file"
    )]
    BadUrl {
        /// What was written, without what may be secret in it.
        url: String,
    },
    /// The key would travel in the clear.
    #[error("the key would go to `{url}` unencrypted; use https, or settings without a key")]
    Unencrypted {
        /// Where to.
        url: String,
    },
}

impl ApiError {
    /// The error's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ApiError::NoKey { .. } => "agent_no_key",
            ApiError::NoPrice { .. } => "agent_no_price",
            ApiError::BadUrl { .. } => "agent_bad_url",
            ApiError::Unencrypted { .. } => "agent_unencrypted",
        }
    }
}
