//! The statements themselves, by the in-toto Attestation Framework: what they are about, and what they say.
//! They hold names, verdicts and hashes; no code and no brief.

use super::{Place, Told};
use kernel::machine::Activity;
use kernel::outcome::Worth;
use report::gate::{Answer, Check, Gate, latest};
use serde_json::{Value, json};

/// The form of a statement.
pub(super) const STATEMENT: &str = "https://in-toto.io/Statement/v1";
/// What each says.
pub(super) const LINK: &str = "https://in-toto.io/attestation/link/v0.3";
pub(super) const TEST_RESULT: &str = "https://in-toto.io/attestation/test-result/v0.1";
pub(super) const SUMMARY: &str = "https://slsa.dev/verification_summary/v1";
/// Who decided what, which nobody else has a form for.
pub(super) const DECISIONS: &str = "proofhouse:decisions/v1";

pub(super) const PASSED: &str = "PASSED";
const FAILED: &str = "FAILED";

/// What the workflow came to: the policy that the summary names.
pub(super) fn result(told: &Told) -> &'static str {
    match told.activity {
        Activity::Done => PASSED,
        _ => FAILED,
    }
}

/// The run up to a record, as a subject.
pub(super) fn record(run: &str, seq: u64, hash: &str) -> Value {
    json!({
        "name": format!("proofhouse:run/{run}@{seq}"),
        "digest": {"sha256": hash},
        "annotations": {"run": run, "seq": seq},
    })
}

/// What every statement of a run is about: the journal's head, which shows that nothing was cut, and commits.
fn subjects(told: &Told) -> Vec<Value> {
    let mut subjects = vec![record(&told.run, told.head.seq, &told.head.hash)];
    let commits = told.commits.iter();
    subjects.extend(
        commits.map(|(name, commit)| json!({"name": name, "digest": {"gitCommit": commit}})),
    );
    let files = told.files.iter();
    subjects.extend(files.map(|(name, hash)| json!({"name": name, "digest": {"sha256": hash}})));
    subjects
}

fn statement(kind: &str, subject: Vec<Value>, predicate: Value) -> Value {
    json!({"_type": STATEMENT, "subject": subject, "predicateType": kind, "predicate": predicate})
}

/// One gate: what it judged, with which commands, and what each check said.
pub(super) fn link(told: &Told, (gate, place, tree): &(Gate, Place, Option<String>)) -> Value {
    let mut subject = subjects(told);
    if place.seq != told.head.seq {
        subject.push(record(&told.run, place.seq, &place.hash));
    }
    let made = tree.iter();
    subject.extend(made.map(|tree| json!({"name": "git:tree", "digest": {"gitTree": tree}})));
    let mut trees: Vec<&str> = gate.checks.iter().map(|one| one.tree.as_str()).collect();
    trees.retain(|tree| !tree.is_empty());
    trees.sort_unstable();
    trees.dedup();
    let materials = trees
        .iter()
        .map(|tree| json!({"name": "tree", "digest": {"sha256": tree}}));
    let ran = gate.checks.iter().filter(|one| !one.argv.is_empty());
    let command: Vec<&String> = ran.take(1).flat_map(|one| &one.argv).collect();
    let checks: Vec<Value> = gate.checks.iter().map(check).collect();
    let predicate = json!({
        "name": format!("{}/{}", gate.state, gate.effect),
        "command": command,
        "materials": materials.collect::<Vec<Value>>(),
        "byproducts": {
            "passed": gate.passed,
            "at": gate.at,
            "millis": gate.millis,
            "checks": checks,
        },
        "environment": {"proofhouse": env!("CARGO_PKG_VERSION")},
    });
    statement(LINK, subject, predicate)
}

/// The same in the older form, which layouts are verified against: a step is a state, its product the record.
pub(super) fn former_link(told: &Told, (gate, place, _): &(Gate, Place, Option<String>)) -> Value {
    let of = |name: &str, digest: &str| (name.to_owned(), json!({"sha256": digest}));
    let trees = gate.checks.iter().map(|one| one.tree.as_str());
    let trees = trees
        .filter(|tree| !tree.is_empty())
        .map(|tree| of("tree", tree));
    let head = of(&format!("run/{}", told.run), &told.head.hash);
    let own = of(&format!("gate/{}", gate.state), &place.hash);
    let ran = gate.checks.iter().filter(|one| !one.argv.is_empty());
    let command: Vec<&String> = ran.take(1).flat_map(|one| &one.argv).collect();
    json!({
        "_type": "link",
        "name": gate.state,
        "command": command,
        "materials": trees.collect::<serde_json::Map<String, Value>>(),
        "products": serde_json::Map::from_iter([head, own]),
        "byproducts": {"return-value": 0, "passed": gate.passed},
        "environment": {"proofhouse": env!("CARGO_PKG_VERSION")},
    })
}

