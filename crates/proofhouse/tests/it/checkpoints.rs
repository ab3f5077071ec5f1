//! Checkpoints in repositories as people have them, and ones that git refuses: the person hears of it
//! together with what they are asked, not after their answer.

use crate::support::{HONEST, World};

/// Many ignore our folder as a whole.
#[test]
fn a_repository_that_ignores_our_folder_gets_its_checkpoints() {
    let world = World::new();
    world.start(HONEST, &[]);
    for ignored in ["agent/\n.proofhouse/\n", "agent/\n.*\n"] {
        world.write(".gitignore", ignored);
        world.run(&["run", "t"]).exits(0);
        let held = world.git(&["ls-tree", "-r", "--name-only", "refs/proofhouse/t"]);
        assert!(held.contains("tasks/t/STATE.md"), "{held}");
        assert!(!held.contains(".proofhouse"), "{held}");
        std::fs::remove_dir_all(world.at(".proofhouse")).unwrap();
        std::fs::remove_dir_all(world.at("tasks")).unwrap();
        world.git(&["update-ref", "-d", "refs/proofhouse/t"]);
        world.git(&["checkout", "-q", "code.txt"]);
        world.start(HONEST, &[]);
    }
}

/// Nor does a repository in it, with a commit or without, nor a first commit with nothing in it.
#[test]
fn what_lies_in_a_repository_stops_no_checkpoint() {
    let world = World::new();
    let who = ["-c", "user.name=t", "-c", "user.email=t@t"];
    let empty = [&who[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat();
    for name in ["empty", "other"] {
        world.git(&["init", "-q", name]);
    }
    let other = world.at("other").display().to_string();
    world.git(&[&["-C", other.as_str()], &empty[..]].concat());
    world.write("empty/file", "theirs");
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    let held = world.git(&["ls-tree", "-r", "refs/proofhouse/t"]);
    assert!(held.contains("tasks/t/STATE.md"), "{held}");
    assert!(!held.contains("empty") && !held.contains("other"), "{held}");
}

const WORKFLOW: &str = r#"
name = "asks"
about = "One attempt, one gate, one question."
initial = "work"
preamble = "briefs/preamble.md"
checkpoint = "passed_gates"
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
[state.question]
kind = "wait"
about = "Is it good?"
[state.done]
kind = "end"
about = "Done."
[[transition]]
action = "worked"
from = "work"
to = "question"
by = "engine"
when = "gate.pass"
[[transition]]
action = "good"
from = "question"
to = "done"
by = "human"
[task]
state_file = "STATE.md"
phase_field = "Phase"
files = ["STATE.md"]
[[task.field]]
name = "Phase"
engine = "state"
"#;

#[test]
fn a_person_who_is_asked_hears_that_the_checkpoint_failed() {
    let world = World::new();
    let folder = ".proofhouse/workflows/asks";
    world.write(&format!("{folder}/workflow.toml"), WORKFLOW);
    world.write(&format!("{folder}/briefs/preamble.md"), "Work.\n");
    world.write(&format!("{folder}/briefs/work.md"), "Work.\n");
    world.write(
        &format!("{folder}/task/STATE.md"),
        "# State\n\nPhase: work\n",
    );
    world.write(
        "agent/script.toml",
        "[[attempt]]\nsteps = [{ write = \"repo/a.txt\", text = \"a\" }]\nresult = { summary = \"s\" }\n",
    );
    world.write(".gitignore", "agent/\n");
    let agent = "scripted:agent/script.toml";
    let new = ["new", "asks", "--dir", "tasks/t", "--agent", agent];
    world.run(&new).exits(0);
    // A lock of git's that cannot be taken away.
    let lock = ".git/refs/proofhouse/t.lock";
    world.write(&format!("{lock}/in-the-way"), "");
    // The one at the start of the run, if there is one, is not what this is about.
    let said = world.run(&["run", "t"]).exits(2);
    assert!(said.out.contains("no checkpoint: "), "{}", said.out);
    let waiting = world.status()["waiting_for"].clone();
    assert_eq!(waiting["reason"], "question", "{waiting}");
    let why = waiting["why"].as_str().unwrap();
    let inbox = world.run(&["inbox"]).exits(0).out;
    for told in [why, &inbox] {
        assert!(told.contains("Is it good?"), "{told}");
        assert!(
            told.contains("But the checkpoint commit failed: "),
            "{told}"
        );
    }
}
