//! The real world: the journal on disk, effects on threads, the clock, a person's Ctrl-C.

use crate::driver::{Signal, World};
use crate::run::entries;
use kernel::machine::{Gauge, IdOf};
use kernel::{Body, Event, Machine, Time, Want};
use sandbox::Cancel;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use store::{Head, Journal, Objection, RecordRef, Torn};
use workspace::clock::now;
use workspace::error::EngineError;

/// How often progress is shown and the journal is looked at for what others appended.
const TICK: Duration = Duration::from_millis(250);
/// How much later than asked a waiting engine may come back.
const MOST_JITTER_MILLIS: u64 = 1_000;

/// A run's budgets by name.
pub type Gauges = BTreeMap<String, Gauge>;

/// Sees what happens, as it happens.
pub trait Observer<F = Body> {
    /// An event was made durable.
    fn event(&mut self, event: &Event<F>);
    /// Time passes. What the run has used is asked for only by whoever shows it: it has to be summed
    /// up, and nobody should pay for that at every tick.
    fn tick(&mut self, gauges: &dyn Fn() -> Gauges);
    /// An effect says what it does.
    fn progress(&mut self, line: &str);
    /// Something that a person should know.
    fn notice(&mut self, line: &str);
}

enum Message<Id, What> {
    Ended(Id, Result<What, EngineError>),
    Progress(String),
    Notice(String),
    Edited(What),
    Interrupt,
}

type MessageOf<M> = Message<IdOf<M>, <M as Machine>::What>;

/// Lets a signal handler stop the loop.
#[derive(Clone)]
pub struct Interrupter(Arc<dyn Fn() + Send + Sync>);

impl Interrupter {
    /// Asks the loop to stop cleanly; a second time, at once.
    pub fn interrupt(&self) {
        (self.0)();
    }
}

/// Performs effects, each on a thread of its own. What it holds is the place that it works in; what
/// is to be done there is all in the job, which another process could be handed as well.
pub trait Performer: Send + Sync + 'static {
    /// What one effect needs to be performed: plain data.
    type Job: Serialize + DeserializeOwned + Send + 'static;
    /// How it answers.
    type What;

    /// Performs one job. An error is no answer: the effect stays in flight, and the next session
    /// recovers it.
    fn perform(
        &self,
        job: &Self::Job,
        cancel: &Cancel,
        listener: &Listener<'_>,
    ) -> Result<Self::What, EngineError>;
}

/// Hears what whoever performs has to say on the way.
pub struct Listener<'a> {
    /// What it does.
    pub progress: &'a dyn Fn(&str),
    /// Something that a person should know.
    pub notice: &'a dyn Fn(&str),
}

/// What a new session finds.
pub struct Opening<'a, F> {
    /// A torn last line of the journal that opening has cut.
    pub torn: Option<Torn>,
    /// Tells this engine's life from others.
    pub session: &'a str,
    /// Sees what happens.
    pub observer: &'a mut dyn Observer<F>,
}

/// Fits one kind of machine into the real world: what its records may say, what a new session tells it,
/// what is written for people, and what performs its effects. The loop, the journal and the threads
/// are the same for all.
pub trait Adapter {
    /// The machine.
    type Machine: Machine;
    /// Who performs its effects.
    type Performer: Performer<What = <Self::Machine as Machine>::What>;

