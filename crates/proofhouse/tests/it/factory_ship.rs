//! Ships through the real binary, with real toolchains in the sandbox: what is honest ships, and every
//! cheat ends in the refusal that names it. Here is what these tests share, and the contract at a ship.

mod edited;
mod toolchains;
mod undeclared;
mod untrue_tests;

pub(crate) use toolchains::{
    PYTHON, PYTHON_CORE, PYTHON_LABEL, PYTHON_LABEL_TESTS, PYTHON_TESTS, SCRIPT, SCRIPT_CORE,
    SCRIPT_LABEL, SCRIPT_LABEL_TESTS, SCRIPT_TESTS, label_planned, moment_planned,
};

use crate::factory::{spec, task};
use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, SECOND, approve, begun, challenge, module, plan,
    proposal, started,
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
    let script = json!({"log": "agent.log", "attempt": attempts});
    begun(&spec(&[task(1, &[])]), &script)
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

/// A proposal of the wrong code, tried before its debate.
pub(crate) const RED: (&str, &[&str]) = ("black_box_tests", &["2 passed, 2 failed"]);

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
    // A plan may not make a module again under its id, unless the project began before that was so.
    let world = started(&script);
    world.run(&["factory", "run", "p"]).exits(2);
    let journal = world.read(".proofhouse/journal/p.jsonl");
    assert!(journal.contains("module_id_taken"), "{journal}");
    let world = started(&script);
    crate::support::rewrite(&world.at(".proofhouse/journal"), "p", |mut entries| {
        let mut all = entries.iter_mut();
        let opened = all.find(|entry| entry.body["name"] == "project_opened.v1");
        opened.unwrap().body["body"]["briefs"] = json!(5);
        entries
    });
    world.run(&["factory", "run", "p"]).exits(0);
    let gates = gates(&world);
    refused(&world, &[]);
    let fingerprints = gates
        .iter()
        .filter(|(check, ..)| check == "interface_fingerprint");
    let mut reasons: Vec<&str> = fingerprints.map(|(_, _, reason)| reason.as_str()).collect();
    // Each of them was tried, and shipped.
    reasons.dedup();
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
