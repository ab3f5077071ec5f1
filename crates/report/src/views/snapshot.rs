//! Context snapshots on disk: one read-only file each, and one file that holds the latest. The
//! journal has their texts. It does not go on over an old snapshot that was edited or deleted, and
//! over one that the journal does not know; it never writes over either in silence.

use crate::history::History;
use kernel::snapshot::SnapshotTaken;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use workspace::context::Context;
use workspace::error::EngineError;

/// What is wrong with one file.
pub struct Wrong {
    /// Stable, snake_case.
    pub code: &'static str,
    /// What, and where.
    pub what: String,
    path: PathBuf,
}

/// Writes what is missing of the newest, after everything else was found as it was written.
pub(super) fn write(context: &Context, history: &History) -> Result<(), EngineError> {
    let Some(spec) = &context.workflow.snapshot else {
        return Ok(());
    };
    if let Some(wrong) = faults(&context.task, &spec.folder, &history.snapshots())?.first() {
        return Err(EngineError::user(
            wrong.code,
            wrong.what.clone(),
            format!(
                "a snapshot is never edited: put it back, or let `proofhouse run {} --restore-views` write it anew from the journal (yours is kept beside it)",
                context.run
            ),
        ));
    }
    let Some(latest) = history.snapshots().pop() else {
        return Ok(());
    };
    lay_down(&context.task, latest)?;
    let alias = context.task.join(&spec.latest);
    let same = std::fs::read(&alias).is_ok_and(|found| found == latest.text.as_bytes());
    if !same {
        store::write_atomic(&alias, latest.text.as_bytes())?;
    }
    Ok(())
}

fn lay_down(task: &Path, taken: &SnapshotTaken) -> Result<(), EngineError> {
    let path = task.join(&taken.file);
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    store::write_atomic(&path, taken.text.as_bytes())?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444))
        .map_err(EngineError::io("set the mode of", &path))
}

/// Everything on disk that is not as the journal has it. Only the newest may be missing: the engine
/// may have died before it wrote the file.
pub fn faults(
    task: &Path,
    folder: &str,
    taken: &[&SnapshotTaken],
) -> Result<Vec<Wrong>, EngineError> {
    let mut wrong = Vec::new();
    for (index, one) in taken.iter().enumerate() {
        let path = task.join(&one.file);
        let newest = index + 1 == taken.len();
        let plain = path.symlink_metadata().map(|found| found.is_file());
        let what = match plain {
            Err(_) if newest => continue,
            Err(_) => "is missing",
            Ok(false) => "is no regular file any more",
            Ok(true) => match std::fs::read(&path) {
                Ok(bytes) if store::sha256_hex(&bytes) == one.hash => continue,
                _ => "was edited",
            },
        };
        let what = format!("the snapshot {} {what}", path.display());
        wrong.push(Wrong {
            code: "snapshot_edited",
            what,
            path,
        });
    }
    let folder = task.join(folder);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(wrong),
        Err(error) => return Err(EngineError::io("read", &folder)(error)),
    };
    for entry in entries {
        let path = entry.map_err(EngineError::io("read", &folder))?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let claims = name.starts_with("iter-") && name.ends_with(".md");
        if claims && !taken.iter().any(|one| task.join(&one.file) == path) {
            let what = format!("the engine never took the snapshot {}", path.display());
            wrong.push(Wrong {
                code: "snapshot_forged",
                what,
                path,
            });
        }
    }
    Ok(wrong)
}

/// Writes all of them anew from the journal; what is in the way is kept beside.
pub(super) fn restore(context: &Context, history: &History) -> Result<(), EngineError> {
    let Some(spec) = &context.workflow.snapshot else {
        return Ok(());
    };
    for wrong in faults(&context.task, &spec.folder, &history.snapshots())? {
        let path = wrong.path;
        if path.symlink_metadata().is_err() {
            continue;
        }
        let beside = (1..)
            .map(|serial| path.with_extension(format!("md.kept-{serial}")))
            .find(|beside| beside.symlink_metadata().is_err());
        if let Some(beside) = beside {
            std::fs::rename(&path, &beside).map_err(EngineError::io("keep", &path))?;
        }
    }
    for taken in history.snapshots() {
        lay_down(&context.task, taken)?;
    }
    Ok(())
}
