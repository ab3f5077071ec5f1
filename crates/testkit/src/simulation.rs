//! One run of one machine from its start to its end, over as many lives of the engine as it takes.
//!
//! It refuses to drive: [`engine::drive`] does. What is here is what surrounds a process: it is
//! started, it falls or rests, a person answers, another one takes over from the stored journal.

use crate::cast::Cast;
use crate::failure::Failure;
use crate::history::End;
use crate::invariants::Invariant;
use crate::record::Record;
use crate::seeded_cast::{SeededCast, Vocabulary};
use crate::start::drawn_start;
use crate::storm::{Stop, Storm};
use crate::violation::Violation;
use crate::watched::Watched;
use crate::weather::{Crash, Fate, Weather};
use crate::world::{Process, SeededWorld};
use engine::driver::settle;
use engine::{DriveError, Ending, Until, World, drive};
use kernel::event::RunStarted;
use kernel::machine::{Activity, RunMachine};
use kernel::{Event, StateName, Status, What};

/// More lives of the engine than any run may need.
const MOST_SESSIONS: u32 = 400;

/// A run that is still to happen.
pub struct Simulation<'a, M> {
    seed: u64,
    make: Box<dyn Fn() -> M + 'a>,
    invariants: &'a [Invariant<M>],
    start: RunStarted,
    cast: Box<dyn Cast + 'a>,
    weather: Weather,
    planned: Option<Crash>,
    command: String,
}

/// A run that kept every promise.
#[derive(Debug, Clone)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Everything that is stored.
    pub journal: Vec<Event>,
    /// Lives of the engine.
    pub sessions: u32,
    /// Lives that ended in a crash.
    pub crashes: u32,
    /// The size of every append, also of those that failed.
    pub batches: Vec<usize>,
    /// How often the engine waited for an effect.
    pub waits: usize,
    /// Attempts that an agent was really started for: their state and number, in order.
    pub paid: Vec<(StateName, u32)>,
}

/// How the part of a run between two processes ended.
enum Life {
    Over,
    GoesOn,
}

impl<'a, M: RunMachine> Simulation<'a, M> {
    /// The run of this seed. Without further words its cast knows no state to ask for, and its
    /// start is drawn.
    pub fn new(seed: u64, make: impl Fn() -> M + 'a, invariants: &'a [Invariant<M>]) -> Self {
        Self {
            seed,
            make: Box::new(make),
            invariants,
            start: drawn_start(seed),
            cast: Box::new(SeededCast::new(seed, Vocabulary::default())),
            weather: Weather::of(seed),
            planned: None,
            command: format!(
                "{}={seed} cargo test -p testkit one_seed -- --nocapture",
                crate::seeds::ONE
            ),
        }
    }

    /// How the run is started, instead of the seed's own start.
    pub fn start(mut self, start: RunStarted) -> Self {
        self.start = start;
        self
    }

    /// Who answers.
    pub fn cast(mut self, cast: impl Cast + 'a) -> Self {
        self.cast = Box::new(cast);
        self
    }

    /// What may go wrong.
    pub fn weather(mut self, weather: Weather) -> Self {
        self.weather = weather;
        self
    }

    /// One crash, here.
    pub fn crash(mut self, crash: Crash) -> Self {
        self.planned = Some(crash);
        self
    }

    /// The command that a failure prints.
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = command.into();
        self
    }

    /// Runs it to its end.
    pub fn run(self) -> Result<Report, Box<Failure>> {
        let make = self.make;
        let record = Record::new(&*make, self.invariants);
        let storm = Storm::new(self.seed, self.weather, self.planned);
        let mut world = SeededWorld::new(record, self.cast, storm);
        let done = live(&mut world, &self.start);
        let journal = world.record.events().to_vec();
        done.map_err(|violation| {
            Box::new(Failure {
                seed: self.seed,
                violation,
                plan: self
                    .planned
                    .map_or_else(String::new, |at| format!("{at:?}")),
                command: self.command,
                journal: journal.clone(),
            })
        })?;
        let paid = world.paid.iter();
        Ok(Report {
            status: world.record.last().status.clone(),
            sessions: world.sessions,
            crashes: world.storm.crashes,
            waits: world.storm.waits,
            paid: paid.map(|(_, state, nth)| (state.clone(), *nth)).collect(),
            batches: std::mem::take(&mut world.storm.batches),
            journal,
        })
    }
}

