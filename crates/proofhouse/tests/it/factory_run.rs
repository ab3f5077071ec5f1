//! A whole project of the factory through the real binary: two tasks, one of which uses the other's
//! module, with a scripted agent, real tests in the sandbox, a kill now and then, and a release.

use crate::factory::{spec, task};
use crate::support::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

pub(crate) const FIRST: &str = "T-core-auth-login-001";
pub(crate) const SECOND: &str = "T-core-auth-login-002";

pub(crate) fn plan(id: &str, purpose: &str, output: &str, uses: &[&str]) -> Value {
    json!({"modules": [{
        "module_id": id, "name": id, "purpose": purpose,
        "io_contract": {
            "inputs": ["line: &str; not empty"],
            "outputs": [output],
            "error_surfaces": ["Malformed: the line has no blank"],
            "effects": ["none: it is pure"],
            "modes": ["sync"],
        },
        "error_cases": ["a line without a blank"],
        "depends_on": uses,
        "reuse_candidate_refs": [], "reuse_decision": "CREATE_NEW",
        "reuse_justification": "nothing in the index splits lines",
    }]})
}

pub(crate) fn proposal() -> Value {
    json!({
        "summary": "built",
        "claim": "the module turns a line into its parts as the contract says",
        "deliverable_ref": "implementation/",
        "acceptance_checks": ["tests/lines.rs shows each of them"],
    })
}

pub(crate) fn challenge(verdict: &str) -> Value {
    let marks = ["R1", "R2", "R3", "R4", "R5", "R6"].map(|id| {
        let mark = if verdict == "FAIL" && id == "R3" { "NOT_MET" } else { "MET" };
        let evidence = match id {
            "R1" => "inputs, outputs, error surfaces, effects and modes: see happy_path in tests/lines.rs",
            "R2" => "happy_path, input__line__1 and error__malformed are all in tests/lines.rs",
            "R3" => "a line without a blank gives Malformed, and nothing else can fail",
            "R4" => "it uses what its contract names, and no more",
            "R5" => "the first criterion is asserted by happy_path, the second by error__malformed",
            _ => "one sentence says what it does with a line",
        };
        json!({"criterion": id, "assessment": mark, "evidence": evidence})
    });
    let failures = match verdict {
        "FAIL" => json!([{
            "invariant": "error surfaces", "evidence": "a line without a blank is not refused",
            "required_change": "refuse it with Malformed",
        }]),
        _ => json!([]),
    };
    json!({"verdict": verdict, "failures": failures, "rubric_assessments": marks})
}

pub(crate) fn approve() -> Value {
    json!({
        "decision": "APPROVE", "amendments": [], "rationale": "every criterion is met",
        "ship_directive": "SHIP",
    })
}

pub(crate) const MOMENT: &str = r#"#[derive(Debug, PartialEq)]
pub struct Malformed;
pub fn split(line: &str) -> Result<(String, String), Malformed> {
    let (moment, text) = line.split_once(' ').ok_or(Malformed)?;
    Ok((moment.to_owned(), text.to_owned()))
}
"#;
pub(crate) const MOMENT_TESTS: &str = r#"use mm_moment::{Malformed, split};
#[test] fn happy_path() { assert_eq!(split("1 a"), Ok(("1".into(), "a".into()))); }
#[test] fn input__line__1() { assert_eq!(split(""), Err(Malformed)); }
#[test] fn output__parts__1() { assert_eq!(split("9 z").unwrap().0, "9"); }
#[test] fn error__malformed() { assert_eq!(split("alone"), Err(Malformed)); }
"#;
pub(crate) const LABEL: &str = r#"pub use mm_moment::Malformed;
pub fn label(line: &str) -> Result<String, Malformed> {
    let (moment, text) = mm_moment::split(line)?;
    Ok(format!("{text} at {moment}"))
}
"#;
pub(crate) const LABEL_TESTS: &str = r#"use mm_label::{Malformed, label};
#[test] fn happy_path() { assert_eq!(label("1 a"), Ok("a at 1".into())); }
#[test] fn input__line__1() { assert_eq!(label(""), Err(Malformed)); }
#[test] fn output__label__1() { assert!(label("9 z").unwrap().starts_with('z')); }
#[test] fn error__malformed() { assert_eq!(label("alone"), Err(Malformed)); }
"#;
pub(crate) const EXAMPLES: &str = "# Examples\n\n## A line\n\nThe line is split at its first blank.\n\n```\n1 started\n```\n\n```\nOk\n```\n\n## Malformed\n\nA line without a blank is refused.\n\n```\nalone\n```\n\n```\nErr(Malformed)\n```\n";

