//! What a contract refuses, each by a code; and does an exam ask for all of it, by a case that must meet the code? Who
//! examines and who builds may want the same thing: that nobody asks.

use kernel::exam::{Case, Claim, Relation};
use languages::judges;
use serde_json::Value;

/// Something that is refused: its code, and what spec and contract say of it.
pub struct Refusal {
    pub code: String,
    pub refused: String,
    pub declared: String,
}

/// Does the text name this code, in the way of its language? `bad_price` is in `BadPriceError`,
/// `BAD_PRICE` and `s2_bad_price`.
pub fn names(text: &str, code: &str) -> bool {
    let joined = |word: &str| -> String {
        let letters = word.chars().filter(|char| char.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let code = joined(code);
    let words = text.split(|char: char| !(char.is_alphanumeric() || "_-.".contains(char)));
    let mut words = words.filter(|word| word.len() >= code.len());
    words.any(|word| joined(word).contains(&code))
}

/// The codes for which no case asks, each in backticks, with the cases that ask somebody for one whom the
/// contract does not name.
pub fn unasked<'c>(
    refusals: &[Refusal],
    cases: impl Iterator<Item = &'c Case> + Clone,
    contract: &str,
) -> Vec<String> {
    let told = refusals.iter().filter_map(|one| {
        let mut elsewhere = Vec::new();
        for case in cases.clone() {
            match asks(case, one, contract) {
                Asks::Of => return None,
                Asks::Another(call) => elsewhere.push(format!("{} asks `{call}`", case.id)),
                Asks::Not => {}
            }
        }
        Some(match elsewhere.as_slice() {
            [] => format!("`{}`", one.code),
            [first, ..] => format!("`{}` ({first}, which the contract does not name)", one.code),
        })
    });
    told.collect()
}

/// Whom a case asks for a refusal.
#[derive(Debug, PartialEq, Eq)]
enum Asks<'c> {
    /// Something that the contract names.
    Of,
    /// Something that it does not: whatever refuses by a code there is nobody's to promise.
    Another(&'c str),
    Not,
}

/// Does the contract name what is called? A program that is started stands where it stands.
fn is_named(call: &str, contract: &str) -> bool {
    let is_name = call.contains(':') || call.starts_with('.') && !call.contains('/');
    let name = call.rsplit([':', '.']).next().unwrap_or(call);
    !is_name || judges::word(contract, name)
}

/// Must the case meet the code: by its name, or by what the contract says of it, where it is about it? Calls
/// that only make what another is given may be of anything.
fn asks<'c>(case: &'c Case, refusal: &Refusal, contract: &str) -> Asks<'c> {
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
    let mut found = Asks::Not;
    for claim in case.holds.iter().filter(|claim| meets(claim)) {
        match case.steps.get(claim.of).map(|step| step.call.as_str()) {
            Some(call) if !is_named(call, contract) => found = Asks::Another(call),
            _ => return Asks::Of,
        }
    }
    found
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
            one.steps[0].call = call.to_owned();
            one.steps[1].call = "elsewhere:makes".to_owned();
            let refusal = Refusal {
                code: "x".to_owned(),
                refused: String::new(),
                declared: String::new(),
            };
            asks(&one, &refusal, contract) == Asks::Of
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
            assert_eq!(
                asks(&case(clause, holds.clone()), &refusal, "a:b"),
                Asks::Of,
                "{holds}"
            );
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
            assert_eq!(
                asks(&case(clause, holds.clone()), &refusal, "a:b"),
                Asks::Not,
                "{holds}"
            );
        }
    }
}
