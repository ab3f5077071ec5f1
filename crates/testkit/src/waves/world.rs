//! The world that the engine's loop sees when it drives the waves of a milestone: a journal in memory,
//! runs and gates that answer as a seed says, and an engine that falls.

use super::cast::Cast;
use super::history::History;
use crate::failure::Violation;
use crate::journal::Journal;
use crate::random::Random;
use crate::watched::Watched;
use crate::weather::{Crash, Fate, Weather};
use engine::{Signal, World};
use kernel::machine::Standing;
use kernel::{Machine, Time, Want as _};
use std::collections::BTreeMap;
use wave::board::Stage;
use wave::{Answer, Dated, Fact, Want, WantId, Waves, What, Worked};

/// Why the loop was left.
#[derive(Debug)]
pub(super) enum Stop {
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

/// The world of one milestone, over all lives of its engine.
pub(super) struct WaveWorld<'a> {
    pub(super) make: &'a dyn Fn() -> Waves,
    pub(super) journal: Journal<Fact>,
    pub(super) history: History,
    /// Follows the journal alone.
    pub(super) follower: Waves,
    pub(super) cast: Cast,
    pub(super) random: Random,
    pub(super) weather: Weather,
    pub(super) planned: Option<Crash>,
    pub(super) crashes: u32,
    /// The size of every append so far.
    pub(super) batches: Vec<usize>,
    /// How often the engine waited so far.
    pub(super) waits: usize,
    pub(super) broken: Option<Violation>,
    pub(super) torn: u64,
    clock: u64,
    running: BTreeMap<WantId, Want>,
    cancelled: Vec<WantId>,
    late: Vec<What>,
}

impl<'a> WaveWorld<'a> {
    pub(super) fn new(
        seed: u64,
        make: &'a dyn Fn() -> Waves,
        cast: Cast,
        weather: Weather,
        planned: Option<Crash>,
    ) -> Self {
        Self {
            make,
            journal: Journal::default(),
            history: History::default(),
            follower: make(),
            cast,
            random: Random::stream(seed, "world"),
            weather,
            planned,
            crashes: 0,
            batches: Vec::new(),
            waits: 0,
            broken: None,
            torn: 0,
            clock: 1_794_709_527_123,
            running: BTreeMap::new(),
            cancelled: Vec::new(),
            late: Vec::new(),
        }
    }

    fn strikes(&mut self, permille: u64) -> bool {
        let strikes = self.weather.most > 0 && self.random.happens(permille);
        self.weather.most -= u32::from(strikes);
        strikes
    }

    /// The engine's process is gone. Runs that it drove may have come to their end, and their own
    /// journals say so; a merge or a gate leaves nothing behind.
    pub(super) fn die(&mut self, fate: Fate) {
        self.cancelled.clear();
        for (id, want) in std::mem::take(&mut self.running) {
            let went_on = match fate {
                Fate::Found => true,
                Fate::Died => false,
                Fate::Drawn => self.random.below(2) == 0,
            };
            if went_on {
                let answer = self.cast.answer(&want);
                self.late.push(What::Answered { id, answer });
            }
        }
    }

    /// The machine that a new process builds. It must be the follower, and a checkpoint must be it.
    pub(super) fn rebuild(&self) -> Result<Watched<Waves>, Violation> {
        let mut machine = (self.make)();
        for event in self.journal.events() {
            machine.apply(event);
        }
        let mut restored = (self.make)();
        restored
            .restore(&self.follower.snapshot())
            .map_err(|why| Violation::new("a_checkpoint_restores_everything", why))?;
        for one in [&machine, &restored] {
            let same = one.snapshot() == self.follower.snapshot()
                && one.wanted() == self.follower.wanted()
                && one.status() == self.follower.status();
            if !same {
                return Err(Violation::new("replay_is_exact", format!("{one:?}")));
            }
        }
        Ok(Watched::new(machine))
    }

    fn take(&mut self, event: &Dated, live: &serde_json::Value) -> Result<(), Violation> {
        self.journal.push(event)?;
        self.follower.apply(event);
        if self.follower.snapshot() != *live {
            let what = format!("live {live}\n  replayed {}", self.follower.snapshot());
            return Err(Violation::new("replay_is_exact", what));
        }
        let milestone = self.follower.milestone().clone();
        self.history.note(event, &milestone)?;
        let in_flight = self.follower.status().in_flight();
        let unsaid = in_flight.iter().find(|id| !self.history.has_begun(id));
        match unsaid {
            Some(id) => Err(Violation::new("in_flight_is_what_began", id.to_string())),
            None => Ok(()),
        }
    }

    fn crash_at_append(&mut self, length: usize) -> Option<usize> {
        let here = self.batches.len();
        match self.planned {
            Some(Crash::Append { index, stored }) if index == here => Some(stored.min(length)),
            Some(_) => None,
            None => {
                let permille = self.weather.crash_at_append;
                let crashes = self.strikes(permille);
                let length = length as u64 + 1;
                crashes.then(|| usize::try_from(self.random.below(length)).unwrap_or(0))
            }
        }
    }

