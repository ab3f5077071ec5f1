//! The turn after an approval with amendments, through the real binary: nobody debates what is made
//! in it, so it ships when it holds what the amendments name and nothing else. A person's fix is on
//! disk before that turn, and nothing is written over it.

use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, approve, challenge, module, proposal, writes,
};
use crate::factory_ship::{RED, gates, moment_plan, one_task, refused};
use crate::support::{Said, World};
use serde_json::{Value, json};

const TWICE: &str = "#[test] fn happy_path__twice() { assert_eq!(split(\"2 b\"), Ok((\"2\".into(), \"b\".into()))); }\n";
const AT: &str = "repo/state_store/modules/MM-moment/1.0.0";

fn with_amendments(amendments: Value) -> Value {
    json!({
        "decision": "APPROVE_WITH_AMENDMENTS", "amendments": amendments,
        "rationale": "one more example is wanted", "ship_directive": "SHIP",
    })
}

fn one_more_test() -> Value {
    json!([{
        "action": "ADD", "target": "happy_path__twice",
        "detail": "add a test of that name which splits another line",
    }])
}

fn applied(count: usize) -> Value {
    let records: Vec<Value> = (0..count)
        .map(|at| json!({"amendment_index": at, "applied": true, "note": "as asked"}))
        .collect();
    json!({"deliverable_ref": "implementation/", "amendments": records})
}

/// A project whose Arbiter asks for amendments, and whose Proposer answers with these steps.
fn amending(amendments: &Value, steps: &Value) -> World {
    let first = writes("MM-moment", MOMENT, MOMENT_TESTS);
    amending_first(&first, amendments, steps)
}

/// The same, where these steps made the first proposal.
fn amending_first(first: &Value, amendments: &Value, steps: &Value) -> World {
    let count = amendments.as_array().unwrap().len();
    one_task(vec![
        json!({"state": "micro_plan", "result": moment_plan()}),
        json!({"state": "propose", "steps": first, "result": proposal()}),
        json!({"state": "challenge", "result": challenge("PASS")}),
        json!({"state": "adjudicate", "result": with_amendments(amendments.clone())}),
        json!({"state": "amend", "steps": steps, "result": applied(count)}),
    ])
}

fn escalation(world: &World) -> Value {
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let id = status["escalations"][0].as_str().unwrap().to_owned();
    let path = format!(".proofhouse/state_store/escalations/{id}.json");
    serde_json::from_str(&world.read(&path)).unwrap()
}

/// What follows `--action` where a person gives the fix in `agent/fix.json`.
const PROVIDES: [&str; 3] = ["PROVIDE_FIX", "--payload", "agent/fix.json"];

/// A person's signed answer to the one task.
fn resolve(world: &World, key: &str, action: &[&str]) -> Said {
    let mut words = vec!["resolve", FIRST, "--action"];
    words.extend(action);
    words.extend(["--because", "seen it", "--sign", key]);
    world.run(&words)
}

#[test]
fn s9_6_a_proposer_that_slips_a_change_into_the_amend_turn_is_refused() {
    // The test is there as asked, and a cheap answer with it.
    let slipped = MOMENT.replace("ok_or(Malformed)?", "unwrap_or((line, line))");
    assert_ne!(slipped, MOMENT);
    let steps = json!([
        {"append": format!("{AT}/tests/lines.rs"), "text": TWICE},
        {"write": format!("{AT}/implementation/lib.rs"), "text": slipped},
        {"write": format!("{AT}/implementation/more.rs"), "text": "// more\n"},
    ]);
    let world = amending(&one_more_test(), &steps);
    world.run(&["factory", "run", "p"]).exits(2);
    refused(
        &world,
        &[(
            "amendments_applied",
            &[
                "implementation/lib.rs was changed while amendments were applied, and no amendment names it",
                "implementation/more.rs was changed while",
            ],
        )],
    );
    let artifact = escalation(&world);
    let decision = artifact["minimal_decision_required"].as_str().unwrap();
    assert!(decision.contains("more was changed than the amendments name"));
    assert_eq!(
        artifact["failed_invariants"][0]["invariant"],
        "amendments_applied"
    );
    // What stood there before the turn is kept: the journal names it, the vault has it.
    let journal = world.read(".proofhouse/journal/p.jsonl");
    let kept = journal.lines().find_map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        let result = record["body"]["results"][0].clone();
        let evidence = result["evidence"].as_array()?.clone();
        evidence
            .into_iter()
            .find(|one| one["name"] == "before: implementation/lib.rs")
    });
    let hash = kept.unwrap()["hash"].as_str().unwrap().to_owned();
    let before = world.read(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]));
    assert_eq!(before, MOMENT);
    assert!(
        !world
            .at(".proofhouse/state_store/modules/MM-moment/1.0.0/ship.json")
            .exists()
    );
}

