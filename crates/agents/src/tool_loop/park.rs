//! Long answers: the whole goes into a file, its head and tail to the model.

use super::space::Space;

/// The most of one answer that goes into the conversation.
const INLINE_BYTES: usize = 16 * 1024;
/// Of a longer one, this much of each end.
const END_BYTES: usize = 4 * 1024;

/// The answer, or its two ends and the place of the whole.
pub(super) fn preview(text: &str, space: &Space) -> String {
    if text.len() <= INLINE_BYTES {
        return text.to_owned();
    }
    let (head, tail, left_out) = ends(text, END_BYTES);
    let place = match space.park("output", text) {
        Some(path) => format!("the whole is in {path}; read it from the line you need"),
        None => "the whole could not be kept".to_owned(),
    };
    format!(
        "{head}\n[... {left_out} of {} bytes left out; {place} ...]\n{tail}",
        text.len()
    )
}

/// At most about this many bytes: both ends, and how much is missing.
pub(super) fn shorten(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let (head, tail, left_out) = ends(text, most / 2);
    format!("{head}\n[... {left_out} bytes left out ...]\n{tail}")
}

/// Both ends on character boundaries, and the bytes between them.
fn ends(text: &str, each: usize) -> (&str, &str, usize) {
    let mut head = each.min(text.len());
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len().saturating_sub(each).max(head);
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    (&text[..head], &text[tail..], tail - head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_never_cut_a_character() {
        let text = "ä✓".repeat(50);
        for most in 0..text.len() + 2 {
            let short = shorten(&text, most);
            if most >= text.len() {
                assert_eq!(short, text);
            } else {
                assert!(short.contains("bytes left out"), "{most}");
            }
        }
        assert_eq!(shorten("abcdefgh", 4), "ab\n[... 4 bytes left out ...]\ngh");
    }
}
