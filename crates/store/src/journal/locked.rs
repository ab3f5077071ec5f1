//! The steps of an append and of an opening that happen under the lock. They refuse to change a
//! file that is not exactly what the handle believes it to be.

use super::{Health, Journal};
use crate::chain::Chain;
use crate::fault::Fault;
use crate::read::{Replay, open_error};
use crate::record::{Objection, RecordRef};
use crate::torn::{self, Torn, TornTail};
use crate::{AfterFailure, StoreError};
use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

impl Journal {
    /// Follows the chain to the file's end, cuts half a line there, and syncs: a writer that was
    /// killed between write and sync left records that only look durable.
    pub(super) fn settle(
        &mut self,
        replay: &Replay<'_>,
        visit: &mut dyn FnMut(RecordRef<'_>) -> Result<(), Objection>,
    ) -> Result<Option<Torn>, StoreError> {
        let end = self.still_there(self.place.head.seq)?;
        if end < self.place.offset {
            return Err(self.cut_short());
        }
        let chain = Chain {
            run: &self.run,
            path: &self.path,
            file: &self.file,
            not_after: replay.not_after,
        };
        let tail = chain.follow(&mut self.place, end, visit)?;
        let torn = tail.map(|tail| self.cut(tail)).transpose()?;
        self.disk
            .sync(&self.file)
            .map_err(StoreError::io("sync", &self.path))?;
        Ok(torn)
    }

    fn cut(&mut self, tail: TornTail) -> Result<Torn, StoreError> {
        let io = |what| StoreError::io(what, &self.path);
        let mut bytes = vec![0; usize::try_from(tail.bytes).unwrap_or(usize::MAX)];
        self.file
            .read_exact_at(&mut bytes, tail.offset)
            .map_err(io("read"))?;
        let torn = torn::keep(&self.dir, &self.run, tail.offset, &bytes)?;
        self.disk
            .truncate(&self.file, tail.offset)
            .map_err(io("cut"))?;
        Ok(torn)
    }

    /// Under the lock: the file is exactly what this handle believes it to be, or nothing is done.
    pub(super) fn compare(&self, expected: u64) -> Result<(), StoreError> {
        let length = self.still_there(expected)?;
        if length > self.place.offset {
            return Err(self.conflict(expected, "another writer appended to it".to_owned()));
        }
        if length < self.place.offset {
            return Err(self.cut_short());
        }
        Ok(())
    }

    /// The file's length, if the path still leads to it. Version control replaces files rather
    /// than writing into them, and an append to the replaced one would be lost in silence.
    fn still_there(&self, expected: u64) -> Result<u64, StoreError> {
        let ours = self
            .file
            .metadata()
            .map_err(StoreError::io("read", &self.path))?;
        let theirs = fs::metadata(&self.path).map_err(open_error(&self.run, &self.path))?;
        if (ours.dev(), ours.ino()) != (theirs.dev(), theirs.ino()) {
            let why = "the file was replaced by another one; open it again";
            return Err(self.conflict(expected, why.to_owned()));
        }
        Ok(ours.len())
    }

    pub(super) fn write(&mut self, lines: &[u8]) -> Result<(), StoreError> {
        let written = self.disk.write(&self.file, lines);
        let Err(source) = written.and_then(|()| self.disk.sync(&self.file)) else {
            return Ok(());
        };
        self.health = Health::Broken;
        let after = match self.disk.truncate(&self.file, self.place.offset) {
            Ok(()) => AfterFailure::RolledBack,
            Err(_) => AfterFailure::BytesLeft,
        };
        // Best effort: the disk is in trouble already, and the next open syncs in any case.
        let _ = self.disk.sync(&self.file);
        Err(self.write_failed(after, source))
    }

    pub(super) fn refuse_if_broken(&self) -> Result<(), StoreError> {
        match self.health {
            Health::Sound => Ok(()),
            Health::Broken => {
                let source = io::Error::other("the journal has to be opened again first");
                Err(self.write_failed(AfterFailure::Refused, source))
            }
        }
    }

    fn write_failed(&self, after: AfterFailure, source: io::Error) -> StoreError {
        StoreError::JournalWriteFailed {
            run: self.run.to_string(),
            path: self.path.clone(),
            after,
            source,
        }
    }

    pub(super) fn conflict(&self, expected: u64, why: String) -> StoreError {
        StoreError::JournalConflict {
            run: self.run.to_string(),
            expected,
            why,
        }
    }

    fn cut_short(&self) -> StoreError {
        let seq = self.place.head.seq;
        self.run.corrupt(seq, Fault::CutShort)
    }
}
