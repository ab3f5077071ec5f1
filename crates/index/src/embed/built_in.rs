//! The embedder that is always there: no download, no network, the same vectors on every machine.
//!
//! Every word, pair of words and run of letters is hashed to a fixed random direction, and the
//! directions are added up. So texts that share words or parts of words are near each other, also
//! across spellings. Its vectors are dense (criterion 1 in form) and it reads texts of any length
//! (criterion 2); but it is made of a bag of words and has learnt nothing: it does not know that a
//! car is a vehicle. Who wants that takes a sentence model.

use super::Embedder;
use crate::error::IndexError;
use crate::text::words;
use std::collections::BTreeMap;

const DIMENSIONS: usize = 384;
/// Changes with everything that changes the vectors.
const IDENTITY: &str = "proofhouse-ngrams-1/384";

/// What a feature weighs.
const WORD: f32 = 1.0;
const PAIR: f32 = 0.5;
const LETTERS: f32 = 0.6;
/// Words of grammar say little about a module.
const GRAMMAR_SHARE: f32 = 0.15;
const GRAMMAR: [&str; 40] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "each", "for", "from",
    "given", "has", "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "one", "or",
    "so", "than", "that", "the", "then", "this", "to", "when", "which", "will", "with", "without",
];
/// The members of `io_summary`: every entry has them.
const MEMBERS: [&str; 7] = [
    "input",
    "output",
    "error",
    "surface",
    "errorsurface",
    "effect",
    "mode",
];

/// The built-in embedder.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltIn;

impl Embedder for BuiltIn {
    fn spec(&self) -> String {
        "built-in".to_owned()
    }

    fn identity(&self) -> String {
        IDENTITY.to_owned()
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn tokens(&self) -> Option<usize> {
        Some(usize::MAX)
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut sum = vec![0.0; DIMENSIONS];
    for (feature, (times, weight)) in features(text) {
        // The tenth occurrence says less than the first.
        add(&mut sum, feature, weight * (1.0 + (times as f32).ln()));
    }
    crate::vector::unit(sum)
}

/// Features by their hash, how often they occur, and what one weighs.
fn features(text: &str) -> BTreeMap<u64, (u32, f32)> {
    let mut found: BTreeMap<u64, (u32, f32)> = BTreeMap::new();
    let mut put = |kind: u8, feature: &str, weight: f32| {
        let counted = found.entry(hash(kind, feature)).or_insert((0, weight));
        counted.0 += 1;
    };
    let words = words(text);
    for (at, word) in words.iter().enumerate() {
        let share = share(word);
        put(b'w', word, WORD * share);
        if let Some(next) = words.get(at + 1) {
            put(
                b'p',
                &format!("{word} {next}"),
                PAIR * share.min(self::share(next)),
            );
        }
        let letters: Vec<char> = format!("<{word}>").chars().collect();
        let runs = letters.len().saturating_sub(2) + letters.len().saturating_sub(3);
        // However long a word, its letters weigh the same together.
        let weight = LETTERS * share / (runs.max(1) as f32).sqrt() * 2.0;
        for length in [3, 4] {
            for run in letters.windows(length) {
                put(b'l', &run.iter().collect::<String>(), weight);
            }
        }
    }
    found
}

fn share(word: &str) -> f32 {
    if GRAMMAR.contains(&word) || MEMBERS.contains(&word) {
        GRAMMAR_SHARE
    } else {
        1.0
    }
}

/// FNV-1a: short, and the same everywhere for ever.
fn hash(kind: u8, text: &str) -> u64 {
    let step = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(step(0xcbf2_9ce4_8422_2325, kind), step)
}

/// Adds the feature's direction: a sign for every dimension, from a generator that the feature
/// seeds.
fn add(sum: &mut [f32], feature: u64, weight: f32) {
    let mut state = feature;
    for some in sum.chunks_mut(64) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        for (at, x) in some.iter_mut().enumerate() {
            *x += if bits >> at & 1 == 1 { weight } else { -weight };
        }
    }
}
