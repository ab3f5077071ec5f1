//! The one loop, for runs, projects and waves alike. Recovery is not here: a restart is an input like
//! any other, and what was in flight then is answered or lost like any other effect.

use kernel::machine::IdOf;
use kernel::step::{Stepped, step};
use kernel::{Event, Machine, Refusal, Time};

/// Everything that the loop needs of the world. The engine has a real one, the simulator another.
pub trait World<M: Machine> {
    /// What stops it for good.
    type Error;

    /// The time.
    fn now(&mut self) -> Time;
    /// What to tell the machine first: that we are here, and the end of everything that an earlier
    /// life left in flight.
    fn opening(&mut self, machine: &M) -> Result<Vec<M::What>, Self::Error>;
    /// Makes the events durable. Nothing may start before it returns.
    fn append(&mut self, events: &[Event<M::Fact>], machine: &M) -> Result<(), Self::Error>;
    /// Starts an effect; its end arrives through [`World::next`].
    fn start(&mut self, effect: &M::Want, machine: &M);
    /// Ends an effect that is no longer wanted, without waiting for it.
    fn cancel(&mut self, effect: &IdOf<M>);
    /// Effects that were started and have not answered.
    fn running(&self) -> Vec<IdOf<M>>;
    /// Waits for the next thing to happen, at most until the given time.
    fn next(&mut self, machine: &M, until: Option<Time>) -> Result<Signal<M>, Self::Error>;
}

/// What the world says.
#[derive(Debug)]
pub enum Signal<M: Machine> {
    /// An effect answered.
    Answer(M::What),
    /// Somebody else appended to the journal: a person decided, say. Facts already.
    Elsewhere(Vec<Event<M::Fact>>),
    /// The time that was waited for has come.
    Woke,
    /// A person wants the engine to stop; the run itself goes on another time.
    Interrupt,
}

/// How far to drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// As far as it goes without a person.
    Rest,
    /// One attempt, with everything that follows from it.
    OnePass,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is wanted any more: done, stopped, or a person's turn.
    Rested,
    /// The one pass is over; there is more to do.
    PassDone,
    /// Interrupted; what was in flight is on record as lost.
    Interrupted,
}

/// What can go wrong in the loop.
#[derive(Debug)]
pub enum DriveError<E> {
    /// The world failed.
    World(E),
    /// The machine refused an input of the engine's own, which it never should.
    Refused(Refusal),
}

impl<E> From<Refusal> for DriveError<E> {
    fn from(refusal: Refusal) -> Self {
        DriveError::Refused(refusal)
    }
}

/// Drives the machine: decide, append, apply, perform what is wanted, and round again.
pub fn drive<M: Machine, W: World<M>>(
    machine: &mut M,
    world: &mut W,
    until: Until,
) -> Result<Ending, DriveError<W::Error>> {
    let mut heard = world.opening(machine).map_err(DriveError::World)?;
    let mut passes = match until {
        Until::Rest => u32::MAX,
        Until::OnePass => 1,
    };
    loop {
        let (now, running) = (world.now(), world.running());
        let Stepped {
            events,
            start,
            cancel,
            wake,
            held_back,
        } = step(machine, now, heard.drain(..), &running, &mut passes)?;
        if !events.is_empty() {
            world.append(&events, machine).map_err(DriveError::World)?;
        }
        for unwanted in &cancel {
            world.cancel(unwanted);
        }
        for effect in &start {
            world.start(effect, machine);
        }
        if world.running().is_empty() && wake.is_none() {
            return Ok(if held_back {
                Ending::PassDone
            } else {
                Ending::Rested
            });
        }
        match world.next(machine, wake).map_err(DriveError::World)? {
            Signal::Answer(what) => heard.push(what),
            Signal::Woke => {}
            Signal::Elsewhere(events) => events.iter().for_each(|event| machine.apply(event)),
            Signal::Interrupt => return interrupt(machine, world),
        }
    }
}

/// Tells the machine something outside of the loop: what follows is durable, and nothing is started.
pub fn tell<M: Machine, W: World<M>>(
    machine: &mut M,
    world: &mut W,
    heard: impl IntoIterator<Item = M::What>,
) -> Result<(), DriveError<W::Error>> {
    let (now, mut events) = (world.now(), Vec::new());
    for what in heard {
        kernel::settle(machine, now, what, &mut events)?;
    }
    if !events.is_empty() {
        world.append(&events, machine).map_err(DriveError::World)?;
    }
    Ok(())
}

/// Feeds one input of the engine's own, and then lets the machine settle.
pub fn settle<M: Machine, E>(
    machine: &mut M,
    at: Time,
    what: M::What,
    events: &mut Vec<Event<M::Fact>>,
) -> Result<(), DriveError<E>> {
    Ok(kernel::settle(machine, at, what, events)?)
}

/// Ends what is in flight and hears it out, so that no answer of a finished attempt is lost. A
/// second interrupt does not wait: the next engine finds what is left and marks it lost.
fn interrupt<M: Machine, W: World<M>>(
    machine: &mut M,
    world: &mut W,
) -> Result<Ending, DriveError<W::Error>> {
    for effect in world.running() {
        world.cancel(&effect);
    }
    while !world.running().is_empty() {
        match world.next(machine, None).map_err(DriveError::World)? {
            // Each on its own: what others append meanwhile must find our facts before theirs.
            Signal::Answer(what) => tell(machine, world, [what])?,
            Signal::Elsewhere(events) => events.iter().for_each(|event| machine.apply(event)),
            Signal::Woke => {}
            Signal::Interrupt => break,
        }
    }
    Ok(Ending::Interrupted)
}
