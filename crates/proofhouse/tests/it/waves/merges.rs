//! What is merged, what is put back, and what goes to a person instead.

use super::{count, each_once, facts, milestone, script, stands, status, task, worktrees, world};
use crate::support::HONEST;
use serde_json::Value;

/// What the first task's test does to everybody else's is not the second one's fault, and it is told so.
#[test]
fn a_task_that_anothers_test_disturbs_is_told_which() {
    let world = world();
    let head = "integration = [\"python3 -m unittest\"]\n";
    milestone(&world, "m", head, &[task("a", ""), task("b", "")]);
    let suite = |before: &str, asserts: &str| {
        format!(
            "{before}import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        {asserts}\n"
        )
    };
    world.write(
        "of/a.py",
        &suite("import math\nmath.pi = 3\n", "self.assertEqual(math.pi, 3)"),
    );
    world.write(
        "of/b.py",
        &suite("import math\n", "self.assertGreater(math.pi, 3.1)"),
    );
    world.write("test_base.py", &suite("", "self.assertTrue(True)"));
    world.commit("a suite, and what the tasks will write");
    let (writes, learns) = (
        "{ run = \"cp of/a.py test_a.py\", must = true }",
        "{ run = \"if grep -q 'it passes without test_a.py' ../task/PUT-BACK.md; then echo fine > b.txt; else cp of/b.py test_b.py; fi\", must = true }",
    );
    world.write("agent/a.toml", &script(writes));
    world.write("agent/b.toml", &script(learns));
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(world.read("b.txt"), "fine\n");
    assert_eq!(count(&world, "m", "task_put_back.v1"), 1);
}

