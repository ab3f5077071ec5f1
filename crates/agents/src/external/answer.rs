//! The result in an agent's last message: the last JSON object in it, fenced or bare. An object that
//! does not close is not there.

use serde_json::Value;

/// Only this much of the end of a message is searched; a result is smaller than that.
const SEARCHED: usize = 2 * crate::result::RESULT_BYTES;

/// The text of the last JSON object of a message.
pub(crate) fn last_object(message: &str) -> Option<&str> {
    let mut from = message.len().saturating_sub(SEARCHED);
    while !message.is_char_boundary(from) {
        from += 1;
    }
    let text = &message[from..];
    let mut found = None;
    let mut at = 0;
    // Forward, so that an object inside an object is not taken for one of its own.
    while let Some(open) = text[at..].find('{') {
        let start = at + open;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        at = match values.next() {
            Some(Ok(Value::Object(_))) => {
                let end = start + values.byte_offset();
                found = Some(&text[start..end]);
                end
            }
            _ => start + 1,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::last_object;

    #[test]
    fn the_last_object_is_found() {
        let cases = [
            ("", None),
            ("no object", None),
            (r#"{"summary":"s"}"#, Some(r#"{"summary":"s"}"#)),
            (
                "First {\"a\":1}, then\n```json\n{\"b\":{\"c\":\"}\"}}\n```\nBye.",
                Some(r#"{"b":{"c":"}"}}"#),
            ),
            ("fn f() { x }\n{\"b\":2}\nfn g() {", Some(r#"{"b":2}"#)),
            ("{\"cut\": \"", None),
            ("{{{{", None),
        ];
        for (text, expected) in cases {
            assert_eq!(last_object(text), expected, "{text}");
        }
        let long = format!("{}{{\"b\":2}}", "ä{".repeat(400_000));
        assert_eq!(last_object(&long), Some(r#"{"b":2}"#));
    }
}
