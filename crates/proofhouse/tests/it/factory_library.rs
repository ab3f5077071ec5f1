//! A library through the real binary: its cases call the names at its top, in the form of exams, and the
//! assembled product is asked them in a room of its own, in each language.

use crate::factory_people::inbox;
use crate::factory_run::{
    EXAMPLES, FIRST, LABEL, LABEL_TESTS, MOMENT, MOMENT_TESTS, SECOND, approve, challenge, plan,
    proposal, started_with, writes,
};
use crate::factory_ship::{
    PYTHON, PYTHON_CORE, PYTHON_LABEL, PYTHON_LABEL_TESTS, PYTHON_TESTS, SCRIPT, SCRIPT_CORE,
    SCRIPT_LABEL, SCRIPT_LABEL_TESTS, SCRIPT_TESTS, files, label_planned, moment_planned,
};
use crate::support::World;
use serde_json::{Value, json};
use std::process::Command;

/// What the library must do; the second case claims that its label is this.
fn library(language: &str, label: &str) -> Value {
    json!({
        "name": "line-labels", "form": "library", "language": language, "entry": "TSK-002",
        "cases": [
            {"shows": ["STR-001"], "steps": [{"call": "label", "with": ["alone"]}],
             "holds": [{"of": 0, "is": "fails", "value": "Malformed"}]},
            {"shows": ["STR-001", "EPC-001/1"],
             "steps": [{"call": "label", "with": ["1 started"]}, {"call": "split", "with": ["1 started"]}],
             "holds": [{"of": 0, "is": "equals", "value": label}, {"of": 1, "at": "/0", "is": "equals", "value": "1"}]},
        ],
    })
}

