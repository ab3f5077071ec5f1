//! The real world: the journal on disk, effects on threads, the clock, a person's Ctrl-C.

use crate::driver::{Signal, World};
use crate::perform;
use crate::run::entries;
use kernel::machine::{Gauge, RunMachine};
use kernel::{Effect, EffectId, Event, Machine, Time, What};
use sandbox::Cancel;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::{Head, Journal, RecordRef, RunName, Torn};
use workspace::context::Context;
use workspace::error::EngineError;

/// How often progress is shown and the journal is looked at for what others appended.
const TICK: Duration = Duration::from_millis(250);
/// How much later than asked a waiting engine may come back.
const MOST_JITTER_MILLIS: u64 = 1_000;

/// A run's budgets by name.
pub type Gauges = BTreeMap<String, Gauge>;

/// Sees what happens, as it happens.
pub trait Observer {
    /// An event was made durable.
    fn event(&mut self, event: &Event);
    /// Time passes. What the run has used is asked for only by whoever shows it: it has to be summed
    /// up, and nobody should pay for that at every tick.
    fn tick(&mut self, gauges: &dyn Fn() -> Gauges);
    /// An effect says what it does.
    fn progress(&mut self, line: &str);
    /// Something that a person should know.
    fn notice(&mut self, line: &str);
}

enum Message {
    Ended(EffectId, Result<What, EngineError>),
    Progress(String),
    Edited(What),
    Interrupt,
}

/// Lets a signal handler stop the loop.
#[derive(Clone)]
pub struct Interrupter(Sender<Message>);

impl Interrupter {
    /// Asks the loop to stop cleanly; a second time, at once.
    pub fn interrupt(&self) {
        // The loop may be gone already: then there is nothing to stop.
        let _ = self.0.send(Message::Interrupt);
    }
}

/// The work of one effect, ready for a thread of its own. An error is no answer: the effect stays in
/// flight, and the next session recovers it.
pub type Errand =
    Box<dyn FnOnce(&Cancel, &dyn Fn(&str)) -> Result<What, EngineError> + Send + 'static>;

/// What differs from one kind of machine to the next: what its records may say, how its effects are
/// performed, and what is written for people. The loop, the journal and the threads are the same.
pub trait Craft {
    /// The machine.
    type Machine: RunMachine;

    /// What every effect needs to know.
    fn context(&self) -> &Arc<Context>;
    /// A record as an event that this machine can stand on.
    fn known(&self, machine: &Self::Machine, record: &RecordRef<'_>) -> Result<Event, String>;
    /// What people changed in the views since they were written.
    fn edits(&mut self, machine: &Self::Machine) -> Result<Option<What>, EngineError>;
    /// Writes the views anew after these events; what people changed in them meanwhile.
    fn write(
        &mut self,
        machine: &Self::Machine,
        events: &[Event],
        head: &Head,
    ) -> Result<Option<What>, EngineError>;
    /// The state for a checkpoint of the journal.
    fn state(&self, machine: &Self::Machine) -> serde_json::Value {
        machine.snapshot()
    }
    /// The work of an effect.
    fn errand(&self, machine: &Self::Machine, effect: &Effect, head: &Head) -> Errand;
}

/// A run that was opened to be driven.
pub struct Open {
    /// Its name.
    pub name: RunName,
    /// Its journal.
    pub journal: Journal,
    /// A torn last line that opening has cut.
    pub torn: Option<Torn>,
}

struct Running {
    cancel: Cancel,
    thread: JoinHandle<()>,
}

/// The real world of one run.
pub struct Real<'a, C> {
    craft: C,
    journal: Journal,
    journal_path: PathBuf,
    journal_length: u64,
    torn: Option<What>,
    running: BTreeMap<EffectId, Running>,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    observer: &'a mut dyn Observer,
    session: String,
}

/// A little later than asked and never earlier, so that many engines that wait for the same
/// provider do not all come back in the same moment. The process id is chance enough for that.
fn jittered(until: Time, chance: u32) -> Time {
    Time(
        until
            .0
            .saturating_add(u64::from(chance) % MOST_JITTER_MILLIS),
    )
}

fn panicked(effect: EffectId) -> EngineError {
    EngineError::environment(
        "engine_panicked",
        format!("the engine panicked while performing {effect}"),
        "please report it; `proofhouse run` goes on with what is on disk",
    )
}

/// The present time. The only place where the engine asks for it.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Time(since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }))
}

impl<'a, C: Craft> Real<'a, C> {
    /// The world of an opened run.
    pub fn of(open: Open, craft: C, observer: &'a mut dyn Observer) -> Self {
        let (sender, receiver) = channel();
        let journals = craft.context().project.journals();
        let journal_path = journals.join(format!("{}.jsonl", open.name));
        let torn = open.torn.map(|torn| What::TailCut {
            bytes: torn.bytes,
            kept_in: torn.kept_in.display().to_string(),
        });
        let mut world = Self {
            craft,
            journal: open.journal,
            journal_path,
            journal_length: 0,
            torn,
            running: BTreeMap::new(),
            sender,
            receiver,
            observer,
            session: format!("{}-{}", std::process::id(), now().0),
        };
        world.journal_length = world.length();
        world
    }

