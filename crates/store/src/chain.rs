//! Following the hash chain record by record. It refuses to go past the first record that cannot
//! be believed: what comes after it proves nothing.

use crate::fault::Fault;
use crate::lines::{Line, Lines};
use crate::parse::parse;
use crate::record::{Head, Objection, RecordRef};
use crate::torn::TornTail;
use crate::{RunName, StoreError};
use kernel::Time;
use std::fs::File;
use std::path::Path;

/// A place between two records: what was believed so far, and where the next line begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) head: Head,
    pub(crate) offset: u64,
}

impl Place {
    pub(crate) fn start() -> Place {
        Place {
            head: Head::start(),
            offset: 0,
        }
    }
}

/// The caller's word on a record: an error makes the journal corrupt at that line.
pub(crate) type Visit<'v> = dyn FnMut(RecordRef<'_>) -> Result<(), Objection> + 'v;

/// One journal file and the rules that its records are held to.
pub(crate) struct Chain<'a> {
    pub(crate) run: &'a RunName,
    pub(crate) path: &'a Path,
    pub(crate) file: &'a File,
    pub(crate) not_after: Option<Time>,
}

impl Chain<'_> {
    /// Visits every record from `place` up to the byte `end` and moves `place` behind each one
    /// that was visited. Says if bytes without a newline are left.
    pub(crate) fn follow(
        &self,
        place: &mut Place,
        end: u64,
        visit: &mut Visit<'_>,
    ) -> Result<Option<TornTail>, StoreError> {
        let io = || StoreError::io("read", self.path);
        let mut lines = Lines::new(self.file, place.offset, end).map_err(io())?;
        loop {
            let number = place.head.seq + 1;
            let corrupt = |fault| self.run.corrupt(number, fault);
            match lines.next().map_err(io())? {
                Line::Whole(line) => {
                    let record = self.believe(&place.head, line).map_err(corrupt)?;
                    visit(record).map_err(|why| corrupt(Fault::Objection(why)))?;
                    place.head.seq = record.seq;
                    place.head.hash.replace_range(.., record.hash);
                }
                Line::Torn(tail) => {
                    return Ok(Some(TornTail {
                        offset: place.offset,
                        bytes: tail.len() as u64,
                    }));
                }
                Line::TooLong => return Err(corrupt(Fault::TooLong)),
                Line::End => return Ok(None),
            }
            place.offset = lines.offset();
        }
    }

    /// The record in the line, if it is the one that may follow `head`.
    fn believe<'l>(&self, head: &Head, line: &'l [u8]) -> Result<RecordRef<'l>, Fault> {
        let parsed = parse(line)?;
        let record = parsed.record;
        if record.seq != head.seq + 1 {
            let (expected, found) = (head.seq + 1, record.seq);
            return Err(Fault::WrongSeq { expected, found });
        }
        if record.prev != head.hash {
            return Err(Fault::BrokenChain {
                expected: head.hash.clone(),
                found: record.prev.to_owned(),
            });
        }
        let computed = parsed.computed_hash();
        if computed.as_str() != record.hash {
            return Err(Fault::BadHash {
                found: record.hash.to_owned(),
                computed: computed.as_str().to_owned(),
            });
        }
        match self.not_after {
            Some(limit) if record.at > limit => {
                let at = record.at;
                Err(Fault::TooLate { at, limit })
            }
            Some(_) | None => Ok(record),
        }
    }
}
