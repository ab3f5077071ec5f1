//! What a command printed, as it is told to whoever must mend what failed.

use kernel::outcome::LEFT_OUT;

/// How much of each end of what a command printed is told to whoever must mend what failed.
const HEAD: usize = 4_000;
const TAIL: usize = 6_000;

/// What a command printed, or both ends of that, cut at lines: a compiler says first what is wrong, and
/// a suite says it last.
pub fn both_ends(printed: &str) -> String {
    let printed = printed.trim_end();
    let count = printed.chars().count();
    if count <= HEAD + TAIL {
        return printed.to_owned();
    }
    let at = |nth: usize| {
        printed
            .char_indices()
            .nth(nth)
            .map_or(printed.len(), |(at, _)| at)
    };
    let (head, tail) = (&printed[..at(HEAD)], &printed[at(count - TAIL)..]);
    let head = head.rsplit_once('\n').map_or(head, |(lines, _)| lines);
    let tail = tail.split_once('\n').map_or(tail, |(_, lines)| lines);
    let left_out = count - head.chars().count() - tail.chars().count();
    format!("{head}\n[{left_out} {LEFT_OUT}\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::{HEAD, TAIL, both_ends};

    #[test]
    fn the_first_errors_of_a_long_log_are_told_as_well_as_its_end() {
        let log = |lines: usize| {
            let noise = "note: ä line that nobody needs\n".repeat(lines);
            format!("error: first of all\n{noise}error: could not compile\n")
        };
        assert_eq!(
            both_ends(&log(3)),
            log(3).trim_end(),
            "a short one is whole"
        );
        let told = both_ends(&log(3_000));
        let (first, last) = (told.lines().next(), told.lines().next_back());
        assert_eq!(
            (first, last),
            (
                Some("error: first of all"),
                Some("error: could not compile")
            )
        );
        assert!(
            told.contains(" characters left out]\nnote: ä line"),
            "{told}"
        );
        assert!(told.chars().count() < HEAD + TAIL + 60);
        let one_line = "ä".repeat(HEAD + TAIL + 7);
        assert!(both_ends(&one_line).contains("\n[7 characters left out]\n"));
    }
}
