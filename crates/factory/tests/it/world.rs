//! A project with scripted roles and people: the loop of the engine without its world, so that a
//! test can stop, replay and reorder it.

use crate::said;
use factory::delivery::promised::Promised;
use factory::machine::facts::{Fact, ProjectOpened, TasksDeclared};
use factory::machine::{Factory, For};
use factory::project::{Declared, TaskId, TaskStatus};
use kernel::Decision;
use kernel::effect::{AttemptOrder, Effect, GateOrder};
use kernel::event::RunStarted;
use kernel::outcome::Found;
use kernel::{
    Autonomy, CheckResult, Class, CounterName, EffectId, Event, EvidenceRef, Input, Machine, Mode,
    Outcome, Refusal, RunId, Time, Usage, Verdict, What,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is said and found, where it differs from what goes well.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    /// By subject, state and number; the number 0 stands for every other.
    pub(crate) said: BTreeMap<(String, String, u32), Value>,
    /// Checks that fail: subject, check, number of the attempt (0: always).
    pub(crate) fails: Vec<(String, String, u32)>,
    nth: BTreeMap<EffectId, u32>,
}

impl Script {
    pub(crate) fn says(mut self, subject: &str, state: &str, nth: u32, what: Value) -> Self {
        self.said
            .insert((subject.to_owned(), state.to_owned(), nth), what);
        self
    }

    pub(crate) fn breaks(mut self, subject: &str, check: &str, nth: u32) -> Self {
        self.fails.push((subject.to_owned(), check.to_owned(), nth));
        self
    }

    /// From now on nothing of this breaks.
    pub(crate) fn mends(mut self, subject: &str) -> Self {
        self.fails.retain(|(one, _, _)| one != subject);
        self
    }

    /// A module of this task fails its whole debate.
    pub(crate) fn rejects(self, task: &str) -> Self {
        let subject = format!("{task}/{}", module_of(task));
        self.says(&subject, "challenge", 0, said::fail(&["R3"]))
            .says(&subject, "adjudicate", 0, said::reject())
    }

    pub(crate) fn attempt(&mut self, order: &AttemptOrder) -> Outcome {
        self.nth.insert(order.id, order.nth);
        let key = |nth| (order.subject.clone(), order.state.to_string(), nth);
        let found = self.said.get(&key(order.nth)).or(self.said.get(&key(0)));
        let mut result = found
            .cloned()
            .unwrap_or_else(|| match order.state.as_str() {
                "specify" => serde_json::json!({"summary": "drafted", "sources": ["a book"]}),
                "micro_plan" => said::plan(&[(module_of(&order.subject).as_str(), &[])]),
                "propose" | "revise" => said::proposal(),
                "challenge" => said::pass(),
                "adjudicate" => said::approve(),
                _ => said::amended(true),
            });
        if order.state.as_str() == "micro_plan" {
            said::answer(&mut result, &order.brief);
        }
        let mut outcome = Outcome::bare(Class::Done, "scripted");
        outcome.result = Some(result);
        if matches!(order.state.as_str(), "propose" | "revise" | "amend") {
            outcome.changed = vec!["implementation/lib.rs".to_owned()];
        }
        outcome.usage = Usage {
            input_tokens: 100 + u64::from(order.nth),
            output_tokens: 10,
            cached_tokens: 0,
            micro_dollars: 3,
        };
        outcome
    }

    pub(crate) fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult> {
        let nth = order
            .attempt
            .and_then(|attempt| self.nth.get(&attempt).copied());
        let checks = order.checks.iter().map(|spec| {
            let broken = self.fails.iter().any(|(subject, check, when)| {
                let now = *when == 0 || nth == Some(*when);
                *subject == order.subject && *check == spec.check && now
            });
            let verdict = if broken { Verdict::Fail } else { Verdict::Pass };
            let mut result = CheckResult::new(&spec.check, verdict, "as scripted");
            if order.state.as_str() == factory::product::GATE {
                result.evidence = judged(nth.unwrap_or_default());
            }
            result
        });
        checks.collect()
    }

