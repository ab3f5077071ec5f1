//! Globs that a document field names, and patterns with such a field in them: `{Test files}` stands
//! for each of its globs. It is the one reader of them. Agents write such fields, so it refuses what
//! leads out of the repository, and no field reaches the task's own files.

use crate::effect::Sight;
use std::collections::BTreeMap;

/// The document fields of a run.
type Fields = BTreeMap<String, String>;

/// The globs that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// Those that it opens, relative to the repository.
    pub inside: Vec<String>,
    /// Those behind `!`: taken out again, whatever `inside` says.
    pub outside: Vec<String>,
}

impl Named {
    /// Reads a text. What leads out of the repository is dropped.
    pub fn of(text: &str) -> Self {
        let mut named = Self::default();
        for word in words(text) {
            let (list, glob) = match taken_out(word) {
                Some(glob) => (&mut named.outside, glob),
                None => (&mut named.inside, word),
            };
            if !glob.is_empty() && stays_inside(glob) {
                list.push(glob.to_owned());
            }
        }
        named
    }
}

/// The words of a text that are globs: if it has backticks, what stands in them and nothing else, so
/// that a sentence may hold them; if it has none, whatever commas and blanks divide.
pub fn words(text: &str) -> Vec<&str> {
    if text.contains('`') {
        return quoted(text);
    }
    divided(text).collect()
}

/// The texts between backticks in a sentence: globs or commands that a person can read in their
/// place.
pub fn quoted(sentence: &str) -> Vec<&str> {
    let inside = quotes(sentence).filter(|(quote, _)| *quote == Quote::Closed);
    let texts = inside.map(|(_, text)| text.trim());
    texts.filter(|text| !text.is_empty()).collect()
}

/// Why a text is no plain list of globs. Where a glob that is lost would matter, as in a list of what
/// is to be frozen, this is asked first: a sentence is read without the words around its backticks.
pub fn not_a_list(text: &str) -> Option<String> {
    if !text.contains('`') {
        return None;
    }
    let beside = quotes(text).filter(|(quote, _)| *quote != Quote::Closed);
    let mut beside = beside.flat_map(|(_, part)| divided(part));
    // A full stop behind the last one hides no glob.
    if let Some(word) = beside.find(|word| word.contains(|char| !".;:".contains(char))) {
        return Some(format!(
            "`{word}` stands beside backticks; put every glob in backticks, or none"
        ));
    }
    let word = quoted(text).into_iter().find(|word| is_several(word))?;
    Some(format!(
        "`{word}` is one glob; put each in backticks of its own"
    ))
}

/// Does a comma or a blank divide it, outside of the braces of a choice?
fn is_several(word: &str) -> bool {
    let mut depth = 0;
    word.chars().any(|char| {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth <= 0 && (char == ',' || char.is_whitespace())
    })
}

/// The glob behind `!`. Saying it twice does not open it again.
pub fn taken_out(word: &str) -> Option<&str> {
    word.starts_with('!')
        .then(|| word.trim_start_matches(['!', ' ']))
}

/// Is it relative, without a way up?
pub fn stays_inside(glob: &str) -> bool {
    !glob.starts_with('/') && !glob.split('/').any(|part| part == "..")
}

/// The name of the field in a pattern, with what stands before and behind it.
pub fn field_in(pattern: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = pattern.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    // `{a,b}` is a choice of a glob's own.
    (!name.contains(',')).then_some((before, name, after))
}

/// The pattern once for each glob that its field names; none for a pattern without a field. An
/// empty field names nothing.
pub fn filled_in(pattern: &str, fields: &Fields) -> Option<Named> {
    let (before, name, after) = field_in(pattern)?;
    let named = Named::of(fields.get(name).map_or("", String::as_str));
    let fill = |globs: Vec<String>| -> Vec<String> {
        let filled = globs.iter().map(|glob| format!("{before}{glob}{after}"));
        filled.collect()
    };
    Some(Named {
        inside: fill(named.inside),
        outside: fill(named.outside),
    })
}

impl Sight {
    /// The sight in a run whose fields are these. What a field takes out is hidden where it was to
    /// be seen, and may not be changed where it was to be; it opens nothing that is hidden.
    pub fn filled_in(&self, fields: &Fields) -> Sight {
        let (mut sees, mut taken) = (Vec::new(), Vec::new());
        for glob in &self.sees {
            let named = of_repo(glob, fields);
            sees.extend(named.inside);
            taken.extend(named.outside);
        }
        let hidden = self.hidden.iter().map(|glob| closed(glob, fields));
        let mut hidden: Vec<String> = hidden.flatten().collect();
        hidden.extend(taken);
        let mut scope = Vec::new();
        for glob in &self.scope {
            if glob.starts_with('!') {
                scope.extend(closed(glob, fields));
                continue;
            }
            let named = of_repo(glob, fields);
            scope.extend(named.inside);
            scope.extend(named.outside.iter().map(|glob| format!("!{glob}")));
        }
        Sight {
            sees,
            hidden,
            scope,
            within: self.within.clone(),
        }
    }

