//! Ranking by words: BM25 over the segments' postings. Common words are looked at last, and not at
//! all once enough rows were seen: they cost the most and say the least.

use super::best::Best;
use crate::memory::{Bits, Memory};
use crate::schema::SEGMENT;
use crate::text::words;

/// How fast repetitions of a word lose weight, and how much long entries are held against them.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Rows that one search looks at, before it leaves the remaining, more common words out.
const ROWS: usize = 100_000;
/// Scores that are looked at together: as many as a set of slots keeps together.
const TOGETHER: usize = 64;

/// The rows of one segment with a word, and how often it is in each.
type Postings<'a> = (&'a [u16], &'a [u8]);

/// A word of the query.
struct Term<'a> {
    /// In how many entries it is.
    rows: usize,
    /// Where, for each segment in turn.
    postings: Vec<Postings<'a>>,
}

impl Term<'_> {
    /// The rarer, the more it says.
    fn weight(&self, count: usize) -> f32 {
        let (count, rows) = (count as f32, self.rows as f32);
        (1.0 + (count - rows + 0.5) / (rows + 0.5)).ln()
    }
}

/// The query's words, rarest first, as far as they are looked at.
fn terms<'a>(memory: &'a Memory, query: &str) -> Vec<Term<'a>> {
    let mut asked = words(query);
    asked.sort();
    asked.dedup();
    let mut terms: Vec<Term<'_>> = asked
        .iter()
        .map(|word| {
            let segments = memory.segments();
            let postings: Vec<Postings<'_>> = segments
                .map(|(_, segment)| segment.words.find(word))
                .collect();
            let rows = postings.iter().map(|(rows, _)| rows.len()).sum();
            Term { rows, postings }
        })
        .filter(|term| term.rows > 0)
        .collect();
    // Words of the same rarity stay in their order.
    terms.sort_by_key(|term| term.rows);
    let mut seen = 0;
    let enough = terms.iter().position(|term| {
        let too_many = seen > 0 && seen + term.rows > ROWS;
        seen += term.rows;
        too_many
    });
    terms.truncate(enough.unwrap_or(terms.len()));
    terms
}

/// The best entries and their scores, 1 for the first, best first. Entries without any of the words
/// are not among them.
pub(super) fn best(
    memory: &Memory,
    query: &str,
    allowed: &Bits,
    depth: usize,
) -> Vec<(f64, usize)> {
    let count = memory.count();
    let terms = terms(memory, query);
    let weights: Vec<f32> = terms.iter().map(|term| term.weight(count)).collect();
    let average = (memory.words() as f32 / count.max(1) as f32).max(1.0);
    let mut best = Best::new(depth);
    // One segment at a time, so that what is added up stays near the processor.
    let mut scores = [0.0f32; SEGMENT as usize];
    let mut norms = [0.0f32; SEGMENT as usize];
    for (at, (first, segment)) in memory.segments().enumerate() {
        if allowed.is_empty_within(first..first + SEGMENT as usize)
            || terms.iter().all(|term| term.postings[at].0.is_empty())
        {
            continue;
        }
        // How much each entry's length is held against it.
        for (norm, length) in norms.iter_mut().zip(&segment.lengths) {
            *norm = K1 * (1.0 - B + B * f32::from(*length) / average);
        }
        for (term, weight) in terms.iter().zip(&weights) {
            let (rows, times) = term.postings[at];
            for (row, times) in rows.iter().zip(times) {
                let (row, times) = (usize::from(*row), f32::from(*times));
                scores[row] += weight * times * (K1 + 1.0) / (times + norms[row]);
            }
        }
        // Most of the scores are too low. That is said of 64 at once, where a branch for each would be
        // guessed wrong half of the time; and what is not allowed is never looked at.
        for (at, some) in scores.chunks_mut(TOGETHER).enumerate() {
            let start = first + at * TOGETHER;
            if best.takes(some.iter().fold(0.0, |most, score| score.max(most))) {
                for slot in allowed.within(start..start + TOGETHER) {
                    let score = some[slot - start];
                    if score > 0.0 {
                        best.offer(score, slot);
                    }
                }
            }
            some.fill(0.0);
        }
    }
    let found = best.take();
    let most = found.first().map_or(1.0, |(score, _)| f64::from(*score));
    found
        .into_iter()
        .map(|(score, slot)| (f64::from(score) / most, slot))
        .collect()
}
