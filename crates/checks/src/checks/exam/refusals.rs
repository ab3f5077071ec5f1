//! Does an exam ask for every refusal of a contract, by a case that must meet its code? Who examines and who
//! builds may want the same thing: that nobody asks.

use crate::checks::codes::{Refusal, names};
use kernel::exam::{Case, Claim, Relation};
use languages::judges;
use serde_json::Value;

/// The codes for which no case asks, each in backticks.
pub(super) fn unasked<'c>(
    refusals: &[Refusal],
    cases: impl Iterator<Item = &'c Case> + Clone,
) -> Vec<String> {
    let unasked = |one: &&Refusal| !cases.clone().any(|case| asks(case, one));
    let unasked = refusals.iter().filter(unasked);
    unasked.map(|one| format!("`{}`", one.code)).collect()
}

/// Does a case call only what the contract names? Whatever else refuses by a code is nobody's to promise. A
/// program that is started stands where it stands.
pub(super) fn calls_by_name(case: &Case, contract: &str) -> bool {
    case.steps.iter().all(|step| {
        let call = step.call.as_str();
        let is_name = call.contains(':') || call.starts_with('.') && !call.contains('/');
        let name = call.rsplit([':', '.']).next().unwrap_or(call);
        !is_name || judges::word(contract, name)
    })
}

/// Must the case meet the code: by its name, or by what the contract says of it, where it is about it?
fn asks(case: &Case, refusal: &Refusal) -> bool {
    let meets = |claim: &Claim| {
        let of_kind = matches!(
            claim.is,
            Relation::Equals | Relation::Contains | Relation::Fails
        );
        let value = claim.value.as_ref().filter(|_| of_kind);
        let value = value.map_or_else(String::new, |value| match value {
            Value::String(text) => text.trim().to_lowercase(),
            other => other.to_string().to_lowercase(),
        });
        let declared = || judges::word(&refusal.declared.to_lowercase(), &value);
        !value.is_empty()
            && (names(&value, &refusal.code) || (is_about(case, refusal) && declared()))
    };
    case.holds.iter().any(meets)
}

/// Does its clause name the code, or stand in what is said of it?
fn is_about(case: &Case, refusal: &Refusal) -> bool {
    let plain = |text: &str| {
        let words = text.split(|one: char| !one.is_alphanumeric());
        let words: Vec<String> = words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        words.join(" ")
    };
    let clause = plain(&case.clause);
    let said = [&refusal.refused, &refusal.declared];
    names(&case.clause, &refusal.code)
        || (clause.contains(' ') && said.iter().any(|text| plain(text).contains(&clause)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn case(clause: &str, holds: Value) -> Case {
        let steps = json!([{"call": "a:b"}, {"call": "a:b"}]);
        let case = json!({"id": "C1", "clause": clause, "steps": steps, "holds": [holds]});
        serde_json::from_value(case).unwrap()
    }

    #[test]
    fn what_the_contract_does_not_name_is_no_refusal_of_its() {
        let contract = "Shape: `total(items)` of `Cart`, `python3 cart.py` prints it";
        let called = |call: &str| {
            let mut one = case("a", json!({"of": 0, "is": "fails", "value": "x"}));
            one.steps.truncate(1);
            one.steps[0].call = call.to_owned();
            calls_by_name(&one, contract)
        };
        for call in [
            "cart:total",
            "cart:Cart",
            ".total",
            "cart::total",
            "./run.sh",
            "python3",
        ] {
            assert!(called(call), "{call}");
        }
        for call in ["cart:refuse", ".refuse", "cart::refuse", "cart:tot"] {
            assert!(!called(call), "{call}");
        }
    }

    #[test]
    fn a_code_is_asked_for_by_its_name_or_by_what_the_contract_says_of_it() {
        let refusal = Refusal {
            code: "bad_price".to_owned(),
            refused: "R1: a price that is no number; Code: bad_price".to_owned(),
            declared: "`bad_price`: `ValueError` is raised, and a command ends with exit 3"
                .to_owned(),
        };
        let about = "a price that is no number";
        let fails = |value: &str| json!({"of": 1, "is": "fails", "value": value});
        for (clause, holds) in [
            ("whatever", fails("BadPriceError")),
            (
                "whatever",
                json!({"of": 1, "at": "/error", "is": "equals", "value": "bad_price"}),
            ),
            (
                "whatever",
                json!({"of": 1, "at": "/stderr", "is": "contains", "value": "BAD-PRICE"}),
            ),
            (about, fails("ValueError")),
            (
                "Code: bad_price",
                json!({"of": 0, "at": "/exit", "is": "equals", "value": 3}),
            ),
        ] {
            assert!(asks(&case(clause, holds.clone()), &refusal), "{holds}");
        }
        for (clause, holds) in [
            // Anything that fails is an `Exception`; and nothing is said of which failure it is.
            (about, fails("Exception")),
            (about, json!({"of": 1, "is": "fails"})),
            ("the total of two prices", fails("ValueError")),
            ("price", fails("ValueError")),
            (
                "whatever",
                json!({"of": 1, "is": "differs", "value": "bad_price"}),
            ),
            (about, json!({"of": 1, "is": "equals", "value": 7})),
            (about, json!({"of": 1, "is": "equals", "value": ""})),
        ] {
            assert!(!asks(&case(clause, holds.clone()), &refusal), "{holds}");
        }
    }
}
