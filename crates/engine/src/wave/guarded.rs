//! Panics of ours, as errors.

use workspace::error::EngineError;

/// A panic of ours in one effect must not take the wave with it.
pub(super) fn guarded<T>(act: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
    caught.unwrap_or_else(|_| {
        Err(EngineError::bug(
            "worker_panicked",
            "the engine panicked in a worker",
            "please report it, with the milestone's journal",
        ))
    })
}
