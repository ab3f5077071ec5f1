//! Putting a segment together, entry by entry.

use super::{Facet, Segment, Terms};
use crate::entry::{CodeIndexEntry, type_forms};
use crate::text::words;
use crate::vector::quantise;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

type Postings = BTreeMap<String, Vec<(u16, u8)>>;

/// A segment in the making.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    dimensions: usize,
    matrix: Vec<i8>,
    steps: Vec<f32>,
    lengths: Vec<u16>,
    words: Postings,
    facets: Postings,
}

impl Builder {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            ..Self::default()
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    /// Adds the next entry.
    pub(crate) fn push(&mut self, entry: &CodeIndexEntry, vector: &[f32]) {
        let row = u16::try_from(self.count()).expect("a segment has 1024 entries");
        self.steps.push(quantise(vector, &mut self.matrix));
        let words = words(&entry.words());
        self.lengths
            .push(u16::try_from(words.len()).unwrap_or(u16::MAX));
        for word in words {
            file(&mut self.words, word, row);
        }
        for tag in &entry.tags {
            file(&mut self.facets, Facet::Tag.key(tag), row);
        }
        for (facet, list) in [
            (Facet::Input, &entry.io_summary.inputs),
            (Facet::Output, &entry.io_summary.outputs),
        ] {
            for form in list.iter().flat_map(|item| type_forms(item)) {
                file(&mut self.facets, facet.key(form), row);
            }
        }
    }

    /// The segment of what was added so far.
    pub(crate) fn segment(&self) -> Segment {
        Segment {
            dimensions: self.dimensions,
            matrix: self.matrix.clone(),
            steps: self.steps.clone(),
            lengths: self.lengths.clone(),
            words: Terms::collect(self.words.iter()),
            facets: Terms::collect(self.facets.iter()),
        }
    }
}

fn file(postings: &mut Postings, term: String, row: u16) {
    match postings.entry(term) {
        Entry::Vacant(vacant) => {
            vacant.insert(vec![(row, 1)]);
        }
        Entry::Occupied(mut occupied) => match occupied.get_mut().last_mut() {
            Some((last, times)) if *last == row => *times = times.saturating_add(1),
            _ => occupied.get_mut().push((row, 1)),
        },
    }
}
