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
    // Whoever is asked for a name is told which are taken, and which is free.
    let looks = "{ run = \"grep -q 'S-0001.: taken by another run' ../slices.md && grep -q 'next free one: .S-0002' ../slices.md\", must = true },\n    { set = \"Slice ID\", to = \"S-0002\" }";
    let again = again.replacen("{ set = \"Slice ID\", to = \"S-0002\" }", looks, 1);
    assert!(again.contains("slices.md"), "{again}");
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
    let brief = crate::quick::kept(&world, "intake brief");
    assert!(
        brief.iter().all(|brief| brief.contains("`slices.md`")),
        "{brief:?}"
    );
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

/// What the gate has refused is nobody's name, and the next free one keeps its form.
#[test]
fn a_name_that_was_refused_takes_no_number() {
    let wrong = "[[attempt]]\nstate = \"intake\"\nattempt = 1\nsteps = [{ set = \"Slice ID\", to = \"S-1\" }]\nresult = { summary = \"framed\" }\n";
    let looks = "[[attempt]]\nstate = \"intake\"\nattempt = 2\nsteps = [{ run = \"! grep -q 'S-1`' ../slices.md\", must = true }]\nresult = { summary = \"looked\" }\n";
    let world = begin_script(&format!("{wrong}{looks}"), &[]);
    for _ in 0..2 {
        world.run(&["run", "t", "--once"]);
    }
    let wrong = failures(&world);
    assert!(wrong.contains("`Slice ID: S-1` does not match"), "{wrong}");
    assert!(!wrong.contains("crashed"), "{wrong}");
}

/// A scout that finds a greeting that is right already.
const GREETED: &str = "[[attempt]]\nstate = \"scout\"\nresult = { summary = \"found\", evidence = [{ path = \"src/greet.txt\", line = 1, snippet = \"hello Ada\", note = \"there\" }] }\n";

/// Nothing is left to edit, and nobody does.
fn greeted(more: &[&str]) -> World {
    let idle = "[[attempt]]\nstate = \"edit\"\nresult = { summary = \"it is there\" }\n";
    let world = begin_script(&format!("{idle}{GREETED}"), more);
    world.write("src/greet.txt", "hello Ada\n");
    world
}

#[test]
fn who_edits_nothing_is_not_judged() {
    let world = greeted(&[]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["waiting_for"]["reason"], "stall");
    let path = super::path(&world);
    assert_eq!(path, ["scout", "consolidate", "plan", "edit"]);
}

#[test]
fn an_empty_patch_is_found_before_the_exit_gate() {
    let undone = r#"
[[attempt]]
state = "edit"
attempt = 1
steps = [{ write = "repo/src/greet.txt", text = "hello Bob\n" }]
result = { summary = "edited" }
[[attempt]]
state = "edit"
steps = [{ write = "repo/src/greet.txt", text = "hello Ada\n" }]
result = { summary = "as it was" }
[[attempt]]
state = "choose"
attempt = 1
result = { summary = "Ada, then", next = "edit", because = "F-0003" }
"#;
    let world = begin_script(&format!("{undone}{GREETED}"), &[]);
    world.write("src/greet.txt", "hello Ada\n");
    world.run(&["run", "t"]).exits(2);
    let wrong = failures(&world);
    let empty = "the repository is as the run found it";
    assert!(wrong.contains(empty), "{wrong}");
    assert_eq!(world.status()["state"], "choose");
    assert!(!super::path(&world).contains(&"exit_gate".to_owned()));
}

/// Two slices at once: numbers are of one history, and each goes on from its own last snapshot.
#[test]
fn slices_side_by_side_branch_by_their_parent() {
    let world = super::begin("happy");
    let parents = |folder: &str| -> Vec<String> {
        let files = std::fs::read_dir(world.at(folder)).unwrap().flatten();
        let mut heads: Vec<String> = files
            .filter_map(|file| std::fs::read_to_string(file.path()).ok())
            .map(|text| text.lines().take(2).collect::<Vec<_>>().join(", "))
            .collect();
        heads.sort();
        heads
    };
    let once = |run: &str, folder: &str, count: usize| {
        while std::fs::read_dir(world.at(folder)).map_or(0, Iterator::count) < count {
            let said = world.run(&["run", run, "--once"]);
            assert!([0, 2].contains(&said.code), "{}{}", said.out, said.err);
        }
    };
    once("t", "agent/context", 1);
    world.write(
        "tools/second.toml",
        &data("happy").replace("S-0001", "S-0002"),
    );
    let new = "new slice greet-Bob --dir agent-2 --name u --agent scripted:tools/second.toml";
    let new: Vec<&str> = new.split(' ').collect();
    let check = ["--check", "grep -q Ada src/greet.txt"];
    world.run(&[&new[..], &check[..]].concat()).exits(0);
    once("u", "agent-2/context", 1);
    once("t", "agent/context", 2);
    once("u", "agent-2/context", 2);
    let (first, second) = (parents("agent/context"), parents("agent-2/context"));
    assert_eq!(
        first[..2],
        [
            "Iteration: 0001, Parent snapshot: none",
            "Iteration: 0003, Parent snapshot: iter-0001"
        ]
    );
    assert_eq!(
        second[..2],
        [
            "Iteration: 0002, Parent snapshot: iter-0001",
            "Iteration: 0004, Parent snapshot: iter-0002"
        ]
    );
    world.run(&["audit"]).exits(0);
}
