//! What a role says against the work holds the gate shut, also where no check of the gate's own list
//! reads it; what it only notes does not.

use super::{HAPPY, Product, nth};

/// The diligent agent's attempt in this state, with this result.
fn says(state: &str, result: &str, attempts: &[u32]) -> String {
    let head = format!("[[attempt]]\nstate = \"{state}\"\n");
    let (_, rest) = HAPPY.split_once(&head).expect("a state of the script");
    let steps = rest.split("\nresult = ").next().expect("its steps");
    nth(&format!("{head}{steps}\nresult = {result}\n"), attempts)
}

const FAIL: &str = r#"{ summary = "not like this", verdict = "fail", findings = [{ kind = "security", severity = "critical", place = "src/lib.rs", what = "anybody may log in" }] }"#;
const FINDING: &str = r#"{ summary = "not like this", verdict = "pass", findings = [{ kind = "security", severity = "critical", place = "src/lib.rs", what = "anybody may log in" }] }"#;

#[test]
fn a_reviewers_fail_and_its_blocking_finding_hold_the_gate_shut() {
    for result in [FAIL, FINDING] {
        let product = Product::begun(&says("Reviewing", result, &[1]), &[]);
        product.runs(0);
        let actions = product.actions().join(" ");
        assert!(
            actions
                .contains("AutoContinueToReview FailReviewGate FixReviewFindings PassReviewGate"),
            "{actions}"
        );
        let brief = product.brief("ReviewFixing");
        assert!(brief.contains("anybody may log in"), "{brief}");
    }
}

#[test]
fn a_reviewer_who_fails_it_three_times_leads_to_a_person_and_never_to_done() {
    let product = Product::begun(&says("Reviewing", FAIL, &[1, 2, 3]), &[]);
    product.runs(2);
    product.is_in("BlockedOnGate");
    let told = product.world.status()["waiting_for"].to_string();
    assert!(told.contains("anybody may log in"), "{told}");
    // A person's word leads back to the reviewer, not past it.
    product.decides("UnblockByUser");
    product.runs(0);
    let actions = product.actions().join(" ");
    assert!(
        actions.contains("RecoverToReview PassReviewGate"),
        "{actions}"
    );
}

#[test]
fn what_stands_in_the_table_and_does_not_block_holds_nothing() {
    let note =
        "| R-1 | Optional | Readability | open | src/lib.rs | a shorter name |\n## Correctness";
    let (_, honest) = HAPPY
        .split_once("[[attempt]]\nstate = \"Reviewing\"\n")
        .expect("a state of the script");
    let honest = honest.split("[[attempt]]").next().expect("its end");
    let honest = format!("[[attempt]]\nstate = \"Reviewing\"\n{honest}");
    let script = nth(&honest, &[1]).replace("## Correctness", note);
    let product = Product::begun(&script, &[]);
    product.runs(0);
    let actions = product.actions().join(" ");
    assert!(!actions.contains("FailReviewGate"), "{actions}");
    product.is_in("PipelineComplete");
}

#[test]
fn who_mends_and_says_fail_has_not_mended() {
    let faults = [
        says("Reviewing", FAIL, &[1]),
        says(
            "ReviewFixing",
            r#"{ summary = "I could not", verdict = "fail" }"#,
            &[1],
        ),
    ];
    let product = Product::begun(&faults.join("\n"), &[]);
    product.runs(0);
    let actions = product.actions().join(" ");
    assert!(
        actions.contains("FailReviewGate EscalateReviewFailure RetryReview FixReviewFindings"),
        "{actions}"
    );
}

#[test]
fn what_the_auditor_says_against_the_stack_is_for_the_person_to_weigh() {
    let product = Product::begun(&says("AuditingStack", FAIL, &[1]), &["--idle"]);
    product.decides("AuditStackFromConfigured");
    product.runs(0);
    product.is_in("PreferencesConfigured");
    let attempts = product.world.journal();
    let ended = attempts
        .iter()
        .filter(|one| one["kind"] == "attempt_ended.v1");
    assert_eq!(ended.count(), 1, "the report is not sent back");
    product.decides("RequestBuild");
    product.is_in("Expanding");
}
