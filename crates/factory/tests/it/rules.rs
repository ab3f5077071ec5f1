//! Sections 5 to 17: what each document may say, rule by rule.

use crate::contract;
use crate::documents::{broken, challenge, judged, micro_plan, sample};
use factory::artifact::{ArtifactStatus, ArtifactType, RetryWindow};
use factory::code_index::{CodeIndexEntry, EntryStatus};
use factory::context_pack::ContextPack;
use factory::contract::Fingerprint;
use factory::debate::Challenge;
use factory::debate::amendments::{AmendmentRecord, unapplied};
use factory::debate::inputs::{Item, Occasion, Role, TABLE, is_given};
use factory::exception::InterfaceChangeException;
use factory::ids;
use factory::micro_plan::MicroPlan;
use factory::release::{Candidate, gates};
use factory::schema::Judged;
use factory::ship::{ExecutionLog, Outcome};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn typed<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn s5_2_contributions() {
    assert_eq!(
        broken("Contribution", |c| c["contribution_id"] = json!("C-1")),
        ["bad_id $.contribution_id"]
    );
    assert_eq!(
        broken("Contribution", |c| c["task_ref"] = json!("TSK-001")),
        ["bad_id $.task_ref"]
    );
    assert_eq!(
        broken("Contribution", |c| c["context_pack_ref"] = json!("CP-1")),
        ["bad_id $.context_pack_ref"]
    );
    assert!(broken("Contribution", |c| c["type"] = json!("POEM"))[0].starts_with("wrong_shape"));
}

#[test]
fn s5_3_context_packs() {
    assert_eq!(
        broken("ContextPack", |c| c["default_permission"] = json!("FULL")),
        ["wrong_default $.default_permission"]
    );
    assert_eq!(
        broken("ContextPack", |c| c["included_refs"][0]["ref"] =
            json!("MM-0001")),
        ["bad_reference $.included_refs[0].ref"]
    );
    assert_eq!(
        broken("ContextPack", |c| c["excluded_refs"][0]["reason"] =
            json!("")),
        ["empty_field $.excluded_refs[0].reason"]
    );
    let twice = broken("ContextPack", |c| {
        c["excluded_refs"][0]["ref"] = json!("MM-0002@1.0.0")
    });
    assert_eq!(twice, ["listed_twice $.excluded_refs[0].ref"]);
}

#[test]
fn s6_3_full_access_is_for_the_module_being_made() {
    let pack: ContextPack = typed(&sample("ContextPack"));
    assert!(pack.wrongly_full(Some("MM-0001")).is_empty());
    assert_eq!(pack.wrongly_full(Some("MM-0002")).len(), 1);
    assert_eq!(pack.wrongly_full(None).len(), 1);
}

#[test]
fn s8_1_thirteen_types_and_no_other() {
    assert_eq!(ArtifactType::all().count(), 13);
    assert!(
        broken("ArtifactEnvelope", |a| a["artifact_type"] = json!("MEMO"))[0]
            .starts_with("wrong_shape")
    );
}

#[test]
fn s8_2_artifact_ids() {
    for artifact in ArtifactType::all() {
        let id = artifact.id(0x00ab_12f0);
        assert!(id.ends_with("-00ab12f0"), "{id}");
        assert_eq!(ArtifactType::of_id(&id), Some(artifact));
    }
    // The document's own examples have letters beyond f; the regex is right.
    for bad in [
        "CTR-e5f6g7h8",
        "CTR-e5f60718a",
        "CTR-E5F60718",
        "ctr-e5f60718",
        "XX-e5f60718",
        "SPEC-001",
        "CTR-",
        "CTR_e5f60718",
        "CTR-e5f60718\n",
    ] {
        assert_eq!(ArtifactType::of_id(bad), None, "{bad}");
    }
    assert!(ids::SPEC.accepts("SPEC-001") && !ids::SPEC.accepts("SPEC-p6q7r8s9"));
    assert_eq!(
        broken("ArtifactEnvelope", |a| a["artifact_id"] =
            json!("MP-e5f60718")),
        ["bad_id $.artifact_id"]
    );
    let long = format!("MM-{}", "x".repeat(126));
    assert_eq!(
        broken("MicroModuleContract", |c| c["module_id"] = json!(long)),
        ["bad_id $.module_id"]
    );
}

