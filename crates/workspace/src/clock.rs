//! The one place that asks for the time on behalf of a run.

use kernel::Time;
use std::time::{SystemTime, UNIX_EPOCH};

/// The present time.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Time(since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }))
}
