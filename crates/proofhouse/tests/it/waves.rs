//! Waves with the real binary: forks, merges, put-backs, kills. Nothing is lost, nothing runs twice,
//! and nothing of the user's is touched.

mod crash;
mod people;
mod waived;

use crate::support::World;
use serde_json::Value;
use std::path::Path;

const WORKFLOW: &str = r#"
name = "trivial"
about = "One attempt, one gate."
initial = "work"
preamble = "briefs/preamble.md"
[role.coder]
can = ["read", "search", "execute", "edit"]
about = "Works."
[state.work]
kind = "work"
role = "coder"
brief = "briefs/work.md"
passes = 2
wall = "5m"
gate = [{ check = "files_exist", repo = ["code.txt"] }]
[state.done]
kind = "end"
about = "Done."
[[transition]]
action = "worked"
from = "work"
to = "done"
by = "engine"
when = "gate.pass"
[task]
state_file = "STATE.md"
phase_field = "Phase"
files = ["STATE.md"]
[[task.field]]
name = "Phase"
engine = "state"
"#;

/// Tasks are trivial unless they say otherwise.
fn task(slug: &str, more: &str) -> String {
    format!(
        "[[task]]\nslug = \"{slug}\"\nworkflow = \"trivial\"\nagent = \"scripted:agent/{slug}.toml\"\n{more}\n"
    )
}

/// A script that does these steps.
fn script(steps: &str) -> String {
    format!(
        "log = \"agent.log\"\n[[attempt]]\nsteps = [{steps}]\nresult = {{ summary = \"did it\" }}\n"
    )
}

/// Each task writes a file of its own name, unless its script is written over.
fn milestone(world: &World, name: &str, head: &str, tasks: &[String]) {
    let tasks = tasks.concat();
    let gate = if head.contains("integration") {
        ""
    } else {
        "integration = [\"test -f code.txt\"]\n"
    };
    world.write(
        &format!(".proofhouse/milestones/{name}/milestone.toml"),
        &format!("goal = \"the goal\"\n{gate}{head}\n{tasks}"),
    );
    for line in tasks.lines() {
        if let Some(slug) = line.strip_prefix("slug = \"") {
            let slug = slug.trim_end_matches('"');
            let write = format!("{{ write = \"repo/{slug}.txt\", text = \"{slug}\\n\" }}");
            world.write(&format!("agent/{slug}.toml"), &script(&write));
        }
    }
}

fn world() -> World {
    let world = World::new();
    world.write(".gitignore", "agent/\n.proofhouse/\n");
    commit(&world, "ignore");
    let folder = ".proofhouse/workflows/trivial";
    world.write(&format!("{folder}/workflow.toml"), WORKFLOW);
    world.write(&format!("{folder}/briefs/preamble.md"), "Work.\n");
    world.write(&format!("{folder}/briefs/work.md"), "Work.\n");
    world.write(
        &format!("{folder}/task/STATE.md"),
        "# State\n\nPhase: work\n",
    );
    world
}

fn commit(world: &World, message: &str) -> String {
    world.git(&["add", "--all"]);
    let who = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "commit",
        "-q",
        "-m",
        message,
    ];
    world.git(&who);
    world.git(&["rev-parse", "HEAD"])
}

fn status(world: &World, name: &str) -> Value {
    world
        .run(&["wave", "status", name, "--json"])
        .exits(0)
        .json()
}

/// Where a task stands.
fn stands(world: &World, name: &str, task: &str) -> String {
    let status = status(world, name);
    let tasks = status["tasks"].as_array().unwrap();
    let found = tasks.iter().find(|one| one["task"] == task).unwrap();
    found["stands"].as_str().unwrap().to_owned()
}

