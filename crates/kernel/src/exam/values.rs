//! What an exam claims of values, apart from what it claims of refusals. A product may refuse all that it must and
//! answer nonsense otherwise: where only the cases that ask for a failure tell it from the real one, the exam has
//! asked for no value. These products need no room either.

use super::answers::Answer;
use super::claims::holds;
use super::controls;
use crate::exam::{Case, Claim, Driver, Relation, Step};
use serde_json::{Value, json};

/// The claims of a case that are about values; none: it has none.
pub fn of_values(case: &Case, driver: Driver) -> Option<Case> {
    let refused = |call: usize| {
        let mut claims = case.holds.iter();
        claims.any(|claim| claim.of == call && claim.is_of_a_failure())
    };
    let of_value = |claim: &Claim| {
        let only_how_it_ended = matches!(driver, Driver::Command | Driver::Http)
            && matches!(claim.at.as_str(), "/exit" | "/status");
        !refused(claim.of) && !claim.other.is_some_and(refused) && !only_how_it_ended
    };
    let mut apart = case.clone();
    apart.holds.retain(of_value);
    (!apart.holds.is_empty()).then_some(apart)
}

/// Which values the cases do not notice, in words without a value. `new` are cases that fail on the code before,
/// `guards` those that hold there as well.
pub fn unnoticed(new: &[&Case], guards: &[&Case], driver: Driver) -> Option<String> {
    let of = |cases: &[&Case]| -> Vec<Case> {
        let cases = cases.iter();
        cases.filter_map(|case| of_values(case, driver)).collect()
    };
    let (fresh, kept) = (of(new), of(guards));
    let mut all = fresh.clone();
    all.extend(kept);
    let functions = match driver {
        Driver::Python | Driver::JavaScript | Driver::Rust => true,
        Driver::Command | Driver::Http => false,
    };
    if all.is_empty() {
        let why = "no case claims what is answered where nothing is refused";
        return functions.then(|| why.to_owned());
    }
    // What held before says nothing of the values that are new.
    let noticing = if fresh.is_empty() { &all } else { &fresh };
    if passes(noticing, driver) {
        return Some(
            "a product that refuses what it must, and answers anything else at will, passes"
                .to_owned(),
        );
    }
    if !functions {
        return None;
    }
    let all: Vec<&Case> = all.iter().collect();
    if always_the_same(&all) {
        return Some("a product that refuses what it must, and always gives the same answer otherwise, passes".to_owned());
    }
    alone(new, guards).into_iter().find_map(|(call, cases)| {
        let own: Vec<Case> = cases
            .iter()
            .filter_map(|case| of_values(case, driver))
            .collect();
        let why = match own.as_slice() {
            [] => "is asked for refusals alone",
            own if passes(own, driver) => "passes if it answers at will what it does not refuse",
            own if always_the_same(&own.iter().collect::<Vec<_>>()) => {
                "passes if it always gives the same answer where it does not refuse"
            }
            _ => return None,
        };
        Some(format!("`{call}` {why}"))
    })
}

/// Each call that no case makes together with others, with its cases.
fn alone<'c>(new: &[&'c Case], guards: &[&'c Case]) -> Vec<(&'c str, Vec<&'c Case>)> {
    let mut found: Vec<(&str, Vec<&Case>)> = Vec::new();
    let all = || new.iter().chain(guards).copied();
    for call in new
        .iter()
        .flat_map(|case| &case.steps)
        .map(|step| step.call.as_str())
    {
        let has = |case: &&Case| case.steps.iter().any(|step| step.call == call);
        let only = |case: &Case| case.steps.iter().all(|step| step.call == call);
        let known = found.iter().any(|(one, _)| *one == call);
        if !known && all().filter(has).all(only) {
            found.push((call, all().filter(has).collect()));
        }
    }
    found
}

/// Does one answer for all of them hold? `true` and nothing may be all that there is to say of what is not refused.
fn always_the_same(cases: &[&Case]) -> bool {
    let says_nothing = |value: &Value| {
        matches!(value, Value::Null | Value::Bool(true))
            || [json!(0), json!(""), json!([]), json!({})].contains(value)
    };
    let mut values = controls::hoped_for(cases);
    let numbers = cases.iter().flat_map(|case| &case.holds);
    let numbers = numbers.filter_map(|claim| Some((claim, claim.value.as_ref()?.as_f64()?)));
    for (claim, number) in numbers {
        for beside in [number - 1.0, number + 1.0] {
            values.push(controls::placed(&claim.at, &json!(beside)));
        }
    }
    values.push(everything(cases));
    let of_one = |value: &Value| {
        cases.iter().all(|case| {
            let answers = vec![Answer::Value(value.clone()); case.steps.len()];
            holds(case, &answers)
        })
    };
    values
        .iter()
        .any(|value| !says_nothing(value) && of_one(value))
}

