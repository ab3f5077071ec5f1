//! What a launch promises, tried on real processes. No test asserts on time.
// Clippy's leave for tests does not reach the helpers beside them.
#![allow(clippy::unwrap_used)]

mod confined;
mod ending;
mod escape;
mod leftover;
#[cfg(target_os = "linux")]
mod overlay;
mod plain;

use sandbox::{Cancel, Ended, Launch, LaunchError, Limits, base_env};
use std::path::Path;
use std::time::Duration;

/// Far more than any of these scripts needs, so that only a broken promise meets it.
const LONG: Duration = Duration::from_secs(60);

fn limits() -> Limits {
    Limits {
        wall: LONG,
        idle: None,
        output_bytes: 1 << 20,
    }
}

fn sh(dir: &Path, script: &str) -> Launch {
    let argv = ["sh", "-c", script].map(String::from).to_vec();
    Launch::new(argv, dir, base_env(), limits())
}

fn run(launch: &Launch) -> Result<Ended, LaunchError> {
    sandbox::run(launch, &Cancel::new())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits for an event that must come, without a guess at when.
fn until(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never happened: {what}");
}

/// Is there a living process with this pid (a zombie is dead)?
#[cfg(target_os = "linux")]
fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}
