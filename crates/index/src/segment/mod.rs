//! A segment: what search needs of 1024 entries in a row, derived once and stored as one blob, so
//! that opening a large index is reading and not computing. The last entries, not yet enough for a
//! segment, are put together in the same form in memory.

mod build;
mod codec;
mod terms;

pub(crate) use build::Builder;
pub(crate) use terms::Terms;

/// What search needs of some entries in a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Segment {
    /// Numbers per vector.
    pub(crate) dimensions: usize,
    /// All vectors in bytes, one after the other.
    pub(crate) matrix: Vec<i8>,
    /// What one step of each vector's bytes is worth.
    pub(crate) steps: Vec<f32>,
    /// Words in each entry.
    pub(crate) lengths: Vec<u16>,
    /// Where each word occurs, and how often.
    pub(crate) words: Terms,
    /// Where each tag and type occurs.
    pub(crate) facets: Terms,
}

impl Segment {
    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    /// The words of all its entries.
    pub(crate) fn word_count(&self) -> usize {
        self.lengths.iter().map(|length| usize::from(*length)).sum()
    }

    pub(crate) fn vector(&self, row: usize) -> &[i8] {
        &self.matrix[row * self.dimensions..(row + 1) * self.dimensions]
    }
}

/// What an entry can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Facet {
    Tag,
    Input,
    Output,
}

impl Facet {
    /// The key under which a value is filed.
    pub(crate) fn key(self, value: &str) -> String {
        let kind = match self {
            Facet::Tag => 't',
            Facet::Input => 'i',
            Facet::Output => 'o',
        };
        format!("{kind}\0{}", value.trim())
    }
}
