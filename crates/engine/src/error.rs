//! How an error of the loop becomes the one error that people see.

use crate::driver::DriveError;
use workspace::EngineError;

impl From<DriveError<EngineError>> for EngineError {
    fn from(error: DriveError<EngineError>) -> Self {
        match error {
            DriveError::World(error) => error,
            DriveError::Refused(refusal) => Self::bug(
                &refusal.code,
                format!(
                    "the machine refused the engine's own input: {}",
                    refusal.what
                ),
                "please report it, with the run's journal",
            ),
        }
    }
}
