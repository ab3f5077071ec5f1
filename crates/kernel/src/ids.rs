//! Names and ids as types of their own, so that a state can never be passed for an action. Their text
//! is shared: exploration clones millions of them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Makes a name a type of its own. For machines beside this crate too: a task and a module are no
/// more to be confused than a state and an action.
#[macro_export]
macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $type(std::sync::Arc<str>);

        impl $type {
            /// Wraps a name as it is; loaders decide what a good name looks like.
            pub fn new(name: impl AsRef<str>) -> Self {
                Self(name.as_ref().into())
            }
            /// The bare text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl From<&str> for $type {
            fn from(name: &str) -> Self {
                Self(name.into())
            }
        }
        impl std::borrow::Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(
    /// One run of one workflow.
    RunId
);
name!(
    /// A state of a workflow.
    StateName
);
name!(
    /// A named transition of a workflow.
    ActionName
);
name!(
    /// A named counter (budget) of a workflow or a run.
    CounterName
);
name!(
    /// A word that a gate's checks show, for the table to branch on.
    Word
);

/// The serial number of an effect within its run. Never given twice, so a late answer to an old
/// effect cannot be mistaken for an answer to the present one.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct EffectId(pub u32);

impl EffectId {
    /// The id after this one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for EffectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{:04}", self.0)
    }
}
