//! Rule F9: what proposals, challenges and adjudications may say, and who sees what.

use crate::documents::broken;
use serde_json::json;

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
