//! Reading without ranking: one entry, a filtered list, who depends on what, and counts. An entry
//! is shown with the status, the pointer and the notice that later records gave it.

use crate::entry::CodeIndexEntry;
use crate::entry::Status;
use crate::error::IndexError;
use crate::model::model;
use crate::open::AppendOnlyCodeIndex;
use kernel::Time;
use kernel::module::Range;
use kernel::module::{ModuleId, ModuleRef, Version};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use std::path::Path;

/// What a list is narrowed by (rule F14.1); what is not set lets everything through.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// One of these tags.
    pub tags: Vec<String>,
    pub status: Option<Status>,
    pub module_id: Option<ModuleId>,
    /// These versions.
    pub versions: Option<Range>,
}

/// An entry that needs another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dependent {
    /// Who.
    pub module: ModuleRef,
    /// What it asks for.
    pub range: String,
    /// Its own status.
    pub status: Status,
}

/// What is in an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Where it is.
    pub path: String,
    /// All entries.
    pub entries: u64,
    /// Those fit for reuse.
    pub shipped: u64,
    /// Deprecated ones.
    pub deprecated: u64,
    /// Superseded ones.
    pub superseded: u64,
    /// Different module ids.
    pub modules: u64,
    /// How the embedder was named.
    pub embedder: Option<String>,
    /// What exactly it is.
    pub embedder_identity: Option<String>,
    /// Numbers per vector.
    pub dimensions: Option<usize>,
    /// When all entries were last embedded anew, or the first was added.
    pub embedder_since: Option<String>,
    /// Size of the file.
    pub bytes: u64,
}

/// A stored entry with what became of it.
pub(crate) struct Stored {
    pub(crate) entry: CodeIndexEntry,
    pub(crate) change: Option<Change>,
}

pub(crate) struct Change {
    pub(crate) status: Status,
    pub(crate) superseded_by: Option<ModuleRef>,
    pub(crate) note: String,
    pub(crate) at: Time,
}

impl Stored {
    /// As rule F14.2 shows it. The notice is appended to the notes (rule F16).
    pub(crate) fn shown(self) -> CodeIndexEntry {
        let mut entry = self.entry;
        if let Some(change) = self.change {
            if !entry.notes.is_empty() {
                entry.notes.push('\n');
            }
            let by = match &change.superseded_by {
                Some(by) => format!(" by {by}"),
                None => String::new(),
            };
            let by = match change.status {
                Status::Deprecated => by.replace(" by ", ", replaced by "),
                Status::Shipped | Status::Superseded => by,
            };
            let status = change.status.as_str();
            let notice = format!("{status} at {}{by}: {}", change.at, change.note);
            entry.notes.push_str(&notice);
            entry.status = change.status;
            entry.superseded_by = change.superseded_by;
        }
        entry
    }
}

/// The columns that [`stored`] reads.
const COLUMNS: &str = "entry.id, body, status, superseded_by, note, at FROM entry LEFT JOIN change ON entry = entry.id";

fn stored(row: &Row, path: &Path) -> Result<(i64, Stored), IndexError> {
    let failed = IndexError::sqlite(path);
    let corrupt = |why: String| IndexError::IndexCorrupt {
        path: path.to_owned(),
        why: why.into(),
    };
    let id: i64 = row.get(0).map_err(&failed)?;
    let body: String = row.get(1).map_err(&failed)?;
    let entry =
        CodeIndexEntry::stored(&body).map_err(|error| corrupt(format!("entry {id}: {error}")))?;
    let status: Option<String> = row.get(2).map_err(&failed)?;
    let change = match status {
        None => None,
        Some(text) => {
            let by: Option<String> = row.get(3).map_err(&failed)?;
            let at: i64 = row.get(5).map_err(&failed)?;
            Some(Change {
                status: Status::of(&text)
                    .ok_or_else(|| corrupt(format!("entry {id} has the status {text:?}")))?,
                superseded_by: by
                    .map(|by| ModuleRef::parse(&by))
                    .transpose()
                    .map_err(|error| corrupt(format!("entry {id}: {error}")))?,
                note: row.get(4).map_err(&failed)?,
                at: Time(at.unsigned_abs()),
            })
        }
    };
    Ok((id, Stored { entry, change }))
}

