//! The real agents from npm, at pinned versions, in a folder that outlives the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// The newest Claude Code that runs on Node 20, and what was newest of the others.
const PACKAGES: [&str; 5] = [
    "@anthropic-ai/claude-code@2.1.197",
    "@openai/codex@0.166.0",
    "opencode-ai@1.18.33",
    "@google/gemini-cli@0.61.0",
    "@mariozechner/pi-coding-agent@0.73.1",
];

/// `$PROOFHOUSE_AGENTS_DIR`, or `target/real-agents`.
pub(super) fn folder() -> PathBuf {
    match std::env::var_os("PROOFHOUSE_AGENTS_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/real-agents"),
    }
}

/// Installs what is missing. No script of a package runs: nothing of theirs is started outside
/// the namespace.
pub(super) fn install(folder: &Path) {
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
pub(super) fn script(folder: &Path, name: &str) -> PathBuf {
    real(&folder.join("node_modules/.bin").join(name))
}

/// The native program, which the package's own script would link.
pub(super) fn claude(folder: &Path) -> PathBuf {
    native(folder, "@anthropic-ai", "claude-code", "claude")
}

/// Likewise.
pub(super) fn opencode(folder: &Path) -> PathBuf {
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
