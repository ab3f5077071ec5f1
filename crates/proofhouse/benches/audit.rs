//! What an audit of 10,000 records costs, where they were made and on a fresh clone with nothing but fetched refs.
//! Run with `cargo bench -p proofhouse --bench audit`; making the runs takes some minutes.
//!
//! `PROOFHOUSE_BIN` measures another binary than the one that was just built. One `git log` over the same history
//! is timed in the same run: on a busy machine, look at the ratio.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const RUNS: usize = 100;
/// Of each run, one attempt and one gate in each: a hundred records.
const STATES: usize = 20;
/// What the bar is about.
const RECORDS: u64 = 10_000;

const TOP: &str = r#"
name = "steps"
about = "One attempt and one gate after the other."
initial = "work1"
preamble = "briefs/preamble.md"
[role.coder]
can = ["read", "search", "execute", "edit"]
about = "Works."
[state.done]
kind = "end"
about = "Done."
[task]
state_file = "STATE.md"
phase_field = "Phase"
files = ["STATE.md"]
[[task.field]]
name = "Phase"
engine = "state"
"#;

/// One state and the way out of it.
fn state(nth: usize) -> String {
    let next = match nth {
        STATES => "done".to_owned(),
        _ => format!("work{}", nth + 1),
    };
    format!(
        r#"
[state.work{nth}]
kind = "work"
role = "coder"
brief = "briefs/work.md"
passes = 2
wall = "5m"
gate = [{{ check = "files_exist", repo = ["code.txt"] }}]
[[transition]]
action = "worked{nth}"
from = "work{nth}"
to = "{next}"
by = "engine"
when = "gate.pass"
"#
    )
}

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (repo, clone) = (folder.path().join("repo"), folder.path().join("clone"));
    prepare(&repo);
    let began = Instant::now();
    git(&repo, &["log", "--all", "--format=%H%n%B"]);
    let bare = began.elapsed();
    println!("git log alone, for comparison: {bare:.0?}");
    tell("where they were made", &repo, bare);
    let from = repo.display().to_string();
    let to = clone.display().to_string();
    git(folder.path(), &["clone", "--quiet", &from, &to]);
    let all = "refs/proofhouse/*:refs/proofhouse/*";
    git(&clone, &["fetch", "--quiet", "origin", all]);
    tell("on a fresh clone, for the first time", &clone, bare);
    tell("the same once more", &clone, bare);
}

fn tell(place: &str, repo: &Path, bare: Duration) {
    let began = Instant::now();
    let said = proofhouse(repo, &["audit", "--json"]);
    let took = began.elapsed();
    let told: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let runs = told["runs"].as_array().expect("a list of runs");
    let records: u64 = runs.iter().filter_map(|run| run["records"].as_u64()).sum();
    assert!(
        runs.len() == RUNS && records >= RECORDS,
        "{records} records"
    );
    println!(
        "{place}: {RUNS} runs with {records} records in {took:.2?} (bar: 2 s), {:.1} times git log",
        took.as_secs_f64() / bare.as_secs_f64().max(1e-9),
    );
}

/// A repository with runs that are done.
fn prepare(repo: &Path) {
    let workflow = repo.join(".proofhouse/workflows/steps");
    for folder in ["briefs", "task"] {
        std::fs::create_dir_all(workflow.join(folder)).expect("a folder");
    }
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("a file");
    let states: String = (1..=STATES).map(state).collect();
    write(&workflow.join("workflow.toml"), &(TOP.to_owned() + &states));
    write(&workflow.join("briefs/preamble.md"), "Work.\n");
    write(&workflow.join("briefs/work.md"), "Work.\n");
    write(&workflow.join("task/STATE.md"), "# State\n\nPhase: work1\n");
    write(&repo.join("code.txt"), "good\n");
    let script = "[[attempt]]\nsteps = [{ run = \"date >> code.txt\" }]\nresult = { summary = \"did it\" }\n";
    write(&repo.join("script.toml"), script);
    git(repo, &["init", "--quiet", "--initial-branch=main"]);
    git(repo, &["config", "user.name", "Bench"]);
    git(repo, &["config", "user.email", "bench@example.org"]);
    git(repo, &["add", "--all"]);
    git(repo, &["commit", "--quiet", "-m", "first"]);
    for nth in 0..RUNS {
        let name = format!("r{nth}");
        let new = [
            "new",
            "steps",
            "--agent",
            "scripted:script.toml",
            "--yes",
            "--autonomy",
            "auto",
            "--name",
        ];
        proofhouse(repo, &[&new[..], &[&name]].concat());
        proofhouse(repo, &["run", &name]);
    }
}

fn git(dir: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    ended(command.args(args).current_dir(dir));
}

fn proofhouse(repo: &Path, args: &[&str]) -> Output {
    let program = std::env::var("PROOFHOUSE_BIN");
    let program = program.unwrap_or_else(|_| env!("CARGO_BIN_EXE_proofhouse").to_owned());
    let mut command = Command::new(program);
    // Nobody is there to approve what is proven weakly.
    command.env("PROOFHOUSE_APPROVALS__WEAK", "suffices");
    ended(command.args(args).current_dir(repo))
}

fn ended(command: &mut Command) -> Output {
    let output = command.output().expect("a program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}
