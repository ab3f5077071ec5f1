//! Other processes: seeing, signalling, tracing and outliving them.

use super::{Cell, REACHED, reached, root, skip};
use crate::{alive, text, until};
use sandbox::this_machine;
use std::process::{Child, Command};

/// A process that stands for the engine, so that it may be hurt.
struct Victim(Child);

impl Victim {
    fn new() -> Self {
        Self(Command::new("sleep").arg("1000").spawn().unwrap())
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_engine_cannot_be_signalled() {
    let cell = Cell::new();
    cell.denies(&format!("kill -0 $ENGINE && echo {REACHED}"));
    let victim = Victim::new();
    cell.denies(&format!("kill -KILL {} && echo {REACHED}", victim.0.id()));
}

#[test]
fn the_engine_cannot_be_traced_or_read() {
    let cell = Cell::new();
    let victim = Victim::new();
    cell.denies(&format!("TRY='ptrace {}' $HELPER", victim.0.id()));
    cell.denies(&format!("TRY='vm_read {}' $HELPER", victim.0.id()));
}

#[test]
fn even_its_own_children_cannot_be_traced() {
    let cell = Cell::new();
    cell.denies("sleep 1000 & TRY=\"ptrace $!\" $HELPER");
}

#[test]
fn no_new_namespace_is_had() {
    let cell = Cell::new();
    cell.denies(&format!("unshare --user true && echo {REACHED}"));
    if root() {
        cell.denies(&format!("unshare --mount true && echo {REACHED}"));
        cell.denies("TRY=mount $HELPER");
    }
}

#[test]
fn odd_system_calls_are_refused() {
    let cell = Cell::new();
    for call in ["io_uring", "keyctl", "bpf", "userfaultfd"] {
        let script = format!("TRY={call} $HELPER");
        let confined = cell.confined(&script);
        assert!(!reached(&confined), "{call}: {}", text(&confined.output));
        let free = cell.free(&script);
        if !reached(&free) {
            // Nothing proven for this one: the kernel itself refuses it.
            skip(call);
        }
    }
}

#[test]
fn nobody_outlives_the_end() {
    if this_machine().pid.is_err() {
        return skip("a PID namespace");
    }
    let cell = Cell::new();
    let token = cell.inside.display().to_string();
    // Its own session, no parent, no environment: without a namespace, nothing ties it to us.
    let script = "( setsid env -i sh -c 'trap \"\" TERM HUP; : >up; while :; do sleep 1; done' \
                  \"$IN\" >/dev/null 2>&1 </dev/null & ) ; until [ -e up ]; do :; done";
    let ended = cell.confined(script);
    assert!(ended.exited_with(0) && ended.leftover >= 1, "{ended:?}");
    assert_eq!(with_argument(&token), Vec::<String>::new());
    std::fs::remove_file(cell.inside.join("up")).unwrap();
    cell.free(script);
    let survivors = with_argument(&token);
    for pid in &survivors {
        Command::new("kill").args(["-KILL", pid]).status().unwrap();
        until("the survivor is dead", || !alive(pid));
    }
    // Two, if it is seen between the fork and the start of its `sleep`.
    assert!(!survivors.is_empty(), "without a policy one survives");
}

fn with_argument(token: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        text(&line).split('\0').any(|word| word == token) && alive(pid)
    })
    .collect()
}
