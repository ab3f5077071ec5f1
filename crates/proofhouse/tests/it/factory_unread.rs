//! Amendments whose beginning nobody can read any more, through the real binary: what stood in a file
//! before the turn is needed to say what was applied. Without it nothing is claimed and nothing ships.

use crate::factory_given::fixes;
use crate::factory_run::{
    EXAMPLES, MOMENT, MOMENT_TESTS, approve, challenge, module, proposal, writes,
};
use crate::factory_ship::{gates, moment_plan, one_task};
use serde_json::json;

#[test]
fn s9_6_amendments_of_what_cannot_be_read_any_more_are_not_said_to_be_applied() {
    // What looks like a key is taken out of everything that is kept. So the file as it stood before
    // the turn is not among the evidence, only one like it.
    let key = format!("sk-ant-{}", "api03-abcdefghijabcdefghij");
    let at = "repo/state_store/modules/MM-moment/1.0.0";
    let mut first = writes("MM-moment", MOMENT, MOMENT_TESTS);
    let notes = json!({"write": format!("{at}/tests/notes.txt"), "text": format!("key {key}\n")});
    first.as_array_mut().unwrap().push(notes);
    let amended = json!([{"write": format!("{at}/tests/notes.txt"), "text": "no key\n"}]);
    let fixed = "without the notes";
    let world = one_task(vec![
        json!({"state": "challenge", "brief": fixed, "result": challenge("PASS")}),
        json!({"state": "adjudicate", "brief": fixed, "result": approve()}),
        json!({"state": "micro_plan", "result": moment_plan()}),
        json!({"state": "propose", "steps": first, "result": proposal()}),
        json!({"state": "challenge", "result": challenge("PASS")}),
        json!({"state": "adjudicate", "result": {
            "decision": "APPROVE_WITH_AMENDMENTS", "rationale": "a key has no place there",
            "ship_directive": "SHIP", "amendments": [{
                "action": "MODIFY", "target": "tests/notes.txt", "detail": "take the key out",
            }],
        }}),
        json!({"state": "amend", "steps": amended, "result": {
            "deliverable_ref": "implementation/",
            "amendments": [{"amendment_index": 0, "applied": true, "note": "as asked"}],
        }}),
    ]);
    world.run(&["factory", "run", "p"]).exits(2);
    let last = || {
        let (check, verdict, reason) = gates(&world).pop().unwrap();
        assert_eq!(check, "amendments_applied");
        // Nobody's fault that is at work here: no revision is used up for it.
        assert_eq!(verdict, "could_not_run", "{reason}");
        for words in [
            "what tests/notes.txt held before the amendments cannot be read",
            "have the module proposed again",
        ] {
            assert!(reason.contains(words), "{words} is not in {reason}");
        }
        assert!(!reason.contains(&key), "{reason}");
    };
    last();
    let ship = ".proofhouse/state_store/modules/MM-moment/1.0.0/ship.json";
    assert!(!world.at(ship).exists());
    let inbox = world.run(&["inbox"]).exits(0).out;
    assert!(inbox.contains("cannot be read"), "{inbox}");
    // To try again finds the same, and says the same.
    let signer = world.approver("ann").display().to_string();
    let retry = [
        "factory",
        "retry",
        "p",
        "--because",
        "once more",
        "--sign",
        &signer,
    ];
    world.run(&retry).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    last();
    // A person's fix leads past it: it is debated, and stands on what is there.
    let fix = json!({
        "implementation/lib.rs": MOMENT, "tests/lines.rs": MOMENT_TESTS, "examples.md": EXAMPLES,
    });
    fixes(&world, fixed, &fix, &["--sign", &signer]).exits(0);
    world.run(&["factory", "run", "p"]).exits(0);
    assert_eq!(module(&world, "MM-moment", "tests/notes.txt"), "no key\n");
    assert!(world.at(ship).is_file());
}
