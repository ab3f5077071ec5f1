//! Rules F3.4, F10, F11 and F14: micro plans, ship evidence, the Code Index's documents.

use crate::documents::typed;
use crate::documents::{broken, judged, micro_plan, sample};
use factory::micro_plan as plan;
use factory::ship::ExecutionLog;
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn s10_1_micro_plans() {
    let name = "MicroPlan";
    assert_eq!(
        broken(name, |p| p["modules"] = json!([])),
        ["too_few $.modules"]
    );
    assert_eq!(
        broken(name, |p| p["micro_plan_id"] = json!("P-1")),
        ["bad_id $.micro_plan_id"]
    );
    assert_eq!(
        broken(name, |p| p["parent_task_ref"] = json!("T-x")),
        ["bad_reference $.parent_task_ref"]
    );
    for dimension in ["inputs", "outputs", "error_surfaces", "effects", "modes"] {
        let path = format!("$.modules[0].io_contract.{dimension}");
        let found = broken(name, |p| {
            p["modules"][0]["io_contract"][dimension] = json!([])
        });
        assert_eq!(found, [format!("empty_dimension {path}")]);
        let found = broken(name, |p| {
            p["modules"][0]["io_contract"][dimension] = json!(["TBD"])
        });
        assert!(
            found.contains(&format!("placeholder {path}[0]")),
            "{found:?}"
        );
    }
    assert_eq!(
        broken(name, |p| p["modules"][0]["io_contract"]["modes"] =
            json!(["both"])),
        ["bad_mode $.modules[0].io_contract.modes[0]"]
    );
    assert_eq!(
        broken(name, |p| p["modules"][1]["depends_on"] = json!(["MM-1"])),
        ["bad_reference $.modules[1].depends_on[0]"]
    );
    assert_eq!(
        broken(name, |p| p["modules"][1]["module_id"] = json!("MM-1"))
            .iter()
            .filter(|f| f.starts_with("duplicate_id"))
            .count(),
        1
    );
    assert_eq!(
        broken(name, |p| p["modules"][0]["reuse_decision"] = json!("REUSE")),
        ["too_few $.modules[0].reuse_candidate_refs"]
    );
    assert_eq!(
        broken(name, |p| p["modules"][0]["reuse_justification"] = json!("")),
        ["empty_field $.modules[0].reuse_justification"]
    );
    let circle = micro_plan(&[("MM-1", &["MM-2@1.0.0"]), ("MM-2", &["MM-1@1.0.0"])]);
    assert_eq!(judged(name, &circle), ["cycle $.modules[0].depends_on"]);
    let faults = plan::judge(&circle).unwrap_err();
    assert!(faults[0].message.contains("in a cycle"), "{faults:?}");
}

#[test]
fn s10_2_dependencies_first_else_as_declared() {
    let plan = plan::judge(&micro_plan(&[
        ("MM-1", &["MM-4@1.0.0"]),
        ("MM-2", &["MM-77@3.0.0"]),
        ("MM-3", &["MM-2@1.0.0", "MM-1@1.0.0"]),
        ("MM-4", &[]),
    ]));
    assert_eq!(plan.unwrap().order(), [1, 3, 0, 2]);
}

#[test]
fn s3_4_dependents_of_a_failed_module_are_abandoned() {
    let plan = plan::judge(&micro_plan(&[
        ("MM-1", &[]),
        ("MM-2", &["MM-1@1.0.0"]),
        ("MM-3", &["MM-2@1.0.0"]),
        ("MM-4", &[]),
    ]));
    let plan = plan.unwrap();
    assert_eq!(plan.dependants(0), BTreeSet::from([1, 2]));
    assert_eq!(plan.dependants(3), BTreeSet::new());
}

#[test]
fn s11_2_ship_evidence() {
    let name = "ShipEvidence";
    assert_eq!(
        broken(name, |s| s["ship_id"] = json!("SHIP-u1v2w3x4")),
        ["bad_id $.ship_id"]
    );
    assert_eq!(
        broken(name, |s| s["verification"]["interface_fingerprint"] =
            json!("ABC")),
        ["bad_fingerprint $.verification.interface_fingerprint"]
    );
    assert_eq!(
        broken(name, |s| s["environment"]["runner_id"] = json!("")),
        ["empty_field $.environment.runner_id"]
    );
}

#[test]
fn s11_3_execution_logs_add_up_and_tolerate_no_failure() {
    let name = "ExecutionLog";
    assert_eq!(
        broken(name, |l| l["summary"]["total"] = json!(3)),
        ["wrong_sum $.summary.total"]
    );
    assert_eq!(
        broken(name, |l| l["tests"][1]["name"] = json!("happy_path")),
        ["duplicate_name $.tests[1].name"]
    );
    let mut none = sample(name);
    none["tests"] = json!([]);
    none["summary"] = json!({"total": 0, "passed": 0, "failed": 0});
    assert_eq!(judged(name, &none), ["too_few $.tests"]);
    assert!(typed::<ExecutionLog>(&none).blocks_ship());
    assert!(!typed::<ExecutionLog>(&sample(name)).blocks_ship());
    let mut failed = sample(name);
    failed["tests"][0]["result"] = json!("FAIL");
    // A summary that says otherwise does not help.
    assert!(typed::<ExecutionLog>(&failed).blocks_ship());
    failed["summary"] = json!({"total": 2, "passed": 1, "failed": 1});
    assert_eq!(judged(name, &failed), Vec::<String>::new());
    assert!(typed::<ExecutionLog>(&failed).blocks_ship());
    assert!(
        broken(name, |l| l["tests"][0]["result"] = json!("SKIP"))[0].starts_with("wrong_shape")
    );
}

#[test]
fn s14_3_reuse_reports() {
    let name = "ReuseSearchReport";
    assert_eq!(
        broken(name, |r| r["candidates_considered"][0]["why_rejected"] =
            json!("")),
        ["empty_field $.candidates_considered[0].why_rejected"]
    );
    assert_eq!(
        broken(name, |r| r["justification"] = json!(" ")),
        ["empty_field $.justification"]
    );
    let reuse = broken(name, |r| {
        r["conclusion"] = json!("REUSE_EXISTING");
        r["candidates_considered"] = json!([]);
    });
    assert_eq!(reuse, ["too_few $.candidates_considered"]);
}
