//! The bounds of one attempt, asked between and during requests.
//!
//! Our own clock: a provider's, or a client library's, is not to be trusted with it.

use crate::failure::Failure;
use kernel::outcome::Class;
use sandbox::Cancel;
use std::time::{Duration, Instant};

const A_YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The bounds of one attempt.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub(crate) cancel: Cancel,
    until: Instant,
    wall: Duration,
    /// The longest silence inside one request.
    pub(crate) idle: Duration,
}

impl Bounds {
    /// From now on.
    pub(crate) fn new(cancel: &Cancel, wall: Duration, idle: Duration) -> Self {
        let now = Instant::now();
        Self {
            cancel: cancel.clone(),
            // A span too long for the clock is as good as this one.
            until: now.checked_add(wall).unwrap_or(now + A_YEAR),
            wall,
            idle,
        }
    }

    /// Refuses to go on after a cancel or past the wall.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.cancel.is_cancelled() {
            return Err(Failure::new(
                Class::Killed,
                "killed by Proofhouse: cancelled",
            ));
        }
        if self.left().is_zero() {
            let wall = self.wall.as_secs_f64();
            return Err(Failure::new(
                Class::TimedOut,
                format!("killed by Proofhouse: wall limit of {wall} s"),
            ));
        }
        Ok(())
    }

    /// Wall time that is left.
    pub(crate) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Waits, unless the bounds end it.
    pub(crate) fn wait(&self, time: Duration) -> Result<(), Failure> {
        self.check()?;
        self.cancel.wait_timeout(time.min(self.left()));
        self.check()
    }
}
