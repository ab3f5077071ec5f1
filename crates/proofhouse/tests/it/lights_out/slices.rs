//! The build goes slice by slice: tests first, each slice against tests that the engine saw red, in the
//! order of the readiness, each kept at its own gate.

use super::{HAPPY, Product};

/// Building in three attempts, before everything else of the agent.
const SLICES: &str = include_str!("../../data/lights-out/slices.toml");

#[test]
fn what_is_green_at_first_sight_is_refused_and_each_slice_has_its_gate() {
    let product = Product::begun("", &["--stepped"]);
    let in_two = HAPPY.replace(
        "1. AC-1 and AC-2: one command",
        "1. AC-1: greets\n2. AC-2: fast",
    );
    let world = &product.world;
    world.write("agent/script.toml", &format!("{SLICES}\n{in_two}"));
    for resume in ["ResumeToDesign", "ResumeToAnalyze", "ResumeToBuild"] {
        product.runs(2);
        product.decides(resume);
    }
    // All at once: what belongs to the second slice was never red.
    world.run(&["run", "t", "--once"]);
    product.is_in("Building");
    let wrong = product.wrong("Building");
    assert!(
        wrong.contains("green at first sight, before its turn: AC-2"),
        "{wrong}"
    );
    // A test that needs no code.
    world.run(&["run", "t", "--once"]);
    let wrong = product.wrong("Building");
    let first_sight = "green at first sight: what tests AC-1 passes without the code";
    assert!(wrong.contains(first_sight), "{wrong}");
    // The first slice stands and is kept; the phase is not over.
    world.run(&["run", "t", "--once"]);
    product.is_in("Building");
    assert_eq!(product.wrong("Building"), "");
    let commits = world.git(&["log", "--format=%s", "refs/proofhouse/t"]);
    assert!(
        commits.contains("a part of Building passed its gate"),
        "{commits}"
    );
    let state = world.read("scaffolding/STATE.md");
    assert!(state.contains("Build gate: pending"), "{state}");
    // The second is called for by name.
    product.runs(2);
    product.is_in("SteppedModePaused");
    let brief = product.brief("Building");
    assert!(brief.contains("next is AC-2"), "{brief}");
    let actions = product.actions().join(" ");
    assert!(
        actions.ends_with(
            "FailBuildGate RetryBuild FailBuildGate RetryBuild PassBuildGate PauseForSteppedMode"
        ),
        "{actions}"
    );
    world.run(&["audit"]).exits(0);
}
