//! Search, in the order of rule F14.3: filters, status, ranking, the best `top_k`.
//!
//! Ranking by meaning scans all vectors as bytes and ranks the best of them again by the full ones.
//! Ranking by words is BM25. The two lists are fused by reciprocal ranks: neither score has to mean
//! what the other means.

mod best;
mod lexical;
mod semantic;

use crate::embed::Embedder;
use crate::embed::criteria::judge;
use crate::entry::CodeIndexEntry;
use crate::error::IndexError;
use crate::ledger::same;
use crate::memory::{Bits, Memory};
use crate::open::AppendOnlyCodeIndex;
use crate::read::by_id;
use crate::segment::Facet;
use crate::vector::unit;
use kernel::document;
use kernel::form::{FILLED, Form, Formed};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The most results that may be asked for.
pub(crate) const MOST: usize = 1_000;
/// How deep each list goes into the fusion.
const DEPTH: usize = 100;
/// Reciprocal rank fusion's constant, as its authors chose it.
const FUSION: f64 = 60.0;
/// Queries are descriptions, not documents.
const LONGEST_QUERY: usize = 64 * 1024;

document! {
    /// The input of `search_code_index` (rule F14.3), to the letter.
    #[derive(Eq)]
    pub struct SearchRequest {
        /// A description of the module that is wanted.
        query: String = FILLED,
        /// The entry must have one of them.
        #[serde(default)]
        tags?: Vec<String>,
        /// The entry must take one of them.
        #[serde(default)]
        input_types?: Vec<String>,
        /// The entry must give one of them.
        #[serde(default)]
        output_types?: Vec<String>,
        /// Deprecated and superseded entries as well.
        #[serde(default)]
        include_inactive?: bool,
        /// How many.
        #[serde(default = "ten")]
        top_k?: usize = Form::Count(1),
    }
}

fn ten() -> usize {
    10
}

impl SearchRequest {
    /// A search with the defaults of the tool.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            tags: Vec::new(),
            input_types: Vec::new(),
            output_types: Vec::new(),
            include_inactive: false,
            top_k: ten(),
        }
    }

    /// Reads a question, and refuses what is not a part of one.
    pub fn read(value: &Value) -> Result<Self, IndexError> {
        let wrong = |field, why| IndexError::BadQuery { field, why };
        if let Some(fault) = Self::FORM.faults(value).into_iter().next() {
            return Err(wrong(fault.place(), fault.what));
        }
        Self::deserialize(value).map_err(|error| wrong("(json)".to_owned(), error.to_string()))
    }

    fn check(&self) -> Result<(), IndexError> {
        let wrong = |field: &str, why: &str| {
            Err(IndexError::BadQuery {
                field: field.to_owned(),
                why: why.to_owned(),
            })
        };
        if self.query.trim().is_empty() {
            return wrong("query", "is empty");
        }
        if self.query.len() > LONGEST_QUERY {
            return wrong("query", "is longer than 64 KiB");
        }
        if self.top_k == 0 || self.top_k > MOST {
            return wrong("top_k", "is not between 1 and 1000");
        }
        for (field, list) in [
            ("tags", &self.tags),
            ("input_types", &self.input_types),
            ("output_types", &self.output_types),
        ] {
            if list.iter().any(|value| value.trim().is_empty()) {
                return wrong(field, "has an empty item");
            }
        }
        Ok(())
    }
}

/// What results are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranking {
    /// Meaning and words together.
    #[default]
    Fused,
    /// Meaning alone: `similarity_score`, as rule F14.3 has it.
    Semantic,
    /// Words alone.
    Lexical,
}

/// A result: the entry, and how near it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// All of the entry.
    #[serde(flatten)]
    pub entry: CodeIndexEntry,
    /// The cosine of query and entry; 0 when it is negative.
    pub similarity_score: f64,
    /// What the results are ordered by, 0 to 1.
    pub rank_score: f64,
}

impl AppendOnlyCodeIndex {
    /// The best matches. The embedder must be the one that the index was made with.
    pub fn search(
        &mut self,
        request: &SearchRequest,
        ranking: Ranking,
        embedder: &dyn Embedder,
    ) -> Result<Vec<Hit>, IndexError> {
        request.check()?;
        let made = embedder.embed(std::slice::from_ref(&request.query))?;
        judge(&made, 1, embedder)?;
        let query = made.into_iter().next().unwrap_or_default();
        self.search_by_vector(request, query, ranking, embedder)
    }

