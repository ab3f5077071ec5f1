//! What a repository asks of a change before it may be merged: `.proofhouse/policy.toml`, as it stands where
//! the change is to go. A change that brings a milder policy along is judged by the one that is there.

use globset::{Glob, GlobSet, GlobSetBuilder};
use kernel::outcome::Worth;
use serde::Deserialize;
use std::path::Path;
use workspace::error::EngineError;

/// Where the policy lies.
pub const POLICY: &str = ".proofhouse/policy.toml";

/// What is asked.
#[derive(Debug)]
pub(crate) struct Policy {
    require: GlobSet,
    /// The folders that its globs name to the letter.
    folders: Vec<String>,
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
            folders: Vec::new(),
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
                if let Some(why) = names_nothing(pattern) {
                    return Err(wrong(format!("`{pattern}` names no file: {why}")));
                }
                set.add(Glob::new(pattern).map_err(|error| wrong(error.to_string()))?);
            }
            set.build().map_err(|error| wrong(error.to_string()))
        };
        let named = |word: &str| Worth::ALL.into_iter().find(|one| one.as_str() == word);
        Ok(Self {
            require: globs(&written.require)?,
            folders: written.require.iter().map(|glob| folder(glob)).collect(),
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

    /// Must a run have proven this file? Its path comes as it is told, and is matched as it is.
    pub(crate) fn requires(&self, path: &str) -> bool {
        let there = store::decode_path(path);
        let path = there.as_deref().unwrap_or(Path::new(path));
        self.require.is_match(path) && !self.except.is_match(path)
    }

    /// Does it ask for files below this path? Where a link lies there, their names lead elsewhere.
    pub(crate) fn requires_below(&self, path: &str) -> bool {
        let below = format!("{path}/");
        self.folders.iter().any(|folder| folder.starts_with(&below))
            || self.requires(&format!("{below}any"))
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

/// What a glob says to the letter, up to its last folder.
fn folder(glob: &str) -> String {
    let plain = glob.find(['*', '?', '[', '{', '\\']).unwrap_or(glob.len());
    let end = glob[..plain].rfind('/').map_or(0, |at| at + 1);
    glob[..end].to_owned()
}

/// Why no path of a repository can match, where that can be seen: a policy that asks for nothing by mistake is
/// one that lets everything through.
fn names_nothing(pattern: &str) -> Option<&'static str> {
    let words = [
        "paths begin at the repository's top, without `/` or `./`",
        "write `FOLDER/**` for all of a folder",
    ];
    match pattern {
        _ if pattern.starts_with('/')
            || pattern.starts_with("./")
            || pattern.starts_with("../") =>
        {
            Some(words[0])
        }
        "" | "." => Some("write `**` for all of them"),
        _ if pattern.ends_with('/') => Some(words[1]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn what_is_asked_is_what_was_written() {
        let text = "require = [\"**\"]\nexcept = [\"docs/**\"]\nworth = \"reported\"\n";
        let policy = Policy::read(text).unwrap();
        assert!(policy.requires("src/a.rs") && !policy.requires("docs/a.md"));
        assert!(policy.is_met_by(Worth::Observed) && policy.is_met_by(Worth::Reported));
        assert!(!policy.is_met_by(Worth::Weak) && !policy.signed());
        assert!(!Policy::none().requires("src/a.rs") && Policy::none().is_met_by(Worth::Weak));
        assert!(Policy::read("signed = true").unwrap().signed());
        // A link in the place of a folder that files are asked for of.
        let deep = Policy::read("require = [\"lib/**\", \"src/deep/*.rs\"]").unwrap();
        assert!(deep.requires_below("lib") && deep.requires_below("src/deep"));
        assert!(deep.requires_below("src") && !deep.requires_below("other"));
        // As the file is called, and not as that is told: a name that is no text is no way around it.
        let all = Policy::read("require = [\"src/**\"]").unwrap();
        let name = std::ffi::OsStr::from_bytes(b"src/a\xff.rs");
        let told = store::encode_path(Path::new(name));
        assert!(!told.starts_with("src/") && all.requires(&told), "{told}");
    }

    #[test]
    fn what_is_written_wrongly_is_refused_by_name() {
        for (text, why) in [
            ("requires = []", "requires"),
            ("worth = \"high\"", "`high`"),
            ("require = [\"a{\"]", "a{"),
            ("require = [\"/src/**\"]", "without `/`"),
            ("require = [\"./a\"]", "without `/`"),
            ("except = [\"docs/\"]", "FOLDER/**"),
            ("require = [\".\"]", "`**`"),
        ] {
            let error = Policy::read(text).unwrap_err();
            assert_eq!(error.code, "policy_invalid");
            assert!(error.what.contains(why), "{}", error.what);
        }
    }
}
