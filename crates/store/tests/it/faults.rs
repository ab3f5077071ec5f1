//! A disk that fails in the middle of an append.

use crate::*;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use store::{AfterFailure, Disk};

/// What fails, once and for all.
#[derive(Clone, Copy, PartialEq)]
enum Fails {
    WriteHalfway,
    Sync,
    WriteAndTruncate,
}

impl Disk for Fails {
    fn write(&mut self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        match self {
            Fails::Sync => file.write_all(bytes),
            Fails::WriteHalfway | Fails::WriteAndTruncate => {
                file.write_all(&bytes[..bytes.len() / 2])?;
                Err(ErrorKind::StorageFull.into())
            }
        }
    }

    fn sync(&mut self, file: &File) -> io::Result<()> {
        match self {
            Fails::Sync => Err(io::Error::other("the disk lost the pages")),
            Fails::WriteHalfway | Fails::WriteAndTruncate => file.sync_data(),
        }
    }

    fn truncate(&mut self, file: &File, length: u64) -> io::Result<()> {
        match self {
            Fails::WriteAndTruncate => Err(ErrorKind::ReadOnlyFilesystem.into()),
            Fails::WriteHalfway | Fails::Sync => file.set_len(length),
        }
    }
}

#[test]
fn a_failed_append_loses_nothing_and_the_handle_refuses_to_go_on() {
    for fails in [Fails::WriteHalfway, Fails::Sync] {
        let dir = dir();
        let mut journal = journal(dir.path(), 2).with_disk(Box::new(fails));
        let before = fs::read(file(dir.path())).unwrap();
        let error = journal.append(2, &entries(3..6)).unwrap_err();
        assert_eq!(error.code(), "journal_write_failed");
        let StoreError::JournalWriteFailed { after, .. } = error else {
            unreachable!()
        };
        assert_eq!(after, AfterFailure::RolledBack);
        assert_eq!(fs::read(file(dir.path())).unwrap(), before);

        // The disk is well again, but this handle has to be opened anew.
        let mut journal = journal.with_disk(Box::new(store::RealDisk));
        for refused in [
            journal.append(2, &entries(3..4)).unwrap_err(),
            journal.catch_up(|_| Ok(())).unwrap_err(),
        ] {
            assert_eq!(refused.code(), "journal_write_failed");
            assert!(refused.to_string().contains("refuses"), "{refused}");
        }
        assert_eq!(fs::read(file(dir.path())).unwrap(), before);
        let mut again = Journal::open(dir.path(), &run()).unwrap().journal;
        again.append(2, &entries(3..4)).unwrap();
        assert_eq!(numbers(dir.path()).unwrap(), [1, 2, 3]);
    }
}

#[test]
fn bytes_that_could_not_be_cut_are_a_torn_tail_for_the_next_opening() {
    let dir = dir();
    let mut journal = journal(dir.path(), 2).with_disk(Box::new(Fails::WriteAndTruncate));
    let error = journal.append(2, &entries(3..4)).unwrap_err();
    let StoreError::JournalWriteFailed { after, .. } = error else {
        unreachable!()
    };
    assert_eq!(after, AfterFailure::BytesLeft);
    assert_eq!(numbers(dir.path()).unwrap(), [1, 2]);
    let mut opened = Journal::open(dir.path(), &run()).unwrap();
    assert!(opened.torn.is_some());
    opened.journal.append(2, &entries(3..4)).unwrap();
    assert_eq!(numbers(dir.path()).unwrap(), [1, 2, 3]);
}

#[test]
fn a_handle_notices_that_its_file_was_cut_replaced_or_deleted() {
    let dir = dir();
    let mut journal = journal(dir.path(), 2);
    let path = file(dir.path());
    let bytes = fs::read(&path).unwrap();

    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(10)
        .unwrap();
    assert_eq!(
        journal.append(2, &entries(3..4)).unwrap_err().code(),
        "journal_corrupt"
    );
    assert_eq!(
        journal.catch_up(|_| Ok(())).unwrap_err().code(),
        "journal_corrupt"
    );

    fs::remove_file(&path).unwrap();
    assert_eq!(
        journal.append(2, &entries(3..4)).unwrap_err().code(),
        "journal_missing"
    );

    fs::write(&path, &bytes).unwrap();
    let error = journal.append(2, &entries(3..4)).unwrap_err();
    assert_eq!(error.code(), "journal_conflict");
    assert!(error.to_string().contains("replaced"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}
