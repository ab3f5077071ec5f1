//! A contract that changes while others use it, through the real binary: whoever uses it is planned, tested and
//! shipped once more against the new one, as a further version, and the release passes.

use crate::factory::{spec, task};
use crate::factory_people::inbox;
use crate::factory_run::{EXAMPLES, FIRST, SECOND, approve, begun, challenge, proposal, toml};
use crate::factory_ship::{
    PYTHON, PYTHON_CORE, PYTHON_LABEL, PYTHON_LABEL_TESTS, PYTHON_TESTS, files, label_planned,
    moment_planned,
};
use serde_json::{Value, json};

/// The same code under the name of a module.
pub(crate) fn user(id: &str, version: &str, [code, tests]: [&str; 2]) -> Value {
    let name = id.trim_start_matches("MM-");
    let own = |text: &str| text.replace("label", name);
    let all = [
        ("implementation/__init__.py", own(code)),
        ("tests/test_lines.py", own(tests)),
        ("examples.md", EXAMPLES.to_owned()),
    ];
    let all: Vec<(&str, &str)> = all
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    files(id, version, &all)
}

/// The plan of such a module.
pub(crate) fn user_planned(id: &str) -> Value {
    let mut plan = label_planned();
    let module = &mut plan["modules"][0];
    for member in ["module_id", "name"] {
        module[member] = json!(id);
    }
    let name = id.trim_start_matches("MM-");
    module["io_contract"]["outputs"] = json!([format!("{name}: string; the text comes first")]);
    plan
}

/// The same plan on the changed contract.
fn on_the_new(mut plan: Value) -> Value {
    plan["modules"][0]["depends_on"] = json!(["MM-moment@1.1.0"]);
    plan
}

