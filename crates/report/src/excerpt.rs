//! The part of a command's output that says why it failed: the assertion, the compiler's words, the end.

/// The most lines that are shown inline; the whole is kept beside the page.
const MOST: usize = 32;
/// The longest line that is shown.
const WIDEST: usize = 400;
/// Lines before the one that tells.
const BEFORE: usize = 3;

/// What tells best stands first: the words of assertions, then of errors, then of verdicts.
const TELLING: [&[&str]; 3] = [
    &[
        "panicked at",
        "AssertionError",
        "assertion",
        "Assertion",
        "E   ",
        "Expected",
        "expected:",
    ],
    &[
        "error[",
        "error:",
        "Error:",
        "Traceback",
        "fatal:",
        "Exception",
    ],
    &["FAILED", "FAIL", "not ok ", "\u{2715}", "failed"],
];

/// Why it failed, as far as its output says so; the end of the output if nothing in it tells.
pub(crate) fn failure(output: &str) -> String {
    let output = without_colours(output);
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let lines = match lines.iter().rposition(|line| !line.is_empty()) {
        Some(last) => &lines[..=last],
        None => return String::new(),
    };
    let from = match lines.len() <= MOST {
        true => 0,
        false => {
            let telling = TELLING.iter().find_map(|words| {
                let tells = |line: &&str| words.iter().any(|word| line.contains(word));
                lines.iter().position(tells)
            });
            let from = telling.map(|at| at.saturating_sub(BEFORE));
            from.unwrap_or(lines.len()).min(lines.len() - MOST)
        }
    };
    let to = (from + MOST).min(lines.len());
    let mut text = String::new();
    if from > 0 {
        text.push_str(&format!("[{from} lines before]\n"));
    }
    for line in &lines[from..to] {
        text.extend(line.chars().take(WIDEST));
        if line.chars().nth(WIDEST).is_some() {
            text.push_str(" [...]");
        }
        text.push('\n');
    }
    if to < lines.len() {
        text.push_str(&format!("[{} lines after]\n", lines.len() - to));
    }
    text.trim_end().to_owned()
}

/// Without the codes by which terminals colour.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' && rest.next_if_eq(&'[').is_some() {
            // Parameters, then one letter.
            while rest.next().is_some_and(|c| !c.is_ascii_alphabetic()) {}
            continue;
        }
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn the_assertion_is_shown_and_not_the_noise_around_it() {
        let noise = "compiling\n".repeat(100);
        let told = "---- totals stdout ----\nthread 'totals' panicked at src/lib.rs:7:5:\nassertion `left == right` failed\n  left: 3\n right: 4\n";
        let shown = failure(&format!("{noise}\u{1b}[31m{told}\u{1b}[0m{noise}"));
        assert!(shown.starts_with("[98 lines before]\n"), "{shown}");
        assert!(shown.contains("  left: 3\n right: 4\n"), "{shown}");
        assert!(shown.ends_with("lines after]"), "{shown}");
        assert_eq!(failure("short\n\n"), "short");
        assert_eq!(failure(" \n"), "");
        assert!(failure(&noise).ends_with("compiling"));
    }
}
