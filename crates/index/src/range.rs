//! Version ranges, as dependencies name them (`MM-...@range`) and as a list of entries may be
//! filtered. The document leaves their spelling open; this is the common one of package managers.

use crate::error::IndexError;
use crate::module::{ModuleId, Version, number};
use std::fmt;

/// Versions between two bounds, or several such conditions at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRange {
    text: String,
    /// From here on, and up to but not at there.
    spans: Vec<(Version, Option<Version>)>,
}

impl VersionRange {
    /// Reads `1.2.3`, `=1.2.3`, `^1.2.3`, `~1.2.3`, `1.x`, `>=1.0.0 <2.0.0`, `*`.
    pub fn parse(text: &str) -> Result<Self, IndexError> {
        let wrong = || IndexError::BadRange {
            text: text.chars().take(160).collect(),
        };
        // `>= 1.0.0` with a blank is as common as without.
        let mut joined = text.replace(',', " ");
        for sign in [">=", "<=", ">", "<", "=", "^", "~"] {
            while joined.contains(&format!("{sign} ")) {
                joined = joined.replace(&format!("{sign} "), sign);
            }
        }
        let spans: Option<Vec<_>> = joined.split_whitespace().map(span).collect();
        match spans {
            Some(spans) if !spans.is_empty() => Ok(Self {
                text: text.trim().to_owned(),
                spans,
            }),
            _ => Err(wrong()),
        }
    }

    /// Is the version in it?
    pub fn contains(&self, version: Version) -> bool {
        self.spans
            .iter()
            .all(|(from, to)| *from <= version && to.is_none_or(|to| version < to))
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const ZERO: Version = Version {
    major: 0,
    minor: 0,
    patch: 0,
};

/// One condition.
fn span(word: &str) -> Option<(Version, Option<Version>)> {
    let version = |text: &str| Version::parse(text).ok();
    let after = |version: Version| {
        Some(Version {
            patch: version.patch.checked_add(1)?,
            ..version
        })
    };
    if let Some(rest) = word.strip_prefix(">=") {
        return Some((version(rest)?, None));
    }
    if let Some(rest) = word.strip_prefix("<=") {
        return Some((ZERO, Some(after(version(rest)?)?)));
    }
    if let Some(rest) = word.strip_prefix('>') {
        return Some((after(version(rest)?)?, None));
    }
    if let Some(rest) = word.strip_prefix('<') {
        return Some((ZERO, Some(version(rest)?)));
    }
    if let Some(rest) = word.strip_prefix('^') {
        let from = version(rest)?;
        // Before 1.0.0, the first number that is not zero says what breaks.
        let to = match (from.major, from.minor) {
            (0, 0) => after(from)?,
            (0, minor) => below(0, minor.checked_add(1)?),
            (major, _) => below(major.checked_add(1)?, 0),
        };
        return Some((from, Some(to)));
    }
    if let Some(rest) = word.strip_prefix('~') {
        let from = version(rest)?;
        return Some((from, Some(below(from.major, from.minor.checked_add(1)?))));
    }
    let word = word.strip_prefix('=').unwrap_or(word);
    if let Some(exact) = version(word) {
        return Some((exact, Some(after(exact)?)));
    }
    partial(word)
}

fn below(major: u32, minor: u32) -> Version {
    Version {
        major,
        minor,
        patch: 0,
    }
}

/// `*`, `1`, `1.x`, `1.2`, `1.2.x`.
fn partial(word: &str) -> Option<(Version, Option<Version>)> {
    let is_any = |part: &str| matches!(part, "x" | "X" | "*");
    let mut parts: Vec<&str> = word.split('.').collect();
    while parts.last().is_some_and(|last| is_any(last)) {
        parts.pop();
    }
    if word.split('.').count() > 3 || word.is_empty() {
        return None;
    }
    match parts[..] {
        [] => Some((ZERO, None)),
        [major] => {
            let major = number(major)?;
            Some((below(major, 0), Some(below(major.checked_add(1)?, 0))))
        }
        [major, minor] => {
            let (major, minor) = (number(major)?, number(minor)?);
            Some((
                below(major, minor),
                Some(below(major, minor.checked_add(1)?)),
            ))
        }
        _ => None,
    }
}

/// What an entry needs: a module and the versions of it that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The module.
    pub module_id: ModuleId,
    /// Its versions.
    pub range: VersionRange,
}

impl Dependency {
    /// Reads `MM-...@range`.
    pub fn parse(text: &str) -> Result<Self, IndexError> {
        let (id, range) = text
            .split_once('@')
            .ok_or_else(|| IndexError::BadReference {
                text: text.chars().take(160).collect(),
                why: "there is no @ between id and range",
            })?;
        Ok(Self {
            module_id: ModuleId::parse(id)?,
            range: VersionRange::parse(range)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_they_say() {
        for (range, inside, outside) in [
            ("1.2.3", "1.2.3", "1.2.4"),
            ("=1.2.3", "1.2.3", "1.2.2"),
            ("^1.2.3", "1.9.0", "2.0.0"),
            ("^0.2.3", "0.2.9", "0.3.0"),
            ("^0.0.3", "0.0.3", "0.0.4"),
            ("~1.2.3", "1.2.9", "1.3.0"),
            ("1.x", "1.7.0", "2.0.0"),
            ("1", "1.0.0", "0.9.9"),
            ("1.2.x", "1.2.7", "1.3.0"),
            (">=1.0.0 <2.0.0", "1.5.0", "2.0.0"),
            (">= 1.0.0, < 2.0.0", "1.0.0", "0.9.0"),
            (">1.0.0", "1.0.1", "1.0.0"),
            ("<=1.0.0", "1.0.0", "1.0.1"),
        ] {
            let parsed = VersionRange::parse(range).unwrap();
            let version = |text| Version::parse(text).unwrap();
            assert!(parsed.contains(version(inside)), "{range} holds {inside}");
            assert!(!parsed.contains(version(outside)), "{range} and {outside}");
        }
        let any = VersionRange::parse("*").unwrap();
        assert!(any.contains(Version::parse("9.9.9").unwrap()));
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in [
            "", " ", "x.1", "1.2.3.4", "latest", "^1", ">=", "1.x.3", "01.0.0",
        ] {
            let error = VersionRange::parse(text).map(|range| range.spans);
            assert!(error.is_err(), "{text:?}: {error:?}");
        }
    }
}
