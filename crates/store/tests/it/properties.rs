//! Whatever the bodies are and wherever the file is cut or damaged.

use crate::*;
use proptest::prelude::*;
use std::fs;
use store::{Audit, audit};

fn body() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1i64 << 53)..1 << 53).prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |f| f.is_finite())
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!("\",\"hash\":\"")),
    ];
    let nested = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object(inner),
        ]
    });
    object(nested)
}

fn object(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::btree_map(any::<String>(), values, 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// Numbers by value: canonical JSON writes 5.0 as 5.
fn by_value(value: &Value) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body_comes_back_and_passes_the_audit(bodies in prop::collection::vec(body(), 1..6)) {
        let dir = dir();
        let entry = |(at, body): (usize, &Value)| Entry {
            at: Time(at as u64), kind: "any.v1".into(), body: body.clone(),
        };
        let all: Vec<Entry> = bodies.iter().enumerate().map(entry).collect();
        let mut journal = Journal::create(dir.path(), &run()).unwrap();
        journal.append(0, &all).unwrap();
        let mut found = Vec::new();
        Journal::read(dir.path(), &run(), Replay::default(), |record| {
            found.push(by_value(&record.body_as()?));
            Ok(())
        }).unwrap();
        prop_assert_eq!(found, bodies.iter().map(by_value).collect::<Vec<_>>());
        let report = audit(dir.path(), &run(), Audit::default(), |_| Ok(())).unwrap();
        prop_assert!(report.is_clean(), "{:?}", report);
    }

    #[test]
    fn a_cut_anywhere_loses_only_what_it_cuts(keep in 0.0..1.0f64) {
        let dir = dir();
        journal(dir.path(), 5);
        let bytes = fs::read(file(dir.path())).unwrap();
        let length = (bytes.len() as f64 * keep) as usize;
        fs::write(file(dir.path()), &bytes[..length]).unwrap();
        let whole = bytes[..length].iter().filter(|b| **b == b'\n').count() as u64;
        let mut opened = Journal::open(dir.path(), &run()).unwrap();
        prop_assert_eq!(opened.journal.head().seq, whole);
        let kept = opened.torn.map_or(Vec::new(), |torn| fs::read(torn.kept_in).unwrap());
        let mut put_together = fs::read(file(dir.path())).unwrap();
        put_together.extend(kept);
        prop_assert_eq!(&put_together, &bytes[..length]);
        opened.journal.append(whole, &entries(whole + 1..7)).unwrap();
        prop_assert_eq!(numbers(dir.path()).unwrap(), (1..7).collect::<Vec<_>>());
    }

    #[test]
    fn a_damaged_byte_never_passes(at in 0.0..1.0f64, flip in 1..=255u8) {
        let dir = dir();
        journal(dir.path(), 5);
        let mut bytes = fs::read(file(dir.path())).unwrap();
        let place = (bytes.len() as f64 * at) as usize;
        bytes[place] ^= flip;
        fs::write(file(dir.path()), &bytes).unwrap();
        let before = bytes[..place].iter().filter(|b| **b == b'\n').count() as u64;
        let mut seen = Vec::new();
        let read = Journal::read(dir.path(), &run(), Replay::default(), |record| {
            seen.push(number(&record.body_as()?));
            Ok(())
        });
        // Only the last newline can be damaged without a wrong record: then the tail is torn.
        prop_assert!(read.is_err() || read.unwrap().torn.is_some());
        prop_assert_eq!(seen, (1..=before).collect::<Vec<_>>());
        let report = audit(dir.path(), &run(), Audit::default(), |_| Ok(())).unwrap();
        prop_assert!(!report.is_clean());
    }
}
