//! Rules F14.1 and F19.5: nothing is deleted, no key is used twice, a status never goes back;
//! neither through the interface nor through SQL.

use crate::support::{Folder, NOW, entry, reference};
use index::embed::BuiltIn;
use index::{Replacement, Status};

#[test]
fn s14_1_sql_can_neither_change_nor_delete() {
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1", "one"), entry("MM-2", "two")]);
    index
        .deprecate(&reference("MM-1@1.0.0"), &Replacement::None, "old", NOW)
        .unwrap();
    let raw = folder.raw();
    for sql in [
        "DELETE FROM entry",
        "DELETE FROM entry WHERE id = 2",
        "UPDATE entry SET body = '{}'",
        "UPDATE entry SET module_id = 'MM-3' WHERE id = 2",
        "REPLACE INTO entry SELECT id, 'MM-9', major, minor, patch, body, added_at FROM entry WHERE id = 2",
        "INSERT OR REPLACE INTO entry SELECT 3, module_id, major, minor, patch, '{}', added_at FROM entry WHERE id = 2",
        "INSERT INTO entry SELECT 7, 'MM-9', major, minor, patch, body, added_at FROM entry WHERE id = 2",
        "DELETE FROM change",
        "UPDATE change SET status = 'SUPERSEDED', superseded_by = 'MM-2@1.0.0'",
        "REPLACE INTO change (id, entry, status, note, at) VALUES (1, 2, 'DEPRECATED', 'x', 0)",
        "INSERT INTO change (id, entry, status, note, at) VALUES (2, 1, 'DEPRECATED', 'x', 0)",
        "INSERT INTO change (id, entry, status, note, at) VALUES (2, 2, 'SHIPPED', 'x', 0)",
        "INSERT INTO change (id, entry, status, note, at) VALUES (2, 2, 'SUPERSEDED', 'x', 0)",
        "INSERT INTO change (id, entry, status, note, at) VALUES (2, 99, 'DEPRECATED', 'x', 0)",
        "DELETE FROM model",
        "UPDATE model SET identity = 'x'",
        "DELETE FROM embedding",
        "UPDATE embedding SET vector = x'00'",
        "REPLACE INTO embedding SELECT key, x'00' FROM embedding",
    ] {
        assert!(raw.execute_batch(sql).is_err(), "{sql}");
    }
    let kept = index.get(&reference("MM-2@1.0.0")).unwrap();
    assert_eq!(kept, entry("MM-2", "two"));
    assert_eq!(index.stats().unwrap().deprecated, 1);
}

#[test]
fn s19_5_no_key_is_used_twice() {
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1@1.2.0", "one")]);
    let mut add = |key: &str| {
        let error = index.add(&[entry(key, "again")], &BuiltIn, NOW);
        error.map_err(|error| error.code())
    };
    assert_eq!(add("MM-1@1.2.0"), Err("index_entry_exists"));
    // Rule F8.3: versions of a module only rise.
    assert_eq!(add("MM-1@1.1.9"), Err("version_not_higher"));
    assert_eq!(add("MM-1@1.10.0"), Ok(()));
    assert_eq!(add("MM-1@1.9.0"), Err("version_not_higher"));
}

#[test]
fn a_batch_is_added_as_a_whole_or_not_at_all() {
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1", "one")]);
    let batch = [entry("MM-2", "two"), entry("MM-1", "one again")];
    let error = index.add(&batch, &BuiltIn, NOW).unwrap_err();
    assert_eq!(error.code(), "index_entry_exists");
    let twice = [entry("MM-3", "three"), entry("MM-3", "three")];
    assert!(index.add(&twice, &BuiltIn, NOW).is_err());
    assert_eq!(index.stats().unwrap().entries, 1);
    let found = index.search(
        &index::SearchRequest::new("two three"),
        index::Ranking::Fused,
        &BuiltIn,
    );
    assert_eq!(found.unwrap().len(), 1);
}

#[test]
fn s14_1_a_status_advances_once_and_never_goes_back() {
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1@1.0.0", "one"), entry("MM-1@2.0.0", "one anew")]);
    let (old, new) = (reference("MM-1@1.0.0"), reference("MM-1@2.0.0"));
    index
        .supersede(&old, &new, "2.0.0 takes bytes", NOW)
        .unwrap();
    let again = index.deprecate(&old, &Replacement::None, "again", NOW);
    assert_eq!(again.unwrap_err().code(), "status_final");
    // The successor of nothing that is itself inactive.
    let back = index.supersede(&new, &old, "back", NOW);
    assert_eq!(back.unwrap_err().code(), "bad_replacement");
    assert_eq!(index.get(&old).unwrap().status, Status::Superseded);
    assert_eq!(index.get(&new).unwrap().status, Status::Shipped);
}
