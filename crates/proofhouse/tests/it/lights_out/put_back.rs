//! Broken work that cannot be put back: it is tried once more, at once. Then it is a person's to do by
//! hand, who is told so together with the question, and whose own edits are left alone from then on.

use super::{Product, fault};

/// Where git's lock on the run's ref would be. A lock that was left is taken away; this one cannot be.
const LOCK: &str = ".git/refs/proofhouse/t.lock";

/// How often a checkpoint began, and how often one failed.
fn checkpoints(product: &Product) -> (usize, usize) {
    let journal = product.world.journal();
    let count = |holds: &dyn Fn(&serde_json::Value) -> bool| {
        journal.iter().filter(|record| holds(record)).count()
    };
    let began = count(&|record| {
        record["kind"] == "effect_began.v1" && record["body"]["kind"] == "checkpoint"
    });
    let failed = count(&|record| {
        record["kind"] == "checkpoint_ended.v1" && record["body"]["problem"].is_string()
    });
    (began, failed)
}

#[test]
fn a_revert_that_fails_is_tried_once_more_and_then_left_to_a_person_who_is_told() {
    let product = Product::begun(&fault("expand", &[1, 2, 3]), &[]);
    let world = &product.world;
    // The first checkpoint is what a revert goes back to.
    world.run(&["run", "t", "--once"]);
    assert_eq!(checkpoints(&product), (1, 0));
    world.write(&format!("{LOCK}/in-the-way"), "");
    product.runs(2);
    product.is_in("BlockedOnGate");
    assert_eq!(checkpoints(&product), (3, 2), "once more, and no more");
    // The question is the same, and it says that nothing was put back.
    let status = world.status()["waiting_for"].clone();
    assert_eq!(status["options"][0], "UnblockByUser", "{status}");
    let why = status["why"].as_str().unwrap();
    let inbox = world.run(&["inbox"]).exits(0).out;
    for told in [why, &inbox] {
        assert!(told.contains("BLOCKED: "), "{told}");
        let words = "But the broken work was not put back: ";
        assert!(told.contains(words), "{told}");
        assert!(told.contains("refs/proofhouse/t"), "{told}");
    }
    let scope = "scaffolding/scope.md";
    assert!(world.read(scope).contains("Too short a scope"));
    product.runs(2);
    assert_eq!(checkpoints(&product), (3, 2), "nobody tries it by himself");
    // Later, when git would let us, what the person wrote meanwhile is not taken for broken work.
    std::fs::remove_dir_all(world.at(LOCK)).unwrap();
    let mine = format!("{}\nA line of my own.\n", world.read(scope));
    world.write(scope, &mine);
    product.decides("UnblockByUser");
    product.runs(0);
    product.is_in("PipelineComplete");
    let subjects = world.git(&["log", "--format=%s", "refs/proofhouse/t"]);
    assert!(!subjects.contains("revert: "), "{subjects}");
    world.run(&["audit"]).exits(0);
}