/// An answer with all in it that some case hopes to find in one.
fn everything(cases: &[&Case]) -> Value {
    let claims = cases.iter().flat_map(|case| &case.holds);
    let contained = claims.filter(|claim| claim.is == Relation::Contains);
    let texts =
        contained.filter_map(|claim| Some((claim.at.as_str(), claim.value.as_ref()?.as_str()?)));
    let mut by_place: Vec<(&str, String)> = Vec::new();
    for (at, text) in texts {
        match by_place.iter_mut().find(|(known, _)| *known == at) {
            Some((_, whole)) => whole.push_str(text),
            None => by_place.push((at, text.to_owned())),
        }
    }
    let mut whole = Value::Null;
    for (at, text) in by_place {
        controls::merge(&mut whole, controls::placed(at, &json!(text)));
    }
    whole
}

/// Of what kind nonsense is.
#[derive(Clone, Copy)]
struct Nonsense {
    /// A number from here on.
    number: f64,
    /// What has something in it.
    holder: Holder,
    /// Where it comes from.
    from: From,
}

#[derive(Clone, Copy)]
enum Holder {
    Text,
    List,
    Object,
}

#[derive(Clone, Copy)]
enum From {
    /// It is another one each time.
    Nowhere,
    /// The same question has the same answer.
    Inputs,
}

/// Does nonsense of the kind that is hoped for pass?
fn passes(cases: &[Case], driver: Driver) -> bool {
    const NUMBERS: [f64; 5] = [0.25, 7.0, 1_234_567.0, -7.5, -1_234_567.0];
    let kinds = NUMBERS.iter().flat_map(|number| {
        [Holder::Text, Holder::List, Holder::Object].map(|holder| (*number, holder))
    });
    let mut all = kinds.flat_map(|(number, holder)| {
        [From::Nowhere, From::Inputs].map(|from| Nonsense {
            number,
            holder,
            from,
        })
    });
    all.any(|one| {
        cases
            .iter()
            .all(|case| holds(case, &one.answers(case, driver)))
    })
}

impl Nonsense {
    fn answers(self, case: &Case, driver: Driver) -> Vec<Answer> {
        let steps = case.steps.iter().enumerate();
        let each =
            steps.map(|(number, step)| Answer::Value(self.answer(case, number, step, driver)));
        each.collect()
    }

    fn answer(self, case: &Case, number: usize, step: &Step, driver: Driver) -> Value {
        let asked = match self.from {
            From::Nowhere => format!("{} {number}", case.id),
            From::Inputs => format!(
                "{} {:?} {:?} {}",
                step.call, step.with, step.named, step.stdin
            ),
        };
        let mark = mark(&asked);
        let mut answer = match driver {
            Driver::Command => json!({"exit": 0, "stdout": mark, "stderr": mark}),
            Driver::Http => json!({"status": 200, "headers": {}, "body": mark}),
            Driver::Python | Driver::JavaScript | Driver::Rust => json!(mark),
        };
        let own = case.holds.iter().filter(|claim| claim.of == number);
        for claim in own {
            let value = self.value(claim, &mark);
            controls::merge(&mut answer, controls::placed(&claim.at, &value));
        }
        answer
    }

    /// Of the kind that a claim hopes for, and another one than it hopes for where that is one alone.
    fn value(self, claim: &Claim, mark: &str) -> Value {
        let Some(wanted) = &claim.value else {
            return json!(mark);
        };
        match (claim.is, wanted, self.holder) {
            (Relation::Contains, Value::String(_), Holder::Object) => json!({ mark: mark }),
            (Relation::Contains, Value::String(_), Holder::Text) => json!(mark),
            (Relation::Contains, ..) => json!([mark]),
            (_, Value::Number(_), _) => json!(self.number + fraction(mark)),
            (_, Value::Bool(one), _) => json!(!one),
            (_, Value::Array(_), _) => json!([mark]),
            (_, Value::Object(_), _) => json!({ mark: mark }),
            (_, Value::Null | Value::String(_), _) => json!(mark),
        }
    }
}

/// A text that means nothing, the same for the same.
fn mark(text: &str) -> String {
    let bytes = text.bytes();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("~{hash:016x}~")
}

