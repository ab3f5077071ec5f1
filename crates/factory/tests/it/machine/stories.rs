//! The projects that tests tell: tasks, what agents and checks say, what people answer, and how it
//! must end. It tests nothing itself.

use super::{A, B, C, D};
use crate::project::task;
use crate::said;
use crate::world::{Project, Script, approval, module_of, opening, specifying};
use factory::delivery::manifest::Scope;
use factory::machine::Factory;
use factory::project::{Declared, TaskId, TaskStatus};
use kernel::module::ModuleStatus;
use kernel::{Machine, What};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What people answer, by task and by how often it was escalated before.
#[derive(Debug, Clone, Default)]
pub(super) struct People {
    pub(super) plan: BTreeMap<&'static str, Vec<&'static str>>,
    pub(super) seen: BTreeMap<String, Vec<String>>,
    /// The tasks of the spec that they approve.
    pub(super) tasks: Vec<Declared>,
    /// What they remember to have said aside, where they cannot look at the project.
    pub(super) aside: usize,
}

/// What people said that settled no task: partial releases, deprecations, rulings.
pub(super) fn said_aside(machine: &Factory) -> usize {
    let releases = machine.releases().iter();
    let partial = releases.filter(|one| one.scope == Scope::Partial).count();
    let entries = machine.registry().iter();
    let gone = entries.filter(|one| one.status == ModuleStatus::Deprecated);
    partial + gone.count() + machine.rulings().len()
}

impl People {
    /// The word about a spec, by its hash.
    fn on_spec(&self, hash: &str) -> (String, Value) {
        let planned = self.plan.get(hash).and_then(|all| all.first());
        let option = planned.copied().unwrap_or("stop");
        let with = match option {
            "APPROVE" => approval(hash, &self.tasks),
            "REJECT" => json!({"reasons": "it is not what we meant"}),
            "AMEND" => json!({"feedback": "name the errors"}),
            _ => Value::Null,
        };
        (option.to_owned(), with)
    }

    /// People do not forget what they were asked before a crash.
    pub(super) fn remember(&mut self, machine: &Factory) {
        let mut all: Vec<_> = machine.escalations().collect();
        all.sort_by_key(|one| one.created_at);
        for one in all {
            let seen = self.seen.entry(one.task_id.to_string()).or_default();
            seen.push(one.escalation_id.to_string());
        }
    }

    /// The answer, after so much was said aside: an answer like `RELEASE, ABANDON_TASK` says one
    /// thing after the other to the same question.
    pub(super) fn answer(&mut self, why: &str, aside: usize) -> (String, Value) {
        if let Some(rest) = why.strip_prefix("the spec ") {
            return self.on_spec(rest.split(' ').next().unwrap_or_default());
        }
        let task = why.split('`').nth(1).unwrap_or_default();
        let word = |prefix: &str| {
            let at = why.find(prefix)?;
            why.get(at..at + 12).map(str::to_owned)
        };
        // The same escalation gets the same answer, however often a crash makes us ask.
        let seen = self.seen.entry(task.to_owned()).or_default();
        let escalation = word("ESC-").unwrap_or_else(|| "blocked".to_owned());
        if !seen.contains(&escalation) {
            seen.push(escalation.clone());
        }
        let nth = seen.iter().position(|one| *one == escalation).unwrap_or(0);
        let option = match self.plan.get(task).and_then(|all| all.get(nth)) {
            Some(options) => {
                let options: Vec<&str> = options.split(", ").collect();
                options[aside.min(options.len() - 1)]
            }
            None => "stop",
        };
        let first = format!("{}@1.0.0", module_of(A));
        let with = match option {
            "APPROVE_CHANGE" | "DEFER" => json!({"exception_id": word("ICE-")}),
            "REJECT_CHANGE" => json!({"exception_id": word("ICE-"), "then": "requeue"}),
            "RELEASE" => json!({"modules": [first]}),
            "DEPRECATE" => json!({
                "module": first, "reason": "the other one is better",
                "superseded_by": format!("{}@1.0.0", module_of(C)), "migration": "rename the call",
            }),
            _ => said::payload(option, &TaskId::from(task)),
        };
        (option.to_owned(), with)
    }
}

/// What a project begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Begins {
    #[default]
    WithTasks,
    WithSpecMd,
}

impl Begins {
    pub(super) fn whats(self, tasks: &[Declared], jobs: u32) -> Vec<What> {
        match self {
            Begins::WithTasks => opening(tasks, jobs).to_vec(),
            Begins::WithSpecMd => vec![specifying(jobs)],
        }
    }
}

/// A project as a test tells it.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(super) tasks: Vec<Declared>,
    pub(super) script: Script,
    pub(super) people: People,
    pub(super) begins: Begins,
    /// What every task must have become.
    pub(super) end: Vec<(&'static str, TaskStatus)>,
}

