//! The clock side of a launch: which limit is due, and what follows. The child's own account of its
//! time does not count.

use crate::tree::{GRACE, KILLING, Tree};
use crate::{Cancel, Killed, Limits};
use std::time::{Duration, Instant};

/// How long a child may take to end after its last word.
const LINGER: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// Asked to end; killed at this time.
    Terminating(Instant),
    /// Killed; given up at this time.
    Killing(Instant),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    GoOn,
    GiveUp,
}

/// The clock side of a launch.
pub(crate) struct Watch {
    limits: Limits,
    started: Instant,
    last_output: Instant,
    phase: Phase,
    /// The child has said its last word; it is dismissed at this time.
    over: Option<Instant>,
    /// Was it stopped because it did not end after its last word?
    pub(crate) dismissed: bool,
    /// Why we stopped it, once we have.
    pub(crate) killed: Option<Killed>,
}

impl Watch {
    pub(crate) fn new(limits: Limits, started: Instant) -> Self {
        Self {
            limits,
            started,
            last_output: started,
            phase: Phase::Running,
            over: None,
            dismissed: false,
            killed: None,
        }
    }

    /// The child said something.
    pub(crate) fn heard(&mut self) {
        self.last_output = Instant::now();
    }

    /// The child has said its last word.
    pub(crate) fn over(&mut self) {
        self.over.get_or_insert_with(|| Instant::now() + LINGER);
    }

    /// When something must be done, if nothing happens before.
    pub(crate) fn until(&self) -> Instant {
        // A limit that overflows the clock is none; the far future stands in for it.
        let after = |from: Instant, span: Duration| {
            from.checked_add(span)
                .unwrap_or_else(|| from + Duration::from_secs(1 << 32))
        };
        let wall = after(self.started, self.limits.wall);
        let limit = match (self.phase, self.limits.idle) {
            (Phase::Terminating(until) | Phase::Killing(until), _) => return until,
            (Phase::Running, None) => wall,
            (Phase::Running, Some(idle)) => wall.min(after(self.last_output, idle)),
        };
        self.over.map_or(limit, |over| limit.min(over))
    }

    /// Looks at the clock and the switch, and does what is due.
    pub(crate) fn step(&mut self, cancel: &Cancel, tree: &mut Tree) -> Step {
        let now = Instant::now();
        match self.phase {
            Phase::Running => {
                self.killed = if cancel.is_cancelled() {
                    Some(Killed::Cancelled)
                } else if now < self.until() {
                    None
                } else if self.over.is_some_and(|over| now >= over) {
                    self.dismissed = true;
                    None
                } else if now.duration_since(self.started) >= self.limits.wall {
                    Some(Killed::Wall(self.limits.wall))
                } else {
                    self.limits.idle.map(Killed::Idle)
                };
                if self.killed.is_some() || self.dismissed {
                    tree.terminate();
                    self.phase = Phase::Terminating(now + GRACE);
                }
            }
            Phase::Terminating(until) if now >= until => {
                tree.kill_group();
                self.phase = Phase::Killing(now + KILLING);
            }
            Phase::Killing(until) if now >= until => return Step::GiveUp,
            Phase::Terminating(_) | Phase::Killing(_) => {}
        }
        Step::GoOn
    }

    /// What is left of the grace of a tree that was asked to end.
    pub(crate) fn grace_left(&self) -> Duration {
        match self.phase {
            Phase::Terminating(until) => until.saturating_duration_since(Instant::now()),
            Phase::Running | Phase::Killing(_) => Duration::ZERO,
        }
    }
}
