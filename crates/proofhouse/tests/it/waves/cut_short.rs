//! An engine that is killed while its git is at work: the git finishes, and the next engine waits for
//! it. Nothing of the user's is left half done, and no lock stays behind.
#![cfg(target_os = "linux")]

use super::{count, milestone, stands, task, worktrees, world};
use crate::support::{HONEST, World, real_git, stand_in, with_git};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// A git that stops in the middle of one command, at the first time it is asked for: it has made this
/// lock file, and goes on when it is told to.
struct Slow {
    folder: tempfile::TempDir,
}

impl Slow {
    fn new(world: &World, words: &str, lock: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let real = real_git();
        let (real, lab) = (real.display(), folder.path().display());
        let lock = world.at(lock);
        let lock = lock.display();
        let script = format!(
            "#!/bin/sh\ncase \" $* \" in *' {words} '*)\n\
             if mkdir {lab}/once 2>/dev/null; then\n\
             mkdir -p \"$(dirname {lock})\"; : >{lock}; : >{lab}/held\n\
             until test -e {lab}/go; do sleep 0.01; done\nrm {lock}\nfi;;\nesac\n\
             exec {real} \"$@\"\n"
        );
        stand_in(folder.path(), &script);
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self, world: &World) -> Child {
        with_git(world, self.folder.path(), &["wave", "run", "m"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Kills one engine while its git is held, lets the next one come to wait for that git, and then
    /// lets the git go on.
    fn cut(&self, world: &World) -> String {
        let mut first = self.start(world);
        until(&mut first, "git is held", |_| self.at("held").exists());
        first.kill().unwrap();
        first.wait().unwrap();
        let mut next = self.start(world);
        until(&mut next, "the next engine waits", waits);
        std::fs::write(self.at("go"), "").unwrap();
        let ended = next.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(0), "{said}");
        said
    }
}

/// Waits for an event that must come while the engine lives.
fn until(engine: &mut Child, what: &str, happened: impl Fn(&Child) -> bool) {
    while !happened(engine) {
        assert!(engine.try_wait().unwrap().is_none(), "it ended: {what}");
        std::thread::yield_now();
    }
}

/// Does it wait for a lock that somebody holds?
fn waits(engine: &Child) -> bool {
    let pid = engine.id().to_string();
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next() == Some("->") && words.any(|word| word == pid)
    })
}

fn one_task() -> World {
    let world = world();
    milestone(&world, "m", "", &[task("a", "")]);
    world
}

#[track_caller]
fn is_whole(world: &World, lock: &Path) {
    assert_eq!(stands(world, "m", "a"), "merged");
    assert_eq!(world.read("a.txt"), "a\n");
    assert_eq!(
        world.git(&["rev-parse", "HEAD"]),
        world.git(&["rev-parse", "proofhouse/m"])
    );
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert!(!lock.exists());
    world.run(&["audit"]).exits(0);
}

#[test]
fn the_step_of_the_users_branch_is_never_half_done() {
    let world = one_task();
    let lock = ".git/index.lock";
    let said = Slow::new(&world, "merge --quiet --ff-only", lock).cut(&world);
    assert!(!said.contains("left alone"), "{said}");
    is_whole(&world, &world.at(lock));
}

#[test]
fn the_branch_of_the_waves_is_set_once() {
    let world = one_task();
    let lock = ".git/refs/heads/proofhouse/m.lock";
    let slow = Slow::new(&world, "update-ref refs/heads/proofhouse/m", lock);
    slow.cut(&world);
    is_whole(&world, &world.at(lock));
}

#[test]
fn a_worktree_that_is_being_made_is_waited_for() {
    let world = one_task();
    let lock = ".git/worktrees/unrelated.lock";
    Slow::new(&world, "worktree add --quiet --detach", lock).cut(&world);
    is_whole(&world, &world.at(lock));
}

/// Everything was killed at once, or the power failed: locks of ours lie there, and nobody is at work.
#[test]
fn locks_that_nobody_holds_stop_no_wave() {
    let world = one_task();
    let lock = world.at(".git/refs/heads/proofhouse/m.lock");
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    std::fs::write(&lock, "half a ha").unwrap();
    let run = world.at(".git/refs/proofhouse/m-a.lock");
    std::fs::create_dir_all(run.parent().unwrap()).unwrap();
    std::fs::write(&run, "").unwrap();
    world.run(&["wave", "run", "m"]).exits(0);
    is_whole(&world, &lock);
    assert!(!run.exists());
}

/// Engines of which each falls so many gits later than the one before it, until one has no further:
/// before that git does anything, or right after it has, with the git itself.
fn falls_again_and_again(world: &World, args: &[&str], later: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (real, lab) = (real_git(), folder.path().display());
    let real = real.display();
    let script = format!(
        "#!/bin/sh\nlife=$(cat {lab}/life)\nn=1\n\
         while ! mkdir {lab}/$life-$n 2>/dev/null; do n=$((n+1)); done\n\
         if test $n -eq $life; then\n\
         test $((life / {later} % 2)) -eq 1 || {real} \"$@\" >/dev/null 2>&1\n\
         kill -9 $PPID $$\nfi\nexec {real} \"$@\"\n"
    );
    stand_in(folder.path(), &script);
    for life in (1..).map(|nth| nth * later) {
        std::fs::write(folder.path().join("life"), life.to_string()).unwrap();
        let mut engine = with_git(world, folder.path(), args);
        let ended = engine.output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            Some(0) => {
                assert!(life > 5 * later, "it did not fall often: {life}");
                return;
            }
            // Killed.
            None => {}
            Some(code) => panic!("life {life} ended with {code}: {said}"),
        }
    }
}

#[test]
fn a_wave_that_falls_at_its_gits_goes_on_by_itself() {
    let world = one_task();
    falls_again_and_again(&world, &["wave", "run", "m"], 1);
    is_whole(&world, &world.at(".git/index.lock"));
    assert_eq!(world.git(&["fsck", "--no-dangling"]), "");
    assert_eq!(worktrees(&world), ["_integration-m"]);
    assert_eq!(count(&world, "m", "task_failed.v1"), 0);
    assert_eq!(count(&world, "m", "task_put_back.v1"), 0);
}

#[test]
fn a_run_that_falls_at_its_gits_goes_on_by_itself() {
    let world = World::new();
    world.start(HONEST, &[]);
    // A checkpoint that is lost again and again goes to a person.
    falls_again_and_again(&world, &["run", "t"], 4);
    assert_eq!(world.status()["state"], "done");
    assert_eq!(world.git(&["fsck", "--no-dangling"]), "");
    let status = world.git(&["status", "--porcelain"]);
    assert!(!status.contains("tmp-"), "{status}");
    world.run(&["audit"]).exits(0);
}
