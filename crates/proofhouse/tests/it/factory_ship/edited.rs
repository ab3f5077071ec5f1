//! Rule F6.6: what is edited after the debate or the seal does not ship, and nobody else writes the
//! evidence of a ship.

use super::{gates, moment_plan, one_task, rounds, rust};
use crate::factory_run::{MOMENT, MOMENT_TESTS, module, script, started};
use serde_json::{Value, json};

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