#[test]
fn s9_6_an_honest_turn_ships_with_what_it_added_changed_and_removed() {
    let amendments = json!([
        {"action": "ADD", "target": "happy_path__twice", "detail": "add a test of that name which splits another line"},
        {"action": "MODIFY", "target": "examples.md", "detail": "show the moment 2 in the first example"},
        {"action": "REMOVE", "target": "tests/notes.txt", "detail": "notes are no tests"},
    ]);
    let steps = json!([
        {"append": format!("{AT}/tests/lines.rs"), "text": TWICE},
        {"write": format!("{AT}/examples.md"), "text": EXAMPLES.replace("1 started", "2 started")},
        {"delete": format!("{AT}/tests/notes.txt")},
    ]);
    let mut first = writes("MM-moment", MOMENT, MOMENT_TESTS);
    let notes = json!({"write": format!("{AT}/tests/notes.txt"), "text": "to do\n"});
    first.as_array_mut().unwrap().push(notes);
    let world = amending_first(&first, &amendments, &steps);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[]);
    let applied = gates(&world).into_iter();
    let mut applied = applied.filter(|(check, ..)| check == "amendments_applied");
    let (_, _, reason) = applied.next().unwrap();
    assert!(
        reason.ends_with("nothing else changed: examples.md, tests/lines.rs, tests/notes.txt"),
        "{reason}"
    );
    assert!(module(&world, "MM-moment", "examples.md").contains("2 started"));
}

#[test]
fn s9_6_a_proposer_that_says_applied_and_changed_nothing_is_refused() {
    let amendments = json!([
        {"action": "ADD", "target": "split", "detail": "add a second branch to the function split"},
        {"action": "MODIFY", "target": "tests/lines.rs", "detail": "split another line in happy_path"},
        {"action": "REMOVE", "target": "Malformed", "detail": "take the type Malformed out of the module"},
    ]);
    let world = amending(&amendments, &json!([]));
    world.run(&["factory", "run", "p"]).exits(2);
    refused(
        &world,
        &[(
            "amendments_applied",
            &[
                "amendment 0",
                "no file that was changed holds the target",
                "amendment 1",
                "no file that was changed held the target before",
                "amendment 2",
                "the target is still there",
            ],
        )],
    );
}

#[test]
fn s17_2_a_persons_fix_is_on_disk_before_it_is_amended_and_is_not_written_over() {
    let wrong = MOMENT.replace("split_once(' ')", "split_once('-')");
    let rejects = json!({
        "decision": "REJECT", "amendments": [], "rationale": "the blank still fails",
        "ship_directive": "NO_SHIP",
    });
    let fixed = "splits at the blank now";
    // The Proposer of the amend turn sees the person's file, or it fails.
    let sees =
        "grep -q \"split_once(' ')\" state_store/modules/MM-moment/1.0.0/implementation/lib.rs";
    let steps = json!([
        {"run": sees, "must": true},
        {"append": format!("{AT}/tests/lines.rs"), "text": TWICE},
    ]);
    let world = one_task(vec![
        json!({"state": "challenge", "brief": fixed, "result": challenge("PASS")}),
        json!({"state": "adjudicate", "brief": fixed, "result": with_amendments(one_more_test())}),
        json!({"state": "amend", "steps": steps, "result": applied(1)}),
        json!({"state": "micro_plan", "result": moment_plan()}),
        json!({"state": "propose", "steps": writes("MM-moment", &wrong, MOMENT_TESTS), "result": proposal()}),
        json!({"state": "revise", "steps": [], "result": proposal()}),
        json!({"state": "challenge", "result": challenge("FAIL")}),
        json!({"state": "adjudicate", "result": rejects}),
    ]);
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    // The person's tests are amended too: what they were before is what they gave.
    let fix = json!({
        "fix_description": fixed,
        "fix_artifacts": {"implementation/lib.rs": MOMENT, "tests/lines.rs": MOMENT_TESTS},
    });
    world.write("agent/fix.json", &fix.to_string());
    resolve(&world, &key, &PROVIDES).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[RED; 3]);
    assert_eq!(module(&world, "MM-moment", "implementation/lib.rs"), MOMENT);
    let tests = module(&world, "MM-moment", "tests/lines.rs");
    assert_eq!(tests, format!("{MOMENT_TESTS}{TWICE}"));
}

