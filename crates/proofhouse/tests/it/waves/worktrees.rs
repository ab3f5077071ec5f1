//! A task works in a worktree of its own: forked from the base and from nowhere else, beside the user's
//! files and never in them, and a run like any other.

use super::{milestone, script, stands, task, world};
use std::path::Path;

#[test]
fn what_a_person_has_not_committed_is_neither_seen_nor_touched() {
    let world = world();
    milestone(
        &world,
        "m",
        "",
        &[task("a", ""), task("b", "depends_on = [\"a\"]")],
    );
    let sees = script(
        "{ run = \"grep -q bad code.txt && test ! -e notes.txt\", must = true }, { write = \"repo/a.txt\", text = \"a\" }",
    );
    world.write("agent/a.toml", &sees);
    let before = world.git(&["rev-parse", "HEAD"]);
    world.write("code.txt", "my own unfinished work\n");
    world.write("notes.txt", "mine\n");
    let said = world.run(&["wave", "run", "m"]).exits(0);
    assert!(
        said.err.contains("code.txt"),
        "the list is told: {}",
        said.err
    );
    assert!(said.err.contains("left alone"), "{}", said.err);
    assert_eq!(world.read("code.txt"), "my own unfinished work\n");
    assert_eq!(world.read("notes.txt"), "mine\n");
    assert_eq!(
        world.git(&["rev-parse", "HEAD"]),
        before,
        "the branch was not moved"
    );
    assert_eq!(world.git(&["stash", "list"]), "");
    assert!(!world.at("a.txt").exists());
    // The merged work is a branch, and the audit of the runs holds all the same.
    assert!(
        world
            .git(&["ls-tree", "--name-only", "proofhouse/m"])
            .contains("b.txt")
    );
    world.run(&["audit"]).exits(0);
    // A person commits, and the next wave starts from both.
    world.commit("mine");
    milestone(
        &world,
        "m",
        "",
        &[task("a", ""), task("b", ""), task("c", "")],
    );
    let said = world.run(&["wave", "run", "m"]).exits(0);
    assert!(said.err.contains("moved forward"), "{}", said.err);
    assert_eq!(world.read("code.txt"), "my own unfinished work\n");
    assert!(world.at("c.txt").is_file() && world.at("a.txt").is_file());
}

#[test]
fn a_fork_from_elsewhere_is_never_worked_in() {
    let world = world();
    milestone(&world, "m", "tries = 1\n", &[task("a", ""), task("b", "")]);
    world.run(&["wave", "open", "m"]).exits(0);
    let said = world.run(&["wave", "verify", "m"]).exits(1);
    assert!(said.out.contains("[fork_base_pending]"), "{}", said.out);
    world
        .run(&["wave", "open", "m"])
        .refuses(1, "wave_already_live");
    // Somebody hands out a worktree of a stale base.
    world.git(&[
        "worktree",
        "add",
        "--quiet",
        "--detach",
        ".proofhouse/worktrees/m-a",
        "HEAD~1",
    ]);
    world.write(".proofhouse/worktrees/m-a/mine.txt", "mine\n");
    world
        .run(&["wave", "run", "m"])
        .refuses(1, "milestone_incomplete");
    assert_eq!(stands(&world, "m", "a"), "failed (unverified_fork_base)");
    assert_eq!(stands(&world, "m", "b"), "merged");
    assert!(
        !world.at(".proofhouse/journal/m-a.jsonl").exists(),
        "no run was started in it"
    );
    assert_eq!(world.read(".proofhouse/worktrees/m-a/mine.txt"), "mine\n");
    let log = world.read("agent/agent.log");
    assert!(!log.contains("run=m-a "), "{log}");
}