#[test]
fn s8_4_only_the_listed_transitions() {
    use ArtifactStatus::{Adjudicated, Challenged, Deprecated, Draft, Shipped};
    let all = [Draft, Challenged, Adjudicated, Shipped, Deprecated];
    let allowed = [
        (Draft, Challenged),
        (Challenged, Adjudicated),
        (Adjudicated, Shipped),
        (Adjudicated, Draft),
        (Shipped, Deprecated),
    ];
    for from in all {
        for to in all {
            assert_eq!(
                from.may_become(to, RetryWindow::Open),
                allowed.contains(&(from, to)),
                "{from:?} {to:?}"
            );
        }
    }
    assert!(!Adjudicated.may_become(Draft, RetryWindow::Exhausted));
}

#[test]
fn s9_2_proposals() {
    assert_eq!(
        broken("Proposal", |p| p["acceptance_checks"] = json!([])),
        ["too_few $.acceptance_checks"]
    );
    assert_eq!(
        broken("Proposal", |p| p["claim"] = json!("TBD")),
        ["placeholder $.claim"]
    );
    assert_eq!(
        broken("Proposal", |p| p["target_artifact_id"] = json!("x")),
        ["bad_id $.target_artifact_id"]
    );
}

#[test]
fn s9_4_six_criteria_and_a_verdict_that_follows() {
    let five = broken("Challenge", |c| {
        c["rubric_assessments"].as_array_mut().unwrap().pop();
    });
    assert_eq!(five, ["rubric_incomplete $.rubric_assessments"]);
    let twice = broken("Challenge", |c| {
        c["rubric_assessments"][5]["criterion"] = json!("R5")
    });
    assert_eq!(twice, ["rubric_incomplete $.rubric_assessments"; 2]);
    let lenient = broken("Challenge", |c| {
        c["rubric_assessments"][2]["assessment"] = json!("NOT_MET")
    });
    assert_eq!(lenient, ["verdict_contradicts $.verdict"]);
    let failure = json!([{"invariant": "R3", "evidence": "panics on blanks", "required_change": "return EmptyTitle"}]);
    let both = broken("Challenge", |c| c["failures"] = failure.clone());
    assert_eq!(
        both,
        ["verdict_contradicts $.verdict"],
        "PASS with failures"
    );
    let bare = broken("Challenge", |c| c["verdict"] = json!("FAIL"));
    assert_eq!(
        bare,
        ["verdict_contradicts $.verdict"],
        "FAIL without a reason"
    );
    let good = broken("Challenge", |c| {
        c["verdict"] = json!("FAIL");
        c["failures"] = failure.clone();
        c["rubric_assessments"][2]["assessment"] = json!("NOT_MET");
    });
    assert_eq!(good, Vec::<String>::new());
    assert!(broken("Challenge", |c| c["verdict"] = json!("MOSTLY"))[0].starts_with("wrong_shape"));
}

#[test]
fn s9_5_mild_reviews_are_no_challenges() {
    for mild in [
        "looks good",
        "",
        "looks correct",
        "everything is very good and passes",
        "ok ok ok ok",
    ] {
        let found = broken("Challenge", |c| {
            c["rubric_assessments"][3]["evidence"] = json!(mild)
        });
        assert_eq!(
            found,
            ["mild_evidence $.rubric_assessments[3].evidence"],
            "{mild}"
        );
    }
    let found = broken("Challenge", |c| {
        c["rubric_assessments"][0]["evidence"] =
            json!("inputs and outputs are tested by happy_path")
    });
    assert_eq!(found.len(), 3, "error surfaces, effects, modes: {found:?}");
    assert!(found.iter().all(|f| f.starts_with("dimension_unchecked")));
    let mut bad = challenge();
    bad["rubric_assessments"] = json!([]);
    let bad: Challenge = typed(&bad);
    let violation = Challenge::mild_review("CHAL-00000002", "MM-0001", &bad.judge());
    assert_eq!(violation.failures[0].invariant, "mild_review_violation");
    assert!(violation.judge().passes(), "{:?}", violation.judge());
}

