//! `search_code_index` for the product role, through the real binary and the tool loop of a model over
//! an API: it finds what is in the project's index, filters as rule F14.3 says, and writes nothing.

use crate::product::{answers, good, with_model};
use serde_json::{Value, json};
use testkit::model_server::{Call, ModelServer, Script, Turn};

fn entry(id: &str, purpose: &str, tags: &[&str], input: &str) -> Value {
    json!({
        "module_id": id, "version": "1.0.0", "name": id.to_lowercase(), "purpose": purpose,
        "tags": tags, "contract_ref": "c", "examples_ref": "e", "ship_ref": "s",
        "io_summary": {"inputs": [input], "outputs": ["parts: string"],
            "error_surfaces": ["Malformed"], "effects": [], "modes": ["sync"]},
        "dependencies": [], "status": "SHIPPED", "notes": "",
    })
}

fn found(answer: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(answer).unwrap_or_else(|error| {
        panic!("{error} in {answer}");
    });
    let results = answer["results"].as_array().unwrap().iter();
    let id = |hit: &Value| hit["module_id"].as_str().unwrap().to_owned();
    results.map(id).collect()
}

#[test]
fn s14_3_the_product_role_finds_shipped_modules_by_meaning_tags_and_types() {
    let search = |with: Value| Call::tool("search_code_index", with);
    let spec: Value = serde_json::from_str(&good("Found")).unwrap();
    let query = "turn a title into a slug";
    let server = ModelServer::start(Script::new([
        Turn::calls([
            search(json!({"query": query})),
            search(json!({"query": query, "tags": ["graphics"], "input_types": null})),
            search(json!({"query": query, "input_types": ["bytes"]})),
            search(json!({"query": query, "top_k": 1})),
            search(json!({"query": query, "include_inactive": true})),
            search(json!({"query": query, "tag": "graphics"})),
            search(json!({"query": query, "tags": "graphics"})),
            search(json!({"tags": ["graphics"]})),
        ]),
        Turn::call(Call::tool("emit_structured_spec", json!({ "spec": spec }))),
    ]))
    .unwrap();
    let world = with_model(&server, "");
    let entries = json!([
        entry(
            "MM-slug",
            "Turns a title into a slug",
            &["text", "url"],
            "title: string"
        ),
        entry(
            "MM-circle",
            "Draws a circle",
            &["graphics"],
            "radius: number"
        ),
        entry("MM-packed", "Packs lines", &["text"], "line: bytes"),
        entry(
            "MM-old",
            "Turns a title into a slug, badly",
            &["text"],
            "title: string"
        ),
    ]);
    world.write("agent/entries.json", &entries.to_string());
    let add = ["index", "add", "agent/entries.json", "--project"];
    world.run(&add).exits(0);
    let deprecate = [
        "index",
        "deprecate",
        "MM-old@1.0.0",
        "--project",
        "--because",
        "loses accents",
    ];
    world.run(&deprecate).exits(0);
    let index = ".proofhouse/state_store/code_index/index.sqlite";
    let before = std::fs::read(world.at(index)).unwrap();
    world.run(&["factory", "run", "p"]).exits(2);
    let answers = answers(&server);
    assert_eq!(answers.len(), 8, "{answers:#?}");
    // The nearest first, and nobody is offered what was put out of use.
    let all = found(&answers[0]);
    assert_eq!(all[0], "MM-slug", "{all:?}");
    assert_eq!(all.len(), 3, "{all:?}");
    let first: Value = serde_json::from_str(&answers[0]).unwrap();
    let first = &first["results"][0];
    let score = first["similarity_score"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&score), "{first}");
    for (member, wanted) in [
        ("purpose", json!("Turns a title into a slug")),
        ("version", json!("1.0.0")),
        ("tags", json!(["text", "url"])),
    ] {
        assert_eq!(first[member], wanted, "{first}");
    }
    assert!(first.to_string().contains("Malformed"), "{first}");
    assert_eq!(found(&answers[1]), ["MM-circle"]);
    assert_eq!(found(&answers[2]), ["MM-packed"]);
    assert_eq!(found(&answers[3]), ["MM-slug"]);
    let every = found(&answers[4]);
    assert!(
        every.contains(&"MM-old".to_owned()) && every.len() == 4,
        "{every:?}"
    );
    // What is called wrongly is told what is wrong, and the model goes on.
    for (answer, word) in [(5, "tag"), (6, "list"), (7, "query")] {
        let said = &answers[answer];
        assert!(
            said.contains(word) && said.contains("call it again"),
            "{said}"
        );
    }
    assert_eq!(std::fs::read(world.at(index)).unwrap(), before);
}
