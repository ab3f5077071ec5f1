//! RFC 8785 text of a JSON value. Strings and small integers are written here, because appends
//! and audits spend most of their time on them; numbers with a fraction or beyond 2^53 are left
//! to `serde_json_canonicalizer`, whose number text is proven against V8. It refuses nothing: what
//! may be journaled at all is `encode`'s decision.

use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use std::io::Write;

/// JSON readers keep integers exact up to here; RFC 8785 rounds those beyond.
pub(crate) const LARGEST_INTEGER: u64 = 1 << 53;

/// Appends the value's canonical text. The error is one of serialisation and does not happen for
/// values that were parsed.
pub(crate) fn write(value: &Value, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(number, out)?,
        Value::String(text) => write_string(text, out)?,
        Value::Array(items) => {
            let mut before = b'[';
            for item in items {
                out.push(before);
                before = b',';
                write(item, out)?;
            }
            close(before, b"[]", out);
        }
        Value::Object(members) => write_object(members, out)?,
    }
    Ok(())
}

fn write_object(members: &Map<String, Value>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    // Sorted here although maps are sorted by default: another crate in the binary may turn on
    // `serde_json/preserve_order`, and the order of bytes is not quite the order of UTF-16.
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| utf16_order(a, b));
    let mut before = b'{';
    for (key, value) in sorted {
        out.push(before);
        before = b',';
        write_string(key, out)?;
        out.push(b':');
        write(value, out)?;
    }
    close(before, b"{}", out);
    Ok(())
}

/// Closes a list; one that was never opened, since it had no items, is both brackets.
fn close(before: u8, brackets: &[u8; 2], out: &mut Vec<u8>) {
    if before == brackets[0] {
        out.push(brackets[0]);
    }
    out.push(brackets[1]);
}

fn utf16_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        a.cmp(b)
    } else {
        a.encode_utf16().cmp(b.encode_utf16())
    }
}

fn write_string(text: &str, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let plain = text.bytes().all(|b| b >= b' ' && b != b'"' && b != b'\\');
    if plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return Ok(());
    }
    // serde_json escapes exactly what RFC 8785 wants escaped, and in the same way.
    serde_json::to_writer(out, text)
}

fn write_number(number: &Number, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match magnitude(number) {
        Some(size) if size <= LARGEST_INTEGER => {
            if number.as_u64().is_none() {
                out.push(b'-');
            }
            write!(out, "{size}").map_err(serde_json::Error::io)
        }
        Some(_) | None => serde_json_canonicalizer::to_writer(number, out),
    }
}

/// The size of an integer without its sign; none for a number with a fraction.
pub(crate) fn magnitude(number: &Number) -> Option<u64> {
    number
        .as_u64()
        .or_else(|| number.as_i64().map(i64::unsigned_abs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn agrees(value: &Value) {
        let mut ours = Vec::new();
        write(value, &mut ours).unwrap();
        let theirs = serde_json_canonicalizer::to_vec(value).unwrap();
        assert_eq!(String::from_utf8(ours), String::from_utf8(theirs));
    }

    #[test]
    fn agrees_with_the_reference_where_it_is_easy_to_be_wrong() {
        let controls: String = (0..0x21u8).map(char::from).collect();
        for value in [
            json!([]),
            json!({}),
            json!([[], {}, [1, [2]]]),
            json!(controls),
            json!("\"\\/\u{7f}\u{2028}é"),
            json!({"\u{fb33}": 1, "\u{1f600}": 2, "é": 3, "z": 4, "": 5, "\r": 6, "10": 7, "9": 8}),
            json!([
                0,
                -1,
                u64::MAX,
                i64::MIN,
                1u64 << 53,
                (1u64 << 53) + 1,
                -(1i64 << 53)
            ]),
            json!([
                0.0,
                -0.0,
                1.0,
                1e21,
                1e-7,
                5e-324,
                1e16,
                0.1,
                333_333_333.333_333_3
            ]),
        ] {
            agrees(&value);
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\\x00-\\x7f]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_the_reference_on_any_value(value in any_value()) {
            agrees(&value);
        }
    }
}
