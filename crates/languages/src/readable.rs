//! Do people and programs read the same in a text? What cannot be seen, what turns a line round and
//! letters of another alphabet that look like those around them make two texts of one. It knows looks
//! and not meanings: prose in any language is as good as in any other, and so are names with accents,
//! inflected foreign words and pictures made of several.

use kernel::unseen::is_unseen;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;

/// What is wrong with the characters of a text: a code, and a sentence.
pub type Unread = (&'static str, String);

/// The first thing that people would not read as it stands there.
pub fn unread(text: &str) -> Option<Unread> {
    unseen(text).or_else(|| {
        // Letters of other alphabets are never ASCII.
        (!text.is_ascii()).then(|| look_alike(text)).flatten()
    })
}

fn unseen(text: &str) -> Option<Unread> {
    kernel::unseen::first_unseen(text)?;
    let all: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < all.len() {
        let passed = honest(&all, at);
        if passed == 0 {
            let what = format!(
                "it holds {}, which nobody sees; take it out",
                spelt(all[at])
            );
            return Some(("unseen_character", what));
        }
        at += passed;
    }
    None
}

/// How many characters from here on are seen, or belong to what is; none: this one does not.
fn honest(all: &[char], at: usize) -> usize {
    let c = all[at];
    // One that feeds no line hides what stands before it on a terminal, and ends a line of code all the same.
    let returns = c == '\r' && all.get(at + 1) == Some(&'\n');
    if returns || matches!(c, '\n' | '\t') || !is_unseen(c) {
        // The three flags that have letters of their own.
        return match c {
            '\u{1f3f4}' => 1 + flag(&all[at + 1..]),
            _ => 1,
        };
    }
    let before = all[..at].iter().rev().find(|c| !is_selector(**c));
    let (Some(before), after) = (before, all.get(at + 1)) else {
        return 0;
    };
    let fits = match c {
        '\u{200d}' if is_picture(*before) => after.is_some_and(|c| is_picture(*c)),
        // A gap in a picture of dots.
        '\u{2800}' => {
            let next = all[at..].iter().find(|c| **c != '\u{2800}');
            before.script() == Script::Braille
                || next.is_some_and(|c| c.script() == Script::Braille)
        }
        '\u{200c}' | '\u{200d}' => joins(*before) && after.is_none_or(|c| !c.is_ascii_alphabetic()),
        // A form of the character before it, as Japanese names have it.
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => all[at - 1].script() == Script::Han,
        _ => false,
    };
    usize::from(fits)
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{2bff}' | '\u{a9}' | '\u{ae}')
}

/// The rest of a flag, in characters.
fn flag(rest: &[char]) -> usize {
    let tag = |c: &char| char::from_u32(u32::from(*c).wrapping_sub(0xe0000));
    let name: String = rest.iter().take(5).filter_map(tag).collect();
    let ends = rest.get(5) == Some(&'\u{e007f}');
    match ends && ["gbeng", "gbsct", "gbwls"].contains(&name.as_str()) {
        true => 6,
        false => 0,
    }
}

/// Scripts whose letters take another form when they are joined, or are not.
fn joins(c: char) -> bool {
    use Script::{
        Arabic, Bengali, Devanagari, Gujarati, Gurmukhi, Kannada, Khmer, Malayalam, Mongolian,
        Myanmar, Oriya, Sinhala, Syriac, Tamil, Telugu, Tibetan,
    };
    matches!(
        c.script(),
        Arabic
            | Bengali
            | Devanagari
            | Gujarati
            | Gurmukhi
            | Kannada
            | Khmer
            | Malayalam
            | Mongolian
            | Myanmar
            | Oriya
            | Sinhala
            | Syriac
            | Tamil
            | Telugu
            | Tibetan
    )
}

fn spelt(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// The letter of ASCII, or the few, that a letter of another alphabet looks like.
fn seems_latin(c: char) -> Option<String> {
    let looks: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
    let plain = looks.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (!c.is_ascii() && plain).then_some(looks)
}

/// Is there a letter in this alphabet that looks like this Latin one?
fn seems(latin: char, script: Script) -> bool {
    let look = |c: char| skeleton(c.encode_utf8(&mut [0; 4])).collect::<String>();
    let own = look(latin);
    // Greek, Cyrillic, Armenian: the alphabets that share letters with Latin.
    let mut others = ('\u{370}'..='\u{58f}').filter(|c| c.script() == script);
    others.any(|c| look(c) == own)
}

/// A word's letters, by alphabet.
struct Letters {
    latin: Vec<char>,
    other: Vec<char>,
    /// Changes from one alphabet to another, from the first letter on.
    runs: usize,
    begins_latin: bool,
}

fn letters(word: &str) -> Letters {
    let mut found = Letters {
        latin: Vec::new(),
        other: Vec::new(),
        runs: 0,
        begins_latin: false,
    };
    let mut last = None;
    for c in word.chars().filter(|c| c.is_alphabetic()) {
        let script = c.script();
        match script {
            Script::Common | Script::Inherited | Script::Unknown => continue,
            Script::Latin => found.latin.push(c),
            _ => found.other.push(c),
        }
        if last.is_none() {
            found.begins_latin = script == Script::Latin;
        }
        found.runs += usize::from(last.replace(script) != Some(script));
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside =
        |c: char| c.is_alphanumeric() || matches!(c.script(), Script::Inherited) || is_unseen(c);
    text.split(move |c: char| !inside(c))
        .filter(|word| !word.is_empty())
}

fn look_alike(text: &str) -> Option<Unread> {
    let all: Vec<(&str, Letters)> = words(text).map(|word| (word, letters(word))).collect();
    // Alphabets that somebody writes in here: some of their letters look like nothing else.
    let own = |c: &char| seems_latin(*c).is_none();
    let written: BTreeSet<&str> = all
        .iter()
        .flat_map(|(_, word)| word.other.iter().filter(|c| own(c)))
        .map(|c| c.script().full_name())
        .collect();
    let has_latin = all
        .iter()
        .any(|(_, word)| word.latin.len() > 1 && word.other.is_empty());
    for (word, letters) in &all {
        let Some(script) = letters.other.first().map(|c| c.script()) else {
            continue;
        };
        let written = written.contains(script.full_name());
        let posing = letters.other.iter().all(|c| seems_latin(*c).is_some());
        let strange = if letters.latin.is_empty() {
            // A word of its own that looks like one of the language around it.
            let poses = posing && has_latin && !written && letters.other.len() > 1;
            poses.then_some(&letters.other)
        } else if letters.runs == 2 && letters.begins_latin && written {
            // `JSON` with an ending, as other languages inflect it.
            None
        } else if posing {
            Some(&letters.other)
        } else {
            let poses = letters.latin.iter().all(|c| seems(*c, script));
            poses.then_some(&letters.latin)
        };
        if let Some(strange) = strange {
            let each: BTreeSet<String> = strange
                .iter()
                .map(|c| format!("{} ({})", spelt(*c), c.script().full_name()))
                .collect();
            let each: Vec<String> = each.into_iter().collect();
            let what = format!(
                "`{word}` has letters that only look like those around them: {}; write it in one alphabet",
                each.join(", ")
            );
            return Some(("look_alike", what));
        }
    }
    None
}

/// A text as it looks: compatible forms and look-alikes as the letters that they look like, and
/// nothing that is not seen. For comparing, not for showing.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text
            .chars()
            .filter(|c| !is_unseen(*c) || *c == '\n')
            .collect();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc().filter(|c| !is_unseen(*c) || *c == '\n') {
        match seems_latin(c) {
            Some(looks) => folded.push_str(&looks),
            None => folded.push(c),
        }
    }
    folded
}

/// The words of a text as it looks, whatever the capitals, blanks and points between them.
pub fn same_words(text: &str) -> String {
    let folded = folded(text).to_lowercase();
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// A name as it looks, in two ways: a capital `I` looks like `l` and is also an `i`.
pub fn looks(name: &str) -> [String; 2] {
    let look = |text: &str| skeleton(text).collect::<String>().to_lowercase();
    let name = name.replace('_', "-");
    [look(&name), look(&name.to_lowercase())]
}

/// Would somebody take one name for the other? Capitals, look-alikes, dash and underscore are the same.
pub fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (looks(one), looks(other));
    one[0] == other[0] || one[1] == other[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        unread(text).map_or("", |(code, _)| code)
    }

    #[test]
    fn what_nobody_sees_is_named() {
        for text in [
            "re\u{200b}jects a blank",
            "rejects\u{202e} a blank",
            "\u{2066}rejects\u{2069}",
            "a\u{ad}b",
            "\u{feff}a",
            "pass\u{200d}word",
            "to\u{e0064}do",
            "a \u{3164} b",
            "bell\u{7}",
            "\u{1f3f4}\u{e0064}\u{e006f}\u{e0069}\u{e0074}\u{e0021}\u{e007f}",
            "\u{1f600}\u{200d}a",
        ] {
            assert_eq!(code(text), "unseen_character", "{text:?}");
        }
        let (_, what) = unread("a\u{202e}b").unwrap();
        assert!(what.contains("U+202E"), "{what}");
    }

    #[test]
    fn letters_that_pose_as_others_are_named() {
        for text in [
            "rej\u{435}cts a blank",
            "\u{440}ay the bill",
            "the user is \u{430}\u{441}\u{441}\u{435}\u{440}\u{442}ed",
            "\u{422}\u{412}D",
            "returns \u{441}\u{43e}\u{440}\u{435} of it",
            "\u{43f}a\u{440}\u{43e}\u{43b}\u{44c} верен",
            "\u{3bf}k means done",
            "p\u{561}d",
        ] {
            assert_eq!(code(text), "look_alike", "{text:?}");
        }
        let (_, what) = unread("rej\u{435}cts").unwrap();
        assert!(
            what.contains("U+0435") && what.contains("Cyrillic"),
            "{what}"
        );
    }

    #[test]
    fn honest_prose_of_every_kind_is_read() {
        for text in [
            "plain words,\n\ttabs and lines",
            "Zoë Łukasz José Ångström naïve",
            "Возвращает сумму; ошибка Empty, если строка пуста",
            "ответ в JSONе или PDFа, а также HTTPом",
            "а и о и с",
            "ТОО и СССР возвращают ответ",
            "返回总和，空行时拒绝",
            "ユーザーIDを返す。空なら拒否する",
            "葛\u{e0100}城市と辻\u{e0101}",
            "사용자를 거부한다",
            "می\u{200c}خواهم بخوانم",
            "क्\u{200d}ष और क्\u{200c}ष",
            "👩\u{200d}💻 and 🏳\u{fe0f}\u{200d}🌈 and 👩🏽\u{200d}🔬 and ❤\u{fe0f}\u{200d}🔥",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "within 5 µs, 5 μs, Δt and λx, α of 0.05, σ and ν",
            "επιστρέφει το άθροισμα του URL",
            "“quotes” – dashes … and №5 ™ © 2026",
            "e\u{301}te\u{301} combined",
            "שלום user",
        ] {
            assert_eq!(unread(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_text_is_compared_as_it_looks() {
        assert_eq!(folded("\u{ff34}\u{ff22}\u{ff24}"), "TBD");
        assert_eq!(folded("\u{422}\u{412}D"), "TBD");
        assert_eq!(folded("T\u{200b}BD"), "TBD");
        assert_eq!(
            same_words("Returns  the sum."),
            same_words("returns the SUM")
        );
        assert_eq!(same_words("rej\u{435}cts"), "rejects");
        assert_ne!(same_words("returns 1"), same_words("returns 2"));
        assert_ne!(same_words("отклоняет"), same_words("возвращает"));
        assert_ne!(same_words("返回"), same_words("拒绝"));
    }

    #[test]
    fn names_that_people_confuse_are_alike() {
        for (one, other) in [
            ("MM-total", "MM-TOTAL"),
            ("MM-total", "MM-tota1"),
            ("MM-Item", "MM-ltem"),
            ("MM-one", "MM-0ne"),
            ("MM-a-b", "MM-a_b"),
            ("MM-modern", "MM-modem"),
        ] {
            assert!(alike(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("MM-total", "MM-totals"),
            ("MM-a-b", "MM-ab"),
            ("MM-1", "MM-2"),
            ("MM-read", "MM-write"),
        ] {
            assert!(!alike(one, other), "{one} {other}");
        }
    }
}
