//! What a search of the Code Index found, on each shelf that was looked at: a repository's own index, and the
//! person's of all projects.

use kernel::module::ModuleStatus;

/// A module that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// `MM-...@x.y.z`.
    pub reference: String,
    pub name: String,
    pub purpose: String,
    pub status: ModuleStatus,
    /// How near it is to the query, in hundredths; none: everything was asked for.
    pub near: Option<u8>,
    pub takes: Vec<String>,
    pub gives: Vec<String>,
    /// Its page; none: no repository that is served has it.
    pub address: Option<String>,
}

/// One index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    /// Whose it is.
    pub name: String,
    pub found: Vec<Found>,
    /// Why it could not be searched.
    pub fault: Option<String>,
}

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    /// Empty: everything.
    pub query: String,
    pub shelves: Vec<Shelf>,
}