/// A project that is stuck: its Challenger is a program that is not there.
fn stuck() -> (World, String) {
    let world = one_task(vec![
        json!({"state": "micro_plan", "result": moment_plan()}),
        json!({"state": "propose", "steps": writes("MM-moment", MOMENT, MOMENT_TESTS), "result": proposal()}),
        json!({"state": "challenge", "result": challenge("PASS")}),
        json!({"state": "adjudicate", "result": approve()}),
    ]);
    let broken = [
        "factory",
        "run",
        "p",
        "--agent",
        "command:repo/no-such-program",
    ];
    world.run(&broken).exits(2);
    let key = world.approver("ann").display().to_string();
    (world, key)
}

#[test]
fn s17_2_a_stuck_task_can_be_fixed_or_abandoned_and_not_only_tried_again() {
    let (world, key) = stuck();
    let inbox = world.run(&["inbox"]).exits(0).out;
    for command in [
        "proofhouse factory retry p".to_owned(),
        format!("proofhouse resolve {FIRST} --action ABANDON_TASK"),
    ] {
        assert!(inbox.contains(&command), "{command} is not in {inbox}");
    }
    // Nothing was planned yet, so there is nothing to fix; the refusal changes nothing.
    let before = world.read(".proofhouse/journal/p.jsonl");
    let fix =
        json!({"fix_description": "by hand", "fix_artifacts": {"implementation/lib.rs": MOMENT}});
    world.write("agent/fix.json", &fix.to_string());
    resolve(&world, &key, &PROVIDES).refuses(1, "no_module_to_fix");
    assert_eq!(world.read(".proofhouse/journal/p.jsonl"), before);
    let abandons = ["ABANDON_TASK", "--set", "rationale=no program here"];
    resolve(&world, &key, &abandons).exits(0);
    let artifact = {
        let folder = world.at(".proofhouse/state_store/escalations");
        world.run(&["factory", "run", "p"]);
        let mut files = std::fs::read_dir(folder).unwrap();
        let path = files.next().unwrap().unwrap().path();
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(
        artifact["failed_invariants"][0]["invariant"],
        "could_not_run"
    );
    assert_eq!(artifact["resolution"]["action"], "ABANDON_TASK");
    assert_eq!(
        artifact["resolution"]["payload"]["rationale"],
        "no program here"
    );
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    assert!(status.to_string().contains("ABANDONED"), "{status}");
}

#[test]
fn s17_2_a_module_that_no_attempt_could_make_ships_with_a_persons_fix() {
    let world = one_task(vec![
        json!({"state": "micro_plan", "result": moment_plan()}),
        json!({"state": "challenge", "result": challenge("PASS")}),
        json!({"state": "adjudicate", "result": approve()}),
    ]);
    // The script has no entry for the Proposer, which is to say that nobody can be asked.
    let key = world.approver("ann").display().to_string();
    world.run(&["factory", "run", "p"]).exits(2);
    let fix = json!({"fix_description": "by hand", "fix_artifacts": {
        "implementation/lib.rs": MOMENT, "tests/lines.rs": MOMENT_TESTS, "examples.md": EXAMPLES,
    }});
    world.write("agent/fix.json", &fix.to_string());
    resolve(&world, &key, &PROVIDES).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[]);
    assert_eq!(module(&world, "MM-moment", "implementation/lib.rs"), MOMENT);
    assert!(module(&world, "MM-moment", "contract.json").contains("MM-moment"));
}
