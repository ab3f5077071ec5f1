//! Inputs and wants as data that is carried between processes of different versions: what a newer one
//! adds is ignored, what an older one did not write has a default, and what nobody knows is refused.

use kernel::Decision;
use kernel::effect::{Access, Allowance, Proven, Revert, Sight};
use kernel::event::{Note, RunStarted};
use kernel::outcome::Found;
use kernel::{
    AttemptOrder, CheckResult, CheckSpec, CheckpointOrder, Class, Effect, EffectId, GateOrder,
    Mode, Outcome, StateName, Time, Usage, Verdict, What,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

fn effects() -> Vec<Effect> {
    let attempt = AttemptOrder {
        id: EffectId(3),
        state: StateName::from("implement"),
        role: "coder".to_owned(),
        subject: "T-001".to_owned(),
        access: Access::Edit,
        sight: Sight::default(),
        nth: 2,
        brief: "# Work\n".to_owned(),
        wall_millis: 60_000,
        allowance: Allowance::default(),
        not_before: Some(Time(1_794_709_527_123)),
        continues: Some(EffectId(2)),
        session: Some(EffectId(2)),
        again: Some("again".into()),
        sealed: BTreeMap::from([("spec".to_owned(), "aa".to_owned())]),
        papers: BTreeMap::from([("findings.md".to_owned(), "- all".to_owned())]),
        change: Some("c0ffee".to_owned()),
    };
    let bare = AttemptOrder {
        not_before: None,
        continues: None,
        session: None,
        again: None,
        papers: BTreeMap::new(),
        change: None,
        ..attempt.clone()
    };
    let gate = GateOrder {
        id: EffectId(4),
        state: StateName::from("verify"),
        subject: String::new(),
        attempt: Some(EffectId(3)),
        checks: vec![CheckSpec {
            check: "command".to_owned(),
            with: json!({"shell": "true"}),
            weight: Default::default(),
            shows: None,
            code: None,
        }],
        fields: BTreeMap::from([("Phase".to_owned(), "verify".to_owned())]),
        frozen: BTreeMap::new(),
        standing: BTreeSet::from([StateName::from("plan")]),
        known: BTreeMap::new(),
        commits: BTreeMap::from([(StateName::from("plan"), "c0ffee".to_owned())]),
        proven: Some(Proven {
            commit: "c0ffee".to_owned(),
            worth: "reported".to_owned(),
        }),
        wall_millis: 1,
    };
    let checkpoint = CheckpointOrder {
        id: EffectId(5),
        subject: "work".to_owned(),
        tree: Some("0ddba11".to_owned()),
        revert: Some(Revert {
            to: Some("c0ffee".to_owned()),
            paths: vec!["repo/a".to_owned()],
        }),
    };
    vec![
        Effect::Attempt(attempt),
        Effect::Attempt(bare),
        Effect::Gate(gate),
        Effect::Checkpoint(checkpoint),
    ]
}

fn inputs() -> Vec<What> {
    let effect = EffectId(3);
    let started = RunStarted {
        run: "r".into(),
        workflow: "phase".to_owned(),
        workflow_hash: "h".to_owned(),
        autonomy: Default::default(),
        mode: Mode::default(),
        budgets: BTreeMap::new(),
        fields: BTreeMap::new(),
        task: String::new(),
        commands: Vec::new(),
        agent: String::new(),
        sandbox_waived_by: None,
        sandbox_waived_through: None,
        sandbox_waiver_signature: None,
        own_tree: None,
        signers: None,
        forked: None,
        commands_found: false,
        unconfined: false,
        instead_of_built_in: false,
        weak: kernel::Weak::Suffices,
    };
    vec![
        What::Start(Box::new(started)),
        What::Open {
            session: "s1".to_owned(),
            version: "1".to_owned(),
        },
        What::TailCut {
            bytes: 17,
            kept_in: "torn".to_owned(),
        },
        What::Advance,
        What::Begin(effect),
        What::AttemptEnded {
            effect,
            outcome: Box::new(Outcome::bare(Class::Done, "done")),
            found: Found::AfterRestart,
        },
        What::GateEnded {
            effect,
            results: vec![CheckResult::new("command", Verdict::Pass, "ok")],
            tree: Some("0ddba11".to_owned()),
            found: Found::Live,
        },
        What::CheckpointEnded {
            effect,
            commit: Ok("c0ffee".to_owned()),
        },
        What::CheckpointEnded {
            effect,
            commit: Err("locked".to_owned()),
        },
        What::Lost {
            seen: None,
            effect,
            reason: "gone".to_owned(),
            usage: Usage::default(),
        },
        What::Decide(Decision {
            option: "approve".to_owned(),
            because: "seen".to_owned(),
            who: "ann".to_owned(),
            channel: "terminal".to_owned(),
            seen_seq: 7,
            tree: String::new(),
            with: Value::Null,
            signature: None,
        }),
        What::Edited {
            fields: BTreeMap::from([("Objective".to_owned(), "x".to_owned())]),
        },
        What::Note(Note {
            name: "task_shipped.v1".to_owned(),
            body: json!({}),
        }),
    ]
}

/// Members that a newer version might add, in every struct of ours. What is a map by nature, or a
/// `Result`, gets none.
fn newer(value: &mut Value) {
    const MAPS: [&str; 11] = [
        "papers", "sealed", "fields", "frozen", "known", "commits", "budgets", "with", "commit",
        "body", "froze",
    ];
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let payload = name == "with" && members_of_an_input(member);
                if !MAPS.contains(&name.as_str()) || payload {
                    newer(member);
                }
            }
            members.insert("of_a_newer_version".to_owned(), json!({"more": [1]}));
        }
        Value::Array(items) => items.iter_mut().for_each(newer),
        _ => {}
    }
}

