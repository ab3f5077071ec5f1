//! The exam of a module: written before anything is built, asked before the debate and before the ship,
//! bounded, and never missed in silence.

use super::done;
use crate::said;
use factory::engineering::context::BRIEFS;
use factory::engineering::debate::{At, Said};
use factory::engineering::exam::{Exams, USED_UP};
use factory::engineering::reuse::Offered;
use factory::engineering::ship::ShipStep;
use factory::engineering::work::{Answer, End, Fate, Step, Surroundings, Want, Work};
use factory::micro_plan::PlannedModule;
use factory::project::{ModuleRef, Version};
use kernel::outcome::EvidenceRef;
use kernel::{CheckResult, Time, Verdict};
use serde_json::{Value, json};

struct Now;

impl Surroundings for Now {
    fn upstream(&self, _: &Work, _: usize) -> Vec<ModuleRef> {
        Vec::new()
    }
    fn next_version(&self, _: &PlannedModule) -> Version {
        Version::FIRST
    }
    fn offered(&self, reference: &ModuleRef) -> Offered {
        match reference.to_string().as_str() {
            "MM-far@1.0.0" => Offered::Elsewhere,
            "MM-old@2.1.0" => Offered::Module(serde_json::from_value(said::contract()).unwrap()),
            _ => Offered::Nothing,
        }
    }
    fn briefs(&self) -> u32 {
        BRIEFS
    }
}

fn hear(work: &mut Work, answer: Answer) -> Vec<Step> {
    assert!(work.want().is_some(), "nobody was asked: {work:?}");
    work.answer = Some(answer);
    let mut steps = Vec::new();
    while let Some(step) = work.next(&Now, Time(0)) {
        work.take(&step);
        steps.push(step);
    }
    steps
}

fn examining(plan: Value) -> Work {
    let mut work = Work {
        exams: Some(Exams::Asked),
        ..Work::default()
    };
    let steps = hear(&mut work, done(plan));
    assert!(matches!(steps[0], Step::PlanLocked(_)), "{steps:?}");
    work
}

fn turn(work: &Work) -> Option<At> {
    work.active().map(|at| work.modules[at].debate.at)
}

fn gate(check: &str, verdict: Verdict) -> CheckResult {
    let mut result = CheckResult::new(check, verdict, "as scripted");
    result.details = "C1: a clause\n  a call -> an answer".to_owned();
    result.evidence.push(EvidenceRef {
        hash: format!("paper after {check}"),
        name: "exam of MM-a@1.0.0".to_owned(),
        size: 1,
        sealed: true,
    });
    result
}

fn used_up() -> Answer {
    let mut result = gate("exam_open", Verdict::Fail);
    result.code = Some(USED_UP.to_owned());
    Answer::Gate(vec![result])
}

fn said_by(check: &str, verdict: Verdict) -> Answer {
    Answer::Gate(vec![gate(check, verdict)])
}

fn pass() -> Answer {
    said_by("scripted", Verdict::Pass)
}

fn sealed() -> Answer {
    done(json!({"summary": "the exam is handed in, under seal", "sealed": "h"}))
}

/// With an exam that is sealed, and a proposal that was tried.
fn proposed() -> Work {
    let mut work = examining(said::plan(&[("MM-a", &[])]));
    for answer in [
        sealed(),
        said_by("exam_written", Verdict::Pass),
        done(said::proposal()),
        pass(),
    ] {
        hear(&mut work, answer);
    }
    assert_eq!(turn(&work), Some(At::Sit));
    work
}

#[test]
fn an_exam_is_written_before_anything_is_built_and_asked_twice() {
    let mut work = examining(said::plan(&[("MM-a", &[])]));
    assert_eq!(turn(&work), Some(At::Examine));
    hear(&mut work, sealed());
    assert_eq!(work.want(), Some(Want::Seal(0)));
    hear(&mut work, said_by("exam_written", Verdict::Pass));
    let exam = work.modules[0].debate.exam.clone().unwrap();
    assert_eq!(exam.paper.as_deref(), Some("paper after exam_written"));
    for answer in [done(said::proposal()), pass()] {
        hear(&mut work, answer);
    }
    assert_eq!(work.want(), Some(Want::Sit(0)));
    hear(&mut work, said_by("exam_open", Verdict::Pass));
    assert_eq!(turn(&work), Some(At::Challenge));
    // Clause by clause, to whoever judges.
    let saw = work.modules[0].debate.saw.join("\n");
    assert!(saw.contains("as scripted\nC1: a clause"), "{saw}");
    for answer in [said::pass(), said::approve()] {
        hear(&mut work, done(answer));
    }
    let mut steps = Vec::new();
    while let Some(At::Ship(step)) = turn(&work) {
        steps.push(step);
        hear(&mut work, said_by(step.row().check, Verdict::Pass));
    }
    assert_eq!(steps[steps.len() - 2..], [ShipStep::Exam, ShipStep::Record]);
    assert!(matches!(work.end, Some(End::Shipped(_))));
    let said = &work.modules[0].debate.exam.as_ref().unwrap().said;
    assert_eq!(said, "as scripted");
}

#[test]
fn what_does_not_hold_costs_a_revision_and_the_builder_hears_what_was_told() {
    let mut work = proposed();
    for round in 0..3 {
        hear(&mut work, said_by("exam_open", Verdict::Fail));
        let failure = &work.modules[0].debate.failures[0];
        assert_eq!(failure.invariant, "exam_open");
        assert!(
            failure.evidence.contains("a call -> an answer"),
            "{failure:?}"
        );
        if round < 2 {
            assert_eq!(turn(&work), Some(At::Revise));
            hear(&mut work, done(said::proposal()));
            hear(&mut work, pass());
        }
    }
    assert_eq!(work.modules[0].fate, Fate::Failed("exam_open".to_owned()));
}