#[test]
fn work_that_breaks_the_gate_is_put_back_and_the_next_try_knows_why() {
    let world = world();
    let head = "integration = [\"! grep -q broken *.txt\"]\n";
    milestone(
        &world,
        "m",
        head,
        &[task("a", ""), task("b", ""), task("c", "")],
    );
    let learns = "{ run = \"if grep -q integration_failed ../task/PUT-BACK.md; then echo fine > b.txt; else echo broken > b.txt; fi\", must = true }";
    world.write("agent/b.toml", &script(learns));
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(world.read("b.txt"), "fine\n");
    let put_back: Vec<Value> = facts(&world, "m")
        .into_iter()
        .filter(|one| one["kind"] == "task_put_back.v1")
        .collect();
    assert_eq!(put_back.len(), 1);
    assert_eq!(
        put_back[0]["body"]["task"], "b",
        "pinned to the one that broke it"
    );
    assert_eq!(put_back[0]["body"]["code"], "integration_failed");
    // The run is done, its task was not.
    let of = |run: &str| world.run(&["status", run, "--json"]).exits(0).json();
    assert!(of("m-b")["put_back"].is_string());
    assert!(of("m-b-2")["put_back"].is_null());
    let all = world.run(&["status"]).exits(0).out;
    let line = all.lines().find(|line| line.starts_with("m-b ")).unwrap();
    assert!(line.contains("put back"), "{all}");
    // One commit for each task.
    let since = world.git(&["log", "--format=%p|%s", "HEAD~3..proofhouse/m"]);
    assert_eq!(since.lines().count(), 3, "{since}");
    assert!(
        since
            .lines()
            .all(|line| !line.split('|').next().unwrap().contains(' '))
    );
    // No commit on the branch ever had it.
    let log = world.git(&["log", "--format=%H", "--first-parent", "proofhouse/m"]);
    for commit in log.lines() {
        let found = std::process::Command::new("git")
            .args(["grep", "-q", "broken", commit, "--", "*.txt"])
            .current_dir(world.path())
            .status()
            .unwrap();
        assert!(!found.success(), "{commit} holds what the gate refused");
    }
    // The worktree of the refused try is kept, listed, and never removed.
    assert_eq!(worktrees(&world), ["_integration-m", "m-b"]);
    let items = world.run(&["gc", "--json"]).exits(0).json();
    let kept = items["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "m-b")
        .unwrap();
    assert_eq!(kept["fate"], "kept");
    assert!(kept["why"].as_str().unwrap().contains("unmerged"), "{kept}");
    assert_eq!(worktrees(&world), ["m-b"]);
    assert_eq!(world.read(".proofhouse/worktrees/m-b/b.txt"), "broken\n");
    world.run(&["audit"]).exits(0);
}

#[test]
fn contradicting_tasks_are_merged_one_after_the_other() {
    let world = world();
    milestone(&world, "m", "", &[task("a", ""), task("b", "")]);
    world.write(
        "agent/a.toml",
        &script("{ write = \"repo/code.txt\", text = \"a\\n\" }"),
    );
    world.write(
        "agent/b.toml",
        &script("{ append = \"repo/code.txt\", text = \"b\\n\" }"),
    );
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(
        world.read("code.txt"),
        "a\nb\n",
        "the second try began where the first task had ended"
    );
    let digest = world.read(".proofhouse/milestones/m/MILESTONE.md");
    assert!(digest.contains("1 failed (b: merge_conflict)"), "{digest}");
    // A workflow of one's own keeps its gates, and gets the finished work.
    let patch = world.read(".proofhouse/tasks/m-b-2/conflict.patch");
    assert!(
        patch.contains("+b\n") && !patch.contains("tasks/"),
        "{patch}"
    );
}

/// Two tasks that each add a line at the end of one file contradict nobody: both lines stay, the gate proves
/// it, and whoever approved the work is not asked again.
#[test]
fn what_both_only_add_at_one_place_is_merged_with_one_approval_each() {
    let world = world();
    let approved = "autonomy = \"conservative\"";
    let head = "integration = [\"! grep -q forbidden code.txt\"]\n";
    let tasks = [task("a", approved), task("b", approved), task("c", "")];
    milestone(&world, "m", head, &tasks);
    let adds = |line: &str| {
        script(&format!(
            "{{ append = \"repo/code.txt\", text = \"{line}\\n\" }}"
        ))
    };
    world.write("agent/a.toml", &adds("of a"));
    world.write("agent/b.toml", &adds("of b"));
    let learns = "{ run = \"if test -e ../task/PUT-BACK.md; then echo fine >> code.txt; else echo forbidden >> code.txt; fi\", must = true }";
    world.write("agent/c.toml", &script(learns));
    world.run(&["wave", "run", "m"]).exits(2);
    let key = world.approver("ann");
    let key = key.to_str().unwrap();
    for run in ["m-a", "m-b"] {
        let says = [
            "decide",
            run,
            "approve",
            "--because",
            "read the diff",
            "--sign",
            key,
        ];
        world.run(&says).exits(0);
    }
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(world.read("code.txt"), "bad\nof a\nof b\nfine\n");
    // `c` is put back for what it says; nobody else is put back at all.
    let mut put_back = facts(&world, "m");
    put_back.retain(|one| one["kind"] == "task_put_back.v1");
    let of: Vec<&Value> = put_back.iter().map(|one| &one["body"]["task"]).collect();
    assert_eq!(of, ["c"]);
    assert_eq!(put_back[0]["body"]["code"], "integration_failed");
    let said = world.git(&["log", "--format=%B", "proofhouse/m"]);
    let met = "Others had added lines where it did, in code.txt: theirs stand first.";
    assert_eq!(said.matches(met).count(), 1, "{said}");
    world.run(&["audit", "--ci"]).exits(0);
}

/// Lines that stand beside each other need not hold together: the gate says so, and it is a contradiction.
#[test]
fn what_both_add_and_does_not_hold_together_is_a_contradiction() {
    let world = world();
    let head = "integration = [\"! { grep -q one code.txt && grep -q two code.txt; }\"]\n";
    milestone(&world, "m", head, &[task("a", ""), task("b", "")]);
    let adds = "{ append = \"repo/code.txt\", text = \"one\\n\" }";
    let learns = "{ run = \"if test -e ../task/PUT-BACK.md; then echo two > b.txt; else echo two >> code.txt; fi\", must = true }";
    world.write("agent/a.toml", &script(adds));
    world.write("agent/b.toml", &script(learns));
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(world.read("code.txt"), "bad\none\n");
    let mut put_back = facts(&world, "m");
    put_back.retain(|one| one["kind"] == "task_put_back.v1");
    assert_eq!(put_back.len(), 1);
    assert_eq!(put_back[0]["body"]["task"], "b");
    assert_eq!(put_back[0]["body"]["code"], "merge_conflict");
}

/// Finished work is brought together with what was merged before it, not done anew.
#[test]
fn finished_work_that_contradicts_what_was_merged_is_settled() {
    let world = world();
    let asked = "asks = \"be good\"\nchecks = [\"grep -q good code.txt\"]";
    let settled = task("b", asked).replace("trivial", "phase");
    milestone(&world, "m", "", &[task("a", ""), settled]);
    world.write(
        "agent/a.toml",
        &script("{ write = \"repo/code.txt\", text = \"a\\n\" }"),
    );
    world.write("agent/b.toml", HONEST);
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(world.read("code.txt"), "good\n");
    let asked = world.read(".proofhouse/tasks/m-b-2/STATE.md");
    assert!(
        asked.contains("be good: bring the finished work of m-b (task/conflict.patch) together with what proofhouse/m says by now; they contradict each other in code.txt"),
        "{asked}"
    );
    let patch = world.read(".proofhouse/tasks/m-b-2/conflict.patch");
    assert!(patch.contains("+good\n"));
    let merged = world.read(".proofhouse/tasks/m-b-2/merged/code.txt.merged");
    for mark in ["<<<<<<< branch proofhouse/m\n", ">>>>>>> run m-b\n"] {
        assert!(merged.contains(mark), "{merged}");
    }
    // The commit says what was asked for, and of which task it is.
    let message = world.git(&["log", "-1", "--format=%B", "proofhouse/m"]);
    assert!(message.starts_with("be good\n"), "{message}");
    assert!(
        message.contains("Task `b` of milestone `m`, wave 2."),
        "{message}"
    );
    world.run(&["audit", "--ci"]).exits(0);
}

#[test]
fn commits_that_contradict_the_waves_are_a_person_s_to_merge() {
    let world = world();
    let tasks = [task("a", ""), task("b", "depends_on = [\"a\"]")];
    milestone(&world, "m", "", &tasks[..1]);
    world.write(
        "agent/a.toml",
        &script("{ write = \"repo/code.txt\", text = \"a\\n\" }"),
    );
    world.write("code.txt", "mine\n");
    world.run(&["wave", "run", "m"]).exits(0);
    world.commit("mine");
    milestone(&world, "m", "", &tasks);
    let said = world.run(&["wave", "run", "m"]).refuses(1, "base_diverged");
    assert!(said.err.contains("code.txt"), "{}", said.err);
    assert_eq!(world.read("code.txt"), "mine\n");
}

/// A task that waits for a person, and whose worktree is moved off its base meanwhile.
#[test]
fn a_person_decides_and_the_base_is_asked_for_again_before_the_merge() {
    let world = world();
    let tasks = [
        task("a", "autonomy = \"conservative\""),
        task("b", ""),
        task("c", "autonomy = \"manual\""),
    ];
    milestone(&world, "m", "", &tasks);
    let said = world.run(&["wave", "run", "m"]).exits(2);
    assert!(
        said.out.contains("`m-a` waits for a person (approval)"),
        "{}",
        said.out
    );
    let queue = status(&world, "m");
    let review: Vec<&str> = queue["review"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["run"].as_str().unwrap())
        .collect();
    assert_eq!(
        review,
        ["m-a", "m-c"],
        "one at a time, in the roster's order"
    );
    assert_eq!(
        stands(&world, "m", "b"),
        "merged",
        "the others are not held up"
    );
    let ledger = world.read(".proofhouse/milestones/m/WAVE.md");
    assert!(
        ledger.contains("status: waiting") && ledger.contains("waiting (approval)"),
        "{ledger}"
    );
    // Nothing has been decided: another call changes nothing.
    world.run(&["wave", "run", "m"]).exits(2);
    let key = world.approver("ann");
    let sign = key.to_str().unwrap();
    for run in ["m-a", "m-c"] {
        world
            .run(&[
                "decide",
                run,
                "approve",
                "--because",
                "read it",
                "--sign",
                sign,
            ])
            .exits(0);
    }
    let worktree = ".proofhouse/worktrees/m-a";
    let base = world.git(&["-C", worktree, "rev-parse", "HEAD"]);
    world.git(&[
        "-C",
        worktree,
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "moved",
    ]);
    world
        .run(&["wave", "verify", "m"])
        .refuses(1, "unverified_fork_base");
    // What was approved there waits, and is not merged.
    let said = world.run(&["wave", "run", "m"]).exits(2).out;
    assert!(said.contains("unverified_fork_base"), "{said}");
    assert_eq!(
        stands(&world, "m", "a"),
        "waiting for a person (unverified_fork_base)"
    );
    assert_eq!(stands(&world, "m", "c"), "merged");
    assert_eq!(count(&world, "m", "merge_held.v1"), 0);
    // Mended, it is merged, and nothing was worked on again.
    world.git(&["-C", worktree, "update-ref", "--no-deref", "HEAD", &base]);
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(stands(&world, "m", "a"), "merged");
    each_once(&world.read("agent/agent.log"), 3);
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_lease_that_runs_out_goes_back_and_then_fails() {
    let world = world();
    milestone(
        &world,
        "m",
        "tries = 1\n",
        &[task("a", "timeout = \"300ms\""), task("b", "")],
    );
    world.write("agent/a.toml", &script("{ hang = true }"));
    world
        .run(&["wave", "run", "m"])
        .refuses(1, "milestone_incomplete");
    assert_eq!(stands(&world, "m", "a"), "failed (lease_lapsed)");
    assert_eq!(stands(&world, "m", "b"), "merged");
    let lapsed = facts(&world, "m")
        .into_iter()
        .filter(|one| one["body"]["why"] == "lapsed");
    assert_eq!(lapsed.count(), 1, "given back once");
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_milestone_is_begun_meant_and_put_away_by_command() {
    let world = world();
    milestone(&world, "other", "", &[task("z", "")]);
    let new = [
        "milestone",
        "new",
        "m",
        "--goal",
        "two files",
        "--criterion",
        "both are there (verify: test -f a.txt)",
        "--integration",
        "test -f code.txt",
        "--task",
        "a=be good",
        "--workflow",
        "phase",
    ];
    world.run(&new).exits(0);
    world.run(&new).refuses(1, "milestone_exists");
    world.write("agent/script.toml", HONEST);
    world.write(".proofhouse/config.toml", "agent = \"scripted:agent/script.toml\"\n[checks]\ncommands = [\"grep -q good code.txt\"]\n");
    // What it is for stands where people look for what to do.
    let told = "milestone `m`: two files; 0 of 1 tasks merged; goal-ready: yes";
    for look in ["status", "guide"] {
        let said = world.run(&[look]).exits(0).out;
        assert!(said.contains(told), "{look}: {said}");
    }
    let list = world.run(&["milestone", "list"]).exits(0).out;
    assert!(
        list.contains("m  (in use)") && list.contains("other"),
        "{list}"
    );
    assert_eq!(status(&world, "m")["goal"], "two files");
    world.run(&["milestone", "use", "other"]).exits(0);
    let meant = world.run(&["wave", "status", "--json"]).exits(0).json();
    assert_eq!(meant["milestone"], "other");

    // A task more, behind the other one; what cannot be run is not written.
    let add =
        |task: &str, after: &str| world.run(&["milestone", "add", "other", task, "--after", after]);
    let definition = ".proofhouse/milestones/other/milestone.toml";
    let before = world.read(definition);
    add("y=be good", "none").refuses(1, "milestone_malformed");
    add("z=be good", "z").refuses(1, "milestone_malformed");
    assert_eq!(world.read(definition), before);
    add("y=be good", "z").exits(0);
    assert_eq!(status(&world, "other")["tasks"][1]["depends_on"][0], "z");

    // One less: none that another one needs, and none that is not there.
    let with = world.read(definition);
    let remove = |task: &str| world.run(&["milestone", "remove", "other", task]);
    remove("z").refuses(1, "milestone_malformed");
    remove("none").refuses(1, "unknown_task");
    assert_eq!(world.read(definition), with);
    remove("y").exits(0);
    assert_eq!(world.read(definition).trim_end(), before.trim_end());

    world
        .run(&["wave", "run", "m"])
        .refuses(1, "milestone_goal_unmet");
    assert_eq!(status(&world, "m")["tasks"][0]["gate"], "weak");
    world
        .run(&["milestone", "remove", "m", "a"])
        .refuses(1, "task_begun");
    world
        .run(&["milestone", "archive", "m"])
        .refuses(1, "milestone_goal_unmet");
    world
        .run(&["milestone", "archive", "other"])
        .refuses(1, "milestone_incomplete");
    let archived = world
        .run(&["milestone", "archive", "m", "--unfinished", "--json"])
        .exits(0)
        .json();
    assert_eq!(archived["lessons"], 0);
    let summary = world.read(".proofhouse/milestones/m/SUMMARY.md");
    assert!(summary.contains("| a | merged, "), "{summary}");
    assert!(
        summary.contains("- both are there (verify: test -f a.txt): does not hold"),
        "{summary}"
    );
    world
        .run(&["wave", "run", "m"])
        .refuses(1, "milestone_archived");
    world
        .run(&["milestone", "add", "m", "b=be good"])
        .refuses(1, "milestone_archived");
    world.run(&["audit", "--ci"]).exits(0);

    // Out of the way: nothing of it is changed, and nothing stands in its name again.
    let compact = |name: &str| world.run(&["milestone", "compact", name]);
    compact("other").refuses(1, "milestone_not_archived");
    compact("none").refuses(1, "milestone_not_found");
    let journal = world.read(".proofhouse/milestones/m/wave.jsonl");
    world.write(".proofhouse/archive/m/mine", "mine\n");
    compact("m").refuses(1, "archive_destination_exists");
    std::fs::remove_dir_all(world.at(".proofhouse/archive")).unwrap();
    compact("m").exits(0);
    assert!(!world.at(".proofhouse/milestones/m").exists());
    assert_eq!(world.read(".proofhouse/archive/m/wave.jsonl"), journal);
    compact("m").refuses(1, "already_compacted");
    world.run(&new).refuses(1, "milestone_exists");
    assert_eq!(status(&world, "m")["goal"], "two files");
    let audit = world.run(&["audit", "--ci"]).exits(0).out;
    assert!(audit.contains("m"), "{audit}");
}
