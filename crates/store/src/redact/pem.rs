//! Private keys as files have them, between two lines of dashes; also one whose end was cut off, and
//! one on a single line of JSON. It does not take a lone heading for a key.

pub(super) const BEGIN: &str = "-----BEGIN ";
const KIND: &str = "PRIVATE KEY";
const DASHES: &str = "-----";
/// The longest word before `PRIVATE KEY`, such as `OPENSSH`.
const LONGEST_KIND: usize = 24;
/// A body with fewer letters is an example.
const LEAST: usize = 40;
/// Lines of a key are at least so long, but for its last.
const LEAST_LINE: usize = 40;
/// Lines before the body: what it is encrypted with, and an empty one.
const LONGEST_HEAD: usize = 4;
/// How much may stand between the last line of a body that is known for one and its end.
const LONGEST_GAP: usize = 120;

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
        return quoted(&text[start..]).map(|length| start + length);
    }
    let rest = &text[start + body..];
    let end = rest.strip_prefix("-----END ").and_then(|label| {
        let close = label.find(DASHES).filter(|at| *at <= 2 * LONGEST_KIND)?;
        Some("-----END ".len() + close + DASHES.len())
    });
    Some(start + body + end.unwrap_or(0))
}

/// The length of a body whose lines stand behind something: a sign of a diff or a quotation, a
/// comment, a line's number, a string of a program. Prose has no words as long as a key's lines.
fn quoted(body: &str) -> Option<usize> {
    let longest_word = |line: &str| {
        let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c)));
        words.map(str::len).max().unwrap_or(0)
    };
    let (mut at, mut end, mut of_key) = (0, 0, 0);
    for (number, line) in body.split_inclusive('\n').enumerate() {
        let closes = line.find("-----END ").filter(|_| of_key > 0);
        if let Some(from) = closes {
            let dashes = line[from + DASHES.len()..].find(DASHES);
            return dashes.map(|dashes| at + from + dashes + 2 * DASHES.len());
        }
        at += line.len();
        if longest_word(line) >= LEAST_LINE {
            of_key += 1;
            end = at;
        } else if number > LONGEST_HEAD && at - end > LONGEST_GAP {
            break;
        }
    }
    (of_key > 0).then_some(end)
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
        for prefix in ["> ", "+", "  12\t", "# ", "// ", "| ", " * ", "\""] {
            let lines = [
                format!("-----BEGIN {kind}-----"),
                line.clone(),
                line.clone(),
                "AbC9==".to_owned(),
                format!("-----END {kind}-----"),
            ];
            let text = lines.join(&format!("\n{prefix}"));
            assert_eq!(
                redact(&format!("{prefix}{text} b"), &[]),
                format!("{prefix}{MARK} b")
            );
            // Cut off, with its last line.
            let cut = lines[..3].join(&format!("\n{prefix}"));
            assert_eq!(
                redact(&format!("{prefix}{cut}"), &[]),
                format!("{prefix}{MARK}")
            );
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