/// `with` is the content of an input, and in a check its settings.
fn members_of_an_input(with: &Value) -> bool {
    with.get("shell").is_none()
}

/// Helpers of tests are tests: a panic is how they say no.
#[allow(clippy::unwrap_used)]
fn carried<T: Serialize + DeserializeOwned + PartialEq + Debug>(all: Vec<T>) {
    for one in all {
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), one, "{text}");
        let mut from_newer: Value = serde_json::from_str(&text).unwrap();
        newer(&mut from_newer);
        let text = from_newer.to_string();
        assert!(text.contains("of_a_newer_version"), "{text}");
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), one, "{text}");
    }
}

#[test]
fn an_older_reader_takes_what_a_newer_writer_carries() {
    carried(effects());
    carried(inputs());
}

/// As this version writes them; later versions must read these texts.
#[test]
fn a_newer_reader_takes_what_an_older_writer_carried() {
    let effect: Effect = serde_json::from_str(
        r##"{"effect":"attempt","id":3,"state":"implement","role":"coder","subject":"","access":"edit","sight":{"sees":["**"],"hidden":[],"scope":["**"]},"nth":1,"brief":"# Work\n","wall_millis":60000,"allowance":{"micro_dollars":5,"tokens":6},"sealed":{}}"##,
    )
    .unwrap();
    assert_eq!(effect.id(), EffectId(3));
    let input: What = serde_json::from_str(
        r#"{"what":"attempt_ended","with":{"effect":3,"outcome":{"class":"done","reason":"done"}}}"#,
    )
    .unwrap();
    assert!(matches!(
        input,
        What::AttemptEnded {
            found: Found::Live,
            ..
        }
    ));
    let input: What = serde_json::from_str(r#"{"what":"begin","with":3}"#).unwrap();
    assert_eq!(input, What::Begin(EffectId(3)));
    let input: What = serde_json::from_str(r#"{"what":"advance"}"#).unwrap();
    assert_eq!(input, What::Advance);
}

#[test]
fn what_nobody_knows_is_refused() {
    assert!(serde_json::from_str::<Effect>(r#"{"effect":"teleport","id":3}"#).is_err());
    assert!(serde_json::from_str::<What>(r#"{"what":"rumour","with":{}}"#).is_err());
}
