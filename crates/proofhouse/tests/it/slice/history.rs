//! One history for a repository; and the ends of a slice that goes wrong: a failure after the audit, and
//! a patch with nothing in it.

use super::{begin_script, data, failures, played};
use crate::support::World;

#[test]
fn numbers_and_names_go_on_from_one_run_to_the_next() {
    let world = played("happy");
    let intake = data("happy");
    let (_, intake) = intake.split_once("[[attempt]]").unwrap();
    let intake = intake.split("[[attempt]]").next().unwrap();
    let again = intake
        .replace("S-0001", "S-0002")
        .replace("state = \"intake\"", "state = \"intake\"\nattempt = 2");
    let script = format!("[[attempt]]{again}\n{}", data("happy"));
    world.write("tools/second.toml", &script);
    let new = [
        "new",
        "slice",
        "greet Bob",
        "--dir",
        "agent-2",
        "--name",
        "u",
    ];
    let more = [
        "--check",
        "grep -q Ada src/greet.txt",
        "--agent",
        "scripted:tools/second.toml",
    ];
    world.run(&[&new[..], &more[..]].concat()).exits(0);
    for _ in 0..2 {
        world.run(&["run", "u", "--once"]).exits(0);
    }
    // The name of the other run's slice is not taken, and the first snapshot goes on from its last.
    assert!(
        world.judged("u").contains("`S-0001` was used before"),
        "{}",
        world.judged("u")
    );
    let text = world.read("agent-2/context/iter-0005.md");
    let header = "Iteration: 0005\nParent snapshot: iter-0004\nSlice ID: S-0002\n";
    assert!(text.starts_with(header), "{text}");
    world.run(&["audit"]).exits(0);
}

#[test]
fn the_failure_after_an_audit_goes_to_a_person() {
    let never = "[[attempt]]\nstate = \"edit\"\nsteps = [{ run = \"date +%N > src/greet.txt\" }]\nresult = { summary = \"tried\" }\n[[attempt]]\nstate = \"choose\"\nresult = { summary = \"again\", next = \"edit\", because = \"F-0003\" }\n";
    let world = begin_script(never, &[]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["state"], "stuck");
    let path = super::path(&world);
    assert_eq!(
        path.iter().filter(|state| *state == "audit").count(),
        1,
        "{path:?}"
    );
    assert_eq!(
        path.iter()
            .filter(|state| *state == "iteration_gate")
            .count(),
        4,
        "{path:?}"
    );
    let text = world.read("agent/context.md");
    assert!(
        text.contains("Consecutive Iteration FAILs (this Slice ID): 4"),
        "{text}"
    );
}

/// A greeting that is right already.
fn greeted(more: &[&str]) -> World {
    let idle = "[[attempt]]\nstate = \"edit\"\nresult = { summary = \"it is there\" }\n[[attempt]]\nstate = \"scout\"\nresult = { summary = \"found\", evidence = [{ path = \"src/greet.txt\", line = 1, snippet = \"hello Ada\", note = \"there\" }] }\n";
    let world = begin_script(idle, more);
    world.write("src/greet.txt", "hello Ada\n");
    world
}

#[test]
fn an_empty_patch_does_not_pass_the_exit_gate() {
    let world = greeted(&["--budget", "attempts=7"]);
    world.run(&["run", "t"]).exits(2);
    let wrong = failures(&world);
    assert!(
        wrong.contains("the repository is as the run found it"),
        "{wrong}"
    );
    assert!(!super::path(&world).contains(&"deliver".to_owned()));
}