fn facts(world: &World, name: &str) -> Vec<Value> {
    let text = world.read(&format!(".proofhouse/milestones/{name}/wave.jsonl"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn count(world: &World, name: &str, kind: &str) -> usize {
    facts(world, name)
        .iter()
        .filter(|one| one["kind"] == kind)
        .count()
}

fn worktrees(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(world.at(".proofhouse/worktrees")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| name != ".gitignore" && name != ".lock")
        .collect();
    names.sort();
    names
}

/// The agents' own log: every run was begun once, and what was finished was not begun again.
#[track_caller]
fn each_once(log: &str, runs: usize) {
    let mut finished: Vec<String> = Vec::new();
    for line in log.lines() {
        let run = line
            .split_whitespace()
            .find(|word| word.starts_with("run="))
            .unwrap();
        if line.starts_with("start ") {
            assert!(
                !finished.contains(&run.to_owned()),
                "{run} was begun again:\n{log}"
            );
        } else {
            assert!(line.contains("class=done"), "{log}");
            finished.push(run.to_owned());
        }
    }
    assert_eq!(finished.len(), runs, "{log}");
}

#[test]
fn tasks_run_in_worktrees_and_are_merged_in_order() {
    let world = world();
    let head = "criteria = [\"c is there (verify: grep -q c c.txt)\"]\n";
    let tasks = [
        task("a", ""),
        task("b", ""),
        task("c", "depends_on = [\"a\", \"b\"]"),
    ];
    milestone(&world, "m", head, &tasks);
    // `c` only passes where the work of both others is.
    let sees = script(
        "{ run = \"cat a.txt b.txt\", must = true }, { write = \"repo/c.txt\", text = \"c\" }",
    );
    world.write("agent/c.toml", &sees);
    assert_eq!(stands(&world, "m", "c"), "needs a, b");
    let said = world.run(&["wave", "run", "m", "--jobs", "2"]).exits(0);
    assert!(
        said.err.contains("`main` was moved forward"),
        "{}",
        said.err
    );
    for file in ["a.txt", "b.txt", "c.txt", "tasks/a/STATE.md"] {
        assert!(world.at(file).is_file(), "{file}");
    }
    assert!(world.read("tasks/c/STATE.md").contains("Phase: done"));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(
        world.git(&["rev-parse", "main"]),
        world.git(&["rev-parse", "proofhouse/m"])
    );
    let status = status(&world, "m");
    assert_eq!(status["complete"], true);
    assert_eq!(status["goal_met"], true);
    assert_eq!(status["waves"].as_array().unwrap().len(), 2);
    assert_eq!(
        worktrees(&world),
        ["_integration-m"],
        "merged worktrees are gone"
    );
    let page = world.read(".proofhouse/milestones/m/MILESTONE.md");
    assert!(
        page.contains("- wave 2: ") && page.contains("- [x] c is there"),
        "{page}"
    );
    assert!(!world.at(".proofhouse/milestones/m/WAVE.md").exists());
    // Every fork echoed its base, and every run is in the one journal folder.
    for fact in facts(&world, "m") {
        if fact["kind"] == "task_merged.v1" {
            assert_eq!(fact["body"]["results"][0]["verdict"], "pass");
            assert!(!fact["body"]["results"][0]["ran"]["output"].is_null());
        }
    }
    assert_eq!(count(&world, "m", "task_forked.v1"), 3);
    let runs = world.run(&["status", "--json"]).exits(0).json();
    let names: Vec<&str> = runs
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["m-a", "m-b", "m-c"]);
    let audit = world.run(&["audit", "--json"]).exits(0).json();
    let wave = audit["runs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["run"] == "wave:m")
        .unwrap();
    assert_eq!(
        wave["claims"], 3,
        "each merge commit vouches for the journal"
    );
    each_once(&world.read("agent/agent.log"), 3);
    // Again: nothing is left to do.
    world.run(&["wave", "run", "m"]).exits(0);
    each_once(&world.read("agent/agent.log"), 3);
}

#[test]
fn a_failing_task_blocks_only_itself_and_what_needs_it() {
    let world = world();
    let tasks = [
        task("a", ""),
        task("b", ""),
        task("c", ""),
        task("d", "depends_on = [\"b\"]"),
    ];
    milestone(&world, "m", "sequential_after = 1\n", &tasks);
    std::fs::remove_file(world.at("agent/b.toml")).unwrap();
    let said = world
        .run(&["wave", "run", "m"])
        .refuses(1, "milestone_incomplete");
    assert!(said.out.contains("one by one from here"), "{}", said.out);
    assert_eq!(stands(&world, "m", "a"), "merged");
    assert_eq!(stands(&world, "m", "b"), "failed (script_missing)");
    assert_eq!(stands(&world, "m", "c"), "merged");
    assert_eq!(stands(&world, "m", "d"), "needs b");
    assert_eq!(
        count(&world, "m", "task_failed.v1"),
        2,
        "tried twice, and no more"
    );
    // Mended, and allowed another try.
    milestone(&world, "m", "tries = 3\n", &tasks);
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(stands(&world, "m", "d"), "merged");
    world.run(&["audit"]).exits(0);
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
}

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
    commit(&world, "mine");
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
    commit(&world, "mine");
    milestone(&world, "m", "", &tasks);
    let said = world.run(&["wave", "run", "m"]).refuses(1, "base_diverged");
    assert!(said.err.contains("code.txt"), "{}", said.err);
    assert_eq!(world.read("code.txt"), "mine\n");
}

#[test]
fn a_fork_from_elsewhere_is_never_worked_in() {
    let world = world();
    milestone(&world, "m", "tries = 1\n", &[task("a", ""), task("b", "")]);
    world.run(&["wave", "open", "m"]).exits(0);
    let said = world.run(&["wave", "verify", "m"]).exits(0);
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
        ledger.contains("status: merging") && ledger.contains("waiting (approval)"),
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
    world
        .run(&["wave", "run", "m"])
        .refuses(1, "unverified_fork_base");
    assert_eq!(stands(&world, "m", "a"), "finished");
    assert_eq!(stands(&world, "m", "c"), "merged");
    assert_eq!(count(&world, "m", "merge_held.v1"), 1);
    // Mended, it is merged, and nothing was worked on again.
    world.git(&["-C", worktree, "update-ref", "--no-deref", "HEAD", &base]);
    world.run(&["wave", "run", "m"]).exits(0);
    assert_eq!(stands(&world, "m", "a"), "merged");
    each_once(&world.read("agent/agent.log"), 3);
    world.run(&["audit"]).exits(0);
}

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
    commit(&world, "good");
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
    assert!(world.read("tasks/p/STATE.md").contains("Phase: done"));
    assert!(world.at("tasks/p/artifacts/evidence.html").is_file());
    world.run(&["audit"]).exits(0);
    // Its checkpoints are commits of its own ref, and vouch for its journal.
    let log = world.git(&[
        "log",
        "--format=%(trailers:key=Proofhouse-Head,valueonly)",
        "refs/proofhouse/m-p",
    ]);
    assert!(log.matches("m-p@").count() > 3, "{log}");
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
    std::fs::remove_file(world.at(path)).unwrap();
    let said = world.run(&["audit"]).exits(1);
    assert!(
        said.out.contains("wave:m"),
        "a journal that is gone is missed: {}",
        said.out
    );
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
    assert!(
        task.ends_with(".proofhouse/worktrees/m-a/tasks/a"),
        "{task}"
    );
    world.run(&["run", "m-a"]).exits(2);
    assert!(
        !world.at("tasks").exists(),
        "nothing of it is in the user's tree"
    );
    let inbox = world.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!(inbox[0]["run"], "m-a");
}
