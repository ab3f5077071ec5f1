//! The one hash of bytes, files and links. It follows no link: a link is where it leads to.

use crate::readers::paths::Found;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;

/// SHA-256 in hex.
pub fn bytes(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}

/// The hash of what is at a path; a file is never held in memory as a whole.
pub(crate) fn of(found: &Found) -> std::io::Result<String> {
    match found {
        Found::File(path) => streamed(path),
        // Never the hash of a file with the same text by accident.
        Found::Link(target) => {
            let target = target.as_os_str().as_encoded_bytes();
            Ok(bytes(&[b"symlink\0", target].concat()))
        }
    }
}

fn streamed(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let (mut hasher, mut part) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut part)?;
        if read == 0 {
            break;
        }
        hasher.update(&part[..read]);
    }
    Ok(hex(hasher.finalize().as_slice()))
}

/// A digest, written out.
pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
