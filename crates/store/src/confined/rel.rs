//! A path below the folder. Parsing is the only way to get one, so nobody has to ask again
//! whether a path climbs, starts at the root or means two things.

use super::{Code, Denied};
use std::fmt;

const MAX_PATH: usize = 1_024;
const MAX_NAME: usize = 255;
const MAX_DEPTH: usize = 64;

/// A normalised relative path: names joined by single slashes, none of them empty, `.` or `..`.
/// The empty path is the root. Case is kept, and nothing is decoded: `%2e%2e` is a file name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rel(String);

impl Rel {
    /// The folder itself.
    pub fn root() -> Rel {
        Rel(String::new())
    }

    /// Checks and normalises a path: `//`, `/./` and a slash at the end are collapsed.
    pub fn parse(text: &str) -> Result<Rel, Denied> {
        let bad = |why: &str| Err(Denied::bad_path(text, why));
        if text.len() > MAX_PATH {
            return bad("is longer than 1024 bytes");
        }
        if text.starts_with('/') {
            return bad("is absolute");
        }
        if let Some(control) = text.chars().find(|c| c.is_control()) {
            return bad(&format!("holds the control character {control:?}"));
        }
        // A backslash separates on other systems: the same text must not mean two files.
        if text.contains('\\') {
            return bad("holds a backslash");
        }
        let mut path = String::with_capacity(text.len());
        let mut depth = 0;
        for name in text.split('/').filter(|name| !matches!(*name, "" | ".")) {
            depth += 1;
            if name == ".." {
                return bad("climbs with ..");
            }
            if name.len() > MAX_NAME {
                return bad("has a name longer than 255 bytes");
            }
            if depth > MAX_DEPTH {
                return bad("is deeper than 64 folders");
            }
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(name);
        }
        Ok(Rel(path))
    }

    /// The bare text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The names from the top, none for the root.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// The last name; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.names().next_back()
    }

    /// The folder that holds this; `None` for the root.
    pub fn parent(&self) -> Option<Rel> {
        if self.is_root() {
            return None;
        }
        let cut = self.0.rfind('/').unwrap_or(0);
        Some(Rel(self.0[..cut].to_owned()))
    }

    /// This path with more below it.
    pub fn join(&self, below: &str) -> Result<Rel, Denied> {
        if self.is_root() {
            return Rel::parse(below);
        }
        Rel::parse(&format!("{}/{below}", self.0))
    }

    /// What comes after `folder`, when this is `folder` or below it.
    pub fn below(&self, folder: &Rel) -> Option<&str> {
        below(&self.0, &folder.0)
    }

    /// Whether this is `folder` or is below it.
    pub fn is_within(&self, folder: &Rel) -> bool {
        self.below(folder).is_some()
    }
}

impl Rel {
    /// A path that a walk put together from names that were judged one by one.
    pub(super) fn walked(path: String) -> Rel {
        Rel(path)
    }
}

/// The rest of `path` after `folder`, by whole names.
pub(super) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('/')
}

impl fmt::Display for Rel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

impl TryFrom<&str> for Rel {
    type Error = Denied;

    fn try_from(text: &str) -> Result<Rel, Denied> {
        Rel::parse(text)
    }
}

impl Denied {
    fn bad_path(text: &str, why: &str) -> Denied {
        let shown: String = text.chars().take(120).collect();
        Denied::new(
            Code::BadPath,
            format!("the path {shown:?} {why}"),
            "give a path relative to the top, with / between names and without ..",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapses_and_keeps() {
        for (text, path) in [
            ("a/b", "a/b"),
            ("a//b/./c/", "a/b/c"),
            ("./a", "a"),
            ("", ""),
            (".", ""),
            ("%2e%2e/a", "%2e%2e/a"),
            ("A/ä/…", "A/ä/…"),
            ("...", "..."),
        ] {
            assert_eq!(Rel::parse(text).unwrap().as_str(), path, "{text}");
        }
    }

    #[test]
    fn refuses_what_climbs_or_means_two_things() {
        let long = "x".repeat(256);
        let deep = "a/".repeat(65);
        let wide = "abcdefg/".repeat(200);
        for text in [
            "/", "/a", "//a", "..", "a/../b", "a/..", "a\0b", "a\nb", "a\\b", &long, &deep, &wide,
        ] {
            assert_eq!(
                Rel::parse(text).unwrap_err().code(),
                Code::BadPath,
                "{text:?}"
            );
        }
    }

    #[test]
    fn knows_its_folders_by_whole_names() {
        let path = Rel::parse("a/b/c").unwrap();
        assert_eq!(path.parent(), Some(Rel::parse("a/b").unwrap()));
        assert_eq!(path.name(), Some("c"));
        assert_eq!(path.below(&Rel::parse("a").unwrap()), Some("b/c"));
        assert_eq!(path.below(&Rel::root()), Some("a/b/c"));
        assert!(
            !Rel::parse("ab")
                .unwrap()
                .is_within(&Rel::parse("a").unwrap())
        );
        assert_eq!(Rel::root().parent(), None);
        assert_eq!(Rel::root().to_string(), ".");
    }
}