pub(crate) fn writes(module: &str, code: &str, tests: &str) -> Value {
    let at = |name: &str| format!("repo/state_store/modules/{module}/1.0.0/{name}");
    json!([
        {"wait": 0.02},
        {"write": at("implementation/lib.rs"), "text": code},
        {"write": at("tests/lines.rs"), "text": tests},
        {"write": at("examples.md"), "text": EXAMPLES},
    ])
}

/// The first module fails its first challenge, the second its first ship: its code is wrong.
pub(crate) fn script() -> Value {
    let says = |who: &str, task: &str| format!("{who} for {task}");
    let wrong = LABEL.replace("{text} at {moment}", "{moment} at {text}");
    json!({"log": "agent.log", "attempt": [
        {"state": "micro_plan", "brief": says("micro_planner", FIRST), "result":
            plan("MM-moment", "Splits a line into its moment and its text", "parts: (String, String); the moment comes first", &[])},
        {"state": "micro_plan", "brief": says("micro_planner", SECOND), "result":
            plan("MM-label", "Makes a label of a line", "label: String; the text comes first", &["MM-moment@1.0.0"])},
        {"state": "propose", "brief": says("proposer", FIRST), "steps": writes("MM-moment", MOMENT, MOMENT_TESTS), "result": proposal()},
        {"state": "revise", "brief": says("proposer", FIRST), "steps": [{"wait": 0.02}], "result": proposal()},
        {"state": "propose", "brief": says("proposer", SECOND), "steps": writes("MM-label", &wrong, LABEL_TESTS), "result": proposal()},
        {"state": "revise", "brief": says("proposer", SECOND), "steps": writes("MM-label", LABEL, LABEL_TESTS), "result": proposal()},
        {"state": "challenge", "brief": says("challenger", FIRST), "attempt": 1, "result": challenge("FAIL")},
        {"state": "challenge", "steps": [
            {"run": "test ! -e state_store/modules/MM-label/1.0.0/implementation && test ! -e state_store/modules/MM-moment/1.0.0/implementation", "must": true},
        ], "result": challenge("PASS")},
        {"state": "adjudicate", "result": approve()},
    ]})
}

/// JSON's strings, numbers and lists are TOML's too.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name} = {}", inline(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        plain => plain.to_string(),
    }
}

/// Lets the first module of a plan that says nothing of it answer what `factory::task` asks for.
fn answering(attempt: &mut Value) {
    let Some(module) = attempt.pointer_mut("/result/modules/0") else {
        return;
    };
    let io = &module["io_contract"];
    let name = |list: &str| {
        let line = io[list][0].as_str().unwrap_or_default();
        let name = line.split(':').next().unwrap_or_default();
        name.to_lowercase()
    };
    let output = format!("output__{}__1", name("outputs"));
    let error = format!("error__{}", name("error_surfaces"));
    let bound = io["inputs"][0]
        .as_str()
        .is_some_and(|line| line.contains(';'));
    let input = match bound {
        true => format!("input__{}__1", name("inputs")),
        false => format!("input__{}", name("inputs")),
    };
    let all = [
        ("criterion-1", &output),
        ("criterion-2", &error),
        ("input-1", &input),
        ("output-1", &output),
        ("error-1", &error),
    ];
    // What it uses is what the Code Index has near it.
    if module["reuse_candidate_refs"] == json!([]) {
        module["reuse_candidate_refs"] = module["depends_on"].clone();
    }
    if module["answers"].is_null() {
        let all = all.map(|(asked, clause)| json!({"asked": asked, "clause": clause}));
        module["answers"] = json!(all);
    }
}

