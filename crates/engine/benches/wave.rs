//! What a wave adds to each task: 200 trivial tasks with 8 at once on the scripted agent, then twice
//! as many. A trivial task is one attempt that writes one line, behind one gate; everything else
//! (worktree, journal, views, commit, merge, integration gate) is ours.
//!
//! Beside the clock it prints what no other load on the machine changes: processor time and started
//! programs a task. The least that such a task can cost, a worktree, a commit and a merge by a shell
//! loop of git commands, is measured in the same run and for the same numbers: each task adds files, so
//! that git has more to look at with every merge, whoever asks for it. `--tasks N` tries another size.

use agents::{Agent, Scripted};
use engine::Ending;
use engine::wave::MilestoneFolder;
use engine::wave::session::{Orders, run};
use engine::world::{Gauges, Observer};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wave::{Dated, Fact};
use workspace::Project;

const TASKS: usize = 200;
const JOBS: usize = 8;

/// Notes when each part of a wave ended.
struct Clock {
    began: Instant,
    worked: Duration,
    merged: usize,
}

impl Observer<Fact> for Clock {
    fn event(&mut self, dated: &Dated) {
        match &dated.body {
            Fact::TaskFinished(_) => self.worked = self.began.elapsed(),
            Fact::TaskMerged(_) => self.merged += 1,
            Fact::TaskFailed(failed) => eprintln!("{}: {}", failed.code, failed.reason),
            Fact::TaskPutBack(back) => eprintln!("{}: {}", back.code, back.reason),
            _ => {}
        }
    }
    fn tick(&mut self, _: &dyn Fn() -> Gauges) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, line: &str) {
        if !line.contains("moved forward") {
            eprintln!("{line}");
        }
    }
}

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
gate = [{ check = "files_exist", repo = ["README.md"] }]
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

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let at = arguments.iter().position(|argument| argument == "--tasks");
    let asked = at.and_then(|at| arguments.get(at + 1)?.parse().ok());
    let tasks = asked.unwrap_or(TASKS);
    for (what, measured) in [
        ("by hand", by_hand as fn(usize) -> Took),
        ("in a wave", in_a_wave),
    ] {
        let (one, two) = (measured(tasks), measured(2 * tasks));
        println!(
            "{what} twice as many tasks take {:.2} times as long",
            two.clock.as_secs_f64() / one.clock.as_secs_f64()
        );
        if let (Some(one), Some(two)) = (one.busy, two.busy) {
            let times = two.as_secs_f64() / one.as_secs_f64();
            println!("  and {times:.2} times the processor time");
        }
    }
}

/// What a number of tasks took.
struct Took {
    clock: Duration,
    busy: Option<Duration>,
}

impl Took {
    fn since(began: Instant, busy: Option<Duration>) -> Self {
        Self {
            clock: began.elapsed(),
            busy: processor_time().zip(busy).map(|(now, then)| now - then),
        }
    }
}

/// The user's repository.
fn files(repo: &Path) {
    put(repo, "README.md", "A repository.\n");
    for number in 0..50 {
        put(
            repo,
            &format!("src/f{number}.txt"),
            "a file of the user's\n",
        );
    }
    workspace::git::first_commit(repo, "files").expect("a commit");
}

