//! Characters that nobody sees on a screen and every program reads: they turn a line around, hide text,
//! or carry a message to the next reader that no person notices. One list, for whoever shows what others
//! wrote. It does not say what to do about them.

use std::borrow::Cow;

/// Is it a control, or a character without a shape? Those of line breaks and tabs are controls too.
/// The two that only choose between a letter and a picture are not: [`is_unseen_behind`] tells whether there is
/// anything to choose.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
                | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
                | 0xFDD0..=0xFDEF | 0xFE00..=0xFE0D | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
                | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
        )
        // The last two of every plane are no characters.
        || u32::from(c) & 0xFFFE == 0xFFFE
}

/// The same where it is known what stands before: what chooses between a letter and a picture is seen behind
/// something that has both forms, once, and is a message to programs everywhere else.
pub fn is_unseen_behind(before: Option<char>, c: char) -> bool {
    match c {
        '\u{fe0e}' | '\u{fe0f}' => !before.is_some_and(has_picture),
        c => is_unseen(c),
    }
}

fn has_picture(c: char) -> bool {
    matches!(
        u32::from(c),
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2194..=0x2199 | 0x21A9 | 0x21AA
            | 0x231A | 0x231B | 0x2328 | 0x23CF | 0x23E9..=0x23FA | 0x24C2 | 0x25AA..=0x25FE
            | 0x2600..=0x27BF | 0x2934 | 0x2935 | 0x2B05..=0x2B55 | 0x3030 | 0x303D | 0x3297
            | 0x3299 | 0x1F000..=0x1FAFF
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
        if is_unseen_behind(text[..at].chars().next_back(), c) {
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
    fn what_chooses_a_form_is_seen_where_there_is_one_to_choose() {
        let hidden = |text: &str| first_unseen(text).map(|(at, _)| at);
        assert_eq!(
            hidden("warning \u{26a0}\u{fe0f} and \u{2764}\u{fe0e}"),
            None
        );
        assert_eq!(hidden("a\u{fe0f}"), Some(1));
        assert_eq!(hidden("\u{fe0e}"), Some(0));
        assert_eq!(hidden("\u{26a0}\u{fe0f}\u{fe0f}"), Some(6));
    }

    #[test]
    fn what_has_no_shape_is_told_from_what_has_one() {
        let tag = char::from_u32(0xE0041).unwrap();
        let selector = char::from_u32(0xE0100).unwrap();
        for c in [
            '\u{1b}',
            '\n',
            '\u{200b}',
            '\u{202e}',
            '\u{2800}',
            '\u{feff}',
            '\u{fffe}',
            '\u{10ffff}',
            tag,
            selector,
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
