//! What an attempt cost is counted however it ends: when the engine fails after it, and when it is
//! cancelled. The agent here is a function of ours, so that it can break the engine's own things.

use super::{Job, Judged, perform, recover, whole};
use crate::driver::World;
use crate::run::Run;
use crate::start::{NewRun, start};
use crate::world::{Gauges, Observer, Real};
use agents::{Agent, Order, Reply};
use kernel::Decision;
use kernel::effect::{CheckpointOrder, Effect, Revert};
use kernel::{Class, Event, Input, Machine, Usage, What};
use sandbox::Cancel;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::project::Project;

const PAID: Usage = Usage {
    input_tokens: 11,
    cached_tokens: 0,
    output_tokens: 7,
    micro_dollars: 500,
};

struct Does<F>(F);

impl<F: Fn(&Path, &Cancel) -> Class + Send + Sync> Agent for Does<F> {
    fn name(&self) -> &str {
        "does"
    }

    fn run(&self, order: &Order, cancel: &Cancel, _: &dyn Fn(&str)) -> Reply {
        let class = (self.0)(&order.home, cancel);
        Reply {
            usage: PAID,
            result: (class == Class::Done).then(|| json!({ "summary": "s" })),
            ..Reply::bare(class, "as it was told")
        }
    }

    fn recover(&self, _: &Order) -> Option<Reply> {
        None
    }
}

/// A run whose first attempt is on record as begun.
struct Begun {
    folder: tempfile::TempDir,
    repo: PathBuf,
    run: Run,
    context: Context,
    job: Job,
}

fn begun(does: impl Fn(&Path, &Cancel) -> Class + Send + Sync + 'static) -> Begun {
    let folder = tempfile::tempdir().unwrap();
    let repo = folder.path().join("repo");
    std::fs::create_dir(&repo).unwrap();
    std::fs::write(repo.join("code.txt"), "code\n").unwrap();
    workspace::git::first_commit(&repo, "first").unwrap();
    let project = Project::find(&repo).unwrap();
    let asked = NewRun {
        workflow: "phase".to_owned(),
        dir: Some(repo.join("tasks/t")),
        commands: vec!["true".to_owned()],
        ..NewRun::default()
    };
    let name = start(&project, &asked).unwrap().run;
    let mut run = Run::open(&project, &name).unwrap();
    let agent: Arc<dyn Agent> = Arc::new(Does(does));
    let context = context(&project, &run, &agent);
    let wanted = run.machine.wanted();
    assert!(matches!(wanted[0], Effect::Attempt(_)));
    hear(&mut run, What::Begin(wanted[0].id()));
    let job = Job {
        effect: wanted[0].clone(),
        judged: Judged::default(),
        head: run.journal.head().clone(),
    };
    Begun {
        folder,
        repo,
        run,
        context,
        job,
    }
}

fn context(project: &Project, run: &Run, agent: &Arc<dyn Agent>) -> Context {
    let workflow = run.machine.workflow().clone();
    let roles = workflow.roles.keys();
    let agents: BTreeMap<_, _> = roles.map(|role| (role.clone(), agent.clone())).collect();
    let started = run.machine.started().unwrap();
    Context::of(project, &workflow, started, agents).unwrap()
}

/// Puts an input's own events on record, and draws no consequences.
fn hear(run: &mut Run, what: What) {
    let input = Input::new(workspace::clock::now(), what);
    let events = run.machine.decide(&input).unwrap();
    events.iter().for_each(|event| run.machine.apply(event));
    run.append(&events).unwrap();
}

struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: &Event) {}
    fn tick(&mut self, _: &dyn Fn() -> Gauges) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, _: &str) {}
}

/// The answer to the first attempt of a run whose agent does this.
fn attempt(does: impl Fn(&Path, &Cancel) -> Class + Send + Sync + 'static) -> What {
    attempt_then(does, |_| {}).unwrap()
}

/// The same; if it fails, `mend` gets the project's folder, and the next session recovers it.
fn attempt_then(
    does: impl Fn(&Path, &Cancel) -> Class + Send + Sync + 'static,
    mend: impl Fn(&Path),
) -> Result<What, EngineError> {
    let Begun {
        folder: _folder,
        repo,
        context,
        job,
        ..
    } = begun(does);
    let live = perform(&context, &job, &Cancel::new(), &|_| {});
    if live.is_ok() {
        return live;
    }
    mend(&repo.join(".proofhouse"));
    recover(&context, &job.effect).map(|found| found.expect("a cost that was kept"))
}

