//! Failures are counted in the snapshots: until the gate passes, across other words, and not into a new
//! slice.

use super::{failures, headers, path, played, snapshot};

#[test]
fn a_failed_gate_is_an_issue_until_that_gate_passes() {
    let world = played("iteration-fails-once");
    assert_eq!(
        headers(&world)[2..],
        [
            "S-0001 iteration FAIL 1 0",
            "S-0001 iteration PASS 0 0",
            "S-0001 exit PASS 0 0",
        ]
    );
    let failed = snapshot(&world, 3);
    assert!(
        failed.contains("- I-0001: iteration gate FAIL: command: grep"),
        "{failed}"
    );
    assert!(failed.contains("— next action: fix\n"), "{failed}");
    let mended = snapshot(&world, 4);
    let (open, resolved) = mended.split_once("### Resolved This Iteration").unwrap();
    assert!(!open.contains("- I-0001"), "{mended}");
    assert!(
        resolved.contains("- I-0001") && resolved.contains("closed by E-"),
        "{mended}"
    );
    assert!(
        !snapshot(&world, 5).contains("I-0001"),
        "it was resolved one iteration ago"
    );

    let world = played("exit-fails-once");
    let want = [
        "S-0001 exit FAIL 0 1",
        "S-0001 iteration PASS 0 1",
        "S-0001 exit PASS 0 0",
    ];
    assert_eq!(headers(&world)[3..], want);
}

#[test]
fn after_three_failures_in_a_row_the_audit_comes_before_the_next_edit() {
    for (transcript, counters) in [
        (
            "iteration-fails-thrice",
            [
                "iteration FAIL 1 0",
                "iteration FAIL 2 0",
                "iteration FAIL 3 0",
            ],
        ),
        (
            "exit-fails-thrice",
            ["exit FAIL 0 1", "exit FAIL 0 2", "exit FAIL 0 3"],
        ),
    ] {
        let world = played(transcript);
        let headers = headers(&world);
        let failed: Vec<&String> = headers
            .iter()
            .filter(|line| line.contains("FAIL"))
            .collect();
        // The audit's own snapshot keeps what the gate said.
        assert_eq!(failed.len(), 4, "{headers:?}");
        for (line, want) in failed.iter().zip(counters) {
            assert_eq!(line.as_str(), format!("S-0001 {want}"), "{transcript}");
        }
        assert_eq!(failed[3], failed[2]);
        let path = path(&world);
        let audit = path.iter().position(|state| state == "audit").unwrap();
        assert_eq!(
            path[audit..audit + 4],
            ["audit", "weigh", "choose", "edit"],
            "{path:?}"
        );
        assert_eq!(path.iter().filter(|state| *state == "audit").count(), 1);
        let weighed = headers
            .iter()
            .rposition(|line| line.contains("FAIL"))
            .unwrap();
        let text = snapshot(&world, u32::try_from(weighed).unwrap() + 1);
        assert!(text.contains("(audit): audit outcome: FAIL"), "{text}");
        assert!(
            text.contains("- F-0004: The greeting file was never touched."),
            "{text}"
        );
        assert_eq!(headers.last().unwrap(), "S-0001 exit PASS 0 0");
    }
}

#[test]
fn other_words_for_the_slice_reset_nothing() {
    let world = played("reworded");
    let headers = headers(&world);
    let failing: Vec<&str> = headers
        .iter()
        .filter_map(|line| line.strip_prefix("S-0001 iteration FAIL "))
        .collect();
    // One, its reworded header and its scouting; two, likewise; three, and the audit.
    assert_eq!(
        failing,
        ["1 0", "1 0", "1 0", "2 0", "2 0", "2 0", "3 0", "3 0"]
    );
    assert!(path(&world).contains(&"audit".to_owned()));
    assert!(
        world
            .read("agent/context.md")
            .contains("Slice: Make Ada feel welcome.\n")
    );
}

#[test]
fn a_new_slice_starts_with_zeros_and_an_old_name_is_refused() {
    let world = played("new-slice");
    let headers = headers(&world);
    let at = headers
        .iter()
        .position(|line| line.starts_with("S-0002"))
        .unwrap();
    assert_eq!(headers[at - 1], "S-0001 iteration FAIL 1 0");
    assert_eq!(headers[at], "S-0002 none none 0 0");
    assert_eq!(headers[at + 2], "S-0002 iteration FAIL 1 0");
    assert!(
        headers.contains(&"S-0003 none none 0 0".to_owned()),
        "{headers:?}"
    );
    assert!(
        failures(&world).contains("`S-0001` was used before"),
        "{}",
        failures(&world)
    );
}

/// A reader's word counts with what shows it, and stands in the snapshot after it.
#[test]
fn what_an_audit_says_of_a_criterion_reaches_the_next_snapshot() {
    let world = played("judged-by-audit");
    let wrong = failures(&world);
    let named =
        "not judged as met, with evidence: F-0002 (the evidence names no file that is there";
    assert!(wrong.contains(named), "{wrong}");
    let count = headers(&world).len();
    let all: String = (1..=count as u32)
        .map(|one| snapshot(&world, one))
        .collect();
    for said in [
        "criterion F-0002 met: it reads well as it is",
        "criterion F-0002 met: src/greet.txt:1 names her, and nothing else",
        // The verdict stands at the criterion itself, and before it that there is none.
        "- F-0002: The greeting reads well. — judged by an audit: not yet\n",
        "- F-0002: The greeting reads well. — judged by an audit: met (E-0004)\n",
    ] {
        assert!(all.contains(said), "no `{said}` in {all}");
    }
    assert_eq!(path(&world).last().map(String::as_str), Some("done"));
}
