//! A module uses what its contract depends on, and nothing that is there only because those use it: the
//! dependency would be in no contract. In each language the honest twin ships.

use super::{files, refused};
use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, SECOND, approve, challenge, module, plan, proposal,
    started,
};
use crate::factory_ship::{PYTHON, PYTHON_CORE, PYTHON_TESTS};
use serde_json::{Value, json};
use std::process::Command;

/// Three modules in a row, `MM-moment`, `MM-pair` and `MM-label`, each of which uses the one before. The last
/// one is first written with the first.
struct Row<'a> {
    /// The root of a module, and its tests.
    names: [&'a str; 2],
    moment: Vec<(&'a str, &'a str)>,
    pair: [&'a str; 2],
    label: [&'a str; 2],
    reaches: &'a str,
    /// What the refusal says.
    said: &'a str,
    exception: &'a str,
}

impl Row<'_> {
    fn ships(&self) {
        let writes = |id: &str, [code, tests]: [&str; 2]| {
            let [root, test] = self.names;
            files(
                id,
                "1.0.0",
                &[(root, code), (test, tests), ("examples.md", EXAMPLES)],
            )
        };
        let one = |id: &str, output: &str, uses: &[&str]| {
            let mut plan = plan(id, "Turns a line into its parts", output, uses);
            let io = &mut plan["modules"][0]["io_contract"];
            let error = format!("Malformed: the line has no blank{}", self.exception);
            io["inputs"] = json!(["line: string; not empty"]);
            io["error_surfaces"] = json!([error]);
            plan
        };
        let mut two = one(
            "MM-pair",
            "pair: string; the text comes first",
            &["MM-moment@1.0.0"],
        );
        let last = one(
            "MM-label",
            "label: string; the text comes first",
            &["MM-pair@1.0.0"],
        );
        let modules = two["modules"].as_array_mut().unwrap();
        modules.extend(last["modules"].as_array().unwrap().clone());
        let first = one(
            "MM-moment",
            "parts: (string, string); the moment comes first",
            &[],
        );
        let moment: Vec<(&str, &str)> = [&self.moment[..], &[("examples.md", EXAMPLES)]].concat();
        let [label, tests] = self.label;
        let proposes = |state: &str, id: &str, steps: Value| {
            let brief = format!("`{id}`\n");
            json!({"state": state, "brief": brief, "steps": steps, "result": proposal()})
        };
        let world = started(&json!({"log": "agent.log", "attempt": [
            {"state": "micro_plan", "brief": format!("micro_planner for {FIRST}"), "result": first},
            {"state": "micro_plan", "brief": format!("micro_planner for {SECOND}"), "result": two},
            proposes("propose", "MM-moment", files("MM-moment", "1.0.0", &moment)),
            proposes("propose", "MM-pair", writes("MM-pair", self.pair)),
            proposes("propose", "MM-label", writes("MM-label", [self.reaches, tests])),
            proposes("revise", "MM-label", writes("MM-label", [label, tests])),
            {"state": "challenge", "result": challenge("PASS")},
            {"state": "adjudicate", "result": approve()},
        ]}));
        world.run(&["factory", "run", "p"]).exits(0);
        let mut wanted: Vec<(&str, &[&str])> = Vec::new();
        let said = [self.said];
        wanted.push(("public_surface", &said));
        if self.names[0].ends_with(".rs") {
            // There it does not even build.
            wanted.push(("black_box_tests", &["mm_moment"]));
        }
        refused(&world, &wanted);
        assert!(!module(&world, "MM-label", "ship.json").is_empty());
        let log = world.read("agent/agent.log");
        let revised = log.lines().filter(|line| line.starts_with("finish "));
        let revised = revised.filter(|line| line.contains("state=revise"));
        assert_eq!(revised.count(), 1, "{log}");
    }
}

#[test]
fn s6_a_crate_that_only_a_dependency_uses_is_refused_by_name() {
    let pair = "pub use mm_moment::Malformed;\npub fn pair(line: &str) -> Result<String, Malformed> {\n    let (moment, text) = mm_moment::split(line)?;\n    Ok(format!(\"{text} at {moment}\"))\n}\n";
    let label = "#[derive(Debug, PartialEq)]\npub struct Malformed;\npub fn label(line: &str) -> Result<String, Malformed> {\n    mm_pair::pair(line).map_err(|_| Malformed)\n}\n";
    let tests = |name: &str| {
        format!(
            "use mm_{name}::{{Malformed, {name}}};\n#[test] fn happy_path() {{ assert_eq!({name}(\"1 a\"), Ok(\"a at 1\".into())); }}\n#[test] fn input__line__1() {{ assert_eq!({name}(\"\"), Err(Malformed)); }}\n#[test] fn output__{name}__1() {{ assert!({name}(\"9 z\").unwrap().starts_with('z')); }}\n#[test] fn error__malformed() {{ assert_eq!({name}(\"alone\"), Err(Malformed)); }}\n"
        )
    };
    Row {
        names: ["implementation/lib.rs", "tests/lines.rs"],
        moment: vec![("implementation/lib.rs", MOMENT), ("tests/lines.rs", MOMENT_TESTS)],
        pair: [pair, &tests("pair")],
        label: [label, &tests("label")],
        reaches: &label.replace(
            "    mm_pair::pair",
            "    mm_moment::split(line).map_err(|_| Malformed)?;\n    mm_pair::pair",
        ),
        said: "implementation/lib.rs:4: it uses `mm_moment`, which its contract does not depend on: that names `mm_pair`",
        exception: "",
    }
    .ships();
}

#[test]
fn s6_a_package_that_only_a_dependency_uses_is_refused_by_name() {
    let own = "class Malformed(Exception):\n    \"\"\"No blank.\"\"\"\n\n\n";
    let pair = format!(
        "import mm_moment\n\n__all__ = [\"Malformed\", \"pair\"]\n\n\n{own}def pair(line: str) -> str:\n    try:\n        moment, text = mm_moment.split(line)\n    except mm_moment.Malformed:\n        raise Malformed(line)\n    return f\"{{text}} at {{moment}}\"\n"
    );
    let label = format!(
        "import mm_pair\n\n__all__ = [\"Malformed\", \"label\"]\n\n\n{own}def label(line: str) -> str:\n    try:\n        return mm_pair.pair(line)\n    except mm_pair.Malformed:\n        raise Malformed(line)\n"
    );
    let tests = |name: &str| {
        format!(
            "from unittest import TestCase\n\nfrom mm_{name} import Malformed, {name}\n\n\nclass Lines(TestCase):\n    def test_happy_path(self):\n        self.assertEqual({name}(\"1 a\"), \"a at 1\")\n\n    def test_input__line__1(self):\n        self.assertRaises(Malformed, {name}, \"\")\n\n    def test_output__{name}__1(self):\n        self.assertTrue({name}(\"9 z\").startswith(\"z\"))\n\n    def test_error__malformed(self):\n        self.assertRaises(Malformed, {name}, \"alone\")\n"
        )
    };
    Row {
        names: ["implementation/__init__.py", "tests/test_lines.py"],
        moment: vec![
            ("implementation/__init__.py", PYTHON),
            ("implementation/_core.py", PYTHON_CORE),
            ("tests/test_lines.py", PYTHON_TESTS),
        ],
        pair: [&pair, &tests("pair")],
        label: [&label, &tests("label")],
        reaches: &label.replace("    try:\n", "    from mm_moment import split\n\n    try:\n        split(\"1 a\")\n"),
        said: "implementation/__init__.py:11: it uses `mm_moment`, which its contract does not depend on: that names `mm_pair`",
        exception: "; exception",
    }
    .ships();
}

#[test]
fn s6_a_script_that_only_a_dependency_uses_is_refused_by_name() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: this play needs `node`, which is not installed");
        return;
    }
    let moment = "export class Malformed extends Error {}\n\nexport function split(line) {\n  const blank = line.indexOf(\" \");\n  if (blank < 0) throw new Malformed(line);\n  return [line.slice(0, blank), line.slice(blank + 1)];\n}\n";
    let pair = "import { split } from \"#mm_moment\";\n\nexport class Malformed extends Error {}\n\nexport function pair(line) {\n  if (!line.includes(\" \")) throw new Malformed(line);\n  const [moment, text] = split(line);\n  return `${text} at ${moment}`;\n}\n";
    let label = "import { pair } from \"#mm_pair\";\n\nexport class Malformed extends Error {}\n\nexport function label(line) {\n  if (!line.includes(\" \")) throw new Malformed(line);\n  return pair(line);\n}\n";
    let tests = |name: &str, called: &str, happy: &str, output: &str| {
        format!(
            "import assert from \"node:assert/strict\";\nimport test from \"node:test\";\nimport {{ Malformed, {called} }} from \"#mm_{name}\";\n\ntest(\"happy_path\", () => assert.deepEqual({called}(\"1 a\"), {happy}));\ntest(\"input__line__1\", () => assert.throws(() => {called}(\"\"), Malformed));\ntest(\"{output}\", () => assert.deepEqual({called}(\"1 a\"), {happy}));\ntest(\"error__malformed\", () => assert.throws(() => {called}(\"alone\"), Malformed));\n"
        )
    };
    let first = tests("moment", "split", "[\"1\", \"a\"]", "output__parts__1");
    Row {
        names: ["implementation/index.mjs", "tests/lines.test.mjs"],
        moment: vec![("implementation/index.mjs", moment), ("tests/lines.test.mjs", &first)],
        pair: [pair, &tests("pair", "pair", "\"a at 1\"", "output__pair__1")],
        label: [label, &tests("label", "label", "\"a at 1\"", "output__label__1")],
        reaches: &format!("import {{ split }} from \"#mm_moment\";\n{label}").replace("  return pair", "  split(line);\n  return pair"),
        said: "implementation/index.mjs:1: it uses `mm_moment`, which its contract does not depend on: that names `mm_pair`",
        exception: "; exception",
    }
    .ships();
}
