//! An item by its hash, whatever its size, and a copy of it where one may be kept. Files that hold
//! secrets by custom are not copied: evidence may be committed, and their hash is enough to see a
//! change.

use crate::error::Error;
use crate::readers::paths::{self, Found};
use crate::readers::{hash, installed, items};
use crate::{Place, Subject};
use globset::GlobSet;
use std::path::Path;
use std::sync::LazyLock;

/// Files that hold secrets by custom.
pub const SECRET_BY_CUSTOM: [&str; 8] = [
    "**/.env",
    "**/.env.local",
    "**/*.pem",
    "**/*.key",
    "**/id_rsa",
    "**/id_ed25519",
    "**/.netrc",
    "**/.npmrc",
];

/// An item as it is now.
pub(crate) struct Sealed {
    /// The hash of its bytes; of a link, of where it leads to.
    pub(crate) hash: String,
    /// The bytes, where a copy may be kept.
    pub(crate) copy: Option<Vec<u8>>,
}

/// The hash of a file, a link or a section now; or in a few words why there is none.
pub fn hash(place: Place<'_>, item: &str) -> Result<String, Error> {
    of(place, item).map(|sealed| sealed.hash)
}

/// An item of a gate now.
pub(crate) fn now(subject: &Subject<'_>, item: &str) -> Result<Sealed, Error> {
    if item == items::COMMANDS {
        return items::now(subject, item).map(kept);
    }
    of(subject.place, item)
}

fn of(place: Place<'_>, item: &str) -> Result<Sealed, Error> {
    if let Some(name) = installed::folder(item) {
        let hash = installed::hash_of(place.installed, name)?;
        return Ok(Sealed { hash, copy: None });
    }
    let has_views = item.strip_prefix("task/") == Some(place.views.file);
    if item.contains('#') || has_views {
        return items::bytes(place, item).map(kept);
    }
    let found = paths::found(place, item)?;
    if holds_secrets(Path::new(item)) || !is_small(&found) {
        let hash = hash::of(&found)?;
        return Ok(Sealed { hash, copy: None });
    }
    items::bytes(place, item).map(kept)
}

fn kept(bytes: Vec<u8>) -> Sealed {
    Sealed {
        hash: hash::bytes(&bytes),
        copy: Some(bytes),
    }
}

fn is_small(found: &Found) -> bool {
    match found {
        Found::File(path) => path
            .metadata()
            .is_ok_and(|found| found.len() <= paths::LARGEST),
        Found::Link(_) => false,
    }
}

/// Is it a file that by custom holds secrets? By its name alone.
pub fn holds_secrets(path: &Path) -> bool {
    static CUSTOM: LazyLock<GlobSet> = LazyLock::new(|| {
        items::globs(&SECRET_BY_CUSTOM).expect("the list's own globs are globs: a test builds them")
    });
    CUSTOM.is_match(path)
}
