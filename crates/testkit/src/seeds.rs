//! Which seeds a test runs, and what it says when one of them fails.

use crate::failure::Failure;

/// One seed alone.
pub const ONE: &str = "PROOFHOUSE_SIM_SEED";
/// So many of them.
pub const MANY: &str = "PROOFHOUSE_SIM_SEEDS";

/// The seeds to run: the one that the environment names, or as many as it names, or `usual`.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    if let Some(seed) = number(ONE) {
        return seed..seed + 1;
    }
    0..number(MANY).unwrap_or(usual)
}

/// The seed that the environment names.
pub fn one_seed() -> Option<u64> {
    number(ONE)
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.trim().parse();
    Some(number.unwrap_or_else(|_| panic!("{name}={text}: not a whole number")))
}

/// Runs all of them and panics on the first failure, with its journal and the way to see it again.
pub fn sweep<T>(
    seeds: std::ops::Range<u64>,
    mut run: impl FnMut(u64) -> Result<T, Box<Failure>>,
) -> Vec<T> {
    seeds
        .map(|seed| run(seed).unwrap_or_else(|failure| panic!("{failure}")))
        .collect()
}
