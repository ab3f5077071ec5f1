//! The toolchain of a ship: one that is missing waits for a person, and Python and JavaScript ship by the
//! same rules as Rust, up to a product that runs without us.

use super::{files, gates, moment_plan, one_task, refused, rounds, rust};
use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, SECOND, approve, challenge, module, plan, proposal,
    started_with,
};
use crate::support::World;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

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

pub(crate) const PYTHON: &str =
    "from ._core import Malformed, split\n\n__all__ = [\"Malformed\", \"split\"]\n";

pub(crate) const PYTHON_CORE: &str = "class Malformed(Exception):\n    \"\"\"No blank.\"\"\"\n\n\ndef split(line: str) -> tuple[str, str]:\n    moment, blank, text = line.partition(\" \")\n    if not blank:\n        raise Malformed(line)\n    return moment, text\n";

pub(crate) const PYTHON_TESTS: &str = "import unittest\n\nimport mm_moment\nfrom mm_moment import Malformed, split\n\n\nclass Lines(unittest.TestCase):\n    def test_input__line__1(self):\n        with self.assertRaises(Malformed):\n            split(\"\")\n\n    def test_output__parts__1(self):\n        self.assertEqual(mm_moment.split(\"9 z\")[0], \"9\")\n\n    def test_error__malformed(self):\n        with self.assertRaises(Malformed):\n            split(\"alone\")\n\n\ndef test_happy_path():\n    assert split(\"1 a\") == (\"1\", \"a\")\n";

pub(crate) const PYTHON_LABEL: &str = "from mm_moment import Malformed, split\n\n__all__ = [\"Malformed\", \"label\", \"split\"]\n\n\ndef label(line: str) -> str:\n    moment, text = split(line)\n    return f\"{text} at {moment}\"\n";

pub(crate) const PYTHON_LABEL_TESTS: &str = "from unittest import TestCase, skip\n\nfrom mm_label import Malformed, label\n\n\nclass Labels(TestCase):\n    def test_happy_path(self):\n        self.assertEqual(label(\"1 a\"), \"a at 1\")\n\n    def test_input__line__1(self):\n        self.assertRaises(Malformed, label, \"\")\n\n    def test_output__label__1(self):\n        self.assertTrue(label(\"9 z\").startswith(\"z\"))\n\n    def test_error__malformed(self):\n        self.assertRaises(Malformed, label, \"alone\")\n";

pub(crate) const SCRIPT: &str =
    "import { Malformed, split } from \"./core.mjs\";\n\nexport { Malformed, split };\n";

pub(crate) const SCRIPT_CORE: &str = "export class Malformed extends Error {}\n\nexport function split(line) {\n  const blank = line.indexOf(\" \");\n  if (blank < 0) throw new Malformed(line);\n  return [line.slice(0, blank), line.slice(blank + 1)];\n}\n";

pub(crate) const SCRIPT_TESTS: &str = "import assert from \"node:assert/strict\";\nimport test from \"node:test\";\nimport { Malformed, split } from \"#mm_moment\";\n\ntest(\"happy_path\", () => assert.deepEqual(split(\"1 a\"), [\"1\", \"a\"]));\ntest(\"input__line__1\", () => assert.throws(() => split(\"\"), Malformed));\ntest(\"output__parts__1\", () => assert.equal(split(\"9 z\")[0], \"9\"));\ntest(\"error__malformed\", () => assert.throws(() => split(\"alone\"), Malformed));\n";

pub(crate) const SCRIPT_LABEL: &str = "import { split } from \"#mm_moment\";\n\nexport { Malformed, split } from \"#mm_moment\";\n\nexport const label = (line) => {\n  const [moment, text] = split(line);\n  return `${text} at ${moment}`;\n};\n";

pub(crate) const SCRIPT_LABEL_TESTS: &str = "import assert from \"node:assert/strict\";\nimport test from \"node:test\";\nimport { Malformed, label } from \"#mm_label\";\n\ntest(\"happy_path\", () => assert.equal(label(\"1 a\"), \"a at 1\"));\ntest(\"input__line__1\", () => assert.throws(() => label(\"\"), Malformed));\ntest(\"output__label__1\", () => assert.ok(label(\"9 z\").startsWith(\"z\")));\ntest(\"error__malformed\", () => assert.throws(() => label(\"alone\"), Malformed));\n";

fn planned(id: &str, output: &str, uses: &[&str]) -> Value {
    let mut plan = plan(id, "Turns a line into its parts", output, uses);
    let io = &mut plan["modules"][0]["io_contract"];
    io["inputs"] = json!(["line: str; not empty"]);
    io["error_surfaces"] = json!(["Malformed: the line has no blank; exception"]);
    plan
}

/// The plan of the first module, whatever its language.
pub(crate) fn moment_planned() -> Value {
    let output = "parts: tuple[str, str]; the moment comes first";
    planned("MM-moment", output, &[])
}

/// The plan of the assembly.
pub(crate) fn label_planned() -> Value {
    let output = "label: string; the text comes first";
    planned("MM-label", output, &["MM-moment@1.0.0"])
}

