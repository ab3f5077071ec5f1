//! What a check is to whoever runs it. How one is written is in `judge.rs`.

use crate::Subject;
use crate::settings::{Setting, SettingsError};
use kernel::outcome::CheckResult;
use serde_json::Value;

/// One gate check, behind whatever its settings are read into.
pub trait Check {
    /// Its name in workflow files.
    fn name(&self) -> &'static str;
    /// All settings that it knows.
    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }
    /// Refuses bad settings when the workflow is loaded, long before a run meets them.
    fn lint(&self, _with: &Value) -> Result<(), SettingsError> {
        Ok(())
    }
    /// Judges. At least one result.
    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult>;
}
