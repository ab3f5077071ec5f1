//! Attempts to get out, each made for real from inside, and each made without a policy as well:
//! an attempt that fails even there proves nothing. A skip is loud and names what is missing.
#![cfg(target_os = "linux")]

mod fallback;
mod files;
mod helper;
mod network;
mod processes;
mod resources;
mod witness;

use crate::{run, sh, text};
use sandbox::{Ended, Launch, Policy};
use std::path::PathBuf;
use tempfile::TempDir;

/// What a script says when it got what it wanted.
const REACHED: &str = "REACHED";

/// An engine's place: a workspace that the policy allows, and the rest that it does not.
struct Cell {
    // Held: dropping it removes the folders.
    _folder: TempDir,
    inside: PathBuf,
    readable: PathBuf,
    outside: PathBuf,
}

impl Cell {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        let cell = Self {
            inside: at("inside"),
            readable: at("readable"),
            outside: at("outside"),
            _folder: folder,
        };
        for path in [&cell.inside, &cell.readable, &cell.outside] {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join("file"), "content\n").unwrap();
        }
        cell
    }

    fn policy(&self) -> Policy {
        let helper = std::env::current_exe().unwrap();
        Policy::confined([self.readable.clone(), helper], [self.inside.clone()])
    }

    /// The script, with the places and the engine's pid in its environment.
    fn launch(&self, script: &str) -> Launch {
        let mut launch = sh(&self.inside, script);
        let exe = std::env::current_exe().unwrap();
        for (name, value) in [
            ("IN", self.inside.display().to_string()),
            ("READ", self.readable.display().to_string()),
            ("OUT", self.outside.display().to_string()),
            ("ENGINE", std::process::id().to_string()),
            (
                "HELPER",
                format!(
                    "{} --ignored --nocapture --exact escape::helper::helper",
                    exe.display()
                ),
            ),
        ] {
            launch.env.insert(name.into(), value);
        }
        launch
    }

    fn free(&self, script: &str) -> Ended {
        run(&self.launch(script)).unwrap()
    }

    fn confined(&self, script: &str) -> Ended {
        self.confined_by(script, |_| {})
    }

    fn confined_by(&self, script: &str, change: impl FnOnce(&mut Policy)) -> Ended {
        let mut launch = self.launch(script);
        let mut policy = self.policy();
        change(&mut policy);
        launch.policy = Some(policy);
        run(&launch).unwrap()
    }

    /// The script gets what it wants without the policy, and not with it.
    #[track_caller]
    fn denies(&self, script: &str) {
        self.denies_by(script, |_| {});
    }

    #[track_caller]
    fn denies_by(&self, script: &str, change: impl FnOnce(&mut Policy)) {
        let confined = self.confined_by(script, change);
        assert!(!reached(&confined), "{script}\n{}", text(&confined.output));
        let free = self.free(script);
        assert!(
            reached(&free),
            "without a policy: {script}\n{}",
            text(&free.output)
        );
    }
}

fn reached(ended: &Ended) -> bool {
    text(&ended.stdout)
        .lines()
        .any(|line| line.contains(REACHED))
}

/// Says that a test proves nothing here, and why.
fn skip(missing: &str) {
    eprintln!("SKIPPED: this machine lacks {missing}");
}

fn root() -> bool {
    rustix::process::geteuid().is_root()
}
