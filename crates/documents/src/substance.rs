//! Does a text say anything? The one place that judges it, for every check that asks for a text: to be
//! there is not enough. It knows no bad words and no language. A text says nothing if it is letters and
//! no word, one word over and over, its own heading again, the words of the form that it should have
//! filled in or of the brief that asked for it, a text that printers fill pages with, or what stands in
//! other places as well. Whether it is true is not judged here.

use crate::blank::{is_placeholder, is_placeholder_line, says_none, without_comments};
use languages::one_line;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Formatter};

#[cfg(test)]
mod tests;

/// Why a text says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nothing {
    /// Nothing is there.
    Empty,
    /// What is there stands for something else.
    Placeholder,
    /// Letters, and no word.
    Letters,
    /// This word and no other, more than once.
    OneWord(String),
    /// No word that its own name does not have.
    Name,
    /// The words of the form.
    Form,
    /// The words of the brief.
    Brief,
    /// A text that fills a page.
    Filler,
    /// `none`, where there must be something.
    None,
    /// A place, a name or a number, and next to nothing of it.
    Little,
}

impl Nothing {
    /// Is nothing there at all that somebody wrote?
    pub fn is_blank(&self) -> bool {
        matches!(self, Nothing::Empty | Nothing::Placeholder)
    }
}

/// What is said behind the text's name: what it is, and how it is mended.
impl Display for Nothing {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Nothing::Empty => f.write_str("is empty"),
            Nothing::Placeholder => f.write_str("holds a placeholder"),
            Nothing::Letters => {
                f.write_str("says nothing: letters, and no word; write it out in words")
            }
            Nothing::OneWord(word) => write!(
                f,
                "says nothing: `{}` over and over; write what there is to say",
                label(word)
            ),
            Nothing::Name => {
                f.write_str("says nothing: it only repeats its own name; write what is so")
            }
            Nothing::Form => f.write_str(
                "says nothing: these are the form's own words; write what is so in their place",
            ),
            Nothing::Brief => {
                f.write_str("says nothing: these are the brief's own words; write what is so here")
            }
            Nothing::Filler => {
                f.write_str("says nothing: it only fills the place; write what there is to say")
            }
            Nothing::Little => f.write_str(
                "says too little: a name, a place or a number, and not what is so of it; write a sentence",
            ),
            Nothing::None => f.write_str(
                "says `none`, and there must be something; write it, or `none, because ...`",
            ),
        }
    }
}

/// Why a text of this name says nothing to whoever asked for it by this brief; none if it says something.
pub fn hollow(brief: &str, said: &str, name: &str) -> Option<Nothing> {
    let is_taught = |said: &str| !brief.is_empty() && is_taught(said, brief);
    nothing(said, name).or_else(|| {
        (is_taught(said) || is_taught(&without_references(said))).then_some(Nothing::Brief)
    })
}

/// The same, by the text alone.
pub fn nothing(said: &str, name: &str) -> Option<Nothing> {
    if said.trim().is_empty() {
        return Some(Nothing::Empty);
    }
    if is_placeholder(said) {
        return Some(Nothing::Placeholder);
    }
    if says_none(said) {
        return None;
    }
    let said = written(said);
    let words = words(&said);
    // `C++` and `C#` are words.
    let letters = |words: &[String]| words.iter().all(|word| is_letter(word));
    if letters(&words) && !said.contains(['+', '#']) {
        return Some(Nothing::Letters);
    }
    // What only points somewhere is said; what stands beside it says something, or nothing is.
    let beside = without_references(&said);
    let spoken = self::words(&beside);
    let exact = beside.contains(['+', '#']) || beside.split_whitespace().any(is_exact);
    if !spoken.is_empty() && letters(&spoken) && !exact {
        return Some(Nothing::Letters);
    }
    if fills(&spoken) {
        return Some(Nothing::Filler);
    }
    if said.split_whitespace().any(is_exact) {
        return None;
    }
    let (first, more) = words.split_first()?;
    if !more.is_empty() && more.iter().all(|word| word == first) {
        return Some(Nothing::OneWord(first.clone()));
    }
    let name = self::words(name);
    (words.iter().all(|word| name.contains(word))).then_some(Nothing::Name)
}

/// Does a text only stand in the form as it is?
pub fn of_form(said: &str, form: &str) -> Option<Nothing> {
    let said = words(&written(said));
    let taken = said.len() >= OF_A_FORM && times(&words(form), &said) > 0;
    taken.then_some(Nothing::Form)
}

/// Why a text says nothing that must not be `none` alone.
pub fn none_alone(said: &str) -> Option<Nothing> {
    let words = words(said);
    let bare = words.len() == 1 || words == ["n", "a"];
    (bare && says_none(said)).then_some(Nothing::None)
}

