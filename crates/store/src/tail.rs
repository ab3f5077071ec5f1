//! Following journals as they grow: each record exactly once and in order, from any record on, and a
//! notice where the file does what a journal does not. It refuses to write, to cut and to guess: what
//! cannot be believed is not told, and what was told and is gone is taken back by a notice.
//!
//! It has neither thread nor clock. Whoever follows asks again when it likes; a file that did not
//! change costs one `stat`.

use crate::chain::{Chain, Place};
use crate::checkpoint::{Fit, ends_at};
use crate::read::settled_length;
use crate::record::{Head, Objection, RecordRef};
use crate::torn::TornTail;
use crate::{RunName, StoreError, list};
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Whoever is told.
pub trait Follow {
    /// The next record of a run. An error quarantines the run at that record, which is offered again
    /// once the file has changed.
    fn record(&mut self, run: &RunName, record: RecordRef<'_>) -> Result<(), Objection>;

    /// Something other than a record; see each for what it means for what was told before.
    fn notice(&mut self, run: &RunName, notice: Notice);
}

/// What may happen to a journal besides growing. Each is told once, until it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The journal does not hold any more what was told of it. All of that is void; what follows
    /// begins at record 1.
    Rewound {
        /// The last record that had been told.
        had: u64,
    },
    /// Half a line lies at the end; the next writer cuts it. What was told stands.
    Torn(TornTail),
    /// A record cannot be believed. What was told stands; nothing more comes until the file is mended.
    Quarantined {
        /// The line, from 1.
        line: u64,
        /// Why.
        reason: String,
    },
    /// The system does not let the file be read. What was told stands; it is tried again each time.
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// What the last notice said is over.
    Mended,
    /// There is no file. What was told is void; should one appear, what follows begins at record 1.
    Gone,
}

/// Where a follower stands already.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Since {
    /// Nowhere: everything is told.
    #[default]
    Start,
    /// Behind the record of this number.
    Seq(u64),
    /// Behind this very record: if another one has its number now, the follower is told so.
    Head(Head),
}

impl Since {
    fn seq(&self) -> u64 {
        match self {
            Since::Start => 0,
            Since::Seq(seq) => *seq,
            Since::Head(head) => head.seq,
        }
    }
}

/// What tells an unchanged file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            file: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Follows the journal of one run.
#[derive(Debug)]
pub struct Tail {
    run: RunName,
    path: PathBuf,
    place: Place,
    /// What the follower had before; forgotten once it is reached.
    since: Since,
    stamp: Option<Stamp>,
    /// The last notice, so that it is not repeated.
    noticed: Option<Notice>,
}

/// How a pass over new bytes ended.
enum Pass {
    Through,
    /// What the follower has is not what the file has.
    Void,
}

impl Tail {
    /// Follows a run from there on. The journal need not exist yet.
    pub fn new(dir: &Path, run: &RunName, since: Since) -> Tail {
        Tail {
            run: run.clone(),
            path: run.journal(dir),
            place: Place::start(),
            since,
            stamp: None,
            noticed: None,
        }
    }

    /// The last record that the follower has; [`Since::Head`] goes on behind it in another life. None
    /// as long as only its number is known.
    pub fn head(&self) -> Option<&Head> {
        match &self.since {
            Since::Start => Some(&self.place.head),
            Since::Head(head) => Some(head),
            Since::Seq(_) => None,
        }
    }

    /// Tells what is new since the last time.
    pub fn poll(&mut self, follower: &mut impl Follow) {
        match self.look(follower) {
            Ok(()) => {}
            Err(StoreError::JournalCorrupt { line, reason, .. }) => {
                let reason = reason.to_string();
                self.say(Notice::Quarantined { line, reason }, follower);
            }
            Err(error) => {
                self.stamp = None;
                let reason = error.to_string();
                self.say(Notice::Unreadable { reason }, follower);
            }
        }
    }

