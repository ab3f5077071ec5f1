//! Our reader takes exactly the texts that `serde_json` takes, and reads the same out of them.

use kernel::json::{Document, FaultKind, Kind, Value as Ours};
use proptest::prelude::*;
use serde_json::Value;

/// The same value, made of our nodes.
fn rebuilt(value: Ours<'_, '_>, text: &str) -> Value {
    match value.kind() {
        Kind::Null => Value::Null,
        Kind::Text => Value::String(value.text().unwrap().into_owned()),
        Kind::List => value.children().map(|item| rebuilt(item, text)).collect(),
        Kind::Object => {
            let member = |child: Ours<'_, '_>| (child.key().into_owned(), rebuilt(child, text));
            Value::Object(value.children().map(member).collect())
        }
        Kind::Bool | Kind::Number => {
            let mut rest = serde_json::Deserializer::from_str(&text[value.offset()..]).into_iter();
            rest.next().unwrap().unwrap()
        }
    }
}

fn agrees(text: &str) {
    let theirs: Result<Value, _> = serde_json::from_str(text);
    match (Document::parse(text.as_bytes()), theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(rebuilt(ours.root(), text), theirs, "{text}"),
        (Err(_), Err(_)) => {}
        (Ok(ours), Err(error)) => {
            // What they refuse and we report.
            let reported = [FaultKind::LoneSurrogate, FaultKind::NumberBeyond];
            let known = ours.faults.iter().any(|f| reported.contains(&f.kind));
            assert!(known, "{text}: {error}");
        }
        (Err(error), Ok(_)) => panic!("{text}: {error}"),
    }
}

#[test]
fn agrees_where_it_is_easy_to_be_wrong() {
    for text in [
        "",
        " ",
        "null",
        "nul",
        "nulll",
        "true",
        "tru",
        "[]",
        "[",
        "]",
        "[1,]",
        "[,1]",
        "{}",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1 \"b\":2}",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ude00\"",
        "\"\t\"",
        "\"\u{7f}\"",
        "\"\\/\\b\\f\\n\\r\\t\\\\\\\"\"",
        "0",
        "-0",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1.5",
        "1e5",
        "1e",
        "1e+",
        "1E-5",
        "-1.5e+3",
        "1 2",
        "[1]x",
        "\u{feff}1",
        "9007199254740993",
        "1e400",
        "18446744073709551616",
        "\u{a0}1",
        "/*x*/1",
        "{\"\\u0061\":1}",
        "[[],{},[{}]]",
        "NaN",
        "Infinity",
        "\"é\u{1f600}\"",
        "\0",
        "[\0]",
    ] {
        agrees(text);
    }
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(Document::parse(deep(100).as_bytes()).is_ok());
    let error = Document::parse(deep(101).as_bytes()).unwrap_err();
    assert_eq!((error.code, error.column), ("too_deep", 101));
    assert!(Document::parse("[".repeat(1_000_000).as_bytes()).is_err());
}

#[test]
fn errors_have_a_place() {
    let error = Document::parse(b"{\n \"a\": \xff\n}").unwrap_err();
    assert_eq!(
        (error.code, error.line, error.column),
        ("invalid_unicode", 2, 7)
    );
    let error = Document::parse("{\n \"é\": x\n}".as_bytes()).unwrap_err();
    assert_eq!(
        (error.code, error.line, error.column),
        ("invalid_json", 2, 7)
    );
    let error = Document::parse(b"{\"a\": \"b").unwrap_err();
    assert!(error.what.contains("no end"), "{error}");
}

#[test]
fn faults_have_a_path() {
    let text = r#"{"a":[1,{"b":1,"\u0062":9007199254740993}],"c":"\ud800"}"#;
    let document = Document::parse(text.as_bytes()).unwrap();
    let faults: Vec<_> = document
        .faults
        .iter()
        .map(|fault| (fault.kind, document.path_to(fault.offset)))
        .collect();
    let path = |path: &str, field: &str| (path.to_owned(), field.to_owned());
    assert_eq!(
        faults,
        [
            (FaultKind::NumberBeyond, path("$.a[1]", "b")),
            (FaultKind::DuplicateKey, path("$.a[1]", "b")),
            (FaultKind::LoneSurrogate, path("$", "c")),
        ]
    );
}

#[test]
fn repeated_keys_are_found_in_small_and_large_objects() {
    for size in [2, 12, 13, 500] {
        let mut members: Vec<String> = (0..size).map(|n| format!("\"k{n}\":0")).collect();
        members.push("\"k1\":1".to_owned());
        let text = format!("{{{}}}", members.join(","));
        let document = Document::parse(text.as_bytes()).unwrap();
        assert_eq!(document.faults.len(), 1, "{size}");
        assert_eq!(document.faults[0].offset, text.rfind("k1").unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_on_random_texts(text in "[\\[\\]{},:\"\\\\ue0-9.+\\-truefalsn \n]{0,24}") {
        agrees(&text);
    }

    #[test]
    fn agrees_on_damaged_specs(at in 0usize..2_500, byte in 0u8..128) {
        let mut bytes = serde_json::to_vec(&crate::samples::spec()).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(text) = std::str::from_utf8(&bytes) {
            agrees(text);
        }
    }
}
