//! Every write there is: add, deprecate, supersede, reindex. All or nothing each; none of them
//! changes or removes an entry.

use crate::embed::{Embedder, criteria};
use crate::entry::CodeIndexEntry;
use crate::entry::Status;
use crate::error::IndexError;
use crate::memory::{build, key};
use crate::model::{model, record_model};
use crate::open::AppendOnlyCodeIndex;
use crate::read::find;
use crate::schema::SEGMENT;
use crate::vector::{to_bytes, unit};
use kernel::Time;
use kernel::module::Dependency;
use kernel::module::ModuleRef;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;

/// The longest note on a change of status.
const LONGEST_NOTE: usize = 16 * 1024;
/// Texts that are embedded at once when all are embedded anew.
const BATCH: usize = 64;

/// What stands in for a deprecated entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// Another entry of the index.
    By(ModuleRef),
    /// Nothing does.
    None,
}

impl AppendOnlyCodeIndex {
    /// Adds shipped modules: all of them, or none.
    pub fn add(
        &mut self,
        entries: &[CodeIndexEntry],
        embedder: &dyn Embedder,
        at: Time,
    ) -> Result<(), IndexError> {
        let bodies = bodies(entries)?;
        let texts: Vec<String> = entries
            .iter()
            .map(CodeIndexEntry::embedding_input)
            .collect();
        // Before the transaction: a model on a network may take its time.
        let vectors = embed(embedder, &texts)?;
        self.insert(entries, &bodies, vectors, embedder, at)
    }

    /// Adds entries whose vectors were made before, with the same embedder.
    pub fn add_with_vectors(
        &mut self,
        entries: &[CodeIndexEntry],
        vectors: Vec<Vec<f32>>,
        embedder: &dyn Embedder,
        at: Time,
    ) -> Result<(), IndexError> {
        let bodies = bodies(entries)?;
        criteria::judge(&vectors, entries.len(), embedder)?;
        self.insert(entries, &bodies, vectors, embedder, at)
    }

    fn insert(
        &mut self,
        entries: &[CodeIndexEntry],
        bodies: &[String],
        vectors: Vec<Vec<f32>>,
        embedder: &dyn Embedder,
        at: Time,
    ) -> Result<(), IndexError> {
        let failed = self.failed();
        let path = self.path.clone();
        let transaction = begin(&mut self.connection, &path)?;
        let model = match model(&transaction).map_err(&failed)? {
            Some(model) => {
                same(&path, &model.identity, embedder)?;
                model.id
            }
            None => {
                criteria::check(embedder)?;
                record_model(&transaction, embedder, at).map_err(&failed)?
            }
        };
        let mut id = last(&transaction).map_err(&failed)?;
        for ((entry, body), vector) in entries.iter().zip(bodies).zip(vectors) {
            rises(&transaction, &path, entry)?;
            id += 1;
            insert(&transaction, id, entry, body, at).map_err(&failed)?;
            insert_vector(&transaction, key(model, id), vector).map_err(&failed)?;
        }
        seal(&transaction, &path)?;
        transaction.commit().map_err(&failed)
    }

    /// Records that an entry should not be used for new work (rule F16): why, how to migrate, and
    /// what stands in for it.
    pub fn deprecate(
        &mut self,
        reference: &ModuleRef,
        replacement: &Replacement,
        note: &str,
        at: Time,
    ) -> Result<(), IndexError> {
        self.change(reference, Status::Deprecated, replacement, note, at)
    }

    /// Records that another entry stands in for this one (rules F13 and F14.3).
    pub fn supersede(
        &mut self,
        reference: &ModuleRef,
        by: &ModuleRef,
        note: &str,
        at: Time,
    ) -> Result<(), IndexError> {
        let by = Replacement::By(by.clone());
        self.change(reference, Status::Superseded, &by, note, at)
    }

