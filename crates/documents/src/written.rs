//! Other people's text in our Markdown. What an agent wrote must not be able to add a heading, a
//! section or a list item to a file whose structure means something.

/// The text on one line, without control characters.
pub fn line(text: &str) -> String {
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

/// The text as an item of a list: its blanks as they are, and its further lines below the first, none of
/// which is a heading, an underline of one, or a fence.
pub fn item(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.trim().lines().enumerate() {
        let line: String = line
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let (line, start) = (line.trim_end(), line.trim());
        if index > 0 {
            out.push_str(if line.is_empty() { "\n" } else { "\n  " });
        }
        let ruled = |mark: char| !start.is_empty() && start.chars().all(|c| c == mark || c == ' ');
        let marks = ["#", "```", "~~~", "<"]
            .iter()
            .any(|mark| start.starts_with(mark));
        if marks || ruled('=') || ruled('-') {
            out.push('\\');
            out.push_str(start);
        } else {
            out.push_str(line);
        }
    }
    out
}

/// The text on its own lines, none of which is a heading, an underline of one, or a fence.
pub fn block(text: &str) -> String {
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
        assert_eq!(
            item("returns `a\\n  b  c`\n\n  two\tmore \n## B\n---\n"),
            "returns `a\\n  b  c`\n\n    two more\n  \\## B\n  \\---"
        );
        assert_eq!(item("## B"), "\\## B");
        assert_eq!(item("`x` is kept"), "`x` is kept");
    }
}
