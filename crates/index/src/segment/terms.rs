//! Sorted terms and, for each, the rows that it occurs in: flat arrays, so that a segment is loaded
//! with a few copies and a term is found by halving.

/// Postings of one segment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Terms {
    /// All terms, sorted, one after the other.
    pub(crate) text: String,
    /// Where each term ends in the text.
    pub(crate) ends: Vec<u32>,
    /// Where each term's rows end.
    pub(crate) row_ends: Vec<u32>,
    pub(crate) rows: Vec<u16>,
    /// How often the term is in the row; as long as `rows`.
    pub(crate) times: Vec<u8>,
}

impl Terms {
    /// From terms in order, each with its rows in order.
    pub(crate) fn collect<'a>(
        terms: impl Iterator<Item = (&'a String, &'a Vec<(u16, u8)>)>,
    ) -> Self {
        let mut built = Self::default();
        for (term, rows) in terms {
            built.text.push_str(term);
            built.ends.push(length(built.text.len()));
            built.rows.extend(rows.iter().map(|(row, _)| *row));
            built.times.extend(rows.iter().map(|(_, times)| *times));
            built.row_ends.push(length(built.rows.len()));
        }
        built
    }

    /// As bytes, whose order is the order of the texts.
    fn term(&self, at: usize) -> &[u8] {
        &self.text.as_bytes()[begin(&self.ends, at)..self.ends[at] as usize]
    }

    /// The rows with the term, and how often it is in each.
    pub(crate) fn find(&self, term: &str) -> (&[u16], &[u8]) {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.term(middle).cmp(term.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let range = begin(&self.row_ends, middle)..self.row_ends[middle] as usize;
                    return (&self.rows[range.clone()], &self.times[range]);
                }
            }
        }
        (&[], &[])
    }

    /// Could these arrays have been built? A damaged file must not make search panic.
    pub(crate) fn is_sound(&self, entries: usize) -> bool {
        let rises = |ends: &[u32]| ends.is_sorted();
        let last = |ends: &[u32]| ends.last().map_or(0, |end| *end as usize);
        self.ends.len() == self.row_ends.len()
            && rises(&self.ends)
            && rises(&self.row_ends)
            && last(&self.ends) == self.text.len()
            && last(&self.row_ends) == self.rows.len()
            && self.rows.len() == self.times.len()
            && (self.text.is_ascii()
                || self
                    .ends
                    .iter()
                    .all(|end| self.text.is_char_boundary(*end as usize)))
            // The greatest is found by eight at once, the first that is too great is not.
            && self
                .rows
                .iter()
                .max()
                .is_none_or(|row| usize::from(*row) < entries)
    }
}

fn begin(ends: &[u32], at: usize) -> usize {
    at.checked_sub(1).map_or(0, |before| ends[before] as usize)
}

fn length(length: usize) -> u32 {
    u32::try_from(length).expect("1024 entries of at most 256 KiB have less than 4 GiB of words")
}
