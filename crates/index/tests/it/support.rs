//! Entries and an index to try things on.

use index::embed::BuiltIn;
use index::{
    AppendOnlyCodeIndex, CodeIndexEntry, Create, IoSummary, ModuleId, ModuleRef, Status, Version,
};
use kernel::Time;
use std::path::PathBuf;

pub(crate) const NOW: Time = Time(1_800_000_000_000);

pub(crate) fn reference(text: &str) -> ModuleRef {
    ModuleRef::parse(text).unwrap()
}

/// `MM-1@1.0.0` with a purpose; everything else can be changed by the caller.
pub(crate) fn entry(key: &str, purpose: &str) -> CodeIndexEntry {
    let (id, version) = key.split_once('@').unwrap_or((key, "1.0.0"));
    CodeIndexEntry {
        module_id: ModuleId::parse(id).unwrap(),
        version: Version::parse(version).unwrap(),
        name: id.to_lowercase(),
        purpose: purpose.to_owned(),
        tags: vec![],
        contract_ref: format!("{key}/contract.json"),
        examples_ref: format!("{key}/examples.md"),
        ship_ref: format!("{key}/ship.json"),
        io_summary: IoSummary::default(),
        dependencies: vec![],
        status: Status::Shipped,
        superseded_by: None,
        notes: String::new(),
    }
}

pub(crate) fn tagged(key: &str, purpose: &str, tags: &[&str]) -> CodeIndexEntry {
    CodeIndexEntry {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..entry(key, purpose)
    }
}

pub(crate) struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("deep/index.sqlite")
    }

    pub(crate) fn open(&self) -> AppendOnlyCodeIndex {
        AppendOnlyCodeIndex::open(&self.path(), Create::IfMissing).unwrap()
    }

    /// An index with these entries.
    pub(crate) fn with(&self, entries: &[CodeIndexEntry]) -> AppendOnlyCodeIndex {
        let mut index = self.open();
        index.add(entries, &BuiltIn, NOW).unwrap();
        index
    }

    /// Somebody else's SQLite on the same file.
    pub(crate) fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path()).unwrap()
    }
}
