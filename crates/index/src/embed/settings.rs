//! Where an endpoint is and where its key lies, as the user says.

use super::key::KeySource;

/// The user's settings for endpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The address that `/embeddings` is below.
    pub url: String,
    /// Where the key is.
    pub key: KeySource,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            url: "https://api.openai.com/v1".to_owned(),
            key: KeySource::Variable("OPENAI_API_KEY".to_owned()),
        }
    }
}
