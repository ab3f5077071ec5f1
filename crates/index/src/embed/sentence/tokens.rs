//! WordPiece, as uncased BERT models cut texts: lower case, accents off, punctuation alone, then the
//! longest piece that the vocabulary has, again and again.
//!
//! Accents come off the Latin letters of Latin-1 and Latin Extended-A and off combining marks; other
//! scripts' marks stay. A model whose tokenizer keeps case is refused.

use super::error::ModelError;
use serde::Deserialize;
use std::collections::HashMap;

/// Longer words are unknown ones, as in the original.
const LONGEST: usize = 100;

/// A vocabulary and the pieces that frame a text.
#[derive(Debug)]
pub(super) struct Tokens {
    vocabulary: HashMap<String, u32>,
    unknown: u32,
    /// `[CLS]`.
    pub(super) first: u32,
    /// `[SEP]`.
    pub(super) last: u32,
}

impl Tokens {
    /// `vocab.txt`: a piece per line.
    pub(super) fn from_list(bytes: &[u8]) -> Result<Self, ModelError> {
        let text = std::str::from_utf8(bytes)?;
        let pieces = text
            .lines()
            .zip(0..)
            .map(|(piece, id)| (piece.to_owned(), id));
        Self::new(pieces.collect(), "vocab.txt")
    }

    /// `tokenizer.json`.
    pub(super) fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        const FILE: &str = "tokenizer.json";
        let wrong = |why: String| ModelError::unfit(FILE, why);
        let file: serde_json::Value =
            serde_json::from_slice(bytes).map_err(ModelError::json(FILE))?;
        if file["model"]["type"]
            .as_str()
            .is_some_and(|kind| kind != "WordPiece")
        {
            return Err(wrong(format!(
                "its model is {}, not WordPiece",
                file["model"]["type"]
            )));
        }
        if file["normalizer"]["lowercase"].as_bool() == Some(false) {
            return Err(wrong(
                "it keeps upper case, which is not known here".to_owned(),
            ));
        }
        let vocabulary =
            Deserialize::deserialize(&file["model"]["vocab"]).map_err(ModelError::json(FILE))?;
        Self::new(vocabulary, FILE)
    }

    fn new(vocabulary: HashMap<String, u32>, file: &'static str) -> Result<Self, ModelError> {
        let find = |piece: &str| {
            let found = vocabulary.get(piece).copied();
            let missing = || format!("{piece} is not in the vocabulary");
            found.ok_or_else(|| ModelError::unfit(file, missing()))
        };
        Ok(Self {
            unknown: find("[UNK]")?,
            first: find("[CLS]")?,
            last: find("[SEP]")?,
            vocabulary,
        })
    }

    /// The pieces of a text, unframed.
    pub(super) fn pieces(&self, text: &str) -> Vec<u32> {
        let mut pieces = Vec::new();
        for word in words(text) {
            self.cut(&word, &mut pieces);
        }
        pieces
    }

    fn cut(&self, word: &str, into: &mut Vec<u32>) {
        let before = into.len();
        let count = word.chars().count();
        let mut rest = word;
        while !rest.is_empty() && count <= LONGEST {
            let prefix = if rest.len() == word.len() { "" } else { "##" };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let longest = ends.into_iter().find_map(|end| {
                let id = self.vocabulary.get(&format!("{prefix}{}", &rest[..end]))?;
                Some((*id, end))
            });
            match longest {
                Some((id, end)) => {
                    into.push(id);
                    rest = &rest[end..];
                }
                None => break,
            }
        }
        // A word that cannot be cut to its end is unknown as a whole.
        if !rest.is_empty() {
            into.truncate(before);
            into.push(self.unknown);
        }
    }
}

/// Words and single signs, normalised.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars().flat_map(normal) {
        if c.is_whitespace() || is_alone(c) {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if !c.is_whitespace() {
                words.push(c.to_string());
            }
        } else {
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Signs that are words of their own: ASCII's, other punctuation, and Chinese characters.
fn is_alone(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(u32::from(c),
            0xa1 | 0xa7 | 0xab | 0xb6 | 0xb7 | 0xbb | 0xbf
            | 0x2010..=0x2027 | 0x2030..=0x205e | 0x3001..=0x3003 | 0x3008..=0x3011
            | 0x3014..=0x301f | 0xff01..=0xff0f | 0xff1a..=0xff20
            | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

/// Lower case without accents; control characters vanish, all blanks are alike.
fn normal(c: char) -> impl Iterator<Item = char> {
    let c = match c {
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{fffd}' => None,
        c if c.is_control() || ('\u{300}'..='\u{36f}').contains(&c) => None,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {
            None
        }
        c => Some(c),
    };
    c.into_iter()
        .flat_map(char::to_lowercase)
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .map(bare)
}

/// Every letter and what stands for it, by its first and last in the blocks of Latin letters.
const ACCENTED: [(&str, char); 20] = [
    ("àáâãäåāăą", 'a'),
    ("çćĉċč", 'c'),
    ("ď", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ĥ", 'h'),
    ("ìíîïĩīĭį", 'i'),
    ("ĵ", 'j'),
    ("ķ", 'k'),
    ("ĺļľ", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşš", 's'),
    ("ţť", 't'),
    ("ùúûüũūŭůűų", 'u'),
    ("ŵ", 'w'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
    ("ǎ", 'a'),
];

fn bare(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let found = ACCENTED.iter().find(|(letters, _)| letters.contains(c));
    found.map_or(c, |(_, plain)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(pieces: &[&str]) -> Tokens {
        let list = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].iter().chain(pieces);
        let list: Vec<&str> = list.copied().collect();
        Tokens::from_list(list.join("\n").as_bytes()).unwrap()
    }

    #[test]
    fn texts_are_cut_as_bert_cuts_them() {
        let tokens = tokens(&["un", "##aff", "##able", "cafe", ",", "!", "日", "a"]);
        assert_eq!(tokens.pieces("Unaffable"), [4, 5, 6]);
        assert_eq!(tokens.pieces("CAFÉ,\tcafe\u{301}!"), [7, 8, 7, 9]);
        assert_eq!(tokens.pieces("日a"), [10, 11]);
        // One part that is not known makes the word unknown.
        assert_eq!(tokens.pieces("unxyz a"), [1, 11]);
        assert_eq!(tokens.pieces(&"a".repeat(101)), [1]);
        assert_eq!(tokens.pieces("  \u{200b} "), [0; 0]);
        assert_eq!((tokens.first, tokens.last), (2, 3));
    }

    #[test]
    fn other_tokenizers_are_refused() {
        for text in [
            r#"{"model": {"type": "BPE", "vocab": {}}}"#,
            r#"{"model": {"type": "WordPiece", "vocab": {"a": 0}}}"#,
            r#"{"normalizer": {"lowercase": false}, "model": {"type": "WordPiece", "vocab": {}}}"#,
            "no",
        ] {
            assert!(Tokens::from_json(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Tokens::from_list(b"a\nb").is_err());
    }
}