/// Less than one half, by a mark.
fn fraction(mark: &str) -> f64 {
    let digits: String = mark
        .chars()
        .filter(char::is_ascii_hexdigit)
        .take(6)
        .collect();
    f64::from(u32::from_str_radix(&digits, 16).unwrap_or_default()) / f64::from(1_u32 << 25)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, input: Value, holds: Value) -> Case {
        let steps = json!([{"call": "m:f", "with": [input]}]);
        serde_json::from_value(json!({"id": id, "clause": "c", "steps": steps, "holds": [holds]}))
            .unwrap()
    }

    fn said(cases: &[Case], guards: &[Case]) -> Option<String> {
        let all = |cases: &'_ [Case]| -> Vec<Case> { cases.to_vec() };
        let (cases, guards) = (all(cases), all(guards));
        let refs: Vec<&Case> = cases.iter().collect();
        let guards: Vec<&Case> = guards.iter().collect();
        unnoticed(&refs, &guards, Driver::Python)
    }

    fn refusal(id: &str) -> Case {
        case(
            id,
            json!(null),
            json!({"of": 0, "is": "fails", "value": "ValueError"}),
        )
    }

    #[test]
    fn claims_that_next_to_any_value_meets_are_none() {
        for (one, other) in [
            (
                json!({"of": 0, "is": "differs", "value": "zz"}),
                json!({"of": 0, "is": "differs", "value": "yy"}),
            ),
            (
                json!({"of": 0, "is": "contains", "value": ""}),
                json!({"of": 0, "is": "contains", "value": ""}),
            ),
            (
                json!({"of": 0, "is": "more", "value": -1e9}),
                json!({"of": 0, "is": "less", "value": 1e9}),
            ),
            (
                json!({"of": 0, "is": "more", "value": 0}),
                json!({"of": 0, "is": "less", "value": 10}),
            ),
            (
                json!({"of": 0, "is": "contains", "value": "a"}),
                json!({"of": 0, "is": "contains", "value": "b"}),
            ),
            (
                json!({"of": 0, "is": "equals", "value": 3}),
                json!({"of": 0, "is": "equals", "value": 3}),
            ),
        ] {
            let cases = [
                case("C1", json!("a"), one.clone()),
                case("C2", json!("b"), other),
                refusal("C3"),
            ];
            assert!(said(&cases, &[]).is_some(), "{one}");
        }
        let twice = json!([{"call": "m:f", "with": [1]}, {"call": "m:f", "with": [1]}]);
        let steady = json!({"id": "C1", "clause": "c", "steps": twice, "holds": [{"of": 0, "is": "same", "other": 1}]});
        let steady: Case = serde_json::from_value(steady).unwrap();
        assert!(said(&[steady, refusal("C2"), refusal("C3")], &[]).is_some());
        let why = said(&[refusal("C1"), refusal("C2")], &[]).unwrap();
        assert!(why.contains("no case claims"), "{why}");
    }

    #[test]
    fn values_that_are_asked_for_suffice() {
        let equals = |id: &str, value: Value| {
            case(
                id,
                json!(id),
                json!({"of": 0, "is": "equals", "value": value}),
            )
        };
        let two = [
            equals("C1", json!(3)),
            equals("C2", json!(4)),
            refusal("C3"),
        ];
        assert_eq!(said(&two, &[]), None);
        // Whoever only lets pass or refuses says nothing else of what passes.
        for nothing in [json!(null), json!(true)] {
            let gate = [
                equals("C1", nothing.clone()),
                equals("C2", nothing),
                refusal("C3"),
            ];
            assert_eq!(said(&gate, &[]), None);
        }
        // What is new is a refusal, and the values are those of before.
        assert_eq!(said(&[refusal("C3")], &two[..2]), None);
        // Bounds that go with their inputs, and parts of an answer.
        let near = |id: &str, from: f64| {
            let mut one = case(
                id,
                json!(from),
                json!({"of": 0, "is": "more", "value": from}),
            );
            one.holds.push(
                serde_json::from_value(json!({"of": 0, "is": "less", "value": from * 1.5}))
                    .unwrap(),
            );
            one
        };
        assert_eq!(
            said(&[near("C1", 100.0), near("C2", 1000.0), refusal("C3")], &[]),
            None
        );
        let part = |id: &str, n: u64| {
            case(
                id,
                json!(n),
                json!({"of": 0, "at": "/sum", "is": "equals", "value": n}),
            )
        };
        assert_eq!(
            said(&[part("C1", 3), part("C2", 4), refusal("C3")], &[]),
            None
        );
    }

    #[test]
    fn each_function_is_asked_for_values_of_its_own() {
        let equals = |id: &str, value: u64| {
            case(
                id,
                json!(id),
                json!({"of": 0, "is": "equals", "value": value}),
            )
        };
        let mut other = refusal("G1");
        other.steps[0].call = "m:g".to_owned();
        let cases = [equals("C1", 3), equals("C2", 4), other.clone()];
        let why = said(&cases, &[]).unwrap();
        assert!(why.contains("`m:g` is asked for refusals alone"), "{why}");
        let mut value = equals("G2", 5);
        value.steps[0].call = "m:g".to_owned();
        let why = said(&[equals("C1", 3), equals("C2", 4), other, value], &[]).unwrap();
        assert!(why.contains("`m:g` passes if it always"), "{why}");
    }

    #[test]
    fn of_a_command_its_exit_code_is_no_value() {
        let of = |exit: u64, stdout: Value| {
            let holds = json!([{"of": 0, "at": "/exit", "is": "equals", "value": exit}, stdout]);
            let steps = json!([{"call": "sh", "with": ["a"]}]);
            let case = json!({"id": "C", "clause": "c", "steps": steps, "holds": holds});
            serde_json::from_value::<Case>(case).unwrap()
        };
        let says =
            |value: &str| json!({"of": 0, "at": "/stdout", "is": "contains", "value": value});
        let why = |case: &Case| unnoticed(&[case], &[], Driver::Command);
        assert!(why(&of(0, says(""))).is_some());
        assert_eq!(why(&of(0, says("7 items"))), None);
        assert_eq!(why(&of(3, says(""))), None);
    }
}
