//! A secret as other programs spell it: in JSON, in an address, in hexadecimal, in base 64 wherever it
//! begins in what was encoded. It does not spell what is too short to be told from chance.

/// Shorter ones have no spelling but their own and that of JSON.
const LEAST: usize = 12;
const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const IN_ADDRESSES: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The secret itself first, then each other spelling of it, once.
pub fn spellings(secret: &str) -> Vec<String> {
    let secret = secret.trim();
    let mut all = vec![secret.to_owned(), in_json(secret)];
    if secret.len() >= LEAST {
        let hex = |byte: u8| format!("{byte:02x}");
        let small: String = secret.bytes().map(hex).collect();
        all.extend([in_address(secret), small.to_uppercase(), small]);
        for letters in [STANDARD, IN_ADDRESSES] {
            all.extend((0..3).map(|before| base64(secret.as_bytes(), before, letters)));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|one| seen.insert(one.clone()));
    all
}

fn in_json(secret: &str) -> String {
    let quoted = serde_json::Value::from(secret).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn in_address(secret: &str) -> String {
    let mut text = String::new();
    for byte in secret.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The letters that are the same whatever stands around the bytes, if so many stand before them.
fn base64(bytes: &[u8], before: usize, letters: &[u8; 64]) -> String {
    let bit = |at: usize| {
        let byte = (at / 8).checked_sub(before).map_or(0, |at| bytes[at]);
        usize::from(byte >> (7 - at % 8)) & 1
    };
    let (first, end) = ((before * 8).div_ceil(6), (before + bytes.len()) * 8 / 6);
    let letter = |nth: usize| {
        let six = (nth * 6..nth * 6 + 6).fold(0, |sum, at| sum * 2 + bit(at));
        char::from(letters[six])
    };
    (first..end).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redact;

    #[test]
    fn every_spelling_of_a_secret_is_found() {
        let secret = "p@ss/w\"rd+of 1984";
        let all = spellings(secret);
        let exact: Vec<&str> = all.iter().map(String::as_str).collect();
        for text in [
            // Made with other programs: base64, basenc, od, a browser's encodeURIComponent.
            "cEBzcy93InJkK29mIDE5ODQ=",
            "YTpwQHNzL3cicmQrb2YgMTk4NAo=",
            "YWI6cEBzcy93InJkK29mIDE5ODQ6eA==",
            "704073732f772272642b6f662031393834",
            "704073732F772272642B6F662031393834",
            "p%40ss%2Fw%22rd%2Bof%201984",
            r#"{"key":"p@ss/w\"rd+of 1984"}"#,
        ] {
            let clean = redact(text, &exact);
            assert!(
                clean.contains("[redacted]") && clean.len() < text.len() + 6,
                "{text} -> {clean}"
            );
        }
        assert_eq!(spellings("hunter2x"), ["hunter2x"]);
    }
}