#[test]
fn what_was_paid_is_counted_when_the_engine_fails_afterwards() {
    let spoil = |home: &Path, _: &Cancel| {
        // Nothing can be kept any more: a file stands where the vault's folder was.
        let proofhouse = home.ancestors().nth(3).unwrap();
        let vault = proofhouse.join("evidence");
        assert!(vault.is_dir(), "{}", vault.display());
        std::fs::rename(&vault, proofhouse.join("moved")).unwrap();
        std::fs::write(&vault, "").unwrap();
        Class::Done
    };
    let answer = attempt_then(spoil, |proofhouse| {
        std::fs::remove_file(proofhouse.join("evidence")).unwrap();
        std::fs::rename(proofhouse.join("moved"), proofhouse.join("evidence")).unwrap();
    });
    let Ok(What::Lost { usage, .. }) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(usage, PAID);
}

#[test]
fn what_was_paid_is_counted_when_an_attempt_is_cancelled() {
    let answer = attempt(|_, cancel| {
        cancel.cancel();
        Class::Killed
    });
    let What::Lost { usage, .. } = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(usage, PAID);
}

#[test]
fn an_attempt_that_had_ended_before_its_cancel_counts() {
    let answer = attempt(|_, cancel| {
        cancel.cancel();
        Class::Done
    });
    let What::AttemptEnded { outcome, .. } = answer else {
        panic!("{answer:?}")
    };
    assert_eq!((outcome.class, outcome.usage), (Class::Done, PAID));
}

/// What the next session hears of an attempt that a person has stopped meanwhile, and the machine
/// that has heard it.
fn stopped_meanwhile(spoil: impl Fn(&Path)) -> (What, flow::Flow) {
    let mut begun = begun(|home, _| {
        std::fs::write(home.join("view/task/artifacts/new.md"), "new\n").unwrap();
        Class::Done
    });
    perform(&begun.context, &begun.job, &Cancel::new(), &|_| {}).unwrap();
    let stop = Decision {
        option: "stop".to_owned(),
        because: String::new(),
        who: "somebody".to_owned(),
        channel: "terminal".to_owned(),
        seen_seq: begun.run.journal.head().seq,
        tree: String::new(),
        with: serde_json::Value::Null,
        signature: None,
    };
    hear(&mut begun.run, What::Decide(stop));
    assert!(begun.run.machine.wanted().is_empty());
    spoil(&begun.context.home(begun.job.effect.id()));
    let mut silent = Silent;
    let adapter = crate::run_adapter::RunAdapter::of(begun.context, &begun.run.machine).unwrap();
    let open = crate::world::Open {
        journal: begun.run.journal,
        torn: begun.run.torn,
    };
    let mut machine = begun.run.machine;
    let mut world = Real::of(open, adapter, &mut silent);
    let heard = world.opening(&machine).unwrap();
    for what in &heard {
        let input = Input::new(workspace::clock::now(), what.clone());
        for event in machine.decide(&input).unwrap() {
            machine.apply(&event);
        }
    }
    let last = heard.last().unwrap().clone();
    drop(world);
    (last, machine)
}

#[test]
fn a_finished_attempt_counts_though_a_person_stopped_the_run_meanwhile() {
    let (heard, machine) = stopped_meanwhile(|_| {});
    let What::AttemptEnded { outcome, .. } = &heard else {
        panic!("{heard:?}")
    };
    assert_eq!((outcome.class, outcome.usage), (Class::Done, PAID));
    assert_eq!(machine.status().attempts[0].usage, PAID);
    let touched = &machine.snapshot()["touched"];
    assert_eq!(*touched, json!(["task/artifacts/new.md"]));
}

#[test]
fn what_was_paid_counts_though_nobody_wants_the_attempt_any_more() {
    let (heard, _) = stopped_meanwhile(|home| {
        std::fs::remove_file(home.join("answer.json")).unwrap();
    });
    let What::Lost { usage, .. } = heard else {
        panic!("{heard:?}")
    };
    assert_eq!(usage, PAID);
}