    fn change(
        &mut self,
        reference: &ModuleRef,
        status: Status,
        replacement: &Replacement,
        note: &str,
        at: Time,
    ) -> Result<(), IndexError> {
        let bad_note = |why| IndexError::BadNote {
            reference: reference.to_string(),
            why,
        };
        let note = note.trim();
        if note.is_empty() {
            return Err(bad_note("empty"));
        }
        if note.len() > LONGEST_NOTE {
            return Err(bad_note("longer than 16 KiB"));
        }
        let failed = self.failed();
        let path = self.path.clone();
        let transaction = begin(&mut self.connection, &path)?;
        let (id, present) = find(&transaction, &path, reference)?;
        if let Some(change) = present.change {
            return Err(IndexError::StatusFinal {
                reference: reference.to_string(),
                status: change.status.as_str(),
                since: change.at.to_string(),
            });
        }
        let by = match replacement {
            Replacement::By(by) => {
                stands_in(&transaction, &path, reference, by)?;
                Some(by.to_string())
            }
            Replacement::None => None,
        };
        transaction
            .execute(
                "INSERT INTO change (id, entry, status, superseded_by, note, at)
                 SELECT coalesce(max(id), 0) + 1, ?1, ?2, ?3, ?4, ?5 FROM change",
                (id, status.as_str(), by, note, at.0.cast_signed()),
            )
            .map_err(&failed)?;
        transaction.commit().map_err(&failed)
    }

    /// Embeds all entries anew with another model, which is the index's from then on. Until it is
    /// done, everybody else searches with the old one. Gives the number of entries.
    pub fn reindex(&mut self, embedder: &dyn Embedder, at: Time) -> Result<usize, IndexError> {
        criteria::check(embedder)?;
        let failed = self.failed();
        let path = self.path.clone();
        let transaction = begin(&mut self.connection, &path)?;
        let former = model(&transaction)
            .map_err(&failed)?
            .map_or(0, |model| model.id);
        let model = record_model(&transaction, embedder, at).map_err(&failed)?;
        let count = last(&transaction).map_err(&failed)?;
        let mut first = 1;
        while first <= count {
            let texts = inputs(&transaction, &path, first)?;
            let vectors = embed(embedder, &texts)?;
            for (id, vector) in (first..).zip(vectors) {
                insert_vector(&transaction, key(model, id), vector).map_err(&failed)?;
            }
            first += texts.len() as i64;
        }
        for table in ["embedding", "segment"] {
            let sql = format!("DELETE FROM {table} WHERE key < ?1");
            transaction
                .execute(&sql, [key(former + 1, 0)])
                .map_err(&failed)?;
        }
        seal(&transaction, &path)?;
        transaction.commit().map_err(&failed)?;
        Ok(usize::try_from(count).unwrap_or_default())
    }
}

/// A transaction that no other writer can run into.
fn begin<'a>(connection: &'a mut Connection, path: &Path) -> Result<Transaction<'a>, IndexError> {
    connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(IndexError::sqlite(path))
}

/// The entries as they are stored, all of them checked.
fn bodies(entries: &[CodeIndexEntry]) -> Result<Vec<String>, IndexError> {
    entries.iter().map(CodeIndexEntry::checked).collect()
}

/// Unit vectors for texts, judged.
fn embed(embedder: &dyn Embedder, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
    let mut vectors = Vec::with_capacity(texts.len());
    for some in texts.chunks(BATCH) {
        let made = embedder.embed(some)?;
        criteria::judge(&made, some.len(), embedder)?;
        vectors.extend(made);
    }
    Ok(vectors)
}

pub(crate) fn same(path: &Path, identity: &str, embedder: &dyn Embedder) -> Result<(), IndexError> {
    if identity == embedder.identity() {
        return Ok(());
    }
    Err(IndexError::EmbedderChanged {
        path: path.to_owned(),
        index: identity.to_owned(),
        given: embedder.identity(),
    })
}

fn last(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT coalesce(max(id), 0) FROM entry")?
        .query_row([], |row| row.get(0))
}

/// No key twice, and versions only upwards (rules F19.5 and F8.3).
fn rises(connection: &Connection, path: &Path, entry: &CodeIndexEntry) -> Result<(), IndexError> {
    use rusqlite::OptionalExtension;
    let highest = connection
        .prepare_cached(
            "SELECT major, minor, patch FROM entry WHERE module_id = ?1
             ORDER BY major DESC, minor DESC, patch DESC LIMIT 1",
        )
        .and_then(|mut statement| {
            statement
                .query_row([entry.module_id.as_str()], |row| {
                    Ok(kernel::module::Version {
                        major: row.get(0)?,
                        minor: row.get(1)?,
                        patch: row.get(2)?,
                    })
                })
                .optional()
        })
        .map_err(IndexError::sqlite(path))?;
    let reference = entry.reference();
    match highest {
        Some(highest) if highest >= entry.version => match find(connection, path, &reference) {
            Ok(_) => Err(IndexError::EntryExists {
                reference: reference.to_string(),
            }),
            Err(_) => Err(IndexError::VersionNotHigher {
                reference: reference.to_string(),
                highest: format!("{}@{highest}", entry.module_id),
            }),
        },
        _ => Ok(()),
    }
}

