//! The task folder around a gate whose commands nothing holds back, because a person waived the
//! sandbox. It refuses to let what a command wrote there pass for a person's edit: the folder is made
//! what it was, what was found goes into the vault first, and the gate fails.

use kernel::outcome::{CheckResult, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use workspace::context::Context;
use workspace::error::EngineError;

/// The folder's texts before the gate.
pub(super) struct TaskGuard {
    before: BTreeMap<PathBuf, Vec<u8>>,
}

/// More than this is no task's document; it is left out, and nothing reads it as an edit.
const LARGEST: u64 = 4 << 20;

impl TaskGuard {
    /// As the folder is now.
    pub(super) fn of(context: &Context) -> Result<Self, EngineError> {
        let before = texts(context)?;
        Ok(Self { before })
    }

    /// Makes the folder what it was; an answer if it was not.
    pub(super) fn settle(&self, context: &Context) -> Result<Option<CheckResult>, EngineError> {
        let after = texts(context)?;
        let (mut changed, mut evidence) = (Vec::new(), Vec::new());
        for path in self.before.keys().chain(after.keys()) {
            let (old, new) = (self.before.get(path), after.get(path));
            let name = path.display().to_string();
            if old == new || changed.contains(&name) {
                continue;
            }
            if let Some(new) = new {
                let label = format!("written to the task by a gate: {name}");
                evidence.push(context.keep(&label, new)?);
            }
            let real = context.task.join(path);
            match old {
                Some(old) => store::write_atomic(&real, old)?,
                None => std::fs::remove_file(&real).map_err(EngineError::io("delete", &real))?,
            }
            changed.push(name);
        }
        if changed.is_empty() {
            return Ok(None);
        }
        let why = format!(
            "the task folder was changed while the commands ran, without a sandbox to hold them back: {}; it is as it was, and what was found is kept",
            changed.join(", ")
        );
        let mut result = CheckResult::new("engine: task folder", Verdict::Fail, why);
        result.code = Some("task_changed_by_gate".to_owned());
        result.evidence = evidence;
        Ok(Some(result))
    }
}

/// Every regular file, without those that the engine itself writes at any time.
fn texts(context: &Context) -> Result<BTreeMap<PathBuf, Vec<u8>>, EngineError> {
    let page = context
        .workflow
        .task
        .as_ref()
        .and_then(|task| task.evidence_page.as_deref());
    let ours = page.and_then(|page| Path::new(page).parent());
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let real = context.task.join(&folder);
        for entry in std::fs::read_dir(&real).map_err(EngineError::io("read", &real))? {
            let entry = entry.map_err(EngineError::io("read", &real))?;
            let path = folder.join(entry.file_name());
            let data = entry.metadata().map_err(EngineError::io("read", &real))?;
            if Some(path.as_path()) == ours.filter(|ours| !ours.as_os_str().is_empty()) {
                continue;
            }
            if data.is_dir() {
                folders.push(path);
            } else if data.is_file() && data.len() <= LARGEST {
                let real = entry.path();
                let bytes = std::fs::read(&real).map_err(EngineError::io("read", &real))?;
                found.insert(path, bytes);
            }
        }
    }
    Ok(found)
}