#[test]
fn a_panic_is_no_answer() {
    let begun = begun(|_, _| panic!("on purpose"));
    let mut silent = Silent;
    let adapter = crate::run_adapter::RunAdapter::of(begun.context, &begun.run.machine).unwrap();
    let open = crate::world::Open {
        journal: begun.run.journal,
        torn: begun.run.torn,
    };
    let machine = begun.run.machine;
    let mut world = Real::of(open, adapter, &mut silent);
    world.start(&begun.job.effect, &machine);
    // What was paid, should it be on disk, is for the next session to find.
    loop {
        match world.next(&machine, None) {
            Err(error) => return assert_eq!(error.code, "engine_panicked"),
            Ok(signal) => assert!(
                !matches!(signal, crate::driver::Signal::Answer(_)),
                "{signal:?}"
            ),
        }
    }
}

#[test]
fn a_list_that_was_cut_is_not_reverted_by_half() {
    let listed = ["repo/a".to_owned(), "task/b".to_owned()];
    assert!(whole(&listed, "c0ffee").is_ok());
    let cut = ["and 3 more".to_owned(), "repo/a".to_owned()];
    assert_eq!(whole(&cut, "c0ffee").unwrap_err().code, "revert_incomplete");
}

#[test]
fn what_is_written_into_a_task_while_a_gate_runs_is_put_back_and_kept() {
    let begun = begun(|_, _| Class::Done);
    let context = &begun.context;
    let task = |path: &str| context.task.join(path);
    std::fs::write(task("README.md"), "mine\n").unwrap();
    let guard = super::guard::TaskGuard::of(context).unwrap();
    assert_eq!(guard.settle(context).unwrap(), None);
    let state = std::fs::read(task("STATE.md")).unwrap();
    std::fs::write(task("STATE.md"), "Done gate: anything\n").unwrap();
    std::fs::remove_file(task("README.md")).unwrap();
    std::fs::write(task("planted.md"), "planted\n").unwrap();
    // The engine's own pages are none of it.
    std::fs::create_dir_all(task("artifacts")).unwrap();
    std::fs::write(task("artifacts/evidence.html"), "a page").unwrap();
    let found = guard
        .settle(context)
        .unwrap()
        .expect("three files were touched");
    assert_eq!(found.code.as_deref(), Some("task_changed_by_gate"));
    assert_eq!(found.verdict, kernel::Verdict::Fail);
    for name in ["STATE.md", "README.md", "planted.md"] {
        assert!(found.reason.contains(name), "{}", found.reason);
    }
    assert_eq!(std::fs::read(task("STATE.md")).unwrap(), state);
    assert_eq!(std::fs::read(task("README.md")).unwrap(), b"mine\n");
    assert!(!task("planted.md").exists());
    let kept: Vec<Vec<u8>> = found
        .evidence
        .iter()
        .map(|piece| context.vault.get(&piece.hash).unwrap())
        .collect();
    assert!(kept.contains(&b"planted\n".to_vec()), "nothing is lost");
}

/// Killed in the middle of a file that is taken back: what lies beside it goes, and what is another's
/// stays.
#[test]
fn a_taking_back_that_was_killed_leaves_nothing_beside_its_files() {
    let begun = begun(|home, _| {
        std::fs::write(home.join("view/task/artifacts/found.md"), "found").unwrap();
        Class::Done
    });
    let artifacts = begun.repo.join("tasks/t/artifacts");
    std::fs::create_dir_all(&artifacts).unwrap();
    let done = perform(&begun.context, &begun.job, &Cancel::new(), &|_| {}).unwrap();
    assert!(matches!(done, What::AttemptEnded { .. }));
    let found = artifacts.join("found.md");
    assert_eq!(std::fs::read(&found).unwrap(), b"found");
    // As it was in the middle of it; no process has such a number.
    std::fs::remove_file(&found).unwrap();
    let left = artifacts.join(".found.md.tmp-4294967295-3");
    let other = artifacts.join(".other.md.tmp-4294967295-3");
    std::fs::write(&left, "fou").unwrap();
    std::fs::write(&other, "oth").unwrap();
    let again = recover(&begun.context, &begun.job.effect).unwrap().unwrap();
    let What::AttemptEnded { outcome, .. } = again else {
        panic!("{again:?}");
    };
    assert_eq!(outcome.class, Class::Done, "{}", outcome.reason);
    assert_eq!(std::fs::read(&found).unwrap(), b"found");
    assert!(!left.exists());
    assert!(other.exists());
}

