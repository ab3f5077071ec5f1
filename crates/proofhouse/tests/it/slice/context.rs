//! What each agent has to go by: scouts the cap, a planner what is consolidated, and a verifier prescribes
//! nothing.

use super::{classes, failures, path, played, snapshot, transcript};

#[test]
fn scouts_see_the_cap_and_their_snippets_must_stand_there() {
    let world = played("scout-escapes");
    let wrong = failures(&world);
    assert!(
        wrong.contains("secret/plans.txt:1 is outside of `Scope cap`"),
        "{wrong}"
    );
    let said = classes(&world);
    let edited = said
        .iter()
        .find(|(class, _)| class == "out_of_scope")
        .unwrap();
    assert!(edited.1.contains("may not edit the repository"), "{said:?}");
    let vault = world.run(&["log", "t", "--json"]).exits(0).out;
    assert!(vault.contains("scout transcript"), "{vault}");
    let transcript = transcript(&world, "scout", 0);
    assert!(transcript.contains("./src/greet.txt"), "{transcript}");
    for hidden in ["secret", "private", "code.txt", "Parent snapshot"] {
        assert!(!transcript.contains(hidden), "{hidden} in {transcript}");
    }
    for (cheat, reason) in [
        ("invented-snippet", "`hello world` does not stand there"),
        ("scout-proposes", "prescribes: an instruction to edit"),
    ] {
        let world = played(cheat);
        let wrong = failures(&world);
        assert!(wrong.contains(reason), "{cheat}: {wrong}");
        assert!(!world.read("agent/context.md").contains("hello world"));
        // The next one is told that what was refused is there, and nobody else is.
        let briefs = crate::quick::kept(&world, " scout brief");
        let told: Vec<bool> = briefs
            .iter()
            .map(|brief| brief.contains("`refused-result.json` in your folder"))
            .collect();
        assert_eq!(told, [true, false], "{cheat}");
    }
}

#[test]
fn nothing_is_planned_on_that_is_not_consolidated() {
    let world = played("plan-cites-unknown");
    let wrong = failures(&world);
    assert!(
        wrong.contains("F-0042, which is not there (fact_not_consolidated)"),
        "{wrong}"
    );
    assert!(
        wrong.contains("E-0001, which is not to be planned on"),
        "{wrong}"
    );
    let wrong = failures(&played("consolidates-nothing"));
    assert!(
        wrong.contains("E-0099, which the run does not know"),
        "{wrong}"
    );
    let world = played("fact-missing");
    let open = snapshot(&world, 3);
    assert!(
        open.contains("(plan): uncertain: which encoding has the file?"),
        "{open}"
    );
    assert!(
        open.contains("the encoding of the file is unknown — next action: re-scout"),
        "{open}"
    );
    let promoted = snapshot(&world, 4);
    assert!(
        promoted.contains("The file is plain ASCII. [E-0003]"),
        "{promoted}"
    );
    assert!(promoted.contains("— closed by E-0003"), "{promoted}");
}

#[test]
fn a_planner_has_the_latest_snapshot_and_nothing_else_to_plan_on() {
    let world = played("plan-looks-around");
    let found = transcript(&world, "plan", 0);
    assert!(found.contains("../task/context.md"), "{found}");
    for other in ["../repo/", "./src", "context/iter-"] {
        assert!(!found.contains(other), "{other} in {found}");
    }
}

#[test]
fn a_verifier_that_prescribes_is_returned() {
    let world = played("verifier-prescribes");
    let wrong = failures(&world);
    assert!(
        wrong.contains("prescribes: an instruction to edit"),
        "{wrong}"
    );
    assert!(!world.read("agent/context.md").contains("Change `good bye`"));
    let audits = path(&world)
        .iter()
        .filter(|state| *state == "audit")
        .count();
    assert_eq!(
        audits, 1,
        "it is asked for by choice, and done anew in place"
    );
}
