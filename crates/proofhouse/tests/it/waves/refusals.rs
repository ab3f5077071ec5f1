//! Milestones and ledgers that are refused, and what a milestone says that did not reach its goal.

use super::{each_once, milestone, stands, status, task, worktrees, world};

#[test]
fn a_ledger_that_was_edited_is_refused_and_a_lost_digest_too() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "autonomy = \"manual\"")]);
    world.run(&["wave", "run", "m"]).exits(2);
    let ledger = ".proofhouse/milestones/m/WAVE.md";
    let ours = world.read(ledger);
    world.write(ledger, &ours.replace("## Merge order", "## My order"));
    for verb in ["run", "verify", "close"] {
        world
            .run(&["wave", verb, "m"])
            .refuses(1, "wave_ledger_malformed");
    }
    world.write(ledger, &ours);
    // The first wave's digest is on the page; losing it stops the second from closing.
    world.run(&["wave", "close", "m"]).exits(0);
    let page = ".proofhouse/milestones/m/MILESTONE.md";
    let text = world.read(page);
    assert!(
        text.contains("- wave 1: ") && text.contains("1 released (a: waiting)"),
        "{text}"
    );
    world.run(&["wave", "run", "m"]).exits(2);
    world.write(page, &text.replace("- wave 1: ", "- "));
    world
        .run(&["wave", "close", "m"])
        .refuses(1, "digest_not_absorbed");
    assert!(
        world.at(ledger).exists(),
        "the ledger stays until its digest is taken"
    );
    world.write(page, &text);
    world.run(&["wave", "close", "m"]).exits(0);
    assert!(!world.at(ledger).exists());
    assert!(world.read(page).contains("- wave 2: "));
    world
        .run(&["wave", "close", "m"])
        .refuses(1, "wave_not_found");
    assert_eq!(
        worktrees(&world),
        ["_integration-m", "m-a", "m-a-2"],
        "unmerged ones stay"
    );
}

#[test]
fn a_guest_works_in_no_wave() {
    let world = world();
    let guest = task("a", "").replace("scripted:agent/a.toml", "guest");
    milestone(&world, "m", "", &[guest]);
    world.run(&["wave", "run", "m"]).refuses(1, "guest_judges");
}

#[test]
fn bad_milestones_and_ambiguous_calls_are_told_apart() {
    let world = world();
    world
        .run(&["wave", "run"])
        .refuses(1, "milestone_not_found");
    milestone(&world, "m", "", &[task("a", "")]);
    milestone(&world, "n", "", &[task("b", "")]);
    world
        .run(&["wave", "run", "o"])
        .refuses(1, "milestone_not_found");
    world
        .run(&["wave", "status"])
        .refuses(1, "milestone_not_found");
    world
        .run(&["wave", "verify", "m"])
        .refuses(1, "wave_not_found");
    world.run(&["wave", "open", "m"]).exits(0);
    world.run(&["wave", "status"]).exits(0);
    world.run(&["wave", "open", "n"]).exits(0);
    world.run(&["wave", "status"]).refuses(1, "wave_ambiguous");
    world.write(".proofhouse/milestones/m/milestone.toml", "goal = 1\n");
    world
        .run(&["wave", "status", "m"])
        .refuses(1, "milestone_malformed");
    world.git(&["checkout", "--quiet", "-b", "proofhouse/n"]);
    world
        .run(&["wave", "run", "n"])
        .refuses(1, "wave_branch_checked_out");
}

/// Git keeps branches as folders and files: before anybody works, not when it is merged.
#[test]
fn a_branch_that_leaves_no_room_for_ours_is_told_before_anybody_works() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "")]);
    world.git(&["branch", "proofhouse"]);
    let said = world.run(&["wave", "run", "m"]);
    said.refuses(1, "wave_branch_blocked");
    assert!(!world.at("agent/agent.log").exists(), "nobody was started");
    world.git(&["branch", "-m", "proofhouse", "another"]);
    world.run(&["wave", "run", "m"]).exits(0);
}

#[test]
fn a_red_base_and_an_unmet_goal_are_said_so() {
    let world = world();
    let head = "integration = [\"grep -q good code.txt\"]\ncriteria = [\"d is there (verify: test -f d.txt)\", \"it is nice\"]\n";
    milestone(&world, "m", head, &[task("a", "")]);
    world
        .run(&["wave", "run", "m"])
        .refuses(1, "base_not_green");
    assert!(!world.at("agent/agent.log").exists(), "nobody was started");
    world.write("code.txt", "good\n");
    world.commit("good");
    let said = world
        .run(&["wave", "run", "m"])
        .refuses(1, "milestone_goal_unmet");
    assert_eq!(stands(&world, "m", "a"), "merged");
    assert!(
        world
            .run(&["wave", "status", "m"])
            .out
            .contains("[goal_not_auto_ready]"),
        "{}",
        said.out
    );
    // A task that meets the goal; what is merged is not worked on again.
    milestone(&world, "m", head, &[task("a", ""), task("d", "")]);
    // Only a person can say whether it is nice.
    world.run(&["wave", "run", "m"]).exits(2);
    assert_eq!(status(&world, "m")["proven"], true);
    each_once(&world.read("agent/agent.log"), 2);
}

/// A tampered milestone journal is found.
#[test]
fn the_audit_finds_a_forged_merge() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "")]);
    world.run(&["wave", "run", "m"]).exits(0);
    world.run(&["audit"]).exits(0);
    let path = ".proofhouse/milestones/m/wave.jsonl";
    let text = world.read(path);
    let forged = text.replacen("\"verdict\":\"pass\"", "\"verdict\":\"fail\"", 1);
    assert_ne!(text, forged);
    world.write(path, &forged);
    let said = world.run(&["audit"]).exits(1);
    assert!(said.out.contains("wave:m"), "{}", said.out);
    // Its ref has it, here and where somebody fetched it.
    std::fs::remove_file(world.at(path)).unwrap();
    world.run(&["audit"]).exits(0);
    assert_eq!(world.read(path), text);
    let clone = tempfile::tempdir().unwrap();
    let clone = clone.path().to_str().unwrap();
    world.git(&["clone", "--quiet", ".", clone]);
    let all = "refs/proofhouse/*:refs/proofhouse/*";
    world.git(&["-C", clone, "fetch", "--quiet", "origin", all]);
    // The workflow of the tasks is the user's own, and was not committed.
    let said = world.run(&["--repo", clone, "audit"]).exits(1);
    assert!(said.out.contains("clean wave:m: "), "{}", said.out);
    world.git(&["update-ref", "-d", "refs/proofhouse/milestones/m"]);
    std::fs::remove_file(world.at(path)).unwrap();
    let said = world.run(&["audit"]).exits(1);
    assert!(
        said.out.contains("wave:m"),
        "a journal that is gone is missed: {}",
        said.out
    );
}
