//! Ships through the real binary, with real toolchains in the sandbox: what is honest ships, in Rust
//! and in Python, and every cheat ends in the refusal that names it.

use crate::factory::{spec, task};
use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, SECOND, approve, challenge, module, plan, proposal,
    script, started, toml,
};
use crate::support::World;
use serde_json::{Value, json};

pub(crate) fn files(module: &str, version: &str, files: &[(&str, &str)]) -> Value {
    let steps = files.iter().map(|(name, text)| {
        let path = format!("repo/state_store/modules/{module}/{version}/{name}");
        json!({"write": path, "text": text})
    });
    steps.collect()
}

pub(crate) fn moment_plan() -> Value {
    plan(
        "MM-moment",
        "Splits a line into its moment and its text",
        "parts: (String, String); the moment comes first",
        &[],
    )
}

/// A task whose Proposer hands in one deliverable after the other, and nobody objects.
pub(crate) fn rounds(plan: &Value, rounds: &[Value]) -> Vec<Value> {
    let mut all = vec![json!({"state": "micro_plan", "result": plan})];
    for (at, steps) in rounds.iter().enumerate() {
        all.push(match at {
            0 => json!({"state": "propose", "steps": steps, "result": proposal()}),
            at => {
                json!({"state": "revise", "attempt": at + 1, "steps": steps, "result": proposal()})
            }
        });
    }
    all.push(json!({"state": "challenge", "result": challenge("PASS")}));
    all.push(json!({"state": "adjudicate", "result": approve()}));
    all
}

pub(crate) fn one_task(attempts: Vec<Value>) -> World {
    let world = World::new();
    world.write("spec.json", &spec(&[task(1, &[])]).to_string());
    let script = toml(&json!({"log": "agent.log", "attempt": attempts}));
    world.write("agent/script.toml", &script);
    world.write(".gitignore", "agent/\n");
    let agent = "scripted:agent/script.toml";
    let start = [
        "factory",
        "start",
        "spec.json",
        "--name",
        "p",
        "--agent",
        agent,
    ];
    world.run(&start).exits(0);
    world
}

/// What the gates said, in order: check, verdict, reason.
pub(crate) fn gates(world: &World) -> Vec<(String, String, String)> {
    let mut said = Vec::new();
    for line in world.read(".proofhouse/journal/p.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        for result in record["body"]["results"].as_array().into_iter().flatten() {
            let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
            said.push((text("check"), text("verdict"), text("reason")));
        }
    }
    said
}

/// The checks that did not pass, with their reasons.
#[track_caller]
pub(crate) fn refused(world: &World, wanted: &[(&str, &[&str])]) {
    let gates = gates(world);
    let refused: Vec<_> = gates
        .iter()
        .filter(|(_, verdict, _)| verdict != "pass")
        .collect();
    let checks: Vec<&str> = refused.iter().map(|(check, ..)| check.as_str()).collect();
    let names: Vec<&str> = wanted.iter().map(|(check, _)| *check).collect();
    assert_eq!(checks, names, "{refused:#?}");
    for ((_, _, reason), (_, words)) in refused.iter().zip(wanted) {
        for word in *words {
            assert!(reason.contains(word), "{word:?} is not in {reason}");
        }
    }
}

pub(crate) fn rust(code: &str, tests: &str) -> Value {
    let all = [
        ("implementation/lib.rs", code),
        ("tests/lines.rs", tests),
        ("examples.md", EXAMPLES),
    ];
    files("MM-moment", "1.0.0", &all)
}

#[test]
fn s5_4_an_undeclared_surface_included_source_and_tests_without_a_subject_are_refused() {
    let wider = format!("{MOMENT}pub fn helper() {{}}\n");
    let include = format!("{MOMENT_TESTS}#[path = \"../implementation/lib.rs\"] mod inner;\n");
    let empty = MOMENT_TESTS.replace(
        "assert_eq!(split(\"9 z\").unwrap().0, \"9\");",
        "assert_eq!(Malformed, Malformed);",
    );
    let world = one_task(rounds(
        &moment_plan(),
        &[
            rust(&wider, &include),
            rust(MOMENT, &empty),
            rust(MOMENT, MOMENT_TESTS),
        ],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            (
                "public_surface",
                &[
                    "implementation/lib.rs:7: the function `helper` is public",
                    "tests/lines.rs:6 uses `#[path]`",
                ],
            ),
            (
                "tests_fail_on_stubs",
                &["pass without an implementation and prove nothing: lines::output__parts__1"],
            ),
        ],
    );
    let ship: Value = serde_json::from_str(&module(&world, "MM-moment", "ship.json")).unwrap();
    let runner = ship["environment"]["runner_id"].as_str().unwrap();
    assert!(runner.starts_with("cargo on "), "{runner}");
}

