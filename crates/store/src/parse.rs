//! How a line becomes a record. It refuses a line whose envelope is not canonical JSON; the body's
//! own canonical form is the audit's business, since the hash already ties the body down.

use crate::canonical::{self, LARGEST_INTEGER};
use crate::fault::Fault;
use crate::hash::{HexHash, is_hash};
use crate::kind::{is_kind_byte, split_kind};
use crate::record::RecordRef;
use kernel::Time;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A record and the two pieces of its line that the hash covers.
pub(crate) struct Parsed<'a> {
    pub(crate) record: RecordRef<'a>,
    before_hash: &'a str,
    after_hash: &'a str,
}

impl Parsed<'_> {
    /// The hash that the record should have. Keys are sorted and the line is canonical, so the
    /// record without its `hash` is the line without that member: no second serialisation.
    pub(crate) fn computed_hash(&self) -> HexHash {
        HexHash::of(&[self.before_hash.as_bytes(), self.after_hash.as_bytes()])
    }
}

const HASH_KEY: &str = "\"hash\":\"";

/// Reads a line without its newline.
pub(crate) fn parse(line: &[u8]) -> Result<Parsed<'_>, Fault> {
    let line = std::str::from_utf8(line).map_err(|_| Fault::NotText)?;
    let parsed = match parse_exact(line) {
        Some(parsed) => parsed,
        None => parse_any(line)?,
    };
    let record = &parsed.record;
    if split_kind(record.kind).is_none() {
        return Err(Fault::Kind(record.kind.to_owned()));
    }
    if record.seq > LARGEST_INTEGER {
        return Err(Fault::SeqTooLarge);
    }
    if !is_hash(record.hash.as_bytes()) || !is_hash(record.prev.as_bytes()) {
        return Err(Fault::NoHash);
    }
    Ok(parsed)
}

/// The shape that this version writes, taken apart from both ends. Everything after the body has
/// a fixed alphabet without quotes, so nothing inside the body can be mistaken for it.
fn parse_exact(line: &str) -> Option<Parsed<'_>> {
    let rest = line.strip_prefix("{\"at\":\"")?;
    let (at, rest) = rest.split_at_checked(24)?;
    let rest = rest.strip_prefix("\",\"body\":")?;
    let body_from = line.len() - rest.len();

    let (rest, seq) = split_tail(rest.strip_suffix('}')?, |b| b.is_ascii_digit());
    let rest = rest.strip_suffix("\",\"seq\":")?;
    let (rest, prev) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    let rest = rest.strip_suffix("\",\"prev\":\"")?;
    let (rest, kind) = split_tail(rest, is_kind_byte);
    let rest = rest.strip_suffix("\",\"kind\":\"")?;
    let (rest, hash) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    let body = rest.strip_suffix(HASH_KEY)?.strip_suffix(',')?;

    if seq.starts_with('0') || !body.starts_with('{') || !body.ends_with('}') {
        return None;
    }
    let hash_from = body_from + body.len() + 1;
    let record = RecordRef {
        at: Time::parse(at)?,
        body: serde_json::from_str(body).ok()?,
        hash,
        kind,
        prev,
        seq: seq.parse().ok()?,
    };
    Some(without_hash(line, record, hash_from))
}

fn split_tail(text: &str, belongs: fn(u8) -> bool) -> (&str, &str) {
    let length = text.bytes().rev().take_while(|b| belongs(*b)).count();
    // Only ASCII was counted, so this is a boundary between characters.
    text.split_at(text.len() - length)
}

fn without_hash<'a>(line: &'a str, record: RecordRef<'a>, hash_from: usize) -> Parsed<'a> {
    Parsed {
        record,
        before_hash: &line[..hash_from],
        after_hash: &line[hash_from + HASH_KEY.len() + record.hash.len() + "\",".len()..],
    }
}

/// The envelope of this or a later version: members that we do not know are hashed, not read.
#[derive(Deserialize)]
struct Envelope<'a> {
    at: Time,
    #[serde(borrow)]
    body: &'a RawValue,
    hash: &'a str,
    kind: &'a str,
    prev: &'a str,
    seq: u64,
}

