//! Private keys as files have them, between two lines of dashes; also one whose end was cut off, and
//! one on a single line of JSON. It does not take a lone heading for a key.

const BEGIN: &str = "-----BEGIN ";
const KIND: &str = "PRIVATE KEY";
const DASHES: &str = "-----";
/// The longest word before `PRIVATE KEY`, such as `OPENSSH`.
const LONGEST_KIND: usize = 24;
/// A body with fewer letters is an example.
const LEAST: usize = 40;

/// The length of the key that begins here.
pub(super) fn at(text: &str) -> Option<usize> {
    let label = text.strip_prefix(BEGIN)?;
    let kind = label.find(KIND).filter(|at| *at <= LONGEST_KIND)?;
    let after = kind + KIND.len();
    // PGP says `PRIVATE KEY BLOCK`.
    let dashes = label[after..]
        .find(DASHES)
        .filter(|at| *at <= LONGEST_KIND)?;
    let start = BEGIN.len() + after + dashes + DASHES.len();
    let body = text[start..]
        .find(|c: char| !(c.is_ascii_alphanumeric() || c.is_whitespace() || "+/=\\:,".contains(c)))
        .unwrap_or(text.len() - start);
    let letters = text[start..start + body].bytes();
    if letters.filter(u8::is_ascii_alphanumeric).count() < LEAST {
        return None;
    }
    let rest = &text[start + body..];
    let end = rest.strip_prefix("-----END ").and_then(|label| {
        let close = label.find(DASHES).filter(|at| *at <= 2 * LONGEST_KIND)?;
        Some("-----END ".len() + close + DASHES.len())
    });
    Some(start + body + end.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use crate::redact::{MARK, redact};

    #[test]
    fn private_keys_go_whole_and_headings_stay() {
        let (line, kind) = ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2), "PRIVATE KEY");
        for key in [
            format!("-----BEGIN {kind}-----\n{line}\n{line}\n-----END {kind}-----"),
            format!("-----BEGIN RSA {kind}-----\\n{line}\\n-----END RSA {kind}-----"),
            format!("-----BEGIN PGP {kind} BLOCK-----\n\n{line}\n-----END PGP {kind} BLOCK-----"),
        ] {
            assert_eq!(redact(&format!("a {key} b"), &[]), format!("a {MARK} b"));
        }
        let cut = format!("-----BEGIN EC {kind}-----\n{line}");
        assert_eq!(redact(&cut, &[]), MARK);
        for text in [
            format!("a file that begins with `-----BEGIN {kind}-----` is hidden"),
            format!("-----BEGIN CERTIFICATE-----\n{line}\n-----END CERTIFICATE-----"),
        ] {
            assert_eq!(redact(&text, &[]), text);
        }
    }
}
