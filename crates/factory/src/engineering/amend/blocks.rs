//! The pieces of a file that a name stands for: each line that it stands in, with the attributes and
//! comments right above and all that is indented below it, up to the closing bracket. By the layout
//! of the text and by no language's rules: enough to tell a change of a thing from a change beside it.

/// As a word of its own: `parse` does not stand in `parse_all`.
pub(super) fn stands_in(word: &str, text: &str) -> bool {
    let inner =
        |letter: Option<char>| letter.is_some_and(|one| one.is_alphanumeric() || one == '_');
    let (first, last) = (word.chars().next(), word.chars().next_back());
    text.match_indices(word).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        let glued_before = inner(first) && inner(before);
        let glued_after = inner(last) && inner(after);
        !word.is_empty() && !glued_before && !glued_after
    })
}

/// Is a piece of `before` that a word stands for not in `after` as it was? Another mention of the
/// word, as in a comment, changes no piece.
pub(super) fn touched(word: &str, before: &str, after: &str) -> bool {
    if word.contains('\n') {
        return before.matches(word).count() != after.matches(word).count() || before != after;
    }
    let mut left = of(word, after);
    of(word, before).into_iter().any(|piece| {
        let at = left.iter().position(|other| *other == piece);
        at.map(|at| left.remove(at)).is_none()
    })
}

fn of(word: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for at in (0..lines.len()).filter(|at| stands_in(word, lines[*at])) {
        let above = lines[..at]
            .iter()
            .rev()
            .take_while(|line| goes_before(line));
        let from = at - above.count();
        let below = lines[at + 1..].iter();
        let length = below.take_while(|line| belongs(lines[at], line)).count();
        let piece = lines[from..=at + length].join("\n");
        found.push(piece.trim_end().to_owned());
    }
    found
}

fn indented(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn goes_before(line: &str) -> bool {
    let line = line.trim_start();
    ["#[", "@", "//"].iter().any(|sign| line.starts_with(sign))
}

/// Does a line below this one belong to it?
fn belongs(head: &str, line: &str) -> bool {
    if head.starts_with("# ") || head.starts_with("##") {
        return !line.starts_with('#');
    }
    let bare = line.trim_start();
    let closing = bare.starts_with([')', ']', '}', '{']) || bare.starts_with("where");
    bare.is_empty()
        || indented(line) > indented(head)
        || closing && indented(line) == indented(head)
}
