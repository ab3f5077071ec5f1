//! Folders that a process may change without changing them.

use super::{run, sh, text};
use sandbox::{Ended, LaunchError, Overlay, Policy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A tree of ours, the place where a process sees it, and where its changes go.
struct Layers {
    folder: tempfile::TempDir,
    named: &'static str,
}

impl Layers {
    fn new() -> Self {
        Self::named("layers")
    }

    fn named(named: &'static str) -> Self {
        let layers = Self {
            folder: tempfile::tempdir().unwrap(),
            named,
        };
        for name in ["at", "upper", "work", "lower/src/deep", "lower/tests"] {
            std::fs::create_dir_all(layers.path(name)).unwrap();
        }
        layers.write("lower/src/lib.txt", "code\n");
        layers.write("lower/src/deep/file.txt", "deep\n");
        layers.write("lower/tests/one.txt", "test\n");
        layers.write("lower/run.sh", "cat tests/one.txt\n");
        layers
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(self.named).join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn overlay(&self, fixed: &[&str]) -> Overlay {
        Overlay {
            at: self.path("at"),
            lower: self.path("lower"),
            upper: self.path("upper"),
            work: self.path("work"),
            fixed: fixed.iter().map(PathBuf::from).collect(),
        }
    }

    fn tries(&self, fixed: &[&str], script: &str) -> Result<Ended, LaunchError> {
        let mut launch = sh(&self.path("at"), script);
        let mut policy = Policy::confined([] as [PathBuf; 0], [] as [PathBuf; 0]);
        policy.overlays = vec![self.overlay(fixed)];
        launch.policy = Some(policy);
        run(&launch)
    }

    #[track_caller]
    fn says(&self, fixed: &[&str], script: &str) -> String {
        let ended = self.tries(fixed, script).unwrap();
        assert_eq!(ended.exit, Some(0), "{}", text(&ended.output));
        text(&ended.stdout)
    }

    fn lower(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        list(&self.path("lower"), &mut found);
        found
    }
}

fn list(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            list(&path, found);
        } else {
            found.insert(path.clone(), std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Overlays are the kernel's: where it gives none, there is nothing to try, and rooms are copies.
fn here(layers: &Layers) -> bool {
    match layers.tries(&[], "true") {
        Ok(_) => true,
        Err(why) => {
            eprintln!("SKIPPED: no overlay here: {why}");
            false
        }
    }
}

#[test]
fn changes_go_elsewhere_and_what_was_there_stays() {
    let layers = Layers::new();
    if !here(&layers) {
        return;
    }
    let layers = Layers::new();
    let before = layers.lower();
    let said = layers.says(
        &[],
        "cat src/lib.txt; echo new > src/new.txt; echo more >> src/lib.txt; rm tests/one.txt;
         chmod 600 run.sh; truncate -s 0 src/deep/file.txt; cat src/lib.txt",
    );
    assert_eq!(said, "code\ncode\nmore\n");
    assert_eq!(layers.lower(), before);
    let upper = |name: &str| std::fs::read_to_string(layers.path("upper").join(name)).unwrap();
    assert_eq!(upper("src/new.txt"), "new\n");
    assert_eq!(upper("src/lib.txt"), "code\nmore\n");
    assert!(
        std::fs::read_dir(layers.path("at"))
            .unwrap()
            .next()
            .is_none()
    );
}

#[test]
fn what_is_fixed_can_be_changed_in_no_way() {
    let layers = Layers::new();
    if !here(&layers) {
        return;
    }
    let before = layers.lower();
    for attack in [
        "echo forged > tests/one.txt",
        "echo forged > new; mv new tests/one.txt",
        "rm tests/one.txt",
        "chmod 777 tests/one.txt",
        "touch tests/other.txt",
        "ln tests/one.txt hard",
        "mv tests away",
        "rm -r tests",
        "mount --bind src tests",
        "unshare -rm mount -t tmpfs none tests",
        "mount -o remount,rw tests",
        "umount tests",
        "mv src away && mkdir -p src/deep && echo forged > src/deep/file.txt",
        "echo forged > src/deep/file.txt",
        "python3 -c 'import os; os.rename(\"src\", \"away\")'",
        "echo forged > run.sh",
    ] {
        let layers = Layers::new();
        let fixed = ["tests", "run.sh", "src/deep/file.txt"];
        let tried = format!("{{ {attack}; }} 2>&1 && echo DONE; sh run.sh; cat src/deep/file.txt");
        let ended = layers.tries(&fixed, &tried).unwrap();
        let said = text(&ended.stdout);
        assert!(!said.contains("DONE"), "{attack}: {said}");
        assert!(said.ends_with("test\ndeep\n"), "{attack}: {said}");
    }
    assert_eq!(layers.lower(), before);
}

#[test]
fn names_that_overlays_spell_otherwise_are_the_same_folders() {
    let layers = Layers::named("a:b,c\\d e");
    if !here(&Layers::new()) {
        return;
    }
    assert_eq!(layers.says(&["tests"], "sh run.sh; touch made"), "test\n");
    assert!(layers.path("upper/made").exists());
}

#[test]
fn only_files_and_folders_of_the_layer_itself_can_be_fixed() {
    let layers = Layers::new();
    std::os::unix::fs::symlink("/etc", layers.path("lower/link")).unwrap();
    for wrong in [
        "link",
        "link/passwd",
        "../upper",
        "missing",
        "/etc",
        "src/./lib.txt/..",
    ] {
        let error = layers.tries(&[wrong], "true").unwrap_err();
        assert_eq!(error.code(), "sandbox_policy", "{wrong}");
        assert!(error.to_string().contains(wrong), "{error}");
    }
}

#[test]
fn the_layers_themselves_are_out_of_reach() {
    let layers = Layers::new();
    if !here(&layers) {
        return;
    }
    for name in ["lower/src/lib.txt", "upper", "work"] {
        // Folders for changes are used once.
        let layers = Layers::new();
        let path = layers.path(name);
        let ended = layers
            .tries(&[], &format!("ls -d '{}'", path.display()))
            .unwrap();
        assert_ne!(ended.exit, Some(0), "{name}: {}", text(&ended.output));
    }
}
