//! Evidence by content hash. It refuses to hand out bytes that do not give the hash they were
//! asked by, and a hash that is not one (which could otherwise name any file).

use crate::hash::{HexHash, is_hash};
use crate::pack::Packs;
use crate::{StoreError, files, sha256_hex};
use kernel::outcome::EvidenceRef;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder of content, read-only: each piece at `<first two hex digits>/<hash>`, or, of records that were fetched,
/// in a pack.
#[derive(Debug, Clone)]
pub struct Vault {
    root: PathBuf,
    packs: Arc<Packs>,
}

impl Vault {
    /// Opens the vault, and makes its folder where that is missing.
    pub fn open(root: &Path) -> Result<Vault, StoreError> {
        files::create_dir(root)?;
        Ok(Vault {
            root: root.to_owned(),
            packs: Arc::default(),
        })
    }

    /// Keeps the bytes, durably. Keeping them twice is keeping them once; a damaged copy is
    /// replaced by these, which are proven to be the right ones.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, StoreError> {
        let hash = sha256_hex(bytes);
        let path = self.path(&hash)?;
        match self.get(&hash) {
            // Whoever put it may have died before its name was durable.
            Ok(_) if path.exists() => files::sync_dir(path.parent().unwrap_or(&self.root))?,
            Ok(_) => files::settle(&self.root)?,
            Err(StoreError::EvidenceMissing { .. } | StoreError::EvidenceCorrupt { .. }) => {
                files::create_dir(path.parent().unwrap_or(&self.root))?;
                let read_only = Permissions::from_mode(0o444);
                files::write_atomic_with(&path, bytes, Some(read_only))?;
            }
            Err(error) => return Err(error),
        }
        Ok(EvidenceRef {
            hash,
            name: name.to_owned(),
            size: bytes.len() as u64,
            sealed: false,
        })
    }

    /// Keeps copies of what is kept elsewhere, each under the hash that its content has; they last from the next
    /// [`settle`](crate::settle) on.
    pub fn put_copies<'b>(
        &self,
        pieces: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<(), StoreError> {
        let mut missing = BTreeMap::new();
        for bytes in pieces {
            let hash = sha256_hex(bytes);
            match self.get(&hash) {
                Ok(_) => {}
                Err(StoreError::EvidenceMissing { .. }) => drop(missing.insert(hash, bytes)),
                // A file of its own goes before what a pack has.
                Err(StoreError::EvidenceCorrupt { .. }) => {
                    let read_only = Permissions::from_mode(0o444);
                    files::write_copy(&self.path(&hash)?, bytes, Some(read_only))?;
                }
                Err(error) => return Err(error),
            }
        }
        match missing.is_empty() {
            true => Ok(()),
            false => self.packs.put(&self.root, &missing),
        }
    }

    /// The content of that hash, checked.
    pub fn get(&self, hash: &str) -> Result<Vec<u8>, StoreError> {
        let mut path = self.path(hash)?;
        let corrupt = |path: PathBuf, reason: &str| StoreError::EvidenceCorrupt {
            hash: hash.to_owned(),
            path,
            reason: reason.to_owned(),
        };
        let bytes = match fs::symlink_metadata(&path) {
            // Opening a pipe would wait for ever, and a link leads out of the vault.
            Ok(found) if !found.is_file() => return Err(corrupt(path, "not a plain file")),
            Ok(_) => fs::read(&path).map_err(StoreError::io("read", &path))?,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                let Some(piece) = self.packs.find(&self.root, hash)? else {
                    return Err(StoreError::EvidenceMissing {
                        hash: hash.to_owned(),
                        path,
                    });
                };
                path = piece.path.to_path_buf();
                match piece.read() {
                    Ok(bytes) => bytes,
                    Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                        return Err(corrupt(path, "it ends before this piece does"));
                    }
                    Err(e) => return Err(StoreError::io("read", &path)(e)),
                }
            }
            Err(e) => return Err(StoreError::io("read", &path)(e)),
        };
        let computed = HexHash::of(&[&bytes]);
        if computed.as_str() != hash {
            let reason = format!("its content has the hash {}", computed.as_str());
            return Err(corrupt(path, &reason));
        }
        Ok(bytes)
    }

    /// The file that the content of that hash is in.
    pub fn place(&self, hash: &str) -> Result<PathBuf, StoreError> {
        let path = self.path(hash)?;
        let piece = match path.exists() {
            true => None,
            false => self.packs.find(&self.root, hash)?,
        };
        Ok(piece.map_or(path, |piece| piece.path.to_path_buf()))
    }

    /// Where it is, or would be, as a file of its own.
    fn path(&self, hash: &str) -> Result<PathBuf, StoreError> {
        if !is_hash(hash.as_bytes()) {
            return Err(StoreError::BadHash {
                hash: hash.to_owned(),
            });
        }
        Ok(self.root.join(&hash[..2]).join(hash))
    }

    /// Checks every one of the hashes and returns what is wrong, in their order.
    pub fn verify_all<'h>(&self, hashes: impl IntoIterator<Item = &'h str>) -> Vec<StoreError> {
        hashes
            .into_iter()
            .filter_map(|hash| self.get(hash).err())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault() -> (tempfile::TempDir, Vault) {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::open(&dir.path().join("evidence")).unwrap();
        (dir, vault)
    }

    #[test]
    fn keeps_content_once_and_read_only() {
        let (_dir, vault) = vault();
        let first = vault.put("output", b"abc").unwrap();
        let second = vault.put("again", b"abc").unwrap();
        assert_eq!((first.hash.as_str(), first.size), (second.hash.as_str(), 3));
        assert_eq!(second.name, "again");
        assert_eq!(vault.get(&first.hash).unwrap(), b"abc");
        let path = vault.path(&first.hash).unwrap();
        assert!(path.ends_with(format!("ba/{}", first.hash)));
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o444
        );
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn names_what_is_missing_corrupt_or_no_hash() {
        let (_dir, vault) = vault();
        let good = vault.put("a", b"a").unwrap().hash;
        let bad = vault.put("b", b"b").unwrap().hash;
        let linked = vault.put("c", b"c").unwrap().hash;
        fs::remove_file(vault.path(&bad).unwrap()).unwrap();
        fs::write(vault.path(&bad).unwrap(), "x").unwrap();
        fs::remove_file(vault.path(&linked).unwrap()).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", vault.path(&linked).unwrap()).unwrap();
        let missing = sha256_hex(b"never put");
        let asked = [
            good.as_str(),
            &bad,
            &linked,
            &missing,
            "../../../etc/passwd",
        ];
        let codes: Vec<_> = vault
            .verify_all(asked)
            .iter()
            .map(StoreError::code)
            .collect();
        assert_eq!(
            codes,
            [
                "evidence_corrupt",
                "evidence_corrupt",
                "evidence_missing",
                "bad_hash"
            ]
        );
    }

    #[test]
    fn copies_lie_in_one_file_and_are_read_from_there_checked() {
        let (_dir, vault) = vault();
        let loose = vault.put("a", b"a").unwrap().hash;
        let pieces = [&b"a"[..], b"", b"bc\n", b"d"];
        vault.put_copies(pieces).unwrap();
        let packs = || {
            let folder = fs::read_dir(vault.root.join("packs")).unwrap();
            folder.map(|one| one.unwrap().path()).collect::<Vec<_>>()
        };
        assert_eq!(packs().len(), 1);
        for piece in pieces {
            assert_eq!(vault.get(&sha256_hex(piece)).unwrap(), piece);
        }
        // Whoever has looked before finds what others have put there since, and nothing lies there twice.
        let other = Vault::open(&vault.root).unwrap();
        assert_eq!(other.get(&loose).unwrap(), b"a");
        other.put_copies([&b"e"[..], b"d", b"a"]).unwrap();
        other.put_copies([&b"e"[..], b"d", b"a"]).unwrap();
        assert_eq!(packs().len(), 2);
        assert_eq!(vault.get(&sha256_hex(b"e")).unwrap(), b"e");
        assert_eq!(vault.put("d", b"d").unwrap().size, 1);
        let place = |bytes: &[u8]| vault.place(&sha256_hex(bytes)).unwrap();
        assert!(packs().contains(&place(b"d")) && !packs().contains(&place(b"a")));
    }

    #[test]
    fn what_was_done_to_a_pack_is_seen_and_mended() {
        let (_dir, vault) = vault();
        vault.put_copies([&b"first"[..], b"second"]).unwrap();
        let pack = fs::read_dir(vault.root.join("packs")).unwrap();
        let pack = pack.last().unwrap().unwrap().path();
        let whole = fs::read(&pack).unwrap();
        let hashes = [b"first".as_slice(), b"second"].map(sha256_hex);
        let code = |bytes: &[u8]| {
            fs::remove_file(&pack).unwrap();
            fs::write(&pack, bytes).unwrap();
            let vault = Vault::open(&vault.root).unwrap();
            let wrong = vault.verify_all(hashes.iter().map(String::as_str));
            wrong.iter().map(StoreError::code).collect::<Vec<_>>()
        };
        assert_eq!(code(&whole), [""; 0]);
        let mut other = whole.clone();
        *other.last_mut().unwrap() ^= 1;
        assert_eq!(code(&other), ["evidence_corrupt"]);
        assert_eq!(code(&whole[..whole.len() - 1]), ["evidence_corrupt"]);
        assert_eq!(code(&whole[..80]), ["evidence_missing"; 2]);
        assert_eq!(code(b"nothing of ours"), ["evidence_missing"; 2]);
        assert_eq!(code(&other), ["evidence_corrupt"]);
        let mended = Vault::open(&vault.root).unwrap();
        mended.put_copies([&b"first"[..], b"second"]).unwrap();
        assert!(
            mended
                .verify_all(hashes.iter().map(String::as_str))
                .is_empty()
        );
    }

    #[test]
    fn putting_the_right_bytes_mends_a_damaged_copy() {
        let (_dir, vault) = vault();
        let hash = vault.put("a", b"a").unwrap().hash;
        let path = vault.path(&hash).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "damaged").unwrap();
        vault.put("a", b"a").unwrap();
        assert_eq!(vault.get(&hash).unwrap(), b"a");
    }
}
