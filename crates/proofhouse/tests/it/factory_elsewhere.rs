//! A module from one project to another, through the real binary: every release shares what it holds, a plan of
//! another project brings it in, and it ships there by the same gates. What is not what was sealed does not.

use crate::factory_audit::Clone_;
use crate::factory_run::{EXAMPLES, FIRST, SECOND, approve, challenge, proposal, started_with};
use crate::factory_ship::{
    PYTHON, PYTHON_CORE, PYTHON_LABEL, PYTHON_LABEL_TESTS, PYTHON_TESTS, files, label_planned,
    moment_planned,
};
use crate::support::World;
use serde_json::{Value, json};

const SHARED: &str = "agent/data/proofhouse/modules/MM-moment/1.0.0";

fn says(who: &str, task: &str) -> String {
    format!("{who} for {task}")
}

fn moment() -> Value {
    let all = [
        ("implementation/__init__.py", PYTHON),
        ("implementation/_core.py", PYTHON_CORE),
        ("tests/test_lines.py", PYTHON_TESTS),
        ("examples.md", EXAMPLES),
    ];
    files("MM-moment", "1.0.0", &all)
}

fn label() -> Value {
    let all = [
        ("implementation/__init__.py", PYTHON_LABEL),
        ("tests/test_lines.py", PYTHON_LABEL_TESTS),
        ("examples.md", EXAMPLES),
    ];
    files("MM-label", "1.0.0", &all)
}

fn product() -> Value {
    json!({
        "name": "line-labels", "form": "command", "language": "python", "entry": "TSK-002",
        "cases": [
            {"shows": ["STR-001"], "given": "alone", "refuses": "Malformed"},
            {"shows": ["STR-001", "EPC-001/1"], "given": "1 started", "prints": "started at 1"},
        ],
    })
}

/// Both tasks, the first of which is planned so.
fn script(plans: &[Value], proposes: bool) -> Value {
    let first = says("micro_planner", FIRST);
    let mut all = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        all.push(json!({"state": "micro_plan", "brief": first, "attempt": at + 1, "result": plan}));
    }
    all.push(json!({"state": "micro_plan", "brief": says("micro_planner", SECOND), "result": label_planned()}));
    if proposes {
        all.push(json!({"state": "propose", "brief": says("proposer", FIRST), "steps": moment(), "result": proposal()}));
    }
    all.push(json!({"state": "propose", "brief": says("proposer", SECOND), "steps": label(), "result": proposal()}));
    all.push(json!({"state": "challenge", "result": challenge("PASS")}));
    all.push(json!({"state": "adjudicate", "result": approve()}));
    json!({"log": "agent.log", "attempt": all})
}

/// The same module from elsewhere.
fn reused() -> Value {
    let mut plan = moment_planned();
    let module = &mut plan["modules"][0];
    module["reuse_decision"] = json!("REUSE");
    module["reuse_candidate_refs"] = json!(["MM-moment@1.0.0"]);
    module["reuse_justification"] = json!("it splits a line into just these parts");
    plan
}

/// A project that has released the module.
pub(crate) fn released() -> World {
    let world = started_with(&script(&[moment_planned()], true), &product());
    world.run(&["factory", "run", "p"]).exits(0);
    world
}

/// Another project of the same person.
fn another(of: &World, script: &Value) -> World {
    let world = started_with(script, &product());
    let data = of.at("agent/data");
    for path in store::walk(&data, &|_| false).unwrap() {
        let to = world.at("agent/data").join(&path);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(data.join(&path), to).unwrap();
    }
    world
}

fn faults(world: &World) -> String {
    let log = world.run(&["log", "p"]).exits(0).out;
    let journal = world.read(".proofhouse/journal/p.jsonl");
    let refused = journal.lines().filter(|line| line.contains("plan_refused"));
    format!("{}\n{log}", refused.collect::<Vec<_>>().join("\n"))
}

