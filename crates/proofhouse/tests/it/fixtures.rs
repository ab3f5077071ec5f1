//! Runs, waves and projects as earlier versions left them: their whole repositories, packed. Every
//! version that comes after must audit the finished ones clean and finish the others.
//!
//! `tests/fixtures/VERSION/` holds what that version made, and is never made anew: what is written
//! today by the code of today would show nothing. To add those of a new version:
//! `PROOFHOUSE_FIXTURES=DIR cargo test -p proofhouse --test it fixtures::pack -- --ignored`.

use crate::crash::{hangs, spawn_until};
use crate::factory_run;
use crate::play::{Play, Stage, Step, honest, read};
use crate::support::World;
use crate::waves;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const AGENTS: &str = "tools/script.toml";

/// A play of `crashes/`, and the state in which its engine was killed, in the first `run` that gets there.
const PLAYS: [(&str, &str); 4] = [
    ("phase-eventful", "implement"),
    ("slice-eventful", "edit"),
    ("add-eventful", "contract"),
    ("lights-out-eventful", "Building"),
];

fn archive(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.tar.gz"))
}

fn tar(args: &[&str], archive: &Path, world: &Path) {
    let done = Command::new("tar")
        .args(args)
        .arg(archive)
        .arg("-C")
        .arg(world)
        .arg(".")
        .status();
    assert!(
        done.is_ok_and(|status| status.success()),
        "these tests need tar"
    );
}

/// What every version left, newest last.
fn versions() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found: Vec<PathBuf> = std::fs::read_dir(all)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no fixtures");
    found
}

fn unpacked(version: &Path, name: &str) -> World {
    let world = World::empty();
    tar(&["-xzf"], &archive(version, name), world.path());
    // As a person does whose repository has moved: git keeps whole paths of worktrees.
    if let Ok(worktrees) = std::fs::read_dir(world.at(".proofhouse/worktrees")) {
        for worktree in worktrees.map(|entry| entry.unwrap().path()) {
            if worktree.is_dir() {
                world.git(&["worktree", "repair", worktree.to_str().unwrap()]);
            }
        }
    }
    world
}

fn play(name: &str) -> Play {
    read(&format!("crashes/{name}.toml"))
}

/// The stage as its person found it: the key lies where [`Stage::set`] puts it.
fn stage(version: &Path, name: &str, workflow: &str) -> Stage {
    let world = unpacked(version, name);
    let key = if workflow == "slice" {
        "tools/ann"
    } else {
        "agent/ann"
    };
    let key = world.at(key);
    Stage { world, key }
}

fn audits_clean(world: &World) {
    world.run(&["audit", "--ci"]).exits(0);
}

