//! How bad a run's world is, and the one planned crash of a systematic run.

use crate::random::Random;

/// Chances in a thousand, drawn once for each seed so that some runs are calm and some are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Weather {
    /// A crash around an append.
    pub crash_at_append: u64,
    /// A crash while effects are running.
    pub crash_while_waiting: u64,
    /// An effect is taken for lost although its answer is still on its way.
    pub lose: u64,
    /// An answer is delivered twice.
    pub repeat: u64,
    /// A late answer, a wrong one or one for an effect that never began arrives instead.
    pub stray: u64,
    /// The engine is interrupted.
    pub interrupt: u64,
    /// A person edits the state file while the engine works.
    pub edit: u64,
    /// A person decides in another process while the engine works.
    pub stop: u64,
    /// A person decides on a journal whose consequences nobody has drawn yet. No seed's weather
    /// has it: what it breaks is known, see the test of that name.
    pub hasty: u64,
    /// The clock jumps, days ahead or hours back.
    pub clock_jump: u64,
    /// The engine is told to do one pass only.
    pub one_pass: u64,
    /// A new process takes over where none had to.
    pub restart: u64,
    /// How many of all these may happen, so that every run ends.
    pub most: u32,
}

impl Weather {
    /// Nothing ever goes wrong.
    pub fn calm() -> Self {
        Self::default()
    }

    /// The weather of this seed.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::stream(seed, "weather");
        let mut upto = |most: u64| {
            // Half of all seeds do not know a given trouble at all.
            let known = random.below(2);
            known * random.below(most + 1)
        };
        Self {
            crash_at_append: upto(250),
            crash_while_waiting: upto(200),
            lose: upto(200),
            repeat: upto(400),
            stray: upto(300),
            interrupt: upto(100),
            edit: upto(100),
            stop: upto(15),
            hasty: 0,
            clock_jump: upto(100),
            one_pass: upto(500),
            restart: upto(800),
            most: 40,
        }
    }
}

/// What becomes of an effect that was running when the engine died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It had finished: its answer lies on the disk and is found.
    Found,
    /// It died with the engine.
    Died,
    /// The seed decides for each effect.
    Drawn,
}

/// A crash at a known place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// At the append with this index, after so many of its events were stored: none is before it,
    /// all is after it and before any effect starts.
    Append {
        /// Which append of the run, from zero.
        index: usize,
        /// How many of its events reach the disk.
        stored: usize,
    },
    /// While the engine waits for the nth time.
    Waiting {
        /// Which wait of the run, from zero.
        index: usize,
        /// What becomes of what was running.
        fate: Fate,
    },
}
