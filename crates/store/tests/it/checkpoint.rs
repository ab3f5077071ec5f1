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
