//! `no_placeholders`: no source says that it is yet to be written. It refuses to look into tests,
//! and into the words of the language itself (`placeholder="Name"` is a web page's own).

use crate::judge::{Judge, Judged, Trouble};
use crate::readers::{inline_tests, sources};
use crate::settings::{Globs, Texts};
use crate::text::first_few;
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

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

    fn examples() -> Vec<Example> {
        vec![
            Example {
                repo: &[
                    (
                        "src/lib.rs",
                        "pub fn a() {}\n#[cfg(test)]\nmod tests { fn b() { todo!() } }\n",
                    ),
                    ("tests/a.py", "# TODO\n"),
                    ("README.md", "TODO\n"),
                    ("web/a.jsx", "<input placeholder=\"Name\"/>\n"),
                ],
                ..Example::passes("tests and documents do not count", json!({}), "2 sources")
            },
            Example {
                repo: &[("src/lib.rs", "// #[cfg(test)]\nfn a() {\n    todo!()\n}\n")],
                ..Example::fails("no test in sight", json!({}), "src/lib.rs:3 (todo!)")
            },
            Example {
                repo: &[("src/lib.rs", "fn a() {\n    todo!()\n}\n")],
                ..Example::fails("todo!", json!({}), "src/lib.rs:2 (todo!)")
            },
            Example {
                repo: &[("a.py", "def a():\n    raise NotImplementedError\n")],
                ..Example::fails("NotImplementedError", json!({}), "a.py:2")
            },
            Example {
                repo: &[("a.js", "const rate = 7; // placeholder\n")],
                ..Example::fails("a comment", json!({}), "a.js:1 (placeholder)")
            },
            Example {
                repo: &[
                    ("src/a.go", "// TODO(ada): issue 12\n"),
                    ("gen/b.go", "// FIXME\n"),
                ],
                ..Example::passes(
                    "allowed",
                    json!({"allow": ["gen/**"], "allow_lines": ["TODO(ada)"]}),
                    "1 sources",
                )
            },
            Example {
                repo: &[("a.ts", "const a = mockRate();\n")],
                ..Example::fails(
                    "a word of one's own",
                    json!({"words": ["mockRate"]}),
                    "mockRate",
                )
            },
            Example::cannot_run(
                "a bad glob",
                json!({"allow": ["a{"]}),
                "the setting `allow`",
            ),
        ]
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
