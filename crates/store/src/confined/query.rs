//! What `glob` and `grep` are asked: patterns compiled once, so that a bad one is refused before
//! anything is opened, and bounds that no caller can lift.

use super::{Code, Denied, Rel};
use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

const MAX_PATTERN: usize = 4_096;
const MAX_ITEMS: usize = 10_000;
const USUAL_FILES: usize = 1_000;
const USUAL_HITS: usize = 200;

/// Whether `a` finds `A`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// It does not.
    Sensitive,
    /// It does.
    Insensitive,
}

/// A question for files by name, such as `**/*.rs`, matched against paths from the root.
/// `*` and `?` stay within one name; `**` crosses folders.
#[derive(Debug, Clone)]
pub struct Glob {
    matcher: GlobMatcher,
    under: Rel,
    limit: usize,
}

impl Glob {
    /// Reads a pattern.
    pub fn parse(pattern: &str) -> Result<Glob, Denied> {
        Ok(Glob {
            matcher: matcher(pattern)?,
            under: Rel::root(),
            limit: USUAL_FILES,
        })
    }

    /// Looks only below this folder. The pattern still speaks of paths from the root.
    pub fn under(mut self, folder: &Rel) -> Glob {
        self.under = folder.clone();
        self
    }

    /// Answers at most this many, and never more than 10,000.
    pub fn limit(mut self, limit: usize) -> Glob {
        self.limit = limit.clamp(1, MAX_ITEMS);
        self
    }

    pub(super) fn start(&self) -> &Rel {
        &self.under
    }

    pub(super) fn most(&self) -> usize {
        self.limit
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        self.matcher.is_match(path)
    }
}

/// A question for lines by regular expression.
#[derive(Debug, Clone)]
pub struct Grep {
    pattern: String,
    regex: RegexMatcher,
    files: Option<GlobMatcher>,
    under: Rel,
    limit: usize,
}

impl Grep {
    /// Reads a regular expression in Rust's syntax.
    pub fn parse(pattern: &str) -> Result<Grep, Denied> {
        Ok(Grep {
            pattern: pattern.to_owned(),
            regex: regex(pattern, Case::Sensitive)?,
            files: None,
            under: Rel::root(),
            limit: USUAL_HITS,
        })
    }

    /// Says whether case counts.
    pub fn case(mut self, case: Case) -> Result<Grep, Denied> {
        self.regex = regex(&self.pattern, case)?;
        Ok(self)
    }

    /// Looks only in files whose path from the root matches this glob.
    pub fn files(mut self, pattern: &str) -> Result<Grep, Denied> {
        self.files = Some(matcher(pattern)?);
        Ok(self)
    }

    /// Looks only below this folder, or in this one file.
    pub fn under(mut self, folder: &Rel) -> Grep {
        self.under = folder.clone();
        self
    }

    /// Answers at most this many hits, and never more than 10,000.
    pub fn limit(mut self, limit: usize) -> Grep {
        self.limit = limit.clamp(1, MAX_ITEMS);
        self
    }

    pub(super) fn start(&self) -> &Rel {
        &self.under
    }

    pub(super) fn most(&self) -> usize {
        self.limit
    }

    pub(super) fn regex(&self) -> &RegexMatcher {
        &self.regex
    }

    pub(super) fn wants(&self, path: &str) -> bool {
        self.files.as_ref().is_none_or(|glob| glob.is_match(path))
    }
}

fn matcher(pattern: &str) -> Result<GlobMatcher, Denied> {
    let bad = |why: String| {
        Denied::new(
            Code::BadPattern,
            format!("the glob cannot be read: {why}"),
            "write something like src/**/*.rs, from the top and without .. in it",
        )
    };
    if pattern.len() > MAX_PATTERN {
        return Err(bad("it is longer than 4096 bytes".into()));
    }
    let glob = GlobBuilder::new(pattern.strip_prefix("./").unwrap_or(pattern))
        .literal_separator(true)
        .build()
        .map_err(|error| bad(error.kind().to_string()))?;
    Ok(glob.compile_matcher())
}

fn regex(pattern: &str, case: Case) -> Result<RegexMatcher, Denied> {
    let bad = |why: String| {
        Denied::new(
            Code::BadPattern,
            format!("the regular expression cannot be read: {why}"),
            "escape . * + ? ( ) [ ] { } ^ $ | and \\ with a backslash to look for them as they are",
        )
    };
    if pattern.len() > MAX_PATTERN {
        return Err(bad("it is longer than 4096 bytes".into()));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(case == Case::Insensitive)
        .line_terminator(Some(b'\n'))
        .size_limit(10 << 20)
        .dfa_size_limit(32 << 20)
        .build(pattern)
        .map_err(|error| bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_within_one_name() {
        let glob = Glob::parse("./src/*.rs").unwrap();
        assert!(glob.matches("src/a.rs"));
        assert!(!glob.matches("src/deep/a.rs"));
        assert!(Glob::parse("**/*.rs").unwrap().matches("src/deep/a.rs"));
    }

    #[test]
    fn bad_patterns_are_refused_with_a_mend() {
        for denied in [
            Glob::parse("a[").unwrap_err(),
            Grep::parse("a(").unwrap_err(),
            Grep::parse(&"a".repeat(5_000)).unwrap_err(),
            Grep::parse("a\nb").unwrap_err(),
        ] {
            assert_eq!(denied.code(), Code::BadPattern);
            assert!(!denied.mend().is_empty());
        }
    }
}
