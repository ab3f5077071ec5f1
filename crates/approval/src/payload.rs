//! A decision that carries more than a word: the hash of what it carries is part of the reason, and
//! the reason is what people sign or confirm. A payload cannot be exchanged for another one.

use serde_json::Value;

fn mark(with: &Value) -> String {
    // Members of a JSON value are sorted, so the same payload has the same text wherever it is read.
    let hash = store::sha256_hex(with.to_string().as_bytes());
    format!("payload sha256 {hash}]")
}

/// The reason as it is signed and journaled. `about` is for the reader: an escalation, say.
pub fn bound(because: &str, about: &str, with: &Value) -> String {
    match (with.is_null(), about) {
        (true, "") => because.to_owned(),
        (true, about) => format!("{because} [{about}]"),
        (false, "") => format!("{because} [{}", mark(with)),
        (false, about) => format!("{because} [{about}, {}", mark(with)),
    }
}

/// Does the reason name this very payload? What carries nothing needs no hash.
pub fn binds(because: &str, with: &Value) -> bool {
    with.is_null() || because.ends_with(&mark(with))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_payload_that_was_exchanged_is_not_the_one_that_was_signed() {
        let with = json!({"task": "T-a-b-c-001", "rationale": "not needed"});
        let because = bound("enough", "ESC-00000001", &with);
        assert!(because.starts_with("enough [ESC-00000001, payload sha256 "));
        assert!(binds(&because, &with));
        let read: Value = serde_json::from_str(&with.to_string()).unwrap();
        assert!(binds(&because, &read), "also after it was stored");
        assert!(!binds(
            &because,
            &json!({"task": "T-a-b-c-002", "rationale": "not needed"})
        ));
        assert!(!binds("enough", &with));
        assert!(binds("enough", &Value::Null));
        assert_eq!(bound("enough", "", &Value::Null), "enough");
    }
}