/// A text without the places, ids and quoted names that it points to.
pub fn without_references(said: &str) -> String {
    let points = |token: &str| is_place(token) || is_id(bare(token));
    let lines = said.lines().map(|line| {
        let tokens = line.split_whitespace().filter(|token| !points(token));
        tokens.collect::<Vec<&str>>().join(" ")
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// Is it a file, a folder or a quoted name?
fn is_place(token: &str) -> bool {
    let inner = bare(token);
    let quoted = token.contains('`') && !inner.is_empty();
    let path = inner.chars().any(char::is_alphabetic) && inner.contains('/');
    let file = inner
        .split_once('.')
        .is_some_and(|(stem, ends)| stem.len() > 1 && ends.starts_with(char::is_alphabetic));
    quoted || path || file
}

/// Without the signs around it.
fn bare(token: &str) -> &str {
    token.trim_matches(|char: char| !char.is_alphanumeric() && char != '/')
}

/// `F-0003`, `AC-1`: a name that the run or a document has given.
fn is_id(token: &str) -> bool {
    token.split_once('-').is_some_and(|(letters, number)| {
        let upper = |text: &str| text.chars().all(|char| char.is_ascii_uppercase());
        let digits = |text: &str| text.chars().all(|char| char.is_ascii_digit());
        !letters.is_empty() && !number.is_empty() && upper(letters) && digits(number)
    })
}

/// Texts of different names that are the same text, a sentence for each.
pub fn alike<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Vec<String> {
    let mut same: BTreeMap<Vec<String>, Vec<(&str, &str)>> = BTreeMap::new();
    for (name, said) in texts {
        // What has nothing to list says so in the same words everywhere.
        if !is_placeholder(said) && !says_none(said) {
            same.entry(words(said)).or_default().push((name, said));
        }
    }
    let same = same.into_iter();
    let telling = same.filter(|(words, texts)| match texts.len() {
        0 | 1 => false,
        // Two short answers may be the same by chance, and so may names, commands and numbers.
        2 => words.len() >= OF_A_SENTENCE && !texts[0].1.split_whitespace().any(is_exact),
        _ => true,
    });
    telling
        .map(|(_, texts)| {
            let names: Vec<String> = texts.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!(
                "{} say the same, `{}`; write what is so for each",
                names.join(" and "),
                label(texts[0].1)
            )
        })
        .collect()
}

/// How many words a text has beside what it points to, each counted once. Where words are not parted, a
/// letter counts as one.
pub fn spoken(said: &str) -> usize {
    let words = beside(said).into_iter();
    words
        .map(|word| match word.chars().any(char::is_lowercase) {
            true => 1,
            false => word.chars().count(),
        })
        .sum()
}

/// Does a sentence say too little: a place, a name or a number, and next to nothing of it?
pub fn little(said: &str) -> Option<Nothing> {
    let words = spoken(said);
    let points =
        without_references(said).split_whitespace().count() < said.split_whitespace().count();
    let little = words < 2 || words == 2 && !points;
    (little && !relates(said)).then_some(Nothing::Little)
}

/// Does it say of one place what it does to another: `src/a.rs calls greet()`?
fn relates(said: &str) -> bool {
    let tokens: Vec<&str> = said.split_whitespace().collect();
    matches!(tokens.as_slice(), [first, verb, last]
        if is_place(first) && is_place(last) && verb.len() > 3 && verb.ends_with('s'))
}

/// The same of a step: to do something to a place is one, `Add tests/test_cart.py`.
pub fn little_to_do(said: &str) -> Option<Nothing> {
    let does = beside(said);
    let does = does.len() == 1 && does.iter().all(|word| word.chars().count() > 2);
    let mut tokens = said.split_whitespace();
    let first = tokens.next().is_some_and(|token| !is_place(token));
    let names = tokens.any(is_place);
    little(said).filter(|_| !(does && first && names))
}

/// Three or more texts of different names that differ by a word at most, beside what they point to.
pub fn nearly_alike<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Option<String> {
    let texts = texts.into_iter();
    let texts: Vec<_> = texts
        .map(|(name, said)| (name, said, beside(said)))
        .collect();
    texts.iter().find_map(|(_, said, words)| {
        let near = |other: &BTreeSet<String>| words.symmetric_difference(other).count() <= 2;
        let near = texts
            .iter()
            .filter(|(_, _, other)| !words.is_empty() && near(other));
        let names: Vec<String> = near.map(|(name, ..)| format!("`{name}`")).collect();
        (names.len() > 2).then(|| {
            format!(
                "{} say nearly the same, `{}`; write what is so for each",
                names.join(" and "),
                label(said)
            )
        })
    })
}

/// The words of a text beside what it points to.
fn beside(said: &str) -> BTreeSet<String> {
    let words = words(&without_references(&written(said))).into_iter();
    words
        .filter(|word| word.chars().any(char::is_alphabetic))
        .collect()
}

/// How often the words of a text stand one after the other in another text.
pub fn stands_in(text: &str, said: &str) -> usize {
    times(&words(text), &words(said))
}

/// An entry without the id that it is called by: `M1: ...`, `S2 (R1): ...`.
pub fn unnamed(entry: &str) -> &str {
    let Some((name, said)) = entry.split_once(':') else {
        return entry;
    };
    let mut words = name.split_whitespace();
    let id = words.next().unwrap_or_default();
    let letters = id.trim_start_matches(char::is_uppercase);
    let number = letters.strip_prefix('-').unwrap_or(letters);
    let is_id = letters.len() < id.len()
        && !number.is_empty()
        && number.chars().all(|char| char.is_ascii_digit());
    let others = words.collect::<Vec<&str>>().join(" ");
    let bracketed = others.is_empty() || others.starts_with('(') && others.ends_with(')');
    match is_id && bracketed {
        true => said.trim_start(),
        false => entry,
    }
}

/// What an entry says first: without the id that it is called by, up to its first semicolon.
pub fn said_first(entry: &str) -> &str {
    let said = unnamed(entry);
    said.split(';').next().unwrap_or(said)
}

/// Is all of a text taken from the brief, run after run of its words? What is short may well be what the
/// brief asks for: `stateless`, `structured lines on standard output`.
fn is_taught(said: &str, brief: &str) -> bool {
    let (said, brief) = (words(&written(said)), words(brief));
    let mut at = 0;
    while at < said.len() {
        let most = said.len() - at;
        let stands = |length: &usize| times(&brief, &said[at..at + length]) > 0;
        match (OF_A_SENTENCE..=most).take_while(stands).last() {
            Some(length) => at += length,
            None => return false,
        }
    }
    said.len() >= OF_A_BRIEF
}

/// Is more than half of it a text that says nothing in any language: the printers' Latin, or fingers that
/// went along a row of keys?
fn fills(words: &[String]) -> bool {
    let latin = LATIN.split_whitespace().filter(|word| word.len() > 4);
    let latin: Vec<&str> = latin.collect();
    let fills = |word: &&String| latin.contains(&word.as_str()) || is_row_of_keys(word);
    words.iter().filter(fills).count() * 2 > words.len()
}

const LATIN: &str = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor \
    incididunt ut labore et dolore magna aliqua enim ad minim veniam quis nostrud exercitation ullamco \
    laboris nisi aliquip ex ea commodo consequat duis aute irure in reprehenderit voluptate velit esse \
    cillum eu fugiat nulla pariatur excepteur sint occaecat cupidatat non proident sunt culpa qui officia \
    deserunt mollit anim id est laborum";

/// `asdf`, `qwertz`, `lkjh`: keys side by side. The upper row spells words (`wert`), unless it goes on.
fn is_row_of_keys(word: &str) -> bool {
    const ROWS: [(&str, usize); 4] = [
        ("qwertyuiop", 5),
        ("qwertzuiop", 5),
        ("asdfghjkl", 4),
        ("zxcvbnm", 4),
    ];
    let back: String = word.chars().rev().collect();
    let along = |(row, least): &(&str, usize)| {
        word.len() >= *least && (row.contains(word) || row.contains(&back))
    };
    ROWS.iter().any(along)
}

/// As many words of a brief are no chance.
const OF_A_BRIEF: usize = 6;
/// As many words of a form are no chance; fewer may well be the answer.
const OF_A_FORM: usize = 3;
/// As many words are a sentence.
const OF_A_SENTENCE: usize = 4;

/// A text without comments and without its lines that stand for something else.
fn written(said: &str) -> String {
    let said = without_comments(said);
    let lines = said.lines().filter(|line| !is_placeholder_line(line));
    lines.collect::<Vec<&str>>().join("\n")
}

/// Runs of letters and digits, in one case. Where words are not parted, a run is many of them.
fn words(text: &str) -> Vec<String> {
    let runs = text.split(|char: char| !char.is_alphanumeric());
    runs.filter(|run| !run.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// One letter, once or many times. Only of scripts that have cases: in many others it is a word.
fn is_letter(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    first.is_some_and(|first| first.is_lowercase() && chars.all(|char| char == first))
}

/// A name, a path, a command's option, a number: what means itself, however short.
fn is_exact(token: &str) -> bool {
    let inner = token.trim_matches(|char: char| !char.is_alphanumeric() && !"/-$".contains(char));
    let letters = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    let dotted = inner.char_indices().any(|(at, char)| {
        ".:".contains(char)
            && letters(inner[..at].chars().next_back())
            && letters(inner[at + 1..].chars().next())
    });
    inner
        .chars()
        .any(|char| char.is_numeric() || "/\\_=<>{}()[]$@|".contains(char))
        || dotted
        || inner.starts_with('-') && inner.chars().any(char::is_alphanumeric)
}

fn times(text: &[String], said: &[String]) -> usize {
    match said.is_empty() {
        true => 0,
        false => text
            .windows(said.len())
            .filter(|part| *part == said)
            .count(),
    }
}

/// A word or a text as it is quoted in a sentence.
fn label(text: &str) -> String {
    one_line(text, 80)
}
