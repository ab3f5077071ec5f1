//! Each layer by the rule that asks for it.

use crate::dir;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use store::layers::{
    Backend, Code, Composite, Denied, Files, Glob, Grep, Pack, Packed, Reference, Rel, STATE_STORE,
    ShippedOnDisk, ShippedSet, Unlisted, View, Which, Writing, state_store,
};

fn rel(text: &str) -> Rel {
    Rel::parse(text).unwrap()
}

fn put(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const SHIP: &str =
    r#"{"module_id":"MM-a","ship_id":"SHIP-00000000","verification":{"result":"PASS"}}"#;

/// One shipped module, one that is being made, one shipped artifact.
fn plant(dir: &Path) {
    for module in ["MM-a", "MM-b"] {
        let at = |file: &str| format!("modules/{module}/1.0.0/{file}");
        put(
            dir,
            &at("contract.json"),
            r#"{"module_id":"X","name":"n","purpose":"why","inputs":["deep"]}"#,
        );
        put(dir, &at("examples.md"), "example\n");
        put(dir, &at("implementation/main.py"), "source\n");
        put(dir, &at("tests/test.py"), "source test\n");
    }
    put(dir, "modules/MM-a/1.0.0/ship.json", SHIP);
    put(
        dir,
        "artifacts/design/CTR-00000001/1.0.0/envelope.json",
        r#"{"artifact_id":"CTR-00000001","status":"SHIPPED","notes":"n"}"#,
    );
    put(
        dir,
        "artifacts/design/CTR-00000001/1.0.0/body/x",
        "body source\n",
    );
    put(dir, "code_index/index.sqlite", "source");
    put(dir, "project/state_machine.json", "{}");
}

fn store(dir: &Path) -> Composite {
    state_store(dir, &Rel::root(), &|files| Arc::new(ShippedOnDisk(files))).unwrap()
}

fn names(backend: &dyn Backend, path: &str) -> Vec<String> {
    let listed = backend.ls(&rel(path)).unwrap().items;
    listed
        .iter()
        .map(|one| one.path.name().unwrap().to_owned())
        .collect()
}

#[test]
fn s12_5_sealed_read_and_edit_answer_the_exact_text() {
    let dir = dir();
    plant(dir.path());
    let store = store(dir.path());
    for path in [
        "modules/MM-a/1.0.0/implementation/main.py",
        "modules/MM-a/1.0.0/tests",
        "modules/MM-a/1.0.0/tests/no-such",
    ] {
        let text = format!(
            "ACCESS DENIED: '{path}' is a sealed implementation directory. This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the contract is insufficient, raise an Interface Change Exception (§13)."
        );
        let path = rel(path);
        assert_eq!(
            store.read(&path).unwrap_err().message(),
            Some(text.as_str())
        );
        let edit = store.edit(&path, "source", "x", Which::All).unwrap_err();
        assert_eq!(edit.message(), Some(text.as_str()));
        assert!(store.write(&path, b"", Writing::NewOnly).is_err());
        assert!(store.delete(&path).is_err());
    }
    assert!(
        store
            .read(&rel("modules/MM-b/1.0.0/implementation/main.py"))
            .is_ok()
    );
}

#[test]
fn s12_5_sealed_folders_do_not_appear() {
    let dir = dir();
    plant(dir.path());
    let store = store(dir.path());
    assert_eq!(
        names(&store, "modules/MM-a/1.0.0"),
        ["contract.json", "examples.md", "ship.json"]
    );
    assert_eq!(names(&store, "modules/MM-a/1.0.0/tests"), [""; 0]);
    let hits = store.grep(&Grep::parse("source").unwrap()).unwrap().items;
    let paths: Vec<_> = hits.iter().map(|hit| hit.path.as_str()).collect();
    let own = ["implementation/main.py", "tests/test.py"]
        .map(|file| format!("modules/MM-b/1.0.0/{file}"));
    assert_eq!(paths[1..], own);
    assert_eq!(paths[0], "artifacts/design/CTR-00000001/1.0.0/body/x");
    let found = store.glob(&Glob::parse("**/*.py").unwrap()).unwrap().items;
    assert_eq!(found, own.map(|path| rel(&path)));
    let under = Grep::parse("source")
        .unwrap()
        .under(&rel("modules/MM-a/1.0.0/implementation"));
    assert!(store.grep(&under).unwrap().items.is_empty());
}

#[test]
fn s6_6_shipped_things_do_not_change() {
    let dir = dir();
    plant(dir.path());
    let store = store(dir.path());
    for path in [
        "modules/MM-a/1.0.0/contract.json",
        "modules/MM-a/1.0.0/new.md",
        "artifacts/design/CTR-00000001/1.0.0/body/x",
    ] {
        let path = rel(path);
        let codes = [
            store
                .write(&path, b"x", Writing::MayReplace)
                .unwrap_err()
                .code(),
            store.edit(&path, "a", "b", Which::All).unwrap_err().code(),
            store.delete(&path).unwrap_err().code(),
        ];
        assert_eq!(codes, [Code::Immutable; 3], "{path}");
    }
    // A successor is a new version folder.
    let next = rel("modules/MM-a/1.0.1/contract.json");
    store.write(&next, b"{}", Writing::NewOnly).unwrap();
    store.edit(&next, "{}", "{ }", Which::Once).unwrap();
}

#[test]
fn s6_6_the_engine_can_say_what_is_shipped() {
    let dir = dir();
    plant(dir.path());
    let shipped = Arc::new(ShippedSet::default());
    let store = state_store(dir.path(), &Rel::root(), &|_| shipped.clone()).unwrap();
    let path = rel("modules/MM-b/1.0.0/implementation/main.py");
    assert!(store.read(&path).is_ok());
    shipped.ship(&rel("modules/MM-b/1.0.0"));
    assert_eq!(store.read(&path).unwrap_err(), Denied::sealed(&path));
}

#[test]
fn s7_the_routing_table() {
    let dir = dir();
    plant(dir.path());
    let store = store(dir.path());
    assert_eq!(STATE_STORE.len(), 8);
    assert_eq!(names(&store, ""), ["artifacts", "modules", "project"]);
    let index = rel("code_index/index.sqlite");
    assert_eq!(store.read(&index).unwrap_err(), Denied::not_found(&index));
    assert!(
        store
            .write(&rel("elsewhere/x"), b"", Writing::NewOnly)
            .is_err()
    );
    // Write-once: packs and exceptions.
    for path in [
        "context_packs/CP-00000001.json",
        "exceptions/ICE-00000001.json",
    ] {
        let path = rel(path);
        store.write(&path, b"{}", Writing::MayReplace).unwrap();
        let again = store.write(&path, b"{ }", Writing::MayReplace).unwrap_err();
        assert_eq!(again.code(), Code::Immutable);
        assert!(store.edit(&path, "{", "[", Which::Once).is_err());
    }
    // Debates: free until the adjudication is there.
    let debate = |file: &str| rel(&format!("debates/CTR-00000001/{file}"));
    for _ in 0..2 {
        store
            .write(&debate("proposal.json"), b"{}", Writing::MayReplace)
            .unwrap();
    }
    store
        .write(&debate("adjudication.json"), b"{}", Writing::MayReplace)
        .unwrap();
    for file in ["proposal.json", "challenge.json", "adjudication.json"] {
        let late = store
            .write(&debate(file), b"", Writing::MayReplace)
            .unwrap_err();
        assert_eq!(late.code(), Code::Immutable, "{file}");
    }
    store
        .write(&debate("round-2/proposal.json"), b"{}", Writing::MayReplace)
        .unwrap();
}

#[test]
fn s7_the_longest_prefix_wins() {
    let (outer, inner) = (dir(), dir());
    put(outer.path(), "a/top", "outer");
    put(outer.path(), "a/b/hidden", "outer");
    put(inner.path(), "seen", "inner");
    let at = |dir: &Path, at: &str| {
        Arc::new(Files::open_at(dir, &rel(at), store::layers::Resolving::Kernel).unwrap())
    };
    let both = Composite::new()
        .route(&rel(""), at(outer.path(), ""))
        .route(&rel("a/b"), at(inner.path(), "a/b"));
    assert_eq!(both.read(&rel("a/b/seen")).unwrap(), b"inner");
    assert!(both.read(&rel("a/b/hidden")).is_err());
    assert_eq!(names(&both, "a"), ["b", "top"]);
    let found = both.glob(&Glob::parse("**").unwrap()).unwrap().items;
    assert_eq!(found, ["a/b/seen", "a/top"].map(rel));
}

fn pack(included: &str, excluded: &str) -> Pack {
    let text = format!(
        r#"{{"context_pack_id":"CP-00000001","created_for":{{"role":"proposer","run_id":"r","task_ref":"T-1"}},
        "included_refs":[{included}],"excluded_refs":[{excluded}],"default_permission":"CONTRACT_ONLY","created_at":"2026-01-01T00:00:00Z"}}"#
    );
    Pack::parse(text.as_bytes()).unwrap()
}

