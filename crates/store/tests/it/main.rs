//! The store from outside: what a crash, a rival, a full disk or a forger can and cannot do.

// Helpers are test code too, which clippy's own exception for tests does not see.
#![allow(clippy::unwrap_used)]

mod append;
mod audit;
mod checkpoint;
mod confinement;
mod faults;
mod properties;
mod race;
mod swaps;
mod tail;
mod torn;
mod tree;

use kernel::Time;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use store::{Entry, Journal, Replay, RunName, StoreError};
use tempfile::TempDir;

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn run() -> RunName {
    RunName::new("slice-1").unwrap()
}

fn file(dir: &Path) -> PathBuf {
    dir.join("slice-1.jsonl")
}

/// Entries whose bodies are the numbers, one millisecond apart.
fn entries(numbers: std::ops::Range<u64>) -> Vec<Entry> {
    let entry = |n| Entry {
        at: Time(1_794_709_527_000 + n),
        kind: "counted.v1".into(),
        body: json!({"n": n, "text": "\"hash\":\"tricky\",\"kind\":"}),
    };
    numbers.map(entry).collect()
}

/// A journal with the numbers 1 to `count`.
fn journal(dir: &Path, count: u64) -> Journal {
    let mut journal = Journal::create(dir, &run()).unwrap();
    journal.append(0, &entries(1..count + 1)).unwrap();
    journal
}

fn number(body: &Value) -> u64 {
    body["n"].as_u64().unwrap()
}

/// All numbers in the journal, or why it cannot be read.
fn numbers(dir: &Path) -> Result<Vec<u64>, StoreError> {
    let mut found = Vec::new();
    Journal::read(dir, &run(), Replay::default(), |record| {
        found.push(number(&record.body_as()?));
        Ok(())
    })?;
    Ok(found)
}

/// Replaces the first occurrence in the file.
fn forge(dir: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file(dir)).unwrap();
    let forged = text.replacen(from, to, 1);
    assert_ne!(text, forged);
    std::fs::write(file(dir), forged).unwrap();
}
