//! What a step of a ship or a release found: that it holds, that it does not, or that it could not be
//! tried. Every step says it in these words, and none needs to know the others for it.

use super::module_error::ModuleError;
use ::factory::contract::BadBump;
use kernel::effect::GateOrder;
use kernel::outcome::{CheckResult, EvidenceRef, Ran, UNHELD, Verdict};
use languages::Unread;
use sandbox::Cancel;
use workspace::context::Context;

/// What every check of the factory is given.
pub(super) struct Given<'a> {
    pub(super) context: &'a Context,
    pub(super) order: &'a GateOrder,
    pub(super) cancel: &'a Cancel,
}

/// What a step found: a sentence, and what it rests on.
pub(super) struct Held {
    pub(super) reason: String,
    pub(super) evidence: Vec<EvidenceRef>,
    /// What was run for it, with what that was refused.
    pub(super) ran: Option<Box<Ran>>,
}

impl From<String> for Held {
    fn from(reason: String) -> Self {
        Self {
            reason,
            evidence: Vec::new(),
            ran: None,
        }
    }
}

/// Why a step does not hold, or could not be tried.
pub(super) struct Broke {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    pub(super) evidence: Vec<EvidenceRef>,
    /// As in [`Held::ran`].
    pub(super) ran: Option<Box<Ran>>,
    /// A stable code, where there is one: who has no sandbox is not sent to mend the module.
    pub(super) code: Option<String>,
}

impl From<String> for Broke {
    fn from(reason: String) -> Self {
        Self {
            verdict: Verdict::Fail,
            reason,
            evidence: Vec::new(),
            ran: None,
            code: None,
        }
    }
}

impl From<ModuleError> for Broke {
    fn from(error: ModuleError) -> Self {
        Self::from(error.to_string())
    }
}

impl From<Unread> for Broke {
    fn from(error: Unread) -> Self {
        Self::from(error.to_string())
    }
}

impl From<BadBump> for Broke {
    fn from(error: BadBump) -> Self {
        Self::from(error.to_string())
    }
}

impl Broke {
    /// For what a check of the engine's found.
    pub(super) fn by(result: &CheckResult, verdict: Verdict, reason: String) -> Self {
        Self {
            verdict,
            reason,
            evidence: result.evidence.clone(),
            ran: result.ran.clone().map(Box::new),
            code: result.code.clone(),
        }
    }
}

/// A process that was not started. `what` says it for people.
pub(super) fn not_started(error: &sandbox::LaunchError, what: String) -> Broke {
    let unheld = matches!(error, sandbox::LaunchError::SandboxUnavailable { .. });
    Broke {
        code: unheld.then(|| UNHELD.to_owned()),
        ..could_not(what)
    }
}

/// The environment's fault, not the module's.
pub(super) fn could_not(reason: impl ToString) -> Broke {
    Broke {
        verdict: Verdict::CouldNotRun,
        reason: reason.to_string(),
        evidence: Vec::new(),
        ran: None,
        code: None,
    }
}