fn role(dir: &Path, included: &str, excluded: &str, unlisted: Unlisted) -> Packed {
    let store = store(dir);
    let elsewhere: BTreeMap<Reference, Rel> = BTreeMap::new();
    let pack = pack(included, excluded);
    let view = View::of(&pack, &store, &Rel::root(), &elsewhere, unlisted).unwrap();
    Packed::new(Arc::new(store), view)
}

#[test]
fn s5_3_each_level_shows_what_it_says() {
    let dir = dir();
    plant(dir.path());
    let contract = rel("modules/MM-a/1.0.0/contract.json");
    for (level, files, members) in [
        (r#","permission":"FULL""#, 3, "deep"),
        ("", 3, "deep"),
        (r#","permission":"SUMMARY_ONLY""#, 2, "why"),
        (r#","permission":"METADATA_ONLY""#, 2, "\"n\""),
    ] {
        let given = format!(r#"{{"ref":"MM-a@1.0.0"{level},"reason":"r"}}"#);
        let role = role(dir.path(), &given, "", Unlisted::Absent);
        assert_eq!(names(&role, "modules/MM-a/1.0.0").len(), files, "{level}");
        assert_eq!(names(&role, "modules"), ["MM-a"]);
        assert_eq!(names(&role, ""), ["modules"]);
        let text = String::from_utf8(role.read(&contract).unwrap()).unwrap();
        for member in ["deep", "why", "\"n\""] {
            let level_shows = match members {
                "deep" => true,
                "why" => member != "deep",
                _ => member == "\"n\"",
            };
            assert_eq!(text.contains(member), level_shows, "{level} {member}");
            let hits = role.grep(&Grep::literal(member).unwrap()).unwrap().items;
            assert_eq!(!hits.is_empty(), level_shows, "{level} {member}");
        }
        let listed = role.ls(&rel("modules/MM-a/1.0.0")).unwrap();
        assert_eq!(listed.items[0].size, text.len() as u64);
        let sealed = rel("modules/MM-a/1.0.0/implementation/no-such");
        assert_eq!(role.read(&sealed).unwrap_err(), Denied::sealed(&sealed));
        let other = rel("modules/MM-b/1.0.0/contract.json");
        assert_eq!(role.read(&other).unwrap_err(), Denied::not_found(&other));
    }
}

#[test]
fn s6_3_full_may_change_and_lower_levels_may_not() {
    let dir = dir();
    plant(dir.path());
    let given = r#"{"ref":"MM-b@1.0.0","permission":"FULL","reason":"own"},{"ref":"MM-a@1.0.0","reason":"dependency"}"#;
    let role = role(dir.path(), given, "", Unlisted::Absent);
    let own = rel("modules/MM-b/1.0.0/implementation/main.py");
    assert_eq!(role.edit(&own, "source", "code", Which::Once).unwrap(), 1);
    let other = rel("modules/MM-a/1.0.0/contract.json");
    let denied = role.edit(&other, "a", "b", Which::All).unwrap_err();
    assert_eq!(denied.code(), Code::ReadOnly);
    let outside = rel("project/state_machine.json");
    let denied = role.write(&outside, b"", Writing::MayReplace).unwrap_err();
    assert_eq!(denied, Denied::not_found(&outside));
}

#[test]
fn s5_3_excluded_wins_and_looks_absent() {
    let dir = dir();
    plant(dir.path());
    let both = r#"{"ref":"MM-b@1.0.0","permission":"FULL","reason":"r"}"#;
    let without = r#"{"ref":"MM-b@1.0.0","reason":"r"}"#;
    let role = role(dir.path(), both, without, Unlisted::AtDefault);
    assert_eq!(names(&role, "modules/MM-a/1.0.0").len(), 3);
    assert_eq!(names(&role, "modules/MM-b"), [""; 0]);
    for path in [
        "modules/MM-b/1.0.0/contract.json",
        "modules/MM-b/1.0.0/implementation/main.py",
        "modules/mm-B/1.0.0/contract.json",
        "no/such",
    ] {
        let path = rel(path);
        assert_eq!(role.read(&path).unwrap_err(), Denied::not_found(&path));
    }
}

#[test]
fn s6_3_a_pack_without_reasons_or_with_bad_references_is_refused() {
    let bad = |text: &str| Pack::parse(text.as_bytes()).unwrap_err().code();
    assert_eq!(bad("{}"), Code::BadPack);
    let text = serde_json::to_string(&pack(r#"{"ref":"MM-a@1.0.0","reason":"r"}"#, "")).unwrap();
    assert!(Pack::parse(text.as_bytes()).is_ok());
    assert_eq!(
        bad(&text.replace("\"reason\":\"r\"", "\"reason\":\" \"")),
        Code::BadPack
    );
    for reference in [
        "MM-a",
        "../x@1.0.0",
        "MM-a@1.0",
        "MM/a@1.0.0",
        ".git@1.0.0",
        "MM-a@1.0.x",
    ] {
        assert_eq!(
            bad(&text.replace("MM-a@1.0.0", reference)),
            Code::BadPack,
            "{reference}"
        );
    }
}