/// The same two modules in one language, with what is wrong with them at first.
struct Play<'a> {
    language: &'a str,
    /// Below a module: the root, what it keeps to itself, its tests.
    files: [&'a str; 3],
    /// The first module: its own parts, and what makes it public.
    moment: [&'a str; 3],
    label: [&'a str; 2],
    /// The assembly as it is proposed first.
    loose: &'a str,
    /// One more function, and a test that looks inside.
    wider: &'a str,
    private: &'a str,
    /// A test that any failure passes, and one that is skipped.
    broad: &'a str,
    skips: &'a str,
    refused: &'a [(&'a str, &'a [&'a str])],
    /// Who ran the tests.
    runner: &'a str,
}

impl Play<'_> {
    fn writes(&self, module: &str, [root, core, tests]: [&str; 3]) -> Value {
        let all = [
            (self.files[0], root),
            (self.files[1], core),
            (self.files[2], tests),
            ("examples.md", EXAMPLES),
        ];
        files(module, "1.0.0", &all)
    }

    /// Two tasks from the spec to the release of a command. The second is the assembly, and hands on names
    /// of the first.
    fn ships(&self) -> World {
        let says = |who: &str, task: &str| format!("{who} for {task}");
        let [root, core, tests] = self.moment;
        let moment = |root: &str, tests: &str| self.writes("MM-moment", [root, core, tests]);
        let label = |code: &str, tests: &str| self.writes("MM-label", [code, "", tests]);
        let script = json!({"log": "agent.log", "attempt": [
            {"state": "micro_plan", "brief": says("micro_planner", FIRST), "result": moment_planned()},
            {"state": "micro_plan", "brief": says("micro_planner", SECOND), "result": label_planned()},
            {"state": "propose", "brief": says("proposer", FIRST), "steps": moment(self.wider, self.private), "result": proposal()},
            {"state": "revise", "attempt": 2, "brief": says("proposer", FIRST), "steps": moment(root, self.broad), "result": proposal()},
            {"state": "revise", "attempt": 3, "brief": says("proposer", FIRST), "steps": moment(root, tests), "result": proposal()},
            {"state": "propose", "brief": says("proposer", SECOND), "steps": label(self.loose, self.skips), "result": proposal()},
            {"state": "revise", "brief": says("proposer", SECOND), "steps": label(self.label[0], self.label[1]), "result": proposal()},
            {"state": "challenge", "result": challenge("PASS")},
            {"state": "adjudicate", "result": approve()},
        ]});
        let product = json!({
            "name": "line-labels", "form": "command", "language": self.language, "entry": "TSK-002",
            "cases": [
                {"shows": ["STR-001", "EPC-001/1"], "given": "1 started", "prints": "started at 1"},
                {"shows": ["STR-001"], "given": "alone", "refuses": "Malformed"},
            ],
        });
        let world = started_with(&script, &product);
        world.run(&["factory", "run", "p"]).exits(0);
        refused(&world, self.refused);
        for id in ["MM-moment", "MM-label"] {
            let ship: Value = serde_json::from_str(&module(&world, id, "ship.json")).unwrap();
            let runner = ship["environment"]["runner_id"].as_str().unwrap();
            assert!(runner.contains(self.runner), "{runner}");
            let log: Value =
                serde_json::from_str(&module(&world, id, "tests/execution_log.json")).unwrap();
            assert_eq!(
                log["summary"],
                json!({"total": 4, "passed": 4, "failed": 0})
            );
        }
        let cost = world.run(&["factory", "cost", "--json"]).exits(0).json();
        for role in ["micro_planner", "proposer", "challenger", "arbiter"] {
            assert!(cost["roles"][role]["each"].as_f64() > Some(1.0), "{cost}");
        }
        assert_eq!(cost["repairs"]["briefs"], 3, "{cost}");
        let told = world.run(&["factory", "cost"]).exits(0);
        assert!(
            told.out.contains("characters of code are shipped"),
            "{}",
            told.out
        );
        world.run(&["factory", "export", "agent/out"]).exits(0);
        world
    }
}

/// What an ordinary command answers in the exported folder.
fn in_product(world: &World, words: &[&str], given: &str) -> (bool, String) {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(world.at("agent/out"));
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(given.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.success(), said)
}

