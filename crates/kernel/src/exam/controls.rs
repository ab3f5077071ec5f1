//! An exam is an instrument too: it must fail on a product that does nothing, on one that always gives
//! the same answer and on one that answers anything at all. These products need no room: what they
//! answer is known.

use super::answers::Answer;
use super::claims::holds;
use crate::exam::{Case, Relation, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A product that is surely wrong.
enum Wrong {
    /// There is nothing to call.
    Empty,
    /// Whatever is asked, it says this.
    Always(Answer),
    /// Each answer is another one, and means nothing.
    Noise,
}

impl Wrong {
    fn answers(&self, case: &Case) -> Vec<Answer> {
        let answer = |number: usize| match self {
            Wrong::Empty => Answer::Missing,
            Wrong::Always(answer) => answer.clone(),
            Wrong::Noise => Answer::Value(json!(format!("{} {number} is noise", case.id))),
        };
        (0..case.steps.len()).map(answer).collect()
    }
}

/// Why a case cannot fail; none: it can.
pub fn cannot_fail(case: &Case, all: &[&Case]) -> Option<&'static str> {
    let passes = |wrong: &Wrong| holds(case, &wrong.answers(case));
    if passes(&Wrong::Empty) {
        return Some("it holds where there is nothing to call");
    }
    let mut every = constants(all);
    every.push(Wrong::Noise);
    every
        .iter()
        .all(passes)
        .then_some("it holds whatever is answered")
}

/// What the cases together do not notice, in words without a value; with `each`, also what those of one call do
/// not.
pub fn unnoticed(cases: &[&Case], each: bool) -> Option<String> {
    let blind = |wrong: &Wrong| cases.iter().all(|case| holds(case, &wrong.answers(case)));
    if blind(&Wrong::Noise) {
        return Some("a product that answers anything at all passes".to_owned());
    }
    if constants(cases).iter().any(blind) {
        return Some("a product that always gives the same answer passes".to_owned());
    }
    if !each {
        return None;
    }
    // The same for each function by itself: the others may be right.
    let mut calls: Vec<&str> = Vec::new();
    for step in cases.iter().flat_map(|case| &case.steps) {
        if !calls.contains(&step.call.as_str()) {
            calls.push(&step.call);
        }
    }
    let of = |call: &str| -> Vec<&Case> {
        let own = |case: &&&Case| case.steps.iter().all(|step| step.call == call);
        cases.iter().filter(own).copied().collect()
    };
    calls
        .into_iter()
        .filter(|call| {
            let own = of(call);
            // A function that is only asked together with others is judged with them.
            let composed = cases.len() > own.len()
                && cases.iter().any(|case| {
                    let mut calls = case.steps.iter().map(|step| step.call.as_str());
                    calls.any(|one| one == *call) && !own.iter().any(|one| one.id == case.id)
                });
            !own.is_empty()
                && !composed
                && constants(&own)
                    .iter()
                    .any(|wrong| own.iter().all(|case| holds(case, &wrong.answers(case))))
        })
        .map(|call| format!("`{call}` passes if it always gives the same answer"))
        .next()
}

/// An input that is the same in every case, so that a product which ignores it passes; in words without a
/// value. Texts may have to be what they are: a place, a unit.
pub fn ignored(cases: &[&Case]) -> Option<String> {
    /// With fewer there is nothing to vary.
    const LEAST: usize = 3;
    let mut calls: BTreeMap<&str, Vec<&Step>> = BTreeMap::new();
    for step in cases.iter().flat_map(|case| &case.steps) {
        calls.entry(&step.call).or_default().push(step);
    }
    calls.retain(|_, steps| steps.len() >= LEAST);
    let same = |values: &[Option<&Value>]| {
        let first = values.first().copied().flatten();
        first.is_some_and(|one| one.is_number() || one.is_boolean() || one.is_array())
            && values.iter().all(|value| *value == first)
    };
    let said = |call: &str, which: String| {
        format!("`{call}` passes if it ignores {which}, which is the same in every case")
    };
    calls.iter().find_map(|(call, steps)| {
        let of = |at: usize| -> Vec<Option<&Value>> {
            steps.iter().map(|step| step.with.get(at)).collect()
        };
        let by_place = (0..steps[0].with.len()).find(|at| same(&of(*at)));
        let mut names = steps[0].named.keys();
        let by_name = names.find(|name| {
            let values: Vec<_> = steps.iter().map(|step| step.named.get(*name)).collect();
            same(&values)
        });
        match (by_place, by_name) {
            (Some(at), _) => Some(said(call, format!("its input {}", at + 1))),
            (None, Some(name)) => Some(said(call, format!("its input `{name}`"))),
            (None, None) => None,
        }
    })
}

/// Products that always give the same answer: each that a case hopes for, and the usual ones.
fn constants(cases: &[&Case]) -> Vec<Wrong> {
    let mut errors: Vec<(String, String)> = vec![("Error".to_owned(), String::new())];
    for case in cases {
        // All that it hopes of what a failure says, together.
        let says = |number: usize| {
            let own = case.holds.iter().filter(|claim| claim.of == number);
            let texts = own.filter(|claim| claim.is != Relation::Fails);
            let texts = texts.filter_map(|claim| claim.value.as_ref()?.as_str());
            texts.collect::<Vec<_>>().join(" ")
        };
        let failing = case.holds.iter().filter(|one| one.is == Relation::Fails);
        errors.extend(failing.map(|claim| {
            let name = claim.value.as_ref().and_then(Value::as_str);
            (name.unwrap_or("Error").to_owned(), says(claim.of))
        }));
    }
    let errors = errors.into_iter();
    let errors = errors.map(|(name, says)| Wrong::Always(Answer::Error(vec![name], says)));
    let values = hoped_for(cases).into_iter();
    let values = values.map(|value| Wrong::Always(Answer::Value(value)));
    errors.chain(values).collect()
}

