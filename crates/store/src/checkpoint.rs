//! A caller's state at some record, so that replay need not begin at the first one. A cache: it
//! refuses itself whenever it does not fit the journal, and deleting it changes nothing.

use crate::chain::Place;
use crate::hash::HexHash;
use crate::parse::parse;
use crate::record::{Head, MAX_LINE};
use crate::{RunName, StoreError, files};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A state and the record that it is the state after.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    pub(crate) place: Place,
    /// What the caller folded from the records up to [`Checkpoint::head`].
    pub state: Value,
    /// How many bytes it has on the disk; 0 if it is not there yet.
    pub(crate) size: u64,
}

/// So many records may always follow a checkpoint before there is another.
const LEAST_RECORDS: u64 = 200;

/// Where the newest checkpoint of a journal lies, and how large it is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kept {
    seq: u64,
    offset: u64,
    size: u64,
}

impl Kept {
    pub(crate) fn of(checkpoint: &Checkpoint) -> Self {
        Self {
            seq: checkpoint.place.head.seq,
            offset: checkpoint.place.offset,
            size: checkpoint.size,
        }
    }

    /// Whether what followed is worth another one. A checkpoint costs as much as its state is large,
    /// so it waits until the journal has grown by that much: all checkpoints together cost no more
    /// than the journal itself, and a replay reads no more than twice the state.
    pub(crate) fn is_outgrown_at(&self, place: &Place) -> bool {
        let records = place.head.seq.saturating_sub(self.seq);
        let bytes = place.offset.saturating_sub(self.offset);
        records >= LEAST_RECORDS && bytes >= self.size
    }
}

/// The file. `sum` covers the other members: a flipped bit in `state` would otherwise become a
/// state that no replay can reach.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    seq: u64,
    hash: String,
    offset: u64,
    #[serde(borrow)]
    state: &'a RawValue,
    sum: String,
}

fn sum(place: &Place, state: &str) -> String {
    let Head { seq, hash } = &place.head;
    let fixed = format!("{seq} {hash} {} ", place.offset);
    HexHash::of(&[fixed.as_bytes(), state.as_bytes()])
        .as_str()
        .to_owned()
}

impl Checkpoint {
    /// The record that the state follows.
    pub fn head(&self) -> &Head {
        &self.place.head
    }

    /// The run's checkpoint, if there is one that fits the journal. One that does not, for
    /// whatever reason, is as good as none.
    pub fn load(dir: &Path, run: &RunName) -> Result<Option<Checkpoint>, StoreError> {
        let path = run.checkpoint(dir);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(StoreError::io("read", &path)(e)),
        };
        let Ok(stored) = serde_json::from_slice::<Stored<'_>>(&bytes) else {
            return Ok(None);
        };
        let place = Place {
            head: Head {
                seq: stored.seq,
                hash: stored.hash,
            },
            offset: stored.offset,
        };
        if sum(&place, stored.state.get()) != stored.sum {
            return Ok(None);
        }
        let Ok(state) = serde_json::from_str(stored.state.get()) else {
            return Ok(None);
        };
        let path = run.journal(dir);
        let Ok(journal) = File::open(&path) else {
            return Ok(None);
        };
        let fits = ends_at(&journal, &place).map_err(StoreError::io("read", &path))?;
        let size = bytes.len() as u64;
        Ok((fits == Fit::Fits).then_some(Checkpoint { place, state, size }))
    }

    /// Writes it as the run's checkpoint, in place of an older one.
    pub(crate) fn save(&mut self, dir: &Path, run: &RunName) -> Result<(), StoreError> {
        let path = run.checkpoint(dir);
        let json = |e: serde_json::Error| StoreError::io("write", &path)(e.into());
        // Kept as text: canonical JSON would round large integers, and the sum covers the text.
        let state = serde_json::to_string(&self.state)
            .and_then(RawValue::from_string)
            .map_err(json)?;
        let stored = Stored {
            seq: self.place.head.seq,
            hash: self.place.head.hash.clone(),
            offset: self.place.offset,
            state: &state,
            sum: sum(&self.place, state.get()),
        };
        let bytes = serde_json::to_vec(&stored).map_err(json)?;
        files::write_atomic(&path, &bytes)?;
        self.size = bytes.len() as u64;
        Ok(())
    }
}

#[derive(PartialEq, Eq)]
pub(crate) enum Fit {
    Fits,
    DoesNotFit,
}

/// Whether the record that ends at the place's offset is the place's head.
pub(crate) fn ends_at(journal: &File, place: &Place) -> std::io::Result<Fit> {
    let length = journal.metadata()?.len();
    if place.offset == 0 || place.offset > length {
        return Ok(Fit::DoesNotFit);
    }
    // Read backwards, a little first: most records are short.
    let mut window = 4096;
    loop {
        let size = place.offset.min(window);
        let mut tail = vec![0; usize::try_from(size).unwrap_or(MAX_LINE)];
        journal.read_exact_at(&mut tail, place.offset - size)?;
        let Some((b'\n', line)) = tail.split_last() else {
            return Ok(Fit::DoesNotFit);
        };
        let start = match line.iter().rposition(|b| *b == b'\n') {
            Some(newline) => newline + 1,
            None if size == place.offset => 0,
            None if window >= MAX_LINE as u64 => return Ok(Fit::DoesNotFit),
            None => {
                window = (window * 16).min(MAX_LINE as u64);
                continue;
            }
        };
        let Ok(parsed) = parse(&line[start..]) else {
            return Ok(Fit::DoesNotFit);
        };
        let named = parsed.record.seq == place.head.seq && parsed.record.hash == place.head.hash;
        let fits = named && parsed.computed_hash().as_str() == place.head.hash;
        return Ok(if fits { Fit::Fits } else { Fit::DoesNotFit });
    }
}
