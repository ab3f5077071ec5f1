//! What befalls an engine from outside, drawn from a seed or planned: where it falls, and what becomes
//! of what it runs. It is the same whatever machine the engine drives.

use crate::random::Random;
use crate::violation::Violation;
use crate::weather::{Crash, Fate, Weather};

/// Why the loop was left.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The engine died. What is stored is stored.
    Crashed,
    /// A promise was broken.
    Violated(Violation),
}

impl From<Violation> for Stop {
    fn from(violation: Violation) -> Self {
        Stop::Violated(violation)
    }
}

/// The trouble of one simulation, over all lives of its engine.
pub(crate) struct Storm {
    pub(crate) random: Random,
    pub(crate) weather: Weather,
    pub(crate) planned: Option<Crash>,
    pub(crate) crashes: u32,
    /// The size of every append so far.
    pub(crate) batches: Vec<usize>,
    /// How often the engine waited so far.
    pub(crate) waits: usize,
    /// A promise that was seen to be broken where no error can be given.
    pub(crate) broken: Option<Violation>,
    /// Bytes of a torn last line.
    pub(crate) torn: u64,
    pub(crate) clock: u64,
}

impl Storm {
    pub(crate) fn new(seed: u64, weather: Weather, planned: Option<Crash>) -> Self {
        Self {
            random: Random::stream(seed, "world"),
            weather,
            planned,
            crashes: 0,
            batches: Vec::new(),
            waits: 0,
            broken: None,
            torn: 0,
            clock: 1_794_709_527_123,
        }
    }

    /// Does this trouble come now? Each one uses up a little of what the run may suffer.
    pub(crate) fn strikes(&mut self, permille: u64) -> bool {
        let strikes = self.weather.most > 0 && self.random.happens(permille);
        self.weather.most -= u32::from(strikes);
        strikes
    }

    /// An append: how many of the events are stored, and what becomes of what runs if the engine
    /// falls there. `applied` is how many the live machine took in.
    pub(crate) fn append(
        &mut self,
        events: usize,
        applied: usize,
    ) -> Result<(usize, Option<Fate>), Violation> {
        if applied != events {
            let what = format!("{applied} applied, {events} appended");
            return Err(Violation::new("what_is_applied_is_appended", what));
        }
        let here = self.batches.len();
        let crash = match self.planned {
            Some(Crash::Append { index, stored }) if index == here => Some(stored.min(events)),
            Some(_) => None,
            None => {
                let crashes = self.strikes(self.weather.crash_at_append);
                let most = events as u64 + 1;
                crashes.then(|| usize::try_from(self.random.below(most)).unwrap_or(0))
            }
        };
        self.batches.push(events);
        let Some(stored) = crash else {
            return Ok((events, None));
        };
        self.torn = if stored < events { 17 } else { 0 };
        self.crashes += 1;
        let fate = match self.planned {
            Some(_) => Fate::Found,
            None => Fate::Drawn,
        };
        Ok((stored, Some(fate)))
    }

    /// The engine waits: what becomes of what runs, if it falls meanwhile.
    pub(crate) fn wait(&mut self) -> Result<Option<Fate>, Violation> {
        if let Some(broken) = self.broken.take() {
            return Err(broken);
        }
        let fate = match self.planned {
            Some(Crash::Waiting { index, fate }) if index == self.waits => Some(fate),
            Some(_) => None,
            None => self
                .strikes(self.weather.crash_while_waiting)
                .then_some(Fate::Drawn),
        };
        self.waits += 1;
        self.crashes += u32::from(fate.is_some());
        Ok(fate)
    }
}
