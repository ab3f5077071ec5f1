//! The world that the engine's loop sees when it drives the waves of a milestone: a journal in memory,
//! runs and gates that answer as a seed says, and an engine that falls.

use super::cast::Cast;
use super::history::History;
use crate::journal::Journal;
use crate::storm::{Stop, Storm};
use crate::violation::Violation;
use crate::watched::Watched;
use crate::weather::Fate;
use engine::{Signal, World};
use kernel::machine::Standing;
use kernel::{Machine, Time, Want as _};
use std::collections::BTreeMap;
use wave::board::Stage;
use wave::{Answer, Dated, Fact, Want, WantId, Waves, What, Worked};

/// The world of one milestone, over all lives of its engine.
pub(super) struct WaveWorld<'a> {
    pub(super) make: &'a dyn Fn() -> Waves,
    pub(super) journal: Journal<Fact>,
    pub(super) history: History,
    /// Follows the journal alone.
    pub(super) follower: Waves,
    pub(super) cast: Cast,
    pub(super) storm: Storm,
    running: BTreeMap<WantId, Want>,
    cancelled: Vec<WantId>,
    late: Vec<What>,
}

impl<'a> WaveWorld<'a> {
    pub(super) fn new(make: &'a dyn Fn() -> Waves, cast: Cast, storm: Storm) -> Self {
        Self {
            make,
            journal: Journal::default(),
            history: History::default(),
            follower: make(),
            cast,
            storm,
            running: BTreeMap::new(),
            cancelled: Vec::new(),
            late: Vec::new(),
        }
    }

    /// The engine's process is gone. Runs that it drove may have come to their end, and their own
    /// journals say so; a merge or a gate leaves nothing behind.
    pub(super) fn die(&mut self, fate: Fate) {
        self.cancelled.clear();
        for (id, want) in std::mem::take(&mut self.running) {
            let went_on = match fate {
                Fate::Found => true,
                Fate::Died => false,
                Fate::Drawn => self.storm.random.below(2) == 0,
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
            .map_err(|why| Violation::new("a_checkpoint_restores_everything", why.to_string()))?;
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
}

impl World<Watched<Waves>> for WaveWorld<'_> {
    type Error = Stop;

    fn now(&mut self) -> Time {
        self.storm.clock += self.storm.random.below(1_000);
        let permille = self.storm.weather.clock_jump;
        if self.storm.strikes(permille) {
            self.storm.clock += 3 * 86_400_000;
        }
        Time(self.storm.clock)
    }

    fn opening(&mut self, machine: &Watched<Waves>) -> Result<Vec<What>, Stop> {
        let mut heard = Vec::new();
        if self.storm.torn > 0 {
            heard.push(What::TailCut {
                bytes: std::mem::take(&mut self.storm.torn),
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
        let (stored, fate) = self.storm.append(events.len(), trace.len())?;
        for (event, live) in events.iter().zip(&trace).take(stored) {
            self.take(event, live)?;
        }
        if let Some(fate) = fate {
            self.die(fate);
            return Err(Stop::Crashed);
        }
        Ok(())
    }

    fn start(&mut self, want: &Want, _: &Watched<Waves>) {
        let id = want.id();
        if !self.history.has_begun(&id) {
            let what = format!("{id} starts and is not on record as begun");
            self.storm.broken = Some(Violation::new("nothing_starts_before_it_is_stored", what));
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
        if let Some(fate) = self.storm.wait()? {
            self.die(fate);
            return Err(Stop::Crashed);
        }
        let permille = self.storm.weather.interrupt;
        if self.storm.strikes(permille) {
            return Ok(Signal::Interrupt);
        }
        let permille = self.storm.weather.stray;
        if !self.late.is_empty() && self.storm.strikes(permille) {
            return Ok(Signal::Answer(self.late.remove(0)));
        }
        let ids: Vec<WantId> = self.running.keys().cloned().collect();
        let Some(id) = self.storm.random.pick(&ids).cloned() else {
            let what = "the loop waits and nothing is running";
            return Err(Violation::new("the_loop_waits_only_for_what_runs", what).into());
        };
        let Some(want) = self.running.remove(&id) else {
            return Err(Violation::new("the_loop_waits_only_for_what_runs", id.to_string()).into());
        };
        let cancelled = self.cancelled.contains(&id) && self.storm.random.below(2) == 0;
        let answer = match (&want, cancelled) {
            (Want::Work(_), true) => Answer::Worked(Worked::Interrupted),
            (Want::Merge(_), true) => Answer::Merged(wave::Merging::Lost {
                reason: "it was interrupted".to_owned(),
            }),
            (Want::Base(_) | Want::Judge(_), true) => Answer::Interrupted,
            _ => self.cast.answer(&want),
        };
        let permille = self.storm.weather.repeat;
        let what = What::Answered { id, answer };
        if self.storm.strikes(permille) {
            self.late.push(what.clone());
        }
        Ok(Signal::Answer(what))
    }
}
