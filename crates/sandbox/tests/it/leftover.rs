//! What a killed Proofhouse leaves, and how the next one clears it up.
#![cfg(target_os = "linux")]

use crate::{alive, run, sh, until};
use sandbox::{Held, kill_leftover};
use std::fs::TryLockError;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tempfile::tempdir;

const FOLDER: &str = "LEFTOVER_TEST_FOLDER";

/// Not a test: the Proofhouse that gets killed, when `a_killed_proofhouse_...` starts it.
#[test]
#[ignore = "started by another test"]
fn proofhouse_to_be_killed() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let script = "setsid sh -c 'echo $$ >away; exec sleep 1000' >/dev/null 2>&1 & \
                  echo $$ >direct; sleep 1000";
    let mut launch = sh(folder, script);
    launch.pid_file = Some(folder.join("run.pid"));
    let _ = run(&launch);
}

/// Not a test: the same, with a program that is to finish.
#[test]
#[ignore = "started by another test"]
fn proofhouse_to_be_killed_that_has_given_its_turn() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let turn = std::fs::File::open(folder.join("turn")).unwrap();
    turn.lock().unwrap();
    let script = "echo $$ >direct; until [ -e go ]; do sleep 0.01; done; echo whole >work";
    let mut launch = sh(folder, script);
    launch.holds = Some(Held(Arc::new(turn)));
    let _ = run(&launch);
}

/// Starts one of the two above.
fn start(entry: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", entry])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn what_is_to_finish_does_so_without_us_and_its_turn_ends_with_it() {
    let dir = tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap_or_default();
    std::fs::write(at("turn"), "").unwrap();
    let entry = "leftover::proofhouse_to_be_killed_that_has_given_its_turn";
    let mut victim = start(entry, dir.path());
    until("it is up", || !read("direct").trim().is_empty());
    victim.kill().unwrap();
    victim.wait().unwrap();

    let turn = std::fs::File::open(at("turn")).unwrap();
    assert!(alive(&read("direct")));
    assert!(matches!(turn.try_lock(), Err(TryLockError::WouldBlock)));
    std::fs::write(at("go"), "").unwrap();
    turn.lock().unwrap();
    assert_eq!(read("work"), "whole\n");
}

#[test]
fn a_killed_proofhouse_leaves_nothing_that_the_next_cannot_clear() {
    let dir = tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
    let mut victim = start("leftover::proofhouse_to_be_killed", dir.path());
    until("its tree is up", || {
        !read("away").trim().is_empty()
            && !read("direct").trim().is_empty()
            && read("run.pid").starts_with(read("direct").trim())
    });
    victim.kill().unwrap();
    victim.wait().unwrap();

    // The parent-death signal takes the direct child; the one in its own session stays.
    until("the direct child is dead", || !alive(&read("direct")));
    assert!(alive(&read("away")));
    let pid_file = dir.path().join("run.pid");
    let killed = kill_leftover(&pid_file).unwrap();
    assert!(killed >= 1);
    assert!(!alive(&read("away")) && !pid_file.exists());
    assert_eq!(kill_leftover(&pid_file).unwrap(), 0);
}

#[test]
fn a_stranger_with_the_noted_pid_is_spared() {
    let dir = tempdir().unwrap();
    let pid_file = dir.path().join("run.pid");
    let mut stranger = Command::new("sleep").arg("1000").spawn().unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let boot: String = boot
        .chars()
        .filter(char::is_ascii_hexdigit)
        .take(12)
        .collect();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", stranger.id())).unwrap();
    let start = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19);
    let start: u64 = start.unwrap().parse().unwrap();
    // Another start time; and the right one, but of another boot.
    for note in [
        format!("{} {} {boot}-1-1-1\n", stranger.id(), start + 1),
        format!("{} {start} 000000000000-1-1-1\n", stranger.id()),
    ] {
        std::fs::write(&pid_file, note).unwrap();
        assert_eq!(kill_leftover(&pid_file).unwrap(), 0);
        assert!(alive(&stranger.id().to_string()));
    }
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_pid_file_that_is_not_ours_is_refused_and_kept() {
    let dir = tempdir().unwrap();
    let pid_file = dir.path().join("run.pid");
    for content in [
        "",
        "1",
        "1 2",
        "x 2 abcdefghijkl",
        "1 2 short",
        "-1 2 abcdefghijkl",
    ] {
        std::fs::write(&pid_file, content).unwrap();
        let error = kill_leftover(&pid_file).unwrap_err();
        assert_eq!(error.code(), "launch_failed");
        assert!(error.to_string().contains("run.pid") && pid_file.exists());
    }
}

#[test]
fn a_pid_file_exists_while_its_launch_does() {
    let dir = tempdir().unwrap();
    let pid_file = dir.path().join("run.pid");
    let mut launch = sh(dir.path(), "until grep -q \"^$$ \" run.pid; do :; done");
    launch.pid_file = Some(pid_file.clone());
    assert!(run(&launch).unwrap().exited_with(0));
    assert!(!pid_file.exists());

    launch.pid_file = Some(dir.path().join("no/such/folder/run.pid"));
    assert_eq!(run(&launch).unwrap_err().code(), "launch_failed");
    launch.pid_file = Some(pid_file.clone());
    launch.argv = vec!["no-such-program-here".into()];
    assert_eq!(run(&launch).unwrap_err().code(), "program_not_found");
    assert!(!pid_file.exists());
}
