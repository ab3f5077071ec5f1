//! Stored facts outlive the version that wrote them: an old reader takes what a newer writer adds,
//! a new reader takes what an old writer left out.

use kernel::event::{Body, DecodeError};
use serde_json::{Value, json};

/// For each kind its oldest form (only what was required from the start) and its fullest.
fn samples(kind: &str) -> Option<(Value, Value)> {
    let hash = "0123456789abcdef";
    let evidence = json!([{"hash": hash, "name": "brief", "size": 12}]);
    Some(match kind {
        "run_started.v1" => (
            json!({
                "run": "r1", "workflow": "w", "workflow_hash": hash, "autonomy": "auto",
                "mode": {"pace": "flowing", "risk": "normal"},
            }),
            json!({
                "run": "r1", "workflow": "w", "workflow_hash": hash, "autonomy": "manual",
                "mode": {"pace": "stepped", "risk": "high"}, "budgets": {"tokens": 5},
                "fields": {"Objective": "x"}, "task": "tasks/one", "commands": ["cargo test"],
                "agent": "scripted:FILE",
            }),
        ),
        "session_opened.v1" => {
            let only = json!({"session": "s", "version": "0.1.0"});
            (only.clone(), only)
        }
        "tail_cut.v1" => {
            let only = json!({"bytes": 7, "kept_in": "torn/r1"});
            (only.clone(), only)
        }
        "effect_began.v1" => (
            json!({"effect": 3, "kind": "attempt", "state": "build"}),
            json!({"effect": 3, "kind": "gate", "state": "build", "role": "coder", "subject": "T-1", "wall_millis": 9}),
        ),
        "attempt_ended.v1" => (
            json!({"effect": 3, "outcome": {"class": "done", "reason": "it ended"}}),
            json!({
                "effect": 3, "found": "after_restart",
                "outcome": {
                    "class": "invalid_result", "reason": "no", "result": {"answer": [1, "two"]},
                    "request": "verify", "fields": {"Current result": "x"},
                    "usage": {"input_tokens": 1, "output_tokens": 2, "micro_dollars": 3},
                    "tree_before": hash, "tree_after": hash, "changed": ["src/a.rs"],
                    "evidence": evidence,
                },
            }),
        ),
        "gate_ended.v1" => (
            json!({"effect": 4, "results": []}),
            json!({
                "effect": 4, "found": "live",
                "results": [{
                    "check": "command: true", "verdict": "could_not_run", "reason": "no shell",
                    "evidence": evidence,
                    "ran": {
                        "argv": ["true"], "exit": 1, "killed": "wall limit", "tree": hash,
                        "output": hash, "millis": 5,
                    },
                }],
            }),
        ),
        "checkpoint_ended.v1" => (
            json!({"effect": 5}),
            json!({"effect": 5, "commit": hash, "problem": "none"}),
        ),
        "effect_lost.v1" => {
            let only = json!({"effect": 6, "reason": "the engine was restarted"});
            (only.clone(), only)
        }
        "late_dropped.v1" => {
            let only = json!({"effect": 6, "said": "attempt done: x"});
            (only.clone(), only)
        }
        "moved.v1" => (
            json!({
                "action": "built", "by": "engine", "from": "build",
                "position": {"state": "verify", "autonomy": "auto"},
            }),
            json!({
                "action": "built", "arrival": "entered", "by": "human", "from": "build",
                "position": {
                    "state": "verify", "slot": "build", "counts": {"repair": 2}, "passes": 1,
                    "hold": {"hold": "approval", "action": "built", "to": "verify"},
                    "autonomy": "conservative", "stopped": true,
                },
                "why": "the gate passed",
            }),
        ),
        "rewound.v1" => (
            json!({
                "commit": hash, "from": "verify",
                "position": {"state": "build", "autonomy": "auto"},
            }),
            json!({
                "commit": hash, "from": "verify", "why": "ada said `rewind`",
                "position": {
                    "state": "build", "slot": "verify", "counts": {"repair": 2}, "passes": 1,
                    "autonomy": "conservative", "stopped": true,
                },
            }),
        ),
        "refused.v1" => (
            json!({"refusal": {"code": "c", "what": "w", "mend": "m"}}),
            json!({"effect": 3, "refusal": {"code": "c", "what": "w", "mend": "m"}}),
        ),
        "decided.v1" => {
            let only = json!({
                "option": "approve", "because": "b", "who": "ada", "channel": "terminal",
                "seen_seq": 9,
            });
            let mut full = only.clone();
            full["with"] = json!({"task": "T-a-001"});
            (only, full)
        }
        "noted.v1" => (
            json!({"name": "task_shipped.v1"}),
            json!({"name": "task_shipped.v1", "body": {"task": "T-a-001"}}),
        ),
        "fields_edited.v1" => (
            json!({"fields": {}}),
            json!({"fields": {"Objective": "another"}}),
        ),
        "snapshot_taken.v1" => {
            let old = json!({
                "iteration": 1, "id": "S-0001", "header": [["Slice ID", "S-0001"]],
                "fails": {"exit": 0}, "evidence": [], "facts": [], "open": [], "resolved": [],
            });
            let full = json!({
                "iteration": 2, "parent": 1, "id": "S-0001", "header": [["Slice ID", "S-0001"]],
                "last_run": {"gate": "exit", "passed": false}, "fails": {"exit": 1},
                "evidence": [{"id": "E-0001", "from": "scout", "lines": ["a.rs:1", "| x"]}],
                "facts": [{"id": "F-0001", "kind": "fact", "text": "t", "evidence": ["E-0001"]}],
                "open": [{"id": "I-0001", "text": "t", "next": "fix", "gate": "exit"}],
                "resolved": [{"id": "I-0002", "text": "t", "by": "E-0001"}],
            });
            let taken = |content| json!({"file": "context/iter-0001.md", "hash": "h", "text": "t", "content": content});
            (taken(old), taken(full))
        }
        _ => return None,
    })
}