    fn look(&mut self, follower: &mut impl Follow) -> Result<(), StoreError> {
        let io = || StoreError::io("follow", &self.path);
        // The file is looked at before it is opened: most are as they were.
        let stamp = match std::fs::metadata(&self.path) {
            Ok(metadata) => Stamp::of(&metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.restart();
                self.say(Notice::Gone, follower);
                return Ok(());
            }
            Err(error) => return Err(io()(error)),
        };
        if self.stamp == Some(stamp) {
            return Ok(());
        }
        let file = File::open(&self.path).map_err(io())?;
        let end = settled_length(&file).map_err(io())?;
        // Of before: a change from here on is seen the next time.
        self.stamp = Some(stamp);
        let moved = self.place.offset > 0
            && ends_at(&file, &self.place).map_err(StoreError::io("follow", &self.path))?
                == Fit::DoesNotFit;
        if moved {
            self.rewind(follower);
        }
        if let Pass::Void = self.pass(&file, end, follower)? {
            self.rewind(follower);
            self.pass(&file, end, follower)?;
        }
        Ok(())
    }

    fn pass(
        &mut self,
        file: &File,
        end: u64,
        follower: &mut impl Follow,
    ) -> Result<Pass, StoreError> {
        let Tail {
            run,
            path,
            place,
            since,
            ..
        } = self;
        let chain = Chain {
            run,
            path,
            file,
            not_after: None,
        };
        let known = since.seq();
        let mut other = false;
        let followed = chain.follow(place, end, &mut |record| {
            if record.seq > known {
                follower.record(run, record)?;
            }
            match since {
                Since::Head(head) if head.seq == record.seq && head.hash != record.hash => {
                    other = true;
                    Err("another journal".into())
                }
                _ => Ok(()),
            }
        });
        if other {
            return Ok(Pass::Void);
        }
        let torn = followed?;
        if place.head.seq < known {
            return Ok(Pass::Void);
        }
        *since = Since::Start;
        match (torn, self.noticed.take()) {
            (Some(torn), before) => {
                self.noticed = before;
                self.say(Notice::Torn(torn), follower);
            }
            (None, None | Some(Notice::Rewound { .. } | Notice::Gone | Notice::Mended)) => {}
            (None, Some(_)) => follower.notice(&self.run, Notice::Mended),
        }
        Ok(Pass::Through)
    }

    fn restart(&mut self) {
        self.place = Place::start();
        self.since = Since::Start;
        self.stamp = None;
    }

    fn rewind(&mut self, follower: &mut impl Follow) {
        let had = self.place.head.seq.max(self.since.seq());
        let stamp = self.stamp;
        self.restart();
        self.stamp = stamp;
        self.say(Notice::Rewound { had }, follower);
    }

    fn say(&mut self, notice: Notice, follower: &mut impl Follow) {
        if self.noticed.as_ref() != Some(&notice) {
            follower.notice(&self.run, notice.clone());
            self.noticed = Some(notice);
        }
    }
}

/// Follows every run of a folder, those that begin later among them.
#[derive(Debug)]
pub struct Tails {
    dir: PathBuf,
    since: BTreeMap<RunName, Since>,
    tails: BTreeMap<RunName, Tail>,
}

impl Tails {
    /// Follows all runs; those that are named from there on, all others from their start.
    pub fn new(dir: &Path, since: BTreeMap<RunName, Since>) -> Tails {
        Tails {
            dir: dir.to_owned(),
            since,
            tails: BTreeMap::new(),
        }
    }

    /// The last record of each run that the follower has.
    pub fn heads(&self) -> BTreeMap<RunName, Head> {
        let known = |(run, tail): (&RunName, &Tail)| Some((run.clone(), tail.head()?.clone()));
        self.tails.iter().filter_map(known).collect()
    }

    /// Tells what is new since the last time, run by run. What is wrong with one run is a notice of
    /// that run; an error here means that the folder itself cannot be listed.
    pub fn poll(&mut self, follower: &mut impl Follow) -> Result<(), StoreError> {
        let there = list(&self.dir)?;
        // Those that are named and not there are followed too: the follower hears that they are gone.
        for (run, since) in std::mem::take(&mut self.since) {
            let tail = Tail::new(&self.dir, &run, since);
            self.tails.insert(run, tail);
        }
        for run in there {
            let tail = || Tail::new(&self.dir, &run, Since::Start);
            self.tails.entry(run.clone()).or_insert_with(tail);
        }
        for tail in self.tails.values_mut() {
            tail.poll(follower);
        }
        Ok(())
    }
}
