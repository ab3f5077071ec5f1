//! Appending, reopening, and what makes a journal unbelievable.

use crate::*;
use std::fs;

#[test]
fn what_was_appended_is_read_back_and_the_chain_goes_on_after_a_reopening() {
    let dir = dir();
    let nested = dir.path().join("a/journal");
    let mut first = journal(&nested, 2);
    let head = first.append(2, &entries(3..4)).unwrap();
    drop(first);
    let mut again = Journal::open(&nested, &run()).unwrap();
    assert_eq!((again.torn.as_ref(), again.journal.head()), (None, &head));
    assert_eq!(again.journal.append(3, &entries(4..6)).unwrap().seq, 5);
    assert_eq!(again.journal.append(5, &[]).unwrap().seq, 5);
    assert_eq!(numbers(&nested).unwrap(), [1, 2, 3, 4, 5]);
    assert_eq!(store::list(&nested).unwrap(), [run()]);
}

#[test]
fn records_encoded_without_a_file_are_the_bytes_of_the_file() {
    let dir = dir();
    let mut journal = journal(dir.path(), 2);
    journal.append(2, &entries(3..6)).unwrap();
    let (mut bytes, head) = store::encode(&store::Head::start(), &entries(1..3)).unwrap();
    let (more, head) = store::encode(&head, &entries(3..6)).unwrap();
    bytes.extend(more);
    assert_eq!(bytes, fs::read(file(dir.path())).unwrap());
    assert_eq!(&head, journal.head());
}

#[test]
fn create_refuses_a_taken_name_and_open_a_missing_one() {
    let dir = dir();
    let missing = Journal::open(dir.path(), &run()).err().unwrap();
    assert_eq!(missing.code(), "journal_missing");
    assert_eq!(numbers(dir.path()).unwrap_err().code(), "journal_missing");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    journal(dir.path(), 1);
    assert_eq!(
        Journal::create(dir.path(), &run()).err().unwrap().code(),
        "journal_exists"
    );
    assert_eq!(numbers(dir.path()).unwrap(), [1]);
}

#[test]
fn an_old_sequence_number_changes_nothing() {
    let dir = dir();
    let mut journal = journal(dir.path(), 2);
    let before = fs::read(file(dir.path())).unwrap();
    for expected in [0, 1, 3] {
        let error = journal.append(expected, &entries(3..4)).unwrap_err();
        assert_eq!(error.code(), "journal_conflict");
    }
    let mut bad = entries(3..5);
    bad[1].kind = "no version".into();
    assert_eq!(journal.append(2, &bad).unwrap_err().code(), "bad_entry");
    assert_eq!(fs::read(file(dir.path())).unwrap(), before);
}

#[test]
fn a_forged_record_is_corrupt_by_line_and_concerns_its_run_alone() {
    for (from, to, line, reason) in [
        ("\"n\":2", "\"n\":9", 2, "bad hash"),
        ("\"seq\":2", "\"seq\":3", 2, "sequence number 3 where 2"),
        ("counted.v1", "counted.v2", 1, "bad hash"),
        ("\"prev\":\"0", "\"prev\":\"1", 1, "broken chain"),
        ("{\"at\"", "{ \"at\"", 1, "canonical"),
        ("\n", "\n\n", 2, "not a journal record"),
        ("\n", "\r\n", 1, "canonical"),
    ] {
        let dir = dir();
        journal(dir.path(), 3);
        let other = RunName::new("other").unwrap();
        Journal::create(dir.path(), &other).unwrap();
        forge(dir.path(), from, to);
        let forged = fs::read(file(dir.path())).unwrap();
        for error in [
            numbers(dir.path()).unwrap_err(),
            Journal::open(dir.path(), &run()).err().unwrap(),
        ] {
            assert_eq!(error.code(), "journal_corrupt");
            let text = error.to_string();
            assert!(
                text.contains(&format!("run slice-1, line {line}: ")),
                "{text}"
            );
            assert!(text.contains(reason), "{text}");
        }
        assert_eq!(fs::read(file(dir.path())).unwrap(), forged);
        assert!(Journal::open(dir.path(), &other).is_ok());
        assert_eq!(store::list(dir.path()).unwrap().len(), 2);
    }
}

#[test]
fn a_removed_or_moved_line_breaks_the_chain() {
    let dir = dir();
    journal(dir.path(), 4);
    let text = fs::read_to_string(file(dir.path())).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for order in [&[0, 2, 3][..], &[1, 2, 3], &[0, 2, 1, 3], &[0, 0, 1]] {
        let forged: String = order.iter().map(|i| lines[*i]).collect();
        fs::write(file(dir.path()), forged).unwrap();
        assert_eq!(numbers(dir.path()).unwrap_err().code(), "journal_corrupt");
    }
}

#[test]
fn the_caller_judges_kinds_and_sets_a_limit_to_times() {
    let dir = dir();
    journal(dir.path(), 3);
    let refused = Journal::read(dir.path(), &run(), Replay::default(), |record| {
        if record.seq == 2 {
            Err(format!("unknown kind {}", record.kind).into())
        } else {
            Ok(())
        }
    });
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("line 2: unknown kind counted.v1"), "{text}");
    let replay = Replay {
        not_after: Some(Time(1_794_709_527_002)),
        ..Replay::default()
    };
    let error = Journal::resume(dir.path(), &run(), replay, |_| Ok(()))
        .err()
        .unwrap();
    assert_eq!(error.code(), "journal_corrupt");
    assert!(error.to_string().contains("line 3: dated"), "{error}");
}

#[test]
fn a_line_without_end_is_corrupt_and_not_a_torn_tail() {
    let dir = dir();
    journal(dir.path(), 1);
    let mut bytes = fs::read(file(dir.path())).unwrap();
    bytes.resize(bytes.len() + store::MAX_LINE, b'x');
    fs::write(file(dir.path()), bytes).unwrap();
    let error = Journal::open(dir.path(), &run()).err().unwrap();
    assert!(error.to_string().contains("line 2: longer than"), "{error}");
}

#[test]
fn a_journal_begins_with_its_first_records_or_not_at_all() {
    let dir = dir();
    let mut bad = entries(1..3);
    bad[1].kind = "no version".into();
    assert!(Journal::begin(dir.path(), &run(), &bad).is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let mut begun = Journal::begin(dir.path(), &run(), &entries(1..3)).unwrap();
    begun.append(2, &entries(3..4)).unwrap();
    let again = Journal::begin(dir.path(), &run(), &entries(1..2));
    assert_eq!(again.err().unwrap().code(), "journal_exists");
    assert_eq!(numbers(dir.path()).unwrap(), [1, 2, 3]);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
