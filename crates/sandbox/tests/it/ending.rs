//! Limits, cancelling, and the death of whole trees.

#[cfg(target_os = "linux")]
use crate::alive;
use crate::{run, sh, text, until};
use sandbox::{Cancel, Ended, Killed};
use std::time::Duration;
use tempfile::{TempDir, tempdir};

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn the_wall_limit_kills_and_is_recorded() {
    let dir = tempdir().unwrap();
    let mut launch = sh(dir.path(), "sleep 1000");
    launch.limits.wall = SHORT;
    let ended = run(&launch).unwrap();
    assert_eq!(ended.killed, Some(Killed::Wall(SHORT)));
    let sentence = Killed::Wall(Duration::from_secs(30)).to_string();
    assert_eq!(sentence, "killed by Proofhouse: wall limit of 30 s");
}

#[test]
fn a_kill_is_a_kill_even_with_exit_code_zero() {
    let dir = tempdir().unwrap();
    let script = "trap 'echo sorry; exit 0' TERM; touch ready; while :; do sleep 0.01; done";
    let ended = cancelled_when_ready(&dir, script);
    assert_eq!(
        (ended.exit, ended.killed),
        (Some(0), Some(Killed::Cancelled))
    );
    assert_eq!(text(&ended.stdout), "sorry\n");
    assert!(!ended.exited_with(0));
}

#[test]
fn an_endless_writer_meets_its_wall_limit() {
    let dir = tempdir().unwrap();
    let mut launch = sh(dir.path(), "while :; do echo y; done");
    launch.limits.wall = SHORT;
    launch.limits.output_bytes = 1000;
    assert_eq!(run(&launch).unwrap().killed, Some(Killed::Wall(SHORT)));
}

#[test]
fn silence_meets_the_idle_limit() {
    let dir = tempdir().unwrap();
    let mut launch = sh(dir.path(), "echo said; sleep 1000");
    launch.limits.idle = Some(SHORT);
    assert_eq!(run(&launch).unwrap().killed, Some(Killed::Idle(SHORT)));
}

#[test]
fn a_child_that_ignores_term_dies_by_kill() {
    let dir = tempdir().unwrap();
    let script = "trap '' TERM; touch ready; while :; do sleep 0.05; done";
    let ended = cancelled_when_ready(&dir, script);
    assert_eq!(
        (ended.signal, ended.killed),
        (Some(9), Some(Killed::Cancelled))
    );
}

#[test]
fn cancel_works_from_another_thread_and_before_the_start() {
    let dir = tempdir().unwrap();
    let ended = cancelled_when_ready(&dir, "touch ready; sleep 1000");
    assert_eq!(ended.killed, Some(Killed::Cancelled));

    let cancel = Cancel::new();
    cancel.clone().cancel();
    assert!(cancel.is_cancelled());
    let ended = sandbox::run(&sh(dir.path(), "touch begun"), &cancel).unwrap();
    assert_eq!((ended.exit, ended.killed), (None, Some(Killed::Cancelled)));
    assert!(!dir.path().join("begun").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn background_children_that_hold_the_pipes_are_killed() {
    let dir = tempdir().unwrap();
    let script = "sleep 1000 & echo $! >pid; echo done; exit 4";
    let ended = run(&sh(dir.path(), script)).unwrap();
    assert_eq!((ended.exit, ended.killed), (Some(4), None));
    assert_eq!((ended.leftover, ended.survivors), (1, 0));
    assert_eq!(text(&ended.stdout), "done\n");
    assert!(!alive(
        &std::fs::read_to_string(dir.path().join("pid")).unwrap()
    ));
}

/// When the script has made the file `ready`, it is cancelled.
fn cancelled_when_ready(dir: &TempDir, script: &str) -> Ended {
    let launch = sh(dir.path(), script);
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| sandbox::run(&launch, &cancel).unwrap());
        until("the child is ready", || dir.path().join("ready").exists());
        cancel.cancel();
        running.join().unwrap()
    })
}

/// A process in its own session (pid in the file `pid`) is dead when the run is over.
#[cfg(target_os = "linux")]
fn gone(dir: &TempDir, ended: &Ended) {
    let pid = std::fs::read_to_string(dir.path().join("pid")).unwrap();
    assert!(!alive(&pid), "{pid} lives");
    assert!(ended.leftover >= 1 && ended.survivors == 0, "{ended:?}");
}

#[cfg(target_os = "linux")]
const WAIT: &str = "until [ -s pid ]; do sleep 0.01; done";

#[test]
#[cfg(target_os = "linux")]
fn a_grandchild_in_its_own_session_does_not_outlive_the_run() {
    let away = "setsid sh -c 'trap \"\" TERM HUP; echo $$ >pid; while :; do sleep 1; done' \
                >/dev/null 2>&1 </dev/null &";
    // The second is twice away: its parent is gone, too.
    for script in [
        format!("{away} {WAIT}"),
        format!("( ( {away} ) & ) ; {WAIT}"),
    ] {
        let dir = tempdir().unwrap();
        let ended = run(&sh(dir.path(), &script)).unwrap();
        assert!(ended.exited_with(0));
        gone(&dir, &ended);
    }
    let dir = tempdir().unwrap();
    let script = format!("{away} {WAIT}; touch ready; sleep 1000");
    gone(&dir, &cancelled_when_ready(&dir, &script));
}

#[test]
#[cfg(target_os = "linux")]
fn a_cleared_environment_does_not_hide_a_descendant() {
    // In the session: found by session. Out of it with its parent alive: found by descent.
    let inside = "env -i sh -c 'echo $$ >pid; exec sleep 1000' &";
    let dir = tempdir().unwrap();
    gone(
        &dir,
        &run(&sh(dir.path(), &format!("{inside} {WAIT}"))).unwrap(),
    );
    let outside = "setsid env -i sh -c 'echo $$ >pid; exec sleep 1000' &";
    let dir = tempdir().unwrap();
    let script = format!("{outside} {WAIT}; touch ready; sleep 1000");
    gone(&dir, &cancelled_when_ready(&dir, &script));
}