pub(crate) fn toml(script: &Value) -> String {
    let mut text = format!("log = {}\n", script["log"]);
    let mut attempts = script["attempt"].as_array().unwrap().clone();
    attempts.iter_mut().for_each(answering);
    for attempt in &attempts {
        text.push_str("[[attempt]]\n");
        for (name, value) in attempt.as_object().unwrap() {
            text.push_str(&format!("{name} = {}\n", inline(value)));
        }
    }
    text
}

pub(crate) fn started(script: &Value) -> World {
    started_with(script, &Value::Null)
}

/// With what the spec says of the product; null: nothing.
pub(crate) fn started_with(script: &Value, product: &Value) -> World {
    let mut spec = spec(&[task(1, &[]), task(2, &["TSK-001"])]);
    if !product.is_null() {
        spec["product"] = product.clone();
    }
    begun(&spec, script)
}

/// The project `p` of a spec, whose roles a script plays; nothing has run.
pub(crate) fn begun(spec: &Value, script: &Value) -> World {
    let world = World::new();
    world.write("spec.json", &spec.to_string());
    world.write("agent/script.toml", &toml(script));
    world.write(".gitignore", "agent/\n");
    world
        .run(&[
            "factory",
            "start",
            "spec.json",
            "--name",
            "p",
            "--agent",
            "scripted:agent/script.toml",
        ])
        .exits(0);
    world
}

pub(crate) fn module(world: &World, module: &str, file: &str) -> String {
    world.read(&format!(
        ".proofhouse/state_store/modules/{module}/1.0.0/{file}"
    ))
}

/// What must be the same however often a project was killed.
pub(crate) fn essence(world: &World) -> Value {
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let tasks = status["state_machine"]["tasks"].as_object().unwrap().iter();
    let tasks: Vec<Value> = tasks
        .map(|(id, task)| json!([id, task["status"], task["module_ref"]]))
        .collect();
    let log = world.read("agent/agent.log");
    let mut finished: Vec<&str> = log
        .lines()
        .filter(|line| line.starts_with("finish "))
        .collect();
    let state = |line: &str| {
        let mut words = line.split(' ').filter(|word| word.starts_with("state="));
        words.next().unwrap_or_default().to_owned()
    };
    finished.sort_by_key(|line| state(line));
    let finished: Vec<String> = finished.into_iter().map(state).collect();
    let evidence: Vec<Value> = ["MM-moment", "MM-label"]
        .iter()
        .map(|id| {
            let ship: Value = serde_json::from_str(&module(world, id, "ship.json")).unwrap();
            json!([ship["ship_id"], ship["verification"]])
        })
        .collect();
    json!({
        "tasks": tasks, "finished": finished, "evidence": evidence,
        "released": status["releases"][0]["overall_result"], "releases": status["releases"].as_array().unwrap().len(),
    })
}

