//! Many files at once: written beside their places, made durable together, and moved in one by one.
//! Each file for itself would wait for the disk twice, and thousands of them for a quarter of an hour.
//!
//! It does not move anything in that a power cut could still empty.

use super::{Change, Root};
use crate::context::Context;
use crate::error::Error;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use store::Node;

/// Fewer are written one by one.
const MANY: usize = 64;

/// Contents that wait for their places.
#[derive(Default)]
pub(super) struct Stage {
    folder: Option<PathBuf>,
    files: BTreeMap<String, PathBuf>,
}

impl Stage {
    /// Stages what of the changes can be; where there is little, or it cannot be moved, nothing.
    pub(super) fn of(context: &Context, home: &Path, changes: &[&Change]) -> Result<Self, Error> {
        let mut stage = Self::default();
        let roots = [
            (Root::Repo, context.project.repo()),
            (Root::Task, &context.task),
        ];
        let near = |change: &&&Change| {
            let root = roots.iter().find(|(root, _)| *root == change.root);
            root.is_some_and(|(_, root)| same_disk(root, home))
        };
        let plain = |change: &&&Change| {
            matches!(
                change.after,
                Some(Node::File { .. } | Node::Executable { .. })
            )
        };
        let all: Vec<&&Change> = changes.iter().filter(plain).filter(near).collect();
        if all.len() < MANY || !can_sync() {
            return Ok(stage);
        }
        let folder = home.join("stage");
        store::remove_tree(&folder).map_err(Error::io("clear", &folder))?;
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        for (number, change) in all.into_iter().enumerate() {
            let (from, to) = (
                home.join("view").join(change.name()),
                folder.join(number.to_string()),
            );
            fs::copy(&from, &to).map_err(Error::io("copy", &from))?;
            let mode = fs::Permissions::from_mode(mode(change));
            fs::set_permissions(&to, mode).map_err(Error::io("set the mode of", &to))?;
            stage.files.insert(change.name(), to);
        }
        stage.folder = Some(folder);
        stage.sync()?;
        Ok(stage)
    }

    /// The file that waits for this place.
    pub(super) fn waiting(&self, change: &Change) -> Option<&Path> {
        self.files.get(&change.name()).map(PathBuf::as_path)
    }

    /// Makes the places durable, and clears up.
    pub(super) fn done(self) -> Result<(), Error> {
        self.sync()?;
        match &self.folder {
            Some(folder) => store::remove_tree(folder).map_err(Error::io("clear", folder)),
            None => Ok(()),
        }
    }

    #[cfg(target_os = "linux")]
    fn sync(&self) -> Result<(), Error> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        fs::File::open(folder)
            .and_then(|open| Ok(rustix::fs::syncfs(open)?))
            .map_err(Error::io("sync", folder))
    }

    #[cfg(not(target_os = "linux"))]
    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The mode that a file has after it was taken.
pub(super) fn mode(change: &Change) -> u32 {
    match change.after {
        Some(Node::Executable { .. }) => 0o755,
        _ => 0o644,
    }
}

fn can_sync() -> bool {
    cfg!(target_os = "linux")
}

fn same_disk(one: &Path, other: &Path) -> bool {
    let disk = |path: &Path| path.metadata().map(|found| found.dev()).ok();
    disk(one).is_some() && disk(one) == disk(other)
}
