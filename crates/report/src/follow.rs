//! Journals as they grow, for whoever watches: each record once, as a sentence or as it is stored, and
//! a typed notice where a file does what a journal does not.

use crate::timeline::{Entry, Record, Timeline};
use serde::Serialize;
use std::collections::BTreeMap;
use store::{Follow, Notice, Objection, RecordRef, RunName};

/// Something that was seen.
#[derive(Debug)]
pub enum Seen<'a> {
    /// The next record of a run, in both its forms.
    Record {
        record: Record<'a>,
        /// The same in words.
        told: Entry,
    },
    /// Something other than a record.
    Notice(Event),
}

/// A notice as it is printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "notice")]
pub enum Event {
    /// What was told of the run is void; it is told anew from record 1.
    Rewound {
        /// The last record that had been told.
        had: u64,
    },
    /// Half a line lies at the end; the next writer cuts it.
    Torn { bytes: u64 },
    /// A record cannot be believed; nothing more comes until the file is mended.
    Quarantined { line: u64, reason: String },
    /// The system does not let the file be read.
    Unreadable { reason: String },
    /// What the last notice said is over.
    Mended,
    /// There is no journal any more; what was told is void.
    Gone,
}

impl Event {
    /// In a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Event::Rewound { had } => format!(
                "the journal was cut or replaced: what was told up to record {had} is void, and it is told anew"
            ),
            Event::Torn { bytes } => {
                format!("the last line is torn ({bytes} bytes); the next engine cuts it")
            }
            Event::Quarantined { line, reason } => {
                format!(
                    "line {line} cannot be believed: {reason}; nothing more is told until it is mended"
                )
            }
            Event::Unreadable { reason } => format!("the journal cannot be read: {reason}"),
            Event::Mended => "the journal is whole again".to_owned(),
            Event::Gone => "there is no journal: what was told of it is void".to_owned(),
        }
    }
}

impl From<Notice> for Event {
    fn from(notice: Notice) -> Self {
        match notice {
            Notice::Rewound { had } => Event::Rewound { had },
            Notice::Torn(torn) => Event::Torn { bytes: torn.bytes },
            Notice::Quarantined { line, reason } => Event::Quarantined { line, reason },
            Notice::Unreadable { reason } => Event::Unreadable { reason },
            Notice::Mended => Event::Mended,
            Notice::Gone => Event::Gone,
        }
    }
}

/// A line of what is followed as JSON: whose it is, and what.
#[derive(Debug, Serialize)]
pub struct Line<'a, T> {
    pub run: &'a str,
    #[serde(flatten)]
    pub what: T,
}

/// Tells what is seen, run by run.
pub struct Watcher<F> {
    timelines: BTreeMap<RunName, Timeline>,
    see: F,
}

impl<F: FnMut(&str, Seen<'_>)> Watcher<F> {
    /// Tells it to this one.
    pub fn new(see: F) -> Self {
        Self {
            timelines: BTreeMap::new(),
            see,
        }
    }
}

impl<F: FnMut(&str, Seen<'_>)> Follow for Watcher<F> {
    fn record(&mut self, run: &RunName, record: RecordRef<'_>) -> Result<(), Objection> {
        let timeline = self.timelines.entry(run.clone()).or_default();
        let told = timeline.tell(&record)?;
        let record = Record::from(record);
        (self.see)(run.as_str(), Seen::Record { record, told });
        Ok(())
    }

    fn notice(&mut self, run: &RunName, notice: Notice) {
        // What was in flight in a journal that is void is in flight no more.
        if matches!(notice, Notice::Rewound { .. } | Notice::Gone) {
            self.timelines.remove(run);
        }
        (self.see)(run.as_str(), Seen::Notice(notice.into()));
    }
}