/// An agent makes a file of a folder. It is taken back, unless there is something of somebody else's in
/// the folder; and after a kill in the middle, too.
#[test]
fn a_file_takes_the_place_of_a_folder() {
    let begun = begun(|home, _| {
        let notes = home.join("view/task/artifacts");
        std::fs::remove_dir_all(&notes).unwrap();
        std::fs::write(&notes, "none").unwrap();
        Class::Done
    });
    let artifacts = begun.repo.join("tasks/t/artifacts");
    std::fs::create_dir_all(artifacts.join("deep")).unwrap();
    for name in ["one", "deep/two"] {
        std::fs::write(artifacts.join(name), name).unwrap();
    }
    let class = |what: What| match what {
        What::AttemptEnded { outcome, .. } => (outcome.class, outcome.reason),
        other => panic!("{other:?}"),
    };
    let done = perform(&begun.context, &begun.job, &Cancel::new(), &|_| {}).unwrap();
    assert_eq!(class(done).0, Class::Done);
    assert_eq!(std::fs::read(&artifacts).unwrap(), b"none");
    // As it was in the middle of it.
    std::fs::remove_file(&artifacts).unwrap();
    std::fs::create_dir_all(artifacts.join("deep")).unwrap();
    std::fs::write(artifacts.join("one"), "one").unwrap();
    let again = || class(recover(&begun.context, &begun.job.effect).unwrap().unwrap());
    std::fs::write(artifacts.join("deep/mine"), "mine").unwrap();
    let (refused, why) = again();
    assert_eq!(refused, Class::Conflict, "{why}");
    assert_eq!(std::fs::read(artifacts.join("deep/mine")).unwrap(), b"mine");
    std::fs::remove_file(artifacts.join("deep/mine")).unwrap();
    std::fs::create_dir(artifacts.join(".git")).unwrap();
    std::fs::write(artifacts.join(".git/HEAD"), "mine").unwrap();
    assert_eq!(again().0, Class::Conflict);
    std::fs::remove_dir_all(artifacts.join(".git")).unwrap();
    let (taken, why) = again();
    assert_eq!(taken, Class::Done, "{why}");
    assert_eq!(std::fs::read(&artifacts).unwrap(), b"none");
}

#[test]
fn nothing_is_taken_back_that_some_machines_take_for_git_s_own() {
    let begun = begun(|home, _| {
        std::fs::create_dir(home.join("view/task/.Git")).unwrap();
        std::fs::write(home.join("view/task/.Git/config"), "[core]").unwrap();
        Class::Done
    });
    let done = perform(&begun.context, &begun.job, &Cancel::new(), &|_| {}).unwrap();
    let What::AttemptEnded { outcome, .. } = done else {
        panic!("{done:?}");
    };
    assert_eq!(outcome.class, Class::OutOfScope, "{}", outcome.reason);
    assert!(!begun.repo.join("tasks/t/.Git").exists());
}

/// Killed in the middle of a file that is put back: what lies beside it goes, and is in no commit.
#[test]
fn a_revert_that_was_killed_leaves_nothing_beside_its_files() {
    let mut begun = begun(|_, _| Class::Done);
    let repo = begun.repo.clone();
    let good = workspace::worktree::resolve(&repo, "HEAD").unwrap();
    std::fs::write(repo.join("code.txt"), "broken\n").unwrap();
    // No process has such a number.
    let left = repo.join(".code.txt.tmp-4294967295-0");
    std::fs::write(&left, "co").unwrap();
    begun.job.effect = Effect::Checkpoint(CheckpointOrder {
        id: begun.job.effect.id(),
        subject: "broken".to_owned(),
        tree: None,
        revert: Some(Revert {
            to: good,
            paths: vec!["repo/code.txt".to_owned()],
        }),
    });
    let ended = perform(&begun.context, &begun.job, &Cancel::new(), &|_| {}).unwrap();
    let What::CheckpointEnded {
        commit: Ok(commit), ..
    } = ended
    else {
        panic!("{ended:?}");
    };
    assert_eq!(std::fs::read(repo.join("code.txt")).unwrap(), b"code\n");
    assert!(!left.exists());
    let args = ["ls-tree", "-r", "--name-only", &format!("{commit}^")];
    let held = workspace::git::text(&workspace::git::git(&repo, &args, &[]).unwrap());
    assert!(
        held.contains("code.txt") && !held.contains("tmp-"),
        "{held}"
    );
}
