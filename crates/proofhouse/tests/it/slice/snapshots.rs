//! Snapshots are the engine's: agents write none, an edited one stops the run, and one that a crash left
//! unwritten is written again.

use super::{begin, classes, failures, headers, played, snapshot};
use crate::support::World;
use std::os::unix::fs::PermissionsExt;

#[test]
fn agents_write_no_snapshot_and_nothing_outside_of_the_cap() {
    for (transcript, path) in [
        ("edits-snapshot", "task/context/iter-0001.md is outside"),
        ("edits-snapshot", "task/context.md is outside"),
        ("edits-outside", "repo/secret/plans.txt is outside"),
    ] {
        let world = played(transcript);
        let said = classes(&world);
        assert!(
            said.iter()
                .any(|(class, why)| class == "out_of_scope" && why.contains(path)),
            "{transcript}: {said:?}"
        );
        assert_eq!(world.read("secret/plans.txt"), "the plan\n");
        assert!(snapshot(&world, 1).starts_with("Iteration: 0001\nParent snapshot: none\n"));
    }
    let wrong = failures(&played("no-cap"));
    assert!(
        wrong.contains("`**` in `Scope cap` matches everything")
            && wrong.contains("does not match"),
        "{wrong}"
    );
    let world = played("weak-gates");
    let wrong = failures(&world);
    assert!(
        wrong.contains("cannot fail: `true`") && wrong.contains("grep -q Ada"),
        "{wrong}"
    );
    let names = "`ls src`, `cat src/greet.txt` passes as well where every file holds nonsense";
    assert!(wrong.contains(names), "{wrong}");
    // The planner's and the person's own, which is the same, once.
    let journal = world.journal();
    let exit = journal.iter().rev().find_map(|record| {
        let results = record["body"]["results"].as_array()?;
        let named = |name: &str| results.iter().filter(|one| one["check"] == name).count();
        (named("delivers") > 0).then(|| named("command: grep -q Ada src/greet.txt"))
    });
    assert_eq!(exit, Some(1));
    assert_eq!(world.read("src/greet.txt"), "hello Ada\n");
}

/// Plays one attempt at a time until there are this many snapshots.
pub(super) fn until_snapshots(world: &World, count: usize) {
    for _ in 0..12 {
        if headers(world).len() >= count {
            return;
        }
        let said = world.run(&["run", "t", "--once"]);
        assert!([0, 2].contains(&said.code), "{}{}", said.out, said.err);
    }
    panic!("{count} snapshots were never taken");
}

#[test]
fn an_edited_deleted_or_forged_snapshot_stops_the_run_before_the_next_step() {
    type Cheat = fn(&World);
    let edit: Cheat = |world| {
        let path = world.at("agent/context/iter-0001.md");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        world.write(
            "agent/context/iter-0001.md",
            &snapshot(world, 1).replace("Ada", "Bob"),
        );
    };
    let delete: Cheat =
        |world| std::fs::remove_file(world.at("agent/context/iter-0001.md")).unwrap();
    let forge: Cheat = |world| world.write("agent/context/iter-0009.md", "Iteration: 0009\n");
    for (cheat, code) in [
        (edit, "snapshot_edited"),
        (delete, "snapshot_edited"),
        (forge, "snapshot_forged"),
    ] {
        let world = begin("happy");
        until_snapshots(&world, 2);
        let good = snapshot(&world, 1);
        let before = world.journal().len();
        cheat(&world);
        world.run(&["run", "t"]).refuses(1, code);
        assert_eq!(world.journal().len(), before, "nothing was done");
        let found = world.run(&["audit"]);
        assert!(found.code != 0 && format!("{}{}", found.out, found.err).contains(code));
        world.run(&["run", "t", "--restore-views"]).exits(0);
        assert_eq!(snapshot(&world, 1), good);
        assert_eq!(headers(&world).len(), 4);
        world.run(&["audit"]).exits(0);
    }
}

#[test]
fn a_snapshot_that_a_crash_left_unwritten_is_written_again() {
    let world = begin("happy");
    until_snapshots(&world, 2);
    let good = snapshot(&world, 2);
    std::fs::remove_file(world.at("agent/context/iter-0002.md")).unwrap();
    std::fs::remove_file(world.at("agent/context.md")).unwrap();
    world.run(&["run", "t", "--once"]).exits(0);
    assert_eq!(snapshot(&world, 2), good);
    world.run(&["run", "t"]).exits(0);
    assert_eq!(headers(&world).len(), 4);
}