/// Two modules that nobody objects to: their plans, and the steps that write them.
fn played(product: &Value, plans: [Value; 2], steps: [Value; 2]) -> World {
    let says = |who: &str, task: &str| format!("{who} for {task}");
    let [first, second] = steps;
    let [moment, label] = plans;
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": says("micro_planner", FIRST), "result": moment},
        {"state": "micro_plan", "brief": says("micro_planner", SECOND), "result": label},
        {"state": "propose", "brief": says("proposer", FIRST), "steps": first, "result": proposal()},
        {"state": "propose", "brief": says("proposer", SECOND), "steps": second, "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    started_with(&script, product)
}

fn in_python(product: &Value) -> World {
    let moment = [
        ("implementation/__init__.py", PYTHON),
        ("implementation/_core.py", PYTHON_CORE),
        ("tests/test_lines.py", PYTHON_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let label = [
        ("implementation/__init__.py", PYTHON_LABEL),
        ("tests/test_lines.py", PYTHON_LABEL_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let steps = [
        files("MM-moment", "1.0.0", &moment),
        files("MM-label", "1.0.0", &label),
    ];
    played(product, [moment_planned(), label_planned()], steps)
}

/// What the only release says of its product.
fn told(world: &World) -> String {
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let releases = status["releases"].as_array().unwrap();
    releases.last().unwrap()["product"].to_string()
}

/// The release passed by both cases, and what was seen of them stands in the README.
fn passed(world: &World) -> String {
    let run = world.run(&["factory", "run", "p"]);
    let shown = world.run(&["factory", "status", "p"]);
    run.exits(0);
    shown.exits(0);
    let said = told(world);
    assert!(said.contains("2 of 2 cases hold"), "{said}");
    world.run(&["factory", "export", "agent/out"]).exits(0);
    let readme = world.read("agent/out/README.md");
    for line in [
        "label(\"1 started\")\n    answered \"started at 1\"\nsplit(\"1 started\")\n    answered [\"1\",\"started\"]\n",
        "label(\"alone\")\n    failed: Malformed ",
    ] {
        assert!(readme.contains(line), "no {line} in {readme}");
    }
    readme
}

#[test]
fn s15_4_a_library_is_asked_its_cases_and_one_that_is_wrong_is_put_right() {
    let world = in_python(&library("python", "started at 2!"));
    let key = world.approver("ann").display().to_string();
    world.run(&["factory", "run", "p"]).exits(2);
    let waits = inbox(&world);
    let why = waits[0]["question"]["why"].as_str().unwrap().to_owned();
    for part in [
        "case 2 does not hold. Shows STR-001, EPC-001/1: it should hold that call 1 answers \"started at 2!\";",
        "line_labels:label with [\"1 started\"] answered \"started at 1\"",
    ] {
        assert!(why.contains(part), "no {part} in {why}");
    }
    assert!(!why.contains("case 1 does not hold"), "{why}");
    let file = world.read(&format!(
        ".proofhouse/project/core/auth/login/task-2/{SECOND}.md"
    ));
    assert!(file.contains("(shown by case 2 of the product)"), "{file}");

    let sign = ["--because", "the case is wrong", "--sign", key.as_str()];
    let decide = |payload: Option<&Value>| {
        let mut args = vec!["decide", "p", "AMEND_SPEC"];
        if let Some(payload) = payload {
            world.write("agent/amend.json", &payload.to_string());
            args.extend(["--payload", "agent/amend.json"]);
        }
        args.extend(sign);
        world.run(&args)
    };
    let form = decide(None).refuses(1, "payload_member_missing");
    let form: Value = serde_json::from_str(&form.out).unwrap();
    let whole = &form["amended_cases"][1];
    assert_eq!(whole["steps"][0]["call"], "label", "{form}");
    assert!(whole.get("given").is_none(), "{form}");
    let case = |case: Value| json!({"amended_cases": [case], "amendment_rationale": "a slip"});
    for (wrong, says) in [
        (
            json!({"case": 2, "prints": "x"}),
            "nothing that is read or printed",
        ),
        (
            json!({"case": 2, "holds": [{"of": 7, "is": "fails"}]}),
            "no such call",
        ),
        (
            json!({"case": 2, "steps": [{"call": "os:system"}], "holds": [{"of": 0, "is": "fails"}]}),
            "write the name alone",
        ),
    ] {
        let said = decide(Some(&case(wrong))).refuses(1, "case_unfit").err;
        assert!(said.contains(says), "no {says} in {said}");
    }
    let mut holds = whole["holds"].clone();
    holds[0]["value"] = json!("started at 1");
    decide(Some(&case(json!({"case": 2, "holds": holds})))).exits(0);
    let readme = passed(&world);
    assert!(readme.contains("from line_labels import *"), "{readme}");
    let file = world.read(&format!(
        ".proofhouse/project/core/auth/login/task-2/{SECOND}.md"
    ));
    let before =
        "- case 2: label(\"1 started\"), split(\"1 started\"): call 1 answers \"started at 2!\"";
    assert!(file.contains(before), "{file}");
    world.run(&["audit", "p", "--ci"]).exits(0);
}

#[test]
fn s15_4_a_name_that_is_not_there_holds_the_release() {
    let mut product = library("python", "started at 1");
    product["cases"][0]["steps"] = json!([{"call": "nowhere", "with": ["alone"]}]);
    let world = in_python(&product);
    world.run(&["factory", "run", "p"]).exits(2);
    let said = inbox(&world)[0]["question"]["why"].to_string();
    for part in [
        "case 1 does not hold. Shows STR-001: it should hold that call 1 fails with",
        "there is nothing to call",
    ] {
        assert!(said.contains(part), "no {part} in {said}");
    }
}

#[test]
fn s15_4_a_library_in_javascript_is_asked_its_cases() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: this play needs `node`, which is not installed");
        return;
    }
    let moment = [
        ("implementation/index.mjs", SCRIPT),
        ("implementation/core.mjs", SCRIPT_CORE),
        ("tests/lines.test.mjs", SCRIPT_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let label = [
        ("implementation/index.mjs", SCRIPT_LABEL),
        ("tests/lines.test.mjs", SCRIPT_LABEL_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let steps = [
        files("MM-moment", "1.0.0", &moment),
        files("MM-label", "1.0.0", &label),
    ];
    let product = library("javascript", "started at 1");
    let world = played(&product, [moment_planned(), label_planned()], steps);
    let readme = passed(&world);
    let used = "import * as line_labels from \"line-labels\";";
    assert!(readme.contains(used), "{readme}");
}

#[test]
fn s15_4_a_library_in_rust_is_asked_its_cases() {
    let label = LABEL.replace("mm_moment::Malformed;", "mm_moment::{Malformed, split};");
    let (parts, text) = (
        "parts: (String, String); the moment comes first",
        "label: String; the text comes first",
    );
    let plans = [
        plan(
            "MM-moment",
            "Splits a line into its moment and its text",
            parts,
            &[],
        ),
        plan(
            "MM-label",
            "Makes a label of a line",
            text,
            &["MM-moment@1.0.0"],
        ),
    ];
    let steps = [
        writes("MM-moment", MOMENT, MOMENT_TESTS),
        writes("MM-label", &label, LABEL_TESTS),
    ];
    let world = played(&library("rust", "started at 1"), plans, steps);
    let readme = passed(&world);
    assert!(readme.contains("use line_labels::*;"), "{readme}");
}