/// Every process of the run, one after the other.
fn live<M: RunMachine>(
    world: &mut SeededWorld<'_, M>,
    start: &RunStarted,
) -> Result<(), Violation> {
    let mut machine = world.record.rebuild()?;
    while world.record.events().is_empty() {
        let what = What::Start(Box::new(start.clone()));
        let mut events = Vec::new();
        let at = world.now();
        settle::<_, Stop>(&mut machine, at, what, &mut events)
            .map_err(|error| Violation::new("a_run_can_be_started", format!("{error:?}")))?;
        append(&machine, world, &events)?;
        machine = replaced(world, machine)?;
    }
    while world.sessions < MOST_SESSIONS {
        let permille = world.storm.weather.one_pass;
        let until = if world.storm.strikes(permille) {
            Until::OnePass
        } else {
            Until::Rest
        };
        let driven = drive(&mut machine, world, until);
        let life = settled(world, driven)?;
        if let Some(broken) = world.storm.broken.take() {
            return Err(broken);
        }
        if matches!(life, Life::Over) {
            return epilogue(world);
        }
        // A person answers to the process that rested, or to a new one.
        let permille = world.storm.weather.restart;
        if world.storm.strikes(permille) {
            world.die(Fate::Drawn);
        }
        machine = replaced(world, machine)?;
        let events = world.decided(&mut machine, None)?;
        append(&machine, world, &events)?;
        machine = replaced(world, machine)?;
    }
    let what = format!("{MOST_SESSIONS} sessions were not enough");
    Err(Violation::new("every_run_ends", what))
}

/// The same machine, or a new process's if the old one is gone.
fn replaced<M: RunMachine>(
    world: &mut SeededWorld<'_, M>,
    machine: Watched<M>,
) -> Result<Watched<M>, Violation> {
    match std::mem::replace(&mut world.process, Process::Alive) {
        Process::Alive => Ok(machine),
        Process::Gone => world.record.rebuild(),
    }
}

fn settled<M: RunMachine>(
    world: &mut SeededWorld<'_, M>,
    driven: Result<Ending, DriveError<Stop>>,
) -> Result<Life, Violation> {
    match driven {
        Err(DriveError::World(Stop::Violated(violation))) => return Err(violation),
        Err(DriveError::Refused(refusal)) => {
            let what = refusal.to_string();
            return Err(Violation::new("the_engine_is_never_refused", what));
        }
        Err(DriveError::World(Stop::Crashed)) => return Ok(Life::GoesOn),
        Ok(Ending::Interrupted | Ending::PassDone) => {
            // The process ends; whoever still runs is on its own.
            world.die(Fate::Drawn);
            return Ok(Life::GoesOn);
        }
        Ok(Ending::Rested) => {}
    }
    let last = world.record.last();
    let activity = last.status.activity;
    let quiet = |what: String| Err(Violation::new("a_run_never_stops_in_silence", what));
    match activity {
        Activity::Working => quiet(format!(
            "in `{}`, at work, nothing wanted",
            last.status.state
        )),
        Activity::Waiting if last.status.waiting_for.is_none() => {
            quiet(format!("in `{}`, for nobody", last.status.state))
        }
        _ if !last.wanted.is_empty() || !last.status.in_flight.is_empty() => {
            quiet(format!("with {:?} left", last.wanted))
        }
        Activity::Waiting => Ok(Life::GoesOn),
        Activity::Resting | Activity::Done | Activity::Stopped => Ok(Life::Over),
    }
}

/// An append outside the loop; it may fail like any other.
fn append<M: RunMachine>(
    machine: &Watched<M>,
    world: &mut SeededWorld<'_, M>,
    events: &[Event],
) -> Result<(), Violation> {
    if events.is_empty() {
        return Ok(());
    }
    match world.append(events, machine) {
        Ok(()) | Err(Stop::Crashed) => Ok(()),
        Err(Stop::Violated(violation)) => Err(violation),
    }
}

/// What can be said only at the end.
fn epilogue<M: RunMachine>(world: &SeededWorld<'_, M>) -> Result<(), Violation> {
    let ended = &world.record.last().history.ended;
    for id in world.finished() {
        if !matches!(ended.get(&id), Some(End::Attempt(_))) {
            let what = format!("{id} finished, and is on record as {:?}", ended.get(&id));
            return Err(Violation::new("finished_work_is_never_thrown_away", what));
        }
    }
    world.record.rebuild().map(|_| ())
}