fn check(check: &Check) -> Value {
    let mut said = json!({
        "check": check.check,
        "verdict": check.verdict(),
        "worth": check.worth,
        "evidence": check.evidence.iter().map(|one| &one.hash).collect::<Vec<_>>(),
    });
    if !check.argv.is_empty() {
        said["argv"] = json!(check.argv);
        said["exit"] = json!(check.exit);
        said["millis"] = json!(check.millis);
    }
    if !check.said_by.is_empty() {
        said["said_by"] = json!(check.said_by);
    }
    said
}

/// The last gate of every state, the newest first.
fn last(told: &Told) -> Vec<(String, Check)> {
    let gates = told.gates.iter().rev().map(|(gate, ..)| gate.clone());
    let gates: Vec<Gate> = gates.collect();
    let mut checks = Vec::new();
    for gate in latest(&gates) {
        let of = gate.checks.iter();
        checks.extend(of.map(|one| (format!("{}: {}", gate.state, one.check), one.clone())));
    }
    checks
}

/// What stands of all gates at the end.
pub(super) fn test_result(told: &Told) -> Value {
    let checks = last(told);
    let of = |wanted: &dyn Fn(Answer) -> bool| -> Vec<String> {
        let named = checks.iter().filter(|(_, one)| wanted(one.answer));
        named.map(|(name, _)| name.clone()).collect()
    };
    let passed = of(&|one| one == Answer::Passed);
    let warned = of(&|one| one == Answer::Noted);
    let failed = of(&|one| matches!(one, Answer::Failed | Answer::CouldNotRun));
    let result = match (failed.is_empty(), warned.is_empty()) {
        (false, _) => FAILED,
        (true, false) => "WARNED",
        (true, true) => PASSED,
    };
    let predicate = json!({
        "result": result,
        "configuration": [{
            "name": format!("proofhouse:workflow/{}", told.workflow),
            "digest": {"sha256": told.workflow_hash},
        }],
        "passedTests": passed,
        "warnedTests": warned,
        "failedTests": failed,
    });
    statement(TEST_RESULT, subjects(told), predicate)
}

/// Every word of a person, with their signature and the record that it was given on.
pub(super) fn decisions(told: &Told) -> Value {
    let decisions = told.decisions.iter().map(|(at, decision, place)| {
        json!({
            "run": place.run,
            "seq": place.seq,
            "at": at,
            // What was signed names the record before.
            "head": place.prev,
            "decision": decision,
        })
    });
    let predicate = json!({"decisions": decisions.collect::<Vec<Value>>()});
    statement(DECISIONS, subjects(told), predicate)
}

/// The verdict, and the hash of every other envelope: none of them can be left out.
pub(super) fn summary(told: &Told, inputs: &[String]) -> Value {
    let checks = last(told);
    let shown = |worth: &Worth| {
        let mut passed = checks.iter();
        passed.any(|(_, one)| one.answer == Answer::Passed && one.worth == worth.as_str())
    };
    let level = match Worth::ALL.into_iter().rev().find(shown) {
        Some(worth) => format!("PROOFHOUSE_{}", worth.as_str().to_ascii_uppercase()),
        None => "PROOFHOUSE_UNMEASURED".to_owned(),
    };
    let result = result(told);
    let levels = match result {
        PASSED => level,
        _ => FAILED.to_owned(),
    };
    let inputs = inputs
        .iter()
        .map(|hash| json!({"digest": {"sha256": hash}}));
    let predicate = json!({
        "verifier": {"id": "proofhouse:audit"},
        "timeVerified": told.at,
        "resourceUri": format!("proofhouse:run/{}", told.run),
        "policy": {
            "uri": format!("proofhouse:workflow/{}", told.workflow),
            "digest": {"sha256": told.workflow_hash},
        },
        "inputAttestations": inputs.collect::<Vec<Value>>(),
        "verificationResult": result,
        "verifiedLevels": [levels],
    });
    statement(SUMMARY, subjects(told), predicate)
}
