//! All named documents: schemas that can be printed, samples that pass them, and strict reading.

use crate::samples;
use factory::schema::{DOCUMENTS, find, validate};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A right sample of every document that is read from outside.
pub(crate) fn sample(name: &str) -> Value {
    match name {
        "ProductSpec" => samples::spec(),
        "ValidationReport" => json!({"errors": [], "warnings": []}),
        "Plan" => json!({"tasks": []}),
        "Contribution" => json!({
            "contribution_id": "CONTRIB-0001", "type": "MICRO_PLAN",
            "produced_by": {"role": "micro_planner", "run_id": "r1"},
            "artifact_ref": "MP-a1b2c3d4", "task_ref": "T-core-auth-login-001",
            "created_at": "2026-11-15T02:25:27Z", "context_pack_ref": "CP-00000001"
        }),
        "ContextPack" => json!({
            "context_pack_id": "CP-00000001",
            "created_for": {"role": "proposer", "run_id": "r1", "task_ref": "T-core-auth-login-001"},
            "included_refs": [
                {"ref": "MM-0001@1.0.0", "permission": "FULL", "reason": "it is being made"},
                {"ref": "MM-0002@1.0.0", "permission": "CONTRACT_ONLY", "reason": "it is used"}
            ],
            "excluded_refs": [{"ref": "MM-0003@1.0.0", "reason": "it is not used"}],
            "default_permission": "CONTRACT_ONLY", "created_at": "2026-11-15T02:25:27Z"
        }),
        "ArtifactEnvelope" => json!({
            "artifact_id": "CTR-e5f60718", "artifact_type": "CONTRACT", "version": "1.0.0",
            "status": "DRAFT", "created_at": "2026-11-15T02:25:27Z",
            "created_by": {"role": "proposer", "run_id": "r1"}, "context_pack_ref": "CP-00000001",
            "inputs": [{"ref": "MP-a1b2c3d4@1.0.0", "purpose": "the plan"}], "outputs": []
        }),
        "Proposal" => json!({
            "proposal_id": "PROP-00000001", "target_artifact_id": "MM-0001",
            "claim": "slugify meets its contract", "deliverable_ref": "IMPL-00000001",
            "acceptance_checks": ["cargo test passes"]
        }),
        "Challenge" => challenge(),
        "Adjudication" => json!({
            "adjudication_id": "ADJ-00000001", "target_artifact_id": "MM-0001",
            "decision": "APPROVE_WITH_AMENDMENTS",
            "amendments": [{"action": "MODIFY", "target": "slugify", "detail": "Return EmptyTitle instead of panicking"}],
            "rationale": "one case panics", "ship_directive": "SHIP"
        }),
        "MicroPlan" => micro_plan(&[("MM-1", &[]), ("MM-2", &["MM-1@1.0.0", "MM-9@2.0.0"])]),
        "MicroModuleContract" => crate::contract::contract(),
        "ShipEvidence" => json!({
            "module_id": "MM-0001", "module_version": "1.0.0", "ship_id": "SHIP-00000001",
            "verified_at": "2026-11-15T02:25:27Z",
            "verification": {"result": "PASS", "interface_fingerprint": "0".repeat(64), "evidence_ref": "tests/execution_log.json"},
            "environment": {"repo_revision": "abc", "dependency_lock_ref": "Cargo.lock", "runner_id": "r"}
        }),
        "ExecutionLog" => json!({
            "module_id": "MM-0001", "module_version": "1.0.0", "executed_at": "2026-11-15T02:25:27Z",
            "tests": [{"name": "happy_path", "result": "PASS", "duration_ms": 42}, {"name": "b", "result": "PASS"}],
            "summary": {"total": 2, "passed": 2, "failed": 0}
        }),
        "InterfaceChangeException" => json!({
            "exception_id": "ICE-00000001", "type": "INCOMPLETE",
            "raised_by": {"artifact_ref": "PROP-00000001", "role": "proposer", "run_id": "r1"},
            "target_module": "MM-0001@1.0.0", "reason": "no way to keep capitals",
            "evidence": ["keeps_capitals fails"],
            "proposed_contract_delta": {
                "added_inputs": [{"name": "keep_case", "type": "bool", "constraints": ["optional, else false"]}],
                "removed_inputs": [], "modified_inputs": [], "added_outputs": [], "removed_outputs": [],
                "modified_outputs": [], "added_error_surfaces": [], "added_effects": [], "mode_changes": null
            },
            "compatibility_expectation": "BACKWARD_COMPATIBLE", "urgency": "BLOCKING"
        }),
        "InterfaceChangeDecision" => json!({
            "exception_id": "ICE-00000001", "decision": "DEFER", "reason": "after the release",
            "decided_at": "2026-11-15T02:25:27Z"
        }),
        "ReuseSearchReport" => json!({
            "query": "a slug of a title",
            "candidates_considered": [{"module_ref": "MM-0002@1.0.0", "why_rejected": "it only folds letters"}],
            "conclusion": "CREATE_NEW", "justification": "nothing makes slugs"
        }),
        "ReleaseManifest" => json!({
            "release_id": "REL-00000001", "created_at": "2026-11-15T02:25:27Z", "spec_version": "1.0.0",
            "modules": [{"module_ref": "MM-0001@1.0.0", "ship_ref": "SHIP-00000001"}],
            "integration_gates": {"dependency_check": "PASS", "fingerprint_check": "PASS", "deprecation_check": "PASS", "code_index_check": "PASS"},
            "overall_result": "PASS", "notes": ""
        }),
        "EscalationArtifact" => json!({
            "escalation_id": "ESC-00000001", "task_id": "T-core-auth-login-001", "task_ref": "project/x.md",
            "created_at": "2026-11-15T02:25:27Z",
            "debate_trail": {"proposals": [sample("Proposal")], "challenges": [challenge()], "adjudications": []},
            "failed_invariants": [{"invariant": "R2", "evidence": "no test for EmptyTitle"}],
            "state_machine_snapshot": {"project_id": "p"},
            "minimal_decision_required": "ship it or split it", "recommended_resolution": "SPLIT_TASK",
            "resolution_context": "R2 failed three times"
        }),
        "ProjectState" => json!({
            "project_id": "SPEC-001", "spec_version": "1.0.0", "updated_at": "2026-11-15T02:25:27.000Z",
            "tasks": {"T-core-auth-login-001": {
                "pillar": "Core", "epic": "Auth", "story": "Login", "task": "Task 1", "status": "PENDING",
                "depends_on": [], "module_ref": null, "shipped_at": null, "halted_reason": null,
                "escalation_ref": null, "declaration_order": 0
            }}
        }),
        "DebateState" => {
            json!({"proposals": [sample("Proposal")], "challenges": [challenge()], "adjudications": []})
        }
        "FingerprintMismatch" => json!({
            "module_id": "MM-0001", "module_version": "1.0.0",
            "mismatch": {"expected": "a".repeat(64), "actual": "b".repeat(64), "dimensions": []}
        }),
        "ReleaseFailureReport" => json!({
            "release_id": "REL-00000001", "failing_gates": ["dependency_check"],
            "violations": [{"gate": "dependency_check", "module": "MM-0001@1.0.0", "why": "MM-0002@1.0.0 is missing"}],
            "mend": "ship it"
        }),
        "HumanResolution" => {
            json!({"action": "ABANDON_TASK", "payload": {"rationale": "nobody needs it"}})
        }
        other => panic!("no sample of {other}"),
    }
}