#[test]
fn s14_3_a_module_of_another_project_is_found_brought_in_and_shipped_by_the_same_gates() {
    let first = released();
    let said = first
        .run(&["index", "search", "--global", "split a line", "--json"])
        .exits(0);
    assert!(said.out.contains("MM-moment"), "{}", said.out);
    // A plan that does not speak of what was found goes back once.
    let mut looks = script(&[moment_planned(), reused()], false);
    let near = format!("grep -q '\"elsewhere\"' state_store/code_index/near/{FIRST}.json");
    looks["attempt"][0]["steps"] = json!([{"run": near, "must": true}]);
    let world = another(&first, &looks);
    world.run(&["factory", "run", "p"]).exits(0);
    let told = faults(&world);
    assert!(told.contains("reuse_not_considered"), "{told}");
    assert!(
        told.contains("MM-moment@1.0.0 is looked for in other projects"),
        "{told}"
    );
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    assert_eq!(status["releases"][0]["overall_result"], "PASS", "{status}");
    // Nobody proposed it, and its tests ran here.
    let log = world.read("agent/agent.log");
    assert!(!log.contains(&says("proposer", FIRST)), "{log}");
    let folder = ".proofhouse/state_store/modules/MM-moment/1.0.0";
    let here = |name: &str| world.read(&format!("{folder}/{name}"));
    assert_eq!(here("implementation/_core.py"), PYTHON_CORE);
    let ship = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (own, theirs) = (
        ship(&here("ship.json")),
        ship(&first.read(&format!("{folder}/ship.json"))),
    );
    let print = |ship: &Value| ship["verification"]["interface_fingerprint"].clone();
    assert_eq!(print(&own), print(&theirs));
    assert!(here("tests/execution_log.json").contains("error__malformed"));
    world.run(&["audit", "p", "--ci"]).exits(0);
    let clone = Clone_::of(world);
    assert_eq!(clone.audit(), Vec::new());
}

#[test]
fn s14_3_what_is_not_what_was_sealed_or_fails_its_tests_is_not_brought_in() {
    let first = released();
    let own = {
        let mut plan = moment_planned();
        plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-moment@1.0.0"]);
        plan["modules"][0]["reuse_justification"] = json!("it could not be brought in");
        plan
    };
    // Its code is another, and then its seal as well.
    for forged in [false, true] {
        let world = another(&first, &script(&[reused(), own.clone()], true));
        let code = PYTHON_CORE.replace("return moment, text", "return text, moment");
        let core = format!("{SHARED}/implementation/_core.py");
        world.write(&core, &code);
        if forged {
            let seal = format!("{SHARED}/seal.json");
            let old = store::sha256_hex(PYTHON_CORE.as_bytes());
            let new = world
                .read(&seal)
                .replace(&old, &store::sha256_hex(code.as_bytes()));
            let before = store::sha256_hex(world.read(&seal).as_bytes());
            world.write(&seal, &new);
            let note = format!("{SHARED}.json");
            let after = store::sha256_hex(new.as_bytes());
            world.write(&note, &world.read(&note).replace(&before, &after));
        }
        world.run(&["factory", "run", "p"]).exits(0);
        let told = faults(&world);
        assert!(told.contains("reuse_not_brought"), "{told}");
        let why = match forged {
            false => "the seal of MM-moment@1.0.0 is broken",
            true => "test_happy_path",
        };
        assert!(told.contains(why), "{told}");
        let log = world.read("agent/agent.log");
        assert!(log.contains("state=propose"), "{log}");
        world.run(&["audit", "p", "--ci"]).exits(0);
    }
}

#[test]
fn what_a_person_keeps_to_themselves_is_not_shared() {
    let world = started_with(&script(&[moment_planned()], true), &product());
    world.write(".proofhouse/config.toml", "[index]\nshare = \"nothing\"\n");
    world.run(&["factory", "run", "p"]).exits(0);
    assert!(!world.at("agent/data").exists());
}
