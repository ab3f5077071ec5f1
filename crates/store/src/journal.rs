//! The journal of one run, open for writing. It refuses to append on top of anything that it has
//! not itself read and believed, and to go on after a write that failed.
//!
//! A batch of entries is one write and one sync, but a crash may leave a prefix of its lines: a
//! fold over records must make sense at every prefix.

mod locked;

use crate::chain::Place;
use crate::checkpoint::{Checkpoint, Kept};
use crate::disk::{Disk, RealDisk};
use crate::encode::encode;
use crate::read::{ReadReport, Replay, begin, open_error, read};
use crate::record::{Entry, Head, Objection, RecordRef};
use crate::torn::Torn;
use crate::{RunName, StoreError, files};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A journal for writing. Several may be open on one file, also in several processes: the lock
/// and the expected sequence number let one of them win.
pub struct Journal {
    run: RunName,
    dir: PathBuf,
    path: PathBuf,
    file: File,
    place: Place,
    health: Health,
    disk: Box<dyn Disk>,
    kept: Kept,
}

enum Health {
    Sound,
    /// A write failed. What the file holds is known again only after it is read again.
    Broken,
}

/// A journal that was opened, and what opening it changed.
pub struct Opened {
    pub journal: Journal,
    /// Half a line that was cut from its end.
    pub torn: Option<Torn>,
}

/// What [`Journal::catch_up`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaughtUp {
    /// The last record now.
    pub head: Head,
    /// Half a line that was cut: another writer died in the middle of an append.
    pub torn: Option<Torn>,
}

impl Journal {
    /// Begins the journal of a new run, and its folder where that is missing.
    pub fn create(dir: &Path, run: &RunName) -> Result<Journal, StoreError> {
        files::create_dir(dir)?;
        let path = run.journal(dir);
        let created = OpenOptions::new()
            .read(true)
            .append(true)
            .create_new(true)
            .open(&path);
        let file = created.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => StoreError::JournalExists {
                run: run.to_string(),
                path: path.clone(),
            },
            _ => StoreError::io("create", &path)(error),
        })?;
        files::sync_dir(dir)?;
        Ok(Journal::at(dir, run, path, file, Place::start()))
    }

    /// Begins the journal of a new run with its first records. It is there with all of them or not at
    /// all: a run whose journal says nothing yet could be neither driven nor begun again.
    pub fn begin(dir: &Path, run: &RunName, entries: &[Entry]) -> Result<Journal, StoreError> {
        files::create_dir(dir)?;
        let path = run.journal(dir);
        let (lines, _) = encode(&Place::start().head, entries)?;
        files::create_whole(&path, &lines).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => StoreError::JournalExists {
                run: run.to_string(),
                path: path.clone(),
            },
            _ => StoreError::io("create", &path)(error),
        })?;
        Ok(Journal::open(dir, run)?.journal)
    }

    /// Opens a journal for writing and checks all of it.
    pub fn open(dir: &Path, run: &RunName) -> Result<Opened, StoreError> {
        Journal::resume(dir, run, Replay::default(), |_| Ok(()))
    }

    /// Opens a journal for writing and hands its records to `visit` on the way; an error from
    /// `visit` (a kind that it does not know, say) makes the journal corrupt at that line.
    pub fn resume(
        dir: &Path,
        run: &RunName,
        replay: Replay<'_>,
        mut visit: impl FnMut(RecordRef<'_>) -> Result<(), Objection>,
    ) -> Result<Opened, StoreError> {
        let path = run.journal(dir);
        let opened = OpenOptions::new().read(true).append(true).open(&path);
        let file = opened.map_err(open_error(run, &path))?;
        let place = begin(run, &path, &file, &replay)?;
        let mut journal = Journal::at(dir, run, path, file, place);
        journal.kept = replay.from.map(Kept::of).unwrap_or_default();
        let torn = journal.locked(|journal| journal.settle(&replay, &mut visit))?;
        // Whoever created it may have died before its name was durable.
        files::sync_dir(dir)?;
        Ok(Opened { journal, torn })
    }

    /// Reads a journal without the right to write: nothing on the disk changes. Memory does not
    /// grow with the journal.
    pub fn read(
        dir: &Path,
        run: &RunName,
        replay: Replay<'_>,
        visit: impl FnMut(RecordRef<'_>) -> Result<(), Objection>,
    ) -> Result<ReadReport, StoreError> {
        read(dir, run, replay, visit)
    }

    /// The last record that this handle knows.
    pub fn head(&self) -> &Head {
        &self.place.head
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run.
    pub fn run(&self) -> &RunName {
        &self.run
    }

    /// Appends the entries if the journal's last record is still number `expected_seq`. When this
    /// returns a head, the records are on the disk; when it returns an error, none of them counts.
    pub fn append(&mut self, expected_seq: u64, entries: &[Entry]) -> Result<Head, StoreError> {
        self.refuse_if_broken()?;
        if expected_seq != self.place.head.seq {
            let why = format!("the last record is number {}", self.place.head.seq);
            return Err(self.conflict(expected_seq, why));
        }
        // Encoded before the lock is taken: a bad entry is nobody else's delay.
        let (lines, head) = encode(&self.place.head, entries)?;
        self.locked(|journal| {
            journal.compare(expected_seq)?;
            if !lines.is_empty() {
                journal.write(&lines)?;
            }
            Ok(())
        })?;
        self.place.head = head;
        self.place.offset += lines.len() as u64;
        Ok(self.place.head.clone())
    }

    /// Reads what another writer appended since; the way on after a `journal_conflict`.
    pub fn catch_up(
        &mut self,
        mut visit: impl FnMut(RecordRef<'_>) -> Result<(), Objection>,
    ) -> Result<CaughtUp, StoreError> {
        self.refuse_if_broken()?;
        let torn = self.locked(|journal| journal.settle(&Replay::default(), &mut visit))?;
        let head = self.place.head.clone();
        Ok(CaughtUp { head, torn })
    }

    /// Whether enough has followed the newest checkpoint that this handle knows.
    pub fn checkpoint_is_due(&self) -> bool {
        self.kept.is_outgrown_at(&self.place)
    }

    /// Saves the state after the last record as the run's checkpoint. An empty journal has none.
    pub fn checkpoint(&mut self, state: Value) -> Result<(), StoreError> {
        if self.place.head.seq == 0 {
            return Ok(());
        }
        let mut checkpoint = Checkpoint {
            place: self.place.clone(),
            state,
            size: 0,
        };
        checkpoint.save(&self.dir, &self.run)?;
        self.kept = Kept::of(&checkpoint);
        Ok(())
    }

    /// Puts another disk under the journal; for tests that fail it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_disk(mut self, disk: Box<dyn Disk>) -> Journal {
        self.disk = disk;
        self
    }

    fn at(dir: &Path, run: &RunName, path: PathBuf, file: File, place: Place) -> Journal {
        Journal {
            run: run.clone(),
            dir: dir.to_owned(),
            path,
            file,
            place,
            health: Health::Sound,
            disk: Box::new(RealDisk),
            kept: Kept::default(),
        }
    }

    fn locked<T>(
        &mut self,
        act: impl FnOnce(&mut Journal) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.file
            .lock()
            .map_err(StoreError::io("lock", &self.path))?;
        let done = act(self);
        // Closing the file unlocks it as well, should this fail; the records are safe either way.
        let _ = self.file.unlock();
        done
    }
}
