//! The judged tree as checks know it.

use std::collections::BTreeMap;

/// The repository's tree at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeNow {
    /// Hash of the whole.
    pub hash: String,
    /// Hash of each file, by path.
    pub files: BTreeMap<String, String>,
}
