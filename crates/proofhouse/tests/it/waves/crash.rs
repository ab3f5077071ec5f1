//! Waves that are killed, interrupted or started twice: nothing is lost, and nothing that had ended
//! runs again.

use super::{facts, milestone, script, stands, task, worktrees, world};
use crate::support::World;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

/// Starts `wave run m` and reads its output until a line contains the text.
#[allow(clippy::zombie_processes, reason = "every caller waits for the child")]
fn spawn_until(
    world: &World,
    text: &str,
) -> (std::process::Child, BufReader<std::process::ChildStdout>) {
    let mut child = world
        .command(&["wave", "run", "m"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(
            out.read_line(&mut line).unwrap() > 0,
            "it ended before `{text}`"
        );
    }
    (child, out)
}

/// A person's answer is taken up while the others still work, and nobody is told any more that they are asked.
#[test]
fn a_person_who_has_answered_is_not_asked_again() {
    let world = world();
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    let first = task("a", "autonomy = \"conservative\"");
    let waits = task("c", "autonomy = \"conservative\"");
    milestone(&world, "m", "", &[first, task("b", ""), waits]);
    let go = world.at("agent/go").display().to_string();
    let works = format!(
        "{{ run = \"until test -e {go}; do sleep 0.1; done\" }}, {{ write = \"repo/b.txt\", text = \"b\" }}"
    );
    world.write("agent/b.toml", &script(&works));
    let (mut child, mut out) = spawn_until(&world, "a: waits for a person");
    let yes = |run: &str| {
        let because = ["--because", "read it", "--sign", key];
        let args = [&["decide", run, "approve"][..], &because].concat();
        world.run(&args).exits(0);
    };
    yes("m-a");
    let mut line = String::new();
    while !line.contains("a: finished") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "it ended before");
    }
    let review = super::status(&world, "m")["review"].to_string();
    assert!(!review.contains("m-a") || review == "[]", "{review}");
    world.write("agent/go", "");
    std::io::copy(&mut out, &mut std::io::sink()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "c waits still");
    // Nobody drives the wave: its status says what the run says, and who goes on.
    yes("m-c");
    let now = super::status(&world, "m");
    assert_eq!(now["review"], serde_json::json!([]));
    let stands = stands(&world, "m", "c");
    assert_eq!(stands, "answered; `proofhouse wave run m` goes on");
    world.run(&["wave", "run", "m"]).exits(0);
    assert!(world.at("a.txt").exists() && world.at("c.txt").exists());
}

#[test]
fn of_two_conductors_one_is_refused() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "")]);
    world.write("agent/a.toml", &script("{ hang = true }"));
    let (mut child, _out) = spawn_until(&world, "a: claimed");
    world.run(&["wave", "run", "m"]).refuses(1, "wave_busy");
    world.run(&["wave", "close", "m"]).refuses(1, "wave_busy");
    assert_eq!(stands(&world, "m", "a"), "working");
    child.kill().unwrap();
    child.wait().unwrap();
    let told = stands(&world, "m", "a");
    assert_eq!(told, "nobody drives it; `proofhouse wave run m` goes on");
}

#[test]
fn it_goes_on_without_a_terminal_and_is_ended_by_name() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "")]);
    world.write("agent/a.toml", &script("{ hang = true }"));
    let said = world.run(&["wave", "run", "m", "--detach"]).exits(0);
    assert!(said.out.contains("proofhouse wave stop m"), "{}", said.out);
    world
        .run(&["wave", "run", "m", "--detach"])
        .refuses(1, "wave_busy");
    let said = world.run(&["wave", "stop", "m"]).exits(0);
    assert!(said.out.contains("proofhouse wave run m"), "{}", said.out);
    let said = world.run(&["wave", "stop", "m"]).exits(0);
    assert!(said.out.contains("nobody drives"), "{}", said.out);
    let plain = script("{ write = \"repo/a.txt\", text = \"a\" }");
    world.write("agent/a.toml", &plain);
    world.run(&["wave", "run", "m"]).exits(0);
    assert!(world.at("a.txt").exists());
    // What can be done at once is said as if it had been waited for.
    let said = world.run(&["wave", "run", "m", "--detach"]).exits(0);
    assert!(!said.out.is_empty());
}

fn agents_log(world: &World) -> String {
    std::fs::read_to_string(world.at("agent/agent.log")).unwrap_or_default()
}

