//! Folders with nothing in them.

use crate::error::Error;
use std::fs;
use std::path::Path;

/// Removes a folder with nothing but folders in it; the system refuses any other.
pub(crate) fn remove_emptied(folder: &Path) -> Result<(), Error> {
    let mut folders = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(here) = folders.get(next).cloned() {
        let entries = fs::read_dir(&here).map_err(Error::io("read", &here))?;
        let inside = entries.flatten().map(|entry| entry.path());
        folders.extend(inside);
        next += 1;
    }
    for folder in folders.iter().rev() {
        fs::remove_dir(folder).map_err(Error::io("remove", folder))?;
    }
    Ok(())
}