fn both(kind: &str) -> [Value; 2] {
    let (oldest, full) = samples(kind)
        .unwrap_or_else(|| panic!("`{kind}` has no sample: write its oldest and its fullest form"));
    [oldest, full]
}

fn decode(kind: &str, value: &Value) -> Body {
    Body::decode(kind, &value.to_string()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// Maps from names that people choose: anything in them is data, not a member.
const MAPS: [&str; 7] = [
    "budgets", "fields", "counts", "result", "with", "body", "fails",
];

/// A newer writer's record: one more member in every struct.
fn from_the_future(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: serde_json::Map<String, Value> = members
                .iter()
                .map(|(name, value)| {
                    let inner = if MAPS.contains(&name.as_str()) {
                        value.clone()
                    } else {
                        from_the_future(value)
                    };
                    (name.clone(), inner)
                })
                .collect();
            members.insert("added_later".to_owned(), json!({"deep": [null, 1]}));
            Value::Object(members)
        }
        Value::Array(items) => items.iter().map(from_the_future).collect(),
        other => other.clone(),
    }
}

#[test]
fn every_kind_has_an_old_reader_and_new_writer_test() {
    for kind in Body::KINDS {
        for sample in both(kind) {
            let body = decode(kind, &sample);
            assert_eq!(body.kind(), *kind);
            let newer = from_the_future(&sample);
            assert_ne!(newer, sample);
            assert_eq!(
                decode(kind, &newer),
                body,
                "{kind} ignores what it does not know"
            );
        }
    }
}

#[test]
fn every_kind_survives_being_written_and_read() {
    for kind in Body::KINDS {
        for sample in both(kind) {
            let body = decode(kind, &sample);
            let written = body.to_value();
            assert_eq!(decode(kind, &written), body, "{kind}");
            let members = sample.as_object().expect("a struct");
            for name in members.keys() {
                assert!(written.get(name).is_some(), "{kind}: `{name}` was lost");
            }
        }
        let [_, full] = both(kind);
        assert_eq!(decode(kind, &full).to_value(), full, "{kind}: full form");
    }
}

#[test]
fn what_was_required_from_the_start_stays_required() {
    for kind in Body::KINDS {
        let [oldest, _] = both(kind);
        for name in oldest.as_object().expect("a struct").keys() {
            let mut lacking = oldest.clone();
            lacking.as_object_mut().expect("a struct").remove(name);
            let refused = Body::decode(kind, &lacking.to_string());
            assert!(
                matches!(refused, Err(DecodeError::Malformed { .. })),
                "{kind} without `{name}`: the sample is not the oldest form"
            );
        }
    }
}

#[test]
fn kinds_are_versioned_and_unique() {
    let mut kinds = Body::KINDS.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), Body::KINDS.len());
    assert!(kinds.iter().all(|kind| kind.ends_with(".v1")));
}

#[test]
fn an_unknown_kind_is_refused_not_guessed() {
    for kind in ["moved.v2", "moved", "", "MOVED.v1"] {
        let refused = Body::decode(kind, "{}");
        assert_eq!(refused, Err(DecodeError::UnknownKind(kind.to_owned())));
    }
}

#[test]
fn every_hold_survives_with_unknown_members() {
    for hold in [
        json!({"hold": "approval", "action": "go", "to": "done"}),
        json!({"hold": "step"}),
        json!({"hold": "budget", "name": "tokens"}),
        json!({"hold": "stall"}),
        json!({"hold": "risk"}),
        json!({"hold": "trouble"}),
    ] {
        let [mut moved, _] = both("moved.v1");
        moved["position"]["hold"] = hold.clone();
        let body = decode("moved.v1", &moved);
        assert_eq!(body.to_value()["position"]["hold"], hold);
        assert_eq!(decode("moved.v1", &from_the_future(&moved)), body);
    }
}

/// Replay must see what the live machine saw, also where a result is JSON's `null`.
#[test]
fn a_null_result_is_not_an_absent_one() {
    let [mut ended, _] = both("attempt_ended.v1");
    let absent = decode("attempt_ended.v1", &ended);
    ended["outcome"]["result"] = Value::Null;
    let null = decode("attempt_ended.v1", &ended);
    assert_ne!(null, absent);
    assert_eq!(decode("attempt_ended.v1", &null.to_value()), null);
}
