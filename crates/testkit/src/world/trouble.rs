//! What goes wrong between the engine and what it started: crashes, losses, late and wrong answers.

use super::{Calling, Process, SeededWorld};
use crate::weather::Fate;
use kernel::machine::RunMachine;
use kernel::outcome::Found;
use kernel::{Class, EffectId, Outcome, What};
use std::collections::BTreeMap;

impl<M: RunMachine> SeededWorld<'_, M> {
    /// The engine's process is gone, whether it fell or was told to.
    pub(crate) fn die(&mut self, fate: Fate) {
        self.process = Process::Gone;
        self.foreign = 0;
        for (id, flight) in std::mem::take(&mut self.running) {
            let fate = match (fate, self.storm.random.below(3)) {
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

    /// Something that is no answer of what runs: late, wrong, or a person's edit.
    pub(super) fn stray(&mut self) -> Option<What> {
        let weather = self.storm.weather;
        if self.storm.strikes(weather.edit) {
            let fields =
                BTreeMap::from([("Objective".to_owned(), format!("{}", self.storm.clock))]);
            return Some(What::Edited { fields });
        }
        if !self.storm.strikes(weather.stray) {
            return None;
        }
        let bogus = |effect| What::AttemptEnded {
            effect,
            outcome: Box::new(Outcome::bare(Class::Done, "nobody asked for it")),
            found: Found::Live,
        };
        let newest = self.record.last().history.begun.keys().next_back().copied();
        match self.storm.random.below(4) {
            0 => Some(bogus(newest.unwrap_or_default().next())),
            1 => {
                // The wrong kind of answer to what really runs.
                let (id, flight) = self.running.iter().next()?;
                Some(match &flight.answer {
                    What::AttemptEnded { .. } => What::GateEnded {
                        effect: *id,
                        results: Vec::new(),
                        tree: None,
                        found: Found::Live,
                    },
                    _ => bogus(*id),
                })
            }
            _ => {
                let which = self.storm.random.below(self.late.len() as u64);
                let which = usize::try_from(which).unwrap_or(0);
                (which < self.late.len()).then(|| self.late.remove(which))
            }
        }
    }

    /// One of those that run ends: with its answer, or taken for lost.
    pub(super) fn end_one(&mut self) -> Option<What> {
        let ids: Vec<EffectId> = self.running.keys().copied().collect();
        let id = *self.storm.random.pick(&ids)?;
        let flight = self.running.remove(&id)?;
        let permille = self.storm.weather.lose;
        let (lost, reason) = match flight.calling {
            Calling::Cancelled => (self.storm.random.below(2) == 0, "cancelled"),
            Calling::Wanted => (self.storm.strikes(permille), "no sign of life"),
        };
        if lost {
            self.late.push(flight.answer);
            return Some(What::Lost {
                usage: kernel::Usage::default(),
                effect: id,
                reason: reason.to_owned(),
                seen: None,
            });
        }
        let permille = self.storm.weather.repeat;
        if self.storm.strikes(permille) {
            self.late.push(flight.answer.clone());
        }
        self.on_disk.insert(id, flight.answer.clone());
        Some(flight.answer)
    }
}