#[test]
fn an_exam_that_cannot_fail_goes_back_twice_and_then_there_is_none() {
    let mut work = examining(said::plan(&[("MM-a", &[])]));
    for round in 0..3 {
        assert_eq!(turn(&work), Some(At::Examine), "{round}");
        hear(&mut work, sealed());
        hear(&mut work, said_by("exam_written", Verdict::Fail));
        let told = work.patience.complaint.join("\n");
        assert_eq!(told.contains("as scripted"), round < 2, "{told}");
    }
    assert_eq!(turn(&work), Some(At::Propose));
    let exam = work.modules[0].debate.exam.clone().unwrap();
    assert!(exam.unasked.unwrap().contains("no exam that could fail"));
}

#[test]
fn new_cases_are_written_once_and_never_for_ever() {
    for second in [
        sealed(),
        done(json!({"summary": "there is no more to ask"})),
    ] {
        let mut work = proposed();
        hear(&mut work, used_up());
        assert_eq!(turn(&work), Some(At::Examine));
        hear(&mut work, second);
        if turn(&work) == Some(At::Seal) {
            hear(&mut work, said_by("exam_written", Verdict::Pass));
        }
        assert_eq!(turn(&work), Some(At::Sit));
        hear(&mut work, used_up());
        assert_eq!(work.modules[0].fate, Fate::Failed(USED_UP.to_owned()));
    }
}

#[test]
fn a_person_takes_what_cases_speak_against_and_it_says_who() {
    let mut work = proposed();
    for _ in 0..2 {
        hear(&mut work, said_by("exam_open", Verdict::Fail));
        hear(&mut work, done(said::proposal()));
        hear(&mut work, pass());
    }
    hear(&mut work, said_by("exam_open", Verdict::Fail));
    assert!(matches!(work.end, Some(End::Halted { .. })));
    work.override_by("ann", "the case asks for something else");
    while let Some(step) = work.next(&Now, Time(0)) {
        work.take(&step);
    }
    assert_eq!(turn(&work), Some(At::Ship(ShipStep::Fingerprint)));
    let exam = work.modules[0].debate.exam.as_ref().unwrap();
    assert_eq!(exam.order(None)["waived"], "ann");
}

#[test]
fn what_a_plan_reuses_passes_this_tasks_exam_or_is_not_reused() {
    let plan = || {
        let mut plan = said::plan(&[("MM-old", &[])]);
        let module = &mut plan["modules"][0];
        module["reuse_decision"] = json!("REUSE");
        module["reuse_candidate_refs"] = json!(["MM-old@2.1.0"]);
        plan
    };
    let mut work = examining(plan());
    assert_eq!(turn(&work), Some(At::Examine));
    hear(&mut work, sealed());
    hear(&mut work, said_by("exam_written", Verdict::Pass));
    assert_eq!(work.want(), Some(Want::Sit(0)));
    let mut other = work.clone();
    let steps = hear(&mut work, said_by("exam_open", Verdict::Pass));
    assert!(matches!(steps[0], Step::Reused(..)), "{steps:?}");
    assert!(matches!(work.end, Some(End::Shipped(_))));
    let steps = hear(&mut other, said_by("exam_open", Verdict::Fail));
    let Step::PlanRefused(faults) = &steps[0] else {
        panic!("{steps:?}");
    };
    assert!(
        faults[0].message.contains("a call -> an answer"),
        "{faults:?}"
    );
    assert_eq!(other.want(), Some(Want::Plan));
}

#[test]
fn what_another_project_made_is_examined_before_it_is_shipped_here() {
    let mut plan = said::plan(&[("MM-far", &[])]);
    let module = &mut plan["modules"][0];
    module["reuse_decision"] = json!("REUSE");
    module["reuse_candidate_refs"] = json!(["MM-far@1.0.0"]);
    let mut work = examining(plan);
    assert_eq!(work.want(), Some(Want::Seek(0)));
    let found = json!({"contract": said::contract(), "depends_on": [], "from": "elsewhere"});
    let held = CheckResult::new("module_elsewhere", Verdict::Pass, found.to_string());
    hear(&mut work, Answer::Gate(vec![held]));
    assert_eq!(turn(&work), Some(At::Examine));
    hear(&mut work, sealed());
    hear(&mut work, said_by("exam_written", Verdict::Pass));
    while let Some(At::Ship(step)) = turn(&work) {
        let verdict = match step {
            ShipStep::Exam => Verdict::Fail,
            _ => Verdict::Pass,
        };
        hear(&mut work, said_by(step.row().check, verdict));
    }
    assert_eq!(work.want(), Some(Want::Plan));
    let told = work.patience.complaint.join("\n");
    assert!(told.contains("reuse_not_brought"), "{told}");
}

#[test]
fn a_project_of_before_has_no_exams() {
    let mut work = Work::default();
    hear(&mut work, done(said::plan(&[("MM-a", &[])])));
    assert_eq!(turn(&work), Some(At::Propose));
    let steps = hear(&mut work, done(said::proposal()));
    let Step::Debated(_, moved) = &steps[0] else {
        panic!("{steps:?}");
    };
    assert_eq!(moved.said, Said::Proposed);
    hear(&mut work, pass());
    assert_eq!(turn(&work), Some(At::Challenge));
}
