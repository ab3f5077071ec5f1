//! Characters that nobody sees on a screen and every program reads: they turn a line around, hide text,
//! or carry a message to the next reader that no person notices. One list, for whoever shows what others
//! wrote. It does not say what to do about them.

use std::borrow::Cow;

/// Is it a control, or a character without a shape? Those of line breaks and tabs are controls too.
/// The two that only choose between a letter and a picture are not.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
                | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164
                | 0xFE00..=0xFE0D | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
                | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
        )
}

/// The first such character of a text but line breaks and tabs, and where it stands. Pages are long and
/// such characters rare, so plain letters are passed over as the bytes that they are.
pub fn first_unseen(text: &str) -> Option<(usize, char)> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let mut at = 0;
    while let Some(passed) = text.as_bytes()[at..].iter().position(|byte| !plain(byte)) {
        at += passed;
        let c = text[at..].chars().next()?;
        if is_unseen(c) {
            return Some((at, c));
        }
        at += c.len_utf8();
    }
    None
}

/// A file's name as people can read it, on one line: what cannot be seen is spelt out, a line break as well.
pub fn spelt(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_unseen) {
        return Cow::Borrowed(name);
    }
    let spelt = name.chars().map(|c| match c {
        '\\' => "\\\\".to_owned(),
        c if is_unseen(c) => c.escape_default().to_string(),
        c => c.to_string(),
    });
    Cow::Owned(spelt.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_on_one_line() {
        assert_eq!(spelt("a b\\c é"), "a b\\c é");
        assert_eq!(spelt("a\n\\b\u{202e}\t"), r"a\n\\b\u{202e}\t");
    }

    #[test]
    fn the_first_one_is_found_where_it_stands() {
        assert_eq!(first_unseen("plain,\n\tand é ✓"), None);
        assert_eq!(first_unseen("é\r\n"), Some((2, '\r')));
        assert_eq!(first_unseen("a✓\u{200b}\u{1b}"), Some((4, '\u{200b}')));
        assert_eq!(first_unseen("\u{7f}"), Some((0, '\u{7f}')));
    }

    #[test]
    fn what_has_no_shape_is_told_from_what_has_one() {
        let tag = char::from_u32(0xE0041).unwrap();
        let selector = char::from_u32(0xE0100).unwrap();
        for c in [
            '\u{1b}', '\n', '\u{200b}', '\u{202e}', '\u{feff}', tag, selector,
        ] {
            assert!(is_unseen(c), "{:x}", u32::from(c));
        }
        for c in [
            'a',
            ' ',
            '\u{a0}',
            'é',
            '✓',
            '\u{fe0f}',
            '漢',
            '\u{1f600}',
            '\u{301}',
        ] {
            assert!(!is_unseen(c), "{:x}", u32::from(c));
        }
    }
}
