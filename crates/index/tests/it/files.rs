//! Files that are missing, damaged, somebody else's or of another time: said clearly, and never
//! touched.

use crate::support::{Folder, NOW, entry, reference};
use index::embed::BuiltIn;
use index::{AppendOnlyCodeIndex, Create, Ranking, SearchRequest};
use std::path::Path;

fn code(path: &Path, create: Create) -> &'static str {
    match AppendOnlyCodeIndex::open(path, create) {
        Ok(_) => "opened",
        Err(error) => error.code(),
    }
}

#[test]
fn an_index_that_is_not_there_is_made_only_if_asked() {
    let folder = Folder::new();
    assert_eq!(code(&folder.path(), Create::Never), "index_missing");
    assert!(!folder.path().exists());
    assert_eq!(code(&folder.path(), Create::IfMissing), "opened");
    assert_eq!(code(&folder.path(), Create::Never), "opened");
}

#[test]
fn what_is_no_index_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    std::fs::write(
        &text,
        "no database at all, but long enough to be looked at".repeat(40),
    )
    .unwrap();
    let other = folder.path().join("other.sqlite");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE mine (x)").unwrap();
    drop(connection);
    let newer = folder.path().join("newer.sqlite");
    drop(AppendOnlyCodeIndex::open(&newer, Create::IfMissing).unwrap());
    let connection = rusqlite::Connection::open(&newer).unwrap();
    connection
        .execute_batch("PRAGMA user_version = 99")
        .unwrap();
    drop(connection);
    for (path, expected) in [
        (&text, "index_corrupt"),
        (&other, "index_foreign"),
        (&newer, "index_newer"),
    ] {
        let before = std::fs::read(path).unwrap();
        assert_eq!(
            code(path, Create::IfMissing),
            expected,
            "{}",
            path.display()
        );
        assert_eq!(code(path, Create::Never), expected);
        let unchanged = std::fs::read(path).unwrap() == before;
        assert!(unchanged, "{}", path.display());
    }
}

#[test]
fn a_place_that_cannot_be_written_is_said_to_be_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(
        code(&file.join("index.sqlite"), Create::IfMissing),
        "index_read_only"
    );
    assert_eq!(code(folder.path(), Create::IfMissing), "index_unreadable");
}

/// A damaged file gives an error or an answer, and never a panic.
#[test]
fn damage_is_an_error_and_never_a_panic() {
    let folder = Folder::new();
    let entries: Vec<_> = (0..1500)
        .map(|at| entry(&format!("MM-{at}"), &format!("purpose number {at}")))
        .collect();
    drop(folder.with(&entries));
    let whole = std::fs::read(folder.path()).unwrap();
    let mut refused = 0;
    for at in 0..40 {
        let mut damaged = whole.clone();
        let from = damaged.len() * at / 40;
        let to = (from + 3000).min(damaged.len());
        damaged[from..to].fill(0xa5);
        std::fs::write(folder.path(), &damaged).unwrap();
        let answer =
            AppendOnlyCodeIndex::open(&folder.path(), Create::Never).and_then(|mut index| {
                index.get(&reference("MM-700@1.0.0"))?;
                index.search(&SearchRequest::new("purpose 700"), Ranking::Fused, &BuiltIn)?;
                index.add(&[entry("MM-new", "new")], &BuiltIn, NOW)
            });
        refused += usize::from(answer.is_err());
        for side in ["index.sqlite-wal", "index.sqlite-shm"] {
            let _ = std::fs::remove_file(folder.path().with_file_name(side));
        }
    }
    assert!(refused > 0, "no damage was ever noticed");
}

/// Segments are derived: one that cannot be read is put together anew.
#[test]
fn a_damaged_segment_costs_nothing_but_time() {
    let folder = Folder::new();
    let entries: Vec<_> = (0..1100)
        .map(|at| entry(&format!("MM-{at}"), &format!("purpose number {at}")))
        .collect();
    drop(folder.with(&entries));
    let raw = folder.raw();
    raw.execute_batch("DROP TRIGGER segment_kept; UPDATE segment SET body = x'00ff00'")
        .unwrap();
    drop(raw);
    let mut index = folder.open();
    let hits = index.search(
        &SearchRequest::new("purpose number 512"),
        Ranking::Fused,
        &BuiltIn,
    );
    assert_eq!(hits.unwrap()[0].entry, entries[512]);
}
