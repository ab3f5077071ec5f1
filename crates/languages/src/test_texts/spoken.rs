//! Which lines of a source are code: those that do not begin inside of a text of several lines or a remark.
//! It knows what opens and closes those, and nothing else of a language.

/// A line, and whether it begins in code.
pub(super) struct Spoken<'t> {
    pub(super) line: &'t str,
    pub(super) is_code: bool,
}

/// What a line begins inside of.
enum Inside {
    Code,
    /// A remark of several lines.
    Remark,
    /// A text that ends with this.
    Text(String),
}

/// The lines of a text.
pub(super) fn spoken<'t>(path: &str, text: &'t str) -> Vec<Spoken<'t>> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut inside = Inside::Code;
    let mut found = Vec::new();
    for line in text.split(['\n', '\r']) {
        let is_code = matches!(inside, Inside::Code);
        found.push(Spoken { line, is_code });
        inside = after(ending, line, inside);
    }
    found
}

/// What stands open behind a line.
fn after(ending: &str, line: &str, mut inside: Inside) -> Inside {
    let mut rest = line;
    loop {
        match inside {
            Inside::Remark => match rest.split_once("*/") {
                Some((_, behind)) => (inside, rest) = (Inside::Code, behind),
                None => return Inside::Remark,
            },
            Inside::Text(end) => match closed(rest, &end) {
                Some(behind) => (inside, rest) = (Inside::Code, behind),
                // A quote of one line ends with it.
                None if end.len() == 1 && end != "`" && ending != "rs" => return Inside::Code,
                None => return Inside::Text(end),
            },
            Inside::Code => match opened(ending, rest) {
                Some((next, behind)) => (inside, rest) = (next, behind),
                None => return Inside::Code,
            },
        }
    }
}

/// What is left behind the end of a text.
fn closed<'t>(rest: &'t str, end: &str) -> Option<&'t str> {
    let raw = end.ends_with('#') || end == "r";
    let end = if end == "r" { "\"" } else { end };
    let mut at = 0;
    while at < rest.len() {
        let here = &rest[at..];
        if let Some(behind) = here.strip_prefix(end) {
            return Some(behind);
        }
        let mut chars = here.chars();
        let first = chars.next()?;
        at += first.len_utf8();
        if first == '\\' && !raw {
            at += chars.next().map_or(0, char::len_utf8);
        }
    }
    None
}

/// The first thing that a line of code opens, and what is left behind that.
fn opened<'t>(ending: &str, rest: &'t str) -> Option<(Inside, &'t str)> {
    let (python, rust) = (ending == "py", ending == "rs");
    let text = |end: &str, behind: &'t str| Some((Inside::Text(end.to_owned()), behind));
    for (at, char) in rest.char_indices() {
        let here = &rest[at..];
        match char {
            '#' if python => return None,
            '/' if !python && here.starts_with("//") => return None,
            '/' if !python && here.starts_with("/*") => return Some((Inside::Remark, &here[2..])),
            '"' | '\'' if python && here[1..].starts_with(&here[..1].repeat(2)) => {
                return text(&here[..3], &here[3..]);
            }
            '`' if !python && !rust => return text("`", &here[1..]),
            'r' if rust => {
                let hashes = here[1..].chars().take_while(|one| *one == '#').count();
                if here[1 + hashes..].starts_with('"') {
                    let end = match hashes {
                        0 => "r".to_owned(),
                        _ => format!("\"{}", "#".repeat(hashes)),
                    };
                    return text(&end, &here[hashes + 2..]);
                }
            }
            // A lifetime, or one letter.
            '\'' if rust => {
                let mut letters = here[1..].chars();
                let escaped = letters.next() == Some('\\');
                let skipped = if escaped { 3 } else { 2 };
                let behind = here[1..].char_indices().nth(skipped - 1);
                if let Some((end, '\'')) = behind {
                    return opened(ending, &here[end + 2..]);
                }
            }
            '"' | '\'' => return text(&here[..1], &here[1..]),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(path: &str, text: &str) -> String {
        let lines = spoken(path, text).into_iter();
        let said = lines.map(|one| if one.is_code { 'c' } else { '.' });
        said.collect()
    }

    #[test]
    fn texts_and_remarks_of_several_lines_are_no_code() {
        assert_eq!(code("a.py", "a = \"\"\"x\nb\n\"\"\"\nc"), "c..c");
        assert_eq!(code("a.py", "a = '\"\"\"'\nb # \"\"\"\nc"), "ccc");
        assert_eq!(code("a.py", "a = \"it's\"\nb"), "cc");
        assert_eq!(code("a.js", "a /* b\nc\n*/ d\ne // /*\nf"), "c..cc");
        assert_eq!(code("a.js", "a = `b\nc ${d}\n`\ne = \"`\"\nf"), "c..cc");
        assert_eq!(
            code("a.rs", "let a = \"b\nc\";\nlet d = '\"';\nfn e<'f>() {}\ng"),
            "c.ccc"
        );
        assert_eq!(
            code("a.rs", "let a = r#\"b\"\nc\"#;\nd\nlet e = '\\'';\nf"),
            "c.ccc"
        );
        assert_eq!(code("a.go", "a := `b\n\"c`\nd"), "c.c");
    }
}
