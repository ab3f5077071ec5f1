//! The token, and how it reaches the person's own browser: in the fragment of an address, which browsers send
//! to nobody, through a file that only this account can read, so that no list of processes shows it.

use super::guard::Own;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use workspace::EngineError;

/// A new one, for the life of this process.
pub(super) fn token() -> Result<String, EngineError> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0; 24];
    std::fs::File::open(source)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(EngineError::io("read", source))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The address with the token. By name: a number can be no home of a passkey.
pub(super) fn address(own: &Own) -> String {
    format!("http://localhost:{}/#t={}", own.port, own.token)
}

/// Opens the person's browser; gives the file that it was opened through, to be removed when it has come.
pub(super) fn open(own: &Own) -> Option<PathBuf> {
    let (program, folder) = opener()?;
    let path = folder.join(format!("proofhouse-{}.html", std::process::id()));
    let text = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><title>Proofhouse</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={0}\"><a href=\"{0}\">Proofhouse</a>\n",
        address(own)
    );
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .ok()?;
    file.write_all(text.as_bytes()).ok()?;
    let argv = [program.to_owned(), path.display().to_string()];
    let said = std::fs::File::options()
        .write(true)
        .open("/dev/null")
        .ok()?;
    if ::sandbox::detach(&argv, &folder, &said).is_err() {
        let _ = std::fs::remove_file(&path);
        return None;
    }
    Some(path)
}

/// What opens files for people here, and a folder of the person's own.
fn opener() -> Option<(&'static str, PathBuf)> {
    if cfg!(target_os = "macos") {
        return Some(("open", std::env::temp_dir()));
    }
    let shown = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let folder = own
        .filter(|folder| folder.is_dir())
        .unwrap_or_else(std::env::temp_dir);
    shown.then_some(("xdg-open", folder))
}
