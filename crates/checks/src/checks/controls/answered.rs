//! Small mutants that no test notices: about half of those make no difference. Whoever judges says of each
//! why it makes none, or a test notices it. Silence is no answer, and what they say is their word.

use crate::text::one_line;
use documents::substance::nothing;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The answer that lets a mutant stand.
pub(super) const EQUIVALENT: &str = "equivalent";

/// What somebody said of the survivors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// It makes no difference, and why.
    pub(super) equivalent: Vec<String>,
    /// It makes one: a test is missing.
    pub(super) real: Vec<String>,
    /// Nobody said anything.
    pub(super) open: Vec<String>,
}

impl Said {
    /// Of survivors, in the `answers` of a result.
    pub(super) fn of(survivors: &[String], answers: &Value) -> Self {
        let mut said = Self::default();
        for what in survivors {
            let key = key(what);
            let given = &answers[&key];
            let why = given["evidence"].as_str().unwrap_or_default();
            match given["answer"].as_str().map(str::trim) {
                Some(word) if word.eq_ignore_ascii_case(EQUIVALENT) => match nothing(why, what) {
                    None => said
                        .equivalent
                        .push(format!("{what}: {}", one_line(why, 160))),
                    Some(empty) => said.open.push(format!("`{key}`: {what} (why {empty})")),
                },
                Some(_) => said.real.push(what.clone()),
                None => said.open.push(format!("`{key}`: {what}")),
            }
        }
        said
    }
}

/// Its name in a result: the same for the same change of the same line.
fn key(what: &str) -> String {
    let digest = Sha256::digest(what.as_bytes());
    let short: String = digest
        .iter()
        .take(3)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("mutant {short}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_survivor_is_open_until_somebody_says_why_it_makes_no_difference() {
        let all = [
            "`tax` (shop.py:2) moves a boundary",
            "`tax` (shop.py:4) drops a call",
        ];
        let all = all.map(str::to_owned);
        let silent = Said::of(&all, &Value::Null);
        assert_eq!(silent.open.len(), 2);
        let names: Vec<String> = all.iter().map(|what| key(what)).collect();
        assert!(silent.open[0].contains(&names[0]), "{silent:?}");
        let answers = json!({
            names[0].clone(): { "answer": "equivalent", "evidence": "shop.py:2: nobody pays a price of nought, and both give 0" },
            names[1].clone(): { "answer": "no", "evidence": "shop.py:4: the log is read" },
        });
        let said = Said::of(&all, &answers);
        assert_eq!((said.equivalent.len(), said.open.len()), (1, 0));
        assert_eq!(said.real, [all[1].clone()]);
        // A word without a reason is none, and neither is an answer to another question.
        let bare = json!({ names[0].clone(): { "answer": "equivalent", "evidence": "TODO" } });
        assert_eq!(Said::of(&all[..1], &bare).open.len(), 1);
        let other = json!({ "mutant 000000": { "answer": "equivalent", "evidence": "all are" } });
        assert_eq!(Said::of(&all, &other).open.len(), 2);
    }
}
