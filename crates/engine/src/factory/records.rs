//! Keeping the records of the state store (rule F7): each follows from the journal, and is written
//! after the record that it follows from. What is lost is written again at the next opening, and so
//! is what differs: a view never outlives the journal's word. What stood there goes into the vault.
//!
//! It does not write what has not the form of its document.

use super::founded;
use super::opening::begun;
use ::factory::machine::{Record, Recorder};
use ::factory::schema;
use kernel::Event;
use report::look::known_fact;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use store::{Head, Journal, Replay, RunName};
use workspace::error::EngineError;
use workspace::project::Project;
use workspace::secrets::Secrets;

/// Files of so many last events are compared at an opening: a crash may have come between the
/// journal and them. Older ones need only be there.
const RECENT: u64 = 1_000;

pub(super) struct RecordWriter {
    journals: PathBuf,
    name: RunName,
    root: PathBuf,
    recorder: Recorder,
    seq: u64,
    vault: store::Vault,
    secrets: Secrets,
    approvers: Option<String>,
}

fn shown(record: &Record) -> Result<Vec<u8>, EngineError> {
    let path = Path::new(&record.path);
    let json = serde_json::to_vec_pretty(&record.value)
        .map_err(|error| EngineError::io("write", path)(error.into()))?;
    let Some(document) = schema::find(record.document) else {
        return Ok(json);
    };
    // Whether a text says enough is judged where it is taken in; here it is the shape that counts.
    let found = document.form.faults(&record.value);
    match found.iter().find(|found| found.cause.is_shape()) {
        None => Ok(json),
        Some(found) => Err(EngineError::environment(
            "record_invalid",
            format!(
                "{} would be no {}: {} {}",
                record.path,
                record.document,
                found.place(),
                found.what
            ),
            "please report",
        )),
    }
}

impl RecordWriter {
    /// Follows the journal from its beginning, and writes what is missing.
    pub(super) fn open(project: &Project, name: &str) -> Result<Self, EngineError> {
        let mut writer = Self {
            journals: project.journals(),
            name: begun(project, name)?,
            root: project.home().join("state_store"),
            recorder: Recorder::new(),
            seq: 0,
            vault: project.vault()?,
            secrets: Secrets::of(&project.config()?, project.repo()),
            approvers: project.read_approvers()?,
        };
        writer.follow()?;
        Ok(writer)
    }

    fn follow(&mut self) -> Result<(), EngineError> {
        let mut late: BTreeMap<String, (u64, Record)> = BTreeMap::new();
        self.recorder = Recorder::new();
        let (root, recorder) = (&self.root, &mut self.recorder);
        let (run, approvers) = (self.name.to_string(), self.approvers.as_deref());
        let mut forged = None;
        let replay = Replay {
            from: None,
            not_after: None,
        };
        let report = Journal::read(&self.journals, &self.name, replay, |record| {
            let event = known_fact(&record)?;
            if forged.is_none() {
                let why = founded::forged(recorder.machine(), &run, approvers, &event, &record);
                forged = why.map(|why| (record.seq, why));
            }
            for file in recorder.take(&event) {
                late.insert(file.path.clone(), (record.seq, file));
            }
            // Most are where they belong; only those in doubt are held.
            if record.seq % RECENT == 0 {
                late.retain(|path, (seq, _)| {
                    *seq + RECENT > record.seq || !root.join(path).is_file()
                });
            }
            Ok(())
        })?;
        if let Some((line, why)) = forged {
            return Err(founded::refused(&run, line, &why));
        }
        self.seq = report.head.seq;
        for (_, record) in late.into_values() {
            self.write(&record)?;
        }
        Ok(())
    }

    /// Takes in what was just made durable.
    pub(super) fn take(&mut self, events: &[Event], head: &Head) -> Result<(), EngineError> {
        // Somebody else appended meanwhile: read all of it again.
        if self.seq + events.len() as u64 != head.seq {
            return self.follow();
        }
        self.seq = head.seq;
        for event in events {
            for record in self.recorder.take(event) {
                self.write(&record)?;
            }
        }
        Ok(())
    }

    fn write(&self, record: &Record) -> Result<(), EngineError> {
        let path = self.root.join(&record.path);
        let json = shown(record)?;
        let old = std::fs::read(&path).ok();
        if old.as_ref() == Some(&json) {
            return Ok(());
        }
        if let Some(old) = old {
            self.vault.put(&record.path, &self.secrets.bytes(&old))?;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        Ok(store::write_atomic(&path, &json)?)
    }
}

/// Every file of the state store that a journal leads to, as it must be.
#[derive(Default)]
pub struct Expected {
    files: BTreeMap<String, Record>,
}

impl Expected {
    /// Takes in what an event leads to.
    pub fn extend(&mut self, records: Vec<Record>) {
        let all = records.into_iter();
        self.files.extend(all.map(|one| (one.path.clone(), one)));
    }

    /// What is missing or says something else: a code, and a sentence.
    pub fn faults(&self, home: &Path) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        for (name, record) in &self.files {
            let path = home.join("state_store").join(name);
            match std::fs::read(&path) {
                Err(_) => found.push((
                    "record_missing",
                    format!("state_store/{name}, which the journal leads to, is not there"),
                )),
                Ok(bytes) => {
                    let same = serde_json::from_slice::<serde_json::Value>(&bytes);
                    if !same.is_ok_and(|value| value == record.value) {
                        found.push((
                            "record_differs",
                            format!("state_store/{name} is not what the journal says"),
                        ));
                    }
                }
            }
        }
        found
    }
}
