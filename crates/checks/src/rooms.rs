//! Rooms as checks know them: a command runs on exactly the tree that is judged, may change what it
//! likes, and nothing of it stays. Who makes them is the engine's business.

use crate::error::BoxError;
use crate::tree::TreeNow;
use sandbox::{Cancel, Ended, Launch, LaunchError};
use std::path::{Path, PathBuf};

/// Gives every command a room of its own over one tree.
pub trait Rooms {
    /// The tree that is judged.
    fn tree(&self) -> Result<TreeNow, BoxError>;

    /// Runs a command that is meant for the repository's folder in a fresh room.
    fn run(&self, launch: &Launch, cancel: &Cancel) -> Result<InRoom, RoomError>;

    /// Rooms over a folder of ours that is not changed any more while they are used.
    fn over<'a>(&'a self, folder: &'a Path, tree: TreeNow) -> Box<dyn Rooms + 'a>;

    /// The same, with everything beside its files that is laid beside the judged tree.
    fn like<'a>(&'a self, folder: &'a Path, tree: TreeNow) -> Box<dyn Rooms + 'a>;
}

/// What a command did in its room. The room goes with this.
pub struct InRoom {
    /// How it ended.
    pub ended: Ended,
    /// Files of the judged tree that it changed or deleted.
    pub changed: Vec<String>,
    /// What was laid in beside the tree, for people.
    pub included: Vec<String>,
    /// The tree as it was before.
    pub before: PathBuf,
    /// Where what it wrote lies; other files may be missing there.
    pub after: PathBuf,
    /// Removes the room when it goes.
    pub room: Box<dyn Send>,
}

/// Why there was no room, or nothing in it.
#[derive(Debug, thiserror::Error)]
pub enum RoomError {
    /// The command was not started.
    #[error(transparent)]
    NotStarted(#[from] LaunchError),
    /// There is no room for it, or what it left cannot be looked at.
    #[error("no room for it: {0}")]
    NoRoom(BoxError),
}
