//! What is wrong with a document. The text completes a sentence that begins with its name: "repo/a.md has no
//! heading `Scope`".

/// Why a document does not say what it must.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// JSON was expected.
    #[error("is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A regular expression was expected.
    #[error("`{text}` is no regular expression: {}", last_line(source))]
    Expression {
        /// What stands there.
        text: String,
        /// Why.
        source: regex::Error,
    },
    /// What was read does not say what it must.
    #[error("{0}")]
    Says(String),
}

fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().to_owned()
}

impl From<String> for Error {
    fn from(what: String) -> Self {
        Error::Says(what)
    }
}

impl From<&str> for Error {
    fn from(what: &str) -> Self {
        Error::Says(what.to_owned())
    }
}
