//! What manifests say about how tests run. It does not take the whole file for it: who adds a dependency has
//! not touched what is here.

use crate::error::Error;
use languages::recipes;
use serde_json::{Map, Value};

/// Where a manifest says how tests run, by its name: keys of tables, from the top.
const PARTS: [(&str, &[&[&str]]); 3] = [
    (
        "package.json",
        &[
            &["scripts", "test"],
            &["scripts", "pretest"],
            &["scripts", "posttest"],
            &["jest"],
            &["vitest"],
            &["mocha"],
            &["babel"],
        ],
    ),
    (
        "pyproject.toml",
        &[&["tool", "pytest"], &["tool", "coverage"]],
    ),
    (
        "Cargo.toml",
        &[
            &["test"],
            &["lib", "test"],
            &["lib", "harness"],
            &["profile", "test"],
            &["package", "autotests"],
        ],
    ),
];

/// Has this manifest a place for how tests run?
pub(crate) fn is_manifest(path: &str) -> bool {
    parts_of(path).is_some() || recipes::is_one(path)
}

fn parts_of(path: &str) -> Option<&'static [&'static [&'static str]]> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let found = PARTS.iter().find(|(known, _)| *known == name);
    found.map(|(_, parts)| *parts)
}

/// What a manifest says about how tests run, as canonical text; empty if it says nothing.
pub(crate) fn test_settings(path: &str, text: &str) -> Result<String, Error> {
    if recipes::is_one(path) {
        return Ok(recipes::of_tests(path, text));
    }
    let whole: Value = match path.ends_with(".json") {
        true => serde_json::from_str(text)?,
        false => {
            let table: toml::Table = text.parse()?;
            serde_json::to_value(table)?
        }
    };
    let mut found = Map::new();
    for keys in parts_of(path).unwrap_or_default() {
        let part = keys.iter().try_fold(&whole, |value, key| value.get(key));
        if let Some(part) = part {
            found.insert(keys.join("."), part.clone());
        }
    }
    if found.is_empty() {
        return Ok(String::new());
    }
    Ok(serde_json_canonicalizer::to_string(&Value::Object(found))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_how_tests_run_and_other_things() {
        let settings = |path: &str, text: &str| test_settings(path, text).unwrap();
        let plain = r#"{"name": "a", "scripts": {"build": "tsc"}, "dependencies": {"b": "1"}}"#;
        assert_eq!(settings("package.json", plain), "");
        let tested = r#"{"jest": {"b": 1, "a": 2}, "scripts": {"test": "jest"}}"#;
        assert_eq!(
            settings("web/package.json", tested),
            r#"{"jest":{"a":2,"b":1},"scripts.test":"jest"}"#
        );
        let python = "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-x\"\n";
        assert!(settings("pyproject.toml", python).contains("-x"));
        assert_eq!(settings("Cargo.toml", "[package]\nname = \"a\"\n"), "");
        assert!(settings("Cargo.toml", "[lib]\ntest = false\n").contains("lib.test"));
        assert!(test_settings("package.json", "{").is_err());
        assert!(is_manifest("a/Cargo.toml") && !is_manifest("Cargo.lock"));
    }
}
