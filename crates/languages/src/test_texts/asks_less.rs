//! Does a text of tests ask for less than it did? Lines may be added to it, and what was there stays; and what
//! is added may not end a test early or put a condition around what it asks.

use crate::one_line;

/// What a text of tests lost, in words; none: it asks for what it asked for, and for more maybe. `whole` is
/// the file that it was in.
pub fn asks_less(
    path: &str,
    (was, is): (&str, &str),
    whole: &str,
    additions: bool,
) -> Option<String> {
    let lost = lost_line(was, is, whole).filter(|_| !super::holds(path, was, is));
    let added = || {
        let what = super::weakens(path, was, is).filter(|_| additions)?;
        Some(format!(": {what}"))
    };
    lost.or_else(added)
}

/// The first line of the earlier text that the later one does not have, in their order: where it stood,
/// in the whole file, inside of what, and what it said. None if all of them are still there.
fn lost_line(earlier: &str, later: &str, whole: &str) -> Option<String> {
    let mut later = later.lines().map(str::trim);
    let mut lines = earlier.lines().enumerate();
    let (at, line) = lines.find(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !later.any(|other| other == line)
    })?;
    let depth = |line: &str| line.len() - line.trim_start().len();
    let before: Vec<&str> = earlier.lines().take(at).collect();
    let mut around = before.iter().rev();
    let around = around.find(|one| !one.trim().is_empty() && depth(one) < depth(line));
    let inside = around.map_or_else(String::new, |one| format!(" in `{}`", one_line(one, 80)));
    let at = whole.lines().position(|one| one == line).unwrap_or(at);
    Some(format!(
        ": line {}{inside} was `{}` and is gone or another now",
        at + 1,
        one_line(line, 120)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_may_be_added_to_and_not_taken_from() {
        let old = "fn a() {\n    assert_eq!(1, 1);\n}\n";
        assert_eq!(
            lost_line(old, &format!("use x;\n{old}\nfn b() {{}}\n"), old),
            None
        );
        let lost = lost_line(old, "fn a() {\n}\n", old).unwrap();
        assert_eq!(
            lost,
            ": line 2 in `fn a() {` was `assert_eq!(1, 1);` and is gone or another now"
        );
        let other = "fn a() {\n    assert_eq!(1, 2);\n}\n";
        let whole = format!("use x;\n\n{old}");
        let lost = lost_line(old, other, &whole).unwrap();
        assert!(lost.contains("line 4"), "{lost}");
    }
}
