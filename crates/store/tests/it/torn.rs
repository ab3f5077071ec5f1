//! Half a line at the end: cut by who may write, reported by who may not, kept in any case.

use crate::*;
use std::fs;

fn tear(dir: &Path) -> u64 {
    let length = fs::metadata(file(dir)).unwrap().len();
    let mut bytes = fs::read(file(dir)).unwrap();
    bytes.extend_from_slice(b"{\"at\":\"2026-\xff");
    fs::write(file(dir), bytes).unwrap();
    length
}

#[test]
fn reading_reports_a_torn_tail_and_changes_nothing() {
    let dir = dir();
    journal(dir.path(), 2);
    let offset = tear(dir.path());
    let before = fs::read(file(dir.path())).unwrap();
    let report = Journal::read(dir.path(), &run(), Replay::default(), |_| Ok(())).unwrap();
    assert_eq!(report.head.seq, 2);
    assert_eq!(report.torn, Some(store::TornTail { offset, bytes: 13 }));
    assert_eq!(fs::read(file(dir.path())).unwrap(), before);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn opening_for_writing_cuts_it_and_keeps_the_bytes() {
    let dir = dir();
    journal(dir.path(), 2);
    let offset = tear(dir.path());
    let mut opened = Journal::open(dir.path(), &run()).unwrap();
    let torn = opened.torn.unwrap();
    assert_eq!(torn.bytes, 13);
    assert_eq!(
        torn.kept_in,
        dir.path().join(format!("slice-1.torn-{offset}"))
    );
    assert_eq!(fs::read(torn.kept_in).unwrap(), b"{\"at\":\"2026-\xff");
    assert_eq!(fs::metadata(file(dir.path())).unwrap().len(), offset);
    opened.journal.append(2, &entries(3..4)).unwrap();
    assert_eq!(numbers(dir.path()).unwrap(), [1, 2, 3]);
    assert!(Journal::open(dir.path(), &run()).unwrap().torn.is_none());
}

#[test]
fn a_rival_that_died_in_an_append_is_a_conflict_until_caught_up() {
    let dir = dir();
    let mut journal = journal(dir.path(), 2);
    {
        // Written into the same file, as a rival would.
        use std::io::Write;
        let mut rival = fs::OpenOptions::new()
            .append(true)
            .open(file(dir.path()))
            .unwrap();
        rival.write_all(b"{\"at\"").unwrap();
    }
    assert_eq!(
        journal.append(2, &entries(3..4)).unwrap_err().code(),
        "journal_conflict"
    );
    let caught = journal.catch_up(|_| Ok(())).unwrap();
    assert_eq!((caught.head.seq, caught.torn.unwrap().bytes), (2, 5));
    journal.append(2, &entries(3..4)).unwrap();
    assert_eq!(numbers(dir.path()).unwrap(), [1, 2, 3]);
}

#[test]
fn a_corrupt_journal_with_a_torn_tail_is_left_as_it_is() {
    let dir = dir();
    journal(dir.path(), 2);
    tear(dir.path());
    forge_bytes(dir.path());
    let before = fs::read(file(dir.path())).unwrap();
    assert!(Journal::open(dir.path(), &run()).is_err());
    assert_eq!(fs::read(file(dir.path())).unwrap(), before);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

fn forge_bytes(dir: &Path) {
    let mut bytes = fs::read(file(dir)).unwrap();
    bytes[20] ^= 1;
    fs::write(file(dir), bytes).unwrap();
}
