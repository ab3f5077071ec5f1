//! What a check is to whoever runs it. How one is written is in `judge.rs`.

use crate::Subject;
use crate::settings::{Setting, SettingsError};
use kernel::outcome::CheckResult;
use serde_json::Value;

/// One gate check, behind whatever its settings are read into.
pub trait Check: Sync {
    /// Its name in workflow files.
    fn name(&self) -> &'static str;
    /// All settings that it knows.
    fn settings(&self) -> Vec<Setting>;
    /// Refuses bad settings when the workflow is loaded, long before a run meets them.
    fn lint(&self, with: &Value) -> Result<(), SettingsError>;
    /// Judges. At least one result.
    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult>;
}
