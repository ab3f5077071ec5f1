//! The exam of a module of the factory through the real binary: somebody who sees the contract and no code
//! writes questions, the engine asks them, and what the builder heard of is all that anybody hears.

use crate::factory::{spec, task};
use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, SECOND, approve, challenge, module, proposal, toml,
};
use crate::factory_ship::{
    PYTHON, PYTHON_CORE, PYTHON_TESTS, files, gates, moment_plan, moment_planned, refused, rust,
};
use crate::support::World;
use serde_json::{Value, json};

/// A word of every case, and of nothing else.
const MARK: &str = "zanzibar";

fn case(number: usize, clause: &str, line: &str, holds: Value) -> Value {
    json!({
        "id": format!("C{number}"), "clause": clause,
        "steps": [{"call": "module:sync", "with": [line]}], "holds": [holds],
    })
}

/// Two of them are held back; most of them have two words after the moment.
fn exam() -> Value {
    let first = "the moment comes first";
    let parts =
        |moment: &str, text: &str| json!({"of": 0, "is": "equals", "value": [moment, text]});
    let fails = json!({"of": 0, "is": "fails", "value": "Malformed"});
    let cases = [
        case(
            1,
            first,
            &format!("1 {MARK} tea"),
            parts("1", &format!("{MARK} tea")),
        ),
        case(
            2,
            first,
            &format!("noon {MARK} b"),
            parts("noon", &format!("{MARK} b")),
        ),
        case(
            3,
            first,
            &format!("2 c {MARK}"),
            parts("2", &format!("c {MARK}")),
        ),
        case(
            4,
            first,
            &format!("9 {MARK} z"),
            json!({"of": 0, "at": "/1", "is": "equals", "value": format!("{MARK} z")}),
        ),
        case(5, "the line has no blank", MARK, fails.clone()),
    ];
    json!({"summary": "five cases", "exam": {"driver": "python", "cases": cases}})
}

fn examines(result: &Value) -> Value {
    json!({"state": "examine", "brief": format!("examiner for {FIRST}"), "result": result})
}

fn python(core: &str) -> Value {
    let all = [
        ("implementation/__init__.py", PYTHON),
        ("implementation/_core.py", core),
        ("tests/test_lines.py", PYTHON_TESTS),
        ("examples.md", EXAMPLES),
    ];
    files("MM-moment", "1.0.0", &all)
}

/// It passes its own tests, and loses every word but one.
fn forgetful() -> String {
    PYTHON_CORE.replace("return moment, text", "return moment, text.split(\" \")[0]")
}

fn proposes(state: &str, steps: &Value) -> Value {
    json!({"state": state, "steps": steps, "result": proposal()})
}

fn agreed() -> [Value; 2] {
    [
        json!({"state": "challenge", "result": challenge("PASS")}),
        json!({"state": "adjudicate", "result": approve()}),
    ]
}

/// A project whose modules have exams.
fn begun(tasks: &[Value], attempts: Vec<Value>) -> World {
    let world = World::new();
    world.write("spec.json", &spec(tasks).to_string());
    let script = json!({"log": "agent.log", "attempt": attempts});
    world.write("agent/script.toml", &toml(&script));
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
    let mut start = world.command(&start);
    let said: crate::support::Said = start
        .env("PROOFHOUSE_CHECKS__EXAM", "on")
        .output()
        .unwrap()
        .into();
    said.exits(0);
    world
}

fn one_task(attempts: Vec<Value>) -> World {
    begun(&[task(1, &[])], attempts)
}

/// What the evidence of a ship says of the exam.
fn came_to(world: &World) -> String {
    let ship: Value = serde_json::from_str(&module(world, "MM-moment", "ship.json")).unwrap();
    ship["verification"]["exam"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn plans(plan: &Value) -> Value {
    json!({"state": "micro_plan", "result": plan})
}

#[test]
fn s9_7_a_module_that_fits_its_own_tests_alone_is_found_out_before_anybody_debates_it() {
    let mut attempts = vec![
        plans(&moment_planned()),
        examines(&exam()),
        proposes("propose", &python(&forgetful())),
        // The builder hears the clause, the call and its own answer, and not what was wanted.
        json!({"state": "revise", "brief": "-> answered [", "steps": python(PYTHON_CORE), "result": proposal()}),
    ];
    let [challenges, rules] = agreed();
    // Who challenges is told clause by clause.
    let mut told = challenges;
    told["brief"] = json!("cases hold of \\\"the moment comes first\\\"");
    attempts.extend([told, rules]);
    let world = one_task(attempts);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[("exam_open", &["do not hold", "each is told once"])],
    );
    let said = came_to(&world);
    assert!(
        said.starts_with("observed: 5 cases hold, 2 of them never told to anybody"),
        "{said}"
    );
    let log = world.read("agent/agent.log");
    assert_eq!(log.matches("finish").count(), 6, "{log}");
    let sat: Vec<_> = gates(&world)
        .into_iter()
        .filter(|one| one.0.contains("exam"))
        .collect();
    let names: Vec<&str> = sat.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(
        names,
        ["exam_written", "exam_open", "exam_open", "module_exam"]
    );
    world.run(&["audit"]).exits(0);
    // It is over: what was sealed joins the evidence, so that everybody can read it.
    assert!(!world.at(".proofhouse/work/p/sealed").exists());
}

#[test]
fn an_honest_module_of_rust_is_observed_and_no_case_lies_where_anybody_reads() {
    let mut attempts = vec![
        plans(&moment_plan()),
        examines(&exam()),
        proposes("propose", &rust(MOMENT, MOMENT_TESTS)),
    ];
    let [challenges, rules] = agreed();
    // It asks for nothing that is there, and the run waits for a person before it is over.
    let looks = json!([{"run": format!("! grep -rq {MARK} ."), "must": true}]);
    let mut told = challenges;
    told["steps"] = looks;
    attempts.extend([told, rules]);
    let world = one_task(attempts);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[]);
    let said = came_to(&world);
    assert!(said.starts_with("observed: 5 cases hold"), "{said}");
    // What every role was told is on record: no case is in it.
    for line in world.read(".proofhouse/journal/p.jsonl").lines() {
        assert!(!line.contains(MARK), "{line}");
    }
    world.run(&["audit"]).exits(0);
}