    /// Who performs effects.
    fn performer(&self) -> &Arc<Self::Performer>;
    /// A record as an event that this machine can stand on.
    fn known(
        &self,
        machine: &Self::Machine,
        record: &RecordRef<'_>,
    ) -> Result<EventOf<Self::Machine>, Objection>;
    /// What to tell the machine first: that we are here, and the end of everything that an earlier life
    /// left in flight.
    fn opening(
        &mut self,
        machine: &Self::Machine,
        opening: Opening<'_, FactOf<Self::Machine>>,
    ) -> Result<Vec<<Self::Machine as Machine>::What>, EngineError>;
    /// Does what follows from events that are durable, writes the views anew among it; what people
    /// changed in those meanwhile.
    fn follow(
        &mut self,
        machine: &Self::Machine,
        events: &[EventOf<Self::Machine>],
        head: &Head,
        observer: &mut dyn Observer<FactOf<Self::Machine>>,
    ) -> Result<Option<<Self::Machine as Machine>::What>, EngineError>;
    /// Time passes: views that had to wait may be written. What people did elsewhere meanwhile.
    fn tick(
        &mut self,
        _: &Self::Machine,
    ) -> Result<Option<<Self::Machine as Machine>::What>, EngineError> {
        Ok(None)
    }
    /// The state for a checkpoint of the journal, where replay begins at one.
    fn state(&self, machine: &Self::Machine) -> Option<serde_json::Value> {
        Some(machine.snapshot())
    }
    /// What an effect needs to be performed.
    fn job(
        &self,
        machine: &Self::Machine,
        effect: &<Self::Machine as Machine>::Want,
        head: &Head,
    ) -> <Self::Performer as Performer>::Job;
}

type FactOf<M> = <M as Machine>::Fact;
type EventOf<M> = Event<FactOf<M>>;

/// A journal that was opened, and whose machine is to be driven.
pub struct Open {
    pub journal: Journal,
    /// A torn last line that opening has cut.
    pub torn: Option<Torn>,
}

struct Running {
    cancel: Cancel,
    thread: JoinHandle<()>,
}

/// The real world of one machine.
pub struct Real<'a, A: Adapter> {
    adapter: A,
    journal: Journal,
    journal_length: u64,
    torn: Option<Torn>,
    running: BTreeMap<IdOf<A::Machine>, Running>,
    sender: Sender<MessageOf<A::Machine>>,
    receiver: Receiver<MessageOf<A::Machine>>,
    observer: &'a mut dyn Observer<FactOf<A::Machine>>,
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

fn panicked(effect: &impl Display) -> EngineError {
    EngineError::environment(
        "engine_panicked",
        format!("the engine panicked while performing {effect}"),
        "please report it; `proofhouse run` goes on with what is on disk",
    )
}

/// A name that no other engine's life has.
pub(crate) fn session_name() -> String {
    format!("{}-{}", std::process::id(), now().0)
}

/// The job as it would arrive in another process. Every debug build performs what has been carried like
/// that, so that each test proves that nothing but the job's text is needed.
fn carried<J: Serialize + DeserializeOwned>(job: J) -> J {
    if !cfg!(debug_assertions) {
        return job;
    }
    let text = serde_json::to_string(&job).expect("jobs are plain data with string keys");
    serde_json::from_str(&text).expect("what a job says of itself is a job")
}

impl<'a, A: Adapter> Real<'a, A> {
    /// The world of an opened journal.
    pub fn of(open: Open, adapter: A, observer: &'a mut dyn Observer<FactOf<A::Machine>>) -> Self {
        let (sender, receiver) = channel();
        let mut world = Self {
            adapter,
            journal: open.journal,
            journal_length: 0,
            torn: open.torn,
            running: BTreeMap::new(),
            sender,
            receiver,
            observer,
            session: session_name(),
        };
        world.journal_length = world.length();
        world
    }

    /// For a signal handler.
    pub fn interrupter(&self) -> Interrupter {
        let sender = self.sender.clone();
        Interrupter(Arc::new(move || {
            // The loop may be gone already: then there is nothing to stop.
            let _ = sender.send(Message::Interrupt);
        }))
    }

    /// Performs one effect here and now, outside of the loop.
    pub(crate) fn perform(
        &mut self,
        effect: &<A::Machine as Machine>::Want,
        machine: &A::Machine,
        cancel: &Cancel,
    ) -> Result<<A::Machine as Machine>::What, EngineError> {
        let job = self.adapter.job(machine, effect, self.journal.head());
        let observer = RefCell::new(&mut *self.observer);
        let listener = Listener {
            progress: &|line| observer.borrow_mut().progress(line),
            notice: &|line| observer.borrow_mut().notice(line),
        };
        let performer = self.adapter.performer();
        performer.perform(&carried(job), cancel, &listener)
    }

