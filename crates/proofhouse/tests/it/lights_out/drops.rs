//! Sessions that drop: the engine is killed in the middle of a phase, and the next one goes on where
//! the evidence shows.

use super::{Product, block, fault, nth};
use crate::crash::spawn_until;

const OUTER: &str = include_str!("../../data/lights-out/outer.toml");

/// Drives the run until an agent hangs in this state, then kills the engine.
fn dropped_in(product: &Product, state: &str, nth_attempt: u32) {
    dropped_besides(product, "", state, nth_attempt);
}

/// The same, by an agent that has these faults besides.
fn dropped_besides(product: &Product, faults: &str, state: &str, nth_attempt: u32) {
    let hangs = nth(
        &block(OUTER, "hangs").replace("STATE", state),
        &[nth_attempt],
    );
    product.agent(&format!("{hangs}{faults}"));
    let (mut child, _out) = spawn_until(&product.world, &format!("{state}: attempt"));
    until_begun(product);
    child.kill().unwrap();
    child.wait().unwrap();
    product.agent(faults);
}

/// Until whoever hangs has written what it began with.
fn until_begun(product: &Product) {
    let folder = product.world.at(".proofhouse/work/t");
    let latest = || {
        let attempts = std::fs::read_dir(&folder).ok()?.flatten();
        attempts
            .map(|attempt| attempt.path())
            .filter(|path| path.is_dir())
            .max()
    };
    let begun = || latest().is_some_and(|path| path.join("view/repo/begun.txt").exists());
    for _ in 0..600 {
        if begun() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("nothing was begun");
}

/// What the next session does first.
#[track_caller]
fn recovers(product: &Product, to: &str) {
    let before = product.actions().len();
    product.world.run(&["run", "t", "--once"]);
    let actions = product.actions().split_off(before);
    assert_eq!(actions[..3], ["DropSession", "StartContextRecovery", to]);
}

/// Killed in each of these phases, one after the other; the person's patience is five drops long.
fn dropped_in_all(product: &Product, faults: &str, phases: &[(&str, &str)]) {
    for (state, recovery) in phases {
        dropped_besides(product, faults, state, 1);
        recovers(product, recovery);
    }
    product.runs(0);
    product.is_in("PipelineComplete");
    let drops = phases.len();
    assert_eq!(product.world.status()["budgets"]["drops"]["used"], drops);
    product.world.run(&["audit"]).exits(0);
}

#[test]
fn killed_in_every_other_phase_it_goes_on_where_the_evidence_shows() {
    let faults = [
        fault("review", &[1]),
        block(super::FAULTS, "reviewed"),
        fault("verify", &[1]),
    ]
    .concat();
    let product = Product::begun(&faults, &[]);
    let phases = [
        ("Designing", "RecoverToDesign"),
        ("ReviewFixing", "RecoverToReview"),
        ("VerifyFixing", "RecoverToVerify"),
    ];
    dropped_in_all(&product, &faults, &phases);
    let product = Product::begun("", &[]);
    let phases = [
        ("Reviewing", "RecoverToReview"),
        ("Verifying", "RecoverToVerify"),
    ];
    dropped_in_all(&product, "", &phases);
}

/// The table says in which phases a session can drop: each is killed in one of the two tests here.
#[test]
fn no_phase_is_left_out() {
    let source = include_str!("drops.rs");
    let workflow = flow::built_in("lights-out").unwrap();
    let table: toml::Table = toml::from_str(&workflow.files["workflow.toml"]).unwrap();
    let ways = table["transition"].as_array().unwrap().iter();
    // A person says it where something is to be made anew.
    let drops = ways.filter(|way| {
        way["action"].as_str() == Some("DropSession") && way["by"].as_str() == Some("engine")
    });
    let phases: Vec<&str> = drops
        .flat_map(|way| way["from"].as_array().unwrap())
        .map(|phase| phase.as_str().unwrap())
        .collect();
    assert_eq!(phases.len(), 10);
    for phase in phases {
        assert!(
            source.contains(&format!("(\"{phase}\", \"Recover")),
            "{phase}"
        );
    }
}

#[test]
fn a_dropped_session_goes_on_in_the_phase_that_the_evidence_shows() {
    let product = Product::begun("", &[]);
    for (state, recovery) in [
        ("Expanding", "RecoverToExpand"),
        ("Analyzing", "RecoverToAnalyze"),
        ("Building", "RecoverToBuild"),
        ("Reconciling", "RecoverToReconcile"),
        ("Deploying", "RecoverToDeploy"),
    ] {
        dropped_in(&product, state, 1);
        recovers(&product, recovery);
    }
    // What was begun when it dropped is kept, and whoever goes on is told of it.
    let world = &product.world;
    let kept = world.git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/proofhouse/unfinished",
    ]);
    assert_eq!(kept.lines().count(), 5, "{kept}");
    let brief = product.brief("Deploying");
    let told = kept.lines().find(|kept| brief.contains(*kept));
    let told = told.unwrap_or_else(|| panic!("nothing is told in\n{brief}"));
    let begun = world.git(&["show", "--format=%s", told]);
    assert!(begun.contains("half a thought"), "{begun}");
    assert!(brief.contains("unfinished.patch"), "{brief}");
    assert!(!world.at("begun.txt").exists(), "nothing of it was judged");
    product.runs(0);
    product.is_in("PipelineComplete");
    assert_eq!(world.status()["budgets"]["drops"]["used"], 5);
    // Nothing that had passed was done again, and nothing was skipped.
    let actions = product.actions();
    for passed in [
        "Expand", "Design", "Analyze", "Build", "Review", "Verify", "Deploy",
    ] {
        let name = format!("Pass{passed}Gate");
        assert_eq!(
            actions.iter().filter(|action| **action == name).count(),
            1,
            "{name}"
        );
    }
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_scope_that_a_person_changed_meanwhile_is_expanded_anew_and_no_older_gate_stands() {
    let product = Product::begun("", &[]);
    dropped_in(&product, "Building", 1);
    let scope = product.world.read("scaffolding/scope.md");
    product
        .world
        .write("scaffolding/scope.md", &scope.replace("2000 ms", "1000 ms"));
    dropped_in(&product, "Designing", 2);
    let actions = product.actions().join(" ");
    assert!(
        actions.ends_with(
            "AutoContinueToBuild DropSession StartContextRecovery RecoverToExpand PassExpandGate AutoContinueToDesign"
        ),
        "{actions}"
    );
    // The old design is as it was, and yet it was never judged against this scope.
    recovers(&product, "RecoverToDesign");
}
