//! SARIF 2.1.0, for code scanning.

use super::{Audited, Level, told};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The whole report.
pub fn sarif(audited: &Audited<'_>) -> Value {
    let told = told(audited);
    let codes: std::collections::BTreeSet<&str> = told.iter().map(|one| one.code).collect();
    let rules: BTreeMap<&str, usize> = codes.into_iter().zip(0..).collect();
    let results: Vec<Value> = told
        .iter()
        .map(|one| {
            json!({
                "ruleId": one.code,
                "ruleIndex": rules[one.code],
                "level": match one.level {
                    Level::Error => "error",
                    Level::Warning => "warning",
                    Level::Note => "note",
                },
                "message": {"text": one.what},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": uri(one.file), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": one.line},
                }}],
                "partialFingerprints": {"proofhouseFinding/v1": one.fingerprint},
            })
        })
        .collect();
    let rule = |code: &&str| {
        let words = code.replace('_', " ");
        let of_it = told.iter().filter(|one| one.code == *code);
        let severity = match of_it.map(|one| one.level).max() {
            Some(Level::Error) | None => "error",
            Some(Level::Warning) => "warning",
            // What code scanning calls a note.
            Some(Level::Note) => "recommendation",
        };
        json!({
            "id": code,
            "name": name(code),
            "shortDescription": {"text": format!("Proofhouse: {words}.")},
            "fullDescription": {"text": format!("The audit of a run says `{code}`.")},
            "help": {"text": format!("What `{code}` means, and the way on, is in docs/codes.md of Proofhouse.")},
            "properties": {"tags": ["proofhouse", "audit"], "precision": "very-high", "problem.severity": severity},
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "Proofhouse",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.keys().map(rule).collect::<Vec<_>>(),
            }},
            "automationDetails": {"id": "proofhouse/audit/"},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// `hash_mismatch` as SARIF writes names: `HashMismatch`.
fn name(code: &str) -> String {
    let words = code.split('_');
    let words = words.map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    words.collect()
}

/// A path as a relative address.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
