//! How long a dispatch and a settlement take among a hundred thousand tasks, as a plain program.
//! Run with `cargo bench -p factory`. Target: under 50 microseconds each, whatever the number.

use factory::engineering::work::{End, Step};
use factory::machine::Factory;
use factory::machine::facts::{EngineeringStepped, Fact, ProjectOpened, TasksDeclared};
use factory::project::{Declared, EscalationId, ModuleRef, TaskGraph, TaskId};
use kernel::event::RunStarted;
use kernel::{Autonomy, Body, Event, Input, Machine, Mode, RunId, Time, What};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut costs = Vec::new();
    for count in [1_000, 10_000, 100_000] {
        let graph = settle(count);
        cascade(count);
        costs.push((graph, machine(count)));
    }
    // What grows with the number of tasks is a logarithm: 1.25 from ten thousand to a hundred
    // thousand, and what the caches of the processor make of it.
    let [_, (graph, machine), (graph_most, machine_most)] = costs[..] else {
        return;
    };
    let ratio = |most: u128, few: u128| most as f64 / few.max(1) as f64;
    println!(
        "100000 tasks against 10000: the graph {:.2} times, the machine {:.2} times",
        ratio(graph_most, graph),
        ratio(machine_most, machine)
    );
}

fn id(n: u32) -> TaskId {
    TaskId::new(format!("T-core-auth-login-{n:06}"))
}

/// Each task depends on up to three earlier ones, near and far, as drawn by a small generator.
fn tasks(count: u32) -> Vec<Declared> {
    let mut seed = 0x9e37_79b9_u64;
    let mut draw = |most: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as u32 % most.max(1)
    };
    (0..count)
        .map(|n| Declared {
            id: id(n),
            pillar: "Core".to_owned(),
            epic: "Auth".to_owned(),
            story: "Login".to_owned(),
            task: format!("Task {n}"),
            criteria: Vec::new(),
            sketch: None,
            depends_on: {
                let mut on: Vec<u32> = (0..3.min(n)).map(|_| draw(n)).collect();
                on.sort_unstable();
                on.dedup();
                on.into_iter().map(id).collect()
            },
        })
        .collect()
}

/// Nanoseconds for each task.
fn settle(count: u32) -> u128 {
    let mut graph = TaskGraph::declare(tasks(count)).expect("a good project");
    let module = [ModuleRef::parse("MM-a@1.0.0").expect("a good reference")];
    let (mut worst, began) = (Duration::ZERO, Instant::now());
    let mut settled = 0;
    while let Some(task) = graph.next() {
        let one = Instant::now();
        let id = task.declared.id.clone();
        graph.dispatch(&id).expect("it was next");
        graph
            .ship(&id, &module, Time(1))
            .expect("it is in progress");
        worst = worst.max(one.elapsed());
        settled += 1;
    }
    assert_eq!(settled, count, "every task ships");
    let each = began.elapsed().as_nanos() / u128::from(count);
    println!(
        "{count:>7} tasks: dispatch and ship {each:>6} ns each, worst {:>7} ns",
        worst.as_nanos()
    );
    each
}

/// The first task halts and is taken up again: what that costs is what it blocks.
fn cascade(count: u32) {
    let mut graph = TaskGraph::declare(tasks(count)).expect("a good project");
    graph.dispatch(&id(0)).expect("it is first");
    let began = Instant::now();
    graph
        .halt(&id(0), "no", &EscalationId::from("ESC-00000000"))
        .expect("it is in progress");
    let blocked = graph.count(factory::project::TaskStatus::Blocked);
    let halt = began.elapsed();
    let began = Instant::now();
    graph.requeue(&id(0)).expect("it is halted");
    println!(
        "{count:>7} tasks: a halt that blocks {blocked} takes {} us, its resolution {} us",
        halt.as_micros(),
        began.elapsed().as_micros()
    );
}

/// The whole machine: the decision to dispatch and its fact, then the decision to settle and its
/// fact. The engineering between them is as long as its debate and knows nothing of other tasks.
fn machine(count: u32) -> u128 {
    let mut machine = Factory::new();
    let apply = |machine: &mut Factory, body| machine.apply(&Event { at: Time(1), body });
    let started = RunStarted {
        run: RunId::from("bench"),
        workflow: "factory".to_owned(),
        workflow_hash: String::new(),
        autonomy: Autonomy::Auto,
        mode: Mode::default(),
        budgets: BTreeMap::new(),
        fields: BTreeMap::new(),
        task: String::new(),
        commands: Vec::new(),
        agent: String::new(),
        sandbox_waived_by: None,
        sandbox_waived_through: None,
        sandbox_waiver_signature: None,
        own_tree: None,
        signers: None,
        forked: None,
        commands_found: false,
        unconfined: false,
        instead_of_built_in: false,
        weak: kernel::Weak::Suffices,
    };
    apply(&mut machine, Body::RunStarted(Box::new(started)));
    let declared = Fact::TasksDeclared(TasksDeclared {
        tasks: tasks(count),
    });
    apply(&mut machine, Body::Noted(declared.note()));
    let opened = Fact::ProjectOpened(Box::new(ProjectOpened {
        project_id: "P-1".to_owned(),
        spec_version: "1.0.0".to_owned(),
        attempts: None,
        spec: None,
        briefs: Some(factory::engineering::context::BRIEFS),
        product: None,
        exams: None,
        further: None,
        jobs: 1,
    }));
    apply(&mut machine, Body::Noted(opened.note()));
    let module = ModuleRef::parse("MM-a@1.0.0").expect("a good reference");
    let mut spent = Duration::ZERO;
    let rounds = count.min(20_000);
    for _ in 0..rounds {
        let began = Instant::now();
        step(&mut machine);
        spent += began.elapsed();
        let task = machine
            .tasks()
            .in_progress()
            .next()
            .expect("it was dispatched");
        let over = Fact::EngineeringStepped(Box::new(EngineeringStepped {
            task: task.declared.id.clone(),
            step: Step::Over(End::Shipped(vec![module.clone()])),
        }));
        apply(&mut machine, Body::Noted(over.note()));
        let began = Instant::now();
        step(&mut machine);
        spent += began.elapsed();
    }
    let both = spent.as_nanos() / u128::from(rounds);
    println!("{count:>7} tasks: the machine's dispatch and settlement {both:>6} ns for both");
    both
}

/// One decision that follows from the state alone, taken in.
fn step(machine: &mut Factory) {
    let events = machine.decide(&Input::new(Time(1), What::Advance));
    for event in events.expect("an advance is never refused") {
        machine.apply(&event);
    }
}
