//! A checkpoint shortens replay and never changes its result.

use crate::*;
use std::fs;
use store::Checkpoint;

/// The sum of all numbers by replay from the checkpoint, if one is used, and how many were visited.
fn replayed(dir: &Path) -> (u64, u64) {
    let checkpoint = Checkpoint::load(dir, &run()).unwrap();
    let mut sum = checkpoint
        .as_ref()
        .map_or(0, |c| c.state["sum"].as_u64().unwrap());
    let mut visited = 0;
    let replay = Replay {
        from: checkpoint.as_ref(),
        ..Replay::default()
    };
    let mut fold = |record: store::RecordRef<'_>| {
        sum += number(&record.body_as()?);
        visited += 1;
        Ok(())
    };
    Journal::read(dir, &run(), replay, &mut fold).unwrap();
    (sum, visited)
}

/// Ten records with a checkpoint after the sixth.
fn prepared() -> TempDir {
    let dir = dir();
    let mut journal = Journal::create(dir.path(), &run()).unwrap();
    journal.checkpoint(json!({"sum": 999})).unwrap();
    assert!(
        !stored(dir.path()).exists(),
        "an empty journal has no record to hang it on"
    );
    journal.append(0, &entries(1..7)).unwrap();
    journal
        .checkpoint(json!({"sum": 21, "wide": u64::MAX}))
        .unwrap();
    journal.append(6, &entries(7..11)).unwrap();
    dir
}

fn stored(dir: &Path) -> PathBuf {
    dir.join("slice-1.checkpoint.json")
}

#[test]
fn replay_is_the_same_with_without_and_with_a_wrong_checkpoint() {
    let dir = prepared();
    assert_eq!(replayed(dir.path()), (55, 4));
    let good = fs::read_to_string(stored(dir.path())).unwrap();
    let value: Value = serde_json::from_str(&good).unwrap();
    let hash = value["hash"].as_str().unwrap();
    for (from, to) in [
        ("\"seq\":6", "\"seq\":5"),
        (hash, store::NO_HASH),
        ("\"sum\":21", "\"sum\":22"),
        ("\"offset\":", "\"offset\":1"),
        ("\"offset\":", "\"offset\":0.1"),
        ("\"seq\"", "\"later\""),
        ("}", ""),
    ] {
        fs::write(stored(dir.path()), good.replacen(from, to, 1)).unwrap();
        assert_eq!(replayed(dir.path()), (55, 10), "{from} -> {to}");
    }
    fs::write(stored(dir.path()), b"\xff\0").unwrap();
    assert_eq!(replayed(dir.path()), (55, 10));
    fs::remove_file(stored(dir.path())).unwrap();
    assert_eq!(replayed(dir.path()), (55, 10));
}

#[test]
fn an_old_reader_tolerates_members_of_a_later_version() {
    let dir = prepared();
    let good = fs::read_to_string(stored(dir.path())).unwrap();
    fs::write(stored(dir.path()), good.replacen('{', "{\"later\":[1],", 1)).unwrap();
    assert_eq!(replayed(dir.path()), (55, 4));
}

#[test]
fn resuming_from_a_checkpoint_can_append() {
    let dir = prepared();
    let checkpoint = Checkpoint::load(dir.path(), &run()).unwrap().unwrap();
    assert_eq!(
        (checkpoint.head().seq, &checkpoint.state["wide"]),
        (6, &json!(u64::MAX))
    );
    let replay = Replay {
        from: Some(&checkpoint),
        ..Replay::default()
    };
    let mut visited = 0;
    let opened = Journal::resume(dir.path(), &run(), replay, |_| {
        visited += 1;
        Ok(())
    });
    let mut journal = opened.unwrap().journal;
    assert_eq!((visited, journal.head().seq), (4, 10));
    journal.append(10, &entries(11..12)).unwrap();
    journal.checkpoint(json!({"sum": 66})).unwrap();
    assert_eq!(replayed(dir.path()), (66, 0));
}

#[test]
fn a_checkpoint_of_another_history_is_ignored_or_refused() {
    let dir = prepared();
    let checkpoint = Checkpoint::load(dir.path(), &run()).unwrap().unwrap();
    fs::remove_file(file(dir.path())).unwrap();
    let mut other = Journal::create(dir.path(), &run()).unwrap();
    other.append(0, &entries(101..111)).unwrap();
    assert!(Checkpoint::load(dir.path(), &run()).unwrap().is_none());
    // Loaded before the history changed: the caller has its state, so silence would be wrong.
    let replay = Replay {
        from: Some(&checkpoint),
        ..Replay::default()
    };
    let error = Journal::read(dir.path(), &run(), replay, |_| Ok(())).unwrap_err();
    assert_eq!(error.code(), "journal_corrupt");
    fs::remove_file(file(dir.path())).unwrap();
    assert!(Checkpoint::load(dir.path(), &run()).unwrap().is_none());
}

#[test]
fn a_long_record_before_the_checkpoint_is_found() {
    let dir = dir();
    let mut journal = journal(dir.path(), 1);
    let mut long = entries(2..3);
    long[0].body["text"] = json!("x".repeat(200_000));
    journal.append(1, &long).unwrap();
    journal.checkpoint(json!({"sum": 3})).unwrap();
    assert_eq!(replayed(dir.path()), (3, 0));
}

#[test]
fn a_checkpoint_is_due_when_as_much_has_followed_as_the_last_one_holds() {
    let dir = dir();
    let mut journal = Journal::create(dir.path(), &run()).unwrap();
    let mut seq = 0;
    // How many records until one is due.
    let until_due = |journal: &mut Journal, seq: &mut u64| {
        let before = *seq;
        while !journal.checkpoint_is_due() {
            journal.append(*seq, &entries(*seq + 1..*seq + 2)).unwrap();
            *seq += 1;
        }
        *seq - before
    };
    assert_eq!(until_due(&mut journal, &mut seq), 200, "the first one");
    journal.checkpoint(json!({"sum": 1})).unwrap();
    assert_eq!(until_due(&mut journal, &mut seq), 200, "a small state");
    let large = |sum: u64| json!({"sum": sum, "state": "x".repeat(100_000)});
    journal.checkpoint(large(2)).unwrap();
    let size = fs::metadata(stored(dir.path())).unwrap().len();
    let length = || fs::metadata(file(dir.path())).unwrap().len();
    let before = length();
    let records = until_due(&mut journal, &mut seq);
    let grown = length() - before;
    assert!(
        records > 300 && grown >= size,
        "{records} records, {grown} bytes"
    );
    assert!(grown < size + size / 10, "and soon after that: {grown}");
    // Another session goes on counting where this one stopped.
    journal.checkpoint(large(3)).unwrap();
    for _ in 0..records / 2 {
        journal.append(seq, &entries(seq + 1..seq + 2)).unwrap();
        seq += 1;
    }
    let checkpoint = Checkpoint::load(dir.path(), &run()).unwrap().unwrap();
    let replay = Replay {
        from: Some(&checkpoint),
        ..Replay::default()
    };
    let opened = Journal::resume(dir.path(), &run(), replay, |_| Ok(())).unwrap();
    let mut journal = opened.journal;
    assert!(!journal.checkpoint_is_due());
    let rest = until_due(&mut journal, &mut seq);
    assert!(rest <= records / 2 + 20, "{rest} of {records}");
}
