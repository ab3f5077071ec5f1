//! Names of runs that are taken already: what another run has done is never a task's work.

use super::{facts, milestone, script, stands, task, world};
use crate::support::World;

fn run_of(world: &World, milestone: &str, task: &str) -> String {
    let opened = facts(world, milestone);
    let rows = opened
        .iter()
        .filter(|fact| fact["kind"] == "wave_opened.v1");
    let mut rows = rows.flat_map(|fact| fact["body"]["roster"].as_array().unwrap());
    let row = rows.find(|row| row["task"] == task).unwrap();
    row["run"].as_str().unwrap().to_owned()
}

/// A run that a person has made by hand, and that is done.
#[test]
fn a_run_of_that_name_is_not_taken_for_the_tasks() {
    let world = world();
    let write = script("{ write = \"repo/z.txt\", text = \"z\" }");
    world.write("agent/z.toml", &write);
    let agent = "scripted:agent/z.toml";
    let new = [
        "new", "trivial", "--dir", "tasks/z", "--name", "m-a", "--agent", agent,
    ];
    world.run(&new).exits(0);
    world.run(&["run", "m-a"]).exits(0);
    world.commit("by hand");
    milestone(&world, "m", "", &[task("a", "")]);
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(run_of(&world, "m", "a"), "m-a-2");
    assert_eq!(world.read("a.txt"), "a\n");
    world.run(&["audit"]).exits(0);
}

/// `m` with `a-b` and `m-a` with `b` would both have the run `m-a-b`.
#[test]
fn two_milestones_do_not_share_a_run() {
    let world = world();
    milestone(&world, "m-a", "", &[task("b", "")]);
    milestone(&world, "m", "", &[task("a-b", "")]);
    // Not begun yet, and on the roster.
    world.run(&["wave", "open", "m-a"]).exits(0);
    world.run(&["wave", "run", "m"]).exits(0);
    world.run(&["wave", "run", "m-a"]).exits(0);
    assert_eq!(run_of(&world, "m-a", "b"), "m-a-b");
    assert_eq!(run_of(&world, "m", "a-b"), "m-a-b-2");
    for file in ["b.txt", "a-b.txt"] {
        let branch = if file == "b.txt" {
            "proofhouse/m-a"
        } else {
            "proofhouse/m"
        };
        world.git(&["cat-file", "-e", &format!("{branch}:{file}")]);
    }
    world.run(&["audit"]).exits(0);
}

/// Begun by a person after the wave was opened: the try is lost, and the next one has another name.
#[test]
fn a_run_that_was_begun_since_is_not_taken_either() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "")]);
    world.run(&["wave", "open", "m"]).exits(0);
    let agent = "scripted:agent/a.toml";
    let new = [
        "new", "trivial", "--dir", "tasks/z", "--name", "m-a", "--agent", agent,
    ];
    world.run(&new).exits(0);
    world.run(&["run", "m-a"]).exits(0);
    std::fs::remove_file(world.at("a.txt")).unwrap();
    world.run(&["wave", "run", "m"]).exits(0);
    let facts = facts(&world, "m");
    let failed = facts.iter().find(|fact| fact["kind"] == "task_failed.v1");
    assert_eq!(failed.unwrap()["body"]["code"], "run_exists");
    assert_eq!(stands(&world, "m", "a"), "merged");
    assert_eq!(world.git(&["show", "proofhouse/m:a.txt"]), "a");
    world.run(&["audit"]).exits(0);
}
