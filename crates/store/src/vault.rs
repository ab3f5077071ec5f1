//! Evidence by content hash. It refuses to hand out bytes that do not give the hash they were
//! asked by, and a hash that is not one (which could otherwise name any file).

use crate::hash::{HexHash, is_hash};
use crate::{StoreError, files, sha256_hex};
use kernel::outcome::EvidenceRef;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A folder of content, each piece at `<first two hex digits>/<hash>`, read-only.
#[derive(Debug, Clone)]
pub struct Vault {
    root: PathBuf,
}

impl Vault {
    /// Opens the vault, and makes its folder where that is missing.
    pub fn open(root: &Path) -> Result<Vault, StoreError> {
        files::create_dir(root)?;
        Ok(Vault {
            root: root.to_owned(),
        })
    }

    /// Keeps the bytes, durably. Keeping them twice is keeping them once; a damaged copy is
    /// replaced by these, which are proven to be the right ones.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, StoreError> {
        let hash = sha256_hex(bytes);
        let path = self.path(&hash)?;
        match self.get(&hash) {
            // Whoever put it may have died before its name was durable.
            Ok(_) => files::sync_dir(path.parent().unwrap_or(&self.root))?,
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

    /// Keeps a copy of what is kept elsewhere, under the hash that its content has; it lasts from the next
    /// [`settle`](crate::settle) on.
    pub fn put_copy(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path(&sha256_hex(bytes))?;
        let read_only = Permissions::from_mode(0o444);
        files::write_copy(&path, bytes, Some(read_only))
    }

    /// The content of that hash, checked.
    pub fn get(&self, hash: &str) -> Result<Vec<u8>, StoreError> {
        let path = self.path(hash)?;
        let corrupt = |reason: String| StoreError::EvidenceCorrupt {
            hash: hash.to_owned(),
            path: path.clone(),
            reason,
        };
        match fs::symlink_metadata(&path) {
            // Opening a pipe would wait for ever, and a link leads out of the vault.
            Ok(found) if !found.is_file() => return Err(corrupt("not a plain file".to_owned())),
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {
                return Err(StoreError::EvidenceMissing {
                    hash: hash.to_owned(),
                    path,
                });
            }
            Err(e) => return Err(StoreError::io("read", &path)(e)),
        }
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let computed = HexHash::of(&[&bytes]);
        if computed.as_str() != hash {
            return Err(corrupt(format!(
                "its content has the hash {}",
                computed.as_str()
            )));
        }
        Ok(bytes)
    }

    /// Where the content of that hash is, or would be.
    pub fn path(&self, hash: &str) -> Result<PathBuf, StoreError> {
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
