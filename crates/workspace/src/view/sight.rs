//! What an agent sees and where it may write, as compiled globs. What is hidden is not copied, so
//! for the agent it does not exist.

use crate::error::Error;
use checks::Star;
use globset::GlobSet;
use kernel::effect::Sight;
use std::path::Path;

/// Hidden from every agent unless the config says otherwise.
pub(crate) use checks::SECRET_BY_CUSTOM;

/// A compiled [`Sight`].
pub struct Globs {
    sees: GlobSet,
    /// A further bound of what is seen, where there is one.
    within: Option<GlobSet>,
    hidden: GlobSet,
    scope: GlobSet,
    /// Taken out of the scope again.
    outside: GlobSet,
    /// What may be changed in the task folder; none: everything.
    task: Option<GlobSet>,
    /// What of the task folder is not in the view.
    hidden_task: GlobSet,
}

fn compile<'a>(star: Star, globs: impl IntoIterator<Item = &'a str>) -> Result<GlobSet, Error> {
    checks::compiled(star, globs).map_err(|error| {
        Error::user(
            "bad_glob",
            error.to_string(),
            "correct it in the workflow or the config",
        )
    })
}

impl Globs {
    /// Compiles them.
    pub fn of(sight: &Sight, hidden: &[String]) -> Result<Self, Error> {
        fn texts(list: &[String]) -> impl Iterator<Item = &str> {
            list.iter().map(String::as_str)
        }
        Ok(Self {
            sees: compile(Star::Stays, texts(&sight.sees))?,
            within: match sight.within.is_empty() {
                true => None,
                false => Some(compile(Star::Stays, texts(&sight.within))?),
            },
            hidden: compile(
                Star::Crosses,
                texts(&sight.hidden)
                    .filter(|glob| !glob.starts_with(TASK))
                    .chain(texts(hidden)),
            )?,
            hidden_task: compile(
                Star::Crosses,
                texts(&sight.hidden).filter_map(|glob| glob.strip_prefix(TASK)),
            )?,
            scope: compile(
                Star::Stays,
                texts(&sight.scope).filter(|glob| !is_special(glob)),
            )?,
            outside: compile(
                Star::Crosses,
                texts(&sight.scope).filter_map(|glob| glob.strip_prefix('!')),
            )?,
            task: match sight.scope.iter().any(|glob| glob.starts_with(TASK)) {
                true => {
                    let globs = texts(&sight.scope);
                    let globs = globs.filter_map(|glob| glob.strip_prefix(TASK));
                    Some(compile(Star::Stays, globs)?)
                }
                false => None,
            },
        })
    }

    /// May the role change this file of the task folder?
    pub fn allows_in_task(&self, path: &Path) -> bool {
        self.task.as_ref().is_none_or(|task| task.is_match(path)) && self.shows_in_task(path)
    }

    /// Is this file of the task folder in the view?
    pub fn shows_in_task(&self, path: &Path) -> bool {
        !self.hidden_task.is_match(path)
    }

    /// Is the file in the view?
    pub fn shows(&self, path: &Path) -> bool {
        let within = self.within.as_ref();
        self.sees.is_match(path)
            && within.is_none_or(|within| within.is_match(path))
            && !self.hidden.is_match(path)
    }

    /// May the role change it? What it may not see, it may not write either.
    pub fn allows(&self, path: &Path) -> bool {
        self.scope.is_match(path) && !self.outside.is_match(path) && self.shows(path)
    }
}

/// What a glob of the task folder begins with.
const TASK: &str = "task/";

fn is_special(glob: &str) -> bool {
    glob.starts_with('!') || glob.starts_with(TASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_wins_over_seen_and_scope_needs_sight() {
        let list = |globs: &[&str]| {
            globs
                .iter()
                .map(|glob| (*glob).to_owned())
                .collect::<Vec<_>>()
        };
        let sight = Sight {
            sees: list(&["src/**", "*.md"]),
            hidden: list(&["src/secret/**", "task/notes/old/**"]),
            scope: list(&[
                "**/*.rs",
                "!src/lib.rs.rs",
                "!src/frozen/**",
                "task/notes/*.md",
            ]),
            within: Vec::new(),
        };
        let globs = Globs::of(&sight, &list(&SECRET_BY_CUSTOM)).unwrap();
        assert!(globs.shows_in_task(Path::new("scope.md")));
        for (path, allowed) in [
            ("notes/a.md", true),
            ("scope.md", false),
            ("notes/old/a.md", false),
        ] {
            assert_eq!(globs.allows_in_task(Path::new(path)), allowed, "{path}");
        }
        for (path, shown, allowed) in [
            ("src/frozen/a.rs", true, false),
            ("src/lib.rs", true, true),
            ("src/notes.txt", true, false),
            ("README.md", true, false),
            ("docs/deep.md", false, false),
            ("src/secret/key.rs", false, false),
            ("tests/a.rs", false, false),
            ("src/.env", false, false),
            ("src/deep/server.pem", false, false),
        ] {
            assert_eq!(
                (globs.shows(Path::new(path)), globs.allows(Path::new(path))),
                (shown, allowed),
                "{path}"
            );
        }
    }

    #[test]
    fn s5_3_each_level_shows_what_it_says_and_nothing_inside() {
        use kernel::pack::Permission;
        let folder = "state_store/modules/MM-a/1.0.0";
        let surfaces = ["contract.json", "examples.md", "ship.json"];
        let inside = [
            "seal.json",
            "envelope.txt",
            "implementation/lib.rs",
            "implementation/contract.json",
            "tests/execution_log.json",
            "tests/ship.json",
        ];
        for (level, outer, inner) in [
            (Permission::MetadataOnly, false, false),
            (Permission::SummaryOnly, false, false),
            (Permission::ContractOnly, true, false),
            (Permission::Full, true, true),
        ] {
            let globs = level.module_globs().into_iter();
            let sight = Sight {
                sees: globs.map(|glob| format!("{folder}/{glob}")).collect(),
                hidden: Vec::new(),
                scope: Vec::new(),
                within: Vec::new(),
            };
            let globs = Globs::of(&sight, &[]).unwrap();
            for (files, shown) in [(&surfaces[..], outer), (&inside[..], inner)] {
                for file in files {
                    let own = format!("{folder}/{file}");
                    assert_eq!(globs.shows(Path::new(&own)), shown, "{level:?} {own}");
                    let other = format!("state_store/modules/MM-a/1.0.1/{file}");
                    assert!(!globs.shows(Path::new(&other)), "{level:?} {other}");
                }
            }
        }
    }
}