#[test]
fn s11_3_a_test_that_exits_early_or_is_ignored_has_failed() {
    let exits = MOMENT_TESTS.replace(
        "fn happy_path() {",
        "fn happy_path() { if split(\"1 a\").is_ok() { std::process::exit(0) }",
    );
    let ignored = MOMENT_TESTS.replace("#[test] fn error", "#[test] #[ignore] fn error");
    let world = one_task(rounds(
        &moment_plan(),
        &[
            rust(MOMENT, &exits),
            rust(MOMENT, &ignored),
            rust(MOMENT, MOMENT_TESTS),
        ],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            ("black_box_tests", &["incomplete"]),
            (
                "black_box_tests",
                &[
                    "skipped, ignored or expected to fail, which is no pass: lines::error__malformed",
                ],
            ),
        ],
    );
    let log: Value =
        serde_json::from_str(&module(&world, "MM-moment", "tests/execution_log.json")).unwrap();
    let members: Vec<&String> = log.as_object().unwrap().keys().collect();
    let wanted = [
        "executed_at",
        "module_id",
        "module_version",
        "summary",
        "tests",
    ];
    assert_eq!(members, wanted);
    assert_eq!(
        log["summary"],
        json!({"total": 4, "passed": 4, "failed": 0})
    );
    assert_eq!(
        log["tests"][0],
        json!({"name": "lines::error__malformed", "result": "PASS"})
    );
}

/// Prints what the framework would have printed, past the framework, and is gone.
const FORGED: &str = r#"fn forge() -> ! {
    use std::io::Write;
    let names = ["error__malformed", "happy_path", "input__line__1", "output__parts__1"];
    let mut out = std::io::stdout();
    writeln!(out, "\nrunning 4 tests").unwrap();
    for name in names { writeln!(out, "test {name} ... ok").unwrap(); }
    for count in [4, 1] {
        writeln!(out, "\ntest result: ok. {count} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n").unwrap();
    }
    out.flush().unwrap();
    std::process::exit(0)
}
"#;

#[test]
fn s11_3_a_test_that_prints_the_results_of_all_others_speaks_for_itself_alone() {
    // One test forges, and the others are honest about code that is wrong.
    let wrong = MOMENT.replace("split_once(' ')", "split_once('-')");
    let forges = MOMENT_TESTS.replace("fn happy_path() {", "fn happy_path() { forge();");
    let forges = format!("{forges}{FORGED}");
    // Then all of them forge, whatever the code does; and then those that look at it first.
    let mut all = String::from("#![allow(unreachable_code)]\n") + &forges;
    let mut looks = all.clone();
    for name in ["input__line__1", "output__parts__1", "error__malformed"] {
        let head = format!("fn {name}() {{");
        all = all.replace(&head, &format!("{head} forge();"));
        let first = format!("{head} if split(\"1 a\").is_ok() {{ forge() }}");
        looks = looks.replace(&head, &first);
    }
    let world = one_task(rounds(
        &moment_plan(),
        &[
            rust(&wrong, &forges),
            rust(&wrong, &all),
            rust(&wrong, &looks),
        ],
    ));
    world.run(&["factory", "run", "p"]).exits(2);
    refused(
        &world,
        &[
            (
                "black_box_tests",
                &["3 passed, 1 failed, 0 skipped: lines::output__parts__1"],
            ),
            // Nothing of this looks at the module, so it is the same without one.
            (
                "tests_fail_on_stubs",
                &[
                    "pass without an implementation and prove nothing: ",
                    "lines::happy_path",
                    "lines::error__malformed",
                    "lines::output__parts__1",
                ],
            ),
            // One that looks has tested what it looked at, and the code is wrong there.
            ("black_box_tests", &["3 passed, 1 failed"]),
        ],
    );
    let log: Value =
        serde_json::from_str(&module(&world, "MM-moment", "tests/execution_log.json")).unwrap();
    assert_eq!(log["summary"]["total"], 4);
}

