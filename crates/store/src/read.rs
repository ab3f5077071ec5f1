//! Reading a journal without the right to write. It does not change anything: a torn tail is
//! reported and left, and a corrupt journal is an error that names the line.

use crate::chain::{Chain, Place};
use crate::checkpoint::{Checkpoint, Fit, ends_at};
use crate::fault::Fault;
use crate::record::{Head, Objection, RecordRef};
use crate::torn::TornTail;
use crate::{RunName, StoreError};
use kernel::Time;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

/// Where a replay begins and what it believes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Replay<'a> {
    /// Begin after this checkpoint's record; the caller begins with its state.
    pub from: Option<&'a Checkpoint>,
    /// A record dated later than this is not believed.
    pub not_after: Option<Time>,
}

/// What a read-only pass found besides the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadReport {
    /// The last record.
    pub head: Head,
    /// Half a line behind it, if there is one.
    pub torn: Option<TornTail>,
}

pub(crate) fn read(
    dir: &Path,
    run: &RunName,
    replay: Replay<'_>,
    mut visit: impl FnMut(RecordRef<'_>) -> Result<(), Objection>,
) -> Result<ReadReport, StoreError> {
    let path = run.journal(dir);
    let file = File::open(&path).map_err(open_error(run, &path))?;
    let end = settled_length(&file).map_err(StoreError::io("read", &path))?;
    let mut place = begin(run, &path, &file, &replay)?;
    let chain = Chain {
        run,
        path: &path,
        file: &file,
        not_after: replay.not_after,
    };
    let torn = chain.follow(&mut place, end, &mut visit)?;
    Ok(ReadReport {
        head: place.head,
        torn,
    })
}

/// Where to begin. The checkpoint is looked at again, because the caller has its state already:
/// to begin elsewhere in silence would apply records twice.
pub(crate) fn begin(
    run: &RunName,
    path: &Path,
    file: &File,
    replay: &Replay<'_>,
) -> Result<Place, StoreError> {
    let Some(checkpoint) = replay.from else {
        return Ok(Place::start());
    };
    match ends_at(file, &checkpoint.place).map_err(StoreError::io("read", path))? {
        Fit::Fits => Ok(checkpoint.place.clone()),
        Fit::DoesNotFit => Err(run.corrupt(checkpoint.head().seq, Fault::CheckpointGone)),
    }
}

pub(crate) fn open_error(run: &RunName, path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    move |error| match error.kind() {
        ErrorKind::NotFound => StoreError::JournalMissing {
            run: run.to_string(),
            path: path.to_owned(),
        },
        _ => StoreError::io("open", path)(error),
    }
}

/// The file's length while nobody is in the middle of an append. Waits for a writer, never makes
/// one wait for the whole of a long read.
pub(crate) fn settled_length(file: &File) -> std::io::Result<u64> {
    match file.lock_shared() {
        Ok(()) => {}
        // An archive on a file system without locks has no writers either.
        Err(e) if e.kind() == ErrorKind::Unsupported => {}
        Err(e) => return Err(e),
    }
    let length = file.metadata().map(|m| m.len());
    // Closing the file unlocks it as well, should this fail.
    let _ = file.unlock();
    length
}