    /// The same for a query that was embedded before.
    pub fn search_by_vector(
        &mut self,
        request: &SearchRequest,
        query: Vec<f32>,
        ranking: Ranking,
        embedder: &dyn Embedder,
    ) -> Result<Vec<Hit>, IndexError> {
        request.check()?;
        let failed = self.failed();
        // One moment of the file for everything below.
        let moment = self.connection.unchecked_transaction().map_err(&failed)?;
        self.memory.follow(&moment, &self.path)?;
        let Some(model) = self.memory.model.clone() else {
            return Ok(Vec::new());
        };
        same(&self.path, &model.identity, embedder)?;
        judge(std::slice::from_ref(&query), 1, embedder)?;
        let query = unit(query);
        let allowed = allowed(&self.memory, request);
        let depth = DEPTH.max(request.top_k);
        let source = semantic::Source {
            connection: &moment,
            path: &self.path,
            model: model.id,
        };
        let scan = (ranking != Ranking::Lexical)
            .then(|| semantic::Scan::new(&self.memory, &query, &allowed, (request.top_k, depth)));
        let (best, worded) = both(scan.as_ref(), || match ranking {
            Ranking::Semantic => Vec::new(),
            _ => lexical::best(&self.memory, &request.query, &allowed, depth),
        });
        let nearest = match (&scan, best) {
            (Some(scan), Some(best)) => scan.rank(best, &source, &query)?,
            _ => semantic::Nearest::default(),
        };
        let ranked = match ranking {
            Ranking::Fused => fuse(&nearest.slots, &worded),
            Ranking::Semantic => nearest.slots.iter().map(|slot| (1.0, *slot)).collect(),
            Ranking::Lexical => worded,
        };
        let mut hits = Vec::with_capacity(request.top_k);
        for (rank_score, slot) in ranked.into_iter().take(request.top_k) {
            let similarity_score = clamp(match nearest.cosines.get(&slot) {
                Some(cosine) => *cosine,
                None => source.cosine(slot, &query)?,
            });
            hits.push(Hit {
                entry: by_id(&moment, &self.path, slot as i64 + 1)?.shown(),
                similarity_score,
                rank_score: match ranking {
                    Ranking::Semantic => similarity_score,
                    Ranking::Fused | Ranking::Lexical => rank_score,
                },
            });
        }
        Ok(hits)
    }

    /// Loads what searching needs, which the first search would do otherwise. Gives the number of
    /// entries.
    pub fn warm(&mut self) -> Result<usize, IndexError> {
        let moment = self.connection.unchecked_transaction();
        let moment = moment.map_err(IndexError::sqlite(&self.path))?;
        self.memory.follow(&moment, &self.path)?;
        Ok(self.memory.count())
    }
}

/// The scan, and the words meanwhile. A scan waits for memory more than for the processor, so a large
/// one is shared with a second thread; if there is none to be had, it is done without.
fn both<T>(
    scan: Option<&semantic::Scan<'_>>,
    words: impl FnOnce() -> T,
) -> (Option<best::Best>, T) {
    let Some(scan) = scan else {
        return (None, words());
    };
    std::thread::scope(|scope| {
        let more = scan.is_worth_a_thread() && processors() > 1;
        let helper = more.then(|| {
            let builder = std::thread::Builder::new().name("index-scan".into());
            builder.spawn_scoped(scope, || scan.work())
        });
        let words = words();
        let mut best = scan.work();
        if let Some(Ok(helper)) = helper {
            match helper.join() {
                Ok(found) => best.join(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        (Some(best), words)
    })
}

/// Asked once: the answer is put together from several files.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn clamp(cosine: f32) -> f64 {
    f64::from(cosine).clamp(0.0, 1.0)
}

/// Filters first, then status: only these are ranked. Within a filter one value is enough; every
/// filter that is given must be met.
fn allowed(memory: &Memory, request: &SearchRequest) -> Bits {
    let mut allowed = Bits::all(memory.count());
    for (facet, values) in [
        (Facet::Tag, &request.tags),
        (Facet::Input, &request.input_types),
        (Facet::Output, &request.output_types),
    ] {
        if values.is_empty() {
            continue;
        }
        let mut matching = Bits::default();
        let keys: Vec<String> = values.iter().map(|value| facet.key(value)).collect();
        for (first, segment) in memory.segments() {
            for key in &keys {
                for row in segment.facets.find(key).0 {
                    matching.set(first + usize::from(*row));
                }
            }
        }
        allowed.keep(&matching);
    }
    if !request.include_inactive {
        allowed.drop(&memory.inactive);
    }
    allowed
}

/// Reciprocal rank fusion: 1 is the first of both lists.
fn fuse(nearest: &[usize], worded: &[(f64, usize)]) -> Vec<(f64, usize)> {
    let worded: Vec<usize> = worded.iter().map(|(_, slot)| *slot).collect();
    let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
    for list in [nearest, &worded] {
        for (rank, slot) in list.iter().enumerate() {
            let share = (FUSION + 1.0) / (FUSION + 1.0 + rank as f64) / 2.0;
            *scores.entry(*slot).or_default() += share;
        }
    }
    let mut fused: Vec<(f64, usize)> = scores
        .into_iter()
        .map(|(slot, score)| (score, slot))
        .collect();
    fused.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    fused
}

#[cfg(test)]
mod tests {
    use super::fuse;

    #[test]
    fn ranks_are_fused_by_their_reciprocals() {
        let nearest = [1, 2, 3];
        let worded = [(1.0, 1), (0.9, 4), (0.2, 2)];
        let fused = fuse(&nearest, &worded);
        let order: Vec<usize> = fused.iter().map(|(_, slot)| *slot).collect();
        // First in both lists; in both; high in one; low in one.
        assert_eq!(order, [1, 2, 4, 3]);
        assert!((fused[0].0 - 1.0).abs() < 1e-12);
        assert!(fused.iter().all(|(score, _)| (0.0..=1.0).contains(score)));
        assert_eq!(fuse(&[], &[]), []);
    }
}