#[test]
fn s11_3_a_test_can_not_replace_the_binary_of_the_next_one() {
    let wrong = MOMENT.replace("split_once(' ')", "split_once('-')");
    let vandal = r##"#[test] fn aaa() {
    for folder in ["target/debug/deps", "../binaries", "."] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().contains("lines") {
                let _ = std::fs::remove_file(entry.path());
                let _ = std::fs::write(entry.path(), "#!/bin/sh\necho 'test result: ok. 1 passed; 0 failed; 0 ignored;'\n");
                use std::os::unix::fs::PermissionsExt;
                let _ = std::fs::set_permissions(entry.path(), std::fs::Permissions::from_mode(0o755));
            }
        }
    }
}
"##;
    let mut steps = rust(&wrong, MOMENT_TESTS);
    let path = "repo/state_store/modules/MM-moment/1.0.0/tests/aaa.rs";
    let all = steps.as_array_mut().unwrap();
    all.push(json!({"write": path, "text": vandal}));
    let good = rust(MOMENT, MOMENT_TESTS);
    let world = one_task(rounds(&moment_plan(), &[steps, good]));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[(
            "black_box_tests",
            &["3 passed, 2 failed", "lines::happy_path"],
        )],
    );
}

#[test]
fn s5_4_tests_that_never_run_and_panics_that_any_stub_has_prove_nothing() {
    // A file that no test target reaches.
    let never = json!([
        {"write": "repo/state_store/modules/MM-moment/1.0.0/implementation/lib.rs", "text": MOMENT},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/tests/deep/lines.rs", "text": MOMENT_TESTS},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/tests/other.rs", "text": "#[test] fn happy_path() { assert!(mm_moment::split(\"1 a\").is_ok()); }\n"},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/examples.md", "text": EXAMPLES},
    ]);
    let panics = MOMENT_TESTS.replace(
        "#[test] fn input__line__1() { assert_eq!(split(\"\"), Err(Malformed)); }",
        "#[test] #[should_panic] fn input__line__1() { split(\"\").unwrap(); }",
    );
    assert_ne!(panics, MOMENT_TESTS);
    let world = one_task(rounds(
        &moment_plan(),
        &[never, rust(MOMENT, &panics), rust(MOMENT, MOMENT_TESTS)],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            (
                "black_box_tests",
                &[
                    "no test for error surface: Malformed when the line has no blank; name one `error__malformed`",
                ],
            ),
            (
                "tests_fail_on_stubs",
                &["prove nothing: lines::input__line__1"],
            ),
        ],
    );
}

#[test]
fn s5_4_tests_inside_of_the_implementation_are_not_run() {
    let inside = MOMENT_TESTS.replace("use mm_moment::{Malformed, split};\n", "");
    let inside = format!("{MOMENT}#[cfg(test)]\nmod lines {{\nuse super::*;\n{inside}}}\n");
    let one = "#[test] fn happy_path() { assert!(mm_moment::split(\"1 a\").is_ok()); }\n";
    // All tests where no target reaches them, so that nothing runs at all.
    let none = json!([
        {"write": "repo/state_store/modules/MM-moment/1.0.0/implementation/lib.rs", "text": inside},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/tests/deep/lines.rs", "text": MOMENT_TESTS},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/examples.md", "text": EXAMPLES},
    ]);
    let world = one_task(rounds(
        &moment_plan(),
        &[none, rust(&inside, one), rust(MOMENT, MOMENT_TESTS)],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            ("black_box_tests", &["names no test binary"]),
            (
                "black_box_tests",
                &["no test for error surface: Malformed when the line has no blank"],
            ),
        ],
    );
}

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

