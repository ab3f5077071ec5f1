//! Layered storage: what an agent may see and change, decided where bytes are read and written.
//!
//! One trait, [`Backend`], and layers that wrap each other (rules F5.3, F6, F7 and
//! F12). A prompt asks; a layer does not serve. No layer refuses in a way that tells whether a
//! thing outside the pack exists, and none follows a link.

mod composite;
mod denied;
mod files;
mod immutable;
mod lay;
mod opaque;
mod pack;
mod packed;
mod query;
mod rel;
mod routes;
mod shipped;
mod sight;
mod view;

pub use composite::Composite;
pub use denied::{Code, Denied};
pub use files::{Files, RESERVED, Resolving};
pub use immutable::{Freezing, Immutable};
pub use kernel::pack::{Permission, SURFACES, Seen, Surface, Unit};
pub use opaque::Opaque;
pub use pack::{CreatedFor, Excluded, Included, Pack, Reference};
pub use packed::Packed;
pub use query::{Case, Glob, Grep};
pub use rel::Rel;
pub use routes::{Keeping, Route, STATE_STORE, state_store};
pub use shipped::{Shipped, ShippedOnDisk, ShippedSet, Units};
use sight::reduce;
pub use sight::{Everything, Sight};
pub use view::{Unlisted, View};

/// The largest file that any layer reads, writes or searches.
pub const MAX_FILE: usize = 16 * 1024 * 1024;
/// The most entries that one `ls` answers with.
pub const MAX_LISTED: usize = 10_000;
/// The most bytes of one line that a hit carries.
pub const MAX_HIT_TEXT: usize = 400;

/// What a write may do to a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Makes the file, or replaces the one that is there.
    MayReplace,
    /// Makes the file; refuses with [`Code::Exists`] when there is one.
    NewOnly,
}

/// How many places an edit changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The text must be there exactly once.
    Once,
    /// Every place, at least one.
    All,
}

/// What a listed entry is. Links and devices are not listed at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    Folder,
}

/// One entry of `ls`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Where it is, from the backend's root.
    pub path: Rel,
    /// File or folder.
    pub kind: Kind,
    /// Bytes, as `read` would answer; 0 for a folder.
    pub size: u64,
}

/// One matching line of `grep`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The file.
    pub path: Rel,
    /// The line, from 1.
    pub line: u64,
    /// The line without its end, at most [`MAX_HIT_TEXT`] bytes; bytes that are not UTF-8 are
    /// replaced.
    pub text: String,
}

/// Whether a capped answer is all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Truncated {
    /// Everything is here.
    #[default]
    No,
    /// A limit was reached: there is more that is not here.
    Yes,
}

/// A sorted answer that was cut at a limit, or was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capped<T> {
    /// The first items in order.
    pub items: Vec<T>,
    /// Whether more was found than is here.
    pub truncated: Truncated,
}

/// The seven operations. Layers implement it and wrap it; callers use `&dyn Backend`.
pub trait Backend: Send + Sync {
    /// The whole content of a file.
    fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied>;

    /// Writes a whole file at once: readers see the old one or the new one. Missing folders are
    /// made.
    fn write(&self, path: &Rel, bytes: &[u8], writing: Writing) -> Result<(), Denied>;

    /// Replaces `find` by `replace` in a text file; answers how many places changed.
    fn edit(&self, path: &Rel, find: &str, replace: &str, which: Which) -> Result<usize, Denied>;

    /// Removes one file. Folders are not removed.
    fn delete(&self, path: &Rel) -> Result<(), Denied>;

    /// The entries of a folder that `sight` lets through, sorted by path. This and the next two
    /// are what layers implement: limits are counted after the filter, so a hidden file cannot
    /// show itself by using up room.
    fn ls_seen(&self, path: &Rel, sight: &dyn Sight) -> Result<Capped<Listed>, Denied>;

    /// Files whose path matches, sorted, of those that `sight` lets through.
    fn glob_seen(&self, query: &Glob, sight: &dyn Sight) -> Result<Capped<Rel>, Denied>;

    /// Matching lines, sorted by path and line, in what `sight` lets through.
    fn grep_seen(&self, query: &Grep, sight: &dyn Sight) -> Result<Capped<Hit>, Denied>;

    /// The entries of a folder, sorted by path.
    fn ls(&self, path: &Rel) -> Result<Capped<Listed>, Denied> {
        self.ls_seen(path, &Everything)
    }

    /// Files whose path matches, sorted. Folders are not answered.
    fn glob(&self, query: &Glob) -> Result<Capped<Rel>, Denied> {
        self.glob_seen(query, &Everything)
    }

    /// Matching lines, sorted by path and line. Files that look binary
    /// are skipped; one that is too large to search counts as truncation.
    fn grep(&self, query: &Grep) -> Result<Capped<Hit>, Denied> {
        self.grep_seen(query, &Everything)
    }
}
