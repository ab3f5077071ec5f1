//! How much a run may decide by itself: the ladder, the pace and the declared risk.

use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The ordered ladder. `manual` and `conservative` both stop for a person before completing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// The person owns every completing decision; the engine proposes only.
    Manual,
    /// All the work, then a stop before completing.
    Conservative,
    /// Completes on evidence alone.
    #[default]
    Auto,
}

/// Whether the run stops after every passed gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Goes on by itself.
    #[default]
    Flowing,
    /// Pauses after each passed gate until a person says `continue`.
    Stepped,
}

/// The risk that a person declared. The engine never guesses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Ordinary, well-tested scope.
    #[default]
    Normal,
    /// A wrong but plausible result is expensive or hard to reverse.
    High,
}

/// The part of a run's character that never changes while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
pub struct Mode {
    /// Stepped or flowing.
    pub pace: Pace,
    /// Declared risk.
    pub risk: Risk,
}

/// What evidence is good for, under `auto`, of which nothing shows that it could have failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Weak {
    /// The run completes on it, as all runs of older journals do.
    #[default]
    Suffices,
    /// A person is asked.
    Asks,
}

impl Weak {
    /// Is it as in older journals, which have no such member?
    pub fn suffices(&self) -> bool {
        *self == Self::Suffices
    }
}

/// What the ladder says about completing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// The engine may complete on evidence.
    OnEvidence,
    /// A person must approve first.
    NeedsApproval,
}

impl Autonomy {
    /// Every rung, lowest first.
    pub const ALL: [Autonomy; 3] = [Autonomy::Manual, Autonomy::Conservative, Autonomy::Auto];

    /// The rung's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Autonomy::Manual => "manual",
            Autonomy::Conservative => "conservative",
            Autonomy::Auto => "auto",
        }
    }

    /// May a run on this rung complete? High risk under `auto` is refused outright; stopping never
    /// comes here, because stopping is never blocked.
    pub fn completion(self, risk: Risk) -> Result<Completion, Refusal> {
        match (self, risk) {
            (Autonomy::Auto, Risk::Normal) => Ok(Completion::OnEvidence),
            (Autonomy::Auto, Risk::High) => Err(Refusal::new(
                "unguarded_high_risk_auto",
                "the run declares `risk: high` and `autonomy: auto`, so it may not complete by itself",
                "lower the autonomy: `proofhouse decide RUN lower --because ...` sets `conservative`, and a person then approves",
            )),
            (Autonomy::Manual | Autonomy::Conservative, _) => Ok(Completion::NeedsApproval),
        }
    }
}

impl Pace {
    /// Both paces.
    pub const ALL: [Pace; 2] = [Pace::Flowing, Pace::Stepped];
}

impl Risk {
    /// Both risks.
    pub const ALL: [Risk; 2] = [Risk::Normal, Risk::High];
}

impl fmt::Display for Autonomy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_is_ordered() {
        assert!(
            Autonomy::Manual < Autonomy::Conservative && Autonomy::Conservative < Autonomy::Auto
        );
    }

    #[test]
    fn high_risk_never_completes_under_auto() {
        let refusal = Autonomy::Auto.completion(Risk::High).unwrap_err();
        assert_eq!(refusal.code, "unguarded_high_risk_auto");
        for rung in [Autonomy::Manual, Autonomy::Conservative] {
            assert_eq!(rung.completion(Risk::High), Ok(Completion::NeedsApproval));
        }
        assert_eq!(
            Autonomy::Auto.completion(Risk::Normal),
            Ok(Completion::OnEvidence)
        );
    }
}
