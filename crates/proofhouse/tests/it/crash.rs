//! Killed, interrupted, started twice: nothing is lost and nothing is paid for twice.

use crate::support::{HONEST, World};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Spawns `run t` and reads its output until a line contains `text`.
#[allow(clippy::zombie_processes, reason = "every caller waits for the child")]
pub(crate) fn spawn_until(
    world: &World,
    text: &str,
) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = world
        .command(&["run", "t"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    loop {
        line.clear();
        assert!(
            out.read_line(&mut line).unwrap() > 0,
            "it ended before `{text}`"
        );
        if line.contains(text) {
            return (child, out);
        }
    }
}

/// An agent that never comes back from its work in this state.
pub(crate) fn hangs(state: &str) -> String {
    let never = "steps = [{ hang = true }]\nresult = { summary = \"never\" }";
    format!("[[attempt]]\nstate = \"{state}\"\n{never}\n")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// A slow agent: it waits in every attempt, and keeps a log of its own.
fn slow() -> String {
    let script = HONEST.replacen("text = \"good\\n\"", "text = \"still bad\\n\"", 1);
    let script = script.replace("steps = [", "steps = [{ wait = 0.06 }, ");
    format!("log = \"agent.log\"\n{script}")
}

/// What must be the same however often a run was killed.
fn essence(world: &World) -> (String, Vec<String>, Vec<String>) {
    let state: Vec<String> = world
        .read("tasks/t/STATE.md")
        .lines()
        .filter(|line| !line.starts_with("Last updated") && !line.starts_with("Evidence link"))
        .map(str::to_owned)
        .collect();
    let status = world.status();
    let attempts = status["attempts"].as_array().unwrap().iter();
    let paid = attempts.filter(|attempt| attempt["ended"] != "lost");
    let paid = paid
        .map(|attempt| format!("{} {}", attempt["state"], attempt["ended"]))
        .collect();
    (world.read("code.txt"), state, paid)
}

#[test]
fn killed_25_times_it_pays_for_no_finished_attempt_twice_and_ends_the_same() {
    let undisturbed = World::new();
    undisturbed.start(&slow(), &[]);
    undisturbed.run(&["run", "t"]).exits(0);
    let want = essence(&undisturbed);
    // A fixed sequence, so that a failure can be repeated; the machine's timing is chance enough.
    let mut seed = 0x9e37_79b9_u64;
    let mut random = move |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut kills = 0;
    while kills < 25 {
        let world = World::new();
        world.start(&slow(), &["--budget", "attempts=200"]);
        loop {
            let mut child = world
                .command(&["run", "t"])
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let lines = random(14);
            let mut out = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            for _ in 0..lines {
                line.clear();
                if out.read_line(&mut line).unwrap() == 0 {
                    break;
                }
            }
            // A random moment after that line is the very point of this test.
            std::thread::sleep(std::time::Duration::from_millis(random(70)));
            let ended = child.try_wait().unwrap().is_some();
            if kills < 25 && !ended {
                child.kill().unwrap();
                kills += 1;
            }
            std::io::copy(&mut out, &mut std::io::sink()).unwrap();
            let code = child.wait().unwrap();
            if code.success() {
                break;
            }
            assert_eq!(
                code.code(),
                None,
                "it ended by itself, and not well: {:#}",
                world.status()
            );
        }
        assert_eq!(essence(&world), want);
        each_finished_once(&world.read("agent/agent.log"));
        world.run(&["audit"]).exits(0);
    }
}

/// The agent's own log: nothing that it had finished was begun again.
fn each_finished_once(log: &str) {
    let mut finished: Vec<String> = Vec::new();
    for line in log.lines() {
        let which: Vec<&str> = line
            .split_whitespace()
            .filter(|word| word.starts_with("state=") || word.starts_with("nth="))
            .collect();
        let which = which.join(" ");
        if line.starts_with("start ") {
            assert!(
                !finished.contains(&which),
                "{which} was begun again after it had finished:\n{log}"
            );
        } else if line.starts_with("finish ") {
            finished.push(which);
        }
    }
    assert!(
        finished.len() >= 6,
        "the log should show the whole run:\n{log}"
    );
}

#[test]
fn an_attempt_that_ended_while_the_engine_was_dead_is_found_and_not_repeated() {
    let world = World::new();
    world.write("agent/agent.sh", r#"#!/bin/sh
echo "start $PROOFHOUSE_STATE" >> "$LOG_DIR/agent.log"
cd "$PROOFHOUSE_TASK_DIR"
sed -i 's/^Not doing:.*/Not doing: much/; s/^Reality constraints:.*/Reality constraints: few/' STATE.md
echo '{"summary": "framed"}' > "$PROOFHOUSE_RESULT.tmp"
mv "$PROOFHOUSE_RESULT.tmp" "$PROOFHOUSE_RESULT"
echo "left $PROOFHOUSE_STATE" >> "$LOG_DIR/agent.log"
exec sleep 1000
"#);
    let script = world
        .read("agent/agent.sh")
        .replace("$LOG_DIR", world.at("agent").to_str().unwrap());
    world.write("agent/agent.sh", &script);
    world.write(".gitignore", "agent/\n");
    let agent = format!("command:sh {}", world.at("agent/agent.sh").display());
    world.start_by(&agent, "true", &[]);
    let (mut child, _out) = spawn_until(&world, "attempt e0001");
    let log = world.at("agent/agent.log");
    while !std::fs::read_to_string(&log)
        .unwrap_or_default()
        .contains("left intake")
    {
        assert!(
            child.try_wait().unwrap().is_none(),
            "it ended before its agent did"
        );
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    world
        .run(&["run", "t", "--once", "--agent", "scripted:agent/none.toml"])
        .refuses(1, "script_missing");
    world.write(
        "agent/stop.toml",
        "[[attempt]]\nresult = { summary = \"nothing\" }\n",
    );
    world.run(&[
        "run",
        "t",
        "--once",
        "--agent",
        &agent.replace("agent.sh", "missing.sh"),
    ]);
    let ended: Vec<_> = world
        .journal()
        .into_iter()
        .filter(|record| record["kind"] == "attempt_ended.v1")
        .collect();
    assert_eq!(ended[0]["body"]["found"], "after_restart", "{ended:#?}");
    assert_eq!(
        world
            .read("agent/agent.log")
            .matches("start intake")
            .count(),
        1
    );
    assert_eq!(world.status()["state"], "shape");
}

#[test]
fn ctrl_c_stops_cleanly_and_says_how_to_go_on() {
    let world = World::new();
    world.start(
        "[[attempt]]\nsteps = [{ hang = true }]\nresult = { summary = \"never\" }\n",
        &[],
    );
    let (child, out) = spawn_until(&world, "attempt e0001");
    signal(&child, "-INT");
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("proofhouse resume t"), "{said}");
    let status = world.status();
    assert_eq!(status["attempts"][0]["ended"], "lost");
    assert_eq!(status["in_flight"], serde_json::json!([]));
    world.write("agent/script.toml", HONEST);
    world.run(&["resume", "t"]).exits(0);
}

#[test]
fn a_second_engine_on_the_same_run_is_refused() {
    let world = World::new();
    world.start(
        "[[attempt]]\nsteps = [{ hang = true }]\nresult = { summary = \"never\" }\n",
        &[],
    );
    let (mut child, _out) = spawn_until(&world, "attempt e0001");
    world.run(&["run", "t"]).refuses(1, "run_busy");
    assert_eq!(world.status()["driven"], true);
    let said = world.run(&["status"]);
    assert!(said.out.contains("working"), "{}", said.out);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(world.status()["driven"], false);
    let said = world.run(&["status", "t"]);
    assert!(said.out.contains("ready to run"), "{}", said.out);
    assert!(said.out.contains("next: proofhouse run t"), "{}", said.out);
    world.write("agent/script.toml", HONEST);
    world.run(&["run", "t"]).exits(0);
}

#[test]
fn a_person_can_stop_a_run_while_an_agent_works() {
    let world = World::new();
    world.start(
        "[[attempt]]\nsteps = [{ run = \"sleep 1000\" }]\nresult = { summary = \"never\" }\n",
        &[],
    );
    let key = world.approver("ann");
    let (child, out) = spawn_until(&world, "attempt e0001");
    world.decide(&key, "stop").exits(0);
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let late = world
        .journal()
        .into_iter()
        .filter(|record| record["kind"] == "late_dropped.v1")
        .count();
    assert_eq!(
        late + world
            .journal()
            .iter()
            .filter(|record| record["kind"] == "effect_lost.v1")
            .count(),
        1
    );
    assert_eq!(world.status()["activity"], "stopped");
}

#[test]
fn a_torn_last_line_is_cut_noted_and_kept() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t", "--once"]).exits(0);
    let path = world.at(".proofhouse/journal/t.jsonl");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"at\":\"2026-");
    std::fs::write(&path, bytes).unwrap();
    let audit = world.run(&["audit", "t"]).exits(1);
    assert!(audit.out.contains("torn_tail"), "{}", audit.out);
    let said = world.run(&["run", "t"]).exits(0);
    assert!(
        said.out.contains("torn last line (12 bytes)"),
        "{}",
        said.out
    );
    assert_eq!(
        world
            .journal()
            .iter()
            .filter(|record| record["kind"] == "tail_cut.v1")
            .count(),
        1
    );
    world.run(&["audit", "t"]).exits(0);
    let kept = std::fs::read_dir(world.at(".proofhouse/journal"))
        .unwrap()
        .flatten();
    assert_eq!(
        kept.filter(|entry| entry.file_name().to_string_lossy().contains(".torn-"))
            .count(),
        1
    );
}

#[test]
fn deleting_the_checkpoint_changes_nothing() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    let with = world.status();
    let _ = std::fs::remove_file(world.at(".proofhouse/journal/t.checkpoint.json"));
    assert_eq!(world.status(), with);
}
