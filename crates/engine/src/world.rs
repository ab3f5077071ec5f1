//! The real world: the journal on disk, effects on threads, the clock, a person's Ctrl-C.

use crate::context::Context;
use crate::driver::{Signal, World};
use crate::error::EngineError;
use crate::perform::{self, Job, Judged};
use crate::run::{Run, entries, known, state_of};
use crate::view;
use crate::views::Views;
use flow::Flow;
use kernel::{Body, Class, Effect, EffectId, Event, Machine, Status, Time, What};
use sandbox::Cancel;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::Journal;

/// How often progress is shown and the journal is looked at for what others appended.
const TICK: Duration = Duration::from_millis(250);
/// How many events may follow a checkpoint of the state.
const CHECKPOINT_EVERY: u64 = 200;

/// Sees what happens, as it happens.
pub trait Observer {
    /// An event was made durable.
    fn event(&mut self, event: &Event, status: &Status);
    /// Time passes.
    fn tick(&mut self, status: &Status);
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

struct Running {
    cancel: Cancel,
    thread: JoinHandle<()>,
}

/// The real world of one run.
pub struct Real<'a> {
    context: Arc<Context>,
    journal: Journal,
    journal_path: PathBuf,
    journal_length: u64,
    since_checkpoint: u64,
    torn: Option<What>,
    views: Views,
    running: BTreeMap<EffectId, Running>,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    observer: &'a mut dyn Observer,
    session: String,
}

/// A little later than asked, so that many engines that wait for the same provider do not all come
/// back in the same moment. The process id is chance enough for that.
fn jittered(until: Time) -> Time {
    Time(
        until
            .0
            .saturating_add(u64::from(std::process::id()) % 1_000),
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

impl<'a> Real<'a> {
    /// The world of an opened run, and its machine.
    pub fn of(
        run: Run,
        context: Context,
        observer: &'a mut dyn Observer,
    ) -> Result<(Self, Flow), EngineError> {
        let (sender, receiver) = channel();
        let journal_path = run.project.journals().join(format!("{}.jsonl", run.name));
        let context = Arc::new(context);
        let torn = run.torn.map(|torn| What::TailCut {
            bytes: torn.bytes,
            kept_in: torn.kept_in.display().to_string(),
        });
        let mut world = Self {
            views: Views::of(&context, &run.machine)?,
            context,
            journal: run.journal,
            journal_path,
            journal_length: 0,
            since_checkpoint: 0,
            torn,
            running: BTreeMap::new(),
            sender,
            receiver,
            observer,
            session: format!("{}-{}", std::process::id(), now().0),
        };
        world.journal_length = world.length();
        Ok((world, run.machine))
    }

    /// For a signal handler.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.sender.clone())
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.journal_path).map_or(0, |found| found.len())
    }

    /// What others appended since, as inputs that are facts already.
    fn elsewhere(&mut self, machine: &Flow) -> Result<Vec<Event>, EngineError> {
        let mut events = Vec::new();
        if self.length() != self.journal_length {
            let workflow = machine.workflow().clone();
            self.journal.catch_up(|record| {
                events.push(known(&workflow, &record)?);
                Ok(())
            })?;
            self.journal_length = self.length();
        }
        Ok(events)
    }
}

impl World<Flow> for Real<'_> {
    type Error = EngineError;

    fn now(&mut self) -> Time {
        now()
    }

    fn opening(&mut self, machine: &Flow) -> Result<Vec<What>, EngineError> {
        let mut heard: Vec<What> = self.torn.take().into_iter().collect();
        heard.push(What::Open {
            session: self.session.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        // With an attempt in flight the file may hold what the agent wrote: its end comes first.
        if machine.status().in_flight.is_empty()
            && let Some(edited) = self.views.edits(machine)?
        {
            heard.push(edited);
        }
        let wanted = machine.wanted();
        for flying in machine.status().in_flight {
            let killed = perform::kill_leftover(&self.context, flying.effect)?;
            if killed > 0 {
                self.observer.notice(&format!(
                    "ended {killed} processes that an interrupted {} had left",
                    flying.effect
                ));
            }
            let order = wanted.iter().find(|effect| effect.id() == flying.effect);
            let found = match order {
                Some(effect) => perform::recover(&self.context, effect)?,
                None => perform::left_behind(&self.context, &flying)?,
            };
            heard.push(found.unwrap_or_else(|| What::Lost {
                usage: kernel::Usage::default(),
                effect: flying.effect,
                reason: "the engine ended before it did".to_owned(),
            }));
        }
        Ok(heard)
    }

    fn append(&mut self, events: &[Event], machine: &Flow) -> Result<(), EngineError> {
        let expected = self.journal.head().seq;
        self.journal.append(expected, &entries(events))?;
        self.journal_length = self.length();
        self.since_checkpoint += events.len() as u64;
        if self.since_checkpoint >= CHECKPOINT_EVERY {
            self.journal.checkpoint(state_of(machine))?;
            self.since_checkpoint = 0;
        }
        let status = machine.status();
        for event in events {
            self.observer.event(event, &status);
            if let Body::AttemptEnded(ended) = &event.body
                && ended.outcome.class == Class::Done
            {
                // Taken back, on record: the copy is free for the next attempt. That of a failed
                // attempt stays.
                view::put_aside(&self.context, ended.effect);
            }
        }
        if let Some(edited) = self.views.write(machine, events, self.journal.head())? {
            // Heard like an answer, so that it is journaled in its turn.
            let _ = self.sender.send(Message::Edited(edited));
        }
        Ok(())
    }

    fn start(&mut self, effect: &Effect, machine: &Flow) {
        let id = effect.id();
        let job = Job {
            effect: effect.clone(),
            judged: Judged {
                outcome: machine.judged().cloned(),
                fields_before: machine.fields_before().clone(),
                results: machine.results().clone(),
            },
            head: self.journal.head().clone(),
        };
        let (cancel, context, sender) = (Cancel::new(), self.context.clone(), self.sender.clone());
        let held = cancel.clone();
        let thread = std::thread::spawn(move || {
            let say = sender.clone();
            let progress = move |line: &str| {
                let _ = say.send(Message::Progress(line.to_owned()));
            };
            let work =
                std::panic::AssertUnwindSafe(|| perform::perform(&context, &job, &held, &progress));
            // A panic is no answer: the next session looks for what is on disk.
            let what = std::panic::catch_unwind(work).unwrap_or_else(|_| Err(panicked(id)));
            // The loop may be gone: then the answer is found on disk next time.
            let _ = sender.send(Message::Ended(id, what));
        });
        self.running.insert(id, Running { cancel, thread });
    }

    fn cancel(&mut self, effect: EffectId) {
        if let Some(running) = self.running.get(&effect) {
            running.cancel.cancel();
        }
    }

    fn running(&self) -> Vec<EffectId> {
        self.running.keys().copied().collect()
    }

    fn next(&mut self, machine: &Flow, until: Option<Time>) -> Result<Signal, EngineError> {
        let until = until.map(jittered);
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
                    self.observer.tick(&machine.status());
                    let events = self.elsewhere(machine)?;
                    if !events.is_empty() {
                        return Ok(Signal::Elsewhere(events));
                    }
                }
            }
        }
    }
}

impl Drop for Real<'_> {
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
