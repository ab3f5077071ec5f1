//! Since the form 7: `none` is read as people write it, a rejection is heard by all, nothing is judged
//! twice unchanged, and briefs say what had to be guessed.

use super::context::{plain, scene_after};
use super::{done, planned, turn};
use crate::said;
use factory::engineering::asked::{Asked, asked};
use factory::engineering::context::brief;
use factory::engineering::debate::{At, Said};
use factory::engineering::kind::{HOLDS, TELLS};
use factory::engineering::reuse::Offered;
use factory::engineering::roles::{Occasion, Role};
use factory::engineering::work::{Answer, Step, Surroundings, Work};
use factory::micro_plan::PlannedModule;
use factory::project::{ModuleRef, TaskId, Version};
use factory::spec::IoContractSketch;
use kernel::{CheckResult, Class, EffectId, Outcome, Time, Verdict};
use serde_json::{Value, json};

/// A task with these errors in its sketch, in a project of this form.
struct Task(&'static str, u32);

impl Surroundings for Task {
    fn upstream(&self, _: &Work, _: usize) -> Vec<ModuleRef> {
        Vec::new()
    }
    fn next_version(&self, _: &PlannedModule) -> Version {
        Version::FIRST
    }
    fn offered(&self, _: &ModuleRef) -> Offered {
        Offered::Nothing
    }
    fn briefs(&self) -> u32 {
        self.1
    }
    fn asked(&self) -> Vec<Asked> {
        let sketch = IoContractSketch {
            inputs: "none, it takes what there is".to_owned(),
            outputs: "None: it prints".to_owned(),
            error_surfaces: self.0.to_owned(),
            effects: "none".to_owned(),
            modes: "sync".to_owned(),
        };
        asked(&[], Some(&sketch), self.1)
    }
}

fn plan(errors: &str) -> Value {
    let mut plan = said::plan(&[("MM-write", &[])]);
    plan["modules"][0]["io_contract"]["error_surfaces"] = json!([errors]);
    plan
}

fn judged(task: &Task, plan: Value) -> Step {
    let work = Work {
        answer: Some(done(plan)),
        ..Work::default()
    };
    work.next(task, Time(0)).unwrap()
}

#[test]
fn s10_1_a_sketch_that_says_none_asks_for_no_error_and_a_real_one_for_a_clause() {
    let none = "none, every number of seconds can be written";
    let Step::PlanLocked(locked) = judged(&Task(none, TELLS), plan("none, it cannot fail")) else {
        panic!("an error was invented");
    };
    let contract = locked.modules[0].io_contract.as_ref().unwrap();
    assert_eq!(contract.error_surfaces, ["none: it cannot fail"]);
    // The honest twin: one that is named is asked for.
    let Step::PlanRefused(faults) = judged(&Task("TooLarge: beyond a year", TELLS), plan("none"))
    else {
        panic!("an error was dropped");
    };
    assert!(faults[0].line().contains("task_unanswered"), "{faults:?}");
    // And a clause that is not there is told with those that are.
    let mut guessed = plan("TooLarge: beyond a year");
    guessed["modules"][0]["answers"] = json!([{"asked": "error-1", "clause": "error__too_large"}]);
    let Step::PlanRefused(faults) = judged(&Task("TooLarge: beyond a year", TELLS), guessed) else {
        panic!("no such clause");
    };
    assert!(
        faults[0].message.contains("`error__toolarge`"),
        "{faults:?}"
    );
    // A project goes on as it began.
    let before = judged(&Task(none, HOLDS), plan("none, it cannot fail"));
    assert!(matches!(before, Step::PlanRefused(_)), "{before:?}");
}

#[test]
fn s11_1_a_module_without_input_or_output_is_refused_when_it_is_planned() {
    for dimension in ["inputs", "outputs"] {
        let mut plan = plan("none");
        plan["modules"][0]["io_contract"][dimension] = json!(["none, it needs nothing"]);
        let Step::PlanRefused(faults) = judged(&Task("none", TELLS), plan) else {
            panic!("{dimension}");
        };
        assert_eq!(
            faults[0].path,
            format!("modules[0].io_contract.{dimension}")
        );
    }
}

/// A proposal that changed these files.
fn proposed(changed: &[&str]) -> Answer {
    let mut outcome = Outcome::bare(Class::Done, "done");
    outcome.result = Some(said::proposal());
    outcome.changed = changed.iter().map(|one| (*one).to_owned()).collect();
    Answer::Attempt(EffectId(1), Box::new(outcome))
}

fn hear(work: &mut Work, around: &Task, answer: Answer) -> Vec<Step> {
    work.answer = Some(answer);
    let mut steps = Vec::new();
    while let Some(step) = work.next(around, Time(0)) {
        work.take(&step);
        steps.push(step);
    }
    steps
}

fn tried() -> Answer {
    Answer::Gate(vec![CheckResult::new(
        "scripted",
        Verdict::Pass,
        "as scripted",
    )])
}

/// Up to the Proposer's turn after a rejection.
fn rejected(around: &Task) -> Work {
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, around, proposed(&["implementation/lib.rs"]));
    hear(&mut work, around, tried());
    hear(&mut work, around, done(said::pass()));
    hear(&mut work, around, done(said::reject()));
    assert_eq!(turn(&work), Some(At::Revise));
    work
}

