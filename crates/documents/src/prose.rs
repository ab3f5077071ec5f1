//! The questions that rule F3.2.3 asks of prose, answered by word lists: placeholder text,
//! testable conditions, near-duplicates, vague errors. They are cheap and they explain themselves;
//! all but the placeholders only warn, because lists of words know no meaning.

use crate::words::{VAGUE, VERBS};

/// Rule 11.
pub const SHORTEST_DESCRIPTION: usize = 20;

/// Rule 11: too short to say anything.
pub fn is_stub(text: &str) -> bool {
    // Bytes first: counting characters is needed for short texts alone.
    text.len() < SHORTEST_DESCRIPTION * 4 && text.trim().chars().count() < SHORTEST_DESCRIPTION
}

/// The words of a text in small letters; each is lent, not kept.
fn for_each_word(text: &str, mut each: impl FnMut(&[u8]) -> bool) {
    let mut word = [0u8; 40];
    let mut length = 0;
    // A last separator, so that the last word ends like the others.
    for byte in text.bytes().chain([b' ']) {
        if byte.is_ascii_alphanumeric() || byte >= 0x80 {
            if length < word.len() {
                word[length] = byte.to_ascii_lowercase();
                length += 1;
            }
        } else if byte != b'\'' && length > 0 {
            if each(&word[..length]) {
                return;
            }
            length = 0;
        }
    }
}

/// Rule 12: a verb of observable behaviour, in any of its forms.
pub fn is_testable(text: &str) -> bool {
    let mut found = false;
    for_each_word(text, |word| {
        found = is_verb(word);
        found
    });
    found
}

fn is_verb(word: &[u8]) -> bool {
    let first = word[0];
    let from = VERBS.partition_point(|verb| verb.as_bytes()[0] < first);
    VERBS[from..]
        .iter()
        .map(|verb| verb.as_bytes())
        .take_while(|verb| verb[0] == first)
        .any(|verb| is_form_of(word, verb))
}

/// return: returns, returned, returning; raise: raised, raising; deny: denies; stop: stopped.
fn is_form_of(word: &[u8], verb: &[u8]) -> bool {
    let Some((last, stem)) = verb.split_last() else {
        return false;
    };
    let Some(rest) = word.strip_prefix(stem) else {
        return false;
    };
    match rest.strip_prefix(&[*last]) {
        Some(b"" | b"s" | b"es" | b"ed" | b"d" | b"ing") => true,
        // The last letter doubled.
        Some([double, b'e', b'd'] | [double, b'i', b'n', b'g']) => double == last,
        Some(_) => false,
        None => match last {
            b'y' => matches!(rest, b"ies" | b"ied"),
            b'e' => rest == b"ing",
            _ => false,
        },
    }
}

/// Rule 14: nothing but words that fit every program.
pub fn names_no_error(text: &str) -> bool {
    let mut specific = false;
    for_each_word(text, |word| {
        specific = VAGUE
            .binary_search_by(|vague| vague.as_bytes().cmp(word))
            .is_err();
        specific
    });
    !specific
}

/// More than these are compared by equal words only: pairs grow with the square.
const MOST_PAIRED: usize = 64;

/// Rule 13: pairs (earlier, later) whose words are the same, or nearly.
pub fn near_duplicates(texts: &[&str]) -> Vec<(usize, usize)> {
    let sets: Vec<Vec<u64>> = texts.iter().map(|text| word_set(text)).collect();
    let mut pairs = Vec::new();
    if sets.len() <= MOST_PAIRED {
        for later in 1..sets.len() {
            let twin = (0..later).find(|earlier| alike(&sets[*earlier], &sets[later]));
            pairs.extend(twin.map(|earlier| (earlier, later)));
        }
        return pairs;
    }
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by(|a, b| sets[*a].cmp(&sets[*b]).then(a.cmp(b)));
    for pair in order.windows(2) {
        if sets[pair[0]] == sets[pair[1]] {
            pairs.push((pair[0], pair[1]));
        }
    }
    pairs.sort_by_key(|pair| pair.1);
    pairs
}

/// Words that carry no difference.
const SMALL: [&[u8]; 12] = [
    b"a", b"an", b"the", b"of", b"for", b"to", b"and", b"in", b"on", b"with", b"all", b"its",
];

/// The words as sorted hashes, without small words and endings: sets compare fast that way, and
/// the worst that a collision of 64 bits does is one warning too many.
fn word_set(text: &str) -> Vec<u64> {
    let mut set = Vec::with_capacity(12);
    for_each_word(text, |word| {
        // The longest small word has four letters.
        if word.len() > 4 || !SMALL.contains(&word) {
            let stem = match word {
                [stem @ .., b's'] if stem.len() > 3 => stem,
                all => all,
            };
            set.push(fnv(stem));
        }
        false
    });
    set.sort_unstable();
    set.dedup();
    set
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// At least four fifths of the words are common.
fn alike(a: &[u64], b: &[u64]) -> bool {
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if long == 0 || short * 5 < long * 4 {
        return false;
    }
    let common = a
        .iter()
        .filter(|word| b.binary_search(word).is_ok())
        .count();
    let union = a.len() + b.len() - common;
    common * 5 >= union * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lists_are_sorted() {
        assert!(VERBS.is_sorted());
        assert!(VAGUE.is_sorted());
    }

    #[test]
    fn s3_2_3_rule_12_testable() {
        for text in [
            "returns 200 for a known user",
            "the page displays the name",
            "It REJECTS an empty list",
            "a retry is denied after three tries",
            "should be stopped within a second",
            "writing twice leaves one row",
            "the parser raises ValueError",
        ] {
            assert!(is_testable(text), "{text}");
        }
        for text in ["good quality", "", "user friendly and fast", "日本語"] {
            assert!(!is_testable(text), "{text}");
        }
    }

    #[test]
    fn s3_2_3_rule_13_near_duplicates() {
        let texts = [
            "Write the parser for dates",
            "Write unit tests for the parser",
            "write a parser for date!",
            "Handle bad input",
        ];
        assert_eq!(near_duplicates(&texts), [(0, 2)]);
        let many: Vec<String> = (0..200)
            .map(|i| format!("step number{}", i % 199))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(near_duplicates(&many), [(0, 199)]);
        assert_eq!(near_duplicates(&["日", "本"]), []);
    }

    #[test]
    fn s3_2_3_rule_14_specific_errors() {
        for text in [
            "errors may occur",
            "Errors.",
            "none",
            "Something might go wrong",
        ] {
            assert!(names_no_error(text), "{text}");
        }
        for text in [
            "ValidationError when empty",
            "404 if the user is missing",
            "disk full",
        ] {
            assert!(!names_no_error(text), "{text}");
        }
    }
}
