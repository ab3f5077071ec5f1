//! A milestone's waiver of the sandbox is for the milestone's own runs. No other milestone has it, no
//! other run has it, and a run that only says so is found.

use super::{milestone, status, task, world};
use crate::support::World;
use serde_json::Value;

fn first(world: &World, run: &str) -> Value {
    let journal = world.read(&format!(".proofhouse/journal/{run}.jsonl"));
    let record: Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    record["body"].clone()
}

/// Writes a run's journal anew, with a start that says who waived its sandbox and through what.
fn claims(world: &World, run: &str, who: &str, through: &str) {
    world.rewrite(run, |mut entries| {
        entries[0].body["sandbox_waived_by"] = who.into();
        entries[0].body["sandbox_waived_through"] = through.into();
        entries
    });
    let checkpoint = format!(".proofhouse/journal/{run}.checkpoint.json");
    let _ = std::fs::remove_file(world.at(&checkpoint));
}

#[test]
fn a_waiver_of_a_milestone_covers_no_other_run() {
    let world = world();
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    milestone(&world, "m", "", &[task("a", "")]);
    milestone(&world, "n", "", &[task("b", "")]);
    let args = ["wave", "run", "m", "--waive-sandbox", "--sign", key];
    world.run(&args).exits(0);
    world.run(&["wave", "run", "n"]).exits(0);
    world.write(
        "agent/alone.toml",
        &super::script("{ write = \"repo/alone.txt\", text = \"x\" }"),
    );
    let alone = [
        "new",
        "trivial",
        "--dir",
        "tasks/alone",
        "--name",
        "alone",
        "--agent",
        "scripted:agent/alone.toml",
    ];
    world.run(&alone).exits(0);
    world.run(&["run", "alone"]).exits(0);
    assert_eq!(first(&world, "m-a")["sandbox_waived_by"], "ann@example.org");
    assert_eq!(status(&world, "n")["sandbox_waived_by"], Value::Null);
    for run in ["n-b", "alone"] {
        let started = first(&world, run);
        for member in [
            "sandbox_waived_by",
            "sandbox_waived_through",
            "sandbox_waiver_signature",
        ] {
            assert_eq!(started[member], Value::Null, "{run}: {started}");
        }
    }
    world.run(&["audit", "--ci"]).exits(0);
    // A run of another milestone, of none, by somebody else, and through a milestone without a waiver.
    for (run, who, of) in [
        ("n-b", "ann@example.org", "m"),
        ("alone", "ann@example.org", "m"),
        ("m-a", "bob@example.org", "m"),
        ("m-a", "ann@example.org", "n"),
        ("m-a", "ann@example.org", "nowhere"),
    ] {
        let kept = world.read(&format!(".proofhouse/journal/{run}.jsonl"));
        claims(&world, run, who, &format!("milestone {of}"));
        let said = world.run(&["audit", run, "--ci"]).exits(1);
        let words = format!("the milestone `{of}` has no such waiver for this run");
        assert!(said.out.contains("forged_decision"), "{}", said.out);
        assert!(said.out.contains(&words), "{words} is not in {}", said.out);
        world.write(&format!(".proofhouse/journal/{run}.jsonl"), &kept);
    }
    world.run(&["audit", "--ci"]).exits(0);
}