#[test]
fn s9_6_adjudications_and_their_amendments() {
    let name = "Adjudication";
    assert_eq!(
        broken(name, |a| a["amendments"] = json!([])),
        ["too_few $.amendments"]
    );
    assert_eq!(
        broken(name, |a| a["decision"] = json!("APPROVE")),
        ["decision_contradicts $.amendments"]
    );
    assert_eq!(
        broken(name, |a| a["ship_directive"] = json!("NO_SHIP")),
        ["decision_contradicts $.ship_directive"]
    );
    let rejected = |ship: &str| {
        broken(name, |a| {
            a["decision"] = json!("REJECT");
            a["amendments"] = json!([]);
            a["ship_directive"] = json!(ship);
        })
    };
    assert_eq!(rejected("SHIP"), ["decision_contradicts $.ship_directive"]);
    assert_eq!(rejected("NO_SHIP"), Vec::<String>::new());
    for vague in [
        "improve error handling",
        "add more tests",
        "fix the code",
        "refactor",
    ] {
        let found = broken(name, |a| a["amendments"][0]["detail"] = json!(vague));
        assert_eq!(found, ["vague_amendment $.amendments[0].detail"], "{vague}");
    }
    assert_eq!(
        broken(name, |a| a["amendments"][0]["target"] = json!(" ")),
        ["empty_field $.amendments[0].target"]
    );
}

#[test]
fn s9_6_every_amendment_is_compared_with_what_is_there() {
    let amendments = typed::<Vec<factory::debate::Amendment>>(&json!([
        {"action": "MODIFY", "target": "slugify", "detail": "x"},
        {"action": "ADD", "target": "test_blank", "detail": "x"},
        {"action": "REMOVE", "target": "debug_print", "detail": "x"}
    ]));
    let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    };
    let before = map(&[("slugify", "1"), ("debug_print", "1")]);
    let after = map(&[("slugify", "2"), ("test_blank", "1")]);
    let records = |applied: [bool; 3]| -> Vec<AmendmentRecord> {
        let record = |(amendment_index, applied)| AmendmentRecord {
            amendment_index,
            applied,
            note: "n".to_owned(),
        };
        applied.into_iter().enumerate().map(record).collect()
    };
    assert_eq!(
        unapplied(&amendments, &records([true; 3]), &before, &after),
        []
    );
    // Saying so is not enough.
    assert_eq!(
        unapplied(&amendments, &records([true; 3]), &before, &before).len(),
        3
    );
    let refused = unapplied(&amendments, &records([true, false, true]), &before, &after);
    assert_eq!(
        (
            refused.len(),
            refused[0].amendment_index,
            refused[0].note.as_str()
        ),
        (1, 1, "n")
    );
    assert_eq!(
        unapplied(&amendments, &records([true; 3])[..2], &before, &after).len(),
        1,
        "no record"
    );
    let mut more = records([true; 3]);
    more.push(AmendmentRecord {
        amendment_index: 3,
        applied: true,
        note: String::new(),
    });
    more.push(AmendmentRecord {
        amendment_index: 0,
        applied: true,
        note: String::new(),
    });
    assert_eq!(
        unapplied(&amendments, &more, &before, &after).len(),
        2,
        "too many records"
    );
    let gone = map(&[("test_blank", "1")]);
    assert_eq!(
        unapplied(&amendments, &records([true; 3]), &before, &gone).len(),
        1
    );
    assert_eq!(
        unapplied(&amendments, &records([true; 3]), &gone, &after).len(),
        1
    );
}

