//! Every check's own examples hold, and every check has enough of them.

use crate::world::World;
use checks::{find, registry, run_gate};
use kernel::effect::CheckSpec;
use kernel::outcome::Verdict;

#[test]
fn all_examples_of_all_checks_hold() {
    let mut wrong = Vec::new();
    for check in registry() {
        for example in check.examples() {
            let at = format!("{}: {}", check.name(), example.name);
            let spec = CheckSpec {
                check: check.name().into(),
                with: example.with.clone(),
                weight: Default::default(),
                shows: None,
                code: None,
            };
            let results = World::new().with(&example, |subject| run_gate(&[spec], subject));
            let first_bad = results
                .iter()
                .find(|result| result.verdict != Verdict::Pass);
            let telling = first_bad.or(results.last()).expect("a gate answers");
            if telling.verdict != example.expect || !telling.reason.contains(example.reason) {
                wrong.push(format!("{at}: {telling:?}"));
            }
            for result in &results {
                assert!(result.reason.chars().count() <= 300 && !result.reason.contains('\n'));
                assert!(
                    result.check.starts_with(check.name()),
                    "{at}: {}",
                    result.check
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_check_shows_a_pass_and_a_failure() {
    for check in registry() {
        for verdict in [Verdict::Pass, Verdict::Fail] {
            let shown = check
                .examples()
                .iter()
                .any(|example| example.expect == verdict);
            assert!(
                shown,
                "{} has no example of {}",
                check.name(),
                verdict.as_str()
            );
        }
    }
}

#[test]
fn the_registry_is_sorted_and_found_by_name() {
    let names: Vec<&str> = registry().iter().map(|check| check.name()).collect();
    assert!(names.is_sorted(), "{names:?}");
    for check in registry() {
        assert_eq!(find(check.name()).unwrap().name(), check.name());
    }
    assert!(find("commands").is_none());
}

#[test]
fn every_check_refuses_unknown_keys_and_wrong_shapes() {
    for check in registry() {
        let why = check
            .lint(&serde_json::json!({"no_such_key": 1}))
            .unwrap_err()
            .to_string();
        assert!(why.contains("no_such_key"), "{why}");
        let settings = check.settings();
        let needed: Vec<&checks::Setting> = settings.iter().filter(|one| one.required).collect();
        for setting in &settings {
            let name = setting.name.as_str();
            assert!(why.contains(name), "{why}");
            assert!(!setting.what.is_empty(), "{} {name}", check.name());
            // With a text in all that must be there, so that this one is what is refused.
            let mut with = serde_json::Map::new();
            for other in &needed {
                with.insert(other.name.clone(), serde_json::json!("repo/a"));
            }
            with.insert(name.to_owned(), serde_json::json!({"": true}));
            let why = check.lint(&with.into()).unwrap_err().to_string();
            let told = |key: &str| {
                ["must be", "is wrong:"]
                    .iter()
                    .any(|how| why.contains(&format!("the setting `{key}` {how} ")))
            };
            let mut places = needed.iter().map(|one| one.name.as_str()).chain([name]);
            assert!(places.any(told), "{} {name}: {why}", check.name());
        }
        if let Some(first) = needed.first() {
            let why = check.lint(&serde_json::json!({})).unwrap_err().to_string();
            let said = format!("needs the setting `{}` ({}", first.name, first.what);
            assert!(why.contains(&said), "{why}");
        }
        assert!(check.lint(&serde_json::json!([1])).is_err());
        for example in check.examples() {
            if example.expect != Verdict::CouldNotRun {
                let linted = checks::lint(check.name(), &example.with);
                assert_eq!(linted, Ok(()), "{}", example.name);
            }
        }
    }
}
