//! One step of the loop: inputs in, and out come facts to be made durable, and what is to be started
//! and ended once they are. Whoever hosts a machine calls this, in a process or in a cluster. It
//! refuses to make anything durable or to start it: that is the host's.

use crate::event::Event;
use crate::input::Input;
use crate::machine::{Happening, IdOf, Machine, Want};
use crate::refusal::Refusal;
use crate::time::Time;

/// What follows from inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Stepped<M: Machine> {
    /// To be made durable before anything is started or ended.
    pub events: Vec<Event<M::Fact>>,
    /// To be started, in this order. That each began is among the events.
    pub start: Vec<M::Want>,
    /// Running, and not wanted any more.
    pub cancel: Vec<IdOf<M>>,
    /// When the next thing may be begun that has to wait.
    pub wake: Option<Time>,
    /// Was a pass left out because none is left?
    pub held_back: bool,
}

/// Hears inputs and says what follows. `running` is what was started and has not answered; `passes`
/// counts down with every pass that begins. The machine runs ahead of the journal only until the
/// events are durable; if that fails, this machine is thrown away.
pub fn step<M: Machine>(
    machine: &mut M,
    at: Time,
    heard: impl IntoIterator<Item = M::What>,
    running: &[IdOf<M>],
    passes: &mut u32,
) -> Result<Stepped<M>, Refusal> {
    let mut events = Vec::new();
    for what in heard {
        settle(machine, at, what, &mut events)?;
    }
    // What others appended may have consequences that nobody has drawn yet.
    settle(machine, at, M::What::advance(), &mut events)?;
    let wanted = machine.wanted();
    let unwanted = |id: &&IdOf<M>| !wanted.iter().any(|want| want.id() == **id);
    let cancel = running.iter().filter(unwanted).cloned().collect();
    let mut start = Vec::new();
    let (mut held_back, mut wake) = (false, None);
    for want in wanted {
        if running.contains(&want.id()) {
            continue;
        }
        if want.is_a_pass() && *passes == 0 {
            held_back = true;
            continue;
        }
        // The provider asked for patience: nothing is begun, so nothing can be lost.
        if let Some(due) = want.not_before().filter(|due| *due > at) {
            wake = Some(wake.map_or(due, |earlier: Time| earlier.min(due)));
            continue;
        }
        *passes -= u32::from(want.is_a_pass());
        settle(machine, at, M::What::begin(want.id()), &mut events)?;
        start.push(want);
    }
    Ok(Stepped {
        events,
        start,
        cancel,
        wake,
        held_back,
    })
}

/// Feeds one input, and then lets the machine settle.
pub fn settle<M: Machine>(
    machine: &mut M,
    at: Time,
    what: M::What,
    events: &mut Vec<Event<M::Fact>>,
) -> Result<(), Refusal> {
    let mut next = machine.decide(&Input::new(at, what))?;
    loop {
        for event in next {
            machine.apply(&event);
            events.push(event);
        }
        next = machine.decide(&Input::new(at, M::What::advance()))?;
        if next.is_empty() {
            return Ok(());
        }
    }
}
