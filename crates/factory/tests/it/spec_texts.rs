//! The texts of a new spec are what people see: nothing unseen, nothing that poses, no placeholder behind
//! another alphabet, and no criterion that is counted twice. Specs of before are read as they were.

use crate::samples::spec;
use factory::engineering::kind::HOLDS;
use factory::spec::{read, read_new};
use serde_json::{Value, json};

const TASK: &str = "/pillars/0/epics/0/stories/0/tasks/0";

/// The errors of a spec with one value changed: code and place.
fn found(pointer: &str, value: Value) -> Vec<(String, String)> {
    let mut spec = spec();
    *spec.pointer_mut(pointer).unwrap() = value;
    let bytes = serde_json::to_vec(&spec).unwrap();
    assert!(
        read(&bytes).is_ok(),
        "a project of before has it: {pointer}"
    );
    assert!(read_new(&bytes, HOLDS - 1).is_ok(), "{pointer}");
    let errors = read_new(&bytes, HOLDS)
        .err()
        .map_or(Vec::new(), |report| report.errors);
    for one in &errors {
        assert!(one.line.is_some(), "{one:?}");
    }
    let errors = errors.iter();
    errors
        .map(|one| (one.code.to_string(), one.whole_path()))
        .collect()
}

fn code(pointer: &str, text: &str) -> String {
    let found = found(pointer, json!(text));
    let codes: Vec<&str> = found.iter().map(|(code, _)| code.as_str()).collect();
    codes.join(" ")
}

#[test]
fn s3_2_3_characters_that_hide_or_pose_are_refused_wherever_they_stand() {
    let places = [
        "/title".to_owned(),
        "/pillars/0/rationale".to_owned(),
        format!("{TASK}/description"),
        format!("{TASK}/acceptance_criteria/0"),
        format!("{TASK}/io_contract_sketch/inputs"),
    ];
    for place in &places {
        for text in [
            "returns the whole li\u{200b}st of names",
            "returns the \u{202e}tsil\u{202c} of all names",
            "returns the whole list\u{e0041} of names",
        ] {
            assert_eq!(code(place, text), "unseen_character", "{place}");
        }
        for text in [
            "returns the whol\u{435} list of names",
            "returns the \u{440}\u{430}\u{443} of all names",
        ] {
            assert_eq!(code(place, text), "look_alike", "{place}");
        }
        for text in [
            "returns the list that José Łukasz-Żuk wrote",
            "возвращает список имён, returns the list",
            "名前の一覧を返す returns a list",
            "returns 👩\u{200d}💻 for each of the names",
            "می\u{200c}خواهم returns the whole list",
        ] {
            assert_eq!(code(place, text), "", "{place}");
        }
    }
    let place = format!("{TASK}/acceptance_criteria/1");
    let at = "$.pillars[0].epics[0].stories[0].tasks[0].acceptance_criteria[1]";
    assert_eq!(
        found(&place, json!("raises\u{2066} an error")),
        [("unseen_character".to_owned(), at.to_owned())]
    );
}

#[test]
fn s3_2_3_a_placeholder_is_one_in_whatever_letters() {
    let place = format!("{TASK}/io_contract_sketch/effects");
    assert_eq!(code(&place, "\u{ff34}\u{ff22}\u{ff24}"), "placeholder");
    assert_eq!(code(&place, "\u{1d413}\u{1d401}\u{1d403}"), "placeholder");
    assert_eq!(code(&place, "\u{422}\u{412}D"), "look_alike placeholder");
    assert_eq!(code(&place, "T\u{200b}BD"), "unseen_character placeholder");
    assert_eq!(code(&place, "нет, функция чистая"), "");
}

#[test]
fn s3_2_3_a_criterion_twice_is_one() {
    for list in ["acceptance_criteria", "subtasks"] {
        let place = format!("{TASK}/{list}");
        let codes = |texts: &[&str]| -> Vec<String> {
            let found = found(&place, json!(texts)).into_iter();
            found.map(|(code, _)| code).collect()
        };
        assert_eq!(
            codes(&["returns the sum of all", "returns the sum of all"]),
            ["too_few"]
        );
        assert_eq!(
            codes(&[
                "returns the sum of all",
                "Returns  the sum of all.",
                "RETURNS THE SUM OF ALL!"
            ]),
            ["too_few"]
        );
        assert_eq!(
            codes(&["returns 1 for one name", "returns 2 for two names"]),
            [""; 0]
        );
        assert_eq!(
            codes(&["返回总和，即使为空", "拒绝空行，返回错误"]),
            [""; 0]
        );
        // A third beside two others is merely said again.
        assert_eq!(
            codes(&["returns the sum", "returns the sum", "rejects a blank line"]),
            [""; 0]
        );
    }
}

#[test]
fn s3_2_3_rule_6_placeholders() {
    for text in [
        "TBD",
        "tbd.",
        "N/A",
        "n/a",
        "Inputs: TODO",
        "todo",
        "(TBD)",
        "To be determined",
        "not applicable",
        "...",
        "a list, tbd",
        "???",
        "TODO: later",
        "todo: later",
        "-",
    ] {
        assert!(kernel::form::placeholder(text).is_some(), "{text}");
    }
    for text in [
        "none",
        "a list of todo items",
        "Todo objects, non-empty",
        "no side effects",
        "sync, since it is pure",
        "id of an unknown user -> NotFound",
    ] {
        assert_eq!(kernel::form::placeholder(text), None, "{text}");
    }
}
