//! Mutants of the changed code, each tried by the tests that reach it, and then by all.

use super::again::Past;
use super::plan::{Mutant, Plan};
use super::seen::{self, Fate, Reached, Tried};
use super::{Control, Record};
use crate::checks::suite::instrument::{Instrument, Shown};
use crate::error::Error;
use crate::room::Room;
use crate::text::{first_few, label};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What mutants may take, at least, and as a multiple of the suite's own time.
const LEAST: Duration = Duration::from_secs(40);
const TIMES: u32 = 4;

impl Control<'_> {
    /// Tries every mutant of the plan that there is time for, and hears nobody who is loud without one.
    pub(super) fn try_mutants(
        &self,
        room: &Room,
        plan: &Plan,
        (reached, unsteady): (&Reached, &BTreeSet<String>),
        (past, record): (&Past, &mut Record),
    ) -> Result<(), Error> {
        let one = |mutant: &Mutant, instrument: &Instrument| match self.shows(
            (room, instrument),
            plan,
            mutant,
        ) {
            Ok(shown) => seen::fate(self.first, &shown, mutant.number, reached, unsteady),
            Err(why) => Fate::Untried {
                why: why.to_string(),
            },
        };
        // The tests that reach it first: most mutants are noticed by them, in a part of the time. What they
        // do not notice, all others may.
        let mut parts: BTreeMap<u32, Option<Instrument>> = BTreeMap::new();
        let again = &mut |mutant: &Mutant| {
            let part = parts
                .entry(mutant.number)
                .or_insert_with(|| self.part(room, mutant.number, (reached, unsteady)));
            let noticed = part.as_ref().map(|part| one(mutant, part));
            match noticed {
                Some(noticed @ Fate::Noticed { .. }) => noticed,
                _ => one(mutant, self.instrument),
            }
        };
        self.mutate(plan, again, (past, record));
        self.without_a_mutant(room, &parts, record)
    }

    /// Tries mutants while there is time. What was seen of this very tree is taken as it was seen.
    fn mutate(
        &self,
        plan: &Plan,
        fate: &mut dyn FnMut(&Mutant) -> Fate,
        (past, record): (&Past, &mut Record),
    ) {
        let began = Instant::now();
        let suite = Duration::from_millis(self.millis);
        let most = (suite * TIMES).max(LEAST).min(self.subject.wall / 2);
        let all = past.in_turn(plan);
        let count = all.len();
        for (number, (mutant, constant)) in all.into_iter().enumerate() {
            let what = format!("{} {}", plan.named(mutant), mutant.what);
            let out = began.elapsed() >= most;
            let known = past.on_this_tree(&what);
            let known = known.or_else(|| past.survived(&what).filter(|_| out));
            let (fate, before) = match known {
                Some(known) => (known, true),
                None if out || past.is_of_this_tree => {
                    record.out_of_time += 1;
                    continue;
                }
                None => {
                    // Each suite has mutants of its own, and is named: the count begins anew.
                    let suite = label(self.instrument.named());
                    let told = format!("{suite}: mutant {} of {count}", number + 1);
                    (self.subject.progress)(&told);
                    (fate(mutant), false)
                }
            };
            record.mutants.push(Tried {
                number: mutant.number,
                what,
                constant,
                before,
                fate,
            });
        }
    }

    fn shows(
        &self,
        (room, instrument): (&Room, &Instrument),
        plan: &Plan,
        mutant: &Mutant,
    ) -> Result<Shown, Error> {
        room.put(&mutant.path, Some(&mutant.text))?;
        let shown = self.look_by(room, instrument);
        plan.lay_placebo(room, &mutant.path)?;
        shown
    }

    /// The part of the suite that reaches a function; none where it ends otherwise than in the whole although
    /// nothing was mutated: tests can tell that they are only a part, and could fail for that.
    fn part(
        &self,
        room: &Room,
        number: u32,
        (reached, unsteady): (&Reached, &BTreeSet<String>),
    ) -> Option<Instrument> {
        let part = self.instrument.only(&reached.names(number)?)?;
        let shown = self.look_by(room, &part).ok()?;
        match seen::fate(self.first, &shown, number, reached, unsteady) {
            Fate::Survived { elsewhere, .. } if elsewhere.is_empty() => Some(part),
            _ => None,
        }
    }

    /// Once mutants were tried, all of it is run again without one. Who fails then did not notice a mutant: it
    /// can tell when it is run (by a clock, a counter, the age of a file), or is flaky.
    fn without_a_mutant(
        &self,
        room: &Room,
        parts: &BTreeMap<u32, Option<Instrument>>,
        record: &mut Record,
    ) -> Result<(), Error> {
        let noticed = |one: &Tried| !one.before && matches!(one.fate, Fate::Noticed { .. });
        if !record.mutants.iter().any(noticed) {
            return Ok(());
        }
        let mut loud = BTreeSet::new();
        for instrument in parts.values().flatten().chain([self.instrument]) {
            let shown = self.look_by(room, instrument)?;
            loud.extend(seen::turned(self.first, &shown.run));
        }
        if seen::unheard(&mut record.mutants, &loud) {
            let names: Vec<&String> = loud.iter().collect();
            record.told.push(format!(
                "fails without a mutant too, once some were tried, and what it said of them counts for nothing: {}",
                first_few(&names, 10)
            ));
        }
        Ok(())
    }
}
