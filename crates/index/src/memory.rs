//! What a handle holds of the index for searching: all segments, the last entries in the same form,
//! and which entries are inactive. It follows the file: before each search it takes what other
//! handles and processes have added since. It is no source of truth.

use crate::entry::CodeIndexEntry;
use crate::error::{Cause, IndexError};
use crate::model::{Model, model};
use crate::schema::{MODEL_SHIFT, SEGMENT};
use crate::segment::{Builder, Segment};
use crate::vector::from_bytes;
use rusqlite::Connection;
use std::path::Path;

/// Everything that search reads.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) model: Option<Model>,
    /// Full segments; entry `id` is row `(id - 1) % SEGMENT` of segment `(id - 1) / SEGMENT`.
    sealed: Vec<Segment>,
    /// The entries after the last full segment, in the making and as a segment.
    tail: Builder,
    tail_segment: Segment,
    /// The words of all entries in full segments: no search should have to add them up.
    sealed_words: usize,
    /// Entries that are not SHIPPED any more.
    pub(crate) inactive: Bits,
    last_change: i64,
}

impl Memory {
    /// Takes what is new in the file. Call it inside a transaction, so that all of it is of one
    /// moment.
    pub(crate) fn follow(
        &mut self,
        connection: &Connection,
        path: &Path,
    ) -> Result<(), IndexError> {
        let failed = IndexError::sqlite(path);
        let present = model(connection).map_err(&failed)?;
        if present != self.model {
            *self = Self::default();
            self.model = present;
        }
        let Some(model) = self.model.clone() else {
            return Ok(());
        };
        self.take_segments(connection, path, &model)?;
        self.take_tail(connection, path, &model)?;
        self.take_changes(connection).map_err(&failed)
    }

    fn take_segments(
        &mut self,
        connection: &Connection,
        path: &Path,
        model: &Model,
    ) -> Result<(), IndexError> {
        let failed = IndexError::sqlite(path);
        let mut statement = connection
            .prepare_cached("SELECT key FROM segment WHERE key BETWEEN ?1 AND ?2 ORDER BY key")
            .map_err(&failed)?;
        let from = key(model.id, self.first_of_tail());
        let mut rows = statement
            .query((from, key(model.id + 1, 0) - 1))
            .map_err(&failed)?;
        let mut buffer = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            let first = self.first_of_tail();
            let found: i64 = row.get(0).map_err(&failed)?;
            if found != key(model.id, first) {
                return Err(corrupt(path, "a segment is missing"));
            }
            let segment = match stored(connection, found, &mut buffer).map_err(&failed)? {
                Some(segment) if fits(&segment, model) => segment,
                // Derived data: damage, or another version's layout, costs time and nothing else.
                _ => {
                    let entries = first..first + i64::from(SEGMENT);
                    build(connection, path, model, entries)?.segment()
                }
            };
            self.sealed_words += segment.word_count();
            self.sealed.push(segment);
            self.tail = Builder::default();
        }
        Ok(())
    }

    fn take_tail(
        &mut self,
        connection: &Connection,
        path: &Path,
        model: &Model,
    ) -> Result<(), IndexError> {
        if self.tail.count() == 0 {
            self.tail = Builder::new(model.dimensions);
            self.tail_segment = Segment::default();
        }
        let first = self.first_of_tail() + self.tail.count() as i64;
        let before = self.tail.count();
        fill(&mut self.tail, connection, path, model, first..i64::MAX)?;
        if self.tail.count() != before {
            self.tail_segment = self.tail.segment();
        }
        Ok(())
    }

    fn take_changes(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement =
            connection.prepare_cached("SELECT id, entry FROM change WHERE id > ?1 ORDER BY id")?;
        let mut rows = statement.query([self.last_change])?;
        while let Some(row) = rows.next()? {
            let entry: i64 = row.get(1)?;
            self.inactive
                .set(usize::try_from(entry - 1).unwrap_or_default());
            self.last_change = row.get(0)?;
        }
        Ok(())
    }

    fn first_of_tail(&self) -> i64 {
        self.sealed.len() as i64 * i64::from(SEGMENT) + 1
    }

    /// Every segment with the slot of its first entry. A slot is an entry's id less one.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (usize, &Segment)> {
        self.sealed
            .iter()
            .chain(std::iter::once(&self.tail_segment))
            .enumerate()
            .map(|(at, segment)| (at * SEGMENT as usize, segment))
    }

    /// How many words all entries have together.
    pub(crate) fn words(&self) -> usize {
        self.sealed_words + self.tail_segment.word_count()
    }

    /// How many entries there are.
    pub(crate) fn count(&self) -> usize {
        self.sealed.len() * SEGMENT as usize + self.tail_segment.count()
    }
}