#[test]
fn s13_7_what_uses_a_changed_contract_is_planned_tested_and_shipped_again() {
    // What nobody hands on is said by `__all__`: these are no assemblies.
    let code = PYTHON_LABEL.replace(
        "\"Malformed\", \"label\", \"split\"",
        "\"Malformed\", \"label\"",
    );
    let third = SECOND.replace("002", "003");
    let raised = json!({"interface_change_exception": {
        "type": "INCOMPLETE", "target_module": "MM-moment@1.0.0",
        "reason": "an empty line cannot be told from one without a blank", "evidence": ["both are Malformed"],
        "proposed_contract_delta": {"added_error_surfaces": ["Empty: the line is empty; exception"]},
        "compatibility_expectation": "BACKWARD_COMPATIBLE", "urgency": "BLOCKING",
    }});
    let moment = |version: &str, root: &str, core: &str, tests: &str, examples: &str| {
        let all = [
            ("implementation/__init__.py", root),
            ("implementation/_core.py", core),
            ("tests/test_lines.py", tests),
            ("examples.md", examples),
        ];
        files("MM-moment", version, &all)
    };
    let says = |who: &str, task: &str| format!("{who} for {task}");
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": says("micro_planner", FIRST), "result": moment_planned()},
        {"state": "micro_plan", "brief": says("micro_planner", SECOND), "result": label_planned()},
        {"state": "micro_plan", "brief": says("micro_planner", &third), "result": user_planned("MM-third")},
        {"state": "propose", "brief": says("proposer", FIRST), "steps": moment("1.0.0", PYTHON, PYTHON_CORE, PYTHON_TESTS, EXAMPLES), "result": proposal()},
        {"state": "propose", "brief": says("proposer", SECOND), "steps": user("MM-label", "1.0.0", [&code, PYTHON_LABEL_TESTS]), "result": proposal()},
        {"state": "propose", "brief": says("proposer", &third), "result": raised},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    // The new version, and both who use it: an empty line is told apart now.
    let root = PYTHON
        .replace("Malformed, split", "Empty, Malformed, split")
        .replace("[\"Malformed\"", "[\"Empty\", \"Malformed\"");
    let core = PYTHON_CORE.replace(
        "    moment, blank",
        "    if not line:\n        raise Empty(line)\n    moment, blank",
    );
    let core = format!("class Empty(Exception):\n    \"\"\"Nothing.\"\"\"\n\n\n{core}");
    let tests = PYTHON_TESTS.replace("import Malformed", "import Empty, Malformed").replace(
        "    def test_input__line__1(self):\n        with self.assertRaises(Malformed)",
        "    def test_error__empty(self):\n        self.assertRaises(Empty, split, \"\")\n\n    def test_input__line__1(self):\n        with self.assertRaises(Empty)",
    );
    let examples = format!(
        "{EXAMPLES}\n## Empty\n\nAn empty line is refused.\n\n```\n\\n\n```\n\n```\nErr(Empty)\n```\n"
    );
    let mended = code
        .replace("import Malformed, split", "import Empty, Malformed, split")
        .replace("    moment, text = split(line)\n", "    try:\n        moment, text = split(line)\n    except Empty:\n        raise Malformed(line)\n");
    let look =
        "grep -q 'import Malformed' state_store/modules/MM-label/1.0.0/implementation/__init__.py";
    let mut steps = vec![json!({"run": look, "must": true})];
    let written = user("MM-label", "1.0.1", [&mended, PYTHON_LABEL_TESTS]);
    steps.extend(written.as_array().unwrap().iter().cloned());
    let of_change = "is to become that of MM-moment@1.1.0";
    let again = json!({"log": "agent.log", "attempt": [
        {"state": "propose", "brief": of_change, "steps": moment("1.1.0", &root, &core, &tests, &examples), "result": proposal()},
        {"state": "micro_plan", "brief": "MM-label@1.0.0 uses MM-moment@1.0.0; MM-moment@1.1.0 is in use now", "result": on_the_new(label_planned())},
        {"state": "micro_plan", "brief": says("micro_planner", &third), "result": on_the_new(user_planned("MM-third"))},
        // Whoever makes it again sees what there was.
        {"state": "propose", "brief": says("proposer", SECOND), "steps": steps, "result": proposal()},
        {"state": "propose", "brief": says("proposer", &third), "steps": user("MM-third", "1.0.0", [&mended, PYTHON_LABEL_TESTS]), "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    let tasks = [task(1, &[]), task(2, &["TSK-001"]), task(3, &["TSK-001"])];
    let world = begun(&spec(&tasks), &script);
    world.write("agent/again.toml", &toml(&again));
    world.run(&["factory", "run", "p"]).exits(2);
    let question = inbox(&world)[0]["question"].clone();
    let why = question["why"].as_str().unwrap();
    assert!(why.contains("is made once more: MM-label@1.0.0"), "{why}");
    let key = world.approver("ann").display().to_string();
    let decide = [
        "decide",
        "p",
        "APPROVE_CHANGE",
        "--because",
        "it is needed",
        "--sign",
        &key,
    ];
    world.run(&decide).exits(0);
    let agent = "scripted:agent/again.toml";
    world
        .run(&["factory", "run", "p", "--agent", agent])
        .exits(0);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let release = &status["releases"][0];
    assert_eq!(release["overall_result"], "PASS", "{status}");
    let modules = release["modules"].as_array().unwrap().iter();
    let modules: Vec<&str> = modules
        .map(|one| one["module_ref"].as_str().unwrap())
        .collect();
    assert_eq!(
        modules,
        ["MM-label@1.0.1", "MM-moment@1.1.0", "MM-third@1.0.0"]
    );
    let old = world
        .run(&["index", "show", "MM-label@1.0.0", "--json"])
        .exits(0)
        .json();
    assert_eq!(old["entry"]["status"], "SUPERSEDED");
    let log = world.run(&["log", "p"]).exits(0).out;
    let said = format!(
        "{SECOND} is made once more: MM-label@1.0.0 uses MM-moment@1.0.0, and MM-moment@1.1.0 is in use now"
    );
    assert!(log.contains(&said), "{log}");
    world.run(&["audit", "p", "--ci"]).exits(0);
}
