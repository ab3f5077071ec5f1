//! What the commands of a gate leave in the worktree for merges, and what they do to the tree which they
//! judge: neither helps a commit to pass.

use super::{facts, milestone, script, stands, task, world};
use crate::support::World;
use std::process::Stdio;

/// Where merges are tried.
const PLACE: &str = ".proofhouse/worktrees/_integration-m";

/// A world in which git ignores `cache/`, with tasks `a` and `b`; `a` brings a program that the gate
/// runs, and the second command judges what that did.
fn two(program: &str, judged: &str, head: &str) -> World {
    let world = world();
    world.write(".gitignore", "agent/\n.proofhouse/\ncache/\n");
    world.commit("ignore");
    let runs = "test ! -f test.sh || sh test.sh";
    let head = format!("jobs = 1\nintegration = [\"{runs}\", \"{judged}\"]\n{head}");
    milestone(&world, "m", &head, &[task("a", ""), task("b", "")]);
    let program = format!("{{ write = \"repo/test.sh\", text = '{program}' }}");
    world.write("agent/a.toml", &script(&program));
    world
}

fn reason(world: &World, kind: &str) -> String {
    let facts = facts(world, "m");
    let found = facts.iter().find(|fact| fact["kind"] == kind).unwrap();
    found["body"]["reason"].as_str().unwrap().to_owned()
}

/// The first command makes good what the second one looks for; the commit stays bad.
#[test]
fn a_gate_that_changes_the_tree_which_it_judges_does_not_pass() {
    let judged = "test ! -f test.sh || grep -q good code.txt";
    let world = two("echo good >code.txt", judged, "tries = 1\n");
    let said = world.run(&["wave", "run", "m"]);
    said.refuses(1, "milestone_incomplete");
    assert_eq!(stands(&world, "m", "a"), "failed (integration_failed)");
    let why = reason(&world, "task_put_back.v1");
    assert!(
        why.contains("changed the tree it judges: code.txt"),
        "{why}"
    );
    assert_eq!(stands(&world, "m", "b"), "merged");
    assert!(!world.at("test.sh").exists());
    world.run(&["audit"]).exits(0);
}

/// A file that no commit has, from a gate that passed.
#[test]
fn what_a_merged_task_left_is_not_there_for_the_next() {
    let judged = "test ! -f b.txt || test -f left.txt";
    let world = two("test -f b.txt || : >left.txt", judged, "tries = 1\n");
    let said = world.run(&["wave", "run", "m"]);
    said.refuses(1, "milestone_incomplete");
    assert_eq!(stands(&world, "m", "a"), "merged");
    assert_eq!(stands(&world, "m", "b"), "failed (integration_failed)");
}

/// What git ignores, and a repository, from a gate that did not pass.
#[test]
fn nothing_of_a_task_that_was_put_back_meets_the_next_commit() {
    let judged = "test ! -f b.txt || { test -f cache/left && test -d sub; }";
    let program = "mkdir cache; : >cache/left; git init -q sub; exit 1";
    let world = two(program, judged, "tries = 1\n");
    let said = world.run(&["wave", "run", "m"]);
    said.refuses(1, "milestone_incomplete");
    for name in ["a", "b"] {
        assert_eq!(stands(&world, "m", name), "failed (integration_failed)");
    }
}

/// Nor what git ignores, from a gate that passed: whoever wrote a cache could have written what it says.
#[test]
fn what_git_ignores_does_not_stay_from_one_gate_to_the_next() {
    let world = two(
        "test ! -e cache || exit 1; mkdir cache; echo x >cache/log",
        "true",
        "",
    );
    world.run(&["wave", "run", "m"]).exits(0);
    assert!(!world.at(&format!("{PLACE}/cache")).exists());
}

/// Killed in the middle of a gate: what it had left by then is no part of the same commit, either.
#[test]
fn a_gate_that_was_killed_leaves_nothing_for_the_next_one() {
    let world = two("true", "true", "");
    let mark = world.at("agent/half");
    let half = format!(
        "mkdir cache; : >cache/half; : >half; : >{}; sleep 1000",
        mark.display()
    );
    let program = format!("{{ write = \"repo/test.sh\", text = '{half}' }}");
    world.write("agent/a.toml", &script(&program));
    let mut child = world.command(&["wave", "run", "m"]);
    let child = child.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    while !mark.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let path = ".proofhouse/milestones/m/milestone.toml";
    let gate = "test ! -e half && test ! -e cache/half";
    let runs = "test ! -f test.sh || sh test.sh";
    world.write(path, &world.read(path).replace(runs, gate));
    world.run(&["wave", "run", "m"]).exits(0);
    world.run(&["audit"]).exits(0);
}
