//! Rule F16, and the end of F14.3: notices, pointers, dependents, and what search shows of them.

use crate::support::{Folder, NOW, entry, reference};
use index::embed::BuiltIn;
use index::{CodeIndexEntry, Ranking, Replacement, SearchRequest, Status};
use kernel::Time;

fn found(index: &mut index::AppendOnlyCodeIndex, request: &SearchRequest) -> Vec<String> {
    let hits = index.search(request, Ranking::Fused, &BuiltIn).unwrap();
    let mut keys: Vec<String> = hits
        .iter()
        .map(|hit| hit.entry.reference().to_string())
        .collect();
    keys.sort();
    keys
}

#[test]
fn s16_a_notice_with_reason_time_and_pointer_is_appended_to_the_notes() {
    let folder = Folder::new();
    let old = CodeIndexEntry {
        notes: "made by hand".into(),
        ..entry("MM-1", "parse dates")
    };
    let mut index = folder.with(&[old, entry("MM-2", "parse dates and times")]);
    let (one, two) = (reference("MM-1@1.0.0"), reference("MM-2@1.0.0"));
    let at = Time::parse("2027-01-15T08:00:00.000Z").unwrap();
    let note = "loses the time zone; call MM-2 with `zone`";
    index
        .deprecate(&one, &Replacement::By(two.clone()), note, at)
        .unwrap();
    let shown = index.get(&one).unwrap();
    assert_eq!(shown.status, Status::Deprecated);
    assert_eq!(shown.superseded_by, Some(two));
    assert_eq!(
        shown.notes,
        "made by hand\nDEPRECATED at 2027-01-15T08:00:00.000Z, replaced by MM-2@1.0.0: loses the time zone; call MM-2 with `zone`"
    );
}

#[test]
fn s14_3_deprecated_without_a_replacement_has_no_pointer() {
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1", "parse dates")]);
    let one = reference("MM-1@1.0.0");
    index
        .deprecate(&one, &Replacement::None, "unused", NOW)
        .unwrap();
    let shown = serde_json::to_value(index.get(&one).unwrap()).unwrap();
    assert_eq!(shown["status"], "DEPRECATED");
    assert!(shown["superseded_by"].is_null());
}

#[test]
fn s14_3_superseded_entries_stay_and_are_left_out_of_search() {
    let folder = Folder::new();
    let mut index = folder.with(&[
        entry("MM-1@1.0.0", "parse dates"),
        entry("MM-1@2.0.0", "parse dates"),
        entry("MM-2@1.0.0", "parse dates"),
    ]);
    let (old, new) = (reference("MM-1@1.0.0"), reference("MM-1@2.0.0"));
    let request = SearchRequest::new("parse dates");
    assert_eq!(found(&mut index, &request).len(), 3);
    index.supersede(&old, &new, "takes bytes", NOW).unwrap();
    index
        .deprecate(&reference("MM-2@1.0.0"), &Replacement::None, "unused", NOW)
        .unwrap();
    assert_eq!(found(&mut index, &request), ["MM-1@2.0.0"]);
    let all = SearchRequest {
        include_inactive: true,
        ..request
    };
    assert_eq!(found(&mut index, &all).len(), 3);
    let hits = index.search(&all, Ranking::Fused, &BuiltIn).unwrap();
    let hit = hits
        .iter()
        .find(|hit| hit.entry.reference() == old)
        .unwrap();
    assert_eq!(hit.entry.status, Status::Superseded);
    assert_eq!(hit.entry.superseded_by, Some(new));
    // Rule F16: who names it gets it, whatever its status.
    assert_eq!(index.get(&old).unwrap(), hit.entry);
    // The same after opening anew.
    let mut again = folder.open();
    assert_eq!(
        found(&mut again, &SearchRequest::new("parse dates")),
        ["MM-1@2.0.0"]
    );
}

#[test]
fn s16_dependents_are_found_by_their_ranges() {
    let folder = Folder::new();
    let needs = |key: &str, dependencies: &[&str]| CodeIndexEntry {
        dependencies: dependencies.iter().map(|text| (*text).to_owned()).collect(),
        ..entry(key, "needs others")
    };
    let mut index = folder.with(&[
        entry("MM-1", "base"),
        needs("MM-2", &["MM-1@^1.0.0"]),
        needs("MM-3", &["MM-1@>=2.0.0", "MM-2@*"]),
        needs("MM-4", &["MM-10@1.0.0"]),
        needs("MM-5", &["MM-1@1.0.0", "MM-1@1.0.0"]),
    ]);
    let one = reference("MM-1@1.0.0");
    index
        .deprecate(&reference("MM-5@1.0.0"), &Replacement::None, "unused", NOW)
        .unwrap();
    let dependents = index.dependents(&one).unwrap();
    let shown: Vec<(String, &str, Status)> = dependents
        .iter()
        .map(|one| (one.module.to_string(), one.range.as_str(), one.status))
        .collect();
    assert_eq!(
        shown,
        [
            ("MM-2@1.0.0".to_owned(), "^1.0.0", Status::Shipped),
            ("MM-5@1.0.0".to_owned(), "1.0.0", Status::Deprecated),
        ]
    );
}

#[test]
fn s16_a_change_needs_a_note_and_a_replacement_that_is_there() {
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1", "one"), entry("MM-2", "two")]);
    let one = reference("MM-1@1.0.0");
    let mut try_with = |by: Option<&str>, note: &str| {
        let by = by.map_or(Replacement::None, |by| Replacement::By(reference(by)));
        let tried = index.deprecate(&one, &by, note, NOW);
        tried.unwrap_err().code()
    };
    assert_eq!(try_with(None, "  "), "bad_note");
    assert_eq!(try_with(None, &"x".repeat(20_000)), "bad_note");
    assert_eq!(try_with(Some("MM-1@1.0.0"), "note"), "bad_replacement");
    assert_eq!(try_with(Some("MM-3@1.0.0"), "note"), "bad_replacement");
    let unknown = index.deprecate(&reference("MM-9@1.0.0"), &Replacement::None, "note", NOW);
    assert_eq!(unknown.unwrap_err().code(), "unknown_module");
    assert_eq!(index.stats().unwrap().shipped, 2);
}
