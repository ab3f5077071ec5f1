//! Rules F10, F3.4 and F14.3: the plan of a task is refused with reasons, locked, and gone through in order.

use super::debate::fail_to_the_end;
use super::{done, hear, planned, ship};
use crate::said;
use factory::engineering::work::{End, Fate, Step, Want, Work};
use factory::micro_plan::judge;
use factory::project::ModuleRef;
use serde_json::{Value, json};

#[test]
fn s10_1_a_plan_with_a_fault_is_refused_with_its_path() {
    let break_it = |change: &dyn Fn(&mut Value)| {
        let mut plan = said::plan(&[("MM-a", &[]), ("MM-b", &["MM-a@1.0.0"])]);
        change(&mut plan);
        let faults = judge(&plan).err().unwrap_or_default();
        faults
            .into_iter()
            .map(|fault| fault.path)
            .collect::<Vec<_>>()
    };
    assert!(break_it(&|_| {}).is_empty());
    type Break<'a> = (&'a str, &'a dyn Fn(&mut Value));
    let cases: [Break<'_>; 9] = [
        ("modules", &|plan| *plan = json!({})),
        ("modules", &|plan| plan["modules"] = json!([])),
        ("modules[0].name", &|plan| {
            plan["modules"][0]["name"] = json!(7)
        }),
        ("modules[0].module_id", &|plan| {
            plan["modules"][0]["module_id"] = json!("a")
        }),
        ("modules[1].module_id", &|plan| {
            plan["modules"][1]["module_id"] = json!("MM-a")
        }),
        ("modules[0].io_contract.effects", &|plan| {
            plan["modules"][0]["io_contract"]["effects"] = json!([])
        }),
        ("modules[1].io_contract.modes[0]", &|plan| {
            plan["modules"][1]["io_contract"]["modes"] = json!(["TBD"])
        }),
        ("modules[0].reuse_justification", &|plan| {
            plan["modules"][0]["reuse_justification"] = json!("")
        }),
        ("modules[0].depends_on", &|plan| {
            plan["modules"][0]["depends_on"] = json!(["MM-b@1.0.0"])
        }),
    ];
    for (path, change) in cases {
        assert!(break_it(change).contains(&path.to_owned()), "{path}");
    }
    let bad_ref = break_it(&|plan| plan["modules"][1]["depends_on"] = json!(["MM-a"]));
    assert_eq!(bad_ref, ["modules[1].depends_on[0]"]);
}

#[test]
fn s10_1_a_plan_is_asked_for_three_times_and_then_the_task_halts() {
    let mut work = Work::default();
    for _ in 0..3 {
        assert_eq!(work.want(), Some(Want::Plan));
        hear(&mut work, done(json!({"modules": []})));
    }
    assert_eq!(work.want(), None);
    let end = End::Halted {
        code: "plan_invalid".to_owned(),
        module: None,
    };
    assert_eq!(work.end, Some(end));
}

#[test]
fn s10_2_modules_go_in_topological_order_by_declaration() {
    let mut work = planned(&[("MM-c", &["MM-b@1.0.0"]), ("MM-a", &[]), ("MM-b", &[])]);
    let mut order = Vec::new();
    while let Some(at) = work.active() {
        order.push(at);
        ship(&mut work);
    }
    assert_eq!(order, [1, 2, 0]);
    let Some(End::Shipped(modules)) = &work.end else {
        panic!("{:?}", work.end);
    };
    let names: Vec<&str> = modules.iter().map(|one| one.module.as_str()).collect();
    assert_eq!(names, ["MM-a", "MM-b", "MM-c"]);
}

#[test]
fn s10_3_the_locked_plan_never_changes() {
    let mut work = planned(&[("MM-a", &[])]);
    let locked = work.plan.clone();
    ship(&mut work);
    assert_eq!(work.plan, locked);
}

#[test]
fn s3_4_what_depends_on_a_failed_module_is_abandoned_and_the_rest_is_tried() {
    let mut work = planned(&[("MM-a", &[]), ("MM-b", &["MM-a@1.0.0"]), ("MM-c", &[])]);
    fail_to_the_end(&mut work);
    assert_eq!(work.abandoned(), [1]);
    assert_eq!(work.active(), Some(2));
    ship(&mut work);
    assert!(matches!(&work.modules[2].fate, Fate::Shipped(_)));
    let end = work.end.clone();
    let Some(End::Halted { code, module }) = end else {
        panic!("{end:?}");
    };
    assert_eq!(code, "debate_rejected");
    assert_eq!(module.unwrap().as_str(), "MM-a");
}

#[test]
fn s10_3_a_challenge_that_doubts_the_plan_halts_the_whole_task() {
    let mut work = planned(&[("MM-a", &[]), ("MM-b", &[])]);
    for _ in 0..3 {
        hear(&mut work, done(said::proposal()));
        hear(&mut work, done(said::fail(&["R6"])));
    }
    hear(&mut work, done(said::reject()));
    let Some(End::Halted { code, .. }) = &work.end else {
        panic!("{:?}", work.end);
    };
    assert_eq!(code, "decomposition_wrong");
    assert_eq!(work.modules[1].fate, Fate::Waiting);
}

#[test]
fn s14_3_a_reused_module_is_not_made_again() {
    let mut plan = said::plan(&[("MM-a", &[])]);
    plan["modules"][0]["reuse_decision"] = json!("REUSE");
    assert!(judge(&plan).is_err());
    plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-old@2.1.0"]);
    let mut work = Work::default();
    hear(&mut work, done(plan.clone()));
    let old = ModuleRef::parse("MM-old@2.1.0").unwrap();
    assert_eq!(work.end, Some(End::Shipped(vec![old])));
    // A module that nobody has shipped does nobody's work.
    plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-invented@1.0.0"]);
    let mut work = Work::default();
    let steps = hear(&mut work, done(plan));
    assert!(
        matches!(&steps[..], [Step::PlanRefused(faults)] if faults[0].message.contains("not shipped"))
    );
    assert_eq!(work.end, None);
}
