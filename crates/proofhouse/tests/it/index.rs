//! `proofhouse index` from outside: a project's index and the user's, and every refusal.

use crate::support::{Said, World};
use serde_json::{Value, json};

fn entry(key: &str, purpose: &str, tags: &[&str]) -> Value {
    let (id, version) = key.split_once('@').unwrap();
    json!({
        "module_id": id, "version": version, "name": id.to_lowercase(), "purpose": purpose,
        "tags": tags, "contract_ref": "c", "examples_ref": "e", "ship_ref": "s",
        "io_summary": {"inputs": ["title: string"], "outputs": ["string"], "error_surfaces": [],
                       "effects": [], "modes": ["sync"]},
        "dependencies": [], "status": "SHIPPED", "notes": ""
    })
}

/// `proofhouse index ARGS` with a home of its own.
fn index(world: &World, args: &[&str]) -> Said {
    let mut all = vec!["index"];
    all.extend(args);
    let mut command = world.command(&all);
    command.env("XDG_DATA_HOME", world.at("data"));
    command.output().unwrap().into()
}

fn three() -> Value {
    let mut user = entry("MM-3@1.0.0", "Send a slug by mail", &["mail"]);
    user["dependencies"] = json!(["MM-1@^1.0.0"]);
    json!([
        entry("MM-1@1.0.0", "Turn a title into a slug", &["text", "url"]),
        entry("MM-2@1.0.0", "Draw a circle", &["graphics"]),
        user,
    ])
}

fn keys(said: &Said) -> Vec<String> {
    let json = said.json();
    let results = json["results"].as_array().unwrap().iter();
    let key = |hit: &Value| hit["module_id"].as_str().unwrap().to_owned();
    results.map(key).collect()
}

#[test]
fn modules_are_added_found_shown_and_retired() {
    let world = World::new();
    world.write("three.json", &three().to_string());
    let added = index(&world, &["add", "three.json", "--json"]).exits(0);
    assert_eq!(
        added.json()["added"],
        json!(["MM-1@1.0.0", "MM-2@1.0.0", "MM-3@1.0.0"])
    );
    assert!(
        world
            .at(".proofhouse/state_store/code_index/index.sqlite")
            .is_file()
    );

    let found = index(&world, &["search", "make slugs of titles", "--json"]).exits(0);
    assert_eq!(keys(&found)[0], "MM-1");
    let first = &found.json()["results"][0];
    for score in ["similarity_score", "rank_score"] {
        let score = first[score].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&score));
    }
    let tagged = index(&world, &["search", "slug", "--tag", "graphics", "--json"]).exits(0);
    assert_eq!(keys(&tagged), ["MM-2"]);
    let typed = [
        "search",
        "slug",
        "--input-type",
        "bytes",
        "--output-type",
        "string",
        "--json",
    ];
    assert_eq!(keys(&index(&world, &typed).exits(0)), [""; 0]);
    let one = [
        "search",
        "slug",
        "--top-k",
        "1",
        "--ranking",
        "semantic",
        "--json",
    ];
    assert_eq!(keys(&index(&world, &one).exits(0)).len(), 1);
    let text = index(&world, &["search", "slug"]).exits(0);
    assert!(text.out.contains("MM-1@1.0.0"), "{}", text.out);

    let replaced = [
        "deprecate",
        "MM-1@1.0.0",
        "--because",
        "loses accents",
        "--replaced-by",
        "MM-3@1.0.0",
        "--json",
    ];
    let shown = index(&world, &replaced).exits(0).json();
    assert_eq!(shown["entry"]["status"], "DEPRECATED");
    assert_eq!(shown["entry"]["superseded_by"], "MM-3@1.0.0");
    assert!(
        shown["entry"]["notes"]
            .as_str()
            .unwrap()
            .contains("loses accents")
    );
    assert_eq!(shown["dependents"][0]["module"], "MM-3@1.0.0");
    assert!(!keys(&index(&world, &["search", "slug", "--json"])).contains(&"MM-1".into()));
    let all = ["search", "slug", "--include-inactive", "--json"];
    assert!(keys(&index(&world, &all)).contains(&"MM-1".into()));
    index(
        &world,
        &[
            "supersede",
            "MM-2@1.0.0",
            "MM-3@1.0.0",
            "--because",
            "why not",
        ],
    )
    .exits(0);
    let text = index(&world, &["show", "MM-2@1.0.0"]).exits(0);
    assert!(text.out.contains("SUPERSEDED"), "{}", text.out);

    let again = index(&world, &["reindex", "--json"]).exits(0).json();
    assert_eq!(
        (&again["entries"], &again["embedder"]),
        (&json!(3), &json!("built-in"))
    );
    let stats = index(&world, &["stats", "--json"]).exits(0).json();
    assert_eq!(
        (
            &stats["entries"],
            &stats["shipped"],
            &stats["deprecated"],
            &stats["superseded"]
        ),
        (&json!(3), &json!(1), &json!(1), &json!(1))
    );
    index(&world, &["stats"]).exits(0);
}

