//! What Proofhouse adds to one attempt on a repository of 5,000 files (40 MB): view, agent start,
//! judging, take-back, journal and views. Printed beside a plain copy of the same files.

use agents::{Agent, Scripted};
use engine::session::{Restore, Session};
use engine::start::{NewRun, start};
use engine::world::Observer;
use engine::{Project, Until};
use kernel::{Event, Status};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FILES: usize = 5_000;
const ROUNDS: usize = 7;

struct Silent;
impl Observer for Silent {
    fn event(&mut self, _: &Event, _: &Status) {}
    fn tick(&mut self, _: &Status) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, line: &str) {
        eprintln!("{line}");
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repo = folder.path().join("repo");
    let line = "a line of text that looks enough like code to be copied and hashed\n";
    for number in 0..FILES {
        let dir = repo.join(format!("d{}", number % 100));
        std::fs::create_dir_all(&dir).expect("a folder");
        std::fs::write(
            dir.join(format!("f{number}.txt")),
            format!("{number}\n{}", line.repeat(120)),
        )
        .expect("a file");
    }
    engine::git::first_commit(&repo, "files").expect("a commit");
    let project = Project::find(&repo).expect("a project");
    let script = "[[attempt]]\nsteps = [{ append = \"repo/d1/f1.txt\", text = \"x\" }]\nresult = { summary = \"one line\" }\n";
    let agent: Arc<dyn Agent> =
        Arc::new(Scripted::parse("bench", script, folder.path()).expect("a script"));
    let (mut attempts, mut copies) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let copy = folder.path().join(format!("copy{round}"));
        let began = Instant::now();
        plain_copy(&repo, &copy);
        copies.push(began.elapsed());
        attempts.push(one_attempt(&project, &agent, round));
    }
    let (attempt, copy) = (median(&mut attempts), median(&mut copies));
    println!("one attempt on {FILES} files: median {attempt:.0?} of {ROUNDS} (goal: under 150ms)");
    println!("plain copy of the same files, same run: median {copy:.0?}");
    println!("ratio: {:.2}", attempt.as_secs_f64() / copy.as_secs_f64());
}

fn one_attempt(project: &Project, agent: &Arc<dyn Agent>, round: usize) -> Duration {
    let started = start(
        project,
        &NewRun {
            workflow: "phase".to_owned(),
            dir: Some(project.repo().join(format!("tasks/t{round}"))),
            commands: vec!["true".to_owned()],
            agent: Some("scripted:bench".to_owned()),
            ..NewRun::default()
        },
    )
    .expect("a run");
    let session = Session {
        project,
        run: &started.run,
        agent: None,
        built: Some(agent.clone()),
        until: Until::OnePass,
        restore: Restore::No,
    };
    let began = Instant::now();
    session.drive(&mut Silent, &|_| {}).expect("a pass");
    began.elapsed()
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
