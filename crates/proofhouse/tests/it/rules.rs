//! The rules of document 002 and what shows them: `data/factory/rules.toml` is the only list. It
//! refuses a rule without a test, and a test that is not there.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    section: String,
    says: String,
    #[serde(default)]
    tests: Vec<String>,
    /// Why no machine can judge it.
    #[serde(default)]
    not_a_machines: Option<String>,
}

/// The names of all functions that are tests, in all crates.
fn tests_of(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "data") {
            tests_of(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let mut marked = false;
            for line in text.lines().map(str::trim) {
                if line.contains("#[test]") || line.starts_with("#[tokio::test") {
                    marked = true;
                }
                let Some((_, rest)) = line.split_once("fn ").filter(|_| marked) else {
                    continue;
                };
                marked = false;
                found.extend(rest.split('(').next().map(str::to_owned));
            }
        }
    }
}

#[test]
fn every_rule_that_a_machine_can_check_has_a_test_that_cites_its_section() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(here.join("tests/data/factory/rules.toml")).unwrap();
    let rules: Rules = toml::from_str(&text).unwrap();
    let mut known = BTreeSet::new();
    for krate in std::fs::read_dir(here.join("..")).unwrap().flatten() {
        for part in ["src", "tests"] {
            tests_of(&krate.path().join(part), &mut known);
        }
    }
    let mut faults = Vec::new();
    for rule in &rules.rule {
        let name = format!("section {}, {:?}", rule.section, rule.says);
        if rule.tests.is_empty() != rule.not_a_machines.is_some() {
            faults.push(format!("{name}: name tests, or say why there can be none"));
        }
        let missing = rule.tests.iter().filter(|test| !known.contains(*test));
        faults.extend(missing.map(|test| format!("{name}: there is no test `{test}`")));
        let cites = format!("s{}_", rule.section.replace('.', "_"));
        if !rule.tests.is_empty() && !rule.tests.iter().any(|test| test.starts_with(&cites)) {
            faults.push(format!("{name}: no test begins with `{cites}`"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