const SCRIPT: &str = "export class Malformed extends Error {}\n\nexport function split(line) {\n  const blank = line.indexOf(\" \");\n  if (blank < 0) throw new Malformed(line);\n  return [line.slice(0, blank), line.slice(blank + 1)];\n}\n";

const SCRIPT_TESTS: &str = "import assert from \"node:assert/strict\";\nimport test from \"node:test\";\nimport { Malformed, split } from \"#mm_moment\";\n\ntest(\"happy_path\", () => assert.deepEqual(split(\"1 a\"), [\"1\", \"a\"]));\ntest(\"input__line__1\", () => assert.throws(() => split(\"\"), Malformed));\ntest(\"output__parts__1\", () => assert.equal(split(\"9 z\")[0], \"9\"));\ntest(\"error__malformed\", () => assert.throws(() => split(\"alone\"), Malformed));\n";

#[test]
fn a_module_of_javascript_is_asked_in_its_own_language() {
    let all = [
        ("implementation/index.mjs", SCRIPT),
        ("tests/lines.test.mjs", SCRIPT_TESTS),
        ("examples.md", EXAMPLES),
    ];
    let mut attempts = vec![
        plans(&moment_planned()),
        examines(&exam()),
        proposes("propose", &files("MM-moment", "1.0.0", &all)),
    ];
    attempts.extend(agreed());
    let world = one_task(attempts);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[]);
    let said = came_to(&world);
    assert!(said.starts_with("observed: 5 cases hold"), "{said}");
}

#[test]
fn an_exam_that_could_not_fail_goes_back_and_a_module_without_one_says_so() {
    let mut blind = exam();
    let cases = blind["exam"]["cases"].as_array_mut().unwrap();
    cases.truncate(4);
    let mut attempts = vec![
        plans(&moment_planned()),
        examines(&blind),
        // The second time it hears what is missing, and says that it cannot.
        json!({
            "state": "examine", "attempt": 2, "brief": "no case must meet `Malformed`",
            "result": {"summary": "JSON has no blank lines"},
        }),
        proposes("propose", &python(PYTHON_CORE)),
    ];
    attempts.extend(agreed());
    let world = one_task(attempts);
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[("exam_written", &["no case must meet `Malformed`"])],
    );
    let said = came_to(&world);
    assert!(
        said.starts_with("reported: the examiner handed in no exam: JSON has no blank lines"),
        "{said}"
    );
}

#[test]
fn what_is_reused_passes_the_exam_of_the_task_that_reuses_it() {
    let reuses = |decision: &str| {
        let mut plan = moment_plan();
        let module = &mut plan["modules"][0];
        module["reuse_candidate_refs"] = json!(["MM-moment@1.0.0"]);
        module["reuse_decision"] = json!(decision);
        plan
    };
    let run = |second: Value, planned: Vec<Value>| {
        let mut attempts = vec![
            json!({"state": "micro_plan", "brief": format!("micro_planner for {FIRST}"), "result": moment_plan()}),
            examines(&exam()),
            json!({"state": "examine", "brief": format!("examiner for {SECOND}"), "result": second}),
            proposes("propose", &rust(MOMENT, MOMENT_TESTS)),
        ];
        attempts.extend(planned);
        attempts.extend(agreed());
        begun(&[task(1, &[]), task(2, &["TSK-001"])], attempts)
    };
    let plan = json!({"state": "micro_plan", "brief": format!("micro_planner for {SECOND}"), "result": reuses("REUSE")});
    let honest = run(exam(), vec![plan.clone()]);
    honest.run(&["factory", "run", "p"]).exits(0);
    refused(&honest, &[]);
    let said = gates(&honest);
    assert!(
        said.iter().filter(|one| one.0 == "exam_open").count() == 2,
        "{said:#?}"
    );

    // This task wants the text first: the contract reads alike, the module does not do it.
    let mut other = exam();
    for case in other["exam"]["cases"].as_array_mut().unwrap() {
        let claim = &mut case["holds"][0];
        if let Some(parts) = claim["value"].as_array_mut() {
            parts.reverse();
        }
    }
    let world = run(other, vec![plan]);
    world.run(&["factory", "run", "p"]).exits(2);
    let journal = world.read(".proofhouse/journal/p.jsonl");
    assert!(journal.contains("reuse_not_passed"), "{journal}");
}
