//! Many runs at once in one repository: each ends by itself, sees nothing of the others, and what a
//! person does meanwhile disturbs none of them.

use crate::support::{HONEST, Said, TASK, World, says};
use std::process::Stdio;

/// Fails where the files of more than one run are.
const ALONE: &str = "test $(ls | grep -c ^made-) = 1 && grep -q good code.txt";

/// An agent that also leaves a file with the run's name.
fn script(world: &World, run: &str) -> String {
    let made = format!(
        "steps = [\n    {{ write = \"repo/made-{run}\", text = \"{run}\\n\" }},\n    {{ write = \"repo/code.txt\""
    );
    let script = HONEST.replacen("steps = [\n    { write = \"repo/code.txt\"", &made, 1);
    assert!(script.contains(&format!("made-{run}")), "{script}");
    let path = format!("agent/{run}.toml");
    world.write(&path, &script);
    format!("scripted:{path}")
}

fn start(world: &World, run: &str, more: &[&str]) {
    let agent = script(world, run);
    let told = ["--name", run, "--check", ALONE, "--agent", &agent];
    says(world, &[&TASK, &told[..], more].concat()).exits(0);
}

/// All of them at once; `meanwhile` is done again and again until the last has ended.
fn drive(world: &World, runs: &[String], meanwhile: &mut dyn FnMut()) {
    let started: Vec<_> = runs
        .iter()
        .map(|run| {
            let mut command = world.command(&["run", run]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in started {
        while child.try_wait().unwrap().is_none() {
            meanwhile();
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Said::from(child.wait_with_output().unwrap()).exits(0);
    }
}

fn together(count: usize) {
    let world = World::of_ann();
    let runs: Vec<String> = (1..=count).map(|nth| format!("r{nth}")).collect();
    for run in &runs {
        start(&world, run, &[]);
    }
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    let mut edits = 0;
    drive(&world, &runs, &mut || {
        edits += 1;
        world.write("code.txt", &format!("an edit, number {edits}\n"));
        world.write(&format!("made-by-ann-{}", edits % 3), "mine\n");
    });
    assert!(world.read("code.txt").starts_with("an edit"));
    for run in &runs {
        let mut command = world.command(&["diff", run, "--json"]);
        command.env_remove("PROOFHOUSE_RUNS__TREE");
        let facts = Said::from(command.output().unwrap()).exits(0).json();
        let made = format!("made-{run}");
        assert_eq!(facts["files"], serde_json::json!(["code.txt", made]));
    }
    world.run(&["audit", "--ci"]).exits(0);
}

/// As many as the usual suite has the time for.
#[test]
fn a_dozen_runs_at_once_all_end_and_see_nothing_of_each_other() {
    together(12);
}

/// Takes most of a minute on two cores: `cargo test -p proofhouse --test it thirty -- --ignored`.
#[test]
#[ignore = "the same with thirty; it takes most of a minute"]
fn thirty_runs_at_once_all_end_and_see_nothing_of_each_other() {
    together(30);
}

/// Runs in the person's own tree share its files, and nothing of what each writes down.
#[test]
fn a_run_does_not_see_what_another_wrote_down() {
    let world = World::of_ann();
    for run in ["one", "two"] {
        let folder = format!("tasks/{run}");
        start(&world, run, &["--here", "--dir", &folder]);
    }
    world.write("tasks/one/artifacts/secret.txt", "of the first\n");
    let looks = "ls -R . > ../task/artifacts/seen.txt";
    let cats = "cat code.txt > ../task/artifacts/seen.txt";
    let script = world.read("agent/two.toml").replacen(cats, looks, 1);
    assert!(script.contains(looks));
    world.write("agent/two.toml", &script);
    let mut new = 0;
    drive(&world, &["two".to_owned()], &mut || {
        // What another run writes is no change of the tree that a gate judges.
        new += 1;
        world.write("tasks/one/artifacts/more.txt", &format!("{new}\n"));
    });
    let seen = world.read("tasks/two/artifacts/seen.txt");
    assert!(seen.contains("code.txt"), "{seen}");
    assert!(
        !seen.contains("secret") && !seen.contains("tasks"),
        "{seen}"
    );
}
