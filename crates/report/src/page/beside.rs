//! A part of a change with its lines before and after side by side: what was taken away stands beside what came
//! in its place.

use crate::file_change::Hunk;
use maud::{Markup, html};

/// A line: its number, and its text without the sign.
type Numbered<'a> = (u64, &'a str);

/// What stands beside what.
#[derive(Debug, PartialEq, Eq)]
enum Pair<'a> {
    Same(Numbered<'a>, Numbered<'a>),
    Changed(Option<Numbered<'a>>, Option<Numbered<'a>>),
}

fn pairs(hunk: &Hunk) -> Vec<Pair<'_>> {
    let (mut before, mut after) = (hunk.before, hunk.after);
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let mut all = Vec::new();
    for line in &hunk.lines {
        let (sign, text) = line.split_at(line.len().min(1));
        match sign {
            "-" => {
                gone.push((before, text));
                before += 1;
            }
            "+" => {
                come.push((after, text));
                after += 1;
            }
            " " => {
                flush(&mut gone, &mut come, &mut all);
                all.push(Pair::Same((before, text), (after, text)));
                (before, after) = (before + 1, after + 1);
            }
            // That a file ends without a line break is said in the other view.
            _ => {}
        }
    }
    flush(&mut gone, &mut come, &mut all);
    all
}

/// Puts what went beside what came.
fn flush<'a>(gone: &mut Vec<Numbered<'a>>, come: &mut Vec<Numbered<'a>>, all: &mut Vec<Pair<'a>>) {
    for at in 0..gone.len().max(come.len()) {
        all.push(Pair::Changed(gone.get(at).copied(), come.get(at).copied()));
    }
    gone.clear();
    come.clear();
}

/// The part; it is seen where there is room for two columns.
pub(super) fn hunk(hunk: &Hunk) -> Markup {
    html! {
        div.pairs role="table" aria-label="Before and after" {
            @for pair in pairs(hunk) {
                @match pair {
                    Pair::Same(before, after) => div role="row" { (cell("", Some(before))) (cell("", Some(after))) },
                    Pair::Changed(before, after) => div role="row" { (cell("del", before)) (cell("add", after)) },
                }
            }
        }
    }
}

fn cell(class: &str, line: Option<Numbered<'_>>) -> Markup {
    html! {
        @match line {
            Some((number, text)) => span class=(class) role="cell" { i { (number) } code { (text) } },
            None => span.nothing role="cell" {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_stands_beside_what_went() {
        let hunk = Hunk {
            before: 3,
            after: 4,
            about: String::new(),
            lines: [" a", "-b", "-c", "+B", " d", "+e", "\\ No newline"]
                .map(str::to_owned)
                .to_vec(),
        };
        let expected = vec![
            Pair::Same((3, "a"), (4, "a")),
            Pair::Changed(Some((4, "b")), Some((5, "B"))),
            Pair::Changed(Some((5, "c")), None),
            Pair::Same((6, "d"), (6, "d")),
            Pair::Changed(None, Some((7, "e"))),
        ];
        assert_eq!(pairs(&hunk), expected);
    }
}
