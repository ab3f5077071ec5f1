//! What manifests say about how tests run, and what they have tools do by themselves. It does not take the
//! whole file for it: who adds a dependency has touched neither.

use super::NoManifest;
use crate::recipes;
use serde_json::{Map, Value};

/// Parts of manifests, by their names: keys of tables, from the top.
type Parts = [(&'static str, &'static [&'static [&'static str]]); 3];

/// Where a manifest says how tests run, by its name: keys of tables, from the top.
const PARTS: Parts = [
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

/// Where a manifest says what an installer or a compiler starts without being told.
const ACTING: Parts = [
    (
        "package.json",
        &[
            &["scripts", "preinstall"],
            &["scripts", "install"],
            &["scripts", "postinstall"],
            &["scripts", "preprepare"],
            &["scripts", "prepare"],
            &["scripts", "postprepare"],
            &["scripts", "prepublish"],
            &["scripts", "prepublishOnly"],
            &["scripts", "prepack"],
            &["scripts", "postpack"],
            &["scripts", "dependencies"],
            &["gypfile"],
            &["packageManager"],
        ],
    ),
    (
        "pyproject.toml",
        &[
            &["build-system"],
            &["project", "entry-points"],
            &["tool", "hatch", "build"],
            &["tool", "pdm", "build"],
            &["tool", "poetry", "build"],
            &["tool", "setuptools", "cmdclass"],
            &["tool", "setuptools", "dynamic"],
            &["tool", "uv", "index"],
            &["tool", "uv", "sources"],
        ],
    ),
    (
        "Cargo.toml",
        &[&["package", "build"], &["patch"], &["replace"]],
    ),
];

/// Where a manifest names what it depends on: of that, what comes from another place than a registry.
const FETCHED: Parts = [
    (
        "package.json",
        &[
            &["dependencies"],
            &["devDependencies"],
            &["optionalDependencies"],
            &["overrides"],
        ],
    ),
    (
        "pyproject.toml",
        &[
            &["project", "dependencies"],
            &["project", "optional-dependencies"],
            &["dependency-groups"],
            &["tool", "poetry", "dependencies"],
        ],
    ),
    (
        "Cargo.toml",
        &[
            &["dependencies"],
            &["dev-dependencies"],
            &["build-dependencies"],
        ],
    ),
];

/// Has this manifest a place for how tests run?
pub fn is_manifest(path: &str) -> bool {
    parts_of(&PARTS, path).is_some() || recipes::is_one(path)
}

fn parts_of(parts: &Parts, path: &str) -> Option<&'static [&'static [&'static str]]> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let found = parts.iter().find(|(known, _)| *known == name);
    found.map(|(_, parts)| *parts)
}

/// What a manifest says about how tests run, as canonical text; empty if it says nothing.
///
/// # Errors
/// Where it is no manifest.
pub fn of_tests(path: &str, text: &str) -> Result<String, NoManifest> {
    if recipes::is_one(path) {
        return Ok(recipes::of_tests(path, text));
    }
    said(&PARTS, path, text)
}

/// Has this manifest a place for what tools do by themselves?
pub fn may_act(path: &str) -> bool {
    parts_of(&ACTING, path).is_some() || is_list(path)
}

/// Is it a list of what pip installs?
fn is_list(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("requirements") && name.ends_with(".txt")
}

/// What a manifest has tools do by themselves, in the same way.
///
/// # Errors
/// Where it is no manifest.
pub fn acting(path: &str, text: &str) -> Result<String, NoManifest> {
    if is_list(path) {
        let told = |line: &&str| line.contains("://") || line.trim_start().starts_with("-");
        let lines: Vec<&str> = text.lines().filter(told).collect();
        return Ok(lines.join("\n"));
    }
    let mut found = said(&ACTING, path, text)?;
    let fetched = said(&FETCHED, path, text)?;
    let elsewhere = |part: &&str| part.contains("://") || part.contains("git@");
    found.extend(fetched.split('"').filter(elsewhere));
    Ok(found)
}

fn said(parts: &Parts, path: &str, text: &str) -> Result<String, NoManifest> {
    let Some(parts) = parts_of(parts, path) else {
        return Ok(String::new());
    };
    let whole: Value = match path.ends_with(".json") {
        true => serde_json::from_str(text)?,
        false => {
            let table: toml::Table = text.parse()?;
            serde_json::to_value(table)?
        }
    };
    let mut found = Map::new();
    for keys in parts {
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
        let settings = |path: &str, text: &str| of_tests(path, text).unwrap();
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
        assert!(of_tests("package.json", "{").is_err());
        let hooked = r#"{"scripts": {"postinstall": "node x.js", "build": "tsc"}}"#;
        assert_eq!(
            acting("web/package.json", hooked).unwrap(),
            r#"{"scripts.postinstall":"node x.js"}"#
        );
        assert_eq!(acting("package.json", plain).unwrap(), "");
        let fetched = "[dependencies]\na = \"1\"\nb = { git = \"https://example.org/b\" }\n";
        assert_eq!(
            acting("Cargo.toml", fetched).unwrap(),
            "https://example.org/b"
        );
        let listed = "# one\na==1\n--extra-index-url https://example.org\n";
        assert!(
            acting("requirements.txt", listed)
                .unwrap()
                .starts_with("--extra")
        );
        assert_eq!(acting("notes.md", "{").unwrap(), "");
        assert!(is_manifest("a/Cargo.toml") && !is_manifest("Cargo.lock"));
    }
}
