//! Ranking by meaning: a scan over the vectors as bytes finds the candidates, the stored vectors
//! rank them. No approximate index: a scan has the same speed and recall for every distribution of
//! vectors and for every filter.

use super::best::{Best, order};
use crate::error::IndexError;
use crate::memory::{Bits, Memory, key};
use crate::schema::SEGMENT;
use crate::vector::{dot, dot_bytes, from_bytes, quantise};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;

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
                why: format!("the vector of entry {} has a wrong length", slot + 1),
            });
        }
        Ok(dot(&vector, query))
    }
}

/// The nearest entries, best first: the first `exact` of them in the order of their cosines, which
/// are given; the others, for the fusion, as the bytes have them.
#[derive(Default)]
pub(super) struct Nearest {
    pub(super) slots: Vec<usize>,
    pub(super) cosines: BTreeMap<usize, f32>,
}

pub(super) fn nearest(
    memory: &Memory,
    source: &Source,
    query: &[f32],
    allowed: &Bits,
    (exact, depth): (usize, usize),
) -> Result<Nearest, IndexError> {
    let mut bytes = Vec::with_capacity(query.len());
    quantise(query, &mut bytes);
    let again = (exact * AGAIN).max(AGAIN_LEAST);
    let mut best = Best::new(depth.max(again));
    let everything = allowed.count() == memory.count();
    for (first, segment) in memory.segments() {
        let near = |row: usize| dot_bytes(segment.vector(row), &bytes) * segment.steps[row];
        if everything {
            for row in 0..segment.count() {
                best.offer(near(row), first + row);
            }
        } else {
            for slot in allowed.within(first..first + SEGMENT as usize) {
                best.offer(near(slot - first), slot);
            }
        }
    }
    let mut candidates = best.take();
    let rest = candidates.split_off(again.min(candidates.len()));
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
