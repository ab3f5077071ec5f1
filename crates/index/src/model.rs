//! The model that an index's vectors were made with, as the file has it on record.

use crate::embed::Embedder;
use kernel::Time;
use rusqlite::Connection;

/// The model that the index's vectors were made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) id: i64,
    pub(crate) spec: String,
    pub(crate) identity: String,
    pub(crate) dimensions: usize,
    pub(crate) since: Time,
}

/// The present model: the last on record.
pub(crate) fn model(connection: &Connection) -> rusqlite::Result<Option<Model>> {
    use rusqlite::OptionalExtension;
    connection
        .prepare_cached(
            "SELECT id, spec, identity, dimensions, since FROM model ORDER BY id DESC LIMIT 1",
        )?
        .query_row([], |row| {
            let (dimensions, since): (i64, i64) = (row.get(3)?, row.get(4)?);
            Ok(Model {
                id: row.get(0)?,
                spec: row.get(1)?,
                identity: row.get(2)?,
                dimensions: usize::try_from(dimensions).unwrap_or_default(),
                since: Time(since.unsigned_abs()),
            })
        })
        .optional()
}

/// Puts a model on record and makes it the present one.
pub(crate) fn record_model(
    connection: &Connection,
    embedder: &dyn Embedder,
    at: Time,
) -> rusqlite::Result<i64> {
    let id = 1 + model(connection)?.map_or(0, |model| model.id);
    let dimensions = i64::try_from(embedder.dimensions()).unwrap_or(i64::MAX);
    connection.execute(
        "INSERT INTO model (id, spec, identity, dimensions, since) VALUES (?1, ?2, ?3, ?4, ?5)",
        (
            id,
            embedder.spec(),
            embedder.identity(),
            dimensions,
            at.0.cast_signed(),
        ),
    )?;
    Ok(id)
}
