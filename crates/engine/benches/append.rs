//! What a project's journal costs for each task, among ten thousand tasks and among a hundred
//! thousand: a settlement, the dispatch of the next, their append through the engine's own world,
//! and the checkpoints that come with it. Every task ships, so all checkpoints are in the mean; the
//! worst append is the one that made the largest. Run with `cargo bench -p engine --bench append`.
//!
//! It leaves out what a disk needs to sync, which is the same for every project, and the files of the
//! state store, which are written beside the journal.

use engine::World;
use engine::driver::settle;
use engine::world::{Adapter, Gauges, Listener, Observer, Open, Opening, Performer, Real};
use factory::engineering::work::{End, Step};
use factory::machine::Factory;
use factory::machine::facts::{EngineeringStepped, Fact, ProjectOpened, TasksDeclared};
use factory::project::{Declared, ModuleRef, TaskId, TaskStatus};
use kernel::{Autonomy, Body, Effect, Event, Machine, Mode, Time, What};
use sandbox::Cancel;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Disk, Head, Journal, RecordRef, RunName};
use workspace::project::Records;
use workspace::{EngineError, Project};

/// A disk that never makes anybody wait.
struct NoWait;
impl Disk for NoWait {
    fn sync(&mut self, _: &std::fs::File) -> std::io::Result<()> {
        Ok(())
    }
}

/// Only the journal.
struct Bare(Arc<NoPerformer>);
struct NoPerformer;
impl Performer for NoPerformer {
    type Job = ();
    type What = What;
    fn perform(&self, (): &(), _: &Cancel, _: &Listener<'_>) -> Result<What, EngineError> {
        unreachable!("nothing is started")
    }
}
impl Adapter for Bare {
    type Machine = Factory;
    type Performer = NoPerformer;
    fn performer(&self) -> &Arc<NoPerformer> {
        &self.0
    }
    fn known(&self, _: &Factory, _: &RecordRef<'_>) -> Result<Event, store::Objection> {
        Err("nobody else writes here".into())
    }
    fn opening(&mut self, _: &Factory, _: Opening<'_, Body>) -> Result<Vec<What>, EngineError> {
        Ok(Vec::new())
    }
    fn follow(
        &mut self,
        _: &Factory,
        _: &[Event],
        _: &Head,
        _: &mut dyn Observer,
    ) -> Result<Option<What>, EngineError> {
        Ok(None)
    }
    fn job(&self, _: &Factory, _: &Effect, _: &Head) {}
}

struct Nobody;
impl Observer for Nobody {
    fn event(&mut self, _: &Event) {}
    fn tick(&mut self, _: &dyn Fn() -> Gauges) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, _: &str) {}
}

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let (few, many) = (mean(10_000), mean(100_000));
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    println!("100000 tasks against 10000: {ratio:.2} times");
}

/// For each task of a project.
fn mean(count: u32) -> Duration {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("file"), "").expect("a file");
    workspace::git::first_commit(folder.path(), "a file").expect("a commit");
    let project = Project::find(folder.path()).expect("a project");
    project.prepare(Records::InTree).expect("its folder");
    let started: kernel::event::RunStarted = serde_json::from_value(serde_json::json!({
        "run": "bench", "workflow": factory::NAME, "workflow_hash": "",
        "autonomy": Autonomy::Auto, "mode": Mode::default(),
    }))
    .expect("a start");
    let name = RunName::new("bench").expect("a name");
    let journal = Journal::create(&project.journals(), &name).expect("a journal");
    let open = Open {
        journal: journal.with_disk(Box::new(NoWait)),
        torn: None,
    };
    let mut nobody = Nobody;
    let mut world = Real::of(open, Bare(Arc::new(NoPerformer)), &mut nobody);
    let (mut machine, mut events) = (Factory::new(), Vec::new());
    for what in opening(started, count) {
        settle::<_, EngineError>(&mut machine, Time(1), what, &mut events).expect("a project");
    }
    world.append(&events, &machine).expect("on disk");

    let module = ModuleRef::parse("MM-a@1.0.0").expect("a good reference");
    let (mut spent, mut worst) = (Duration::ZERO, Duration::ZERO);
    let next = |machine: &Factory| {
        let mut tasks = machine.tasks().in_progress();
        tasks.next().map(|task| task.declared.id.clone())
    };
    while let Some(task) = next(&machine) {
        let over = Fact::EngineeringStepped(Box::new(EngineeringStepped {
            task,
            step: Step::Over(End::Shipped(vec![module.clone()])),
        }));
        let began = Instant::now();
        let mut events = vec![Event {
            at: Time(1),
            body: Body::Noted(over.note()),
        }];
        machine.apply(&events[0]);
        settle::<_, EngineError>(&mut machine, Time(1), What::Advance, &mut events)
            .expect("an advance is never refused");
        world.append(&events, &machine).expect("on disk");
        let taken = began.elapsed();
        (spent, worst) = (spent + taken, worst.max(taken));
    }
    assert_eq!(machine.tasks().count(TaskStatus::Shipped), count);
    let each = spent / count;
    println!("{count:>7} tasks: {each:>8.1?} for each, the worst append {worst:.1?}");
    each
}

/// What a new project is told. Each task depends on one about half as far.
fn opening(started: kernel::event::RunStarted, count: u32) -> Vec<What> {
    let id = |n: u32| TaskId::new(format!("T-core-auth-login-{n:06}"));
    let task = |n: u32| Declared {
        id: id(n),
        pillar: "Core".to_owned(),
        epic: "Auth".to_owned(),
        story: "Login".to_owned(),
        task: format!("Task {n}"),
        depends_on: (n > 0).then(|| id(n / 2)).into_iter().collect(),
        criteria: Vec::new(),
        sketch: None,
    };
    let tasks: Vec<Declared> = (0..count).map(task).collect();
    let declared = tasks.chunks(500).map(|some| TasksDeclared {
        tasks: some.to_vec(),
    });
    let opened = ProjectOpened {
        project_id: "P-1".to_owned(),
        spec_version: "1.0.0".to_owned(),
        attempts: None,
        spec: None,
        briefs: Some(factory::engineering::context::BRIEFS),
        product: None,
        exams: None,
        further: None,
        jobs: 1,
    };
    let facts = declared
        .map(Fact::TasksDeclared)
        .chain([Fact::ProjectOpened(Box::new(opened))]);
    let start = What::Start(Box::new(started));
    std::iter::once(start)
        .chain(facts.map(|fact| What::Note(fact.note())))
        .collect()
}
