//! Does a case hold of the answers? Compared outside of the room, where the product cannot reach.

use super::answers::Answer;
use crate::exam::{Case, Claim, Relation};
use serde_json::Value;

/// What a number that JSON has not is written as.
const NUMBER: &str = "$number";

/// Does all of it hold?
pub fn holds(case: &Case, answers: &[Answer]) -> bool {
    answers.len() == case.steps.len()
        && case
            .holds
            .iter()
            .all(|claim| claim_holds(case, claim, answers))
}

/// Does this one?
pub fn claim_holds(case: &Case, claim: &Claim, answers: &[Answer]) -> bool {
    let Some(answer) = answers.get(claim.of) else {
        return false;
    };
    if claim.is == Relation::Fails {
        let Answer::Error(names, _) = answer else {
            return false;
        };
        return match &claim.value {
            Some(Value::String(name)) => names.contains(name),
            Some(_) => false,
            None => true,
        };
    }
    let part = |number: usize, answer: &Answer, at: &str| match (case.fails(number), answer) {
        // What is claimed of a call that must fail is claimed of what the failure says.
        (true, Answer::Error(_, says)) if at.is_empty() => Some(Value::from(says.as_str())),
        (false, Answer::Value(value)) => value.pointer(at).cloned(),
        _ => None,
    };
    let Some(found) = part(claim.of, answer, claim.at.as_str()) else {
        return false;
    };
    let found = &found;
    if let Some(number) = claim.other {
        let at = claim.other_at.as_deref().unwrap_or(&claim.at);
        let other = answers.get(number);
        let other = other.and_then(|answer| part(number, answer, at));
        return other.is_some_and(|other| match claim.is {
            Relation::Same => same(found, &other),
            Relation::Other => !same(found, &other),
            _ => false,
        });
    }
    let Some(value) = &claim.value else {
        return false;
    };
    let numbers = found.as_f64().zip(value.as_f64());
    match claim.is {
        Relation::Equals => same(found, value),
        Relation::Differs => !same(found, value),
        Relation::Less => numbers.is_some_and(|(found, value)| found < value),
        Relation::More => numbers.is_some_and(|(found, value)| found > value),
        Relation::Close => numbers
            .zip(claim.within)
            .is_some_and(|((found, value), within)| (found - value).abs() <= within),
        Relation::Contains => contains(found, value),
        Relation::Same | Relation::Other | Relation::Fails => false,
    }
}

fn contains(found: &Value, value: &Value) -> bool {
    match (found, value) {
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Array(items), value) => items.iter().any(|item| same(item, value)),
        (Value::Object(members), Value::String(key)) => members.contains_key(key),
        _ => false,
    }
}

/// The same value: 1 and 1.0 are one number, `true` is none, and NaN is a value of its own.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => one == other,
            _ => one.as_f64() == other.as_f64(),
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| {
                    let other = other.get(key);
                    other.is_some_and(|other| match key == NUMBER {
                        true => value == other,
                        false => same(value, other),
                    })
                })
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn case(holds: Value) -> Case {
        let steps = vec![json!({"call": "m:f"}); 4];
        let case = json!({"id": "C", "clause": "c", "steps": steps, "holds": holds});
        serde_json::from_value(case).unwrap()
    }

    #[test]
    fn each_relation_holds_and_does_not() {
        let answers = [
            Answer::Value(json!({"a": [1, "x"], "t": "hello"})),
            Answer::Value(json!(1.0)),
            Answer::Error(
                vec!["KeyError".to_owned(), "LookupError".to_owned()],
                "no `x`".to_owned(),
            ),
            Answer::Missing,
        ];
        for (text, expected) in [
            (
                json!({"of": 0, "at": "/a/0", "is": "equals", "value": 1.0}),
                true,
            ),
            (
                json!({"of": 0, "at": "/a/0", "is": "equals", "value": true}),
                false,
            ),
            (
                json!({"of": 0, "at": "/b", "is": "equals", "value": null}),
                false,
            ),
            (
                json!({"of": 0, "at": "/b", "is": "differs", "value": 1}),
                false,
            ),
            (
                json!({"of": 0, "at": "/t", "is": "differs", "value": "x"}),
                true,
            ),
            (
                json!({"of": 0, "at": "/a/0", "is": "same", "other": 1, "other_at": ""}),
                true,
            ),
            (
                json!({"of": 0, "at": "/t", "is": "other", "other": 1, "other_at": ""}),
                true,
            ),
            (json!({"of": 1, "is": "less", "value": 2}), true),
            (json!({"of": 1, "is": "more", "value": 1}), false),
            (
                json!({"of": 1, "is": "close", "value": 1.1, "within": 0.2}),
                true,
            ),
            (
                json!({"of": 0, "at": "/t", "is": "contains", "value": "ell"}),
                true,
            ),
            (json!({"of": 0, "is": "contains", "value": "a"}), true),
            (
                json!({"of": 0, "at": "/a", "is": "contains", "value": "y"}),
                false,
            ),
            (
                json!({"of": 2, "is": "fails", "value": "LookupError"}),
                true,
            ),
            (
                json!({"of": 2, "is": "fails", "value": "ValueError"}),
                false,
            ),
            (json!({"of": 2, "is": "fails"}), true),
            (json!({"of": 3, "is": "fails"}), false),
            (json!({"of": 2, "is": "differs", "value": 1}), false),
        ] {
            let case = case(json!([text]));
            assert_eq!(holds(&case, &answers), expected, "{text}");
        }
        // What a failure says is an answer only where the call must fail.
        let fails = json!({"of": 2, "is": "fails", "value": "KeyError"});
        let says = |is: &str, value: &str| json!({"of": 2, "is": is, "value": value});
        assert!(holds(
            &case(json!([fails, says("contains", "`x`")])),
            &answers
        ));
        assert!(holds(
            &case(json!([fails, says("equals", "no `x`")])),
            &answers
        ));
        assert!(!holds(
            &case(json!([fails, says("contains", "`y`")])),
            &answers
        ));
        assert!(!holds(&case(json!([says("contains", "`x`")])), &answers));
        let value = json!({"of": 0, "is": "fails"});
        let in_value = json!({"of": 0, "at": "/t", "is": "contains", "value": "ell"});
        assert!(!holds(&case(json!([value, in_value])), &answers));
    }

    #[test]
    fn nan_is_a_value_of_its_own() {
        let nan = json!({"$number": "NaN"});
        assert!(same(&nan, &nan));
        assert!(!same(&nan, &json!({"$number": "Infinity"})));
        assert!(!same(&nan, &json!(0)) && !same(&nan, &json!("NaN")) && !same(&nan, &Value::Null));
    }
}