    fn crash_while_waiting(&mut self) -> Option<Fate> {
        match self.planned {
            Some(Crash::Waiting { index, fate }) if index == self.waits => Some(fate),
            Some(_) => None,
            None => {
                let permille = self.weather.crash_while_waiting;
                self.strikes(permille).then_some(Fate::Drawn)
            }
        }
    }
}

impl World<Watched<Waves>> for WaveWorld<'_> {
    type Error = Stop;

    fn now(&mut self) -> Time {
        self.clock += self.random.below(1_000);
        let permille = self.weather.clock_jump;
        if self.strikes(permille) {
            self.clock += 3 * 86_400_000;
        }
        Time(self.clock)
    }

    fn opening(&mut self, machine: &Watched<Waves>) -> Result<Vec<What>, Stop> {
        let mut heard = Vec::new();
        if self.torn > 0 {
            heard.push(What::TailCut {
                bytes: std::mem::take(&mut self.torn),
                kept_in: "torn".to_owned(),
            });
        }
        heard.push(What::Open);
        let slots = machine.inner().board().wave.iter();
        let waiting = slots
            .flat_map(|wave| &wave.slots)
            .filter(|slot| matches!(slot.stage, Stage::Waiting { .. }))
            .filter(|slot| !self.cast.waiting.contains(&slot.row.run));
        heard.extend(waiting.map(|slot| What::Resume {
            task: slot.row.task.clone(),
        }));
        Ok(heard)
    }

    fn append(&mut self, events: &[Dated], machine: &Watched<Waves>) -> Result<(), Stop> {
        let trace = machine.take_trace();
        if trace.len() != events.len() {
            let what = format!("{} applied, {} appended", trace.len(), events.len());
            return Err(Violation::new("what_is_applied_is_appended", what).into());
        }
        let crash = self.crash_at_append(events.len());
        self.batches.push(events.len());
        let stored = crash.unwrap_or(events.len());
        for (event, live) in events.iter().zip(&trace).take(stored) {
            self.take(event, live)?;
        }
        if crash.is_some() {
            self.torn = if stored < events.len() { 17 } else { 0 };
            self.crashes += 1;
            self.die(match self.planned {
                Some(_) => Fate::Found,
                None => Fate::Drawn,
            });
            return Err(Stop::Crashed);
        }
        Ok(())
    }

    fn start(&mut self, want: &Want, _: &Watched<Waves>) {
        let id = want.id();
        if !self.history.has_begun(&id) {
            let what = format!("{id} starts and is not on record as begun");
            self.broken = Some(Violation::new("nothing_starts_before_it_is_stored", what));
        }
        self.running.insert(id, want.clone());
    }

    fn cancel(&mut self, id: &WantId) {
        self.cancelled.push(id.clone());
    }

    fn running(&self) -> Vec<WantId> {
        self.running.keys().cloned().collect()
    }

    fn next(
        &mut self,
        _: &Watched<Waves>,
        _: Option<Time>,
    ) -> Result<Signal<Watched<Waves>>, Stop> {
        if let Some(broken) = self.broken.take() {
            return Err(broken.into());
        }
        let crash = self.crash_while_waiting();
        self.waits += 1;
        if let Some(fate) = crash {
            self.crashes += 1;
            self.die(fate);
            return Err(Stop::Crashed);
        }
        let permille = self.weather.interrupt;
        if self.strikes(permille) {
            return Ok(Signal::Interrupt);
        }
        let permille = self.weather.stray;
        if !self.late.is_empty() && self.strikes(permille) {
            return Ok(Signal::Answer(self.late.remove(0)));
        }
        let ids: Vec<WantId> = self.running.keys().cloned().collect();
        let Some(id) = self.random.pick(&ids).cloned() else {
            let what = "the loop waits and nothing is running";
            return Err(Violation::new("the_loop_waits_only_for_what_runs", what).into());
        };
        let Some(want) = self.running.remove(&id) else {
            return Err(Violation::new("the_loop_waits_only_for_what_runs", id.to_string()).into());
        };
        let cancelled = self.cancelled.contains(&id) && self.random.below(2) == 0;
        let answer = match (&want, cancelled) {
            (Want::Work(_), true) => Answer::Worked(Worked::Interrupted),
            (Want::Merge(_), true) => Answer::Merged(wave::Merging::Lost {
                reason: "it was interrupted".to_owned(),
            }),
            (Want::Base(_) | Want::Judge(_), true) => Answer::Interrupted,
            _ => self.cast.answer(&want),
        };
        let permille = self.weather.repeat;
        let what = What::Answered { id, answer };
        if self.strikes(permille) {
            self.late.push(what.clone());
        }
        Ok(Signal::Answer(what))
    }
}
