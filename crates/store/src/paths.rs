//! Paths as text, for records and listings. It does not lose anything: a name that is not UTF-8
//! gets a spelling that leads back to exactly its bytes.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// No relative path begins like this, so that an encoded name is never mistaken for a real one,
/// nor taken to be inside a folder that it only seems to be in.
const ENCODED: &str = "/bytes:";

/// The path as text: itself if it is UTF-8, else [`decode_path`]'s spelling with percent signs.
pub fn encode_path(path: &Path) -> String {
    if let Some(text) = path.to_str()
        && !text.starts_with(ENCODED)
    {
        return text.to_owned();
    }
    let mut text = ENCODED.to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'!'..=b'~' if *byte != b'%' => text.push(char::from(*byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The path that [`encode_path`] spelled so; none if it cannot have.
pub fn decode_path(text: &str) -> Option<PathBuf> {
    let Some(encoded) = text.strip_prefix(ENCODED) else {
        return Some(PathBuf::from(text));
    };
    let mut bytes = Vec::new();
    let mut rest = encoded.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        // `from_str_radix` alone would take a sign.
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_spelling_and_comes_back() {
        for (bytes, text) in [
            (&b"src/main.rs"[..], "src/main.rs"),
            ("é/100%25 \n".as_bytes(), "é/100%25 \n"),
            (b"src/\xff 1%.txt", "/bytes:src/%FF%201%25.txt"),
            (b"/bytes:a", "/bytes:/bytes:a"),
            (b"/etc", "/etc"),
        ] {
            let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            assert_eq!(encode_path(&path), text);
            assert_eq!(decode_path(text), Some(path));
        }
        for text in ["/bytes:%F", "/bytes:%+F", "/bytes:%é1"] {
            assert_eq!(decode_path(text), None, "{text}");
        }
    }
}