    fn answer(&mut self, effect: &Effect) -> What {
        match effect {
            Effect::Attempt(order) => What::AttemptEnded {
                effect: order.id,
                outcome: Box::new(self.attempt(order)),
                found: Found::Live,
            },
            Effect::Gate(order) => What::GateEnded {
                effect: order.id,
                results: self.gate(order),
                tree: None,
                found: Found::Live,
            },
            Effect::Checkpoint(order) => What::CheckpointEnded {
                effect: order.id,
                commit: Ok("commit".to_owned()),
            },
        }
    }
}

/// What the gate of a draft keeps: the draft of the nth attempt has the hash `spec-n`.
fn judged(nth: u32) -> Vec<EvidenceRef> {
    use factory::product::{PAGE, REPORT, SPEC};
    let of = |(name, word): (&str, &str)| EvidenceRef {
        hash: format!("{word}-{nth}"),
        name: name.to_owned(),
        size: 1,
        sealed: false,
    };
    [(SPEC, "spec"), (PAGE, "page"), (REPORT, "report")]
        .map(of)
        .to_vec()
}

/// A project that begins with a person's `SPEC.md`.
pub(crate) fn specifying(jobs: u32) -> What {
    let spec = EvidenceRef {
        hash: "given".to_owned(),
        name: "SPEC.md".to_owned(),
        size: 9,
        sealed: false,
    };
    let began = factory::product::Began {
        spec,
        with: Vec::new(),
        jobs,
        attempts_per_task: Some(30),
        briefs: Some(factory::engineering::context::BRIEFS),
        exams: None,
        released: None,
        attempts: None,
    };
    What::Note(Fact::ProductBegan(Box::new(began)).note())
}

/// What goes with the approval of a spec.
pub(crate) fn approval(hash: &str, tasks: &[Declared]) -> Value {
    serde_json::json!({
        "spec": hash, "spec_id": "SPEC-001", "spec_version": "1.0.0", "tasks": tasks,
    })
}

/// The module of a task whose plan has just one.
pub(crate) fn module_of(task: &str) -> String {
    format!("MM-{}", task.trim_start_matches("T-"))
}

pub(crate) fn started() -> RunStarted {
    RunStarted {
        run: RunId::from("run-1"),
        workflow: "factory".to_owned(),
        workflow_hash: String::new(),
        autonomy: Autonomy::Auto,
        mode: Mode::default(),
        budgets: BTreeMap::from([
            (CounterName::from("attempts"), 100_000),
            (CounterName::from("wall_millis"), u64::from(u32::MAX)),
        ]),
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
    }
}

pub(crate) fn opening(tasks: &[Declared], jobs: u32) -> [What; 2] {
    promising(tasks, jobs, None)
}

/// The same, of a spec that says what comes out at the end.
pub(crate) fn promising(tasks: &[Declared], jobs: u32, product: Option<Promised>) -> [What; 2] {
    let tasks = tasks.to_vec();
    [
        What::Note(Fact::TasksDeclared(TasksDeclared { tasks }).note()),
        What::Note(
            Fact::ProjectOpened(Box::new(ProjectOpened {
                project_id: "P-1".to_owned(),
                spec_version: "1.0.0".to_owned(),
                jobs,
                attempts: None,
                spec: None,
                briefs: Some(factory::engineering::context::BRIEFS),
                product,
                exams: None,
                further: None,
            }))
            .note(),
        ),
    ]
}

/// A project and everything that happened to it.
pub(crate) struct Project {
    pub(crate) machine: Factory,
    pub(crate) journal: Vec<Event>,
    pub(crate) script: Script,
    /// Answers of the past, by effect: what was paid for.
    pub(crate) answers: BTreeMap<EffectId, What>,
    clock: u64,
}

impl Project {
    pub(crate) fn new(tasks: &[Declared], jobs: u32, script: Script) -> Self {
        Self::told(script, &opening(tasks, jobs))
    }

    /// A project that is told this, once it has started.
    pub(crate) fn told(script: Script, whats: &[What]) -> Self {
        let mut project = Self {
            machine: Factory::new(),
            journal: Vec::new(),
            script,
            answers: BTreeMap::new(),
            clock: 1_794_709_527_000,
        };
        project.feed(What::Start(Box::new(started()))).unwrap();
        for what in whats {
            project.feed(what.clone()).unwrap();
        }
        project
    }