/// Each value that a case hopes for, and the usual ones.
pub(super) fn hoped_for(cases: &[&Case]) -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
    ];
    for case in cases {
        let claims = case.holds.iter();
        let claims = claims.filter(|claim| claim.is != Relation::Fails);
        let hoped = claims.filter_map(|claim| Some(placed(&claim.at, claim.value.as_ref()?)));
        values.extend(hoped);
        // All that it hopes of one answer, together.
        for number in 0..case.steps.len() {
            let mut whole = Value::Null;
            let own = case.holds.iter().filter(|claim| claim.of == number);
            for claim in own.filter(|claim| claim.is == Relation::Equals) {
                if let Some(value) = &claim.value {
                    merge(&mut whole, placed(&claim.at, value));
                }
            }
            values.push(whole);
        }
    }
    values
}

/// A value that has this at that place.
pub(super) fn placed(at: &str, value: &Value) -> Value {
    let keys = at.split('/').skip(1).collect::<Vec<_>>();
    keys.into_iter().rev().fold(value.clone(), |inner, key| {
        let key = key.replace("~1", "/").replace("~0", "~");
        match key.parse::<usize>() {
            Ok(number) if number < 100 => {
                let mut items = vec![Value::Null; number];
                items.push(inner);
                Value::Array(items)
            }
            _ => json!({ key: inner }),
        }
    })
}

pub(super) fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(from)) => {
            for (number, value) in from.into_iter().enumerate() {
                match into.get_mut(number) {
                    Some(place) if !value.is_null() => merge(place, value),
                    Some(_) => {}
                    None => into.push(value),
                }
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, steps: Value, holds: Value) -> Case {
        serde_json::from_value(json!({"id": id, "clause": "c", "steps": steps, "holds": holds}))
            .unwrap()
    }

    fn asks(id: &str, input: &str, claim: Value) -> Case {
        case(
            id,
            json!([{"call": "m:f", "with": [input]}]),
            json!([claim]),
        )
    }

    #[test]
    fn a_case_that_cannot_fail_is_named() {
        let real = asks("C1", "a", json!({"of": 0, "is": "equals", "value": 4}));
        let error = asks(
            "C2",
            "a",
            json!({"of": 0, "is": "fails", "value": "ValueError"}),
        );
        let ordered = asks("C4", "a", json!({"of": 0, "is": "differs", "value": 4}));
        let all = [&real, &error, &ordered];
        for can in all {
            assert_eq!(cannot_fail(can, &all), None, "{}", can.id);
        }
        // The same call twice is the same, whatever it says, unless it says noise.
        let twice = json!([{"call": "m:f", "with": [1]}, {"call": "m:f", "with": [1]}]);
        let steady = case("C5", twice, json!([{"of": 0, "is": "same", "other": 1}]));
        assert_eq!(cannot_fail(&steady, &all), None);
        let itself = case(
            "C6",
            json!([{"call": "m:f"}]),
            json!([{"of": 0, "is": "same", "other": 0}]),
        );
        // An answer that is an error is no value, so even this can fail; it notices nothing else.
        assert!(unnoticed(&[&itself], true).is_some());
    }

    #[test]
    fn an_input_that_never_varies_is_named_and_a_text_may_have_to_be_what_it_is() {
        let of = |with: Value| {
            case(
                "C",
                json!([{"call": "m:f", "with": with}]),
                json!([{"of": 0, "is": "fails"}]),
            )
        };
        let [one, two, three] = [[1, 2], [3, 2], [5, 2]].map(|with| of(json!(with)));
        let why = ignored(&[&one, &two, &three]).unwrap();
        assert!(why.contains("ignores its input 2"), "{why}");
        assert_eq!(ignored(&[&one, &two]), None);
        let other = of(json!([5, 4]));
        assert_eq!(ignored(&[&one, &two, &other]), None);
        let [one, two, three] = [1, 2, 3].map(|price| of(json!([price, "EUR"])));
        assert_eq!(ignored(&[&one, &two, &three]), None);
    }

    #[test]
    fn an_exam_with_one_answer_does_not_notice_it() {
        let one = asks("C1", "a", json!({"of": 0, "is": "equals", "value": 4}));
        let same = asks("C2", "b", json!({"of": 0, "is": "equals", "value": 4}));
        let other = asks("C3", "c", json!({"of": 0, "is": "equals", "value": 5}));
        assert!(
            unnoticed(&[&one, &same], true)
                .unwrap()
                .contains("same answer")
        );
        assert_eq!(unnoticed(&[&one, &same, &other], true), None);
        let deep = |id: &str, n: u64| {
            case(
                id,
                json!([{"call": "m:f"}]),
                json!([
                    {"of": 0, "at": "/a/1", "is": "equals", "value": n},
                    {"of": 0, "at": "/b", "is": "equals", "value": "x"},
                ]),
            )
        };
        assert!(unnoticed(&[&deep("C1", 1), &deep("C2", 1)], true).is_some());
        assert_eq!(unnoticed(&[&deep("C1", 1), &deep("C2", 2)], true), None);
    }

    #[test]
    fn each_function_is_asked_for_two_answers() {
        let f =
            |id: &str, value: u64| asks(id, "a", json!({"of": 0, "is": "equals", "value": value}));
        let g = case(
            "G",
            json!([{"call": "m:g"}]),
            json!([{"of": 0, "is": "equals", "value": 9}]),
        );
        let said = unnoticed(&[&f("C1", 1), &f("C2", 2), &g], true).unwrap();
        assert!(said.contains("`m:g`"), "{said}");
    }
}
