//! Escapes in strings. Only text that `scan` has accepted arrives here; half a surrogate pair,
//! which it reports, becomes the replacement character.

/// The content of a string with escapes.
pub(super) fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let letter = rest.as_bytes().first().copied().unwrap_or(b'\\');
        rest = rest.get(1..).unwrap_or("");
        match letter {
            b'u' => {
                let (c, used) = character(rest);
                out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = &rest[used..];
            }
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            other => out.push(char::from(other)),
        }
    }
    out.push_str(rest);
    out
}

/// The character of `XXXX` or of `XXXX\uXXXX`, and how much of the text it took; none for half a
/// pair.
pub(super) fn character(rest: &str) -> (Option<char>, usize) {
    let Some(first) = unit(rest) else {
        return (None, rest.len().min(4));
    };
    if !(0xd800..0xe000).contains(&first) {
        return (char::from_u32(first), 4);
    }
    let second = rest
        .get(4..)
        .and_then(|rest| rest.strip_prefix("\\u"))
        .and_then(unit);
    match second {
        Some(second) if first < 0xdc00 && (0xdc00..0xe000).contains(&second) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            (char::from_u32(code), 10)
        }
        Some(_) | None => (None, 4),
    }
}

fn unit(rest: &str) -> Option<u32> {
    let digits = rest.get(..4)?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex {
        u32::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}
