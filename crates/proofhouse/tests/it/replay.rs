//! A run as it was at every one of its records, and as another workflow would have taken it.

use crate::support::{HONEST, World};
use serde_json::Value;

/// What a run is, whatever is around it.
fn bare(mut facts: Value) -> Value {
    let all = facts.as_object_mut().unwrap();
    let only = [
        "state",
        "activity",
        "waiting_for",
        "budgets",
        "attempts",
        "spend",
        "head",
        "in_flight",
        "fields",
        "autonomy",
        "last_refusal",
    ];
    all.retain(|name, _| only.contains(&name.as_str()));
    facts
}

fn at(world: &World, seq: u64) -> Value {
    let seq = seq.to_string();
    let said = world.run(&["replay", "t", "--at", &seq, "--json"]);
    said.exits(0).json()
}

#[test]
fn a_run_is_shown_as_it_was_at_any_record() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    let begun = bare(world.status());
    world.run(&["run", "t", "--once"]);
    let once = bare(world.status());
    world.run(&["run", "t"]).exits(2);
    let waits = bare(world.status());
    assert_eq!(waits["waiting_for"]["reason"], "approval");
    let key = world.approver("ann");
    world.decide(&key, "approve").exits(0);
    world.run(&["run", "t"]).exits(0);
    let done = bare(world.status());
    let journal = world.read(".proofhouse/journal/t.jsonl");
    for then in [&begun, &once, &waits, &done] {
        let seq = then["head"]["seq"].as_u64().unwrap();
        assert_eq!(&bare(at(&world, seq)), then, "as of record {seq}");
    }
    // Every record can be gone back to, none before the first and none behind the last.
    let last = done["head"]["seq"].as_u64().unwrap();
    let mut attempts = 0;
    for seq in 1..=last {
        let then = at(&world, seq);
        assert_eq!(
            (&then["head"]["seq"], &then["last"]),
            (&seq.into(), &last.into())
        );
        let used = then["budgets"]["attempts"]["used"].as_u64().unwrap();
        assert!(used >= attempts, "no counter goes back");
        attempts = used;
    }
    for none in ["0", &(last + 1).to_string()] {
        world
            .run(&["replay", "t", "--at", none])
            .refuses(1, "unknown_record");
    }
    let seq = waits["head"]["seq"].to_string();
    let said = world.run(&["replay", "t", "--at", &seq]).exits(0);
    assert!(said.out.contains("`t` waits for a person"), "{}", said.out);
    assert!(said.out.contains("approve, reject"), "{}", said.out);
    assert_eq!(
        world.read(".proofhouse/journal/t.jsonl"),
        journal,
        "nothing was written"
    );
}

#[test]
fn another_workflow_is_told_up_to_where_it_goes_another_way() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let against = |folder: &str| {
        let said = world.run(&["replay", "t", "--with", folder, "--json"]);
        said.exits(0).json()
    };
    // The very same has no other way, and neither has one with other words for people.
    let same = against("phase");
    assert_eq!(same["parts"], Value::Null, "{same}");
    let folder = world.at("mine/phase");
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/../flow/workflows");
    copy(&format!("{built_in}/phase"), &folder);
    // What several workflows share stands beside them.
    let examine = folder.join("briefs/examine.md");
    std::fs::copy(format!("{built_in}/examine.md"), examine).unwrap();
    let whole = world.run(&["workflow", "show", "phase", "--source"]);
    let whole = whole.exits(0).out;
    let write = |text: &str| std::fs::write(folder.join("workflow.toml"), text).unwrap();
    write(&format!("{whole}\n# by hand\n"));
    let same = against("./mine/phase");
    assert_ne!(same["workflow_hash"], same["own_hash"]);
    assert_eq!(same["parts"], Value::Null, "{same}");
    // Another brief for the coder: the same up to where the coder begins.
    let brief = folder.join("briefs/implement.md");
    let text = std::fs::read_to_string(&brief).unwrap();
    std::fs::write(&brief, format!("{text}\nMind the gap.\n")).unwrap();
    let parts = against("./mine/phase")["parts"].clone();
    let began = world.journal();
    let began = began.iter().find(|record| {
        record["kind"] == "effect_began.v1"
            && record["body"]["state"] == "implement"
            && record["body"]["kind"] == "attempt"
    });
    assert_eq!(parts["seq"], began.unwrap()["seq"], "{parts}");
    assert!(parts["instead"].as_str().unwrap().contains("another brief"));
    std::fs::write(&brief, text).unwrap();
    // As it was, it holds again; another workflow altogether does not.
    let said = world
        .run(&["replay", "t", "--with", "./mine/phase"])
        .exits(0);
    assert!(said.out.contains("the same"), "{}", said.out);
    let said = world.run(&["replay", "t", "--with", "quick"]).exits(0);
    assert!(said.out.contains("another way"), "{}", said.out);
}

fn copy(from: &str, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match from.is_dir() {
            true => copy(from.to_str().unwrap(), &to),
            false => {
                std::fs::copy(from, to).unwrap();
            }
        }
    }
}