    /// One input and everything that follows from it.
    pub(crate) fn feed(&mut self, what: What) -> Result<(), Refusal> {
        self.clock += 1;
        let at = Time(self.clock);
        let mut next = self.machine.decide(&Input::new(at, what))?;
        while !next.is_empty() {
            for event in next {
                self.machine.apply(&event);
                self.journal.push(event);
            }
            next = self.machine.decide(&Input::new(at, What::Advance))?;
        }
        Ok(())
    }

    /// Works until nothing is wanted. `pick` chooses which of those in flight ends next.
    pub(crate) fn run_picking(&mut self, mut pick: impl FnMut(usize) -> usize) {
        loop {
            let wanted = self.machine.wanted();
            let flying = self.machine.status().in_flight;
            for effect in &wanted {
                if !flying.iter().any(|one| one.effect == effect.id()) {
                    self.feed(What::Begin(effect.id())).unwrap();
                }
            }
            let wanted = self.machine.wanted();
            if wanted.is_empty() {
                return;
            }
            let effect = &wanted[pick(wanted.len()) % wanted.len()];
            let answer = self.script.answer(effect);
            self.answers.insert(effect.id(), answer.clone());
            self.feed(answer).unwrap();
        }
    }

    pub(crate) fn run(&mut self) {
        self.run_picking(|_| 0);
    }

    /// Works on what has such a subject, until none of it is wanted.
    pub(crate) fn run_only(&mut self, subject: &str) {
        let is_of = |effect: &&Effect| match effect {
            Effect::Attempt(order) => order.subject.starts_with(subject),
            Effect::Gate(order) => order.subject.starts_with(subject),
            Effect::Checkpoint(_) => false,
        };
        while let Some(effect) = self.machine.wanted().iter().find(is_of) {
            self.feed(What::Begin(effect.id())).unwrap();
            let answer = self.script.answer(effect);
            self.feed(answer).unwrap();
        }
    }

    /// The first of what is wanted, from its beginning to its end.
    pub(crate) fn run_one(&mut self) {
        if let Some(effect) = self.machine.wanted().first() {
            self.feed(What::Begin(effect.id())).unwrap();
            let answer = self.script.answer(effect);
            self.feed(answer).unwrap();
        }
    }

    /// What the next one is told who works on this in that state; whatever comes before is done first.
    pub(crate) fn brief(&mut self, subject: &str, state: &str) -> String {
        loop {
            let wanted = self.machine.wanted();
            let brief = wanted.iter().find_map(|effect| match effect {
                Effect::Attempt(order) => {
                    let is_it = order.subject.starts_with(subject) && order.state.as_str() == state;
                    is_it.then(|| order.brief.clone())
                }
                Effect::Gate(_) | Effect::Checkpoint(_) => None,
            });
            if let Some(brief) = brief {
                return brief;
            }
            assert!(!wanted.is_empty(), "nobody is asked to {state} {subject}");
            self.run_one();
        }
    }

    pub(crate) fn decide(&mut self, option: &str, with: Value) -> Result<(), Refusal> {
        self.feed(What::Decide(Decision {
            option: option.to_owned(),
            because: "we said so".to_owned(),
            who: "ann".to_owned(),
            channel: "terminal".to_owned(),
            seen_seq: self.journal.len() as u64,
            tree: String::new(),
            with,
            signature: None,
        }))
    }

    /// Gives a resolution with its usual payload.
    pub(crate) fn resolve(&mut self, action: &str, task: &str) -> Result<(), Refusal> {
        self.decide(action, said::payload(action, &TaskId::from(task)))
    }

    pub(crate) fn status(&self, task: &str) -> TaskStatus {
        let status = self.machine.task_status(&TaskId::from(task));
        status.unwrap_or_else(|| panic!("no task {task}"))
    }

    pub(crate) fn statuses(&self) -> BTreeMap<String, TaskStatus> {
        let all = self.machine.tasks().iter();
        all.map(|task| (task.declared.id.to_string(), task.status))
            .collect()
    }

    /// The attempts that were begun, as subject, state.
    pub(crate) fn asked(&self) -> Vec<(String, String)> {
        let began = self.journal.iter().filter_map(|event| match &event.body {
            kernel::Body::EffectBegan(began) => Some(began),
            _ => None,
        });
        began
            .map(|one| (one.subject.clone(), one.state.to_string()))
            .collect()
    }

    pub(crate) fn in_flight_for(&self, effect: EffectId) -> Option<&For> {
        self.machine.subject(effect)
    }
}