/// The table of section 9.7, as it is printed there: `y` given, `n` not, `s` the role's own, `r`
/// only to revise, `a` only to apply amendments.
#[test]
fn s9_7_inputs() {
    let printed = [
        (Item::TaskFile, "yny"),
        (Item::ModuleContract, "yyy"),
        (Item::DependencyContracts, "yyn"),
        (Item::CodeIndexResults, "ynn"),
        (Item::HarnessSchemas, "ynn"),
        (Item::ModuleWorkspace, "ynn"),
        (Item::Proposal, "syy"),
        (Item::Challenge, "rsy"),
        (Item::Adjudication, "ans"),
        (Item::ImplementationSource, "ynn"),
        (Item::EvaluationRubric, "nyn"),
        (Item::DecompositionRubric, "nyn"),
        (Item::DebateTrail, "nyy"),
    ];
    assert_eq!(printed.len(), TABLE.len());
    for (item, cells) in printed {
        for (role, cell) in [Role::Proposer, Role::Challenger, Role::Arbiter]
            .into_iter()
            .zip(cells.chars())
        {
            let given = [Occasion::Turn, Occasion::Revise, Occasion::ApplyAmendments]
                .map(|o| is_given(role, item, o));
            let wanted = match cell {
                'n' => [false; 3],
                'r' => [false, true, false],
                'a' => [false, false, true],
                _ => [true; 3],
            };
            assert_eq!(given, wanted, "{role:?} {item:?}");
        }
    }
    for occasion in [Occasion::Turn, Occasion::Revise, Occasion::ApplyAmendments] {
        for role in [Role::Challenger, Role::Arbiter] {
            assert!(!is_given(role, Item::ImplementationSource, occasion));
            assert!(!is_given(role, Item::ModuleWorkspace, occasion));
        }
        assert!(!is_given(Role::Proposer, Item::EvaluationRubric, occasion));
    }
}

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
    assert_eq!(typed::<MicroPlan>(&circle).order(), None);
}

#[test]
fn s10_2_dependencies_first_else_as_declared() {
    let plan: MicroPlan = typed(&micro_plan(&[
        ("MM-1", &["MM-4@1.0.0"]),
        ("MM-2", &["MM-77@3.0.0"]),
        ("MM-3", &["MM-2@1.0.0", "MM-1@1.0.0"]),
        ("MM-4", &[]),
    ]));
    assert_eq!(plan.order().unwrap(), [1, 3, 0, 2]);
}

