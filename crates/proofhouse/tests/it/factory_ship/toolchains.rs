//! The toolchain of a ship: one that is missing waits for a person, and Python ships by the same rules as
//! Rust.

use super::{files, moment_plan, one_task, refused, rounds, rust};
use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, SECOND, approve, challenge, module, plan, proposal,
    started,
};
use crate::support::World;
use serde_json::{Value, json};

/// A folder with just these programs in it, to be somebody's whole `PATH`.
fn only(world: &World, programs: &[&str]) -> String {
    let folder = world.at("agent/bin");
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for program in programs {
        let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
        let real = places.find(|place| place.is_file());
        let real = real.unwrap_or_else(|| panic!("this test needs `{program}`"));
        std::os::unix::fs::symlink(real, folder.join(program)).unwrap();
    }
    folder.display().to_string()
}

#[test]
fn s11_a_ship_whose_toolchain_is_missing_waits_for_a_person_and_costs_no_revision() {
    let world = one_task(rounds(&moment_plan(), &[rust(MOMENT, MOMENT_TESTS)]));
    let path = only(&world, &["git", "sh"]);
    let mut poor = world.command(&["factory", "run", "p"]);
    let said: crate::support::Said = poor.env("PATH", path).output().unwrap().into();
    said.exits(2);
    refused(
        &world,
        &[("black_box_tests", &["cargo", "install the program"])],
    );
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        status["escalations"],
        json!([]),
        "nothing of the module's is wrong"
    );
    assert!(status.to_string().contains("stuck"), "{status}");
    // Nothing changes until somebody says so.
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    let retry = [
        "factory",
        "retry",
        "p",
        "--because",
        "cargo is there now",
        "--sign",
        &key,
    ];
    world.run(&retry).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    let log = world.read("agent/agent.log");
    assert!(!log.contains("state=revise"), "{log}");
    assert!(!module(&world, "MM-moment", "ship.json").is_empty());
}

const PYTHON: &str =
    "from ._core import Malformed, split\n\n__all__ = [\"Malformed\", \"split\"]\n";

const PYTHON_CORE: &str = "class Malformed(Exception):\n    \"\"\"No blank.\"\"\"\n\n\ndef split(line: str) -> tuple[str, str]:\n    moment, blank, text = line.partition(\" \")\n    if not blank:\n        raise Malformed(line)\n    return moment, text\n";

const PYTHON_TESTS: &str = "import unittest\n\nimport mm_moment\nfrom mm_moment import Malformed, split\n\n\nclass Lines(unittest.TestCase):\n    def test_input__line__1(self):\n        with self.assertRaises(Malformed):\n            split(\"\")\n\n    def test_output__parts__1(self):\n        self.assertEqual(mm_moment.split(\"9 z\")[0], \"9\")\n\n    def test_error__malformed(self):\n        with self.assertRaises(Malformed):\n            split(\"alone\")\n\n\ndef test_happy_path():\n    assert split(\"1 a\") == (\"1\", \"a\")\n";

const PYTHON_LABEL: &str = "from mm_moment import Malformed, split as _split\n\n__all__ = [\"Malformed\", \"label\"]\n\n\ndef label(line: str) -> str:\n    moment, text = _split(line)\n    return f\"{text} at {moment}\"\n";

const PYTHON_LABEL_TESTS: &str = "from unittest import TestCase, skip\n\nfrom mm_label import Malformed, label\n\n\nclass Labels(TestCase):\n    def test_happy_path(self):\n        self.assertEqual(label(\"1 a\"), \"a at 1\")\n\n    def test_input__line__1(self):\n        self.assertRaises(Malformed, label, \"\")\n\n    def test_output__label__1(self):\n        self.assertTrue(label(\"9 z\").startswith(\"z\"))\n\n    def test_error__malformed(self):\n        self.assertRaises(Malformed, label, \"alone\")\n";

#[test]
fn s11_3_modules_in_python_ship_by_the_same_rules_and_use_each_other() {
    let python = |module: &str, init: &str, core: &str, tests: &str| {
        let all = [
            ("implementation/__init__.py", init),
            ("implementation/_core.py", core),
            ("tests/test_lines.py", tests),
            ("examples.md", EXAMPLES),
        ];
        files(module, "1.0.0", &all)
    };
    let planned = |id: &str, output: &str, uses: &[&str]| {
        let mut plan = plan(id, "Turns a line into its parts", output, uses);
        let io = &mut plan["modules"][0]["io_contract"];
        io["inputs"] = json!(["line: str; not empty"]);
        io["error_surfaces"] = json!(["Malformed: the line has no blank; exception"]);
        plan
    };
    let wider = PYTHON.replace(
        "__all__ = [",
        "def helper():\n    pass\n\n\n__all__ = [\"helper\", ",
    );
    let private = format!("from mm_moment._core import split as inner\n{PYTHON_TESTS}");
    let broad = PYTHON_TESTS.replacen("assertRaises(Malformed)", "assertRaises(Exception)", 1);
    let skips = PYTHON_LABEL_TESTS.replace(
        "    def test_error__malformed",
        "    @skip(\"later\")\n    def test_error__malformed",
    );
    let says = |who: &str, task: &str| format!("{who} for {task}");
    let (parts, label) = (
        "parts: tuple[str, str]; the moment comes first",
        "label: string; the text comes first",
    );
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": says("micro_planner", FIRST), "result": planned("MM-moment", parts, &[])},
        {"state": "micro_plan", "brief": says("micro_planner", SECOND), "result": planned("MM-label", label, &["MM-moment@1.0.0"])},
        {"state": "propose", "brief": says("proposer", FIRST), "steps": python("MM-moment", &wider, PYTHON_CORE, &private), "result": proposal()},
        {"state": "revise", "attempt": 2, "brief": says("proposer", FIRST), "steps": python("MM-moment", PYTHON, PYTHON_CORE, &broad), "result": proposal()},
        {"state": "revise", "attempt": 3, "brief": says("proposer", FIRST), "steps": python("MM-moment", PYTHON, PYTHON_CORE, PYTHON_TESTS), "result": proposal()},
        {"state": "propose", "brief": says("proposer", SECOND), "steps": python("MM-label", PYTHON_LABEL, "", &skips), "result": proposal()},
        {"state": "revise", "brief": says("proposer", SECOND), "steps": python("MM-label", PYTHON_LABEL, "", PYTHON_LABEL_TESTS), "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    let world = started(&script);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            (
                "public_surface",
                &[
                    "implementation/__init__.py:3: the function `helper` is public",
                    "tests/test_lines.py:1 uses `mm_moment._core.split`, which is private",
                ],
            ),
            (
                "tests_fail_on_stubs",
                &["prove nothing: tests.test_lines.Lines::test_input__line__1"],
            ),
            (
                "black_box_tests",
                &["which is no pass: tests.test_lines.Labels::test_error__malformed"],
            ),
        ],
    );
    for (id, count) in [("MM-moment", 4), ("MM-label", 4)] {
        let ship: Value = serde_json::from_str(&module(&world, id, "ship.json")).unwrap();
        let runner = ship["environment"]["runner_id"].as_str().unwrap();
        assert!(runner.contains(" with Python 3."), "{runner}");
        let log: Value =
            serde_json::from_str(&module(&world, id, "tests/execution_log.json")).unwrap();
        assert_eq!(
            log["summary"],
            json!({"total": count, "passed": count, "failed": 0})
        );
    }
}
