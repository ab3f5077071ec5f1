//! What Proofhouse adds to one attempt on a repository of 5,000 files (40 MB), and of 20,000: opening the run, view,
//! agent start, a confined process, judging, take-back, journal and views. A run's first attempt and
//! a later one, printed beside a plain copy of the same files in the same run.

use agents::{Agent, Scripted};
use engine::Until;
use engine::session::{Restore, Session};
use engine::start::{NewRun, start};
use engine::world::{Gauges, Observer};
use kernel::{Body, Class, Event};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use workspace::Project;

/// How many files, how often, and how long a first attempt may take.
const SIZES: [(usize, usize, &str); 2] = [(5_000, 7, ""), (20_000, 3, " (goal: under 2s)")];

/// One state, in which each attempt is one more pass.
const WORKFLOW: &str = r#"
name = "edits"
about = "Edits one file for ever."
initial = "edit"
[role.coder]
can = ["read", "execute", "edit"]
about = "Edits."
[state.edit]
kind = "work"
role = "coder"
brief = "edit.md"
passes = 9
[state.done]
kind = "end"
[[transition]]
action = "finish"
from = "edit"
to = "done"
by = "agent"
when = ["requested", "gate.pass"]
"#;

/// A confined process, and an edit that is taken back.
const SCRIPT: &str = r#"
[[attempt]]
steps = [{ run = "true" }, { append = "repo/d1/f1.txt", text = "x" }]
result = { summary = "one line" }
"#;

/// Counts attempts that ended well.
struct Attempts(usize);
impl Observer for Attempts {
    fn event(&mut self, event: &Event) {
        if let Body::AttemptEnded(ended) = &event.body {
            assert_eq!(ended.outcome.class, Class::Done, "{}", ended.outcome.reason);
            self.0 += 1;
        }
    }
    fn tick(&mut self, _: &dyn Fn() -> Gauges) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, line: &str) {
        eprintln!("{line}");
    }
}

fn main() {
    for (files, rounds, goal) in SIZES {
        measure(files, rounds, goal);
    }
}

fn measure(files: usize, rounds: usize, goal: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repo = folder.path().join("repo");
    let line = "a line of text that looks enough like code to be copied and hashed\n";
    for number in 0..files {
        let dir = repo.join(format!("d{}", number % 100));
        std::fs::create_dir_all(&dir).expect("a folder");
        std::fs::write(
            dir.join(format!("f{number}.txt")),
            format!("{number}\n{}", line.repeat(120)),
        )
        .expect("a file");
    }
    workspace::git::first_commit(&repo, "files").expect("a commit");
    let project = Project::find(&repo).expect("a project");
    let workflow = repo.join(".proofhouse/workflows/edits");
    std::fs::create_dir_all(&workflow).expect("a folder");
    for (name, text) in [("workflow.toml", WORKFLOW), ("edit.md", "Edit.\n")] {
        std::fs::write(workflow.join(name), text).expect("a file");
    }
    let agent: Arc<dyn Agent> =
        Arc::new(Scripted::parse("bench", SCRIPT, folder.path()).expect("a script"));
    let (mut cold, mut warm, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let copy = folder.path().join(format!("copy{round}"));
        let began = Instant::now();
        plain_copy(&repo, &copy);
        copies.push(began.elapsed());
        let run = new_run(&project, round);
        cold.push(one_attempt(&project, &run, &agent));
        warm.push(one_attempt(&project, &run, &agent));
    }
    let copy = median(&mut copies);
    println!("plain copy of {files} files: median {copy:.0?} of {rounds}");
    for (name, times) in [
        (format!("a run's first attempt on them{goal}"), &mut cold),
        ("a later attempt on them".to_owned(), &mut warm),
    ] {
        let (time, least) = (median(times), times[0]);
        let ratio = time.as_secs_f64() / copy.as_secs_f64();
        println!("{name}: median {time:.0?}, least {least:.0?}; {ratio:.2} copies");
    }
}

fn new_run(project: &Project, round: usize) -> String {
    let new = NewRun {
        workflow: "edits".to_owned(),
        dir: Some(project.repo().join(format!("tasks/t{round}"))),
        commands: vec!["true".to_owned()],
        agent: Some("scripted:bench".to_owned()),
        ..NewRun::default()
    };
    start(project, &new).expect("a run").run
}

/// Opens the run, makes one attempt, and all that follows from it, to the last record.
fn one_attempt(project: &Project, run: &str, agent: &Arc<dyn Agent>) -> Duration {
    let session = Session {
        project,
        run,
        agent: None,
        built: Some(agent.clone()),
        until: Until::OnePass,
        restore: Restore::No,
    };
    let began = Instant::now();
    let mut attempts = Attempts(0);
    session.drive(&mut attempts, &|_| {}).expect("a pass");
    let took = began.elapsed();
    assert_eq!(attempts.0, 1, "one attempt was to be made");
    took
}

fn plain_copy(from: &Path, to: &Path) {
    for path in store::walk(from, &|path| {
        path.starts_with(".proofhouse") || path.starts_with("tasks")
    })
    .expect("a listing")
    {
        let target = to.join(&path);
        std::fs::create_dir_all(target.parent().expect("below the root")).expect("a folder");
        std::fs::copy(from.join(&path), &target).expect("a copy");
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