#[test]
fn interrupted_it_gives_every_claim_back_and_goes_on_later() {
    let world = world();
    milestone(&world, "m", "", &[task("a", ""), task("b", "")]);
    world.write(
        "agent/a.toml",
        &script(
            "{ run = \"test -e a.go || sleep 1000\" }, { write = \"repo/a.txt\", text = \"a\" }",
        ),
    );
    let (child, mut out) = spawn_until(&world, "b: finished");
    while !agents_log(&world).contains("start run=m-a") {
        std::thread::yield_now();
    }
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    std::io::copy(&mut out, &mut std::io::sink()).unwrap();
    let mut child = child;
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(stands(&world, "m", "a"), "ready");
    assert_eq!(stands(&world, "m", "b"), "finished");
    let plain = script("{ write = \"repo/a.txt\", text = \"a\" }");
    world.write("agent/a.toml", &plain);
    world.run(&["wave", "run", "m"]).exits(0);
    let log = agents_log(&world);
    assert_eq!(log.matches("start run=m-b ").count(), 1, "{log}");
    world.run(&["audit"]).exits(0);
}

/// `kill -9` at moments all over a wave: nothing lost, nothing that had ended run again.
#[test]
fn killed_again_and_again_nothing_is_lost_and_nothing_runs_twice() {
    const TASKS: usize = 6;
    /// So often it is killed at the least: until then the last task does not end.
    const HELD: usize = 9;
    const KILLS: usize = 12;
    let mut seed = 0x2545_f491_u64;
    let mut random = move |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let world = world();
    let tasks: Vec<String> = (0..TASKS)
        .map(|n| {
            task(
                &format!("t{n}"),
                if n < 4 {
                    ""
                } else {
                    "depends_on = [\"t0\", \"t1\"]"
                },
            )
        })
        .collect();
    milestone(&world, "m", "jobs = 3\n", &tasks);
    let slow = |n: usize| {
        format!("{{ wait = 0.05 }}, {{ write = \"repo/t{n}.txt\", text = \"t{n}\\n\" }}")
    };
    for n in 0..TASKS {
        world.write(&format!("agent/t{n}.toml"), &script(&slow(n)));
    }
    let last = format!("agent/t{}.toml", TASKS - 1);
    world.write(&last, &script("{ hang = true }"));
    let mut kills = 0;
    loop {
        if kills == HELD {
            world.write(&last, &script(&slow(TASKS - 1)));
        }
        let mut child = world
            .command(&["wave", "run", "m"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in out.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        for _ in 0..random(12) {
            // While the last task is held, there is nothing more to say at some time.
            if lines.recv_timeout(Duration::from_millis(500)).is_err() {
                break;
            }
        }
        // A random moment after that line is the very point of this test.
        std::thread::sleep(Duration::from_millis(random(60)));
        if kills < KILLS && child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        reader.join().unwrap();
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            break;
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            output.status.code(),
            None,
            "it ended by itself, and not well:\n{said}"
        );
    }
    assert!(kills >= HELD, "only {kills} kills");
    for n in 0..TASKS {
        assert_eq!(world.read(&format!("t{n}.txt")), format!("t{n}\n"));
        let merged = facts(&world, "m").into_iter().filter(|one| {
            one["kind"] == "task_merged.v1" && one["body"]["task"] == format!("t{n}")
        });
        assert_eq!(merged.count(), 1, "t{n}");
    }
    each_finished_once(&agents_log(&world), TASKS);
    assert_eq!(worktrees_of_runs(&world), Vec::<String>::new());
    world.run(&["audit"]).exits(0);
    world.git(&["fsck", "--no-dangling"]);
}

/// What a kill cut short may be begun again; what had finished may not.
#[track_caller]
fn each_finished_once(log: &str, runs: usize) {
    let mut finished = std::collections::BTreeSet::new();
    for line in log.lines() {
        let run = line
            .split_whitespace()
            .find(|word| word.starts_with("run="))
            .unwrap();
        if line.starts_with("start ") {
            assert!(!finished.contains(run), "{run} was begun again:\n{log}");
        } else {
            assert!(
                finished.insert(run.to_owned()),
                "{run} finished twice:\n{log}"
            );
        }
    }
    assert_eq!(finished.len(), runs, "{log}");
}

fn worktrees_of_runs(world: &World) -> Vec<String> {
    // One that a kill left between its merge and its removal is gc's.
    world.run(&["gc"]).exits(0);
    worktrees(world)
}

/// A kill between the end of a wave and the step of the user's branch leaves only the step to do.
#[test]
fn a_branch_that_was_not_moved_any_more_is_moved_by_the_next_run() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "")]);
    world.write(
        "agent/a.toml",
        &script("{ write = \"repo/a.txt\", text = \"a\" }"),
    );
    world.git(&["branch", "before"]);
    world.run(&["wave", "run", "m"]).exits(0);
    let merged = world.git(&["rev-parse", "HEAD"]);
    world.git(&["reset", "--quiet", "--hard", "before"]);
    assert!(!world.at("a.txt").exists());
    let again = world.run(&["wave", "run", "m"]).exits(0);
    assert!(again.err.contains("was moved forward to"), "{}", again.err);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), merged);
    assert_eq!(world.read("a.txt"), "a");
    // Nothing is left to say.
    let done = world.run(&["wave", "run", "m"]).exits(0);
    assert!(!done.err.contains("moved"), "{}", done.err);
}