pub(super) fn subject(task: &str) -> String {
    format!("{task}/{}", module_of(task))
}

/// A plan refused, a mild review, a failed challenge, amendments, failing tests: no people.
pub(super) fn troubled() -> Story {
    let a = subject(A);
    let script = Script::default()
        .says(A, "micro_plan", 1, json!({"modules": []}))
        .says(&a, "challenge", 1, said::mild())
        .says(&a, "challenge", 2, said::fail(&["R3"]))
        .says(&a, "adjudicate", 2, said::amend())
        .breaks(&subject(B), "black_box_tests", 1);
    Story {
        tasks: vec![task(A, &[]), task(B, &[A])],
        script,
        people: People::default(),
        begins: Begins::WithTasks,
        end: vec![(A, TaskStatus::Shipped), (B, TaskStatus::Shipped)],
    }
}

/// One task is fixed by a person, another is split.
fn resolved() -> Story {
    let script = Script::default().rejects(A).rejects(B);
    let fixed = subject(A);
    // The person's fix is challenged with all revisions used: number 3.
    let script = script
        .says(&fixed, "challenge", 3, said::fail(&["R3"]))
        .says(&fixed, "adjudicate", 3, said::amend());
    Story {
        tasks: vec![task(A, &[]), task(B, &[]), task(C, &[A, B])],
        script,
        people: People {
            plan: BTreeMap::from([(B, vec!["SPLIT_TASK"]), (A, vec!["APPROVE_OVERRIDE"])]),
            ..People::default()
        },
        begins: Begins::WithTasks,
        end: vec![
            (A, TaskStatus::Shipped),
            (B, TaskStatus::Abandoned),
            (C, TaskStatus::Shipped),
        ],
    }
}

/// An upstream contract is changed.
pub(super) fn changed() -> Story {
    let target = format!("{}@1.0.0", module_of(A));
    let script = Script::default().says(
        &subject(B),
        "challenge",
        1,
        said::exception(&target, "BREAKING"),
    );
    Story {
        tasks: vec![task(A, &[]), task(B, &[A])],
        script,
        people: People {
            plan: BTreeMap::from([(B, vec!["APPROVE_CHANGE", "ABANDON_TASK"])]),
            ..People::default()
        },
        begins: Begins::WithTasks,
        // The change names the version that is superseded by now, so the second one is refused.
        end: vec![(A, TaskStatus::Shipped)],
    }
}

/// A plan of three modules of which one fails; a task is abandoned, and its dependent is amended.
fn abandoned() -> Story {
    let plan = said::plan(&[("MM-x", &[]), ("MM-y", &["MM-x@1.0.0"]), ("MM-z", &[])]);
    let script = Script::default()
        .says(A, "micro_plan", 0, plan)
        .says(&format!("{A}/MM-x"), "challenge", 0, said::fail(&["R2"]))
        .says(&format!("{A}/MM-x"), "adjudicate", 0, said::reject())
        .rejects(B);
    Story {
        tasks: vec![task(A, &[]), task(B, &[]), task(C, &[B]), task(D, &[A, C])],
        script,
        people: People {
            plan: BTreeMap::from([
                (A, vec!["APPROVE_OVERRIDE"]),
                (B, vec!["ABANDON_TASK"]),
                (C, vec!["AMEND_SPEC"]),
            ]),
            ..People::default()
        },
        begins: Begins::WithTasks,
        end: vec![
            (A, TaskStatus::Shipped),
            (B, TaskStatus::Abandoned),
            (C, TaskStatus::Shipped),
            (D, TaskStatus::Shipped),
        ],
    }
}

/// A draft refused twice, a spec rejected, one amended, one approved; then its tasks.
pub(super) fn specified() -> Story {
    let script = Script::default()
        .breaks("SPEC.md", "spec_complete", 1)
        .breaks("SPEC.md", "spec_complete", 4);
    let tasks = vec![task(A, &[])];
    Story {
        tasks: tasks.clone(),
        script,
        people: People {
            plan: BTreeMap::from([
                ("spec-2", vec!["REJECT"]),
                ("spec-3", vec!["AMEND"]),
                ("spec-5", vec!["APPROVE"]),
            ]),
            tasks,
            ..People::default()
        },
        begins: Begins::WithSpecMd,
        end: vec![(A, TaskStatus::Shipped)],
    }
}

fn asked(tasks: Vec<Declared>, script: Script, plan: &[(&'static str, &[&'static str])]) -> Story {
    let plan = plan.iter().map(|(task, all)| (*task, all.to_vec()));
    Story {
        tasks,
        script,
        people: People {
            plan: plan.collect(),
            ..People::default()
        },
        begins: Begins::WithTasks,
        end: Vec::new(),
    }
}