/// An entry by its key.
pub(crate) fn find(
    connection: &Connection,
    path: &Path,
    reference: &ModuleRef,
) -> Result<(i64, Stored), IndexError> {
    let failed = IndexError::sqlite(path);
    let sql = format!(
        "SELECT {COLUMNS} WHERE module_id = ?1 AND major = ?2 AND minor = ?3 AND patch = ?4"
    );
    let Version {
        major,
        minor,
        patch,
    } = reference.version;
    let mut statement = connection.prepare_cached(&sql).map_err(&failed)?;
    let mut rows = statement
        .query((reference.module.as_str(), major, minor, patch))
        .map_err(&failed)?;
    match rows.next().map_err(&failed)? {
        Some(row) => stored(row, path),
        None => Err(IndexError::UnknownModule {
            reference: reference.to_string(),
        }),
    }
}

/// An entry by its number.
pub(crate) fn by_id(connection: &Connection, path: &Path, id: i64) -> Result<Stored, IndexError> {
    let failed = IndexError::sqlite(path);
    let sql = format!("SELECT {COLUMNS} WHERE entry.id = ?1");
    let mut statement = connection.prepare_cached(&sql).map_err(&failed)?;
    let mut rows = statement.query([id]).map_err(&failed)?;
    match rows.next().map_err(&failed)? {
        Some(row) => Ok(stored(row, path)?.1),
        None => Err(IndexError::IndexCorrupt {
            path: path.to_owned(),
            why: format!("entry {id} is gone").into(),
        }),
    }
}

impl AppendOnlyCodeIndex {
    /// One version of a module, whatever its status (rule F16).
    pub fn get(&self, reference: &ModuleRef) -> Result<CodeIndexEntry, IndexError> {
        Ok(find(&self.connection, &self.path, reference)?.1.shown())
    }

    /// Entries that match, in the order they were added.
    pub fn list(&self, filter: &Filter) -> Result<Vec<CodeIndexEntry>, IndexError> {
        let failed = self.failed();
        let sql = format!("SELECT {COLUMNS} WHERE ?1 IS NULL OR module_id = ?1 ORDER BY entry.id");
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let module = filter.module_id.as_ref().map(ModuleId::as_str);
        let mut rows = statement.query([module]).map_err(&failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            let entry = stored(row, &self.path)?.1.shown();
            let tagged =
                filter.tags.is_empty() || filter.tags.iter().any(|tag| entry.tags.contains(tag));
            let versions = filter.versions.as_ref();
            if tagged
                && filter.status.is_none_or(|status| status == entry.status)
                && versions.is_none_or(|range| range.contains(entry.version))
            {
                found.push(entry);
            }
        }
        Ok(found)
    }

    /// Every entry whose dependencies take this version of the module (rule F16).
    pub fn dependents(&self, reference: &ModuleRef) -> Result<Vec<Dependent>, IndexError> {
        let failed = self.failed();
        let sql = format!(
            "SELECT {COLUMNS} WHERE entry.id IN
             (SELECT entry FROM dependency WHERE module_id = ?1) ORDER BY entry.id"
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement
            .query([reference.module.as_str()])
            .map_err(&failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            let entry = stored(row, &self.path)?.1.shown();
            let needs = entry.dependencies.iter().find_map(|text| {
                let dependency = kernel::module::Dependency::parse(text).ok()?;
                let takes = dependency.module_id == reference.module
                    && dependency.range.contains(reference.version);
                takes.then(|| dependency.range.to_string())
            });
            if let Some(range) = needs {
                found.push(Dependent {
                    module: entry.reference(),
                    range,
                    status: entry.status,
                });
            }
        }
        Ok(found)
    }

    /// Counts.
    pub fn stats(&self) -> Result<Stats, IndexError> {
        let failed = self.failed();
        let count = |sql: &str| -> Result<u64, IndexError> {
            let number: Option<i64> = self
                .connection
                .query_row(sql, [], |row| row.get(0))
                .optional()
                .map_err(&failed)?;
            Ok(number.unwrap_or_default().unsigned_abs())
        };
        let entries = count("SELECT count(*) FROM entry")?;
        let deprecated = count("SELECT count(*) FROM change WHERE status = 'DEPRECATED'")?;
        let superseded = count("SELECT count(*) FROM change WHERE status = 'SUPERSEDED'")?;
        let model = model(&self.connection).map_err(&failed)?;
        Ok(Stats {
            path: self.path.display().to_string(),
            entries,
            shipped: entries.saturating_sub(deprecated + superseded),
            deprecated,
            superseded,
            modules: count("SELECT count(DISTINCT module_id) FROM entry")?,
            embedder: model.as_ref().map(|model| model.spec.clone()),
            embedder_identity: model.as_ref().map(|model| model.identity.clone()),
            dimensions: model.as_ref().map(|model| model.dimensions),
            embedder_since: model.as_ref().map(|model| model.since.to_string()),
            bytes: count("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
        })
    }
}
