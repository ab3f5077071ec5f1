//! What goes wrong between the engine and what it started: crashes, losses, late and wrong answers.

use super::{Calling, Process, SeededWorld};
use crate::weather::{Crash, Fate};
use kernel::input::Found;
use kernel::machine::RunMachine;
use kernel::{Class, EffectId, Outcome, What};
use std::collections::BTreeMap;

impl<M: RunMachine> SeededWorld<'_, M> {
    /// Does this trouble come now? Each one uses up a little of what the run may suffer.
    pub(crate) fn strikes(&mut self, permille: u64) -> bool {
        let strikes = self.weather.most > 0 && self.random.happens(permille);
        self.weather.most -= u32::from(strikes);
        strikes
    }

    /// The engine's process is gone, whether it fell or was told to.
    pub(crate) fn die(&mut self, fate: Fate) {
        self.process = Process::Gone;
        self.foreign = 0;
        for (id, flight) in std::mem::take(&mut self.running) {
            let fate = match (fate, self.random.below(3)) {
                (Fate::Drawn, 0) => Fate::Found,
                (Fate::Drawn, 1) => {
                    self.late.push(flight.answer.clone());
                    Fate::Died
                }
                (Fate::Drawn, _) => Fate::Died,
                (known, _) => known,
            };
            if fate == Fate::Found {
                self.on_disk.insert(id, flight.answer);
            }
        }
    }

    pub(super) fn crash_at_append(&mut self, length: usize) -> Option<usize> {
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

    pub(super) fn crash_while_waiting(&mut self) -> Option<Fate> {
        match self.planned {
            Some(Crash::Waiting { index, fate }) if index == self.waits => Some(fate),
            Some(_) => None,
            None => {
                let permille = self.weather.crash_while_waiting;
                self.strikes(permille).then_some(Fate::Drawn)
            }
        }
    }

    /// Something that is no answer of what runs: late, wrong, or a person's edit.
    pub(super) fn stray(&mut self) -> Option<What> {
        let weather = self.weather;
        if self.strikes(weather.edit) {
            let fields = BTreeMap::from([("Objective".to_owned(), format!("{}", self.clock))]);
            return Some(What::Edited { fields });
        }
        if !self.strikes(weather.stray) {
            return None;
        }
        let bogus = |effect| What::AttemptEnded {
            effect,
            outcome: Box::new(Outcome::bare(Class::Done, "nobody asked for it")),
            found: Found::Live,
        };
        let newest = self.record.last().history.begun.keys().next_back().copied();
        match self.random.below(4) {
            0 => Some(bogus(newest.unwrap_or_default().next())),
            1 => {
                // The wrong kind of answer to what really runs.
                let (id, flight) = self.running.iter().next()?;
                Some(match &flight.answer {
                    What::AttemptEnded { .. } => What::GateEnded {
                        effect: *id,
                        results: Vec::new(),
                        found: Found::Live,
                    },
                    _ => bogus(*id),
                })
            }
            _ => {
                let which = self.random.below(self.late.len() as u64);
                let which = usize::try_from(which).unwrap_or(0);
                (which < self.late.len()).then(|| self.late.remove(which))
            }
        }
    }

    /// One of those that run ends: with its answer, or taken for lost.
    pub(super) fn end_one(&mut self) -> Option<What> {
        let ids: Vec<EffectId> = self.running.keys().copied().collect();
        let id = *self.random.pick(&ids)?;
        let flight = self.running.remove(&id)?;
        let permille = self.weather.lose;
        let (lost, reason) = match flight.calling {
            Calling::Cancelled => (self.random.below(2) == 0, "cancelled"),
            Calling::Wanted => (self.strikes(permille), "no sign of life"),
        };
        if lost {
            self.late.push(flight.answer);
            return Some(What::Lost {
                usage: kernel::Usage::default(),
                effect: id,
                reason: reason.to_owned(),
            });
        }
        let permille = self.weather.repeat;
        if self.strikes(permille) {
            self.late.push(flight.answer.clone());
        }
        self.on_disk.insert(id, flight.answer.clone());
        Some(flight.answer)
    }
}