/// The built-in workflow in a worktree: its checks run there, under the sandbox, and reach git.
#[test]
fn a_task_of_the_phase_workflow_is_verified_in_its_worktree() {
    let world = world();
    let task = "[[task]]\nslug = \"p\"\nagent = \"scripted:agent/phase.toml\"\nchecks = [\"grep -q good code.txt && git rev-parse HEAD\"]\nset = { objective = \"be good\", done_gate = \"grep says so\" }\n";
    milestone(
        &world,
        "m",
        "integration = [\"git rev-parse HEAD\"]\n",
        &[task.to_owned()],
    );
    world.write("agent/phase.toml", crate::support::HONEST);
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(world.read("code.txt"), "good\n");
    let task = ".proofhouse/tasks/m-p";
    assert!(
        world
            .read(&format!("{task}/STATE.md"))
            .contains("Phase: done")
    );
    assert!(
        world
            .at(&format!("{task}/artifacts/evidence.html"))
            .is_file()
    );
    world.run(&["audit"]).exits(0);
    // Its checkpoints are commits of its own ref, and vouch for its journal.
    let log = world.git(&[
        "log",
        "--format=%(trailers:key=Proofhouse-Head,valueonly)",
        "refs/proofhouse/m-p",
    ]);
    assert!(log.matches("m-p@").count() > 3, "{log}");
}

/// A run of a wave is an ordinary run: it can be seen and driven from the repository's top, and from
/// inside its worktree.
#[test]
fn a_wave_s_run_is_found_from_everywhere() {
    let world = world();
    milestone(&world, "m", "", &[task("a", "autonomy = \"manual\"")]);
    world.run(&["wave", "run", "m"]).exits(2);
    let inside = world.at(".proofhouse/worktrees/m-a");
    let from = |dir: &Path| {
        let dir = dir.to_str().unwrap();
        world
            .run(&["--repo", dir, "status", "m-a", "--json"])
            .exits(0)
            .json()
    };
    assert_eq!(from(&inside)["head"], from(world.path())["head"]);
    let task = from(world.path())["task"].as_str().unwrap().to_owned();
    assert!(task.ends_with(".proofhouse/tasks/m-a"), "{task}");
    world.run(&["run", "m-a"]).exits(2);
    assert!(
        !world.at("tasks").exists(),
        "nothing of it is in the user's tree"
    );
    let inbox = world.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!(inbox[0]["run"], "m-a");
}

/// Git's default is to write over what it ignores, and a task can take a line out of `.gitignore`.
#[test]
fn what_the_user_s_git_ignores_is_not_written_over() {
    let world = world();
    world.write(".gitignore", "agent/\n.proofhouse/\nlocal.cfg\n");
    world.commit("ignore");
    world.write("local.cfg", "mine\n");
    milestone(&world, "m", "", &[task("a", "")]);
    let steps = "{ write = \"repo/.gitignore\", text = \"agent/\\n.proofhouse/\\n\" }, { write = \"repo/local.cfg\", text = \"theirs\\n\" }";
    world.write("agent/a.toml", &script(steps));
    let said = world.run(&["wave", "run", "m"]).exits(0);
    assert!(said.err.contains("`main` is left alone"), "{}", said.err);
    assert!(said.err.contains("local.cfg"), "{}", said.err);
    assert_eq!(world.read("local.cfg"), "mine\n");
    assert_eq!(world.git(&["show", "proofhouse/m:local.cfg"]), "theirs");
    assert_eq!(stands(&world, "m", "a"), "merged");
}

/// A worktree of the user's on a disk that is not there just now keeps what git knows of it.
#[test]
fn worktrees_of_the_user_s_that_are_away_are_not_forgotten() {
    let world = world();
    let apart = tempfile::tempdir().unwrap();
    let (here, away) = (apart.path().join("m-mine"), apart.path().join("away"));
    let place = here.display().to_string();
    world.git(&["worktree", "add", "-q", "--detach", &place]);
    std::fs::write(here.join("code.txt"), "staged\n").unwrap();
    world.git(&["-C", &place, "add", "code.txt"]);
    std::fs::rename(&here, &away).unwrap();
    milestone(&world, "m", "", &[task("a", "")]);
    world.run(&["wave", "run", "m"]).exits(0);
    world.run(&["gc"]).exits(0);
    std::fs::rename(&away, &here).unwrap();
    let status = world.git(&["-C", &place, "status", "--porcelain"]);
    assert_eq!(status, "M  code.txt");
}
