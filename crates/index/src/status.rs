//! An entry's status, and the one way it goes: from SHIPPED to DEPRECATED or SUPERSEDED, and never
//! back (sections 14.1 and 19.5).

use serde::{Deserialize, Serialize};

/// Section 14.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Fit for reuse.
    Shipped,
    /// Not to be used for new work.
    Deprecated,
    /// Another entry stands in for it.
    Superseded,
}

impl Status {
    /// As the document writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Shipped => "SHIPPED",
            Status::Deprecated => "DEPRECATED",
            Status::Superseded => "SUPERSEDED",
        }
    }

    /// Reads what [`Status::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Status::Shipped, Status::Deprecated, Status::Superseded]
            .into_iter()
            .find(|status| status.as_str() == text)
    }

    /// Found by a search that does not ask for more.
    pub fn is_active(self) -> bool {
        self == Status::Shipped
    }
}
