//! Opening an index: our own file or a clear refusal, never a repaired or replaced one.

use crate::error::IndexError;
use crate::memory::Memory;
use crate::model::model;
use crate::schema::{APPLICATION, CREATE, FORMAT};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(10);
/// And how long until it looks again, where SQLite does not wait by itself.
const AGAIN: Duration = Duration::from_millis(5);
/// What SQLite may keep of the file, in KiB: vectors are read once and kept by us.
const CACHE: i64 = 4096;

/// What to do when there is no index yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {
    /// Make one.
    IfMissing,
    /// Refuse.
    Never,
}

/// The sole interface for writes to the index (rule F19.5). One handle per thread; any number of
/// handles and processes may work on one file.
#[derive(Debug)]
pub struct AppendOnlyCodeIndex {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) memory: Memory,
}

impl AppendOnlyCodeIndex {
    /// Opens the index at a path.
    pub fn open(path: &Path, create: Create) -> Result<Self, IndexError> {
        let missing = !path.exists();
        if missing && create == Create::Never {
            return Err(IndexError::IndexMissing {
                path: path.to_owned(),
            });
        }
        if missing && let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| IndexError::IndexReadOnly {
                path: path.to_owned(),
                why: error.into(),
            })?;
        }
        let failed = IndexError::sqlite(path);
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if missing {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let mut connection = Connection::open_with_flags(path, flags).map_err(&failed)?;
        connection.busy_timeout(PATIENCE).map_err(&failed)?;
        laid_out(&mut connection, path)?;
        recognise(&connection, path)?;
        connection
            .execute_batch(&format!(
                "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -{CACHE};
                 PRAGMA trusted_schema = OFF;"
            ))
            .map_err(&failed)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Self {
            connection,
            path: path.to_owned(),
            memory: Memory::default(),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the present embedder was named, if entries were ever added.
    pub fn embedder_spec(&self) -> Result<Option<String>, IndexError> {
        let model = model(&self.connection).map_err(IndexError::sqlite(&self.path))?;
        Ok(model.map(|model| model.spec))
    }

    pub(crate) fn failed(&self) -> impl Fn(rusqlite::Error) -> IndexError + use<> {
        let path = self.path.clone();
        move |error| IndexError::sqlite(&path)(error)
    }
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

/// Lays a new file out. Several may open one at once, and while one of them changes how the file is
/// journaled, SQLite calls it busy without waiting: so we wait, as long as for any other writer.
fn laid_out(connection: &mut Connection, path: &Path) -> Result<(), IndexError> {
    let began = Instant::now();
    loop {
        let done = match number(connection, "application_id") {
            Ok(0) => lay_out(connection, path),
            Ok(_) => Ok(()),
            Err(error) => Err(IndexError::sqlite(path)(error)),
        };
        match done {
            Err(IndexError::IndexBusy { .. }) if began.elapsed() < PATIENCE => {
                std::thread::sleep(AGAIN);
            }
            done => return done,
        }
    }
}

/// A file without a mark is ours only if it is empty.
fn lay_out(connection: &mut Connection, path: &Path) -> Result<(), IndexError> {
    let failed = IndexError::sqlite(path);
    refuse_tables(connection, path)?;
    // Pages of 4 KiB: ranking reads single vectors from all over the file, and a larger page is
    // read for nothing. Write-ahead: readers and a writer do not wait for each other.
    connection
        .execute_batch("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL;")
        .map_err(&failed)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Exclusive)
        .map_err(&failed)?;
    // Another process may have laid it out while we waited.
    if number(&transaction, "application_id").map_err(&failed)? != 0 {
        return Ok(());
    }
    refuse_tables(&transaction, path)?;
    transaction.execute_batch(CREATE).map_err(&failed)?;
    transaction
        .execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
        ))
        .map_err(&failed)?;
    transaction.commit().map_err(&failed)
}

/// Unless the tables are ours: another process may be laying them out just now.
fn refuse_tables(connection: &Connection, path: &Path) -> Result<(), IndexError> {
    let failed = IndexError::sqlite(path);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(&failed)?;
    let ours = number(connection, "application_id").map_err(&failed)? == APPLICATION;
    if tables > 0 && !ours {
        return Err(IndexError::IndexForeign {
            path: path.to_owned(),
        });
    }
    Ok(())
}

fn recognise(connection: &Connection, path: &Path) -> Result<(), IndexError> {
    let failed = IndexError::sqlite(path);
    if number(connection, "application_id").map_err(&failed)? != APPLICATION {
        return Err(IndexError::IndexForeign {
            path: path.to_owned(),
        });
    }
    let found = number(connection, "user_version").map_err(&failed)?;
    if found != FORMAT {
        return Err(IndexError::IndexNewer {
            path: path.to_owned(),
            found,
            known: FORMAT,
        });
    }
    Ok(())
}
