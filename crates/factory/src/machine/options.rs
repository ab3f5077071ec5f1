//! What people may say to a project, as words.

/// Extends the budget that is spent.
pub const EXTEND: &str = "extend";
/// Tries again what the environment could not run.
pub const RETRY: &str = "retry";
/// Releases the named modules, or everything.
pub const RELEASE: &str = "RELEASE";
/// Deprecates a module.
pub const DEPRECATE: &str = "DEPRECATE";
