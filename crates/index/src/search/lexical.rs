//! Ranking by words: BM25 over the segments' postings. Common words are looked at last, and not at
//! all once enough rows were seen: they cost the most and say the least.

use super::best::Best;
use crate::memory::{Bits, Memory};
use crate::text::words;

/// How fast repetitions of a word lose weight, and how much long entries are held against them.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Rows that one search looks at, before it leaves the remaining, more common words out.
const ROWS: usize = 100_000;

/// The best entries and their scores, 1 for the first, best first. Entries without any of the words
/// are not among them.
pub(super) fn best(
    memory: &Memory,
    query: &str,
    allowed: &Bits,
    depth: usize,
) -> Vec<(f64, usize)> {
    let count = memory.count();
    let mut terms = words(query);
    terms.sort();
    terms.dedup();
    let mut weighed: Vec<(usize, String)> = terms
        .into_iter()
        .map(|term| {
            let rows = memory
                .segments()
                .map(|(_, segment)| segment.words.find(&term).0.len());
            (rows.sum(), term)
        })
        .filter(|(rows, _)| *rows > 0)
        .collect();
    weighed.sort();
    let total: usize = memory
        .segments()
        .flat_map(|(_, segment)| &segment.lengths)
        .map(|length| usize::from(*length))
        .sum();
    let average = (total as f32 / count.max(1) as f32).max(1.0);
    // How much each entry's length is held against it.
    let norms: Vec<f32> = memory
        .segments()
        .flat_map(|(_, segment)| &segment.lengths)
        .map(|length| K1 * (1.0 - B + B * f32::from(*length) / average))
        .collect();
    let mut scores = vec![0.0f32; count];
    let mut seen = 0;
    for (rows, term) in &weighed {
        if seen > 0 && seen + rows > ROWS {
            break;
        }
        seen += rows;
        let rare = (1.0 + (count as f32 - *rows as f32 + 0.5) / (*rows as f32 + 0.5)).ln();
        for (first, segment) in memory.segments() {
            let (rows, times) = segment.words.find(term);
            for (row, times) in rows.iter().zip(times) {
                let (slot, times) = (first + usize::from(*row), f32::from(*times));
                scores[slot] += rare * times * (K1 + 1.0) / (times + norms[slot]);
            }
        }
    }
    let mut best = Best::new(depth);
    for (slot, score) in scores.iter().enumerate() {
        if *score > 0.0 && allowed.has(slot) {
            best.offer(*score, slot);
        }
    }
    let found = best.take();
    let most = found.first().map_or(1.0, |(score, _)| f64::from(*score));
    found
        .into_iter()
        .map(|(score, slot)| (f64::from(score) / most, slot))
        .collect()
}
