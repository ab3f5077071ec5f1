//! The page of the six resolutions: the example of each fits the form of its payload, and nothing is missing.

use crate::documents::judged;
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../../docs/resolutions.md");

#[test]
fn s17_2_the_example_of_each_resolution_fits_its_form() {
    let mut seen = Vec::new();
    for section in PAGE.split("\n## ").skip(1) {
        let (action, rest) = section.split_once('\n').unwrap();
        let example = rest.split("```json\n").nth(1).unwrap();
        let example = example.split("```").next().unwrap();
        let payload: Value = serde_json::from_str(example).unwrap();
        let resolution = json!({"action": action, "payload": payload});
        let wrong = judged("HumanResolution", &resolution);
        assert_eq!(wrong, Vec::<String>::new(), "{action}");
        seen.push(action);
    }
    let all = factory::escalation::Action::ALL.iter();
    let all: Vec<&str> = all.map(|one| one.as_str()).collect();
    assert_eq!(seen, all);
}
