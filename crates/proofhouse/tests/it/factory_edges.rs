//! Edges of a ship through the real binary: two entries, names that only look the same, and a changed
//! contract that is not the one that was locked.

use crate::factory_run::{
    EXAMPLES, FIRST, MOMENT, MOMENT_TESTS, SECOND, challenge, module, proposal, script, started,
};
use crate::factory_ship::{files, gates, moment_plan, one_task, refused, rounds, rust};
use serde_json::{Value, json};

#[test]
fn s12_4_a_module_with_two_entries_shows_an_example_of_each() {
    let mut both = moment_plan();
    both["modules"][0]["io_contract"]["modes"] = json!(["sync", "async"]);
    let code = format!(
        "{MOMENT}pub async fn split_later(line: &str) -> Result<(String, String), Malformed> {{ split(line) }}\n"
    );
    let examples = |text: &str| {
        let all = [
            ("implementation/lib.rs", code.as_str()),
            ("tests/lines.rs", MOMENT_TESTS),
            ("examples.md", text),
        ];
        files("MM-moment", "1.0.0", &all)
    };
    let named = "\n## Later\n\n`split_later` gives the same when it is awaited.\n\n```\nsplit_later(\"1 started\").await\n```\n\n```\nOk\n```\n";
    let world = one_task(rounds(
        &both,
        &[examples(EXAMPLES), examples(&format!("{EXAMPLES}{named}"))],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    let missing = "examples.md: no example shows `split_later` with an input and its output";
    refused(&world, &[("black_box_tests", &[missing])]);
}

#[test]
fn s6_6_a_name_in_decomposed_letters_is_its_own_file_all_the_way() {
    // The same word to a reader, and two names to the disk.
    let (decomposed, composed) = ("tests/cafe\u{301}.txt", "tests/caf\u{e9}.txt");
    let reads = format!(
        "{MOMENT_TESTS}#[test] fn happy_path__cafe() {{ assert_eq!(split(&std::fs::read_to_string(\"{decomposed}\").unwrap()).unwrap().0, \"1\"); }}\n"
    );
    let mut steps = rust(MOMENT, &reads);
    let path = format!("repo/state_store/modules/MM-moment/1.0.0/{decomposed}");
    let all = steps.as_array_mut().unwrap();
    all.push(json!({"write": path, "text": "1 coffee"}));
    let rejects = json!({"state": "adjudicate", "result": {
        "decision": "REJECT", "amendments": [], "rationale": "not yet", "ship_directive": "NO_SHIP",
    }});
    let mut attempts = rounds(&moment_plan(), &[steps]);
    attempts.pop();
    attempts.push(rejects);
    attempts.push(json!({"state": "revise", "steps": [], "result": proposal()}));
    let world = one_task(attempts);
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    world.write("agent/why.json", r#"{"rationale": "good enough"}"#);
    let approve = || {
        let args = [
            "resolve",
            FIRST,
            "--action",
            "APPROVE_OVERRIDE",
            "--payload",
            "agent/why.json",
            "--because",
            "enough",
            "--sign",
            &key,
        ];
        world.run(&args).exits(0);
    };
    let twin = world.at(&format!(
        ".proofhouse/state_store/modules/MM-moment/1.0.0/{composed}"
    ));
    std::fs::write(&twin, "1 tea").unwrap();
    approve();
    world.run(&["factory", "run", "p"]).exits(2);
    let (check, _, reason) = gates(&world).pop().unwrap();
    assert_eq!(check, "public_surface");
    assert_eq!(reason, format!("changed after the debate: {composed}"));
    std::fs::remove_file(&twin).unwrap();
    approve();
    world.run(&["factory", "run", "p"]).exits(0);
    let seal: Value = serde_json::from_str(&module(&world, "MM-moment", "seal.json")).unwrap();
    assert!(seal["files"][decomposed].is_string(), "{seal}");
    assert!(seal["files"][composed].is_null(), "{seal}");
    world.run(&["audit", "p", "--ci"]).exits(0);
}

#[test]
fn s11_2_a_change_whose_contract_is_not_the_locked_one_leaves_the_difference_by_dimension() {
    let raised = json!({"interface_change_exception": {
        "type": "CANNOT_SUPPORT", "target_module": "MM-moment@1.0.0",
        "reason": "the separator cannot be chosen", "evidence": ["labels want a comma"],
        "proposed_contract_delta": {"added_inputs": ["separator: char; optional, else a blank"]},
        "compatibility_expectation": "BACKWARD_COMPATIBLE", "urgency": "BLOCKING",
    }});
    let mut script = script();
    // The new version's Proposer writes over the contract that was locked.
    let edits = json!([{
        "run": "sed -i 's/not empty/anything/' state_store/modules/MM-moment/1.1.0/contract.json",
        "must": true,
    }]);
    let attempts = script["attempt"].as_array_mut().unwrap();
    let raises = json!({
        "state": "challenge", "brief": format!("challenger for {SECOND}"), "result": raised,
    });
    attempts.insert(0, raises);
    let of_change = "is to become that of MM-moment@1.1.0";
    attempts.insert(
        0,
        json!({"state": "challenge", "brief": of_change, "result": challenge("PASS")}),
    );
    attempts.insert(
        0,
        json!({"state": "propose", "brief": of_change, "steps": edits, "result": proposal()}),
    );
    let world = started(&script);
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    let inbox = world.run(&["inbox", "--json"]).exits(0).json();
    let ice = inbox[0]["question"]["id"].as_str().unwrap().to_owned();
    let approve = [
        "resolve",
        &ice,
        "--action",
        "APPROVE_CHANGE",
        "--because",
        "so be it",
        "--sign",
        &key,
    ];
    world.run(&approve).exits(0);
    // Three rounds, and then the person again.
    world.run(&["factory", "run", "p"]).exits(2);
    let failed: Vec<_> = gates(&world)
        .into_iter()
        .filter(|(check, verdict, _)| check == "interface_fingerprint" && verdict == "fail")
        .collect();
    assert_eq!(failed.len(), 3, "{failed:#?}");
    let path = ".proofhouse/state_store/modules/MM-moment/1.1.0/escalation.json";
    let artifact: Value = serde_json::from_str(&world.read(path)).unwrap();
    assert_eq!(artifact["module_id"], "MM-moment");
    assert_eq!(artifact["module_version"], "1.1.0");
    let mismatch = &artifact["mismatch"];
    assert_eq!(mismatch["dimensions"].as_array().unwrap().len(), 1);
    assert_eq!(mismatch["dimensions"][0]["dimension"], "inputs");
    for member in ["expected", "actual"] {
        assert_eq!(mismatch[member].as_str().unwrap().len(), 64, "{artifact}");
    }
    assert!(failed[2].2.contains(mismatch["actual"].as_str().unwrap()));
}

#[test]
fn s17_2_a_refused_plan_is_edited_and_handed_back_and_its_contract_is_locked() {
    let mut guessed = moment_plan();
    let answers = |clause: &str| json!([{"asked": "criterion-1", "clause": clause}]);
    guessed["modules"][0]["answers"] = answers("error__mal_formed");
    let world = one_task(rounds(&guessed, &[rust(MOMENT, MOMENT_TESTS)]));
    world.run(&["factory", "run", "p"]).exits(2);
    let key = world.approver("ann").display().to_string();
    let resolve = |more: &[&str]| {
        let mut args = vec!["resolve", FIRST, "--action", "REVISE_PLAN"];
        args.extend(more);
        world.run(&args)
    };
    let shown = resolve(&[]).refuses(1, "payload_member_missing");
    let mut plan = shown.json();
    let handed = |plan: &Value| {
        world.write("agent/plan.json", &plan.to_string());
        resolve(&["--payload", "agent/plan.json", "--sign", &key])
    };
    // As it was, it is refused for what the planner's was refused for, in words that help.
    let refused = handed(&plan).refuses(1, "plan_invalid");
    assert!(
        refused.err.contains("`error__malformed`"),
        "{}",
        refused.err
    );
    // What the person leaves out of the task is dropped; the contract is locked as a planner's is.
    plan["revised_micro_plan"][0]["answers"] = answers("error__malformed");
    handed(&plan).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    let contract: Value =
        serde_json::from_str(&module(&world, "MM-moment", "contract.json")).unwrap();
    assert_eq!(contract["error_surfaces"][0]["name"], "Malformed");
    world.run(&["audit", "p"]).exits(0);
}
