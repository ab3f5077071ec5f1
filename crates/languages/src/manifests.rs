//! What a repository depends on, from its manifests.

pub mod settings;

use serde_json::Value;

/// Why a manifest cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NoManifest {
    #[error("is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("is no TOML: {}", .0.message())]
    Toml(#[from] toml::de::Error),
}

/// A world of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum World {
    Cargo,
    Npm,
    Python,
    Go,
}

/// One manifest with what it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub path: String,
    pub world: World,
    /// Names of packages from elsewhere, sorted.
    pub names: Vec<String>,
}

type Reader = fn(&str) -> Result<Vec<String>, NoManifest>;

/// Which file is a manifest of what.
const MANIFESTS: [(&str, World, Reader); 6] = [
    ("Cargo.toml", World::Cargo, cargo),
    ("package.json", World::Npm, npm),
    ("pyproject.toml", World::Python, pyproject),
    ("requirements.txt", World::Python, requirements),
    ("Pipfile", World::Python, pipfile),
    ("go.mod", World::Go, go),
];

impl Manifest {
    /// Reads a file; none where it is no manifest of a world that we know.
    ///
    /// # Errors
    /// Where it should be one.
    pub fn read(path: &str, text: &str) -> Result<Option<Self>, NoManifest> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, world, reader)) = MANIFESTS.iter().find(|(known, ..)| *known == name) else {
            return Ok(None);
        };
        let mut names = reader(text)?;
        names.sort();
        names.dedup();
        Ok(Some(Self {
            path: path.to_owned(),
            world: *world,
            names,
        }))
    }

    /// Where it lies.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

fn toml_of(text: &str) -> Result<toml::Table, NoManifest> {
    Ok(text.parse()?)
}

/// Those that come from elsewhere: what lies in the repository itself is no dependency of it.
fn cargo(text: &str) -> Result<Vec<String>, NoManifest> {
    let table = toml_of(text)?;
    let mut places: Vec<&toml::Table> = vec![&table];
    places.extend(table.get("workspace").and_then(toml::Value::as_table));
    let targets = table.get("target").and_then(toml::Value::as_table);
    places.extend(
        targets
            .into_iter()
            .flat_map(toml::Table::values)
            .filter_map(toml::Value::as_table),
    );
    let mut names = Vec::new();
    for place in places {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let list = place.get(kind).and_then(toml::Value::as_table);
            for (name, what) in list.into_iter().flatten() {
                // What a workspace hands down is named there.
                let elsewhere = what.get("path").is_none() && what.get("workspace").is_none();
                if elsewhere {
                    let renamed = what.get("package").and_then(toml::Value::as_str);
                    names.push(renamed.unwrap_or(name).to_owned());
                }
            }
        }
    }
    Ok(names)
}

fn npm(text: &str) -> Result<Vec<String>, NoManifest> {
    let package: Value = serde_json::from_str(text)?;
    let kinds = ["dependencies", "devDependencies", "optionalDependencies"];
    let lists = kinds.iter().filter_map(|kind| package[*kind].as_object());
    let inside = |version: &Value| {
        let version = version.as_str().unwrap_or_default();
        ["file:", "link:", "workspace:"]
            .iter()
            .any(|start| version.starts_with(start))
    };
    let elsewhere = lists.flatten().filter(|(_, version)| !inside(version));
    Ok(elsewhere.map(|(name, _)| name.clone()).collect())
}

/// The name at the beginning of a requirement such as `requests[socks]>=2; python_version>"3"`.
fn requirement(line: &str) -> Option<String> {
    let end = line.find(|char: char| !(char.is_alphanumeric() || "-_.".contains(char)));
    let name = &line[..end.unwrap_or(line.len())];
    (!name.is_empty()).then(|| name.to_owned())
}

