//! What becomes of half a line at a journal's end. It refuses to throw it away: the bytes are
//! kept beside the journal before the journal is cut, and an older file is never written over.

use crate::{RunName, StoreError, files};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Bytes without a newline at the end of a journal, still in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TornTail {
    /// Where they begin.
    pub offset: u64,
    pub bytes: u64,
}

/// Bytes that were cut from the end of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    pub bytes: u64,
    /// The file that has them now.
    pub kept_in: PathBuf,
}

/// Writes the bytes to `<run>.torn-<offset>`, durably. The same place can be torn twice with
/// other bytes, so a taken name gets a number behind it.
pub(crate) fn keep(
    dir: &Path,
    run: &RunName,
    offset: u64,
    bytes: &[u8],
) -> Result<Torn, StoreError> {
    let mut again = 1;
    loop {
        let suffix = if again == 1 {
            String::new()
        } else {
            format!("-{again}")
        };
        let path = dir.join(format!("{run}.torn-{offset}{suffix}"));
        let io = |what| StoreError::io(what, &path);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(bytes).map_err(io("write"))?;
                file.sync_all().map_err(io("sync"))?;
                files::sync_dir(dir)?;
            }
            // A crash between keeping and cutting leaves exactly this file behind.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                if fs::read(&path).map_err(io("read"))? != bytes {
                    again += 1;
                    continue;
                }
            }
            Err(e) => return Err(io("write")(e)),
        }
        return Ok(Torn {
            bytes: bytes.len() as u64,
            kept_in: path,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_writes_over_an_older_tail() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunName::new("r").unwrap();
        let name = |bytes: &[u8]| {
            let torn = keep(dir.path(), &run, 7, bytes).unwrap();
            assert_eq!(fs::read(&torn.kept_in).unwrap(), bytes);
            torn.kept_in
                .file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        };
        assert_eq!(name(b"one"), "r.torn-7");
        assert_eq!(name(b"two"), "r.torn-7-2");
        assert_eq!(name(b"one"), "r.torn-7");
        assert_eq!(name(b"three"), "r.torn-7-3");
    }
}
