//! Ranking by meaning: a scan over the vectors as bytes finds the candidates, the stored vectors
//! rank them. No approximate index: a scan has the same speed and recall for every distribution of
//! vectors and for every filter.

use super::best::{Best, order};
use crate::error::IndexError;
use crate::memory::{Bits, Memory, key};
use crate::schema::SEGMENT;
use crate::segment::Segment;
use crate::vector::{dot, dot_bytes, from_bytes, quantise};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// How many candidates are ranked again for each result that is asked for, and at least: bytes put
/// a near tie in the wrong order now and then, but never far off.
const AGAIN: usize = 3;
const AGAIN_LEAST: usize = 40;

/// Where the full vectors are.
pub(super) struct Source<'a> {
    pub(super) connection: &'a Connection,
    pub(super) path: &'a Path,
    pub(super) model: i64,
}

impl Source<'_> {
    /// The cosine of an entry and the query.
    pub(super) fn cosine(&self, slot: usize, query: &[f32]) -> Result<f32, IndexError> {
        let failed = IndexError::sqlite(self.path);
        let mut statement = self
            .connection
            .prepare_cached("SELECT vector FROM embedding WHERE key = ?1")
            .map_err(&failed)?;
        let number = key(self.model, slot as i64 + 1);
        let vector = statement
            .query_row([number], |row| Ok(from_bytes(row.get_ref(0)?.as_blob()?)))
            .map_err(&failed)?;
        if vector.len() != query.len() {
            return Err(IndexError::IndexCorrupt {
                path: self.path.to_owned(),
                why: format!("the vector of entry {} has a wrong length", slot + 1).into(),
            });
        }
        Ok(dot(&vector, query))
    }
}

/// The scan. Any number of threads may work on it: each takes the next segment that nobody has taken.
pub(super) struct Scan<'a> {
    segments: Vec<(usize, &'a Segment)>,
    next: AtomicUsize,
    query: Vec<i8>,
    allowed: &'a Bits,
    look: Look,
    again: usize,
    keep: usize,
}

/// Which rows are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// All, one after the other.
    All,
    /// Those that are allowed.
    Some(usize),
}

/// Rows that are fetched together when only some are looked at.
const TOGETHER: usize = 16;
/// What the processor fetches at once.
const LINE: usize = 64;
/// Fewer rows are looked at before another thread has begun.
const WORTH_A_THREAD: usize = 16 * 1024;

impl<'a> Scan<'a> {
    /// For this many results in the order of their cosines, and a list of this depth.
    pub(super) fn new(
        memory: &'a Memory,
        query: &[f32],
        allowed: &'a Bits,
        (exact, depth): (usize, usize),
    ) -> Self {
        let mut bytes = Vec::with_capacity(query.len());
        quantise(query, &mut bytes);
        let again = (exact * AGAIN).max(AGAIN_LEAST);
        let count = allowed.count();
        Self {
            segments: memory.segments().collect(),
            next: AtomicUsize::new(0),
            query: bytes,
            allowed,
            look: if count == memory.count() {
                Look::All
            } else {
                Look::Some(count)
            },
            again,
            keep: depth.max(again),
        }
    }

    /// Is there enough to do for two?
    pub(super) fn is_worth_a_thread(&self) -> bool {
        match self.look {
            Look::All => self.segments.len() * SEGMENT as usize >= WORTH_A_THREAD,
            Look::Some(count) => count >= WORTH_A_THREAD,
        }
    }

    /// Looks at segments until none is left. Gives the best of those that it looked at.
    pub(super) fn work(&self) -> Best {
        let mut best = Best::new(self.keep);
        while let Some((first, segment)) = self.segments.get(self.next.fetch_add(1, Relaxed)) {
            match self.look {
                Look::All => {
                    for row in 0..segment.count() {
                        best.offer(self.near(segment, row), first + row);
                    }
                }
                Look::Some(_) => self.some(*first, segment, &mut best),
            }
        }
        best
    }

    fn near(&self, segment: &Segment, row: usize) -> f32 {
        dot_bytes(segment.vector(row), &self.query) * segment.steps[row]
    }

    /// The processor foresees what comes next only if it is the next row. So each line of a few rows
    /// is touched first: then they come from memory together, and not one after the other.
    fn some(&self, first: usize, segment: &Segment, best: &mut Best) {
        let slots = self.allowed.within(first..first + SEGMENT as usize);
        let rows: Vec<usize> = slots.map(|slot| slot - first).collect();
        for few in rows.chunks(TOGETHER) {
            let mut touched = 0;
            for row in few {
                for line in segment.vector(*row).chunks(LINE) {
                    touched ^= line[0];
                }
            }
            std::hint::black_box(touched);
            for row in few {
                best.offer(self.near(segment, *row), first + row);
            }
        }
    }

    /// Ranks the best by the stored vectors.
    pub(super) fn rank(
        &self,
        best: Best,
        source: &Source,
        query: &[f32],
    ) -> Result<Nearest, IndexError> {
        let mut candidates = best.take();
        let rest = candidates.split_off(self.again.min(candidates.len()));
        // In the order of the file.
        candidates.sort_unstable_by_key(|(_, slot)| *slot);
        for (score, slot) in &mut candidates {
            *score = source.cosine(*slot, query)?;
        }
        candidates.sort_unstable_by(order);
        Ok(Nearest {
            slots: candidates
                .iter()
                .chain(&rest)
                .map(|(_, slot)| *slot)
                .collect(),
            cosines: candidates
                .iter()
                .map(|(score, slot)| (*slot, *score))
                .collect(),
        })
    }
}

/// The nearest entries, best first: the first of them in the order of their cosines, which are
/// given; the others, for the fusion, as the bytes have them.
#[derive(Default)]
pub(super) struct Nearest {
    pub(super) slots: Vec<usize>,
    pub(super) cosines: BTreeMap<usize, f32>,
}
