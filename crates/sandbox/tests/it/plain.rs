//! Exit codes, environment, input, output, and what cannot be started.

use crate::{limits, run, sh, text};
use sandbox::{Launch, base_env};
use std::os::unix::fs::PermissionsExt;
use tempfile::tempdir;

#[test]
fn exit_code_and_both_streams_are_reported() {
    let dir = tempdir().unwrap();
    let ended = run(&sh(dir.path(), "echo out; echo err >&2; pwd -P; exit 7")).unwrap();
    assert_eq!(
        (ended.exit, ended.signal, ended.killed),
        (Some(7), None, None)
    );
    let here = dir.path().canonicalize().unwrap();
    assert_eq!(text(&ended.stdout), format!("out\n{}\n", here.display()));
    assert_eq!(text(&ended.stderr), "err\n");
    assert_eq!(ended.output.len(), ended.stdout.len() + ended.stderr.len());
    assert!(!ended.truncated && ended.leftover == 0 && ended.survivors == 0);
    assert!(ended.exited_with(7) && !ended.exited_with(0));
}

#[test]
fn a_signal_is_not_an_exit_code() {
    let dir = tempdir().unwrap();
    let ended = run(&sh(dir.path(), "kill -SEGV $$")).unwrap();
    assert_eq!(
        (ended.exit, ended.signal, ended.killed),
        (None, Some(11), None)
    );
}

#[test]
fn nothing_of_our_environment_is_inherited() {
    let dir = tempdir().unwrap();
    let mut launch = sh(dir.path(), "env");
    launch.env = [("PATH", "/usr/bin:/bin"), ("GIVEN", "yes")]
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .into();
    let output = text(&run(&launch).unwrap().stdout);
    let mut names: Vec<&str> = output
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    // What shells set for themselves.
    names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["GIVEN", "PATH", "PROOFHOUSE_TREE"]);
    // Cargo sets this for every test it runs; keys and tokens come the same way.
    assert!(!base_env().contains_key("CARGO_MANIFEST_DIR"));
}

#[test]
fn there_is_no_terminal_and_an_own_session() {
    let dir = tempdir().unwrap();
    let ended = run(&sh(dir.path(), "read line; echo \"read: $?\"; : </dev/tty")).unwrap();
    assert!(text(&ended.stdout).contains("read: 1"));
    assert_ne!(ended.exit, Some(0));
}

#[test]
fn standard_input_is_delivered_whole() {
    let dir = tempdir().unwrap();
    let mut launch = sh(dir.path(), "wc -c");
    launch.stdin = vec![b'x'; 3_000_000];
    assert_eq!(text(&run(&launch).unwrap().stdout).trim(), "3000000");
}

#[test]
fn input_that_nobody_reads_does_not_hang() {
    let dir = tempdir().unwrap();
    for script in ["exit 3", "exec <&-; echo closed; exit 3"] {
        let mut launch = sh(dir.path(), script);
        launch.stdin = vec![b'x'; 3_000_000];
        assert_eq!(run(&launch).unwrap().exit, Some(3));
    }
}

#[test]
fn fifty_megabytes_of_output_stay_under_the_cap() {
    let dir = tempdir().unwrap();
    let script = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo last";
    let mut launch = sh(dir.path(), script);
    launch.limits.output_bytes = 100_000;
    let ended = run(&launch).unwrap();
    assert!(ended.exited_with(0) && ended.truncated);
    for kept in [&ended.output, &ended.stdout] {
        assert!(kept.len() < 100_100 && kept.capacity() < 400_000);
        let kept = text(kept);
        assert!(kept.starts_with("first\n") && kept.ends_with("last\n"));
        assert!(kept.contains("[Proofhouse left out 49900011 bytes here]"));
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    let dir = tempdir().unwrap();
    let at = |argv: &[&str]| {
        let argv = argv.iter().map(|word| word.to_string()).collect();
        let error = run(&Launch::new(argv, dir.path(), base_env(), limits())).unwrap_err();
        (error.code(), error.to_string())
    };
    let script = |name: &str, content: &str, mode: u32| {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    script("plain", "#!/bin/sh\n", 0o644);
    script("orphan", "#!/no/such/interpreter\n", 0o755);

    let (code, message) = at(&["no-such-program-here"]);
    assert_eq!(code, "program_not_found");
    assert!(message.contains("no-such-program-here") && message.contains("PATH"));
    assert_eq!(at(&["./plain"]).0, "program_not_executable");
    assert_eq!(at(&["./orphan"]).0, "program_not_executable");
    assert!(at(&["./orphan"]).1.contains("interpreter"));
    assert_eq!(at(&[]).0, "launch_failed");
    assert_eq!(at(&["sh", "-c", "a\0b"]).0, "launch_failed");

    let nowhere = dir.path().join("nowhere");
    let error = run(&sh(&nowhere, "true")).unwrap_err();
    assert_eq!(error.code(), "launch_failed");
    assert!(error.to_string().contains("nowhere"));
}

#[test]
fn many_launches_at_once_do_not_disturb_each_other() {
    let dir = tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let dir = dir.path();
            scope.spawn(move || {
                let ended = run(&sh(
                    dir,
                    &format!("sleep 0.1; echo {number}; exit {number}"),
                ));
                let ended = ended.unwrap();
                assert_eq!(ended.exit, Some(number));
                assert_eq!(text(&ended.stdout).trim(), number.to_string());
            });
        }
    });
}
