//! A spec as a person reads it before they decide.

use factory::Deficiency;
use factory::product::At;
use serde::Serialize;
use serde_json::Value;

/// Everything about a spec that a person may want to see.
#[derive(Debug, Clone, Serialize)]
pub struct Review {
    pub project: String,
    /// `drafting`, `judging`, `shown`, `spent` or `approved`.
    pub at: At,
    /// The hash of what waits for a decision, or was approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The spec itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<Value>,
    /// The spec as people read it, with warnings and sources.
    pub page: String,
    /// What a person should know.
    pub warnings: Vec<Deficiency>,
    /// What is wrong with a draft that is not complete.
    pub deficiencies: Vec<String>,
    /// What was looked up.
    pub sources: Vec<String>,
    /// AMENDs in a row.
    pub amends: usize,
    /// The advice of rule F3.2.4, once it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// What may be decided now.
    pub options: Vec<String>,
}
