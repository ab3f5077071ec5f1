//! `no_placeholders`: no source says that it is yet to be written. Tests are not looked at, nor the
//! words of the language itself (`placeholder="Name"` is a web page's own).

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::sources;
use crate::settings::{Globs, Texts};
use crate::text::first_few;
use languages::rust::inline_tests;
use schemars::JsonSchema;
use serde::Deserialize;

/// No source outside of tests says TODO, FIXME, todo!, NotImplementedError or the like.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoPlaceholders {
    /// Globs of sources that are not looked at.
    #[serde(default)]
    allow: Globs,
    /// Texts; a line that contains one may stay.
    #[serde(default)]
    allow_lines: Texts,
    /// More words that may not stand anywhere.
    #[serde(default)]
    words: Texts,
}

/// Where a word counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Anywhere,
    InComments,
}

/// The words that stand for code which is yet to come. Capitals count as they are, for `todo` is
/// also a word of list keepers.
const WORDS: [(&str, Counts); 11] = [
    ("TODO", Counts::Anywhere),
    ("FIXME", Counts::Anywhere),
    ("XXX", Counts::InComments),
    ("todo!", Counts::Anywhere),
    ("unimplemented!", Counts::Anywhere),
    ("NotImplementedError", Counts::Anywhere),
    ("NotImplementedException", Counts::Anywhere),
    ("not implemented", Counts::Anywhere),
    ("Not implemented", Counts::Anywhere),
    ("placeholder", Counts::InComments),
    ("Placeholder", Counts::InComments),
];
const COMMENTS: [&str; 6] = ["//", "#", "/*", "<!--", "--", "* "];

impl Judge for NoPlaceholders {
    const NAME: &'static str = "no_placeholders";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let mut files = sources::files(subject).map_err(Trouble::cannot)?;
        files.retain(|path| {
            sources::is_source(path) && !sources::is_test(path) && !self.allow.is_match(path)
        });
        let mut found = Vec::new();
        for path in &files {
            let Some(text) = sources::text(subject, path).map_err(Trouble::cannot)? else {
                continue;
            };
            let text = match path.ends_with(".rs") {
                true => inline_tests::without_test_modules(&text),
                false => text,
            };
            for (at, line) in text.lines().enumerate() {
                if self
                    .allow_lines
                    .iter()
                    .any(|allowed| line.contains(allowed))
                {
                    continue;
                }
                let own = self
                    .words
                    .iter()
                    .map(|word| (word.as_str(), Counts::Anywhere));
                let mut words = WORDS.into_iter().chain(own);
                if let Some((word, _)) = words.find(|(word, counts)| stands(line, word, *counts)) {
                    found.push(format!("{path}:{} ({word})", at + 1));
                }
            }
        }
        if found.is_empty() {
            return Ok(format!("{} sources have no placeholder", files.len()));
        }
        Err(format!("{} placeholders: {}", found.len(), first_few(&found, 5)).into())
    }
}

/// Does the word stand in the line by itself, where it counts?
fn stands(line: &str, word: &str, counts: Counts) -> bool {
    let from = match counts {
        Counts::Anywhere => 0,
        Counts::InComments => {
            let starts = COMMENTS.iter().filter_map(|mark| line.find(mark));
            match starts.min() {
                Some(start) => start,
                None => return false,
            }
        }
    };
    let part = &line[from..];
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    part.match_indices(word).any(|(at, _)| {
        let before = part[..at].chars().next_back();
        let after = part[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
