//! Rule F14.2: the shape of an entry, and what is refused.

use crate::support::{Folder, NOW, entry, reference, tagged};
use index::embed::BuiltIn;
use index::{CodeIndexEntry, Filter, ModuleId, Range, Status};
use serde_json::{Value, json};

fn example() -> Value {
    json!({
        "module_id": "MM-0001",
        "version": "1.0.0",
        "name": "slugify",
        "purpose": "Turn a title into a slug",
        "tags": ["text", "url"],
        "contract_ref": "modules/MM-0001/1.0.0/contract.json",
        "examples_ref": "modules/MM-0001/1.0.0/examples.md",
        "ship_ref": "modules/MM-0001/1.0.0/ship.json",
        "io_summary": {
            "inputs": ["title: string"],
            "outputs": ["string"],
            "error_surfaces": ["EmptyTitle"],
            "effects": [],
            "modes": ["sync"]
        },
        "dependencies": ["MM-0002@^1.0.0"],
        "status": "SHIPPED",
        "superseded_by": null,
        "notes": "by hand"
    })
}

#[test]
fn s14_2_an_entry_comes_back_as_it_went_in() {
    let folder = Folder::new();
    let entry = CodeIndexEntry::parse(&example().to_string()).unwrap();
    let index = folder.with(std::slice::from_ref(&entry));
    let back = index.get(&reference("MM-0001@1.0.0")).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), example());
}

#[test]
fn s14_2_what_is_no_entry_is_refused() {
    let folder = Folder::new();
    let mut index = folder.open();
    let cases: [(&str, Value); 16] = [
        ("/module_id", json!("X-1")),
        ("/module_id", json!("MM-")),
        ("/module_id", json!("MM-../../etc")),
        ("/module_id", json!(format!("MM-{}", "x".repeat(200)))),
        ("/version", json!("1.0")),
        ("/version", json!("1.0.0-beta")),
        ("/version", json!("01.0.0")),
        ("/version", json!("1.0.99999999999")),
        ("/name", json!(" ")),
        ("/purpose", json!("")),
        ("/purpose", json!("x".repeat(300_000))),
        ("/tags", json!(["a", ""])),
        ("/dependencies", json!(["MM-2"])),
        ("/dependencies", json!(["MM-2@newest"])),
        ("/status", json!("DEPRECATED")),
        ("/superseded_by", json!("MM-2@1.0.0")),
    ];
    for (place, value) in cases {
        let mut wrong = example();
        *wrong.pointer_mut(place).unwrap() = value.clone();
        let added = CodeIndexEntry::parse(&wrong.to_string())
            .and_then(|entry| index.add(&[entry], &BuiltIn, NOW));
        let error = added.expect_err(&format!("{place} = {value}"));
        assert_eq!(error.code(), "bad_index_entry", "{place} = {value}");
    }
    for place in ["purpose", "io_summary", "status", "dependencies"] {
        let mut wrong = example();
        wrong.as_object_mut().unwrap().remove(place);
        assert!(
            CodeIndexEntry::parse(&wrong.to_string()).is_err(),
            "{place}"
        );
    }
    let mut wrong = example();
    wrong["colour"] = json!("red");
    assert!(CodeIndexEntry::parse(&wrong.to_string()).is_err());
    assert_eq!(index.stats().unwrap().entries, 0);
}

#[test]
fn s14_1_the_embedding_input_is_purpose_tags_and_io_summary() {
    let entry = CodeIndexEntry::parse(&example().to_string()).unwrap();
    assert_eq!(
        entry.embedding_input(),
        "Turn a title into a slug\ntext, url\n{\"inputs\":[\"title: string\"],\"outputs\":[\"string\"],\"error_surfaces\":[\"EmptyTitle\"],\"effects\":[],\"modes\":[\"sync\"]}"
    );
}

#[test]
fn s14_1_lists_are_filtered_by_tag_status_module_and_versions() {
    let folder = Folder::new();
    let mut index = folder.with(&[
        tagged("MM-1@1.0.0", "one", &["a"]),
        tagged("MM-1@1.1.0", "one", &["b"]),
        tagged("MM-1@2.0.0", "one", &["b"]),
        tagged("MM-2@1.0.0", "two", &["b"]),
    ]);
    let (old, new) = (reference("MM-1@1.0.0"), reference("MM-1@1.1.0"));
    index.supersede(&old, &new, "newer", NOW).unwrap();
    let list = |filter: Filter| -> Vec<String> {
        let found = index.list(&filter).unwrap();
        found
            .iter()
            .map(|entry| entry.reference().to_string())
            .collect()
    };
    assert_eq!(list(Filter::default()).len(), 4);
    let module_id = Some(ModuleId::parse("MM-1").unwrap());
    assert_eq!(
        list(Filter {
            module_id: module_id.clone(),
            versions: Some(Range::parse("^1.0.0").unwrap()),
            ..Filter::default()
        }),
        ["MM-1@1.0.0", "MM-1@1.1.0"]
    );
    assert_eq!(
        list(Filter {
            status: Some(Status::Superseded),
            ..Filter::default()
        }),
        ["MM-1@1.0.0"]
    );
    assert_eq!(
        list(Filter {
            tags: vec!["b".into()],
            module_id,
            ..Filter::default()
        }),
        ["MM-1@1.1.0", "MM-1@2.0.0"]
    );
}

#[test]
fn an_unknown_entry_is_said_to_be_unknown() {
    let folder = Folder::new();
    let index = folder.with(&[entry("MM-1", "one")]);
    for key in ["MM-1@1.0.1", "MM-2@1.0.0"] {
        let error = index.get(&reference(key)).unwrap_err();
        assert_eq!(error.code(), "unknown_module");
        assert!(error.to_string().contains(key), "{error}");
    }
}
