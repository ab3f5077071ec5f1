//! What the person says of rooms.

use super::Config;
use crate::error::Error;
use checks::Star;
use globset::GlobSet;

/// The settings of rooms.
#[derive(Debug, Clone)]
pub struct RoomSettings {
    /// Judged files that a command may change all the same.
    pub(crate) writable: GlobSet,
    /// What is laid in beside the tree; none: what is found.
    pub(crate) include: Option<Vec<String>>,
}

impl RoomSettings {
    /// From the settings.
    pub fn of(config: &Config) -> Result<Self, Error> {
        let globs = config.texts("room.writable").unwrap_or_default();
        let writable = checks::compiled(Star::Stays, globs.iter().map(String::as_str));
        let writable = writable.map_err(|error| {
            let what = format!("`room.writable`: {error}");
            Error::user("config_malformed", what, "mend the glob")
        })?;
        Ok(Self {
            writable,
            include: config.texts("room.include"),
        })
    }
}
