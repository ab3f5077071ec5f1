//! Section 9: what proposals, challenges and adjudications may say, and who sees what.

use crate::documents::typed;
use crate::documents::{broken, challenge};
use factory::debate::Challenge;
use factory::debate::amendments::{AmendmentRecord, unapplied};
use factory::debate::inputs::{Item, Occasion, Role, TABLE, is_given};
use factory::schema::Judged;
use serde_json::json;
use std::collections::BTreeMap;

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
