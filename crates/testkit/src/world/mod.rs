//! The world that the engine's loop sees. Everything that can go wrong between the engine and its
//! disk, its agents and its people goes wrong here; the loop itself is the real one.

mod people;
mod trouble;

use crate::cast::{self, Cast};
use crate::record::Record;
use crate::storm::{Stop, Storm};
use crate::violation::Violation;
use crate::watched::Watched;
use engine::{Signal, World};
use kernel::machine::RunMachine;
use kernel::{Effect, EffectId, Event, Machine, StateName, Time, What};
use std::collections::BTreeMap;

/// Is the engine's process there?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Process {
    /// Its machine stands at the journal's end.
    Alive,
    /// A new one must read the journal.
    Gone,
}

#[derive(PartialEq, Eq)]
enum Calling {
    Wanted,
    Cancelled,
}

struct Flight {
    answer: What,
    calling: Calling,
}

/// The world of one run, over all lives of its engine.
pub(crate) struct SeededWorld<'a, M> {
    pub(crate) record: Record<'a, M>,
    pub(crate) cast: Box<dyn Cast + 'a>,
    pub(crate) storm: Storm,
    pub(crate) process: Process,
    pub(crate) sessions: u32,
    /// Attempts that agents were really started for, in order.
    pub(crate) paid: Vec<(EffectId, StateName, u32)>,
    /// Events of others that the live machine was told of since its last append.
    foreign: usize,
    running: BTreeMap<EffectId, Flight>,
    /// Answers that lie on the disk: finished, perhaps not yet on record.
    on_disk: BTreeMap<EffectId, What>,
    late: Vec<What>,
}

impl<'a, M: RunMachine> SeededWorld<'a, M> {
    pub(crate) fn new(record: Record<'a, M>, cast: Box<dyn Cast + 'a>, storm: Storm) -> Self {
        Self {
            record,
            cast,
            storm,
            process: Process::Alive,
            sessions: 0,
            paid: Vec::new(),
            foreign: 0,
            running: BTreeMap::new(),
            on_disk: BTreeMap::new(),
            late: Vec::new(),
        }
    }

    /// Finished attempts whose answer was there to be taken.
    pub(crate) fn finished(&self) -> impl Iterator<Item = EffectId> {
        let answers = self.on_disk.iter();
        let attempts = answers.filter(|(_, what)| matches!(what, What::AttemptEnded { .. }));
        attempts.map(|(id, _)| *id)
    }
}

impl<M: RunMachine> World<Watched<M>> for SeededWorld<'_, M> {
    type Error = Stop;

    fn now(&mut self) -> Time {
        self.storm.clock += self.storm.random.below(240_000);
        let permille = self.storm.weather.clock_jump;
        if self.storm.strikes(permille) {
            self.storm.clock = match self.storm.random.below(2) {
                0 => self.storm.clock + 3 * 86_400_000,
                _ => self.storm.clock - 5 * 3_600_000,
            };
        }
        Time(self.storm.clock)
    }

    fn opening(&mut self, machine: &Watched<M>) -> Result<Vec<What>, Stop> {
        self.sessions += 1;
        let mut opening = vec![What::Open {
            session: format!("s{}", self.sessions),
            version: "sim".to_owned(),
        }];
        if self.storm.torn > 0 {
            opening.push(What::TailCut {
                bytes: std::mem::take(&mut self.storm.torn),
                kept_in: "torn".to_owned(),
            });
        }
        for flying in machine.status().in_flight {
            let lost = What::Lost {
                usage: kernel::Usage::default(),
                effect: flying.effect,
                reason: "the engine restarted".to_owned(),
                seen: None,
            };
            match self.on_disk.get(&flying.effect) {
                Some(answer) => {
                    opening.push(cast::after_restart(answer.clone()));
                    let permille = self.storm.weather.repeat;
                    if self.storm.strikes(permille) {
                        opening.push(lost);
                    }
                }
                None => opening.push(lost),
            }
        }
        Ok(opening)
    }

    fn append(&mut self, events: &[Event], machine: &Watched<M>) -> Result<(), Stop> {
        let mut trace = machine.take_trace();
        trace.drain(..self.foreign.min(trace.len()));
        self.foreign = 0;
        let (stored, fate) = self.storm.append(events.len(), trace.len())?;
        for (event, live) in events.iter().zip(&trace).take(stored) {
            self.record.take(event, live)?;
        }
        if let Some(fate) = fate {
            self.die(fate);
            // Or no crash at all: somebody else was faster, and the engine reads anew.
            let permille = self.storm.weather.stop;
            if stored == 0 && !self.record.events().is_empty() && self.storm.strikes(permille) {
                self.elsewhere()?;
            }
            return Err(Stop::Crashed);
        }
        Ok(self.record.says_the_same("replay_is_exact", machine)?)
    }

    fn start(&mut self, effect: &Effect, _: &Watched<M>) {
        let id = effect.id();
        if !self.record.last().history.in_flight().contains(&id) {
            let what = format!("{id} starts and is not on record as begun");
            self.storm.broken = Some(Violation::new("nothing_starts_before_it_is_stored", what));
        }
        if let Effect::Attempt(order) = effect {
            if self.paid.iter().any(|(paid, _, _)| *paid == id) {
                let what = format!("{id} is started a second time");
                self.storm.broken = Some(Violation::new("no_attempt_is_started_twice", what));
            }
            self.paid.push((id, order.state.clone(), order.nth));
        }
        let flight = Flight {
            answer: cast::answer(self.cast.as_mut(), effect),
            calling: Calling::Wanted,
        };
        self.running.insert(id, flight);
    }

    fn cancel(&mut self, effect: &EffectId) {
        if let Some(flight) = self.running.get_mut(effect) {
            flight.calling = Calling::Cancelled;
        }
    }

    fn running(&self) -> Vec<EffectId> {
        self.running.keys().copied().collect()
    }

    fn next(&mut self, _: &Watched<M>, until: Option<Time>) -> Result<Signal<Watched<M>>, Stop> {
        if let Some(fate) = self.storm.wait()? {
            self.die(fate);
            return Err(Stop::Crashed);
        }
        let permille = self.storm.weather.interrupt;
        if self.storm.strikes(permille) {
            return Ok(Signal::Interrupt);
        }
        let permille = self.storm.weather.stop;
        if self.storm.strikes(permille) {
            let events = self.elsewhere()?;
            self.foreign += events.len();
            return Ok(Signal::Elsewhere(events));
        }
        if let Some(what) = self.stray() {
            return Ok(Signal::Answer(what));
        }
        if let (true, Some(until)) = (self.running().is_empty(), until) {
            self.storm.clock = self.storm.clock.max(until.0);
            return Ok(Signal::Woke);
        }
        let answer = self.end_one();
        answer.map(Signal::Answer).ok_or_else(|| {
            let what = "the loop waits and nothing is running";
            Violation::new("the_loop_waits_only_for_what_runs", what).into()
        })
    }
}
