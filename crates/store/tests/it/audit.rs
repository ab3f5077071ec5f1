//! The audit names every fault once and holds claims from elsewhere against the chain.

use crate::*;
use std::fs;
use store::{Audit, AuditReport, audit};

fn audited(dir: &Path, claims: &[(u64, String)]) -> AuditReport {
    audit(
        dir,
        &run(),
        Audit {
            claims,
            not_after: None,
        },
        |_| Ok(()),
    )
    .unwrap()
}

fn faults(report: &AuditReport) -> Vec<(&'static str, u64)> {
    report
        .findings
        .iter()
        .map(|f| (f.code.as_str(), f.line))
        .collect()
}

/// The line's own hash made true again after a forgery, as a careful forger would.
fn rehash(line: &str) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    record.as_object_mut().unwrap().remove("hash");
    let bare = serde_json_canonicalizer::to_vec(&record).unwrap();
    record["hash"] = json!(store::sha256_hex(&bare));
    String::from_utf8(serde_json_canonicalizer::to_vec(&record).unwrap()).unwrap()
}

#[test]
fn a_sound_journal_is_clean() {
    let dir = dir();
    let head = journal(dir.path(), 5).head().clone();
    let report = audited(dir.path(), &[(5, head.hash.clone())]);
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.records, &report.head), (5, &head));
    assert_eq!(report.heads[&5], head.hash);
    assert_eq!(report.run, "slice-1");
}

#[test]
fn each_fault_is_one_finding_and_the_audit_goes_on() {
    for (from, to, expected) in [
        ("\"n\":2", "\"n\":9", &[("bad_hash", 2)][..]),
        (
            "\"n\":2",
            "\"n\":2.0",
            &[("not_canonical", 2), ("bad_hash", 2)],
        ),
        ("\"n\":2,", "", &[("bad_hash", 2)]),
        ("\n", "\n{}\n", &[("bad_record", 2)]),
        (
            "\"seq\":2",
            "\"seq\":7",
            &[("bad_hash", 2), ("wrong_seq", 2), ("wrong_seq", 3)],
        ),
        (
            "27.003Z",
            "26.003Z",
            &[("bad_hash", 3), ("time_went_back", 3)],
        ),
    ] {
        let dir = dir();
        journal(dir.path(), 4);
        forge(dir.path(), from, to);
        assert_eq!(
            faults(&audited(dir.path(), &[])),
            expected,
            "{from} -> {to}"
        );
    }
}

#[test]
fn a_careful_forger_breaks_the_chain_or_the_claims() {
    let dir = dir();
    let claim = journal(dir.path(), 3).head().clone();
    let claims = [(claim.seq, claim.hash)];
    let text = fs::read_to_string(file(dir.path())).unwrap();
    let lines: Vec<&str> = text.lines().collect();

    // In the middle: the next record still names the old hash.
    let middle = rehash(&lines[1].replace("\"n\":2", "\"n\":9"));
    fs::write(
        file(dir.path()),
        format!("{}\n{middle}\n{}\n", lines[0], lines[2]),
    )
    .unwrap();
    assert_eq!(faults(&audited(dir.path(), &claims)), [("broken_chain", 3)]);

    // At the end: only somebody who noted the head can tell.
    let last = rehash(&lines[2].replace("\"n\":3", "\"n\":9"));
    fs::write(
        file(dir.path()),
        format!("{}\n{}\n{last}\n", lines[0], lines[1]),
    )
    .unwrap();
    assert!(audited(dir.path(), &[]).is_clean());
    let rewritten = audited(dir.path(), &claims);
    assert_eq!(faults(&rewritten), [("head_mismatch", 3)]);
    assert!(rewritten.findings[0].what.contains("rewritten"));

    fs::write(file(dir.path()), format!("{}\n{}\n", lines[0], lines[1])).unwrap();
    assert!(audited(dir.path(), &[]).is_clean());
    let cut = audited(dir.path(), &claims);
    assert_eq!(faults(&cut), [("head_mismatch", 3)]);
    assert!(cut.findings[0].what.contains("missing"));
}

#[test]
fn tails_limits_and_undecodable_records_are_findings() {
    let dir = dir();
    journal(dir.path(), 3);
    let mut bytes = fs::read(file(dir.path())).unwrap();
    bytes.extend_from_slice(b"{");
    fs::write(file(dir.path()), &bytes).unwrap();
    let against = Audit {
        claims: &[],
        not_after: Some(Time(1_794_709_527_002)),
    };
    let report = audit(dir.path(), &run(), against, |record| {
        if record.seq == 1 {
            Err("unknown kind".into())
        } else {
            Ok(())
        }
    });
    let report = report.unwrap();
    let expected = [("undecodable", 1), ("from_the_future", 3), ("torn_tail", 4)];
    assert_eq!(faults(&report), expected);
    assert_eq!(fs::read(file(dir.path())).unwrap(), bytes);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["findings"][2]["code"], "torn_tail");
}

#[test]
fn findings_are_bounded_and_a_missing_journal_is_an_error() {
    let dir = dir();
    let none = audit(dir.path(), &run(), Audit::default(), |_| Ok(()));
    assert_eq!(none.unwrap_err().code(), "journal_missing");
    fs::write(file(dir.path()), "rubbish\n".repeat(1_500)).unwrap();
    let report = audited(dir.path(), &[]);
    assert_eq!(
        (report.findings.len(), report.left_out, report.records),
        (1_000, 500, 0)
    );
}