    /// The same, and of the repository nothing but what this sentence names. It opens nothing.
    #[must_use]
    pub fn bounded(mut self, sentence: &str) -> Sight {
        let fields = BTreeMap::from([(String::new(), sentence.to_owned())]);
        let named = of_repo("{}", &fields);
        // Words that name nothing show nothing.
        if named.inside.is_empty() {
            self.sees.clear();
        }
        self.within = named.inside;
        self.hidden.extend(named.outside);
        self
    }
}

/// The same where globs close: here a word beside backticks closes as well, and an open backtick
/// loses nothing. What is misread must hide too much, never too little.
fn closed(glob: &str, fields: &Fields) -> Vec<String> {
    let mut closed = of_repo(glob, fields).inside;
    if let Some((_, name, _)) = field_in(glob) {
        let text = fields.get(name).map_or("", String::as_str);
        let bare = BTreeMap::from([(name.to_owned(), text.replace('`', " "))]);
        let more = of_repo(glob, &bare).inside;
        let more = more.into_iter().filter(|glob| !closed.contains(glob));
        closed.extend(more.collect::<Vec<_>>());
    }
    closed
}

/// A glob of a sight with its field filled in. A field's globs are of the repository, also where it
/// has a folder `task`: nobody gets at the task's own files by what is written in a field.
fn of_repo(glob: &str, fields: &Fields) -> Named {
    let Some(named) = filled_in(glob, fields) else {
        return Named {
            inside: vec![glob.to_owned()],
            outside: Vec::new(),
        };
    };
    let of_repo = |glob: String| match glob.strip_prefix("task/") {
        Some(rest) => format!("[t]ask/{rest}"),
        None => glob,
    };
    Named {
        inside: named.inside.into_iter().map(of_repo).collect(),
        outside: named.outside.into_iter().map(of_repo).collect(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    /// Between two backticks.
    Closed,
    /// Behind the last of an odd number of them.
    Open,
    /// Around them.
    None,
}

fn quotes(text: &str) -> impl Iterator<Item = (Quote, &str)> {
    let closed = text.matches('`').count() / 2 * 2;
    text.split('`').enumerate().map(move |(index, part)| {
        let quote = match index % 2 {
            1 if index < closed => Quote::Closed,
            1 => Quote::Open,
            _ => Quote::None,
        };
        (quote, part)
    })
}

fn divided(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| char == ',' || char.is_whitespace())
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Fields {
        BTreeMap::from([("Files".to_owned(), text.to_owned())])
    }

    /// A text, what it opens, what it takes out, and the word that spoils it as a list.
    type Row = (
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
        Option<&'static str>,
    );

    const READ: [Row; 27] = [
        ("", &[], &[], None),
        (" , \n", &[], &[], None),
        (
            "src/**, tests/*.rs a.md",
            &["src/**", "tests/*.rs", "a.md"],
            &[],
            None,
        ),
        ("a,\nb\tc", &["a", "b", "c"], &[], None),
        (
            "`src/**`, `a b.md`",
            &["src/**", "a b.md"],
            &[],
            Some("a b.md"),
        ),
        ("`src/*.{js,ts}`.", &["src/*.{js,ts}"], &[], None),
        ("`a`; `b`", &["a", "b"], &[], None),
        ("`a, b`", &["a, b"], &[], Some("a, b")),
        ("`{a,b}/c, d`", &["{a,b}/c, d"], &[], Some("{a,b}/c, d")),
        (
            "Only `src/**`, not `!src/old/**`.",
            &["src/**"],
            &["src/old/**"],
            Some("Only"),
        ),
        ("a, !b", &["a"], &["b"], None),
        (
            "tests/a.rs, `tests/b.rs`",
            &["tests/b.rs"],
            &[],
            Some("tests/a.rs"),
        ),
        ("`tests/b.rs`, **", &["tests/b.rs"], &[], Some("**")),
        ("tests/`a`", &["a"], &[], Some("tests/")),
        // Unclosed, alone, doubled.
        ("`a`, `b", &["a"], &[], Some("b")),
        ("`a", &[], &[], Some("a")),
        ("`", &[], &[], None),
        ("``", &[], &[], None),
        ("``a``", &[], &[], Some("a")),
        ("` `,`\n`", &[], &[], None),
        // Ways out.
        ("../up, a/../../b, /etc/passwd, ..", &[], &[], None),
        ("`../up` `a`", &["a"], &[], None),
        ("!/etc, !../b", &[], &[], None),
        ("a/..b", &["a/..b"], &[], None),
        // Denied twice, or nothing denied.
        ("!!a, !, `! b`", &[], &["b"], Some("!!a")),
        ("!!a !!!b", &[], &["a", "b"], None),
        ("task/x, !task/y", &["task/x"], &["task/y"], None),
    ];

    #[test]
    fn a_text_names_what_stands_in_it_and_nothing_else() {
        for (text, inside, outside, spoilt) in READ {
            let named = Named::of(text);
            assert_eq!(named.inside, inside, "{text:?}");
            assert_eq!(named.outside, outside, "{text:?}");
            let why = not_a_list(text);
            assert_eq!(why.is_some(), spoilt.is_some(), "{text:?}: {why:?}");
            if let (Some(why), Some(word)) = (why, spoilt) {
                assert!(why.starts_with(&format!("`{word}` ")), "{text:?}: {why}");
            }
        }
    }

    #[test]
    fn a_pattern_stands_for_each_glob_of_its_field() {
        let of = |pattern: &str, text: &str| filled_in(pattern, &fields(text));
        let filled = of("repo/{Files}", "tests/**, ../up, /etc/x, !no src/*.test.js").unwrap();
        assert_eq!(filled.inside, ["repo/tests/**", "repo/src/*.test.js"]);
        assert_eq!(filled.outside, ["repo/no"]);
        assert_eq!(of("{Other}", "a"), Some(Named::default()));
        for plain in ["src/*.{js,ts}", "src/**", "{Files", "Files}"] {
            assert_eq!(of(plain, "a"), None, "{plain}");
        }
    }

    fn globs(list: &[&str]) -> Vec<String> {
        list.iter().map(|glob| (*glob).to_owned()).collect()
    }

    #[test]
    fn a_field_caps_sight_and_scope_and_never_reaches_the_task_folder() {
        let sight = Sight {
            sees: globs(&["{Files}", "README.md"]),
            hidden: globs(&["task/old/**"]),
            scope: globs(&["{Files}", "!Cargo.lock", "task/notes.md"]),
            within: Vec::new(),
        };
        let now = sight.filled_in(&fields("Only `src/**` and `task/**`, not `!task/old/**`."));
        assert_eq!(now.sees, globs(&["src/**", "[t]ask/**", "README.md"]));
        assert_eq!(now.hidden, globs(&["task/old/**", "[t]ask/old/**"]));
        let scope = [
            "src/**",
            "[t]ask/**",
            "![t]ask/old/**",
            "!Cargo.lock",
            "task/notes.md",
        ];
        assert_eq!(now.scope, globs(&scope));
        let nothing = sight.filled_in(&fields(""));
        assert_eq!(nothing.sees, globs(&["README.md"]));
        assert_eq!(nothing.hidden, globs(&["task/old/**"]));
        assert_eq!(nothing.scope, globs(&["!Cargo.lock", "task/notes.md"]));
        let own = now
            .clone()
            .bounded("`src/a/**`, `task/**`, not `!src/a/b/**`");
        assert_eq!(own.sees, now.sees);
        assert_eq!(own.within, globs(&["src/a/**", "[t]ask/**"]));
        assert_eq!(own.hidden.last().map(String::as_str), Some("src/a/b/**"));
        assert!(now.bounded("../up").sees.is_empty());
    }

    #[test]
    fn what_a_field_takes_out_opens_nothing() {
        let sight = Sight {
            sees: globs(&["**"]),
            hidden: globs(&["{Files}"]),
            scope: globs(&["**", "!{Files}"]),
            within: Vec::new(),
        };
        let now = sight.filled_in(&fields("a, !b, task/c"));
        assert_eq!(now.sees, globs(&["**"]));
        assert_eq!(now.hidden, globs(&["a", "[t]ask/c"]));
        assert_eq!(now.scope, globs(&["**", "!a", "!task/c"]));
        let half = sight.filled_in(&fields("a, `b`, `c"));
        assert_eq!(half.hidden, globs(&["b", "a", "c"]));
        assert_eq!(half.scope, globs(&["**", "!b", "!a", "!c"]));
    }
}
