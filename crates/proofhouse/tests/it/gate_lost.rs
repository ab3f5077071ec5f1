//! An engine that is killed in the middle of a gate, and not of an attempt: nobody's work is paid for
//! again, the gate is run again, and what was lost is no failure of anybody.

use crate::support::{HONEST, World};
use serde_json::Value;
use std::process::Stdio;

/// A check that hangs for so many seconds if nobody has met it yet.
fn hangs(seconds: u32) -> String {
    format!(
        "if [ ! -e agent/met ]; then : > agent/met; exec sleep {seconds}; fi\ngrep -q good code.txt\n"
    )
}

/// A run with this check.
fn begun() -> World {
    let world = World::new();
    world.write("agent/check.sh", &hangs(86_397));
    let script = format!("log = \"agent.log\"\n{HONEST}");
    world.start_checked(&script, "sh agent/check.sh", &[]);
    world
}

/// What is the same however it came to its end: what was counted, and who worked.
fn counted(world: &World) -> (Value, Vec<String>, usize) {
    let mut budgets = world.status()["budgets"].clone();
    budgets["wall_millis"] = Value::Null;
    let log = world.read("agent/agent.log");
    let finished = log.lines().filter(|line| line.starts_with("finish "));
    let word = |line: &str| {
        let mut words = line.split(' ').filter(|word| word.starts_with("state="));
        words.next().unwrap().to_owned()
    };
    let moves = world.journal().into_iter();
    let moves = moves.filter(|record| record["kind"] == "moved.v1").count();
    (budgets, finished.map(word).collect(), moves)
}

fn is_running(command: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    lines.any(|line| {
        String::from_utf8_lossy(&line)
            .replace('\0', " ")
            .contains(command)
    })
}

/// Begins the run, and kills its engine when somebody has met the check that hangs.
#[track_caller]
fn killed_at_its_check(world: &World) {
    let mut run = world.command(&["run", "t"]);
    let mut child = run
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !world.at("agent/met").exists() {
        assert!(child.try_wait().unwrap().is_none(), "nobody met the check");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Ships, and then asks.
const SHIPPED: &str = r#"name = "shipped"
about = "made, shipped and looked at"
initial = "make"
[role.coder]
can = ["read", "edit"]
about = "makes it"
[state.make]
kind = "work"
role = "coder"
brief = "b.md"
passes = 3
gate = [
    { check = "deployed", file = "repo/TARGET.md" },
    { check = "command", from = "commands" },
]
[state.done]
kind = "end"
[[transition]]
action = "made"
from = "make"
to = "done"
by = "engine"
when = "gate.pass"
[task]
state_file = "STATE.md"
phase_field = "Phase"
files = ["STATE.md"]
[[task.field]]
name = "Phase"
engine = "state"
"#;

#[test]
fn what_a_gate_had_shipped_before_it_was_lost_is_not_shipped_again() {
    let world = World::new();
    world.write(".proofhouse/workflows/shipped/workflow.toml", SHIPPED);
    world.write(".proofhouse/workflows/shipped/b.md", "Make it good.");
    world.write(
        ".proofhouse/workflows/shipped/task/STATE.md",
        "Phase: make\n",
    );
    world.write("TARGET.md", "The folder.\n");
    world.write("agent/live/log", "begun\n");
    let deploy =
        "[deploy]\nfolder = \"agent/live\"\ncommand = \"echo shipped >> agent/live/log\"\n";
    world.write(".proofhouse/config.toml", deploy);
    world.write("agent/check.sh", &hangs(86_398));
    world.write(".gitignore", "agent/\n");
    let script = "[[attempt]]\nsteps = [{ write = \"repo/code.txt\", text = \"good\\n\" }]\nresult = { summary = \"made\" }\n";
    world.write("agent/script.toml", script);
    let check = ["--check", "sh agent/check.sh"];
    let agent = ["--agent", "scripted:agent/script.toml"];
    let new = ["new", "shipped", "--dir", "tasks/t"];
    world.run(&[&new[..], &check, &agent].concat()).exits(0);
    killed_at_its_check(&world);
    assert_eq!(world.read("agent/live/log"), "begun\nshipped\n");
    world.run(&["run", "t"]).exits(0);
    assert_eq!(world.read("agent/live/log"), "begun\nshipped\n");
    let judged = world.judged("t");
    assert!(
        judged.contains("since a gate that was lost after it had shipped"),
        "{judged}"
    );
}

#[test]
fn a_gate_that_was_lost_is_run_again_and_counts_as_no_failure() {
    let calm = begun();
    calm.write("agent/met", "");
    calm.run(&["run", "t"]).exits(0);

    let world = begun();
    killed_at_its_check(&world);
    let begun = world.journal();
    let last = begun.last().unwrap().clone();
    assert_eq!(last["kind"], "effect_began.v1", "{last}");
    assert_eq!(last["body"]["kind"], "gate", "{last}");

    world.run(&["run", "t"]).exits(0);
    let journal = world.journal();
    let lost: Vec<&Value> = journal
        .iter()
        .filter(|record| record["kind"] == "effect_lost.v1")
        .collect();
    assert_eq!(lost.len(), 1, "{lost:#?}");
    assert_eq!(lost[0]["body"]["effect"], last["body"]["effect"]);
    // The same gate begins anew, under a number of its own, with no attempt between the two.
    let after = &journal[begun.len()..];
    let next = after
        .iter()
        .find(|record| record["kind"] == "effect_began.v1")
        .unwrap();
    assert_eq!(next["body"]["kind"], "gate", "{next}");
    assert_eq!(next["body"]["state"], last["body"]["state"]);
    assert_ne!(next["body"]["effect"], last["body"]["effect"]);
    let ends = |record: &&Value| {
        record["kind"] == "gate_ended.v1" && record["body"]["effect"] == last["body"]["effect"]
    };
    assert!(!journal.iter().any(|record| ends(&record)));
    // Nothing failed, nothing was counted that would not have been, and nobody worked twice.
    let failed = journal.iter().filter(|record| {
        let results = record["body"]["results"].as_array();
        results.is_some_and(|all| all.iter().any(|one| one["verdict"] != "pass"))
    });
    assert_eq!(failed.count(), 0);
    assert_eq!(counted(&world), counted(&calm));
    assert!(!is_running("sleep 86397"), "the old check is gone");
    world.run(&["audit"]).exits(0);
}