#[test]
fn s3_4_dependents_of_a_failed_module_are_abandoned() {
    let plan: MicroPlan = typed(&micro_plan(&[
        ("MM-1", &[]),
        ("MM-2", &["MM-1@1.0.0"]),
        ("MM-3", &["MM-2@1.0.0"]),
        ("MM-4", &[]),
    ]));
    assert_eq!(plan.abandoned(&BTreeSet::from([0])), BTreeSet::from([1, 2]));
    assert_eq!(plan.abandoned(&BTreeSet::from([3])), BTreeSet::new());
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
    let raised: InterfaceChangeException = typed(&sample(name));
    assert!(raised.may_target("MM-0007", &["MM-0001@1.0.0"]).is_ok());
    assert_eq!(
        raised
            .may_target("MM-0001", &["MM-0001@1.0.0"])
            .unwrap_err()
            .code,
        "exception_against_itself"
    );
    assert_eq!(
        raised
            .may_target("MM-0007", &["MM-0001@2.0.0"])
            .unwrap_err()
            .code,
        "exception_not_upstream"
    );
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
fn s13_5_the_candidate_contract_has_the_right_version() {
    let current = contract::typed(&contract::contract());
    let candidate = |change: &dyn Fn(&mut Value)| {
        let mut raised = sample("InterfaceChangeException");
        change(&mut raised);
        typed::<InterfaceChangeException>(&raised).candidate(&current)
    };
    let minor = candidate(&|_| {}).unwrap();
    assert_eq!(
        (minor.reference().as_str(), minor.inputs.len()),
        ("MM-0001@1.1.0", 2)
    );
    let expect =
        |e: &mut Value, expectation: &str| e["compatibility_expectation"] = json!(expectation);
    assert_eq!(
        candidate(&|e| expect(e, "BREAKING")).unwrap().reference(),
        "MM-0001@2.0.0"
    );
    assert_eq!(
        candidate(&|e| expect(e, "UNKNOWN")).unwrap().reference(),
        "MM-0001@1.1.0"
    );
    let removes =
        |e: &mut Value| e["proposed_contract_delta"] = json!({"removed_inputs": ["title"]});
    assert_eq!(
        candidate(&removes).unwrap_err().code,
        "not_backward_compatible"
    );
    let unknown = candidate(&|e| {
        removes(e);
        expect(e, "UNKNOWN");
    })
    .unwrap();
    assert_eq!(unknown.reference(), "MM-0001@2.0.0");
    let modes = candidate(&|e| {
        e["proposed_contract_delta"] =
            json!({"mode_changes": {"sync": true, "async": true, "notes": ""}});
        expect(e, "BREAKING");
    });
    assert!(modes.unwrap().modes.async_);
    for delta in [
        json!({"removed_inputs": ["no such"]}),
        json!({"modified_outputs": [{"name": "no such", "type": "x", "invariants": []}]}),
        json!({"added_inputs": [{"name": "title", "type": "x", "constraints": []}]}),
    ] {
        let refused = candidate(&|e| e["proposed_contract_delta"] = delta.clone()).unwrap_err();
        assert_eq!(refused.code, "delta_does_not_fit", "{delta}");
    }
    assert_eq!(
        candidate(&|e| e["target_module"] = json!("MM-0001@3.0.0"))
            .unwrap_err()
            .code,
        "wrong_contract"
    );
}

#[test]
fn s14_1_the_text_of_an_embedding() {
    let entry: CodeIndexEntry = typed(&sample("CodeIndexEntry"));
    assert_eq!(
        entry.embedding_text(),
        "Turns a title into a slug\ntext, url\n{\"inputs\":[\"title\"],\"outputs\":[\"slug\"],\"error_surfaces\":[],\"effects\":[],\"modes\":[\"sync\"]}"
    );
}

#[test]
fn s14_2_entries_and_s19_5_their_status_only_advances() {
    let name = "CodeIndexEntry";
    assert_eq!(
        broken(name, |e| e["status"] = json!("SUPERSEDED")),
        ["no_successor $.superseded_by"]
    );
    assert_eq!(
        broken(name, |e| e["superseded_by"] = json!("MM-0001@2.0.0")),
        ["status_regressed $.status"]
    );
    assert_eq!(
        broken(name, |e| e["status"] = json!("DEPRECATED")),
        Vec::<String>::new()
    );
    assert_eq!(
        broken(name, |e| e["dependencies"] = json!(["MM-1"])),
        ["bad_reference $.dependencies[0]"]
    );
    use EntryStatus::{Deprecated, Shipped, Superseded};
    for from in [Shipped, Deprecated, Superseded] {
        for to in [Shipped, Deprecated, Superseded] {
            assert_eq!(from.may_become(to), from == Shipped && to != Shipped);
        }
    }
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
    let search: factory::code_index::SearchRequest = typed(&sample("SearchRequest"));
    assert_eq!((search.top_k, search.include_inactive), (10, false));
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
fn s15_4_the_four_gates() {
    let print = |digit: &str| Fingerprint::parse(&digit.repeat(64)).unwrap();
    let module = |id: &str, against: &[(&str, &str)]| Candidate {
        module_ref: format!("{id}@1.0.0"),
        fingerprint: print("a"),
        built_against: against
            .iter()
            .map(|(id, p)| (format!("{id}@1.0.0"), print(p)))
            .collect(),
    };
    let index = |status: EntryStatus| {
        BTreeMap::from([
            ("MM-1@1.0.0".to_owned(), status),
            ("MM-2@1.0.0".to_owned(), EntryStatus::Shipped),
        ])
    };
    let failing = |set: &[Candidate], index: &BTreeMap<String, EntryStatus>| {
        let (gates, failures) = gates(set, index);
        assert_eq!(gates.overall() == Outcome::Pass, failures.is_empty());
        failures.into_iter().map(|f| f.gate).collect::<Vec<_>>()
    };
    let good = [module("MM-1", &[]), module("MM-2", &[("MM-1", "a")])];
    let shipped = index(EntryStatus::Shipped);
    assert_eq!(failing(&good, &shipped), Vec::<String>::new());
    assert_eq!(failing(&good[1..], &shipped), ["dependency_check"]);
    let drifted = [module("MM-1", &[]), module("MM-2", &[("MM-1", "b")])];
    assert_eq!(failing(&drifted, &shipped), ["fingerprint_check"]);
    assert_eq!(
        failing(&good, &index(EntryStatus::Deprecated)),
        ["code_index_check", "deprecation_check"]
    );
    assert_eq!(failing(&good[..1], &BTreeMap::new()), ["code_index_check"]);
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
