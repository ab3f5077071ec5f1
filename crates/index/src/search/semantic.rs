//! Ranking by meaning: a scan over the vectors as bytes finds the candidates, the stored vectors
//! rank them. No approximate index: a scan has the same speed and recall for every distribution of
//! vectors and for every filter.

use super::best::{Best, order};
use crate::error::IndexError;
use crate::memory::{Bits, Memory, key};
use crate::schema::SEGMENT;
use crate::vector::{dot, dot_bytes, from_bytes, quantise};
use rusqlite::Connection;
use std::path::Path;

/// Candidates beyond what is asked for: bytes put a near tie in the wrong order now and then.
const SPARE: usize = 60;

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

/// The nearest entries, by exact cosine, best first.
pub(super) fn nearest(
    memory: &Memory,
    source: &Source,
    query: &[f32],
    allowed: &Bits,
    depth: usize,
) -> Result<Vec<(f32, usize)>, IndexError> {
    let mut bytes = Vec::with_capacity(query.len());
    quantise(query, &mut bytes);
    let mut best = Best::new(depth + SPARE);
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
    // In the order of the file.
    candidates.sort_unstable_by_key(|(_, slot)| *slot);
    for (score, slot) in &mut candidates {
        *score = source.cosine(*slot, query)?;
    }
    candidates.sort_unstable_by(order);
    candidates.truncate(depth);
    Ok(candidates)
}
