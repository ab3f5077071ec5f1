//! Modules that the user's projects have released, for other projects to bring in: the files as they were
//! sealed, beside the user's index, and a note of where each comes from. Nothing there is replaced: whoever
//! shares a version first keeps it.
//!
//! It does not say that a module is what it was: whoever brings one in holds it against its seal.

use crate::error::Error;
use crate::index_place;
use kernel::module::ModuleRef;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where a shared module comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    pub module: ModuleRef,
    /// The spec of its project, `SPEC-NNN x.y.z`.
    pub spec: String,
    /// The spec's title.
    pub title: String,
    /// `REL-...`.
    pub release: String,
    /// `SHIP-...`.
    pub ship: String,
    /// The hash of its seal.
    pub seal: String,
    /// The contract as a plan writes it.
    pub contract: Value,
    /// What it uses.
    pub depends_on: Vec<ModuleRef>,
}

/// A shared module.
#[derive(Debug, Clone)]
pub struct Shared {
    pub folder: PathBuf,
    pub provenance: Provenance,
}

fn places(reference: &ModuleRef) -> Result<(PathBuf, PathBuf), Error> {
    let index = index_place::of_user()?;
    let top = index.ancestors().nth(2).unwrap_or(Path::new("."));
    let of = top.join("modules").join(reference.module.as_str());
    let version = reference.version.to_string();
    Ok((of.join(&version), of.join(format!("{version}.json"))))
}

/// Finds one; none: nobody shares it.
pub fn find(reference: &ModuleRef) -> Result<Option<Shared>, Error> {
    let (folder, note) = places(reference)?;
    let Ok(bytes) = std::fs::read(&note) else {
        return Ok(None);
    };
    let provenance: Provenance = serde_json::from_slice(&bytes)
        .map_err(|error| Error::io("read", &note)(std::io::Error::other(error)))?;
    let right = provenance.module == *reference;
    Ok(right.then_some(Shared { folder, provenance }))
}

/// Shares one, whose files lie in a folder. The one that is there afterwards may be another's.
pub fn put(from: &Path, provenance: &Provenance) -> Result<Shared, Error> {
    if let Some(there) = find(&provenance.module)? {
        return Ok(there);
    }
    let (folder, note) = places(&provenance.module)?;
    for path in store::walk(from, &|_| false)? {
        let (old, new) = (from.join(&path), folder.join(&path));
        let bytes = std::fs::read(&old).map_err(Error::io("read", &old))?;
        if let Some(parent) = new.parent() {
            std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        store::write_atomic(&new, &bytes)?;
    }
    let json = serde_json::to_vec_pretty(provenance)
        .map_err(|error| Error::io("write", &note)(error.into()))?;
    // Last: a module without its note is not shared.
    store::write_atomic(&note, &json)?;
    Ok(Shared {
        folder,
        provenance: provenance.clone(),
    })
}