/// The slow way, for lines with members that a later version added.
fn parse_any(line: &str) -> Result<Parsed<'_>, Fault> {
    let envelope: Envelope<'_> = serde_json::from_str(line).map_err(Fault::NoRecord)?;
    if canonical(line).as_deref() != Some(line.as_bytes()) {
        return Err(Fault::NotCanonical);
    }
    if !envelope.body.get().starts_with('{') {
        return Err(Fault::NoObject);
    }
    // The borrowed hash points into the line, which says where its member is without a search
    // that a body could fool.
    let value_from = envelope.hash.as_ptr() as usize - line.as_ptr() as usize;
    let hash_from = value_from - HASH_KEY.len();
    let record = RecordRef {
        at: envelope.at,
        body: envelope.body,
        hash: envelope.hash,
        kind: envelope.kind,
        prev: envelope.prev,
        seq: envelope.seq,
    };
    Ok(without_hash(line, record, hash_from))
}

/// The line in RFC 8785 form; none if it is not JSON at all.
pub(crate) fn canonical(line: &str) -> Option<Vec<u8>> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let mut text = Vec::with_capacity(line.len());
    canonical::write(&value, &mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::encode;
    use crate::{Entry, Head};
    use serde_json::json;

    /// A record as a later version might write it, with a true hash.
    fn with_members(extra: &[(&str, serde_json::Value)]) -> Vec<u8> {
        let mut record = json!({
            "at": "2026-11-15T02:25:27.123Z", "body": {"to": "\"hash\":\"x\","}, "kind": "moved.v1",
            "prev": crate::NO_HASH, "seq": 1,
        });
        for (key, value) in extra {
            record[*key] = value.clone();
        }
        let bare = serde_json_canonicalizer::to_vec(&record).unwrap();
        record["hash"] = json!(crate::sha256_hex(&bare));
        serde_json_canonicalizer::to_vec(&record).unwrap()
    }

    #[test]
    fn the_fast_and_the_slow_way_agree() {
        let line = String::from_utf8(with_members(&[])).unwrap();
        let fast = parse_exact(&line).unwrap();
        let slow = parse_any(&line).unwrap();
        assert_eq!(fast.computed_hash().as_str(), fast.record.hash);
        assert_eq!(slow.computed_hash().as_str(), slow.record.hash);
        assert_eq!(fast.before_hash, slow.before_hash);
        assert_eq!(fast.record.body.get(), slow.record.body.get());
    }

    #[test]
    fn an_old_reader_tolerates_members_of_a_later_version() {
        for extra in [
            &[("aa", json!(1))][..],
            &[("by", json!({"who": "x"})), ("zone", json!("é"))],
            &[
                ("hat", json!([])),
                ("hush", json!(null)),
                ("seven", json!(7)),
            ],
        ] {
            let line = with_members(extra);
            let parsed = parse(&line).unwrap();
            assert_eq!(parsed.computed_hash().as_str(), parsed.record.hash);
            assert_eq!((parsed.record.seq, parsed.record.kind), (1, "moved.v1"));
        }
        let head: Head = serde_json::from_value(json!({"seq": 1, "hash": "h", "new": 1})).unwrap();
        assert_eq!(head.seq, 1);
    }

    #[test]
    fn refuses_what_is_not_a_canonical_record() {
        let good = String::from_utf8(with_members(&[])).unwrap();
        for (from, to) in [
            ("{\"at\"", "{ \"at\""),
            ("\"seq\":1", "\"seq\":01"),
            ("\"seq\":1", "\"seq\":1.0"),
            ("\"seq\":1", "\"seq\":18446744073709551615"),
            ("\"seq\":1", "\"seq\":1,\"seq\":1"),
            ("moved.v1", "moved"),
            ("moved.v1", "m\\u006fved.v1"),
            ("\"body\":{", "\"body\":[{"),
            ("27.123Z", "27Z"),
            ("\"prev\":\"0", "\"prev\":\"G"),
            ("\"kind\"", "\"kinds\""),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(good, bad);
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse(b"\xff").is_err());
        assert!(parse(b"").is_err());
        assert!(parse(b"null").is_err());
    }

    #[test]
    fn bodies_decode_by_themselves() {
        let entry = Entry {
            at: Time(0),
            kind: "n.v1".into(),
            body: json!({"n": 3, "later": true}),
        };
        let head = Head {
            seq: 0,
            hash: crate::NO_HASH.into(),
        };
        let (bytes, _) = encode(&head, &[entry]).unwrap();
        #[derive(Deserialize)]
        struct Body {
            n: u8,
        }
        let record = parse(bytes.strip_suffix(b"\n").unwrap()).unwrap().record;
        assert_eq!(record.body_as::<Body>().unwrap().n, 3);
        assert!(
            record
                .body_as::<u8>()
                .unwrap_err()
                .to_string()
                .contains("n.v1")
        );
    }
}