fn put(repo: &Path, path: &str, text: &str) {
    let path = repo.join(path);
    std::fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

/// What a person would type for the same result, without any proof of it.
const BY_HAND: &str = r#"
set -e
for task in $(seq $TASKS); do
  git worktree add --quiet --detach ../w$task HEAD
  cd ../w$task
  mkdir -p tasks/t$task
  echo x > tasks/t$task/NOTE.md
  git add --all
  git commit --quiet --message t$task
  work=$(git rev-parse HEAD)
  cd ../repo
  git merge --quiet --no-edit --no-ff $work
  test -f README.md
  git worktree remove ../w$task
done
"#;

fn by_hand(tasks: usize) -> Took {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repo = folder.path().join("repo");
    files(&repo);
    let mut env = sandbox::base_env();
    for who in ["AUTHOR", "COMMITTER"] {
        env.insert(format!("GIT_{who}_NAME"), "bench".into());
        env.insert(format!("GIT_{who}_EMAIL"), "bench@localhost".into());
    }
    env.insert("TASKS".into(), tasks.to_string());
    let limits = sandbox::Limits {
        wall: Duration::from_secs(3600),
        idle: None,
        output_bytes: 1 << 16,
    };
    let argv = ["sh", "-c", BY_HAND].map(str::to_owned).to_vec();
    let launch = sandbox::Launch::new(argv, &repo, env, limits);
    let (busy, began) = (processor_time(), Instant::now());
    let ended = sandbox::run(&launch, &sandbox::Cancel::new()).expect("a shell");
    let took = Took::since(began, busy);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.exited_with(0), "by hand: {said}");
    assert_eq!(notes(&repo), tasks, "a note of each task");
    let millis = |time: Duration| time.as_secs_f64() * 1000.0 / tasks as f64;
    println!(
        "{tasks} by hand, one after the other: {:.0} ms a task",
        millis(took.clock)
    );
    if let Some(busy) = took.busy {
        println!("  processor time {:.0} ms a task", millis(busy));
    }
    took
}

fn in_a_wave(tasks: usize) -> Took {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repo = folder.path().join("repo");
    files(&repo);
    let put = |path: &str, text: &str| put(&repo, path, text);
    put(".proofhouse/workflows/trivial/workflow.toml", WORKFLOW);
    put(
        ".proofhouse/workflows/trivial/briefs/preamble.md",
        "Work.\n",
    );
    put(".proofhouse/workflows/trivial/briefs/work.md", "Work.\n");
    put(
        ".proofhouse/workflows/trivial/task/STATE.md",
        "# State\n\nPhase: work\n",
    );
    let mut milestone = "goal = \"many\"\nintegration = [\"test -f README.md\"]\n".to_owned();
    for number in 0..tasks {
        milestone.push_str(&format!(
            "[[task]]\nslug = \"t{number}\"\nworkflow = \"trivial\"\n"
        ));
    }
    put(".proofhouse/milestones/many/milestone.toml", &milestone);
    let project = Project::find(&repo).expect("a project");
    let script = "[[attempt]]\nsteps = [{ append = \"task/NOTE.md\", text = \"x\" }]\nresult = { summary = \"one line\" }\n";
    let agent: Arc<dyn Agent> =
        Arc::new(Scripted::parse("bench", script, folder.path()).expect("a script"));
    let folder_of = MilestoneFolder::find(&project, Some("many")).expect("a milestone");
    let orders = Orders {
        folder: &folder_of,
        jobs: Some(JOBS),
        agent: Some(agent),
    };
    let (busy, launches) = (processor_time(), sandbox::launches());
    let mut clock = Clock {
        began: Instant::now(),
        worked: Duration::ZERO,
        merged: 0,
    };
    let rest = run(&orders, &mut clock, &|_| {}).expect("a wave");
    let took = Took::since(clock.began, busy);
    assert_eq!(
        (rest, clock.merged),
        (Ending::Rested, tasks),
        "something was lost"
    );
    assert_eq!(
        notes(&repo),
        tasks,
        "a note of each task is in the user's tree"
    );
    let millis = |time: Duration| time.as_secs_f64() * 1000.0 / tasks as f64;
    println!(
        "{tasks} trivial tasks, {JOBS} at once: {:.1?}, {:.0} ms a task (goal: under 250), of which {:.0} ms work and {:.0} ms merge",
        took.clock,
        millis(took.clock),
        millis(clock.worked),
        millis(took.clock - clock.worked),
    );
    let programs = (sandbox::launches() - launches) as f64 / tasks as f64;
    println!("  started programs {programs:.1} a task");
    if let Some(busy) = took.busy {
        println!(
            "  processor time, ours and of every program that we started: {:.0} ms a task",
            millis(busy)
        );
    }
    took
}

/// Ours and that of everything that we have waited for; on a busy machine the better measure.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(4);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    // A hundred ticks a second, on every Linux that there is.
    Some(Duration::from_millis(ticks * 10))
}

fn notes(repo: &Path) -> usize {
    let tasks = std::fs::read_dir(repo.join("tasks"))
        .into_iter()
        .flatten()
        .flatten();
    tasks
        .filter(|entry| entry.path().join("NOTE.md").is_file())
        .count()
}
