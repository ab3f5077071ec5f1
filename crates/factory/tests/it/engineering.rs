//! Rules F3.4, F9, F10, F11 and F13: the loop of one task, told answer by answer. Here is what all its
//! tests share; each idea has a file.

pub(crate) mod context;
mod debate;
mod ends;
mod examined;
mod held;
mod planning;
mod smuggled;
mod telling;

use crate::said;
use factory::engineering::debate::{At, Move};
use factory::engineering::reuse::Offered;
use factory::engineering::work::{Answer, Step, Surroundings, Work};
use factory::micro_plan as plan;
use factory::project::{ModuleRef, Version};
use kernel::{CheckResult, Class, EffectId, Outcome, Time, Verdict};
use serde_json::Value;

struct Nothing;

impl Surroundings for Nothing {
    fn upstream(&self, _: &Work, _: usize) -> Vec<ModuleRef> {
        vec![ModuleRef::parse("MM-up@1.0.0").unwrap()]
    }
    fn next_version(&self, _: &plan::PlannedModule) -> Version {
        Version::FIRST
    }
    fn offered(&self, reference: &ModuleRef) -> Offered {
        match reference.to_string().as_str() {
            "MM-old@2.1.0" => Offered::Module(serde_json::from_value(said::contract()).unwrap()),
            "MM-bare@1.0.0" => Offered::Unlocked,
            _ => Offered::Nothing,
        }
    }
}

/// The task of the product's entry.
struct Front;

impl Surroundings for Front {
    fn upstream(&self, work: &Work, module: usize) -> Vec<ModuleRef> {
        Nothing.upstream(work, module)
    }
    fn next_version(&self, module: &plan::PlannedModule) -> Version {
        Nothing.next_version(module)
    }
    fn offered(&self, reference: &ModuleRef) -> Offered {
        Nothing.offered(reference)
    }
    fn kind(&self) -> factory::engineering::kind::Kind {
        factory::engineering::kind::Kind::Assembly
    }
}

#[test]
fn s10_4_the_plan_of_an_assembly_is_one_module() {
    let planned = |modules: &[(&str, &[&str])]| {
        let work = Work {
            answer: Some(done(said::plan(modules))),
            ..Work::default()
        };
        work.next(&Front, Time(0))
    };
    let two = planned(&[("MM-a", &[]), ("MM-b", &["MM-a@1.0.0"])]);
    let Some(Step::PlanRefused(faults)) = two else {
        panic!("{two:?}");
    };
    assert!(faults[0].message.contains("one module, and there are 2"));
    let one = planned(&[("MM-a", &["MM-up@1.0.0"])]);
    assert!(matches!(one, Some(Step::PlanLocked(_))), "{one:?}");
}

pub(crate) fn done(result: Value) -> Answer {
    let mut outcome = Outcome::bare(Class::Done, "done");
    outcome.result = Some(result);
    Answer::Attempt(EffectId(1), Box::new(outcome))
}

fn checked(verdict: Verdict) -> Answer {
    Answer::Gate(vec![CheckResult::new("scripted", verdict, "as scripted")])
}

/// Takes every step that follows from the state alone.
fn settle(work: &mut Work) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(step) = work.next(&Nothing, Time(0)) {
        work.take(&step);
        steps.push(step);
    }
    steps
}

pub(crate) fn hear(work: &mut Work, answer: Answer) -> Vec<Step> {
    assert!(work.want().is_some(), "nobody was asked");
    work.answer = Some(answer);
    settle(work)
}

/// A loop whose plan is locked.
fn planned(modules: &[(&str, &[&str])]) -> Work {
    let mut work = Work::default();
    hear(&mut work, done(said::plan(modules)));
    work
}

/// Lets the active module ship without trouble.
fn ship(work: &mut Work) {
    for answer in [said::proposal(), said::pass(), said::approve()] {
        hear(work, done(answer));
    }
    while let Some(At::Ship(_)) = turn(work) {
        hear(work, checked(Verdict::Pass));
    }
}

fn turn(work: &Work) -> Option<At> {
    work.active().map(|at| work.modules[at].debate.at)
}

fn last_move(steps: &[Step]) -> Option<&Move> {
    steps.iter().find_map(|step| match step {
        Step::Debated(_, said) => Some(said),
        _ => None,
    })
}
