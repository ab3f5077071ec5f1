//! What a person may decide about a project, by name. The six resolutions of a task are
//! `escalation::Action`.

use crate::halt::exception::Ruling;

/// The spec is accepted as it was shown.
pub const APPROVE: &str = "APPROVE";
/// The spec is discarded; the loop starts again.
pub const REJECT: &str = "REJECT";
/// The spec is to be changed.
pub const AMEND: &str = "AMEND";
/// Extends the budget that is spent.
pub const EXTEND: &str = "extend";
/// Tries again what the environment could not run.
pub const RETRY: &str = "retry";
/// Releases the named modules, or everything.
pub const RELEASE: &str = "RELEASE";
/// Deprecates a module.
pub const DEPRECATE: &str = "DEPRECATE";
/// The rulings on an exception.
pub const RULINGS: [(&str, Ruling); 3] = [
    ("APPROVE_CHANGE", Ruling::ApproveChange),
    ("REJECT_CHANGE", Ruling::RejectChange),
    ("DEFER", Ruling::Defer),
];