    /// For a signal handler.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.sender.clone())
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.journal_path).map_or(0, |found| found.len())
    }

    /// What others appended since, as inputs that are facts already.
    fn elsewhere(&mut self, machine: &C::Machine) -> Result<Vec<Event>, EngineError> {
        let mut events = Vec::new();
        if self.length() != self.journal_length {
            let craft = &self.craft;
            self.journal.catch_up(|record| {
                events.push(craft.known(machine, &record)?);
                Ok(())
            })?;
            self.journal_length = self.length();
        }
        Ok(events)
    }
}

impl<C: Craft> World<C::Machine> for Real<'_, C> {
    type Error = EngineError;

    fn now(&mut self) -> Time {
        now()
    }

    fn opening(&mut self, machine: &C::Machine) -> Result<Vec<What>, EngineError> {
        let mut heard: Vec<What> = self.torn.take().into_iter().collect();
        heard.push(What::Open {
            session: self.session.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        // With an attempt in flight the file may hold what the agent wrote: its end comes first.
        if machine.status().in_flight.is_empty()
            && let Some(edited) = self.craft.edits(machine)?
        {
            heard.push(edited);
        }
        let wanted = machine.wanted();
        for flying in machine.status().in_flight {
            let killed = perform::kill_leftover(self.craft.context(), flying.effect)?;
            if killed > 0 {
                self.observer.notice(&format!(
                    "ended {killed} processes that an interrupted {} had left",
                    flying.effect
                ));
            }
            let order = wanted.iter().find(|effect| effect.id() == flying.effect);
            let found = match order {
                Some(effect) => perform::recover(self.craft.context(), effect)?,
                None => perform::left_behind(self.craft.context(), &flying)?,
            };
            heard.push(found.unwrap_or_else(|| What::Lost {
                usage: kernel::Usage::default(),
                effect: flying.effect,
                reason: "the engine ended before it did".to_owned(),
            }));
        }
        Ok(heard)
    }

    fn append(&mut self, events: &[Event], machine: &C::Machine) -> Result<(), EngineError> {
        let expected = self.journal.head().seq;
        self.journal.append(expected, &entries(events))?;
        self.journal_length = self.length();
        if self.journal.checkpoint_is_due() {
            self.journal.checkpoint(self.craft.state(machine))?;
        }
        for event in events {
            self.observer.event(event);
        }
        if let Some(edited) = self.craft.write(machine, events, self.journal.head())? {
            // Heard like an answer, so that it is journaled in its turn.
            let _ = self.sender.send(Message::Edited(edited));
        }
        Ok(())
    }

    fn start(&mut self, effect: &Effect, machine: &C::Machine) {
        let id = effect.id();
        let errand = self.craft.errand(machine, effect, self.journal.head());
        let (cancel, sender) = (Cancel::new(), self.sender.clone());
        let held = cancel.clone();
        let thread = std::thread::spawn(move || {
            let say = sender.clone();
            let progress = move |line: &str| {
                let _ = say.send(Message::Progress(line.to_owned()));
            };
            let work = std::panic::AssertUnwindSafe(|| errand(&held, &progress));
            // A panic is no answer: the next session looks for what is on disk.
            let what = std::panic::catch_unwind(work).unwrap_or_else(|_| Err(panicked(id)));
            // The loop may be gone: then the answer is found on disk next time.
            let _ = sender.send(Message::Ended(id, what));
        });
        self.running.insert(id, Running { cancel, thread });
    }

    fn cancel(&mut self, effect: &EffectId) {
        if let Some(running) = self.running.get(effect) {
            running.cancel.cancel();
        }
    }

    fn running(&self) -> Vec<EffectId> {
        self.running.keys().copied().collect()
    }

    fn next(
        &mut self,
        machine: &C::Machine,
        until: Option<Time>,
    ) -> Result<Signal<C::Machine>, EngineError> {
        let until = until.map(|until| jittered(until, std::process::id()));
        loop {
            if until.is_some_and(|until| now() >= until) {
                return Ok(Signal::Woke);
            }
            match self.receiver.recv_timeout(TICK) {
                Ok(Message::Ended(effect, what)) => {
                    if let Some(running) = self.running.remove(&effect) {
                        // It has sent its last message; a panic was turned into one.
                        let _ = running.thread.join();
                    }
                    return what.map(Signal::Answer);
                }
                Ok(Message::Edited(what)) => return Ok(Signal::Answer(what)),
                Ok(Message::Progress(line)) => self.observer.progress(&line),
                Ok(Message::Interrupt) => return Ok(Signal::Interrupt),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.observer.tick(&|| machine.gauges());
                    let events = self.elsewhere(machine)?;
                    if !events.is_empty() {
                        return Ok(Signal::Elsewhere(events));
                    }
                }
            }
        }
    }
}

impl<C> Drop for Real<'_, C> {
    /// Nothing that we started outlives us.
    fn drop(&mut self) {
        for running in self.running.values() {
            running.cancel.cancel();
        }
        for (_, running) in std::mem::take(&mut self.running) {
            let _ = running.thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_never_shorter_than_asked_and_little_longer() {
        let asked = Time(1_700_000_000_000);
        for chance in (0..3_000).chain([u32::MAX]) {
            let until = jittered(asked, chance);
            assert!(until >= asked, "what a provider asks for is the least");
            assert!(until.0 < asked.0 + MOST_JITTER_MILLIS);
            assert_eq!(until, jittered(asked, chance), "the same again");
        }
        assert_ne!(jittered(asked, 1), jittered(asked, 2));
        assert_eq!(jittered(Time(u64::MAX), 999), Time(u64::MAX));
    }
}
