//! The exit codes, and whose error gets which.

use workspace::{Blame, EngineError};

pub(crate) const OK: u8 = 0;
pub(crate) const USER: u8 = 1;
pub(crate) const WAITING: u8 = 2;
pub(crate) const ENVIRONMENT: u8 = 3;
pub(crate) const BUG: u8 = 70;
pub(crate) const INTERRUPTED: u8 = 130;

pub(crate) fn of(error: &EngineError) -> u8 {
    match error.blame {
        Blame::User => USER,
        Blame::Environment => ENVIRONMENT,
        Blame::Bug => BUG,
    }
}
