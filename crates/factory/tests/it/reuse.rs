//! What a plan may reuse (rule F14.3): only what is shipped, fits its need, and has a version that
//! the rest of the plan can stand on.

use crate::engineering::{done, hear};
use crate::project::task;
use crate::said;
use crate::world::{Project, Script};
use factory::engineering::work::{Step, Work};
use factory::micro_plan::{Misplan, PlanFault};
use factory::project::TaskStatus;
use serde_json::{Value, json};

#[test]
fn s14_3_a_module_that_does_something_else_is_not_reused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut plan = said::plan(&[("MM-old", &[]), ("MM-b", &["MM-old@2.0.0"])]);
        plan["modules"][0]["reuse_decision"] = json!("REUSE");
        plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-old@2.1.0"]);
        change(&mut plan["modules"]);
        let mut work = Work::default();
        let steps = hear(&mut work, done(plan));
        let Some(Step::PlanRefused(faults)) = steps.first() else {
            return Vec::new();
        };
        // The planner hears all of it.
        assert_eq!(
            work.patience.complaint,
            faults.iter().map(PlanFault::line).collect::<Vec<_>>()
        );
        let all = faults.iter();
        all.map(|one| (one.code.map_or("", Misplan::as_str), one.path.clone()))
            .collect::<Vec<_>>()
    };
    let found = |change: &dyn Fn(&mut Value), code: &str, path: &str| {
        assert_eq!(refused(change), [(code, path.to_owned())]);
    };
    assert_eq!(refused(&|_| {}), [], "it fits");
    let differs = "reuse_contract_differs";
    for (dimension, line) in [
        ("inputs", "text: Vec<u8>"),
        ("outputs", "count: u64"),
        ("error_surfaces", "Blank: all blanks"),
        ("effects", "WRITE log: a line"),
        ("modes", "async"),
    ] {
        let path = format!("modules[0].io_contract.{dimension}");
        let change = |modules: &mut Value| {
            modules[0]["io_contract"][dimension] = json!([line]);
        };
        found(&change, differs, &path);
    }
    found(
        &|modules| modules[0]["reuse_candidate_refs"] = json!(["MM-bare@1.0.0"]),
        "reuse_contract_unknown",
        "modules[0].reuse_candidate_refs[0]",
    );
    found(
        &|modules| modules[0]["reuse_candidate_refs"] = json!(["MM-none@1.0.0"]),
        "reuse_not_shipped",
        "modules[0].reuse_candidate_refs[0]",
    );
    for older in ["MM-old@1.0.0", "MM-old@2.2.0", "MM-old@3.0.0"] {
        found(
            &|modules| modules[1]["depends_on"] = json!([older]),
            "reuse_version_differs",
            "modules[1].depends_on[0]",
        );
    }
}

#[test]
fn s14_3_a_refused_need_is_not_bent_until_the_candidate_fits() {
    let plan = |id: &str, output: &str| {
        let mut plan = said::plan(&[(id, &[])]);
        plan["modules"][0]["reuse_decision"] = json!("REUSE");
        plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-old@2.1.0"]);
        plan["modules"][0]["io_contract"]["outputs"] = json!([output]);
        plan
    };
    let fits = said::contract()["outputs"][0].as_str().unwrap().to_owned();
    let codes = |work: &mut Work, plan: Value| -> Vec<&str> {
        match hear(work, done(plan)).first() {
            Some(Step::PlanRefused(faults)) => faults
                .iter()
                .map(|one| one.code.map_or("", Misplan::as_str))
                .collect(),
            other => panic!("{other:?}"),
        }
    };
    let refused = || {
        let mut work = Work::default();
        let first = codes(&mut work, plan("MM-b", "count: u64"));
        assert_eq!(first, ["reuse_contract_differs"]);
        work
    };
    // The same module, or the same candidate under another name.
    for id in ["MM-b", "MM-c"] {
        let mut work = refused();
        assert_eq!(codes(&mut work, plan(id, &fits)), ["reuse_need_changed"]);
        assert!(work.plan.is_none());
    }
    // A plan between them that is wrong for another reason makes nobody forget.
    let mut work = refused();
    codes(&mut work, json!({"modules": []}));
    assert_eq!(
        codes(&mut work, plan("MM-b", &fits)),
        ["reuse_need_changed"]
    );
    // The decision may change.
    let mut work = refused();
    let mut made = plan("MM-b", "count: u64");
    made["modules"][0]["reuse_decision"] = json!("CREATE_NEW");
    made["modules"][0]["reuse_justification"] = json!("MM-old gives no count");
    let steps = hear(&mut work, done(made));
    assert!(
        matches!(steps.first(), Some(Step::PlanLocked(_))),
        "{steps:?}"
    );
    // And whoever was refused nothing is not held to anything.
    let steps = hear(&mut Work::default(), done(plan("MM-b", &fits)));
    assert!(
        matches!(steps.first(), Some(Step::PlanLocked(_))),
        "{steps:?}"
    );
}

#[test]
fn what_is_shipped_or_in_the_making_is_not_made_again_under_its_name() {
    let second = |plan: Value, after: &[&str], jobs: u32| {
        let tasks = [task("T-a-001", &[]), task("T-a-002", after)];
        let script = Script::default().says("T-a-002", "micro_plan", 0, plan);
        let mut project = Project::new(&tasks, jobs, script);
        // The first one's plan comes first, and so does its ship where nothing else may begin.
        project.run();
        assert_eq!(project.status("T-a-001"), TaskStatus::Shipped);
        (project.status("T-a-002"), format!("{:?}", project.journal))
    };
    for (id, code) in [
        ("MM-a-001", "module_id_taken"),
        ("MM-A-001", "module_id_alike"),
        ("MM-a-00l", "module_id_alike"),
        ("MM-a_001", "module_id_alike"),
    ] {
        let plan = said::plan(&[(id, &[])]);
        for (after, jobs) in [(&["T-a-001"][..], 1), (&[][..], 2)] {
            let (status, journal) = second(plan.clone(), after, jobs);
            assert_eq!(status, TaskStatus::Halted, "{id} {jobs}");
            assert!(journal.contains(code), "{id}: {journal}");
        }
    }
    let honest = said::plan(&[("MM-a-002", &["MM-a-001@1.0.0"])]);
    let (status, _) = second(honest, &["T-a-001"], 1);
    assert_eq!(status, TaskStatus::Shipped);
}