/// While one task is halted, a person releases what another has shipped.
pub(super) fn released() -> Story {
    let tasks = vec![task(A, &[]), task(B, &[])];
    let plan: [(_, &[&str]); 1] = [(B, &["RELEASE, ABANDON_TASK"])];
    Story {
        end: vec![(A, TaskStatus::Shipped), (B, TaskStatus::Abandoned)],
        ..asked(tasks, Script::default().rejects(B), &plan)
    }
}

/// A shipped module is deprecated in favour of another one, and the rest goes on without it.
fn deprecated() -> Story {
    let tasks = vec![task(A, &[]), task(C, &[]), task(B, &[C])];
    let plan: [(_, &[&str]); 1] = [(B, &["DEPRECATE, ABANDON_TASK"])];
    Story {
        end: vec![
            (A, TaskStatus::Shipped),
            (C, TaskStatus::Shipped),
            (B, TaskStatus::Abandoned),
        ],
        ..asked(tasks, Script::default().rejects(B), &plan)
    }
}

/// A change of a contract is put off, then refused; the task is tried again and raises it again.
fn deferred() -> Story {
    let target = format!("{}@1.0.0", module_of(A));
    let raises = said::exception(&target, "BACKWARD_COMPATIBLE");
    let script = Script::default().says(&subject(B), "challenge", 1, raises);
    let tasks = vec![task(A, &[]), task(B, &[A])];
    let plan: [(_, &[&str]); 1] = [(B, &["DEFER, REJECT_CHANGE", "ABANDON_TASK"])];
    Story {
        end: vec![(A, TaskStatus::Shipped), (B, TaskStatus::Abandoned)],
        ..asked(tasks, script, &plan)
    }
}

/// A person's plan takes the place of the agent's, and a person's code that of the Proposer's.
pub(super) fn taken_over() -> Story {
    let fixed = subject(B);
    let script = Script::default().rejects(A).rejects(B);
    let script = script
        .says(&fixed, "challenge", 3, said::fail(&["R3"]))
        .says(&fixed, "adjudicate", 3, said::amend());
    let tasks = vec![task(A, &[]), task(B, &[])];
    let plan: [(_, &[&str]); 2] = [
        (A, &["REVISE_PLAN"]),
        (B, &["PROVIDE_FIX", "APPROVE_OVERRIDE"]),
    ];
    Story {
        end: vec![(A, TaskStatus::Shipped), (B, TaskStatus::Shipped)],
        ..asked(tasks, script, &plan)
    }
}

/// A plan reuses a module that does something else, hears why that is refused, bends its need, hears
/// that this is refused too, and makes the module. Another plan reuses what fits.
fn reused() -> Story {
    let reusing = |task: &str, output: &str| {
        let mut plan = said::plan(&[(module_of(task).as_str(), &[])]);
        let module = &mut plan["modules"][0];
        module["reuse_decision"] = json!("REUSE");
        module["reuse_candidate_refs"] = json!([format!("{}@1.0.0", module_of(A))]);
        module["io_contract"]["outputs"] = json!([output]);
        plan
    };
    let script = Script::default()
        .says(B, "micro_plan", 1, reusing(B, "count: u64"))
        .says(B, "micro_plan", 2, reusing(B, "slug: lower case"))
        .says(C, "micro_plan", 1, reusing(C, "slug: lower case"));
    let tasks = vec![task(A, &[]), task(B, &[A]), task(C, &[A])];
    Story {
        end: [A, B, C].map(|one| (one, TaskStatus::Shipped)).into(),
        ..asked(tasks, script, &[])
    }
}

pub(crate) fn stories() -> [(&'static str, Story); 10] {
    [
        ("released", released()),
        ("deprecated", deprecated()),
        ("deferred", deferred()),
        ("taken over", taken_over()),
        ("reused", reused()),
        ("specified", specified()),
        ("troubled", troubled()),
        ("resolved", resolved()),
        ("changed", changed()),
        ("abandoned", abandoned()),
    ]
}

/// Works and answers until the project is over.
pub(super) fn tell(
    project: &mut Project,
    people: &mut People,
    mut pick: impl FnMut(usize) -> usize,
) {
    for _ in 0..100 {
        project.run_picking(&mut pick);
        let Some(waiting) = project.machine.status().waiting_for else {
            return;
        };
        let aside = said_aside(&project.machine);
        let (option, with) = people.answer(&waiting.why, aside);
        if let Err(refusal) = project.decide(&option, with) {
            panic!("{option}: {refusal}\n{}", waiting.why);
        }
    }
    panic!("it never ends");
}

pub(crate) fn calm(story: &Story, jobs: u32) -> Project {
    let whats = story.begins.whats(&story.tasks, jobs);
    let mut project = Project::told(story.script.clone(), &whats);
    tell(&mut project, &mut story.people.clone(), |_| 0);
    project
}