/// A killed engine leaves views that lag behind its journal; the next one writes them. Nothing else may
/// be found.
fn only_views_lag(world: &World) {
    let audit = world.run(&["audit", "--json"]).json();
    let runs = audit["runs"].as_array().unwrap().iter();
    let findings: Vec<&Value> = runs
        .flat_map(|run| run["findings"].as_array().unwrap())
        .filter(|finding| finding["code"] != "view_differs")
        .collect();
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn finished_runs_audit_clean_and_stand_where_they_stood() {
    for version in versions() {
        for (name, _) in PLAYS {
            let play = play(name);
            let stage = stage(&version, &format!("{name}-done"), &play.workflow);
            assert_eq!(stage.stands(&play.ends), Ok(()), "{name}");
            audits_clean(&stage.world);
        }
    }
}

#[test]
fn killed_runs_go_on_and_end_as_they_should() {
    for version in versions() {
        for (name, state) in PLAYS {
            let play = play(name);
            let stage = stage(&version, &format!("{name}-killed"), &play.workflow);
            assert_eq!(stage.world.status()["state"], state, "{name}");
            only_views_lag(&stage.world);
            // It goes on by its own rules, with the agent that it began with. Where the briefs of today ask
            // it for more than its rules do, whoever works in it now answers them.
            if name != "add-eventful" {
                let (agent, ..) = honest(&play.workflow);
                stage.world.write("tools/script.toml", &play.agents(&agent));
            }
            let steps = play.steps();
            // The killed `run` is said again; what came before it has happened.
            let from: usize = stage.world.read("tools/step").parse().unwrap();
            for step in &steps[from..] {
                let taken = stage.take(step);
                let log = stage.world.run(&["log", "t"]).out;
                assert_eq!(taken, Ok(()), "{name}: {step:?}\n{log}");
            }
            assert_eq!(stage.stands(&play.ends), Ok(()), "{name}");
            audits_clean(&stage.world);
        }
    }
}

#[test]
fn waves_audit_clean_and_go_on() {
    for version in versions() {
        let world = unpacked(&version, "wave-done");
        audits_clean(&world);
        assert_eq!(waves::status(&world, "m")["goal_met"], true);
        world.run(&["wave", "run", "m"]).exits(0);
        waves::each_once(&world.read("agent/agent.log"), 3);

        let world = unpacked(&version, "wave-killed");
        only_views_lag(&world);
        world.run(&["wave", "run", "m"]).exits(0);
        let status = waves::status(&world, "m");
        assert_eq!(status["complete"], true, "{status}");
        assert_eq!(status["goal_met"], true, "{status}");
        for file in ["a.txt", "b.txt", "c.txt"] {
            assert!(world.at(file).is_file(), "{file}");
        }
        audits_clean(&world);
    }
}

#[test]
fn projects_audit_clean_and_go_on() {
    for version in versions() {
        let world = unpacked(&version, "factory-done");
        audits_clean(&world);
        let want = factory_run::essence(&world);
        assert_eq!(want["released"], "PASS");

        let world = unpacked(&version, "factory-killed");
        only_views_lag(&world);
        world.run(&["factory", "run", "p"]).exits(0);
        assert_eq!(factory_run::essence(&world), want);
        audits_clean(&world);
    }
}

/// Kills what was started, once it says this.
fn killed(world: &World, args: &[&str], at: &str) {
    let mut child = world
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let seen = out.by_ref().any(|line| line.unwrap().contains(at));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(seen, "it ended before `{at}`");
}

#[test]
#[ignore = "writes the fixtures of a new version, where a person asks for them"]
fn pack() {
    let folder = PathBuf::from(std::env::var("PROOFHOUSE_FIXTURES").unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    let keep = |name: &str, world: &World| {
        // What was built is no record, and the largest part.
        let args = ["--exclude=./target", "--owner=0", "--group=0", "-czf"];
        tar(&args, &archive(&folder, name), world.path());
    };
    for (name, state) in PLAYS {
        let play = play(name);
        let done = Stage::set(&play);
        assert_eq!(play.faults_on(&done), Vec::<String>::new(), "{name}");
        keep(&format!("{name}-done"), &done.world);

        let stage = Stage::set(&play);
        let agents = stage.world.read(AGENTS);
        stage
            .world
            .write(AGENTS, &format!("{}{agents}", hangs(state)));
        let steps = play.steps();
        let at = steps.iter().position(|step| *step == Step::Run).unwrap();
        let (mut child, _out) = spawn_until(&stage.world, &format!("{state}: attempt"));
        child.kill().unwrap();
        child.wait().unwrap();
        stage.world.write(AGENTS, &agents);
        stage.world.write("tools/step", &at.to_string());
        keep(&format!("{name}-killed"), &stage.world);
    }
    let made = || {
        let world = waves::world();
        let head = "criteria = [\"c is there (verify: grep -q c c.txt)\"]\n";
        let last = waves::task("c", "depends_on = [\"a\", \"b\"]");
        let tasks = [waves::task("a", ""), waves::task("b", ""), last];
        waves::milestone(&world, "m", head, &tasks);
        world
    };
    let world = made();
    world.run(&["wave", "run", "m"]).exits(0);
    keep("wave-done", &world);
    let world = made();
    let honest = world.read("agent/b.toml");
    world.write("agent/b.toml", &waves::script("{ hang = true }"));
    killed(&world, &["wave", "run", "m"], "a: finished");
    world.write("agent/b.toml", &honest);
    keep("wave-killed", &world);

    let world = factory_run::started(&factory_run::script());
    world.run(&["factory", "run", "p"]).exits(0);
    keep("factory-done", &world);
    let world = factory_run::started(&factory_run::script());
    killed(&world, &["factory", "run", "p"], "shipped");
    keep("factory-killed", &world);
}
