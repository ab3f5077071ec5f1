//! What others wrote on one line: reports of runners and reasons of checks are cut alike.

/// At most `cap` characters on one line, without control characters: output may hold terminal
/// escapes, and a reason is shown in terminals.
pub fn one_line(text: &str, cap: usize) -> String {
    let clean: String = text
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect();
    let words: Vec<&str> = clean.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= cap {
        return line;
    }
    let mut cut: String = line.chars().take(cap.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn lines_are_short_and_clean() {
        assert_eq!(one_line("a\n\u{1b}[31mb\t c", 100), "a [31mb c");
        assert_eq!(one_line("éééé", 3), "éé…");
    }
}
