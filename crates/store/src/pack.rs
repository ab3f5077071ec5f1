//! Many pieces of evidence in one file, as those of others are laid out: to make thousands of small files takes a
//! disk longer than all that an audit asks of it. It refuses nothing itself: whoever reads a piece holds it
//! against its hash.
//!
//! A line that says what it is, a line `HASH LENGTH` for each piece, and then the pieces, one after the other.

use crate::hash::is_hash;
use crate::{StoreError, files, sha256_hex};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Below the vault.
const FOLDER: &str = "packs";
const FIRST: &str = "proofhouse evidence 1";

/// The packs of a vault.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    names: BTreeSet<OsString>,
    pieces: BTreeMap<String, Piece>,
}

/// Where a piece lies.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) path: Arc<PathBuf>,
    at: u64,
    length: u64,
}

impl Piece {
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let file = File::open(self.path.as_ref())?;
        // What a damaged head claims is not reserved before it is there.
        if file.metadata()?.len() < self.at.saturating_add(self.length) {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; usize::try_from(self.length).map_err(io::Error::other)?];
        file.read_exact_at(&mut bytes, self.at)?;
        Ok(bytes)
    }
}

impl Packs {
    /// Where that piece lies, if it is in a pack: also in one that somebody has put there since.
    pub(crate) fn find(&self, root: &Path, hash: &str) -> Result<Option<Piece>, StoreError> {
        let mut known = self.known();
        if let Some(piece) = known.pieces.get(hash) {
            return Ok(Some(piece.clone()));
        }
        known.look(&root.join(FOLDER))?;
        Ok(known.pieces.get(hash).cloned())
    }

    /// Puts pieces, each with its hash, into a pack of their own; it lasts from the next [`files::settle`] on.
    pub(crate) fn put(
        &self,
        root: &Path,
        pieces: &BTreeMap<String, &[u8]>,
    ) -> Result<(), StoreError> {
        let mut bytes = format!("{FIRST} {}\n", pieces.len());
        for (hash, piece) in pieces {
            bytes.push_str(&format!("{hash} {}\n", piece.len()));
        }
        // The hashes say what it holds, so the same pieces are the same file.
        let path = root.join(FOLDER).join(sha256_hex(bytes.as_bytes()));
        let mut bytes = bytes.into_bytes();
        for piece in pieces.values() {
            bytes.extend_from_slice(piece);
        }
        files::write_copy(&path, &bytes, Some(Permissions::from_mode(0o444)))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Whoever panicked has left no half of an entry.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn look(&mut self, folder: &Path) -> Result<(), StoreError> {
        let found = match fs::read_dir(folder) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(StoreError::io("list", folder)(error)),
        };
        for entry in found {
            let entry = entry.map_err(StoreError::io("list", folder))?;
            let name = entry.file_name();
            // One that is being written begins with a dot; a pipe would be waited for.
            let whole = is_hash(name.as_encoded_bytes());
            if !whole
                || self.names.contains(&name)
                || !entry.file_type().is_ok_and(|is| is.is_file())
            {
                continue;
            }
            // What cannot be read holds nothing, and what it should hold is missing.
            self.pieces.extend(head(&entry.path()).unwrap_or_default());
            self.names.insert(name);
        }
        Ok(())
    }
}

/// What a pack holds, as its head says.
fn head(path: &Path) -> io::Result<Vec<(String, Piece)>> {
    let bad = || io::Error::from(ErrorKind::InvalidData);
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut lines = BufReader::new(file.take(size)).lines();
    let first = lines.next().ok_or_else(bad)??;
    let count = first.strip_prefix(FIRST).map(str::trim).ok_or_else(bad)?;
    let count: usize = count.parse().map_err(io::Error::other)?;
    let mut at = first.len() as u64 + 1;
    let mut found = Vec::new();
    for _ in 0..count {
        let line = lines.next().ok_or_else(bad)??;
        let (hash, length) = line.split_once(' ').ok_or_else(bad)?;
        let length: u64 = length.parse().map_err(io::Error::other)?;
        at += line.len() as u64 + 1;
        found.push((hash.to_owned(), length));
    }
    let path = Arc::new(path.to_owned());
    let mut begins = at;
    let pieces = found.into_iter().map(|(hash, length)| {
        let at = begins;
        begins = begins.saturating_add(length);
        let path = Arc::clone(&path);
        (hash, Piece { path, at, length })
    });
    Ok(pieces.collect())
}
