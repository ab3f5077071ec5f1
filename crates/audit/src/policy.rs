//! What a repository asks of a change before it may be merged: `.proofhouse/policy.toml`, as it stands where
//! the change is to go. A change that brings a milder policy along is judged by the one that is there.

use globset::{Glob, GlobSet, GlobSetBuilder};
use kernel::outcome::Worth;
use serde::Deserialize;
use workspace::error::EngineError;

/// Where the policy lies.
pub const POLICY: &str = ".proofhouse/policy.toml";

/// What is asked.
#[derive(Debug)]
pub(crate) struct Policy {
    require: GlobSet,
    except: GlobSet,
    worth: Worth,
    signed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    require: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    worth: Option<String>,
    #[serde(default)]
    signed: bool,
}

impl Policy {
    /// Asks for nothing: what is not covered is told, and that is all.
    pub(crate) fn none() -> Self {
        Self {
            require: GlobSet::empty(),
            except: GlobSet::empty(),
            worth: Worth::Weak,
            signed: false,
        }
    }

    pub(crate) fn read(text: &str) -> Result<Self, EngineError> {
        let wrong = |why: String| {
            EngineError::user(
                "policy_invalid",
                format!("{POLICY}: {why}"),
                "it may have `require` and `except` (lists of globs), `worth` (`weak`, `reported` or `observed`) and `signed` (`true` or `false`)",
            )
        };
        let written: Written = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let globs = |patterns: &[String]| {
            let mut set = GlobSetBuilder::new();
            for pattern in patterns {
                set.add(Glob::new(pattern).map_err(|error| wrong(error.to_string()))?);
            }
            set.build().map_err(|error| wrong(error.to_string()))
        };
        let named = |word: &str| Worth::ALL.into_iter().find(|one| one.as_str() == word);
        Ok(Self {
            require: globs(&written.require)?,
            except: globs(&written.except)?,
            signed: written.signed,
            worth: match written.worth.as_deref() {
                None => Worth::Weak,
                Some(word) => {
                    named(word).ok_or_else(|| wrong(format!("`worth` cannot be `{word}`")))?
                }
            },
        })
    }

    /// Must a run have proven this file?
    pub(crate) fn requires(&self, path: &str) -> bool {
        self.require.is_match(path) && !self.except.is_match(path)
    }

    /// Is evidence of this worth enough?
    pub(crate) fn is_met_by(&self, worth: Worth) -> bool {
        worth >= self.worth
    }

    /// Must somebody have signed for it?
    pub(crate) fn signed(&self) -> bool {
        self.signed
    }

    /// The least that counts, as a word.
    pub(crate) fn least(&self) -> &'static str {
        self.worth.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_what_was_written() {
        let text = "require = [\"**\"]\nexcept = [\"docs/**\"]\nworth = \"reported\"\n";
        let policy = Policy::read(text).unwrap();
        assert!(policy.requires("src/a.rs") && !policy.requires("docs/a.md"));
        assert!(policy.is_met_by(Worth::Observed) && policy.is_met_by(Worth::Reported));
        assert!(!policy.is_met_by(Worth::Weak) && !policy.signed());
        assert!(!Policy::none().requires("src/a.rs") && Policy::none().is_met_by(Worth::Weak));
        assert!(Policy::read("signed = true").unwrap().signed());
    }

    #[test]
    fn what_is_written_wrongly_is_refused_by_name() {
        for (text, why) in [
            ("requires = []", "requires"),
            ("worth = \"high\"", "`high`"),
            ("require = [\"a{\"]", "a{"),
        ] {
            let error = Policy::read(text).unwrap_err();
            assert_eq!(error.code, "policy_invalid");
            assert!(error.what.contains(why), "{}", error.what);
        }
    }
}
