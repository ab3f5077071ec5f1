//! SHA-256 in lowercase hex, the only hash here. It refuses other spellings of the same hash, so
//! that two hashes are equal exactly if their texts are.

use sha2::{Digest, Sha256};

/// The `prev` of a journal's first record: 64 zeros.
pub const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// SHA-256 of the bytes, in lowercase hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    HexHash::of(&[bytes]).as_str().to_owned()
}

/// Whether the text is a SHA-256 as this crate writes it.
pub(crate) fn is_hash(text: &[u8]) -> bool {
    text.len() == 64 && text.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Sixty-four hex digits on the stack: replay hashes millions of records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct HexHash([u8; 64]);

impl HexHash {
    /// Hashes the parts as if they were one text.
    pub(crate) fn of(parts: &[&[u8]]) -> HexHash {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part);
        }
        HexHash::finish(hasher)
    }

    pub(crate) fn finish(hasher: Sha256) -> HexHash {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(hasher.finalize()) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        HexHash(hex)
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("hex digits are ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_the_known_vectors() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), abc);
        assert_eq!(HexHash::of(&[b"a", b"", b"bc"]).as_str(), abc);
        assert!(is_hash(abc.as_bytes()) && is_hash(NO_HASH.as_bytes()));
    }

    #[test]
    fn refuses_other_spellings() {
        for text in [
            &NO_HASH[1..],
            &"A".repeat(64),
            &"g".repeat(64),
            "../../etc/passwd",
        ] {
            assert!(!is_hash(text.as_bytes()), "{text}");
        }
    }
}
