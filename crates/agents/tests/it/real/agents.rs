//! The real agents from npm, at pinned versions, in a folder that outlives the test, for the opt-in
//! tests.
//!
//! No agent runs outside a network namespace that has loopback only: a test starts itself again inside
//! one, and the inner half refuses to go on if it sees any other interface.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

const INSIDE: &str = "PROOFHOUSE_REAL_AGENTS_INSIDE";

/// Runs `check` inside a namespace with loopback only, and tells it where the agents are.
/// `test` is the whole name of the calling test.
pub(crate) fn isolated(test: &str, check: impl FnOnce(&Path)) {
    let agents = folder();
    if std::env::var_os(INSIDE).is_some() {
        let devices = fs::read_to_string("/proc/net/dev").expect("the network devices");
        let others = devices
            .lines()
            .skip(2)
            .filter(|line| !line.trim().starts_with("lo:"));
        assert_eq!(others.count(), 0, "not alone:\n{devices}");
        return check(&agents);
    }
    install(&agents);
    let flags = match is_root() {
        true => "-n",
        false => "-rn",
    };
    let status = Command::new("unshare")
        .args([flags, "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"])
        .arg(std::env::current_exe().expect("this test"))
        .args([test, "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .expect("unshare");
    assert!(status.success(), "{test} failed in its namespace");
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    uid.is_some_and(|uid| uid.split_whitespace().nth(1) == Some("0"))
}

/// The newest Claude Code that runs on Node 20, and what was newest of the others.
const PACKAGES: [&str; 5] = [
    "@anthropic-ai/claude-code@2.1.197",
    "@openai/codex@0.166.0",
    "opencode-ai@1.18.33",
    "@google/gemini-cli@0.61.0",
    "@mariozechner/pi-coding-agent@0.73.1",
];

/// `$PROOFHOUSE_AGENTS_DIR`, or `target/real-agents`.
fn folder() -> PathBuf {
    match std::env::var_os("PROOFHOUSE_AGENTS_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/real-agents"),
    }
}

/// Installs what is missing. No script of a package runs: nothing of theirs is started outside
/// the namespace.
fn install(folder: &Path) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mark = folder.join("installed");
        let wanted = PACKAGES.join("\n");
        if fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
            return;
        }
        fs::create_dir_all(folder).expect("the folder for agents");
        let status = Command::new("npm")
            .args([
                "install",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--prefix",
            ])
            .arg(folder)
            .args(PACKAGES)
            .status()
            .expect("npm; install Node 20 or later");
        assert!(status.success(), "npm could not install the agents");
        fs::write(mark, wanted).expect("the mark");
    });
}

/// An agent that is a script of its package.
pub(crate) fn script(folder: &Path, name: &str) -> PathBuf {
    real(&folder.join("node_modules/.bin").join(name))
}

/// The native program, which the package's own script would link.
pub(crate) fn claude(folder: &Path) -> PathBuf {
    native(folder, "@anthropic-ai", "claude-code", "claude")
}

/// Likewise.
pub(crate) fn opencode(folder: &Path) -> PathBuf {
    native(folder, "", "opencode", "bin/opencode")
}

fn native(folder: &Path, scope: &str, name: &str, program: &str) -> PathBuf {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let package = format!("{name}-{system}-{machine}");
    real(
        &folder
            .join("node_modules")
            .join(scope)
            .join(package)
            .join(program),
    )
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
