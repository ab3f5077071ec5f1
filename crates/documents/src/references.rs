//! What a text refers to: the targets of its links, what it puts in backticks, and plain words that
//! are paths; and what it quotes. Whether that is there is looked up elsewhere.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::path::{Component, Path};

/// How something is referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By a link, or as a path that can mean nothing else: it must be there.
    Surely,
    /// By words that may be a path.
    Perhaps,
}

/// What a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub path: String,
    /// A line of it.
    pub line: Option<usize>,
    how: How,
}

/// What is named in plain text.
pub fn in_text(text: &str) -> Vec<Named> {
    text.split(|each: char| each.is_whitespace() || ",;".contains(each))
        .filter_map(|word| named(word, How::Perhaps))
        .collect()
}

/// The same of a sentence, where a word is no path because there is a folder of that name.
pub fn in_prose(text: &str) -> Vec<Named> {
    text.split(|each: char| each.is_whitespace() || ",;".contains(each))
        .filter_map(|word| Some((word, named(word, How::Perhaps)?)))
        .filter(|(word, one)| word.contains('`') || one.is_path())
        .map(|(_, one)| one)
        .collect()
}

/// What is named under this heading, whatever its level and case.
pub fn under(text: &str, heading: &str) -> Vec<Named> {
    let wanted = heading.trim().to_lowercase();
    let mut found = Vec::new();
    let (mut title, mut inside): (Option<String>, Option<HeadingLevel>) = (None, None);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                title = Some(String::new());
                inside = inside.filter(|open| *open < level);
            }
            Event::End(TagEnd::Heading(level)) => {
                let title = title.take().unwrap_or_default();
                if title.trim().to_lowercase() == wanted {
                    inside = Some(level);
                }
            }
            Event::Text(piece) | Event::Code(piece) if title.is_some() => {
                if let Some(title) = &mut title {
                    title.push_str(&piece);
                }
            }
            _ if inside.is_none() => {}
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.extend(named(&dest_url, How::Surely));
            }
            Event::Text(piece) => found.extend(in_prose(&piece)),
            Event::Code(piece) => found.extend(in_text(&piece)),
            _ => {}
        }
    }
    found
}

fn named(word: &str, how: How) -> Option<Named> {
    let around = |each: char| "()[]{}<>\"'`*!?|".contains(each);
    // As people write it: "`src/a.rs:12`: it adds".
    let bare = word.trim_start_matches(around);
    let bare = bare.trim_end_matches(|each| around(each) || ".:,".contains(each));
    // An address elsewhere cannot be looked up.
    if bare.is_empty() || bare.contains("://") || bare.starts_with('#') {
        return None;
    }
    let path = bare.split('#').next().unwrap_or(bare);
    let path = path.strip_prefix("./").unwrap_or(path);
    // `file:12`, `file:12:3` and `file:12-14` name a line of it.
    let (path, line) = match path.split_once(':') {
        Some((file, lines)) if lines.split([':', '-']).all(is_number) => {
            let first = lines.split([':', '-']).next().unwrap_or_default();
            (file, Some(first.parse().unwrap_or(usize::MAX)))
        }
        // `file.py:name` names something in it.
        Some((file, name)) if is_file(file) && is_name(name) => (file, None),
        _ => (path, None),
    };
    let path = path.trim_end_matches('/');
    if !stays_inside(path) {
        return None;
    }
    let placed = ["task/", "repo/", "artifacts/"];
    let surely = placed.iter().any(|folder| path.starts_with(folder));
    Some(Named {
        path: path.to_owned(),
        line,
        how: if surely { How::Surely } else { how },
    })
}

fn is_file(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(name, kind)| {
        !name.is_empty() && !kind.is_empty() && kind.chars().all(char::is_alphanumeric)
    })
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    first.is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|each| each.is_alphanumeric() || "_.:".contains(each))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|each| each.is_ascii_digit())
}

impl Named {
    /// Must it be there?
    pub fn is_sure(&self) -> bool {
        self.how == How::Surely
    }

    /// Does it look like a path: `src/a.rs`, `a.rs`, `Makefile:3`?
    pub fn is_path(&self) -> bool {
        is_file(&self.path) || self.path.contains('/') || self.line.is_some()
    }
}

/// Does a path stay in its folder, and is it what it says?
pub fn stays_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    // `components` drops inner dots and double slashes.
    parts.all(|part| matches!(part, Component::Normal(_)))
        && !path.is_empty()
        && !path.contains(['\\', '\0'])
}

/// Does a text quote something that stands in the other one: in backticks or quotation marks, and no
/// name of a file?
pub fn quotes(said: &str, text: &str) -> bool {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let text = flat(text);
    let quoted = ['`', '"'].into_iter().flat_map(|mark| {
        let pieces = said.split(mark).skip(1).step_by(2);
        pieces.map(flat).collect::<Vec<String>>()
    });
    let telling = |piece: &String| {
        let letters = piece.chars().filter(|char| char.is_alphanumeric()).count();
        let name = named(piece, How::Perhaps).is_some_and(|one| one.is_path());
        letters >= OF_A_QUOTE && (!name || piece.contains(' '))
    };
    quoted.filter(telling).any(|piece| text.contains(&piece))
}

/// As many letters are no chance.
const OF_A_QUOTE: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_names() {
        let text = "# A\n`artifacts/run.txt:3` and [log](logs/a.log#end), see <https://x.org/a>\n# B\nnothing/here\n";
        let found = under(text, "a");
        let sure: Vec<&str> = found
            .iter()
            .filter(|one| one.is_sure())
            .map(|one| one.path.as_str())
            .collect();
        assert_eq!(sure, ["artifacts/run.txt", "logs/a.log"]);
        assert!(
            !found
                .iter()
                .any(|one| one.path.contains("x.org") || one.path == "nothing/here")
        );
        assert!(under(text, "b").iter().all(|one| !one.is_sure()));
    }

    #[test]
    fn a_word_is_no_path_because_a_folder_has_that_name() {
        let named = |text| -> Vec<String> {
            let found = in_prose(text).into_iter();
            found.map(|one| one.path).collect()
        };
        assert!(named("all tests pass").is_empty());
        assert_eq!(named("`tests` and a.rs:3-7, `Makefile`").len(), 3);
        assert_eq!(in_prose("src/a.rs:3-7")[0].line, Some(3));
        for (said, path, line) in [
            ("`cart.py:1`: total goes", "cart.py", Some(1)),
            ("(`cart.py:12`), and so on", "cart.py", Some(12)),
            ("cart.py:total adds", "cart.py", None),
            ("`src/cart.rs:Cart::total`.", "src/cart.rs", None),
        ] {
            let one = &in_prose(said)[0];
            assert_eq!((one.path.as_str(), one.line), (path, line), "{said}");
        }
        // A label is no file.
        assert!(named("or note:this").is_empty());
    }

    #[test]
    fn a_quote_is_what_stands_there() {
        let text = "# Greeter\n\nIt greets\npeople by name.\n";
        assert!(quotes("as it says: `greets people by name`", text));
        assert!(quotes("\"people by name\" in README.md", text));
        for other in [
            "`greets nobody`",
            "greets people",
            "`a`",
            "README.md",
            "`README.md`",
        ] {
            assert!(!quotes(other, text), "{other}");
        }
    }
}