    fn length(&self) -> u64 {
        std::fs::metadata(self.journal.path()).map_or(0, |found| found.len())
    }

    /// What others appended since, as inputs that are facts already.
    fn elsewhere(&mut self, machine: &A::Machine) -> Result<Vec<EventOf<A::Machine>>, EngineError> {
        let mut events = Vec::new();
        if self.length() != self.journal_length {
            let adapter = &self.adapter;
            self.journal.catch_up(|record| {
                events.push(adapter.known(machine, &record)?);
                Ok(())
            })?;
            self.journal_length = self.length();
        }
        Ok(events)
    }
}

impl<A: Adapter> World<A::Machine> for Real<'_, A> {
    type Error = EngineError;

    fn now(&mut self) -> Time {
        now()
    }

    fn opening(
        &mut self,
        machine: &A::Machine,
    ) -> Result<Vec<<A::Machine as Machine>::What>, EngineError> {
        let opening = Opening {
            torn: self.torn.take(),
            session: &self.session,
            observer: &mut *self.observer,
        };
        self.adapter.opening(machine, opening)
    }

    fn append(
        &mut self,
        events: &[EventOf<A::Machine>],
        machine: &A::Machine,
    ) -> Result<(), EngineError> {
        let expected = self.journal.head().seq;
        self.journal.append(expected, &entries(events))?;
        self.journal_length = self.length();
        if self.journal.checkpoint_is_due()
            && let Some(state) = self.adapter.state(machine)
        {
            self.journal.checkpoint(state)?;
        }
        for event in events {
            self.observer.event(event);
        }
        let head = self.journal.head();
        let edited = self.adapter.follow(machine, events, head, self.observer)?;
        if let Some(edited) = edited {
            // Heard like an answer, so that it is journaled in its turn.
            let _ = self.sender.send(Message::Edited(edited));
        }
        Ok(())
    }

    fn start(&mut self, effect: &<A::Machine as Machine>::Want, machine: &A::Machine) {
        let id = effect.id();
        let job = carried(self.adapter.job(machine, effect, self.journal.head()));
        let performer = self.adapter.performer().clone();
        let (cancel, sender) = (Cancel::new(), self.sender.clone());
        let (held, ended) = (cancel.clone(), id.clone());
        let thread = std::thread::spawn(move || {
            let listener = Listener {
                progress: &|line| drop(sender.send(Message::Progress(line.to_owned()))),
                notice: &|line| drop(sender.send(Message::Notice(line.to_owned()))),
            };
            let work = std::panic::AssertUnwindSafe(|| performer.perform(&job, &held, &listener));
            // A panic is no answer: the next session looks for what is on disk.
            let what = std::panic::catch_unwind(work).unwrap_or_else(|_| Err(panicked(&ended)));
            // The loop may be gone: then the answer is found on disk next time.
            let _ = sender.send(Message::Ended(ended, what));
        });
        self.running.insert(id, Running { cancel, thread });
    }

    fn cancel(&mut self, effect: &IdOf<A::Machine>) {
        if let Some(running) = self.running.get(effect) {
            running.cancel.cancel();
        }
    }

    fn running(&self) -> Vec<IdOf<A::Machine>> {
        self.running.keys().cloned().collect()
    }

    fn next(
        &mut self,
        machine: &A::Machine,
        until: Option<Time>,
    ) -> Result<Signal<A::Machine>, EngineError> {
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
                Ok(Message::Notice(line)) => self.observer.notice(&line),
                Ok(Message::Interrupt) => return Ok(Signal::Interrupt),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.observer.tick(&|| machine.gauges());
                    if let Some(what) = self.adapter.tick(machine)? {
                        return Ok(Signal::Answer(what));
                    }
                    let events = self.elsewhere(machine)?;
                    if !events.is_empty() {
                        return Ok(Signal::Elsewhere(events));
                    }
                }
            }
        }
    }
}

impl<A: Adapter> Drop for Real<'_, A> {
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