fn insert(
    connection: &Connection,
    id: i64,
    entry: &CodeIndexEntry,
    body: &str,
    at: Time,
) -> rusqlite::Result<()> {
    let version = entry.version;
    connection
        .prepare_cached(
            "INSERT INTO entry (id, module_id, major, minor, patch, body, added_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute((
            id,
            entry.module_id.as_str(),
            version.major,
            version.minor,
            version.patch,
            body,
            at.0.cast_signed(),
        ))?;
    let mut dependencies: Vec<&String> = entry.dependencies.iter().collect();
    dependencies.sort();
    dependencies.dedup();
    let parsed = dependencies
        .iter()
        .filter_map(|text| Dependency::parse(text).ok());
    for dependency in parsed {
        connection
            .prepare_cached("INSERT INTO dependency (module_id, entry, range) VALUES (?1, ?2, ?3)")?
            .execute((
                dependency.module_id.as_str(),
                id,
                dependency.range.to_string(),
            ))?;
    }
    Ok(())
}

fn insert_vector(connection: &Connection, key: i64, vector: Vec<f32>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO embedding (key, vector) VALUES (?1, ?2)")?
        .execute((key, to_bytes(&unit(vector))))?;
    Ok(())
}

/// Derives a segment of every full row of entries that has none.
fn seal(connection: &Connection, path: &Path) -> Result<(), IndexError> {
    let failed = IndexError::sqlite(path);
    let Some(model) = model(connection).map_err(&failed)? else {
        return Ok(());
    };
    let count = last(connection).map_err(&failed)?;
    let size = i64::from(SEGMENT);
    let newest: Option<i64> = connection
        .prepare_cached("SELECT max(key) FROM segment WHERE key >= ?1")
        .and_then(|mut statement| statement.query_row([key(model.id, 0)], |row| row.get(0)))
        .map_err(&failed)?;
    let mut first = newest.map_or(1, |newest| newest - key(model.id, 0) + size);
    while first + size - 1 <= count {
        let body = build(connection, path, &model, first..first + size)?
            .segment()
            .encode();
        connection
            .prepare_cached("INSERT INTO segment (key, body) VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((key(model.id, first), body)))
            .map_err(&failed)?;
        first += size;
    }
    Ok(())
}

/// The texts to embed of the next entries.
fn inputs(connection: &Connection, path: &Path, first: i64) -> Result<Vec<String>, IndexError> {
    let failed = IndexError::sqlite(path);
    let mut statement = connection
        .prepare_cached("SELECT body FROM entry WHERE id >= ?1 ORDER BY id LIMIT ?2")
        .map_err(&failed)?;
    let mut rows = statement.query((first, BATCH as i64)).map_err(&failed)?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next().map_err(&failed)? {
        let body: String = row.get(0).map_err(&failed)?;
        texts.push(CodeIndexEntry::stored(&body)?.embedding_input());
    }
    Ok(texts)
}

/// A replacement is another entry that is fit for use.
fn stands_in(
    connection: &Connection,
    path: &Path,
    reference: &ModuleRef,
    by: &ModuleRef,
) -> Result<(), IndexError> {
    let wrong = |why| IndexError::BadReplacement {
        reference: reference.to_string(),
        replacement: by.to_string(),
        why,
    };
    if by == reference {
        return Err(wrong("it is the same entry"));
    }
    match find(connection, path, by) {
        Ok((_, found)) if found.change.is_some() => Err(wrong("it is not SHIPPED any more")),
        Ok(_) => Ok(()),
        Err(IndexError::UnknownModule { .. }) => Err(wrong("it is not in the index")),
        Err(other) => Err(other),
    }
}
