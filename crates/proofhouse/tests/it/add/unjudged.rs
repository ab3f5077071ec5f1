//! What is edited after the proof and before the end is no part of it, whatever comes between.

use super::{Add, Scope, data};

#[test]
fn an_edit_after_the_gate_has_passed_is_no_part_of_the_work() {
    // `--set` makes a person give the pass: there is time for an edit before `observe` is recorded.
    let add = Add::frozen("", Scope::Narrow, &["--autonomy", "conservative"]);
    add.run(2);
    add.waits_for("approval");
    let tip = || add.world.git(&["rev-parse", "refs/proofhouse/t"]);
    let at = |path: &str| add.world.git(&["show", &format!("{}:{path}", tip())]);
    let judged = tip();
    let (code, tests) = (at("src/cart.sh"), at("tests/run.sh"));
    let edit = |path: &str| add.world.write(path, "echo nobody has seen this\n");
    edit("src/cart.sh");
    edit("tests/run.sh");
    edit("src/new.sh");
    std::fs::remove_file(add.world.at("tox.ini")).unwrap();
    add.decide("approve", "read the diff").exits(0);
    add.run(0);
    add.is_in("done");
    // The record of the last state was committed, with the work as it was judged.
    assert_ne!(tip(), judged);
    assert_eq!((at("src/cart.sh"), at("tests/run.sh")), (code, tests));
    let listed = add.world.git(&["ls-tree", "-r", "--name-only", &tip()]);
    assert!(!listed.contains("src/new.sh"), "{listed}");
    assert!(listed.contains("tox.ini"), "{listed}");
    let task = at(super::TASK);
    assert!(task.contains("Outcome: PASS"), "{task}");
    // What somebody made is not destroyed: it lies where it lay.
    assert_eq!(add.world.read("src/new.sh"), "echo nobody has seen this\n");
    assert!(!add.world.at("tox.ini").exists());
}

#[test]
fn what_an_agent_was_sent_to_change_after_the_proof_is_kept() {
    let add = Add::frozen(&data("residue.toml"), Scope::Narrow, &[]);
    add.run(2);
    add.decide("resume", "look once more").exits(0);
    add.run(0);
    let task = add
        .world
        .git(&["show", &format!("refs/proofhouse/t:{}", super::TASK)]);
    assert!(task.contains("Outcome: PASS"), "{task}");
}
