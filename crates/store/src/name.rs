//! Names of runs, and where a run's files are. It refuses any name that could climb out of the
//! journal folder, hide in it, or mean two things on two file systems.

use crate::StoreError;
use crate::fault::Fault;
use std::fmt;
use std::path::{Path, PathBuf};

/// The name of a run: `[a-z0-9][a-z0-9._-]{0,63}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunName(String);

impl RunName {
    /// Checks a name.
    pub fn new(name: &str) -> Result<RunName, StoreError> {
        let first = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        let rest = name
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'));
        if first && rest && name.len() <= 64 {
            Ok(RunName(name.to_owned()))
        } else {
            Err(StoreError::BadRunName {
                name: name.to_owned(),
            })
        }
    }

    /// Checks the name of something new: it becomes part of the name of a ref, where git has rules of its
    /// own. What was begun without them is still read.
    pub fn fresh(name: &str) -> Result<RunName, StoreError> {
        let of_git = !name.ends_with(".lock") && !name.ends_with('.') && !name.contains("..");
        RunName::new(name)
            .ok()
            .filter(|_| of_git)
            .ok_or_else(|| StoreError::BadRunName {
                name: name.to_owned(),
            })
    }

    /// The bare text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its journal, in the folder of journals.
    pub fn journal(&self, dir: &Path) -> PathBuf {
        dir.join(format!("{}.jsonl", self.0))
    }

    pub(crate) fn checkpoint(&self, dir: &Path) -> PathBuf {
        dir.join(format!("{}.checkpoint.json", self.0))
    }

    pub(crate) fn corrupt(&self, line: u64, reason: Fault) -> StoreError {
        StoreError::JournalCorrupt {
            run: self.0.clone(),
            line,
            reason,
        }
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All runs in the folder, sorted, without opening any: one broken journal must not hide the
/// others. A folder that is not there has no runs.
pub fn list(dir: &Path) -> Result<Vec<RunName>, StoreError> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("list", dir)(error)),
    };
    let mut runs = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::io("list", dir))?;
        // A pipe or a device would be waited for, or read, without end.
        let special = |it: std::fs::Metadata| !it.is_file() && !it.is_dir();
        if entry.path().metadata().is_ok_and(special) {
            continue;
        }
        let file = entry.file_name();
        let stem = file.to_str().and_then(|name| name.strip_suffix(".jsonl"));
        // A file with another kind of name is not a journal: no run could be opened by it.
        runs.extend(stem.and_then(|stem| RunName::new(stem).ok()));
    }
    runs.sort();
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_plain_names_only() {
        for name in ["a", "0", "slice-12", "a.b_c-d", &"x".repeat(64)] {
            assert!(RunName::new(name).is_ok(), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "-a",
            "_a",
            ".a",
            "A",
            "a/b",
            "a b",
            "ä",
            "a\0",
            &"x".repeat(65),
        ] {
            let error = RunName::new(name).expect_err(name);
            assert_eq!(error.code(), "bad_run_name");
            assert!(error.mend().contains("a-z"));
        }
        for name in ["x.lock", "a.", "a..b", "@{", "-a"] {
            assert!(RunName::fresh(name).is_err(), "{name}");
        }
        // Begun by an earlier version.
        assert!(RunName::new("x.lock").is_ok());
        assert!(RunName::fresh("a.b").is_ok());
    }

    #[test]
    fn lists_runs_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(list(&dir.path().join("absent")).unwrap(), Vec::new());
        for file in [
            "b.jsonl",
            "a.jsonl",
            "a.checkpoint.json",
            "a.torn-12",
            "Bad.jsonl",
            ".jsonl",
            ".a.jsonl.tmp-1-1",
        ] {
            std::fs::write(dir.path().join(file), "not even JSON").unwrap();
        }
        let names = list(dir.path()).unwrap();
        assert_eq!(
            names.iter().map(RunName::as_str).collect::<Vec<_>>(),
            ["a", "b"]
        );
    }
}
