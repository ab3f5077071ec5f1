//! Which files an attempt may change, for agents that ask before they do. Pure: a path in, a refusal
//! out.

use crate::agent::Order;
use crate::external::place::Place;
use crate::home::Home;
use kernel::effect::Access;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folders that an attempt may change.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    may_edit: Vec<PathBuf>,
    repo: PathBuf,
}

impl Gate {
    /// The gate of an order: the task and the result's folder, and the repository where the role may
    /// edit it. The agent may see them under their true names too.
    pub(crate) fn of(order: &Order, place: &Place) -> Self {
        let mut may_edit = vec![place.task.clone()];
        if order.access == Access::Edit {
            may_edit.push(place.repo.clone());
        }
        may_edit.extend(Home::of(order).result().parent().map(Path::to_path_buf));
        let real: Vec<PathBuf> = may_edit
            .iter()
            .filter_map(|folder| fs::canonicalize(folder).ok())
            .collect();
        may_edit.extend(real);
        Self {
            may_edit,
            repo: place.repo.clone(),
        }
    }

    /// Why a file may not be changed, if so. A relative path is one in the repository.
    pub(crate) fn path(&self, path: &str) -> Option<String> {
        let path = plain(&self.repo.join(path));
        let may = self.may_edit.iter().any(|folder| path.starts_with(folder));
        (!may).then(|| format!("this role may not write {}", path.display()))
    }
}

/// Without `.` and `..`, so that a path cannot walk out of the folder that it begins with.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
