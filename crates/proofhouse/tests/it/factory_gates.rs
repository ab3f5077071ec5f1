//! What the factory holds plans, contracts and additions to, through the real binary: a plan answers its
//! task, a contract depends on what the plan names, what is added to the code is seen by a test, a spec
//! reads as it looks, and nobody goes on with a project whose people's words are forged.

use crate::factory::{spec, task};
use crate::factory_audit::Clone_;
use crate::factory_people::halting;
use crate::factory_run::{
    FIRST, MOMENT, MOMENT_TESTS, SECOND, challenge, proposal, started, writes,
};
use crate::factory_ship::{gates, moment_plan, one_task, refused, rounds, rust};
use crate::support::World;
use serde_json::{Value, json};

const AT: &str = "repo/state_store/modules/MM-moment/1.0.0";

fn escalation(world: &World) -> Value {
    let status = world.run(&["factory", "status", "p", "--json"]).exits(0);
    let id = status.json()["escalations"][0].as_str().unwrap().to_owned();
    let path = format!(".proofhouse/state_store/escalations/{id}.json");
    serde_json::from_str(&world.read(&path)).unwrap()
}

#[test]
fn s10_1_a_plan_that_drops_a_criterion_goes_back_and_a_person_can_drop_it() {
    let mut drops = moment_plan();
    drops["modules"][0]["answers"] = json!([
        {"asked": "criterion-1", "clause": "output__parts__1"},
        {"asked": "input-1", "clause": "input__line__1"},
        {"asked": "output-1", "clause": "output__parts__1"},
        {"asked": "error-1", "clause": "error__malformed"},
    ]);
    let steps = rust(MOMENT, MOMENT_TESTS);
    let world = one_task(rounds(&drops, &[steps]));
    world.run(&["factory", "run", "p"]).exits(2);
    let told = escalation(&world)["failed_invariants"].to_string();
    assert!(
        told.contains("criterion-2") && told.contains("rejects a line without a moment"),
        "{told}"
    );
    assert!(!told.contains("criterion-1"), "{told}");
    // The planner was told, and the next brief lists the points.
    let journal = world.read(".proofhouse/journal/p.jsonl");
    assert_eq!(journal.matches("task_unanswered").count(), 3, "{journal}");

    let key = world.approver("ann").display().to_string();
    let payload = json!({
        "amended_acceptance_criteria": ["returns the moment and the text"],
        "amendment_rationale": "every line has a moment",
    });
    world.write("agent/amend.json", &payload.to_string());
    let resolve = [
        "resolve",
        FIRST,
        "--action",
        "AMEND_SPEC",
        "--payload",
        "agent/amend.json",
        "--because",
        "nobody needs it",
        "--sign",
        &key,
    ];
    world.run(&resolve).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    world.run(&["audit", "p"]).exits(0);
}

#[test]
fn s10_1_a_contract_depends_on_what_the_plan_names() {
    let mut script = crate::factory_run::script();
    // The second module takes one more dependency into its contract than was planned.
    let attempts = script["attempt"].as_array_mut().unwrap();
    let edit = "sed -i 's/\"dependencies\": \\[/\"dependencies\": [{\"ref\": \"MM-other@1.0.0\", \"why\": \"handy\"},/' state_store/modules/MM-label/1.0.0/contract.json";
    for attempt in attempts.iter_mut() {
        let brief = attempt["brief"].as_str().unwrap_or_default().to_owned();
        if brief == format!("proposer for {SECOND}") {
            let steps = attempt["steps"].as_array_mut().unwrap();
            steps.push(json!({"run": edit, "must": true}));
        }
    }
    let world = started(&script);
    world.run(&["factory", "run", "p"]).exits(2);
    let found = gates(&world);
    let named = found.iter().find(|(check, verdict, reason)| {
        check == "interface_fingerprint" && verdict != "pass" && reason.contains("MM-other@1.0.0")
    });
    assert!(named.is_some(), "{found:#?}");
}

/// A task whose Arbiter adds something, and whose Proposer answers with these steps.
fn adding(amendments: &Value, steps: &Value) -> World {
    let count = amendments.as_array().unwrap().len();
    let applied: Vec<Value> = (0..count)
        .map(|at| json!({"amendment_index": at, "applied": true, "note": "as asked"}))
        .collect();
    let ruling = json!({
        "decision": "APPROVE_WITH_AMENDMENTS", "amendments": amendments,
        "rationale": "one thing is missing", "ship_directive": "SHIP",
    });
    one_task(vec![
        json!({"state": "micro_plan", "result": moment_plan()}),
        json!({"state": "propose", "steps": writes("MM-moment", MOMENT, MOMENT_TESTS), "result": proposal()}),
        json!({"state": "challenge", "result": challenge("PASS")}),
        json!({"state": "adjudicate", "result": ruling}),
        json!({"state": "amend", "steps": steps, "result": {"deliverable_ref": "implementation/", "amendments": applied}}),
    ])
}

fn asks(of_tests: bool) -> Value {
    let code = json!({
        "action": "ADD", "target": "implementation/lib.rs::trim_start",
        "detail": "drop blanks at the beginning of the line with trim_start",
    });
    let test = json!({
        "action": "ADD", "target": "tests/lines.rs::input__line__1__indented",
        "detail": "add a test of that name with a line that begins with a blank",
    });
    match of_tests {
        true => json!([code, test]),
        false => json!([code]),
    }
}