pub(crate) fn challenge() -> Value {
    let assessments: Vec<Value> = (1..=6)
        .map(|n| json!({
            "criterion": format!("R{n}"), "assessment": "MET",
            "evidence": "inputs, outputs, error EmptyTitle, effects and sync mode: test input__title__1 shows it"
        }))
        .collect();
    json!({
        "challenge_id": "CHAL-00000001", "target_artifact_id": "MM-0001", "verdict": "PASS",
        "failures": [], "rubric_assessments": assessments
    })
}

pub(crate) fn micro_plan(modules: &[(&str, &[&str])]) -> Value {
    let modules: Vec<Value> = modules
        .iter()
        .map(|(id, depends_on)| json!({
            "module_id": id, "name": "slugify", "purpose": "Turns a title into a slug",
            "io_contract": {
                "inputs": ["title: string, non-empty"], "outputs": ["slug: string"],
                "error_surfaces": ["EmptyTitle when blank"], "effects": ["none"], "modes": ["sync"]
            },
            "error_cases": ["a title of blanks"], "depends_on": depends_on,
            "reuse_candidate_refs": [], "reuse_decision": "CREATE_NEW", "reuse_justification": "nothing makes slugs"
        }))
        .collect();
    json!({"micro_plan_id": "MP-a1b2c3d4", "parent_task_ref": "T-core-auth-login-001@1.0.0", "modules": modules})
}