fn pyproject(text: &str) -> Result<Vec<String>, NoManifest> {
    let table = toml_of(text)?;
    let at = |path: &[&str]| {
        let mut value = toml::Value::Table(table.clone());
        for key in path {
            value = value.get(key)?.clone();
        }
        Some(value)
    };
    let mut lists: Vec<toml::Value> = at(&["project", "dependencies"]).into_iter().collect();
    for groups in [
        &["project", "optional-dependencies"][..],
        &["dependency-groups"],
    ] {
        let groups = at(groups);
        let groups = groups.as_ref().and_then(toml::Value::as_table);
        lists.extend(groups.into_iter().flat_map(toml::Table::values).cloned());
    }
    let mut names: Vec<String> = lists
        .iter()
        .filter_map(toml::Value::as_array)
        .flatten()
        .filter_map(|one| requirement(one.as_str()?.trim()))
        .collect();
    let poetry = at(&["tool", "poetry", "dependencies"]);
    let poetry = poetry.as_ref().and_then(toml::Value::as_table);
    let others = poetry.into_iter().flatten().map(|(name, _)| name.clone());
    names.extend(others.filter(|name| name != "python"));
    Ok(names)
}

fn requirements(text: &str) -> Result<Vec<String>, NoManifest> {
    let lines = text.lines().map(str::trim);
    let real = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '-']));
    Ok(real.filter_map(requirement).collect())
}

fn pipfile(text: &str) -> Result<Vec<String>, NoManifest> {
    let table = toml_of(text)?;
    let lists = ["packages", "dev-packages"].iter();
    let lists = lists.filter_map(|kind| table.get(*kind)?.as_table());
    Ok(lists.flatten().map(|(name, _)| name.clone()).collect())
}

fn go(text: &str) -> Result<Vec<String>, NoManifest> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.starts_with("require (") {
            inside = true;
        } else if line == ")" {
            inside = false;
        } else if let Some(one) = line.strip_prefix("require ").or(inside.then_some(line)) {
            names.extend(one.split_whitespace().next().map(str::to_owned));
        }
    }
    Ok(names)
}

/// The lockfiles of each world, beside the manifest or in a folder above it.
pub const LOCKFILES: [(World, &[&str]); 4] = [
    (World::Cargo, &["Cargo.lock"]),
    (
        World::Npm,
        &[
            "package-lock.json",
            "npm-shrinkwrap.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "bun.lock",
            "bun.lockb",
        ],
    ),
    (
        World::Python,
        &[
            "uv.lock",
            "poetry.lock",
            "pdm.lock",
            "Pipfile.lock",
            "pylock.toml",
        ],
    ),
    (World::Go, &["go.sum"]),
];

/// Is this a manifest of a world that we know?
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.iter().any(|(known, ..)| *known == name)
}

/// Is this a lockfile of a world that we know?
pub fn is_lock(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LOCKFILES.iter().any(|(_, locks)| locks.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifest_names_its_packages() {
        let cases: [(&str, &str, &[&str]); 7] = [
            (
                "Cargo.toml",
                "[dependencies]\nserde = \"1\"\nown = { path = \"own\" }\nshared.workspace = true\nx = { package = \"real\", version = \"1\" }\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
                &["libc", "real", "serde"],
            ),
            (
                "Cargo.toml",
                "[workspace.dependencies]\nregex = \"1\"\n",
                &["regex"],
            ),
            (
                "package.json",
                "{\"dependencies\": {\"react\": \"1\", \"own\": \"file:own\"}, \"devDependencies\": {\"jest\": \"1\"}}",
                &["jest", "react"],
            ),
            (
                "pyproject.toml",
                "[project]\ndependencies = [\"requests[socks]>=2\"]\n[dependency-groups]\ndev = [\"pytest\", {include-group = \"x\"}]\n[tool.poetry.dependencies]\npython = \"^3\"\nflask = \"1\"\n",
                &["flask", "pytest", "requests"],
            ),
            (
                "requirements.txt",
                "# a\n-r other.txt\ndjango==5.0\n",
                &["django"],
            ),
            ("Pipfile", "[packages]\nflask = \"*\"\n", &["flask"]),
            (
                "go.mod",
                "module a\nrequire github.com/a/b v1\nrequire (\n\tgithub.com/c/d v2 // indirect\n)\n",
                &["github.com/a/b", "github.com/c/d"],
            ),
        ];
        for (name, text, wanted) in cases {
            let found = Manifest::read(&format!("sub/{name}"), text)
                .unwrap()
                .unwrap();
            assert_eq!(found.names, wanted, "{name}");
            assert_eq!(found.folder(), "sub");
        }
        let broken = Manifest::read("Cargo.toml", "[").unwrap_err();
        assert!(broken.to_string().starts_with("is no TOML"));
        assert_eq!(Manifest::read("a.rs", "[").unwrap(), None);
    }
}
