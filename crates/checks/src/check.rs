//! What a check is to whoever runs it, and the examples that it must carry. How one is written is in
//! `judge.rs`.

use crate::Subject;
use crate::settings::{Setting, SettingsError};
use kernel::outcome::{CheckResult, Verdict};
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
    /// What passes, what fails and what cannot run, as data that the tests try.
    fn examples(&self) -> Vec<Example>;
}

/// One worked example of a check: a world, settings, and the answer.
#[derive(Debug, Clone)]
pub struct Example {
    /// What it shows.
    pub name: &'static str,
    /// Files laid down in the repository: path and content.
    pub repo: &'static [(&'static str, &'static str)],
    /// Files laid down in the task folder.
    pub task: &'static [(&'static str, &'static str)],
    /// Fields now.
    pub fields: &'static [(&'static str, &'static str)],
    /// Fields before the attempt.
    pub fields_before: &'static [(&'static str, &'static str)],
    /// Tree hashes before and after the attempt.
    pub trees: (&'static str, &'static str),
    /// What the attempt changed.
    pub changed: &'static [&'static str],
    /// The agent's result.
    pub result: Option<Value>,
    /// The last results of other roles.
    pub results: Vec<(&'static str, Value)>,
    /// The validation commands that a human set.
    pub commands: &'static [&'static str],
    /// What earlier gates froze: name, item, content.
    pub frozen: &'static [(&'static str, &'static str, &'static str)],
    /// States whose gates passed.
    pub standing: &'static [&'static str],
    /// Names that the run has given out: kind and name.
    pub known: &'static [(&'static str, &'static str)],
    /// Evidence that earlier gates of the run kept: name and content, oldest first.
    pub earlier: &'static [(&'static str, &'static str)],
    /// The repository as the checkpoint behind the state `tests` holds it.
    pub before: &'static [(&'static str, &'static str)],
    /// The check's settings.
    pub with: Value,
    /// The verdict of the first result that does not pass, or pass.
    pub expect: Verdict,
    /// Text that the reason of that result contains.
    pub reason: &'static str,
}

impl Example {
    /// An empty world in which the check passes.
    pub fn passes(name: &'static str, with: Value, reason: &'static str) -> Self {
        Self::of(name, with, reason, Verdict::Pass)
    }

    /// An empty world in which the check fails.
    pub fn fails(name: &'static str, with: Value, reason: &'static str) -> Self {
        Self::of(name, with, reason, Verdict::Fail)
    }

    /// An empty world in which the check cannot be tried.
    pub fn cannot_run(name: &'static str, with: Value, reason: &'static str) -> Self {
        Self::of(name, with, reason, Verdict::CouldNotRun)
    }

    fn of(name: &'static str, with: Value, reason: &'static str, expect: Verdict) -> Self {
        Self {
            name,
            repo: &[],
            task: &[],
            fields: &[],
            fields_before: &[],
            trees: ("same", "same"),
            changed: &[],
            result: None,
            results: Vec::new(),
            commands: &[],
            frozen: &[],
            standing: &[],
            known: &[],
            earlier: &[],
            before: &[],
            with,
            expect,
            reason,
        }
    }
}