const INDENTED: &str = "#[test] fn input__line__1__indented() { assert_eq!(split(\" 2 b\"), Ok((\"2\".into(), \"b\".into()))); }\n";

#[test]
fn s9_6_what_an_amendment_adds_to_the_code_is_seen_by_a_test() {
    let trims = MOMENT.replace("line.split_once", "line.trim_start().split_once");
    let code = json!({"write": format!("{AT}/implementation/lib.rs"), "text": trims});
    let test = json!({"append": format!("{AT}/tests/lines.rs"), "text": INDENTED});
    // Honest: the test that comes with it fails without it.
    let world = adding(&asks(true), &json!([code, test]));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[]);
    let mut found = gates(&world).into_iter();
    let (_, _, reason) = found
        .find(|(check, ..)| check == "amendments_applied")
        .unwrap();
    assert!(
        reason.contains("without what was added to the code its tests fail"),
        "{reason}"
    );

    // A comment that holds the word, and code that nothing calls.
    let comment = format!("{MOMENT}// trim_start is not needed here\n");
    let idle = format!("{MOMENT}fn unused(line: &str) -> &str {{ line.trim_start() }}\n");
    for text in [comment, idle] {
        let code = json!({"write": format!("{AT}/implementation/lib.rs"), "text": text});
        let world = adding(&asks(false), &json!([code]));
        world.run(&["factory", "run", "p"]).exits(2);
        refused(
            &world,
            &[(
                "amendments_applied",
                &["no test sees what was added to the code"],
            )],
        );
    }
    // A test that only stands in a comment.
    let amendments = json!([asks(true)[1]]);
    let comment = "// input__line__1__indented\n";
    let test = json!({"append": format!("{AT}/tests/lines.rs"), "text": comment});
    let world = adding(&amendments, &json!([test]));
    world.run(&["factory", "run", "p"]).exits(2);
    refused(
        &world,
        &[("amendments_applied", &["nothing but comments was added"])],
    );
}

#[test]
fn s3_2_3_a_spec_reads_as_it_looks() {
    let start = |criteria: Value| {
        let world = World::new();
        let mut one = task(1, &[]);
        one["acceptance_criteria"] = criteria;
        world.write("spec.json", &spec(&[one]).to_string());
        let start = [
            "factory",
            "start",
            "spec.json",
            "--name",
            "p",
            "--agent",
            "command:true",
        ];
        (
            world.run(&["factory", "validate", "spec.json"]),
            world.run(&start),
        )
    };
    for (criteria, code) in [
        (
            json!(["returns the text", "rej\u{435}cts a blank line"]),
            "look_alike",
        ),
        (
            json!(["returns the text", "rejects\u{202e} a blank line"]),
            "unseen_character",
        ),
        (json!(["returns the text", "Returns the text."]), "too_few"),
    ] {
        let (validated, started) = start(criteria);
        let validated = validated.exits(1);
        assert!(validated.out.contains(code), "{}", validated.out);
        started.refuses(1, "spec_invalid");
    }
    let honest = json!(["возвращает текст строки", "returns 👩\u{200d}💻 for José"]);
    let (validated, started) = start(honest);
    validated.exits(0);
    started.exits(0);
}

#[test]
fn nobody_goes_on_with_a_project_whose_peoples_words_are_forged() {
    let world = started(&halting());
    let key = world.approver("ann").display().to_string();
    world.run(&["factory", "run", "p"]).exits(2);
    world.write("agent/why.json", r#"{"rationale": "nobody needs it"}"#);
    let resolve = [
        "resolve",
        SECOND,
        "--action",
        "ABANDON_TASK",
        "--payload",
        "agent/why.json",
        "--because",
        "enough",
        "--sign",
        &key,
    ];
    world.run(&resolve).exits(0);
    let rewritten = |change: &dyn Fn(&mut Vec<store::Entry>)| {
        let path = world.at(".proofhouse/journal/p.jsonl");
        let before = std::fs::read(&path).unwrap();
        let journals = world.at(".proofhouse/journal");
        crate::support::rewrite(&journals, "p", |mut entries| {
            change(&mut entries);
            entries
        });
        let forged = std::fs::read(&path).unwrap();
        assert_ne!(forged, before);
        world
            .run(&["factory", "run", "p"])
            .refuses(1, "forged_decision");
        assert_eq!(std::fs::read(&path).unwrap(), forged, "nothing was started");
        std::fs::write(&path, before).unwrap();
    };
    let decided = |entries: &[store::Entry]| {
        let mut all = entries.iter();
        all.position(|entry| entry.kind == "decided.v1").unwrap()
    };
    // Other words under the signature, none, and somebody else's name.
    rewritten(&|entries| {
        let at = decided(entries);
        entries[at].body["because"] = json!("because I say so");
    });
    rewritten(&|entries| {
        let at = decided(entries);
        entries[at]
            .body
            .as_object_mut()
            .unwrap()
            .remove("signature");
    });
    rewritten(&|entries| {
        let at = decided(entries);
        entries[at].body["who"] = json!("bob@example.org");
    });
    // What follows from a word that nobody said.
    rewritten(&|entries| {
        let at = decided(entries);
        entries.remove(at);
    });
    // And as it was, it goes on.
    world.run(&["factory", "run", "p"]).exits(0);
    let clone = Clone_::of(world);
    assert_eq!(clone.audit(), Vec::new());
}
