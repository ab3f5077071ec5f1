//! Versioned kinds: `moved.v2` is the second shape of `moved`. It refuses a kind without a
//! version, because a record that nobody can date can never change its shape.

/// Splits `moved.v2` into `("moved", 2)`; none if it is not a name, `.v` and a whole number from 1.
///
/// Names are of `a-z`, `0-9`, `_`, `-` and `.`, and begin with a letter, so that they never need
/// escaping in JSON.
pub fn split_kind(kind: &str) -> Option<(&str, u32)> {
    let (name, version) = kind.rsplit_once(".v")?;
    let good_name =
        name.bytes().all(is_kind_byte) && name.starts_with(|c: char| c.is_ascii_lowercase());
    // `parse` alone would take `+1` and `01`: two texts for one version.
    let good_version = version.bytes().all(|b| b.is_ascii_digit()) && !version.starts_with('0');
    if !good_name || !good_version {
        return None;
    }
    Some((name, version.parse().ok()?))
}

pub(crate) fn is_kind_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_name_and_version() {
        assert_eq!(split_kind("moved.v1"), Some(("moved", 1)));
        assert_eq!(split_kind("task.ended.v12"), Some(("task.ended", 12)));
        assert_eq!(split_kind("a.v1.v2"), Some(("a.v1", 2)));
    }

    #[test]
    fn refuses_a_kind_without_a_version() {
        for kind in [
            "",
            "moved",
            "moved.v",
            "moved.v0",
            "moved.v01",
            "moved.v+1",
            ".v1",
            "Moved.v1",
            "mo ved.v1",
            "mo\"ved.v1",
            "moved.v99999999999",
            "9.v1",
        ] {
            assert_eq!(split_kind(kind), None, "{kind}");
        }
    }
}
