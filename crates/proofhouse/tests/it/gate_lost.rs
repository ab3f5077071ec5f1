//! An engine that is killed in the middle of a gate, and not of an attempt: nobody's work is paid for
//! again, the gate is run again, and what was lost is no failure of anybody.

use crate::support::{HONEST, World};
use serde_json::Value;
use std::process::Stdio;

/// A run whose check hangs as long as nobody has met it.
fn begun() -> World {
    let world = World::new();
    world.write(
        "agent/check.sh",
        "if [ ! -e agent/met ]; then : > agent/met; exec sleep 86397; fi\ngrep -q good code.txt\n",
    );
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

#[test]
fn a_gate_that_was_lost_is_run_again_and_counts_as_no_failure() {
    let calm = begun();
    calm.write("agent/met", "");
    calm.run(&["run", "t"]).exits(0);

    let world = begun();
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
