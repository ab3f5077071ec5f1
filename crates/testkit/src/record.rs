//! The truth of a simulated run: its journal, a machine that follows the journal alone, and every
//! invariant tried after every event. It does not look at the live machine for anything but the
//! comparison with the replayed one.

use crate::invariants::{Fact, Invariant, Point};
use crate::journal::Journal;
use crate::violation::Violation;
use crate::watched::Watched;
use kernel::Event;
use kernel::machine::RunMachine;
use serde_json::Value;

/// Journal, follower and invariants.
pub struct Record<'a, M> {
    journal: Journal,
    before: Point<M>,
    after: Point<M>,
    make: &'a dyn Fn() -> M,
    invariants: &'a [Invariant<M>],
}

impl<'a, M: RunMachine> Record<'a, M> {
    /// An empty journal.
    pub fn new(make: &'a dyn Fn() -> M, invariants: &'a [Invariant<M>]) -> Self {
        Self {
            journal: Journal::default(),
            before: Point::new(make()),
            after: Point::new(make()),
            make,
            invariants,
        }
    }

    /// Everything that is stored.
    pub fn events(&self) -> &[Event] {
        self.journal.events()
    }

    /// The follower, at the journal's end.
    pub fn last(&self) -> &Point<M> {
        &self.after
    }

    /// Stores an event, lets the follower take it in, and tries every invariant. `live` is what
    /// the machine that decided the event was after it.
    pub fn take(&mut self, event: &Event, live: &Value) -> Result<(), Violation> {
        // The two followers are one event apart; each applies every event once, so a machine
        // needs no `Clone` to be compared with itself.
        if let Some(last) = self.journal.events().last() {
            self.before.machine.apply(last);
            self.before.history.note(last);
        }
        self.journal.push(event)?;
        let Some(event) = self.journal.events().last() else {
            return Ok(());
        };
        let after = &mut self.after;
        after.machine.apply(event);
        after.history.note(event);
        self.before.status = std::mem::replace(&mut after.status, after.machine.status());
        self.before.wanted = std::mem::replace(&mut after.wanted, after.machine.wanted());
        self.before.snapshot = std::mem::replace(&mut after.snapshot, after.machine.snapshot());
        let fact = Fact {
            event,
            journal: self.journal.events(),
            before: &self.before,
            after: &self.after,
            live,
        };
        for invariant in self.invariants {
            (invariant.holds)(&fact).map_err(|what| Violation::new(invariant.name, what))?;
        }
        Ok(())
    }

    /// The machine that a new process builds: every stored event applied. It must be
    /// the follower, and a checkpoint of the follower must be it.
    pub fn rebuild(&self) -> Result<Watched<M>, Violation> {
        let mut machine = (self.make)();
        for event in self.journal.events() {
            machine.apply(event);
        }
        self.same("replay_is_exact", &machine)?;
        // A checkpoint is the same question asked of less code; now and then is often enough.
        if !self.events().len().is_multiple_of(4) {
            return Ok(Watched::new(machine));
        }
        let mut restored = (self.make)();
        restored
            .restore(&self.after.snapshot)
            .map_err(|why| Violation::new("a_checkpoint_restores_everything", why.to_string()))?;
        self.same("a_checkpoint_restores_everything", &restored)?;
        Ok(Watched::new(machine))
    }

    /// Does the live machine, whose snapshots were compared event by event, say the same?
    pub fn says_the_same(
        &self,
        invariant: &'static str,
        machine: &impl RunMachine,
    ) -> Result<(), Violation> {
        let (here, there) = (machine.wanted(), &self.after.wanted);
        if here == *there && machine.status() == self.after.status {
            return Ok(());
        }
        let what = format!("status or wanted differs: {here:?} against {there:?}");
        Err(Violation::new(invariant, what))
    }

    /// Is this machine, which stands at the journal's end, the same as the follower?
    pub fn same(
        &self,
        invariant: &'static str,
        machine: &impl RunMachine,
    ) -> Result<(), Violation> {
        let there = &self.after;
        let here = machine.snapshot();
        if here != there.snapshot {
            let there = &there.snapshot;
            let what = format!("snapshots differ\n  here  {here}\n  there {there}");
            return Err(Violation::new(invariant, what));
        }
        self.says_the_same(invariant, machine)
    }
}
