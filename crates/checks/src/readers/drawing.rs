//! The drawing of a repository in its design, as settings name it: where it stands, what it draws,
//! and which sources it has to draw. `structure` and `complexity` judge by it.

use crate::Subject;
use crate::error::Error;
use crate::readers::sections::sections_of;
use crate::readers::{found, sources};
use crate::room::Room;
use globset::{GlobBuilder, GlobMatcher, GlobSet};

const SECTION: &str = "Directory Structure";

/// One thing that the design names.
pub(crate) struct Designed {
    /// As it is drawn, from the repository's root.
    pub(crate) path: String,
    matcher: GlobMatcher,
}

impl Designed {
    pub(crate) fn is(&self, path: &str) -> bool {
        self.matcher.is_match(path)
    }
}

pub(crate) struct Drawing<'a> {
    file: &'a str,
    section: &'a str,
    allow: &'a GlobSet,
}

impl<'a> Drawing<'a> {
    /// As settings name it: the design, the heading over its drawing, and sources that it need not
    /// draw.
    pub(crate) fn of(file: &'a str, section: Option<&'a str>, allow: &'a GlobSet) -> Self {
        Self {
            file,
            section: section.unwrap_or(SECTION),
            allow,
        }
    }

    /// What it draws; `files` are those of the repository.
    pub(crate) fn designed(
        &self,
        subject: &Subject<'_>,
        files: &[String],
    ) -> Result<Vec<Designed>, Error> {
        let (file, section) = (self.file, self.section);
        let sections = sections_of(subject, file, Some(section))?;
        let drawing: String = sections.into_iter().flat_map(|one| one.code).collect();
        if drawing.trim().is_empty() {
            let why = format!("{file}, `{section}`, has no fenced block with a drawing");
            return Err(why.into());
        }
        let exists = |name: &str| {
            files
                .iter()
                .any(|path| path.starts_with(&format!("{name}/")))
        };
        let drawn = documents::drawing::tree(&drawing, &exists).map_err(Error::undone(file))?;
        let things = drawn.into_iter().map(|one| {
            let glob = GlobBuilder::new(&one.glob).literal_separator(true).build();
            let glob = glob.map_err(Error::undone(format!("`{}` in its drawing", one.path)));
            Ok(Designed {
                matcher: glob.map_err(Error::undone(file))?.compile_matcher(),
                path: one.path,
            })
        });
        things.collect()
    }

    /// The sources that count: those that need a design, and so none that the run found there and that
    /// is as it was, unless it is drawn.
    pub(crate) fn sources<'f>(
        &self,
        subject: &Subject<'_>,
        (files, found): (&'f [String], Option<&Room>),
        designed: &[Designed],
    ) -> Vec<&'f String> {
        let counts = |path: &&String| {
            sources::is_source(path)
                && !self.allow.is_match(path)
                && (designed.iter().any(|one| one.is(path))
                    || !found::is_as_found(subject, found, path))
        };
        files.iter().filter(counts).collect()
    }
}