#[test]
fn a_project_is_planned_debated_shipped_and_released_and_a_kill_pays_for_no_role_twice() {
    let world = started(&script());
    let said = world.run(&["factory", "run", "p"]).exits(0);
    assert!(said.out.contains("black_box_tests"), "{}", said.out);
    let want = essence(&world);
    assert_eq!(want["released"], "PASS");
    assert_eq!(
        want["tasks"],
        json!([
            [FIRST, "SHIPPED", "MM-moment@1.0.0"],
            [SECOND, "SHIPPED", "MM-label@1.0.0"]
        ])
    );
    // Two plans; a revision each: of a challenge, and of tests that were red, which nobody debated.
    let finished = want["finished"].as_array().unwrap();
    let count = |name: &str| {
        finished
            .iter()
            .filter(|one| **one == format!("state={name}"))
            .count()
    };
    assert_eq!(
        ["micro_plan", "propose", "revise", "challenge", "adjudicate"].map(count),
        [2, 2, 2, 3, 2],
        "{}",
        said.out
    );
    let log: Value =
        serde_json::from_str(&module(&world, "MM-label", "tests/execution_log.json")).unwrap();
    assert_eq!(
        log["summary"],
        json!({"total": 4, "passed": 4, "failed": 0})
    );
    let sealed = world.at(".proofhouse/state_store/modules/MM-label/1.0.0/implementation/lib.rs");
    assert!(std::fs::metadata(sealed).unwrap().permissions().readonly());
    let found = world
        .run(&["index", "show", "MM-label@1.0.0", "--json"])
        .exits(0)
        .json();
    assert_eq!(found["entry"]["status"], "SHIPPED", "{found}");
    assert_eq!(found["entry"]["dependencies"], json!(["MM-moment@1.0.0"]));
    let packs = world.at(".proofhouse/state_store/context_packs");
    assert_eq!(std::fs::read_dir(packs).unwrap().count(), finished.len());

    let killed = started(&script());
    for lines in [2, 9, 24, 40] {
        let mut child = killed
            .command(&["factory", "run", "p"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let seen = out.by_ref().take(lines).count();
        child.kill().unwrap();
        out.for_each(drop);
        child.wait().unwrap();
        assert!(seen > 0);
    }
    killed.run(&["factory", "run", "p"]).exits(0);
    assert_eq!(essence(&killed), want);
    let audited = killed.run(&["audit", "--json"]).exits(0);
    assert!(audited.out.contains("\"p\""), "{}", audited.out);
}

#[test]
fn a_halt_waits_for_a_persons_word_and_the_release_sees_a_broken_seal() {
    let mut script = script();
    // The second task's module is never good enough.
    script["attempt"][6] = json!({
        "state": "challenge", "brief": format!("challenger for {SECOND}"), "result": challenge("FAIL"),
    });
    script["attempt"][8] = json!({"state": "adjudicate", "brief": format!("arbiter for {FIRST}"), "result": approve()});
    let rejects = json!({"state": "adjudicate", "result": {
        "decision": "REJECT", "amendments": [], "rationale": "the blank still fails", "ship_directive": "NO_SHIP",
    }});
    script["attempt"].as_array_mut().unwrap().push(rejects);
    let world = started(&script);
    world.run(&["factory", "run", "p"]).exits(2);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let escalation = status["escalations"][0].as_str().unwrap().to_owned();
    let file = world.read(&format!(
        ".proofhouse/state_store/escalations/{escalation}.json"
    ));
    assert!(file.contains("blank still fails"), "{file}");

    // Without a payload it shows the plan as it stands, to be edited and handed back.
    let shown = world.run(&["resolve", &escalation, "--action", "REVISE_PLAN"]);
    let plan: Value = serde_json::from_str(&shown.out).unwrap();
    let contract = &plan["revised_micro_plan"][0]["io_contract"];
    assert!(contract["error_surfaces"].is_array(), "{plan}");
    shown.refuses(1, "payload_member_missing");

    let key = world.approver("ann").display().to_string();
    world.write("agent/why.json", r#"{"rationale": "nobody needs it"}"#);
    let resolve = |id: &str, action: &str, more: &[&str]| {
        let mut args = vec![
            "resolve",
            id,
            "--action",
            action,
            "--payload",
            "agent/why.json",
            "--because",
            "enough",
        ];
        args.extend(more);
        world.run(&args)
    };
    resolve(&escalation, "SPLIT_TASK", &["--sign", &key]).refuses(1, "payload_member_unknown");
    resolve(&escalation, "ABANDON_TASK", &[]).refuses(1, "signature_required");
    resolve("ESC-00000000", "ABANDON_TASK", &[]).refuses(1, "unknown_escalation");
    resolve(&escalation, "ABANDON_TASK", &["--sign", &key]).exits(0);
    resolve(&escalation, "ABANDON_TASK", &["--sign", &key]).refuses(1, "escalation_resolved");

    // Somebody tampers with what was sealed.
    let sealed = world.at(".proofhouse/state_store/modules/MM-moment/1.0.0/implementation/lib.rs");
    std::fs::remove_file(&sealed).unwrap();
    std::fs::write(&sealed, "pub fn split() {}\n").unwrap();
    world.run(&["factory", "run", "p"]).exits(2);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let release = &status["releases"][0];
    assert_eq!(release["overall_result"], "FAIL", "{release}");
    assert_eq!(release["integration_gates"]["fingerprint_check"], "FAIL");
    assert_eq!(release["integration_gates"]["code_index_check"], "PASS");
    world
        .run(&["factory", "start", "spec.json"])
        .refuses(1, "project_exists");
}