#[test]
fn s11_3_modules_in_python_ship_by_the_same_rules_and_become_a_product() {
    let wider = PYTHON.replace(
        "__all__ = [",
        "def helper():\n    pass\n\n\n__all__ = [\"helper\", ",
    );
    let play = Play {
        language: "python",
        files: [
            "implementation/__init__.py",
            "implementation/_core.py",
            "tests/test_lines.py",
        ],
        moment: [PYTHON, PYTHON_CORE, PYTHON_TESTS],
        label: [PYTHON_LABEL, PYTHON_LABEL_TESTS],
        loose: &PYTHON_LABEL.replace("__all__ = [\"Malformed\", \"label\", \"split\"]\n\n\n", ""),
        wider: &wider,
        private: &format!("from mm_moment._core import split as inner\n{PYTHON_TESTS}"),
        broad: &PYTHON_TESTS.replacen("assertRaises(Malformed)", "assertRaises(Exception)", 1),
        skips: &PYTHON_LABEL_TESTS.replace(
            "    def test_error__malformed",
            "    @skip(\"later\")\n    def test_error__malformed",
        ),
        refused: &[
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
                "public_surface",
                &[
                    "implementation/__init__.py:1: `split` of `mm_moment` is public only because it is imported",
                ],
            ),
            (
                "black_box_tests",
                &["which is no pass: tests.test_lines.Labels::test_error__malformed"],
            ),
        ],
        runner: " with Python 3.",
    };
    let world = play.ships();
    let run = ["python3", "-B", "-m", "line_labels"];
    let label = in_product(&world, &run, "9 ends");
    assert_eq!(label, (true, "ends at 9\n".to_owned()));
    let (passed, said) = in_product(&world, &run, "alone");
    assert!(!passed && said.starts_with("Malformed: alone"), "{said}");
    let (passed, said) = in_product(&world, &[&run[..], &["nowhere.txt"]].concat(), "");
    assert!(!passed && said.starts_with("FileNotFoundError: "), "{said}");
    let public = world.read(".proofhouse/state_store/modules/MM-moment/1.0.0/surface.md");
    for part in [
        "the package `mm_moment`",
        "def split(line: str) -> ",
        "exception Malformed",
    ] {
        assert!(public.contains(part), "no {part} in {public}");
    }
    let call = "import line_labels as all; print(all.label('2 b'), all.split('2 b')[0])";
    let called = in_product(&world, &["python3", "-B", "-c", call], "");
    assert_eq!(called, (true, "b at 2 2\n".to_owned()));
}

#[test]
fn a_module_in_another_language_than_the_product_is_refused_before_the_debate() {
    let all = [
        ("implementation/__init__.py", PYTHON),
        ("implementation/_core.py", PYTHON_CORE),
        ("tests/test_lines.py", PYTHON_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let steps = files("MM-moment", "1.0.0", &all);
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": format!("micro_planner for {FIRST}"), "result": moment_planned()},
        {"state": "micro_plan", "brief": format!("micro_planner for {SECOND}"), "result": label_planned()},
        {"state": "propose", "steps": steps, "result": proposal()},
        {"state": "revise", "steps": steps, "result": proposal()},
    ]});
    let product = json!({
        "name": "line-labels", "form": "command", "language": "rust", "entry": "TSK-002",
        "cases": [{"shows": ["STR-001", "EPC-001/1"], "given": "1 started", "prints": "started at 1"}],
    });
    let world = started_with(&script, &product);
    world.run(&["factory", "run", "p"]);
    let said =
        "the product is in Rust, and this module in Python: its root is `implementation/lib.rs`";
    let gates = gates(&world);
    assert!(
        gates.iter().any(|(_, _, reason)| reason.contains(said)),
        "{gates:#?}"
    );
    assert!(!world.read("agent/agent.log").contains("state=challenge"));
}

#[test]
fn s11_3_modules_in_javascript_ship_by_the_same_rules_and_become_a_product() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: this play needs `node`, which is not installed");
        return;
    }
    let private = SCRIPT_TESTS.replace(
        "import { Malformed, split } from \"#mm_moment\"",
        "import { Malformed, split } from \"../implementation/core.mjs\"",
    );
    let play = Play {
        language: "javascript",
        files: [
            "implementation/index.mjs",
            "implementation/core.mjs",
            "tests/lines.test.mjs",
        ],
        moment: [SCRIPT, SCRIPT_CORE, SCRIPT_TESTS],
        label: [SCRIPT_LABEL, SCRIPT_LABEL_TESTS],
        loose: SCRIPT_LABEL,
        wider: &format!("{SCRIPT}export function helper() {{\n  process.exit(0);\n}}\n"),
        private: &private,
        broad: &SCRIPT_TESTS.replacen(", Malformed)", ")", 1),
        skips: &SCRIPT_LABEL_TESTS.replace(
            "test(\"error__malformed\"",
            "test.skip(\"error__malformed\"",
        ),
        refused: &[
            (
                "public_surface",
                &[
                    "implementation/index.mjs:4: the function `helper` is public",
                    "implementation/index.mjs:5: `process` could end a test",
                    "tests/lines.test.mjs:3 uses the file \"../implementation/core.mjs\"",
                ],
            ),
            ("tests_fail_on_stubs", &["prove nothing: input__line__1"]),
            ("black_box_tests", &["which is no pass: error__malformed"]),
        ],
        runner: "node ",
    };
    let world = play.ships();
    let run = ["node", "main.mjs"];
    let label = in_product(&world, &run, "9 ends");
    assert_eq!(label, (true, "ends at 9\n".to_owned()));
    let (passed, said) = in_product(&world, &run, "alone");
    assert!(!passed && said.starts_with("Malformed: alone"), "{said}");
    let call =
        "import { label, split } from 'line-labels'; console.log(label('2 b'), split('2 b')[0]);";
    let call = ["node", "--input-type=module", "-e", call];
    assert_eq!(
        in_product(&world, &call, ""),
        (true, "b at 2 2\n".to_owned())
    );
}
