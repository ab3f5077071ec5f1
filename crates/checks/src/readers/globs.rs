//! Globs as sets, and the line that a field draws with them.

use crate::error::Error;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use kernel::pattern::Named;

/// What a field draws a line around, compiled as a view compiles it.
pub(crate) struct Line {
    pub(crate) inside: GlobSet,
    outside: GlobSet,
}

impl Line {
    pub(crate) fn of(text: &str) -> Result<Self, Error> {
        let named = Named::of(text);
        Ok(Self {
            inside: compiled(Star::Stays, named.inside.iter().map(String::as_str))?,
            outside: compiled(Star::Crosses, named.outside.iter().map(String::as_str))?,
        })
    }

    pub(crate) fn holds(&self, path: &str) -> bool {
        self.inside.is_match(path) && !self.outside.is_match(path)
    }
}

/// How far a `*` reaches. Where globs open, it stays in its folder, as it does for what freezes and
/// judges what was opened; where they close, it crosses folders: too much rather than too little.
/// `**` crosses everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Star {
    /// Within one folder.
    Stays,
    /// Over any number of them.
    Crosses,
}

/// Globs as one set.
pub fn compiled<'a>(
    star: Star,
    globs: impl IntoIterator<Item = &'a str>,
) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    for text in globs {
        let mut glob = GlobBuilder::new(text);
        glob.literal_separator(star == Star::Stays);
        set.add(glob.build()?);
    }
    Ok(set.build()?)
}
