//! Other people's text in our Markdown. What an agent wrote must not be able to add a heading, a
//! section or a list item to a file whose structure means something.

/// The text on one line, without control characters.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The text on its own lines, none of which is a heading, an underline of one, or a fence.
pub(crate) fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.trim().lines().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let line: String = line
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let start = line.trim_start();
        let marks = start.starts_with(['#', '=', '`', '~', '<'])
            || (index > 0 && !start.is_empty() && start.chars().all(|c| c == '-' || c == ' '));
        if marks {
            out.push('\\');
            out.push_str(start.trim_end());
        } else {
            out.push_str(line.trim_end());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_add_structure() {
        assert_eq!(line("a\n## B\r\n\u{1b}- c"), "a ## B - c");
        assert_eq!(
            block("a\n## B\n  # C\n---\n\nd\n"),
            "a\n\\## B\n\\# C\n\\---\n\nd"
        );
        assert_eq!(block("- kept\n1. kept"), "- kept\n1. kept");
    }
}
