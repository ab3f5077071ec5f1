//! An OpenAI-compatible endpoint, played by a server of one thread on this machine.

use crate::support::{Folder, NOW, entry};
use index::embed::{self, KeySource, Settings};
use index::{Ranking, SearchRequest};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

/// What the server was asked: the key it was shown, and the body.
struct Asked {
    key: String,
    body: Value,
}

/// Answers every request with what `answer` says: a status and a body.
fn server(
    answer: impl Fn(&Value) -> (u16, String) + Send + 'static,
) -> (Settings, Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (send, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut length, mut key, mut line) = (0, String::new(), String::new());
            while reader.read_line(&mut line).unwrap_or(0) > 2 {
                let lower = line.to_lowercase();
                if let Some(value) = lower.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if lower.starts_with("authorization:") {
                    key = line["authorization:".len()..].trim().to_owned();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            let (status, text) = answer(&body);
            let size = text.len();
            let head = format!(
                "HTTP/1.1 {status} x\r\nlocation: http://127.0.0.1:1/\r\nconnection: close\r\ncontent-length: {size}\r\n\r\n"
            );
            let _ = stream.write_all(format!("{head}{text}").as_bytes());
            let _ = send.send(Asked { key, body });
        }
    });
    let key = KeySource::Variable("PROOFHOUSE_TEST_NO_SUCH_KEY".into());
    (Settings { url, key }, asked)
}

fn vector(text: &str) -> Vec<f32> {
    let sum: u32 = text.bytes().map(u32::from).sum();
    (0..256)
        .map(|at| ((at + 1) as f32 * sum as f32).sin())
        .collect()
}

/// Vectors for all texts, in reversed order: the index says which is whose.
fn good(body: &Value) -> (u16, String) {
    let texts = body["input"].as_array().cloned().unwrap_or_default();
    let items: Vec<Value> = texts
        .iter()
        .enumerate()
        .rev()
        .map(|(at, text)| json!({"index": at, "embedding": vector(text.as_str().unwrap())}))
        .collect();
    (200, json!({ "data": items }).to_string())
}

#[test]
fn an_endpoint_embeds_adds_and_searches() {
    let (settings, asked) = server(good);
    let embedder = embed::open("openai:some-model", &settings).unwrap();
    assert_eq!(embedder.dimensions(), 256);
    let texts: Vec<String> = (0..70).map(|at| format!("text {at}")).collect();
    let vectors = embedder.embed(&texts).unwrap();
    assert!(
        texts
            .iter()
            .zip(&vectors)
            .all(|(text, found)| *found == vector(text))
    );
    let first = asked.recv().unwrap();
    assert_eq!(first.body["model"], "some-model");
    assert_eq!(first.key, "");
    // In batches.
    assert_eq!(
        asked.recv().unwrap().body["input"]
            .as_array()
            .unwrap()
            .len(),
        64
    );
    assert_eq!(
        asked.recv().unwrap().body["input"]
            .as_array()
            .unwrap()
            .len(),
        6
    );

    let folder = Folder::new();
    let mut index = folder.open();
    index.add(&[entry("MM-1", "one")], &*embedder, NOW).unwrap();
    let hits = index.search(&SearchRequest::new("one"), Ranking::Fused, &*embedder);
    assert_eq!(hits.unwrap().len(), 1);
    assert_eq!(
        index.embedder_spec().unwrap().as_deref(),
        Some("openai:some-model")
    );
}

#[test]
fn dimensions_are_asked_for_and_the_key_is_sent_to_this_host_alone() {
    let (mut settings, asked) = server(good);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, "the-key-itself\n").unwrap();
    settings.key = KeySource::File(file);
    let embedder = embed::open("openai:some-model@256", &settings).unwrap();
    embedder.embed(&["x".into()]).unwrap();
    let seen = asked.recv().unwrap();
    assert_eq!(seen.body["dimensions"], 256);
    assert_eq!(seen.key, "Bearer the-key-itself");
    assert_eq!(embedder.spec(), "openai:some-model@256");
}

#[test]
fn wrong_answers_are_refused_and_keys_do_not_show() {
    let cases: [(u16, String, &str); 7] = [
        (
            401,
            "wrong key the-key-itself".into(),
            "answered 401: wrong key [key]",
        ),
        (307, String::new(), "answered 307"),
        (200, "no json".into(), "not a list of vectors"),
        (200, json!({"data": []}).to_string(), "fewer vectors"),
        (
            200,
            json!({"data": [{"index": 3, "embedding": [1.0]}]}).to_string(),
            "wrong index",
        ),
        (
            200,
            json!({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]})
                .to_string(),
            "wrong index",
        ),
        (500, "x".repeat(10_000), "answered 500"),
    ];
    for (status, text, expected) in cases {
        let (mut settings, _asked) = server(move |_| (status, text.clone()));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "the-key-itself").unwrap();
        settings.key = KeySource::File(file);
        let error = embed::open("openai:some-model", &settings).err().unwrap();
        assert_eq!(error.code(), "embedder_failed");
        let said = error.to_string();
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains("the-key-itself"), "{said}");
        assert!(said.len() < 1_000);
    }
}

#[test]
fn a_missing_key_and_a_wrong_name_are_said_clearly() {
    let away = |key| Settings {
        url: "https://api.example.org/v1".into(),
        key,
    };
    let variable = KeySource::Variable("PROOFHOUSE_TEST_NO_SUCH_KEY".into());
    let error = embed::open("openai:m", &away(variable.clone()))
        .err()
        .unwrap();
    assert_eq!(error.code(), "embedder_no_key");
    let file = KeySource::File("/no/such/file".into());
    let error = embed::open("openai:m", &away(file)).err().unwrap();
    assert_eq!(error.code(), "embedder_no_key");
    let clear = Settings {
        url: "http://api.example.org/v1".into(),
        key: variable.clone(),
    };
    assert_eq!(
        embed::open("openai:m", &clear).err().unwrap().code(),
        "bad_embedder"
    );
    for spec in [
        "",
        "openai",
        "openai:",
        "openai:m@many",
        "folder:",
        "minilm",
        "Built-In",
    ] {
        let error = embed::open(spec, &away(variable.clone())).err().unwrap();
        assert_eq!(error.code(), "bad_embedder", "{spec}");
    }
    let gone = embed::open("folder:/no/such/folder", &Settings::default());
    assert_eq!(gone.err().unwrap().code(), "embedder_failed");
    assert_eq!(
        embed::open("built-in", &Settings::default())
            .unwrap()
            .spec(),
        "built-in"
    );
}
