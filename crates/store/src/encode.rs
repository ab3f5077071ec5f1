//! Turning entries into journal lines. It refuses whatever would come back from the disk as
//! something else: a record that changes by being written is worse than none.

use crate::StoreError;
use crate::canonical::{self, LARGEST_INTEGER, magnitude};
use crate::fault::EntryFault;
use crate::hash::HexHash;
use crate::kind::split_kind;
use crate::record::{Entry, Head, MAX_LINE};
use kernel::Time;
use serde_json::Value;

/// `serde_json` reads 128 levels; the envelope is one, and readers may wrap bodies in their own.
const DEEPEST: usize = 100;

/// The lines of the entries, chained on to `head`, and the head after them: the very bytes that a
/// journal's file would hold. For whoever keeps a journal elsewhere than in a file of ours.
pub fn encode(head: &Head, entries: &[Entry]) -> Result<(Vec<u8>, Head), StoreError> {
    let mut lines = Vec::new();
    let mut head = head.clone();
    for entry in entries {
        let before = lines.len();
        head = encode_one(&mut lines, &head, entry).map_err(|fault| bad(entry, fault))?;
        if lines.len() - before > MAX_LINE {
            return Err(bad(entry, EntryFault::TooLong));
        }
    }
    Ok((lines, head))
}

fn bad(entry: &Entry, reason: EntryFault) -> StoreError {
    StoreError::BadEntry {
        kind: entry.kind.clone(),
        reason,
    }
}

fn encode_one(lines: &mut Vec<u8>, head: &Head, entry: &Entry) -> Result<Head, EntryFault> {
    let at = entry.at.to_string();
    if Time::parse(&at) != Some(entry.at) {
        return Err(EntryFault::Time(at));
    }
    if split_kind(&entry.kind).is_none() {
        return Err(EntryFault::Kind);
    }
    if !entry.body.is_object() {
        return Err(EntryFault::NoObject);
    }
    check(&entry.body, 0)?;

    // Written by hand in key order: none of these texts needs escaping, so this is RFC 8785.
    let seq = head.seq + 1;
    let from = lines.len();
    lines.extend_from_slice(b"{\"at\":\"");
    lines.extend_from_slice(at.as_bytes());
    lines.extend_from_slice(b"\",\"body\":");
    canonical::write(&entry.body, lines).map_err(EntryFault::Json)?;
    lines.push(b',');
    let end = format!(
        "\"kind\":\"{}\",\"prev\":\"{}\",\"seq\":{seq}}}",
        entry.kind, head.hash
    );
    let hash = HexHash::of(&[&lines[from..], end.as_bytes()]);
    for part in [
        b"\"hash\":\"",
        hash.as_str().as_bytes(),
        b"\",",
        end.as_bytes(),
        b"\n",
    ] {
        lines.extend_from_slice(part);
    }
    Ok(Head {
        seq,
        hash: hash.as_str().to_owned(),
    })
}

fn check(value: &Value, depth: usize) -> Result<(), EntryFault> {
    if depth > DEEPEST {
        return Err(EntryFault::Deep(DEEPEST));
    }
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
        Value::Number(number) => match magnitude(number) {
            Some(size) if size > LARGEST_INTEGER => Err(EntryFault::Integer(number.clone())),
            Some(_) | None => Ok(()),
        },
        Value::Array(items) => items.iter().try_for_each(|item| check(item, depth + 1)),
        Value::Object(members) => members.values().try_for_each(|item| check(item, depth + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{canonical, parse};
    use serde_json::json;

    fn entry(kind: &str, body: Value) -> Entry {
        Entry {
            at: Time(1_794_709_527_123),
            kind: kind.into(),
            body,
        }
    }

    #[test]
    fn a_line_is_canonical_and_its_hash_is_true() {
        let body = json!({"z": [1.5, -0.0, 1e21], "é": "\u{1f600}\n\"\\", "a": null});
        let (bytes, head) = encode(
            &Head::start(),
            &[entry("moved.v1", body), entry("n.v1", json!({}))],
        )
        .unwrap();
        let lines: Vec<_> = bytes
            .strip_suffix(b"\n")
            .unwrap()
            .split(|b| *b == b'\n')
            .collect();
        assert_eq!((lines.len(), head.seq), (2, 2));
        for line in &lines {
            let parsed = parse(line).unwrap();
            assert_eq!(parsed.computed_hash().as_str(), parsed.record.hash);
            assert_eq!(
                canonical(std::str::from_utf8(line).unwrap()).unwrap(),
                *line
            );
        }
        assert_eq!(parse(lines[1]).unwrap().record.hash, head.hash);
        assert_eq!(
            parse(lines[1]).unwrap().record.prev,
            parse(lines[0]).unwrap().record.hash
        );
    }

    #[test]
    fn the_format_is_pinned() {
        let (bytes, _) = encode(
            &Head::start(),
            &[entry("moved.v1", json!({"to": "verify"}))],
        )
        .unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let bare = format!(
            "{{\"at\":\"2026-11-15T02:25:27.123Z\",\"body\":{{\"to\":\"verify\"}},\"kind\":\"moved.v1\",\"prev\":\"{}\",\"seq\":1}}",
            crate::NO_HASH
        );
        let hash = crate::sha256_hex(bare.as_bytes());
        assert_eq!(
            text,
            format!(
                "{}\n",
                bare.replace("\"kind\"", &format!("\"hash\":\"{hash}\",\"kind\""))
            )
        );
    }

    #[test]
    fn refuses_what_would_change_by_being_written() {
        let mut deep = json!(1);
        for _ in 0..200 {
            deep = json!([deep]);
        }
        for (bad, word) in [
            (entry("moved", json!({})), "version"),
            (entry("moved.v1", json!([])), "object"),
            (entry("moved.v1", json!({"id": u64::MAX})), "2^53"),
            (entry("moved.v1", json!({"a": [{"id": i64::MIN}]})), "2^53"),
            (entry("moved.v1", json!({"deep": deep})), "levels"),
            (
                entry("moved.v1", json!({"text": "x".repeat(MAX_LINE)})),
                "longer",
            ),
            (
                Entry {
                    at: Time(u64::MAX / 1_000),
                    ..entry("moved.v1", json!({}))
                },
                "year",
            ),
        ] {
            let error = encode(&Head::start(), &[bad]).unwrap_err();
            assert_eq!(error.code(), "bad_entry");
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
