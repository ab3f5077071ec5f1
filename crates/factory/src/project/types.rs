//! Ids of the project's things as types of their own, so that a module can never be passed for a
//! task. Ids that rule F8.2 wants random are derived from the run and the thing: a machine that
//! is replayed must give the same ones again.

use kernel::name;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use kernel::module::{ModuleId, ModuleRef, Version};

name!(
    /// A task: `T-{pillar}-{epic}-{story}-{seq}`.
    TaskId
);
name!(
    /// An escalation: `ESC-` and eight hexadecimal digits.
    EscalationId
);
name!(
    /// An interface change exception: `ICE-` and eight hexadecimal digits.
    ExceptionId
);

/// An id `PREFIX-` and eight hexadecimal digits that follows from the run and the thing named.
pub fn mint(prefix: &str, run: &str, thing: &str) -> String {
    let mut hash = Sha256::new();
    for part in [prefix, run, thing] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let hex: String = digest[..4].iter().map(|b| format!("{b:02x}")).collect();
    format!("{prefix}-{hex}")
}

/// What a view says about the project as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    /// The project's id.
    pub project_id: String,
    /// The version of the spec that drives it.
    pub spec_version: String,
}
