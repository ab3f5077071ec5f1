//! The task folder of a fork: as it was kept last by then, and what was frozen by then as it was frozen.

use super::{Before, NewFork};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use workspace::context::task_folder;
use workspace::error::EngineError;
use workspace::project::Project;
use workspace::records;

/// Records are kept when a run stops, and a gate may have frozen a document since the last stop: then it is taken
/// from the other run, if that has it still.
pub(super) fn documents(
    project: &Project,
    asked: &NewFork,
    before: &Before,
) -> Result<BTreeMap<String, Vec<u8>>, EngineError> {
    if !before.started.task.starts_with(".proofhouse") {
        // It is part of the work.
        return Ok(BTreeMap::new());
    }
    // Of this call alone: a page asks whether it can be forked while somebody forks it.
    let call = (std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed));
    let scratch = project
        .work(&asked.run)
        .join(format!("fork-{}-{}", call.0, call.1));
    let _ = store::remove_tree(&scratch);
    let found = as_frozen(project, asked, before, &scratch);
    let _ = store::remove_tree(&scratch);
    found
}

static CALLS: AtomicU64 = AtomicU64::new(0);

fn as_frozen(
    project: &Project,
    asked: &NewFork,
    before: &Before,
    scratch: &Path,
) -> Result<BTreeMap<String, Vec<u8>>, EngineError> {
    let mut files = records::task_files_at(project, &asked.run, asked.at)?;
    let parent = project.of_run(&asked.run);
    let now = task_folder(&parent, &before.started);
    for (path, bytes) in &files {
        put(scratch, path, bytes)?;
    }
    let (file, lines) = report::views::engine_lines(before.machine.workflow());
    let place = checks::Place {
        repo: parent.repo(),
        installed: project.top(),
        task: scratch,
        views: checks::Views {
            file,
            lines: &lines,
        },
    };
    let mut lost = None;
    for (item, hash) in before.machine.sealed() {
        let Some(path) = item
            .strip_prefix("task/")
            .filter(|path| !path.ends_with('/'))
        else {
            continue;
        };
        let is_so = || checks::item_hash(place, &item).is_ok_and(|found| found == hash);
        if is_so() {
            continue;
        }
        let path = path.split('#').next().unwrap_or(path);
        let there = now.join(path);
        let plain = there.symlink_metadata().is_ok_and(|it| it.is_file());
        if plain && let Ok(bytes) = std::fs::read(&there) {
            put(scratch, path, &bytes)?;
            files.insert(path.to_owned(), bytes);
        }
        if !is_so() {
            lost = Some(path.to_owned());
        }
    }
    let Some(path) = lost else {
        return Ok(files);
    };
    let (run, at) = (&asked.run, asked.at);
    Err(EngineError::user(
        "fork_document",
        format!(
            "`{path}` was frozen at record {at} of `{run}`, is another by now, and no records were kept that have it"
        ),
        format!(
            "fork at a record before it was frozen, or at one behind the next stop of the run (`proofhouse log {run}`)"
        ),
    ))
}

/// Writes a file below a folder.
pub(super) fn put(folder: &Path, path: &str, bytes: &[u8]) -> Result<(), EngineError> {
    let path = folder.join(path);
    let parent = path.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
    Ok(store::write_atomic(&path, bytes)?)
}