#[test]
fn the_users_index_is_another_one_and_needs_no_repository() {
    let world = World::new();
    world.write(
        "one.jsonl",
        &format!(
            "{}\n{}\n",
            entry("MM-1@1.0.0", "One", &[]),
            entry("MM-1@1.1.0", "One", &[])
        ),
    );
    index(&world, &["add", "one.jsonl", "--global"]).exits(0);
    index(&world, &["stats"]).refuses(1, "index_missing");
    let outside = tempfile::tempdir().unwrap();
    let mut command = world.command(&["index", "--global", "stats", "--json"]);
    command
        .env("XDG_DATA_HOME", world.at("data"))
        .current_dir(outside.path());
    let said: Said = command.output().unwrap().into();
    assert_eq!(said.exits(0).json()["entries"], 2);
    assert_eq!(index(&world, &["stats", "--global", "--project"]).code, 1);
}

#[test]
fn bad_input_is_refused_with_a_code_and_changes_nothing() {
    let world = World::new();
    index(&world, &["search", "x"]).refuses(1, "index_missing");
    assert!(!world.at(".proofhouse/state_store").exists());
    world.write("three.json", &three().to_string());
    index(&world, &["add", "three.json"]).exits(0);
    index(&world, &["add", "three.json"]).refuses(1, "index_entry_exists");
    for (text, code) in [
        (
            entry("MM-1@0.9.0", "Older", &[]).to_string(),
            "version_not_higher",
        ),
        (entry("MM-9@1.0.0", " ", &[]).to_string(), "bad_index_entry"),
        ("{\"module_id\": 3}".to_owned(), "bad_index_entry"),
        ("[1, 2".to_owned(), "unreadable_entries"),
        ("".to_owned(), "bad_index_entry"),
    ] {
        world.write("bad.json", &text);
        index(&world, &["add", "bad.json"]).refuses(1, code);
    }
    std::fs::write(world.at("bytes.json"), [0xff, 0xfe]).unwrap();
    let deprecate =
        |key: &str, because: &str| index(&world, &["deprecate", key, "--because", because]);
    index(&world, &["add", "bytes.json"]).refuses(1, "unreadable_entries");
    index(&world, &["add", "no-such-file"]).refuses(1, "unreadable_entries");
    index(&world, &["show", "MM-9@1.0.0"]).refuses(1, "unknown_module");
    index(&world, &["show", "MM-1"]).refuses(1, "bad_module_reference");
    deprecate("MM-9@1.0.0", "why").refuses(1, "unknown_module");
    deprecate("MM-1@1.0.0", " ").refuses(1, "bad_note");
    index(
        &world,
        &["supersede", "MM-1@1.0.0", "MM-9@1.0.0", "--because", "x"],
    )
    .refuses(1, "bad_replacement");
    index(&world, &["search", " "]).refuses(1, "bad_query");
    index(&world, &["search", "x", "--top-k", "0"]).refuses(1, "bad_query");
    index(&world, &["reindex", "--embedder", "magic"]).refuses(1, "bad_embedder");
    index(&world, &["reindex", "--embedder", "folder:nowhere"]).refuses(3, "embedder_failed");
    let json = index(&world, &["show", "MM-9@1.0.0", "--json"]).exits(1);
    let error: Value = serde_json::from_str(&json.err).unwrap();
    assert_eq!(error["error"]["code"], "unknown_module");
    let stats = index(&world, &["stats", "--json"]).json();
    assert_eq!(
        (&stats["entries"], &stats["shipped"]),
        (&json!(3), &json!(3))
    );
}

#[test]
fn broken_files_and_places_are_the_environments() {
    let world = World::new();
    world.write(
        ".proofhouse/state_store/code_index/index.sqlite",
        &"no database ".repeat(200),
    );
    index(&world, &["stats"]).refuses(3, "index_corrupt");
    world.write("three.json", &three().to_string());
    index(&world, &["add", "three.json"]).refuses(3, "index_corrupt");
    // A file where the folder should be.
    world.write("data/proofhouse", "");
    index(&world, &["add", "three.json", "--global"]).refuses(3, "index_read_only");
}

/// A repository comes from others: it may not say where a key goes.
#[test]
fn a_repository_cannot_choose_the_endpoint() {
    let world = World::new();
    world.write(
        ".proofhouse/config.toml",
        "[index]\nurl = \"https://elsewhere.example.org\"\n",
    );
    index(&world, &["stats"]).refuses(1, "setting_not_for_repository");
}
