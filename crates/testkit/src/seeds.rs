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

/// Runs all of them, on every core, and panics on the first failure, with its journal and the way
/// to see it again.
pub fn sweep<T: Send>(
    seeds: std::ops::Range<u64>,
    run: impl Fn(u64) -> Result<T, Box<Failure>> + Sync,
) -> Vec<T> {
    let done = on_every_core(seeds.collect(), |seed| run(*seed)).into_iter();
    done.map(|(_, result)| result.unwrap_or_else(|failure| panic!("{failure}")))
        .collect()
}

/// Works on all of them at once, and gives the answers back in order.
pub(crate) fn on_every_core<J: Sync + Send, T: Send>(
    jobs: Vec<J>,
    work: impl Fn(&J) -> T + Sync,
) -> Vec<(J, T)> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let (work, all) = (&work, &jobs);
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers = (0..cores).map(|first| {
            let mine = all.iter().enumerate().skip(first).step_by(cores);
            scope.spawn(move || {
                mine.map(|(index, job)| (index, work(job)))
                    .collect::<Vec<_>>()
            })
        });
        let workers: Vec<_> = workers.collect();
        let done = workers.into_iter().map(|worker| worker.join());
        done.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(index, _)| *index);
    jobs.into_iter()
        .zip(done.into_iter().map(|(_, answer)| answer))
        .collect()
}