#[test]
fn s9_3_what_was_rejected_is_not_judged_again_unchanged() {
    let around = Task("none", TELLS);
    let mut work = rejected(&around);
    let failure = work.modules[0].debate.failures.last().unwrap().clone();
    assert_eq!(failure.invariant, "arbiter_rejected");
    assert_eq!(
        failure.required_change,
        said::reject()["rationale"].as_str().unwrap()
    );
    let steps = hear(&mut work, &around, proposed(&[]));
    let told = |steps: &[Step]| match &steps[0] {
        Step::Debated(_, said) => said.said.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        matches!(told(&steps), Said::Complained(why) if why[0].contains("no file")),
        "{steps:?}"
    );
    assert_eq!(turn(&work), Some(At::Revise));
    // What an attempt changed counts, also if its answer had to be asked for again.
    let mut invalid = proposed(&["tests/a.rs"]);
    if let Answer::Attempt(_, outcome) = &mut invalid {
        outcome.result = Some(json!({"claim": "it holds"}));
    }
    hear(&mut work, &around, invalid);
    hear(&mut work, &around, proposed(&[]));
    assert_eq!(turn(&work), Some(At::Try));
    // An ordinary revision goes on, and a project that began before goes on as it began.
    let mut honest = rejected(&around);
    hear(&mut honest, &around, proposed(&["implementation/lib.rs"]));
    assert_eq!(turn(&honest), Some(At::Try));
    let older = Task("none", HOLDS);
    let mut before = rejected(&older);
    hear(&mut before, &older, proposed(&[]));
    assert_eq!(turn(&before), Some(At::Try));
    // Who never changes anything comes to an end.
    let mut stubborn = rejected(&around);
    for _ in 0..3 {
        assert_eq!(turn(&stubborn), Some(At::Revise));
        hear(&mut stubborn, &around, proposed(&[]));
    }
    assert_eq!(turn(&stubborn), None);
}

fn told(work: &Work, role: Role, occasion: Occasion, briefs: u32) -> String {
    let task = TaskId::from("T-a-001");
    let scene = plain(&task, work, briefs);
    brief(&scene, role, occasion)
}

#[test]
fn s9_7_a_challenger_hears_what_was_ruled_and_why_and_no_amendments() {
    let mut ruling = said::reject();
    ruling["rationale"] = json!("leap years are wrong");
    let work = scene_after(&[said::proposal(), said::pass(), ruling, said::proposal()]);
    let text = told(&work, Role::Challenger, Occasion::Challenge, TELLS);
    assert!(
        text.contains("leap years are wrong") && text.contains("\"decision\":\"REJECT\""),
        "{text}"
    );
    assert!(!text.contains("ship_directive"), "{text}");
    let before = told(&work, Role::Challenger, Occasion::Challenge, HOLDS);
    assert!(!before.contains("leap years are wrong"), "{before}");
}

#[test]
fn briefs_say_what_had_to_be_guessed() {
    let work = scene_after(&[]);
    let all = [
        (Role::Proposer, Occasion::Propose, "with `unittest`"),
        (Role::Proposer, Occasion::Propose, "what `__all__` names"),
        (Role::Proposer, Occasion::Propose, "(`implementation/`)"),
        (Role::Proposer, Occasion::Propose, "`lib.rs`, edition 2021"),
        (Role::Proposer, Occasion::Propose, "may carry fields"),
        (Role::Proposer, Occasion::Amend, "(from 0)"),
        (Role::MicroPlanner, Occasion::Propose, "`error__toolarge`"),
        (Role::MicroPlanner, Occasion::Propose, "`; exception`"),
        (Role::MicroPlanner, Occasion::Propose, "are @1.0.0"),
        (
            Role::Challenger,
            Occasion::Challenge,
            "R1 to R6, `assessment`",
        ),
        // Nothing is asked for that is not shown.
        (Role::Challenger, Occasion::Challenge, "the engine sees to"),
        (
            Role::Challenger,
            Occasion::Challenge,
            "to the name of a test",
        ),
    ];
    for (role, occasion, words) in all {
        let text = told(&work, role, occasion, TELLS);
        assert!(text.contains(words), "no {words} in {text}");
        let before = told(&work, role, occasion, HOLDS);
        assert!(!before.contains(words), "{words} in {before}");
        // No list of documents that nobody can open.
        assert!(!text.contains("ShipEvidence"), "{text}");
        assert!(!text.contains("their fingerprints match"), "{text}");
    }
}

#[test]
fn an_arbiter_is_told_what_the_engine_saw() {
    let mut work = scene_after(&[said::proposal(), said::pass()]);
    work.modules[0].debate.saw = vec!["7 tests passed: happy_path".to_owned()];
    let text = told(&work, Role::Arbiter, Occasion::Adjudicate, TELLS);
    assert!(text.contains("7 tests passed: happy_path"), "{text}");
    let before = told(&work, Role::Arbiter, Occasion::Adjudicate, HOLDS);
    assert!(!before.contains("7 tests passed"), "{before}");
}

#[test]
fn what_the_engine_finds_comes_with_what_mends_it() {
    let found = |check: &str, reason: &str, briefs: u32| {
        let around = Task("none", briefs);
        let mut work = planned(&[("MM-a", &[])]);
        hear(
            &mut work,
            &around,
            proposed(&["implementation/__init__.py"]),
        );
        let result = CheckResult::new(check, Verdict::Fail, reason);
        hear(&mut work, &around, Answer::Gate(vec![result]));
        assert_eq!(turn(&work), Some(At::Revise));
        work.modules[0].debate.failures[0].required_change.clone()
    };
    let public = "implementation/__init__.py:5: `show` of `mm_show` is made public";
    assert!(found("public_surface", public, TELLS).contains("`__all__`"));
    let missing = "could not be collected: No module named 'pytest'";
    assert!(found("black_box_tests", missing, TELLS).contains("`unittest`"));
    assert!(!found("black_box_tests", "one test fails", TELLS).contains("unittest"));
    assert_eq!(found("public_surface", public, HOLDS), "");
}
