//! Waves with the real binary: what all of its tests share, and a milestone from its first fork to its
//! last merge. Nothing is lost, nothing runs twice, and nothing of the user's is touched.

mod crash;
mod cut_short;
mod leftovers;
mod merges;
mod names;
mod nested;
mod people;
mod refusals;
mod waived;
mod worktrees;

use crate::support::World;
use serde_json::Value;

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
pub(crate) fn task(slug: &str, more: &str) -> String {
    format!(
        "[[task]]\nslug = \"{slug}\"\nworkflow = \"trivial\"\nagent = \"scripted:agent/{slug}.toml\"\n{more}\n"
    )
}

/// A script that does these steps.
pub(crate) fn script(steps: &str) -> String {
    format!(
        "log = \"agent.log\"\n[[attempt]]\nsteps = [{steps}]\nresult = {{ summary = \"did it\" }}\n"
    )
}

/// Each task writes a file of its own name, unless its script is written over.
pub(crate) fn milestone(world: &World, name: &str, head: &str, tasks: &[String]) {
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

pub(crate) fn world() -> World {
    let world = World::new();
    world.write(".gitignore", "agent/\n.proofhouse/\n");
    world.commit("ignore");
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

pub(crate) fn status(world: &World, name: &str) -> Value {
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
pub(crate) fn each_once(log: &str, runs: usize) {
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
    // The work alone is merged; records are on refs.
    let made = world.git(&["ls-tree", "-r", "--name-only", "main"]);
    assert_eq!(made, ".gitignore\na.txt\nb.txt\nc.txt\ncode.txt");
    let state = world.read(".proofhouse/tasks/m-c/STATE.md");
    assert!(state.contains("Phase: done"), "{state}");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.git(&["rev-parse", "refs/proofhouse/records/m-c"]);
    // Its wave lands it, and nobody else.
    world.run(&["land", "m-c"]).refuses(1, "of_a_wave");
    let inbox = world.run(&["inbox"]).exits(0).out;
    assert!(!inbox.contains("not landed"), "{inbox}");
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
