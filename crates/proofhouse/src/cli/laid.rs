//! Files that are laid into a person's repository for other programs to read, and taken away again.

use std::io::ErrorKind;
use std::path::Path;
use workspace::EngineError;

/// The text of a file; none: there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, EngineError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::io("read", path)(error)),
    }
}

/// Writes a file, with the folders on the way.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), EngineError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    // Through a link: it is the person's own, wherever it leads.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mode = place.metadata().map(|found| found.permissions()).ok();
    Ok(store::write_atomic_with(&place, text.as_bytes(), mode)?)
}

/// Removes a file, and folders on the way that have nothing else in them.
pub(crate) fn remove(top: &Path, path: &str) -> Result<(), EngineError> {
    let place = top.join(path);
    std::fs::remove_file(&place).map_err(EngineError::io("remove", &place))?;
    let folders = Path::new(path).ancestors().skip(1);
    for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
        if std::fs::remove_dir(top.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}
