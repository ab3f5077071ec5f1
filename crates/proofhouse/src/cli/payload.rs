//! What an option of a project needs beside its name, from a file.

use serde_json::Value;
use std::path::Path;
use workspace::EngineError;

/// What an option needs, from a file.
pub(crate) fn read(path: &Path) -> Result<Value, EngineError> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => EngineError::user(
            "no_such_file",
            format!("there is no file {}", path.display()),
            "check the path",
        ),
        _ => EngineError::io("read", path)(error),
    })?;
    serde_json::from_slice(&bytes).map_err(|error| {
        EngineError::user(
            "payload_malformed",
            format!("{}: {error}", path.display()),
            "give one JSON object; `proofhouse schema HumanResolution` has the form",
        )
    })
}
