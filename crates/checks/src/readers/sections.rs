//! What several checks ask of a document of the task or the repository: its sections, and the ids in them.

use crate::Subject;
use crate::error::Error;
use crate::readers::paths;
use documents::idents::Pattern;
use documents::markdown::{self, Section};
use std::collections::{BTreeMap, BTreeSet};

/// All sections of a file with this heading, or the whole file.
pub(crate) fn sections_of(
    subject: &Subject<'_>,
    file: &str,
    section: Option<&str>,
) -> Result<Vec<Section>, Error> {
    let text = paths::read(subject.place, file).map_err(Error::of(file))?;
    markdown::chosen(&text, section).map_err(Error::of(file))
}

/// Ids of a document, of which each needs a test or a proof.
pub(crate) struct IdsOf<'a> {
    /// What they look like.
    pub(crate) pattern: &'a Pattern,
    /// Where they stand.
    pub(crate) file: &'a str,
    pub(crate) section: Option<&'a str>,
}

impl<'a> IdsOf<'a> {
    /// As settings name them; none if they name none.
    pub(crate) fn named(
        pattern: Option<&'a Pattern>,
        file: Option<&'a str>,
        section: Option<&'a str>,
    ) -> Option<Self> {
        Some(Self {
            pattern: pattern?,
            file: file?,
            section,
        })
    }

    /// The ids, each once.
    pub(crate) fn read(&self, subject: &Subject<'_>) -> Result<BTreeSet<String>, Error> {
        let sections = sections_of(subject, self.file, self.section)?;
        let ids = sections.iter();
        Ok(ids.flat_map(|one| self.pattern.set(&one.content)).collect())
    }

    /// What the list says of each id.
    pub(crate) fn entries(&self, subject: &Subject<'_>) -> Result<BTreeMap<String, String>, Error> {
        let sections = sections_of(subject, self.file, self.section)?;
        let mut entries = BTreeMap::new();
        for point in sections.iter().flat_map(|one| &one.points) {
            for id in self.pattern.set(point) {
                entries.entry(id).or_insert_with(|| point.clone());
            }
        }
        Ok(entries)
    }
}
