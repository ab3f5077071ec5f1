//! Versions of modules and ranges of them. How versions compare and what a range holds is `semver`'s.
//! Labels and build metadata are refused: versions of modules do not have them (rule F8.3).

use std::fmt;

/// Why a text names no module, version or range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {wanted}: {why}")]
pub struct Malformed {
    /// As much of it as is needed to recognise it.
    pub text: String,
    /// What it should be.
    pub wanted: Wanted,
    /// What keeps it from being that.
    pub why: &'static str,
}

/// What a text should have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// An id, a version, or both.
    Reference,
    /// A range of versions.
    Range,
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wanted::Reference => "a module reference",
            Wanted::Range => "a version range",
        })
    }
}

pub(crate) fn malformed(text: &str, wanted: Wanted, why: &'static str) -> Malformed {
    let text = text.chars().take(160).collect();
    Malformed { text, wanted, why }
}

/// `major.minor.patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Rises with breaking changes.
    pub major: u32,
    /// Rises with additions.
    pub minor: u32,
    /// Rises with everything else.
    pub patch: u32,
}

/// Which number rises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Bump {
    /// The contract is the same.
    Patch,
    /// The contract has more, and nothing less.
    Minor,
    /// Somebody who relied on the old contract may break.
    Major,
}

/// The most digits of a number.
const LONGEST_NUMBER: usize = 9;
/// Three such numbers.
pub(crate) const PATTERN: &str = r"^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$";

impl Version {
    /// Where everything begins.
    pub const FIRST: Version = Version::new(1, 0, 0);

    /// The version of three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Reads a version: three numbers without leading zeros.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let why = "a version is three numbers, as in 1.0.0";
        let read = || {
            let read = semver::Version::parse(text).ok()?;
            let plain = read.pre.is_empty() && read.build.is_empty();
            let short = text.split('.').all(|number| number.len() <= LONGEST_NUMBER);
            let number = |number: u64| u32::try_from(number).ok();
            (plain && short).then_some(())?;
            Some(Self::new(
                number(read.major)?,
                number(read.minor)?,
                number(read.patch)?,
            ))
        };
        read().ok_or_else(|| malformed(text, Wanted::Reference, why))
    }

    /// The next version of that kind.
    pub fn bumped(self, bump: Bump) -> Version {
        let Version {
            major,
            minor,
            patch,
        } = self;
        match bump {
            Bump::Patch => Version::new(major, minor, patch.saturating_add(1)),
            Bump::Minor => Version::new(major, minor.saturating_add(1), 0),
            Bump::Major => Version::new(major.saturating_add(1), 0, 0),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Stored as what it prints, and read back strictly.
macro_rules! as_text {
    ($($type:ident)*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                $type::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    )*};
}
as_text!(Version);
pub(crate) use as_text;

/// Versions that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    text: String,
    wanted: semver::VersionReq,
}

impl Range {
    /// Reads `1.2.3` (that one alone), `^1.2.3`, `~1.2.3`, `1.x`, `>=1.0.0 <2.0.0`, `*`.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        const SIGNS: [char; 5] = ['>', '<', '=', '^', '~'];
        // `>= 1.0.0` with a blank is as common as without, and so is a blank for a comma.
        let mut words: Vec<String> = Vec::new();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            match words.last_mut() {
                Some(last) if last.ends_with(SIGNS) => last.push_str(word),
                // To `semver` a bare version means any that is compatible; here it means itself.
                _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                    words.push(format!("={}", word.trim_end_matches(".x")));
                }
                _ => words.push(word.to_owned()),
            }
        }
        let wanted = semver::VersionReq::parse(&words.join(", "));
        let wanted = wanted.ok().filter(|wanted| {
            let labelled = wanted.comparators.iter().any(|one| !one.pre.is_empty());
            !words.is_empty() && !labelled
        });
        let why = "write 1.2.3, ^1.2.3, ~1.2.3, 1.x, >=1.0.0 <2.0.0 or *";
        Ok(Self {
            text: text.trim().to_owned(),
            wanted: wanted.ok_or_else(|| malformed(text, Wanted::Range, why))?,
        })
    }

    /// Is the version in it?
    pub fn contains(&self, version: Version) -> bool {
        let Version {
            major,
            minor,
            patch,
        } = version;
        let version = semver::Version::new(major.into(), minor.into(), patch.into());
        self.wanted.matches(&version)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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
            ("^1.2", "1.9.0", "2.0.0"),
            ("~1.2.3", "1.2.9", "1.3.0"),
            ("1.x", "1.7.0", "2.0.0"),
            ("1", "1.0.0", "0.9.9"),
            ("1.2", "1.2.7", "1.3.0"),
            ("1.2.x", "1.2.7", "1.3.0"),
            (">=1.0.0 <2.0.0", "1.5.0", "2.0.0"),
            (">= 1.0.0, < 2.0.0", "1.0.0", "0.9.0"),
            (">1.0.0", "1.0.1", "1.0.0"),
            ("<=1.0.0", "1.0.0", "1.0.1"),
        ] {
            let parsed = Range::parse(range).unwrap();
            let version = |text| Version::parse(text).unwrap();
            assert!(parsed.contains(version(inside)), "{range} holds {inside}");
            assert!(!parsed.contains(version(outside)), "{range} and {outside}");
        }
        let any = Range::parse("*").unwrap();
        assert!(any.contains(Version::new(9, 9, 9)));
    }

    #[test]
    fn other_texts_are_no_ranges_and_no_versions() {
        for text in [
            "",
            " ",
            "x.1",
            "1.2.3.4",
            "latest",
            ">=",
            "1.x.3",
            "01.0.0",
            "1.0.0-rc.1",
        ] {
            let error = Range::parse(text);
            assert!(error.is_err(), "{text:?}: {error:?}");
        }
        for text in [
            "1.0",
            "1.0.0-rc.1",
            "1.0.0+5",
            "01.0.0",
            "v1.0.0",
            "1.0.0 ",
            "1.0.99999999999",
        ] {
            assert!(Version::parse(text).is_err(), "{text:?}");
        }
        assert!(Version::new(1, 9, 0) < Version::new(1, 10, 0));
    }
}
