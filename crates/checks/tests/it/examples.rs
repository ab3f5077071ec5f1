//! Every check's examples hold, and every check has enough of them. They are data, in
//! `tests/examples/`: a file for each check.

use crate::world::{Example, World};
use checks::{Check, find, registry, run_gate};
use kernel::effect::CheckSpec;
use kernel::outcome::Verdict;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// The examples of one check.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    /// The settings of those that have none of their own.
    #[serde(default)]
    with: Value,
    example: Vec<Example>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples")
}

/// The examples of a check, each with its settings.
fn examples(check: &dyn Check) -> Vec<(Example, Value)> {
    let path = folder().join(format!("{}.toml", check.name()));
    let shown = path.display();
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let read: Examples = toml::from_str(&text).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let common = read.with;
    let with = |example: &Example| example.with.clone().unwrap_or_else(|| common.clone());
    let examples = read.example.into_iter();
    examples
        .map(|example| {
            let with = with(&example);
            (example, with)
        })
        .collect()
}

/// The verdict, and text that the reason contains.
fn expected(example: &Example) -> (Verdict, &str) {
    match (&example.passes, &example.fails, &example.cannot_run) {
        (Some(reason), None, None) => (Verdict::Pass, reason),
        (None, Some(reason), None) => (Verdict::Fail, reason),
        (None, None, Some(reason)) => (Verdict::CouldNotRun, reason),
        _ => panic!("`{}`: one of passes, fails, cannot_run", example.name),
    }
}

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// While one is written: only examples whose `CHECK: NAME` contains this. The whole takes minutes.
const ONLY: &str = "PROOFHOUSE_EXAMPLES";

/// How many are tried at once: most of their time goes into waiting for runners.
const AT_ONCE: usize = 4;

#[test]
fn all_examples_of_all_checks_hold() {
    let only = std::env::var(ONLY).unwrap_or_default();
    let all = registry().iter();
    let all = all.flat_map(|check| examples(*check).into_iter().map(|one| (check.name(), one)));
    let all: Vec<(&str, (Example, Value))> = all.collect();
    let next = AtomicUsize::new(0);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let worker = || {
            let mut wrong = Vec::new();
            while let Some((check, (example, with))) = all.get(next.fetch_add(1, Relaxed)) {
                wrong.extend(tried(&only, check, example, with));
            }
            wrong
        };
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .flat_map(|wrong| wrong.expect("no example panics"))
            .collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with one.
fn tried(only: &str, check: &str, example: &Example, with: &Value) -> Option<String> {
    let at = format!("{check}: {}", example.name);
    if !at.contains(only) {
        return None;
    }
    if let Some(program) = example.needs.as_ref().filter(|program| !is_there(program)) {
        eprintln!("LEFT OUT, for want of {program}: {at}");
        return None;
    }
    let spec = CheckSpec {
        check: check.into(),
        with: with.clone(),
        weight: Default::default(),
        shows: None,
        code: None,
    };
    let began = Instant::now();
    let results = World::new().with(example, |subject| run_gate(&[spec], subject));
    if !only.is_empty() {
        eprintln!("{ONLY}: {} ms {at}", began.elapsed().as_millis());
    }
    let first_bad = results
        .iter()
        .find(|result| result.verdict != Verdict::Pass);
    let telling = first_bad.or(results.last()).expect("a gate answers");
    for result in &results {
        let long = result.reason.chars().count() > 300 || result.reason.contains('\n');
        if long || !result.check.starts_with(check) {
            return Some(format!("{at}: not what a result may look like: {result:?}"));
        }
    }
    let (verdict, reason) = expected(example);
    let never = |text: &String| !telling.reason.contains(text);
    let as_expected = telling.verdict == verdict
        && telling.reason.contains(reason)
        && example.never.as_ref().is_none_or(never)
        && (example.shows.iter()).all(|word| telling.shows.contains(word.as_str()));
    (!as_expected).then(|| format!("{at}: {telling:?}"))
}

#[test]
fn every_check_shows_a_pass_and_a_failure() {
    for check in registry() {
        for verdict in [Verdict::Pass, Verdict::Fail] {
            let examples = examples(*check);
            let mut shown = examples.iter().map(|(example, _)| expected(example).0);
            assert!(
                shown.any(|shown| shown == verdict),
                "{} has no example of {}",
                check.name(),
                verdict.as_str()
            );
        }
    }
    let files = std::fs::read_dir(folder()).unwrap().count();
    assert_eq!(files, registry().len(), "a file of examples for each check");
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
        for (example, with) in examples(*check) {
            if expected(&example).0 != Verdict::CouldNotRun {
                let linted = checks::lint(check.name(), &with);
                assert_eq!(linted, Ok(()), "{}", example.name);
            }
        }
    }
}
