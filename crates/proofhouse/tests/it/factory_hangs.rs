//! A module whose test never ends, through the real binary: it is killed when the time of the tests is
//! over, the ship says so, the module has failed, and the project goes on.

use crate::factory_run::{
    EXAMPLES, MOMENT, MOMENT_TESTS, approve, challenge, module, proposal, toml,
};
use crate::factory_ship::{files, gates, moment_plan, one_task, refused, rounds, rust};
use crate::support::World;
use serde_json::{Value, json};

/// Long enough for honest tests on a machine that is busy.
const SETTING: &str = "[factory]\ntest_seconds = 8\n";

/// Is some process of this repository's ships left?
fn left(world: &World) -> Vec<String> {
    let here = world.path().display().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|one| {
        let line = std::fs::read(one.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.filter(|line| line.contains(&here)).collect()
}

/// The evidence of this name in the last gate of this check, from the vault.
fn evidence(world: &World, check: &str, name: &str) -> String {
    let journal = world.read(".proofhouse/journal/p.jsonl");
    let mut found = None;
    for line in journal.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        for result in record["body"]["results"].as_array().into_iter().flatten() {
            let all = result["evidence"].as_array().into_iter().flatten();
            let mut named = all.filter(|one| one["name"].as_str().unwrap().starts_with(name));
            if result["check"] == check {
                found = named.next_back().cloned().or(found);
            }
        }
    }
    let hash = found.unwrap()["hash"].as_str().unwrap().to_owned();
    world.read(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]))
}

/// The project goes on with a module that ends.
fn goes_on(world: &World, steps: &Value) {
    let attempts = json!([
        {"state": "revise", "steps": steps, "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]);
    let script = toml(&json!({"log": "agent.log", "attempt": attempts}));
    world.write("agent/script.toml", &script);
    let key = world.approver("ann").display().to_string();
    let retry = [
        "factory",
        "retry",
        "p",
        "--because",
        "somebody revises now",
        "--sign",
        &key,
    ];
    world.run(&retry).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    assert!(!module(world, "MM-moment", "ship.json").is_empty());
}

#[test]
fn s11_3_a_test_in_rust_that_hangs_is_killed_and_named_and_the_others_keep_what_they_showed() {
    let hangs = MOMENT_TESTS.replace(
        "fn happy_path() {",
        "fn happy_path() { loop { std::thread::park(); }",
    );
    let hangs = format!("#![allow(unreachable_code)]\n{hangs}");
    // Nobody revises yet, so what the ship left can be looked at.
    let world = one_task(rounds(&moment_plan(), &[rust(MOMENT, &hangs)]));
    world.write(".proofhouse/config.toml", SETTING);
    world.run(&["factory", "run", "p"]).exits(2);
    let (check, verdict, reason) = gates(&world).pop().unwrap();
    assert_eq!(
        (check.as_str(), verdict.as_str()),
        ("black_box_tests", "fail")
    );
    for words in [
        "`lines::happy_path`: killed by Proofhouse: wall limit of ",
        "`lines::input__line__1` was not run: out of time",
        "the whole log is state_store/modules/MM-moment/1.0.0/tests/execution_log.json",
    ] {
        assert!(reason.contains(words), "{words} is not in {reason}");
    }
    let log = module(&world, "MM-moment", "tests/execution_log.json");
    let log: Value = serde_json::from_str(&log).unwrap();
    assert_eq!(
        log["summary"],
        json!({"total": 4, "passed": 1, "failed": 3})
    );
    assert_eq!(
        log["tests"][0],
        json!({"name": "lines::error__malformed", "result": "PASS"})
    );
    assert_eq!(
        log["tests"][1],
        json!({"name": "lines::happy_path", "result": "FAIL"})
    );
    let results = evidence(&world, "black_box_tests", "results of suite");
    let results: Value = serde_json::from_str(&results).unwrap();
    let message = results["tests"][1]["message"].as_str().unwrap();
    assert!(message.starts_with("killed by Proofhouse: wall limit of "));
    let output = evidence(&world, "black_box_tests", "output of suite");
    assert!(
        output.contains("--exact happy_path (exit None, signal Some("),
        "{output}"
    );
    assert_eq!(left(&world), [""; 0]);
    goes_on(&world, &rust(MOMENT, MOMENT_TESTS));
    assert_eq!(
        gates(&world).iter().filter(|one| one.1 != "pass").count(),
        1
    );
}

#[test]
fn s11_3_a_suite_in_python_that_hangs_is_killed_and_leaves_no_log_of_an_earlier_round() {
    let code = "class Malformed(Exception):\n    \"\"\"No blank.\"\"\"\n\n\ndef split(line: str) -> tuple[str, str]:\n    moment, blank, text = line.partition(\" \")\n    if not blank:\n        raise Malformed(line)\n    return moment, text\n\n\n__all__ = [\"Malformed\", \"split\"]\n";
    let tests = "import unittest\n\nfrom mm_moment import Malformed, split\n\n\nclass Lines(unittest.TestCase):\n    def test_happy_path(self):\n        self.assertEqual(split(\"1 a\"), (\"1\", \"a\"))\n\n    def test_input__line__1(self):\n        self.assertRaises(Malformed, split, \"\")\n\n    def test_output__parts__1(self):\n        self.assertEqual(split(\"9 z\")[0], \"9\")\n\n    def test_error__malformed(self):\n        self.assertRaises(Malformed, split, \"alone\")\n";
    let python = |tests: &str| {
        let all = [
            ("implementation/__init__.py", code),
            ("tests/test_lines.py", tests),
            ("examples.md", EXAMPLES),
        ];
        files("MM-moment", "1.0.0", &all)
    };
    let red = tests.replace("[0], \"9\")", "[0], \"8\")");
    let hangs = tests.replace(
        "        self.assertEqual(split(\"1 a\")",
        "        while True:\n            pass\n        self.assertEqual(split(\"1 a\")",
    );
    assert!(red != tests && hangs != tests);
    let mut plan = moment_plan();
    let io = &mut plan["modules"][0]["io_contract"];
    io["inputs"] = json!(["line: str; not empty"]);
    io["outputs"] = json!(["parts: tuple[str, str]; the moment comes first"]);
    io["error_surfaces"] = json!(["Malformed: the line has no blank; exception"]);
    let mut attempts = rounds(&plan, &[python(&red)]);
    attempts.push(json!({
        "state": "revise", "attempt": 2, "steps": python(&hangs), "result": proposal(),
    }));
    let world = one_task(attempts);
    world.write(".proofhouse/config.toml", SETTING);
    world.run(&["factory", "run", "p"]).exits(2);
    refused(
        &world,
        &[
            ("black_box_tests", &["1 failed", "the whole log is"]),
            (
                "black_box_tests",
                &["killed by Proofhouse: wall limit of 8 s"],
            ),
        ],
    );
    let log = ".proofhouse/state_store/modules/MM-moment/1.0.0/tests/execution_log.json";
    assert!(!world.at(log).exists(), "it is that of the round before");
    assert_eq!(left(&world), [""; 0]);
    goes_on(&world, &python(tests));
}
