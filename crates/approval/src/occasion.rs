//! A key for one occasion, for demonstrations and rehearsals: whoever holds its file can sign.
//!
//! It speaks for nobody. The name that goes with it must say so, since the journal will; a person's
//! own key is never made here.

use ssh_key::private::Ed25519Keypair;
use ssh_key::{LineEnding, PrivateKey};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use workspace::error::EngineError;

/// Writes a new key, readable by its owner alone, and gives the line of the approvers file that lets
/// it sign as `principal`.
pub fn key_for_the_occasion(path: &Path, principal: &str) -> Result<String, EngineError> {
    let source = Path::new("/dev/urandom");
    let mut seed = [0_u8; 32];
    let read = File::open(source).and_then(|mut file| file.read_exact(&mut seed));
    read.map_err(EngineError::io("read", source))?;
    let key = PrivateKey::from(Ed25519Keypair::from_seed(&seed));
    let wrong = |error: ssh_key::Error| {
        EngineError::environment(
            "key_unwritable",
            format!("could not make a key: {error}"),
            "please report",
        )
    };
    let text = key.to_openssh(LineEnding::LF).map_err(wrong)?;
    let public = key.public_key().to_openssh().map_err(wrong)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(EngineError::io("create", path))?;
    file.write_all(text.as_bytes())
        .map_err(EngineError::io("write", path))?;
    Ok(format!("{principal} {public}\n"))
}
