//! What a change did to tests and to code: what controls are made of.

use crate::Subject;
use crate::error::Error;
use crate::readers::paths;
use crate::room::Room;
use serde::Serialize;

/// A file of the candidate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) now: String,
    /// As it was; none: it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
    /// Is it new, or not as it was?
    pub(crate) changed: bool,
}

/// What a change did, and what is there to look at it with.
pub(crate) struct Files {
    /// Test files: those of the change, or else all.
    pub(crate) tests: Vec<File>,
    /// Changed files that are no tests.
    pub(crate) code: Vec<File>,
}

impl Files {
    /// Those of the candidate against a room with the code before. A file of which it is not said
    /// whether it is a test decides how tests run, and is neither.
    pub(crate) fn of(
        subject: &Subject<'_>,
        before: &Room,
        is_test: &dyn Fn(&str) -> Option<bool>,
    ) -> Result<Self, Error> {
        let (mut tests, mut code) = (Vec::new(), Vec::new());
        for path in subject.tree()?.files.into_keys() {
            let Some(is_test) = is_test(&path) else {
                continue;
            };
            let Ok(now) = paths::read(subject.place, &format!("repo/{path}")) else {
                continue;
            };
            let old = before.text(&path);
            let changed = old.as_ref() != Some(&now);
            let file = File {
                path,
                now,
                before: old,
                changed,
            };
            match is_test {
                true => tests.push(file),
                false if changed => code.push(file),
                false => {}
            }
        }
        Ok(Self { tests, code })
    }
}