#[test]
fn s6_6_what_is_edited_after_the_debate_or_the_seal_does_not_ship() {
    let mut script = script();
    let rejects = json!({"state": "adjudicate", "result": {
        "decision": "REJECT", "amendments": [], "rationale": "not yet", "ship_directive": "NO_SHIP",
    }});
    let attempts = script["attempt"].as_array_mut().unwrap();
    attempts.retain(|one| one["state"] != "adjudicate");
    attempts.push(rejects);
    // The second module's last revision is the good one.
    let world = started(&script);
    let key = world.approver("ann").display().to_string();
    world.write("agent/why.json", r#"{"rationale": "good enough"}"#);
    let halted = || {
        world.run(&["factory", "run", "p"]).exits(2);
        let status = world
            .run(&["factory", "status", "p", "--json"])
            .exits(0)
            .json();
        let open = status["escalations"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone();
        open.as_str().unwrap().to_owned()
    };
    let approve = |id: &str| {
        let payload = "agent/why.json";
        let args = [
            "resolve",
            id,
            "--action",
            "APPROVE_OVERRIDE",
            "--payload",
            payload,
            "--because",
            "enough",
            "--sign",
            &key,
        ];
        world.run(&args).exits(0);
    };
    let last = || {
        let (check, verdict, reason) = gates(&world).pop().unwrap();
        assert_eq!(verdict, "fail", "{check}: {reason}");
        (check, reason)
    };
    let moment = |name: &str| {
        world.at(&format!(
            ".proofhouse/state_store/modules/MM-moment/1.0.0/{name}"
        ))
    };
    let edit = |name: &str, from: &str, to: &str| {
        let path = moment(name);
        let before = std::fs::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{before}");
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, before.replace(from, to)).unwrap();
    };

    let first = halted();
    edit("tests/lines.rs", "Err(Malformed)", "split(\"\")");
    approve(&first);
    let second = halted();
    let (check, reason) = last();
    assert_eq!(check, "public_surface");
    assert_eq!(reason, "changed after the debate: tests/lines.rs");
    edit(
        "tests/lines.rs",
        "split(\"\"), split(\"\")",
        "split(\"\"), Err(Malformed)",
    );
    edit(
        "tests/lines.rs",
        "split(\"alone\"), split(\"\")",
        "split(\"alone\"), Err(Malformed)",
    );

    edit("contract.json", "not empty", "anything");
    approve(&second);
    let third = halted();
    let (check, reason) = last();
    assert_eq!(check, "interface_fingerprint");
    assert!(
        reason.starts_with("Interface fingerprint mismatch: expected "),
        "{reason}"
    );
    assert!(reason.ends_with("(inputs)"), "{reason}");
    let artifact: Value =
        serde_json::from_str(&module(&world, "MM-moment", "escalation.json")).unwrap();
    let differs = &artifact["mismatch"]["dimensions"];
    assert_eq!(differs[0]["dimension"], "inputs", "{artifact}");
    assert_eq!(differs[0]["added"][0]["constraints"], json!(["anything"]));
    edit("contract.json", "anything", "not empty");

    // As it was debated, it ships; the second task then halts on its own rejection.
    approve(&third);
    let fourth = halted();
    assert!(moment("ship.json").is_file() && !moment("escalation.json").exists());
    edit(
        "implementation/lib.rs",
        "split_once(' ')",
        "split_once('-')",
    );
    approve(&fourth);
    halted();
    let (check, reason) = last();
    assert_eq!(check, "public_surface");
    assert_eq!(
        reason,
        "MM-moment@1.0.0 is used, and its seal is broken: implementation/lib.rs"
    );
    assert!(
        !world
            .at(".proofhouse/state_store/modules/MM-label/1.0.0/ship.json")
            .exists()
    );
}

#[test]
fn s6_6_nobody_but_the_ship_writes_the_evidence_of_a_ship() {
    let mut forged = rust(MOMENT, MOMENT_TESTS);
    let path = "repo/state_store/modules/MM-moment/1.0.0/ship.json";
    let steps = forged.as_array_mut().unwrap();
    steps.push(json!({"write": path, "text": "{}"}));
    let world = one_task(rounds(&moment_plan(), &[forged]));
    world.run(&["factory", "run", "p"]).exits(2);
    let journal = world.read(".proofhouse/journal/p.jsonl");
    assert!(
        journal.contains("out_of_scope") && journal.contains("ship.json"),
        "{journal}"
    );
    assert!(gates(&world).is_empty());
    assert!(
        !world
            .at(".proofhouse/state_store/modules/MM-moment/1.0.0/ship.json")
            .exists()
    );
}

#[test]
fn s7_a_second_version_carries_the_bump_that_its_contract_needs() {
    let mut more = moment_plan();
    more["modules"][0]["io_contract"]["error_surfaces"]
        .as_array_mut()
        .unwrap()
        .push(json!("TooLong: the line has more than 80 characters"));
    let code = "#[derive(Debug, PartialEq)]\npub enum Broken { Malformed, TooLong }\npub fn split(line: &str) -> Result<(String, String), Broken> {\n    if line.len() > 80 { return Err(Broken::TooLong); }\n    let (moment, text) = line.split_once(' ').ok_or(Broken::Malformed)?;\n    Ok((moment.to_owned(), text.to_owned()))\n}\n";
    let tests = MOMENT_TESTS.replace("{Malformed, split}", "{Broken::{self, Malformed}, split}")
        + "#[test] fn error__toolong() { assert_eq!(split(&\"a \".repeat(50)), Err(Broken::TooLong)); }\n";
    let examples = format!(
        "{EXAMPLES}\n## TooLong\n\nA long line is refused.\n\n```\n81 characters\n```\n\n```\nErr(TooLong)\n```\n"
    );
    let newer = files(
        "MM-moment",
        "1.1.0",
        &[
            ("implementation/lib.rs", code),
            ("tests/lines.rs", &tests),
            ("examples.md", &examples),
        ],
    );
    let says = |who: &str, task: &str| format!("{who} for {task}");
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": says("micro_planner", FIRST), "result": moment_plan()},
        {"state": "micro_plan", "brief": says("micro_planner", SECOND), "result": more},
        {"state": "propose", "brief": says("proposer", FIRST), "steps": rust(MOMENT, MOMENT_TESTS), "result": proposal()},
        {"state": "propose", "brief": says("proposer", SECOND), "steps": newer, "result": proposal()},
        {"state": "challenge", "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]});
    let world = started(&script);
    world.run(&["factory", "run", "p"]);
    let gates = gates(&world);
    refused(&world, &[]);
    let fingerprints = gates
        .iter()
        .filter(|(check, ..)| check == "interface_fingerprint");
    let reasons: Vec<&str> = fingerprints.map(|(_, _, reason)| reason.as_str()).collect();
    assert!(
        reasons[0].ends_with("no version is shipped before it"),
        "{reasons:?}"
    );
    assert!(
        reasons[1].ends_with("it follows MM-moment@1.0.0"),
        "{reasons:?}"
    );
    let newer = world.at(".proofhouse/state_store/modules/MM-moment/1.1.0/ship.json");
    assert!(newer.is_file());
    // The older one is as it was.
    assert!(module(&world, "MM-moment", "implementation/lib.rs").contains("pub struct Malformed"));
}

pub(crate) const PYTHON: &str =
    "from ._core import Malformed, split\n\n__all__ = [\"Malformed\", \"split\"]\n";
pub(crate) const PYTHON_CORE: &str = "class Malformed(Exception):\n    \"\"\"No blank.\"\"\"\n\n\ndef split(line: str) -> tuple[str, str]:\n    moment, blank, text = line.partition(\" \")\n    if not blank:\n        raise Malformed(line)\n    return moment, text\n";
pub(crate) const PYTHON_TESTS: &str = "import unittest\n\nimport mm_moment\nfrom mm_moment import Malformed, split\n\n\nclass Lines(unittest.TestCase):\n    def test_input__line__1(self):\n        with self.assertRaises(Malformed):\n            split(\"\")\n\n    def test_output__parts__1(self):\n        self.assertEqual(mm_moment.split(\"9 z\")[0], \"9\")\n\n    def test_error__malformed(self):\n        with self.assertRaises(Malformed):\n            split(\"alone\")\n\n\ndef test_happy_path():\n    assert split(\"1 a\") == (\"1\", \"a\")\n";
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
