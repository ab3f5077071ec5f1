//! Rules F13, F15 and F17: interface changes, releases, escalations and resolutions.

use crate::documents::{broken, judged};
use serde_json::json;

#[test]
fn s13_2_only_three_may_raise_and_only_against_a_shipped_upstream() {
    let name = "InterfaceChangeException";
    for role in ["arbiter", "dispatch", "human"] {
        assert!(
            broken(name, |e| e["raised_by"]["role"] = json!(role))[0].starts_with("wrong_shape"),
            "{role}"
        );
    }
    for role in ["challenger", "ship"] {
        assert_eq!(
            broken(name, |e| e["raised_by"]["role"] = json!(role)),
            Vec::<String>::new()
        );
    }
}

#[test]
fn s13_3_evidence_and_a_delta() {
    let name = "InterfaceChangeException";
    assert_eq!(
        broken(name, |e| e["evidence"] = json!([])),
        ["too_few $.evidence"]
    );
    assert_eq!(
        broken(name, |e| e["proposed_contract_delta"] = json!({})),
        ["empty_delta $.proposed_contract_delta"]
    );
    assert_eq!(
        broken(name, |e| e["target_module"] = json!("MM-0001@^1")),
        ["bad_reference $.target_module"]
    );
}

#[test]
fn s15_4_manifests_follow_from_their_gates() {
    let name = "ReleaseManifest";
    let lie = broken(name, |m| {
        m["integration_gates"]["deprecation_check"] = json!("FAIL")
    });
    assert_eq!(lie, ["result_contradicts $.overall_result"]);
    let failed = broken(name, |m| {
        m["integration_gates"]["deprecation_check"] = json!("FAIL");
        m["overall_result"] = json!("FAIL");
    });
    assert_eq!(failed, ["empty_field $.notes"]);
    assert_eq!(
        broken(name, |m| m["release_id"] = json!("REL-1")),
        ["bad_id $.release_id"]
    );
}

#[test]
fn s17_1_escalations() {
    let name = "EscalationArtifact";
    assert_eq!(
        broken(name, |e| e["escalation_id"] = json!("ESC-y5z6a7b8")),
        ["bad_id $.escalation_id"]
    );
    assert_eq!(
        broken(name, |e| e["state_machine_snapshot"] = json!({})),
        ["empty_field $.state_machine_snapshot"]
    );
    assert_eq!(
        broken(name, |e| e["minimal_decision_required"] = json!("")),
        ["empty_field $.minimal_decision_required"]
    );
    assert!(
        broken(name, |e| e["recommended_resolution"] = json!("GIVE_UP"))[0]
            .starts_with("wrong_shape")
    );
}

#[test]
fn s17_2_six_resolutions_with_their_payloads() {
    let name = "HumanResolution";
    let good = [
        json!({"action": "APPROVE_OVERRIDE", "payload": {"rationale": "seen and fine"}}),
        json!({"action": "AMEND_SPEC", "payload": {"amended_acceptance_criteria": ["returns it"], "amendment_rationale": "too strict"}}),
        json!({"action": "SPLIT_TASK", "payload": {"new_tasks": [
            {"name": "A", "description": "first half", "acceptance_criteria": ["returns a"], "depends_on": []},
            {"name": "B", "description": "second half", "acceptance_criteria": ["returns b"], "depends_on": ["A"]}
        ]}}),
        json!({"action": "REVISE_PLAN", "payload": {"revised_micro_plan": [{"module_id": "MM-1", "description": "does it", "depends_on": ["MM-9@1.0.0"]}]}}),
        json!({"action": "PROVIDE_FIX", "payload": {"fix_description": "trims", "fix_artifacts": {"implementation/lib.rs": "fn x() {}"}}}),
        json!({"action": "ABANDON_TASK", "payload": {"rationale": "not needed"}}),
    ];
    for resolution in &good {
        assert_eq!(
            judged(name, resolution),
            Vec::<String>::new(),
            "{resolution}"
        );
        // No payload fits another action, but the two that only want a reason.
        for other in &good {
            let mixed = json!({"action": resolution["action"], "payload": other["payload"]});
            let same = resolution["payload"]
                .as_object()
                .unwrap()
                .keys()
                .eq(other["payload"].as_object().unwrap().keys());
            assert_eq!(judged(name, &mixed).is_empty(), same, "{mixed}");
        }
    }
    for (bad, code) in [
        (json!({"action": "APPROVE_OVERRIDE"}), "wrong_shape"),
        (json!({"action": "SHRUG", "payload": {}}), "wrong_shape"),
        (json!("just ship it"), "wrong_shape"),
        (
            json!({"action": "APPROVE_OVERRIDE", "payload": {"rationale": " "}}),
            "empty_field",
        ),
        (
            json!({"action": "AMEND_SPEC", "payload": {"amended_acceptance_criteria": [], "amendment_rationale": "x"}}),
            "too_few",
        ),
        (
            json!({"action": "SPLIT_TASK", "payload": {"new_tasks": []}}),
            "too_few",
        ),
        (
            json!({"action": "SPLIT_TASK", "payload": {"new_tasks": [
            {"name": "A", "description": "d", "acceptance_criteria": ["returns a"], "depends_on": ["A"]}]}}),
            "cycle",
        ),
        (
            json!({"action": "REVISE_PLAN", "payload": {"revised_micro_plan": [{"module_id": "x", "description": "d"}]}}),
            "bad_id",
        ),
        (
            json!({"action": "REVISE_PLAN", "payload": {"revised_micro_plan": [{"module_id": "MM-1", "description": "d", "depends_on": ["MM-2"]}]}}),
            "bad_reference",
        ),
        (
            json!({"action": "PROVIDE_FIX", "payload": {"fix_description": "x", "fix_artifacts": {}}}),
            "too_few",
        ),
        (
            json!({"action": "PROVIDE_FIX", "payload": {"fix_description": "x", "fix_artifacts": {"../x": ""}}}),
            "bad_path",
        ),
        (
            json!({"action": "PROVIDE_FIX", "payload": {"fix_description": "x", "fix_artifacts": {"/etc/x": ""}}}),
            "bad_path",
        ),
    ] {
        assert!(
            judged(name, &bad)[0].starts_with(code),
            "{bad}: {:?}",
            judged(name, &bad)
        );
    }
}
