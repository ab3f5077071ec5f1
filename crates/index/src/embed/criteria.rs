//! The three criteria of rule F14.1, checked on the model itself before an index takes it.

use super::Embedder;
use crate::error::IndexError;

/// Criterion 2: texts of at least so many tokens.
pub const LEAST_TOKENS: usize = 512;
/// Criterion 3: dimensions within these.
pub const DIMENSIONS: std::ops::RangeInclusive<usize> = 256..=1536;
/// Criterion 1: in a dense vector, hardly a number is zero.
const LEAST_FILLED: f64 = 0.9;

/// Short and plain: a sparse embedding of it is nearly all zeros.
const PROBE: &str = "Parse a date";

/// Refuses a model that misses a criterion.
pub fn check(embedder: &dyn Embedder) -> Result<(), IndexError> {
    let unfit = |criterion, why| {
        Err(IndexError::EmbedderUnfit {
            embedder: embedder.spec(),
            criterion,
            why,
        })
    };
    let dimensions = embedder.dimensions();
    if !DIMENSIONS.contains(&dimensions) {
        let (least, most) = (DIMENSIONS.start(), DIMENSIONS.end());
        return unfit(3, format!("{dimensions} dimensions, not {least} to {most}"));
    }
    if let Some(tokens) = embedder.tokens()
        && tokens < LEAST_TOKENS
    {
        return unfit(2, format!("takes {tokens} tokens, not {LEAST_TOKENS}"));
    }
    // What it says of itself is one thing: a last word that changes nothing was not read.
    let long = |last: &str| format!("{}{last}", "a ".repeat(LEAST_TOKENS - 3));
    let probes = [PROBE.to_owned(), long("cat"), long("dog")];
    let vectors = embedder.embed(&probes)?;
    judge(&vectors, probes.len(), embedder)?;
    if vectors[1] == vectors[2] {
        return unfit(
            2,
            format!("does not read a text of {LEAST_TOKENS} tokens to its end"),
        );
    }
    let filled = vectors[0].iter().filter(|x| **x != 0.0).count();
    if (filled as f64) < LEAST_FILLED * dimensions as f64 {
        return unfit(
            1,
            format!("only {filled} of {dimensions} numbers are not zero"),
        );
    }
    Ok(())
}

/// Refuses what no model should answer.
pub(crate) fn judge(
    vectors: &[Vec<f32>],
    wanted: usize,
    embedder: &dyn Embedder,
) -> Result<(), IndexError> {
    let wrong = |why: String| IndexError::EmbedderFailed {
        embedder: embedder.spec(),
        why: why.into(),
    };
    if vectors.len() != wanted {
        return Err(wrong(format!(
            "gave {} vectors for {wanted} texts",
            vectors.len()
        )));
    }
    for vector in vectors {
        let (found, expected) = (vector.len(), embedder.dimensions());
        if found != expected {
            return Err(wrong(format!("gave {found} dimensions, not {expected}")));
        }
        if !vector.iter().all(|x| x.is_finite()) {
            return Err(wrong("gave a number that is not finite".to_owned()));
        }
    }
    Ok(())
}
