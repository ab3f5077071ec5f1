//! What several checks ask of a document: its sections, what stands behind a label, and whether it
//! says that there is nothing to list.

use crate::Subject;
use crate::error::Error;
use crate::readers::idents::Pattern;
use crate::readers::markdown::{self, Section};
use crate::readers::paths;
use std::collections::{BTreeMap, BTreeSet};

/// How a document says that there is nothing to list.
const NONE: [&str; 4] = ["none", "n/a", "no", "nothing"];

/// All sections of a file with this heading, or the whole file.
pub(crate) fn sections_of(
    subject: &Subject<'_>,
    file: &str,
    section: Option<&str>,
) -> Result<Vec<Section>, Error> {
    let text = paths::read(subject.place, file).map_err(Error::of(file))?;
    markdown::chosen(&text, section).map_err(Error::of(file))
}

/// What stands behind `label:` in a text, up to the end of its line or a semicolon.
pub(crate) fn labelled(text: &str, label: &str) -> Option<String> {
    let wanted = label.trim().to_lowercase();
    let lower = text.to_lowercase();
    lower.match_indices(&wanted).find_map(|(at, _)| {
        let before = lower[..at].chars().next_back();
        if before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let rest = lower[at + wanted.len()..].trim_start_matches(['*', '_', '`', ' ']);
        let said = rest.strip_prefix(':')?;
        Some(
            said.split(['\n', ';'])
                .next()
                .unwrap_or_default()
                .to_owned(),
        )
    })
}

/// Does a document say here that there is nothing to list?
pub(crate) fn says_none(text: &str) -> bool {
    let bare = text
        .trim()
        .trim_matches(|char: char| !char.is_alphanumeric());
    let first = bare
        .split(['.', ',', ':', ';', '\n', '\u{2014}'])
        .next()
        .unwrap_or_default();
    NONE.contains(&first.trim().to_lowercase().as_str())
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
