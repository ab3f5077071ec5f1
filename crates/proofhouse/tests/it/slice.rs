//! The `slice` workflow through the real binary: what its tests share, and the way from intake to done.
//! What agents do is data, in `data/slice/`: each file plays before the diligent agents of `happy.toml`.

mod context;
mod counted;
mod history;
mod judged;
mod people;
mod snapshots;

use crate::support::World;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

fn data(name: &str) -> String {
    let path = format!(
        "{}/tests/data/slice/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A repository with a greeting that greets nobody, and a run `t` of these agents.
fn begin(transcript: &str) -> World {
    begin_with(transcript, &[])
}

fn begin_with(transcript: &str, more: &[&str]) -> World {
    match transcript {
        "happy" => begin_script("", more),
        other => begin_script(&data(other), more),
    }
}

/// These attempts play before the diligent ones.
fn begin_script(first: &str, more: &[&str]) -> World {
    let world = World::new();
    world.write("src/greet.txt", "good bye\n");
    world.write("src/private/key.txt", "private\n");
    world.write("secret/plans.txt", "the plan\n");
    world.write(".gitignore", "tools/\n");
    let script = format!("{first}\n{}", data("happy"));
    world.write("tools/script.toml", &script);
    let mut args = vec![
        "new",
        "slice",
        "greet Ada",
        "--name",
        "t",
        "--check",
        "grep -q Ada src/greet.txt",
        "--agent",
        "scripted:tools/script.toml",
    ];
    args.extend(more);
    world.run(&args).exits(0);
    world
}

fn played(transcript: &str) -> World {
    let world = begin(transcript);
    world.run(&["run", "t"]).exits(0);
    world
}

fn snapshot(world: &World, iteration: u32) -> String {
    world.read(&format!("agent/context/iter-{iteration:04}.md"))
}

/// `run outcome iteration-fails exit-fails` of every snapshot, oldest first.
fn headers(world: &World) -> Vec<String> {
    let line = |text: &str, name: &str| {
        let found = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")));
        found
            .unwrap_or_else(|| panic!("no `{name}` in\n{text}"))
            .to_owned()
    };
    let texts = (1..).map_while(|iteration| {
        let path = world.at(&format!("agent/context/iter-{iteration:04}.md"));
        std::fs::read_to_string(path).ok()
    });
    texts
        .map(|text| {
            [
                "Slice ID",
                "Last gate run",
                "Last gate outcome",
                "Consecutive Iteration FAILs (this Slice ID)",
                "Consecutive Exit FAILs (this Slice ID)",
            ]
            .map(|name| line(&text, name))
            .join(" ")
        })
        .collect()
}

/// The states that the run entered, in order.
fn path(world: &World) -> Vec<String> {
    let journal = world.journal();
    let moves = journal.iter().filter(|record| record["kind"] == "moved.v1");
    let entered = moves.filter(|record| record["body"]["arrival"] == "entered");
    entered
        .map(|record| {
            record["body"]["position"]["state"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

/// Everything that a check found wrong, in order.
fn failures(world: &World) -> String {
    let journal = world.journal();
    let gates = journal
        .iter()
        .filter(|record| record["kind"] == "gate_ended.v1");
    let results = gates.flat_map(|record| record["body"]["results"].as_array().unwrap());
    let failed = results.filter(|result| result["verdict"] != "pass");
    let said = failed.map(|result| format!("{}: {}\n", result["check"], result["reason"]));
    said.collect()
}

fn classes(world: &World) -> Vec<(String, String)> {
    let journal = world.journal();
    let ended = journal
        .iter()
        .filter(|record| record["kind"] == "attempt_ended.v1");
    let outcome = |record: &Value, key: &str| {
        record["body"]["outcome"][key]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    ended
        .map(|record| (outcome(record, "class"), outcome(record, "reason")))
        .collect()
}

/// The transcript of the nth attempt in a state, from the vault.
fn transcript(world: &World, state: &str, nth: usize) -> String {
    let journal = world.journal();
    let mut ended: Vec<_> = journal
        .iter()
        .filter(|record| record["kind"] == "attempt_ended.v1")
        .collect();
    // In the order in which they began: scouts are out at once.
    ended.sort_by_key(|record| record["body"]["effect"].as_u64());
    let kept = ended
        .iter()
        .flat_map(|record| record["body"]["outcome"]["evidence"].as_array().unwrap())
        .filter(|kept| {
            kept["name"]
                .as_str()
                .unwrap()
                .ends_with(&format!("{state} transcript"))
        });
    let hash = kept
        .map(|kept| kept["hash"].as_str().unwrap())
        .nth(nth)
        .unwrap();
    world.read(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]))
}

#[test]
fn from_intake_to_a_patch_a_snapshot_and_a_change_record() {
    let world = played("happy");
    assert_eq!(
        path(&world),
        [
            "scout",
            "consolidate",
            "plan",
            "edit",
            "iteration_gate",
            "choose",
            "exit_gate",
            "deliver",
            "done"
        ]
    );
    // Step 0.5, to the letter.
    let first = "Iteration: 0001\nParent snapshot: none\nSlice ID: S-0001\nSlice: Greet Ada by name.\nScope cap: Only `src/**`, not `!src/private/**`; enough when the greeting is found.\nGate (iteration): `grep -q hello src/greet.txt`\nGate (exit): `grep -qx 'hello Ada' src/greet.txt`\nLast gate run: none\nLast gate outcome: none\nConsecutive Iteration FAILs (this Slice ID): 0\nConsecutive Exit FAILs (this Slice ID): 0\n\n";
    let text = snapshot(&world, 1);
    assert!(text.starts_with(first), "{text}");
    assert!(
        text.contains(
            "- F-0002: The greeting names Ada. — judged by `grep -qx 'hello Ada' src/greet.txt`\n"
        ),
        "{text}"
    );
    assert_eq!(
        headers(&world),
        [
            "S-0001 none none 0 0",
            "S-0001 none none 0 0",
            "S-0001 iteration PASS 0 0",
            "S-0001 exit PASS 0 0",
        ]
    );
    let second = snapshot(&world, 2);
    assert!(second.contains("Parent snapshot: iter-0001\n"), "{second}");
    assert!(
        second.contains("- E-0001 (scout): src/greet.txt:1\n"),
        "{second}"
    );
    assert!(second.contains("src/greet.txt. [E-0001]\n"), "{second}");
    // What was quoted is edited: the fact is not called one any more.
    let third = snapshot(&world, 3);
    let stale = "src/greet.txt. [E-0001] — STALE: E-0001 does not stand in the code any more\n";
    assert!(third.contains(stale), "{third}");
    for section in [
        "\n## Evidence (Scout Findings) — NON-AUTHORITATIVE\n",
        "\n## Consolidated Context (Source of Truth) — AUTHORITATIVE\n",
        "\n## Issues (State)\n",
        "\n### Open Issues\n",
        "\n### Resolved This Iteration\n",
    ] {
        assert!(second.contains(section), "{section} in {second}");
    }
    let mode = std::fs::metadata(world.at("agent/context/iter-0001.md"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o444);
    assert_eq!(world.read("agent/context.md"), snapshot(&world, 4));
    let patch = world.read("agent/change.patch");
    assert!(patch.contains("-good bye\n+hello Ada\n"), "{patch}");
    assert!(!patch.contains("agent/"), "{patch}");
    assert!(
        world
            .read("agent/change-record.md")
            .contains("## Known risks")
    );
    world.run(&["audit"]).exits(0);
}

#[test]
fn it_is_sound_and_can_be_exported_in_every_format() {
    let world = World::new();
    let said = world.run(&["workflow", "check", "slice"]).exits(0);
    assert!(said.out.contains("sound slice"), "{}", said.out);
    for (format, word) in [
        ("json", "\"audit_required\""),
        ("mermaid", "anti_stuck"),
        ("dot", "iteration_gate"),
        ("tla", "MODULE"),
    ] {
        let said = world
            .run(&["workflow", "export", "slice", "--format", format])
            .exits(0);
        assert!(said.out.contains(word), "{format}: {}", said.out);
    }
}

/// As many characters were in the briefs of this play before they were shortened.
const BEFORE: usize = 19_047;

/// Briefs are paid for at every attempt: what the snapshot says, or a file beside it, is not said again.
#[test]
fn the_briefs_of_a_slice_are_a_third_shorter_than_they_were() {
    let world = played("happy");
    let briefs = crate::quick::kept(&world, " brief");
    let all: usize = briefs.iter().map(|brief| brief.chars().count()).sum();
    assert_eq!(briefs.len(), 7);
    assert!(all * 3 <= BEFORE * 2, "{all} characters");
    // What a role may object with is in its folder, and named in its brief.
    let plan = &crate::quick::kept(&world, "plan brief")[0];
    assert!(plan.contains("`result.md`"), "{plan}");
    assert!(!plan.contains("Scope cap:"), "{plan}");
    assert!(
        plan.contains("Edit cap:"),
        "the snapshot does not say it: {plan}"
    );
}