/// A segment as it is in the file, read in place: as a column's value it would be copied twice more.
fn stored(
    connection: &Connection,
    key: i64,
    buffer: &mut Vec<u8>,
) -> rusqlite::Result<Option<Segment>> {
    let blob = connection.blob_open(c"main", c"segment", c"body", key, true)?;
    Segment::read(blob.len(), buffer, |into, at| blob.read_at_exact(into, at))
}

fn fits(segment: &Segment, model: &Model) -> bool {
    segment.count() == SEGMENT as usize && segment.dimensions == model.dimensions
}

fn corrupt(path: &Path, why: impl Into<Cause>) -> IndexError {
    IndexError::IndexCorrupt {
        path: path.to_owned(),
        why: why.into(),
    }
}

/// The number of a vector, or of a segment by its first entry.
pub(crate) fn key(model: i64, entry: i64) -> i64 {
    (model << MODEL_SHIFT) | entry
}

/// A segment of these entries.
pub(crate) fn build(
    connection: &Connection,
    path: &Path,
    model: &Model,
    entries: std::ops::Range<i64>,
) -> Result<Builder, IndexError> {
    let mut builder = Builder::new(model.dimensions);
    let wanted = usize::try_from(entries.end - entries.start).unwrap_or_default();
    fill(&mut builder, connection, path, model, entries)?;
    if builder.count() != wanted {
        return Err(corrupt(path, "entries of a segment are missing"));
    }
    Ok(builder)
}

fn fill(
    builder: &mut Builder,
    connection: &Connection,
    path: &Path,
    model: &Model,
    entries: std::ops::Range<i64>,
) -> Result<(), IndexError> {
    let failed = IndexError::sqlite(path);
    let mut statement = connection
        .prepare_cached(
            "SELECT id, body, vector FROM entry JOIN embedding ON key = (?1 << 40 | id)
             WHERE id >= ?2 AND id < ?3 ORDER BY id",
        )
        .map_err(&failed)?;
    let mut rows = statement
        .query((model.id, entries.start, entries.end))
        .map_err(&failed)?;
    let mut expected = entries.start;
    while let Some(row) = rows.next().map_err(&failed)? {
        let id: i64 = row.get(0).map_err(&failed)?;
        let body: String = row.get(1).map_err(&failed)?;
        let blob = row
            .get_ref(2)
            .and_then(|value| Ok(value.as_blob()?))
            .map_err(&failed)?;
        let entry = CodeIndexEntry::stored(&body)
            .map_err(|error| corrupt(path, format!("entry {id}: {error}")))?;
        let vector = from_bytes(blob);
        let finite = vector.iter().all(|x| x.is_finite());
        if id != expected || vector.len() != model.dimensions || !finite {
            return Err(corrupt(
                path,
                format!("entry {id} or its vector is not as it was stored"),
            ));
        }
        builder.push(&entry, &vector);
        expected += 1;
    }
    Ok(())
}

/// A set of slots.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// All slots below `count`.
    pub(crate) fn all(count: usize) -> Self {
        let mut words = vec![u64::MAX; count.div_ceil(64)];
        if let Some(last) = words.last_mut()
            && !count.is_multiple_of(64)
        {
            *last = (1 << (count % 64)) - 1;
        }
        Self(words)
    }

    pub(crate) fn set(&mut self, slot: usize) {
        let word = slot / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    /// Keeps what is also in the other.
    pub(crate) fn keep(&mut self, other: &Self) {
        for (at, word) in self.0.iter_mut().enumerate() {
            *word &= other.0.get(at).copied().unwrap_or_default();
        }
    }

    /// Drops what is in the other.
    pub(crate) fn drop(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= !other;
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Are there none in a range whose ends are multiples of 64, or the end of the set?
    pub(crate) fn is_empty_within(&self, range: std::ops::Range<usize>) -> bool {
        let words = range.start / 64..range.end.div_ceil(64).min(self.0.len());
        self.0
            .get(words)
            .is_none_or(|words| words.iter().all(|word| *word == 0))
    }

    /// The slots in a range whose ends are multiples of 64, or the end of the set.
    pub(crate) fn within(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
        let words = range.start / 64..range.end.div_ceil(64).min(self.0.len());
        words.flat_map(|at| {
            let mut word = self.0[at];
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                word &= word.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn sets_of_slots_behave() {
        let mut some = Bits::default();
        for slot in [0, 63, 64, 130] {
            some.set(slot);
        }
        assert_eq!(some.within(0..192).collect::<Vec<_>>(), [0, 63, 64, 130]);
        assert!(!some.is_empty_within(64..128) && some.is_empty_within(192..256));
        assert_eq!(some.within(64..128).collect::<Vec<_>>(), [64]);
        let mut all = Bits::all(131);
        assert_eq!(all.count(), 131);
        assert_eq!(all.within(128..192).collect::<Vec<_>>(), [128, 129, 130]);
        all.drop(&some);
        assert_eq!(all.count(), 127);
        all.keep(&some);
        assert_eq!(all.count(), 0);
        assert_eq!(Bits::all(64).count(), 64);
    }
}