/// The value of a sample.
pub(crate) fn typed<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// `code path` of everything found.
pub(crate) fn judged(name: &str, value: &Value) -> Vec<String> {
    let report = validate(find(name).unwrap(), &serde_json::to_vec(value).unwrap());
    report
        .all()
        .map(|d| format!("{} {}", d.code, d.whole_path()))
        .collect()
}

/// Changes a sample and says what is found.
pub(crate) fn broken(name: &str, change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut value = sample(name);
    change(&mut value);
    judged(name, &value)
}

#[test]
fn every_document_has_a_schema_and_a_sample_that_passes() {
    let mut names = BTreeSet::new();
    for document in DOCUMENTS {
        let name = document.name();
        assert!(names.insert(name));
        assert_eq!(judged(name, &sample(name)), Vec::<String>::new(), "{name}");
        let schema = document.schema();
        assert_eq!(schema["title"], name, "{schema}");
        assert!(
            schema.get("properties").is_some() || schema.get("oneOf").is_some(),
            "{schema}"
        );
    }
    assert!(find("microplan").is_some());
    assert!(find("Nothing").is_none());
}

/// Rule F18.5 lists the models that there must be.
#[test]
fn s18_5_every_model_is_there() {
    for name in [
        "ArtifactEnvelope",
        "MicroModuleContract",
        "ShipEvidence",
        "Proposal",
        "Challenge",
        "Adjudication",
        "EscalationArtifact",
        "ContextPack",
        "InterfaceChangeException",
        "ReuseSearchReport",
        "MicroPlan",
    ] {
        assert!(find(name).is_some(), "{name}");
    }
}

#[test]
fn what_a_document_does_not_have_is_refused() {
    for document in DOCUMENTS {
        let name = document.name();
        // Members that a spec does not have are warnings.
        if name == "ProductSpec" {
            continue;
        }
        let found = broken(name, |value| value["surprise"] = json!(1));
        assert!(found[0].starts_with("wrong_shape"), "{name}: {found:?}");
        let Value::Object(members) = sample(name) else {
            panic!()
        };
        for key in members.keys() {
            for wrong in [json!(-1), json!([[1]]), json!({"x": 1})] {
                // Any object may be a snapshot.
                if key == "state_machine_snapshot" && wrong.is_object() {
                    continue;
                }
                let found = broken(name, |value| value[key] = wrong.clone());
                assert!(!found.is_empty(), "{name}.{key} = {wrong}");
            }
        }
    }
}

#[test]
fn strict_reading_names_the_place() {
    let judge = |text: &[u8]| validate(find("Proposal").unwrap(), text).errors;
    let text =
        b"{\n \"claim\": \"x\",\n \"claim\": \"y\",\n \"deliverable_ref\": 9007199254740993\n}";
    let report = judge(text);
    let found: Vec<_> = report.iter().map(|d| (d.code.as_ref(), d.line)).collect();
    assert_eq!(
        found,
        [("number_beyond_2_53", Some(4)), ("duplicate_key", Some(3))]
    );
    let mut text = sample("Proposal");
    text["acceptance_checks"] = json!(["a test passes", 3]);
    let report = judge(serde_json::to_string_pretty(&text).unwrap().as_bytes());
    let found = &report[0];
    assert_eq!(
        (found.whole_path().as_str(), found.line),
        ("$.acceptance_checks[1]", Some(4))
    );
    assert!(found.message.contains("should be a string"), "{found:?}");
}
