//! What a room has beside the tree: dependencies and caches that git ignores and commands need. They
//! come from the person's own tree, where no agent writes and no command of ours does; a command cannot
//! change them.

use crate::config::RoomSettings;
use crate::error::Error;
use crate::project::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use store::Tree;

/// What becomes of it in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Included {
    /// Laid in, to be read.
    Dependencies,
    /// A layer over it: a build may write, and nothing of that stays.
    Cache,
}

/// One thing that is laid in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// Where, from the repository's top.
    pub path: PathBuf,
    /// Where it lies.
    pub source: PathBuf,
    pub kind: Included,
}

impl Include {
    /// For people: what it is, and of dependencies which ones.
    pub fn shown(&self) -> String {
        let path = self.path.display();
        match self.kind {
            Included::Dependencies => format!("{path} ({})", self.fingerprint()),
            Included::Cache => format!("{path} (a cache)"),
        }
    }

    /// A short hash over the names, sizes and times of all files. It is taken once: a person does not
    /// install anything while commands judge.
    fn fingerprint(&self) -> String {
        static TAKEN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
        let mut taken = TAKEN
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = taken.entry(self.source.clone());
        known.or_insert_with(|| fingerprint(&self.source)).clone()
    }
}

fn fingerprint(source: &Path) -> String {
    let files = match source.is_dir() {
        true => store::walk(source, &|_| false).unwrap_or_default(),
        false => vec![PathBuf::new()],
    };
    let mut lines = String::new();
    for path in files {
        // An empty path behind a file asks for a folder.
        let at = match path.as_os_str().is_empty() {
            true => source.to_owned(),
            false => source.join(&path),
        };
        let Ok(found) = at.symlink_metadata() else {
            continue;
        };
        let (size, time) = (found.len(), (found.mtime(), found.mtime_nsec()));
        lines.push_str(&format!("{} {size} {time:?}\n", path.display()));
    }
    let mut hash = store::sha256_hex(lines.as_bytes());
    hash.truncate(12);
    hash
}

/// A manifest, and the folders beside it that its tools fill.
const BESIDE: [(&str, &[&str]); 8] = [
    ("package.json", &["node_modules"]),
    ("pyproject.toml", &[".venv", "venv"]),
    ("setup.py", &[".venv", "venv"]),
    ("requirements.txt", &[".venv", "venv"]),
    ("Cargo.toml", &["target"]),
    ("composer.json", &["vendor"]),
    ("Gemfile", &["vendor"]),
    ("go.mod", &["vendor"]),
];
/// Those that are looked for at the top, whatever manifests there are.
const AT_TOP: [&str; 5] = ["node_modules", ".venv", "venv", "vendor", "target"];

/// Where git keeps what submodules there are.
const MODULES: &str = ".gitmodules";

/// The folders of submodules: their files are another repository's, and commands need them all the same.
fn submodules(top: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(top.join(MODULES)).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let paths = lines.filter(|(key, _)| key.trim() == "path");
    paths
        .map(|(_, path)| PathBuf::from(path.trim().trim_matches('"')))
        .collect()
}

/// What is there to be laid in: what the person names, or else what the tree's manifests ask for.
pub(super) fn found(
    project: &Project,
    named: Option<&[String]>,
    tree: &BTreeSet<&str>,
) -> Vec<Include> {
    let mut paths = BTreeSet::new();
    match named {
        Some(named) => paths.extend(named.iter().map(PathBuf::from)),
        None => {
            paths.extend(AT_TOP.map(PathBuf::from));
            if tree.contains(MODULES) {
                paths.extend(submodules(project.top()));
            }
            for file in tree {
                let file = Path::new(file);
                let beside = BESIDE.iter().filter(|(name, _)| file.ends_with(name));
                let folder = file.parent().unwrap_or(Path::new(""));
                let beside = beside.flat_map(|(_, folders)| folders.iter());
                paths.extend(beside.map(|name| folder.join(name)));
            }
        }
    }
    let include = |path: PathBuf| include(project.top(), path, tree);
    paths.into_iter().filter_map(include).collect()
}

/// The paths of a tree.
pub(super) fn names(tree: &Tree) -> BTreeSet<&str> {
    tree.files.keys().map(String::as_str).collect()
}

/// What rooms will have beside the tree as it is now, for whoever begins a run.
pub fn laid_in(project: &Project) -> Result<Vec<Include>, Error> {
    let settings = RoomSettings::of(&project.config()?)?;
    let files = crate::git::files(project.top(), project.top())?;
    let files: Vec<String> = files.iter().map(|path| store::encode_path(path)).collect();
    let tree = files.iter().map(String::as_str).collect();
    Ok(found(project, settings.include.as_deref(), &tree))
}

/// What an agent that may run programs finds in its view to be read: folders of dependencies and the
/// repository's submodules, and nothing else that a person names for rooms, since that may be for no
/// model's eyes.
pub(crate) fn for_agents(project: &Project, named: Option<&[String]>, seen: &Tree) -> Vec<Include> {
    let tree = names(seen);
    let mut all = found(project, named, &tree);
    let submodules = match tree.contains(MODULES) {
        true => submodules(project.top()),
        false => Vec::new(),
    };
    all.retain(|one| {
        let known = AT_TOP.iter().any(|name| one.path.ends_with(name));
        (known && one.kind == Included::Dependencies) || submodules.contains(&one.path)
    });
    all
}

/// None for what is not there, leads out, or is a part of the tree itself.
fn include(top: &Path, path: PathBuf, tree: &BTreeSet<&str>) -> Option<Include> {
    let plain = |part| matches!(part, Component::Normal(_));
    let inside = !path.as_os_str().is_empty() && path.components().all(plain);
    let name = path.to_str().filter(|_| inside)?;
    let below = format!("{name}/");
    let first_below = tree.range(below.as_str()..).next();
    let of_tree = tree.contains(name) || first_below.is_some_and(|file| file.starts_with(&below));
    let source = top.join(&path);
    let found = source.symlink_metadata().ok()?;
    // What a link leads to is somebody's, and not here.
    if of_tree || !(found.is_dir() || found.is_file()) || source.canonicalize().ok()? != source {
        return None;
    }
    let cache =
        found.is_dir() && (path.ends_with("target") || source.join("CACHEDIR.TAG").is_file());
    let kind = match cache {
        true => Included::Cache,
        false => Included::Dependencies,
    };
    Some(Include { path, source, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_a_hash_of_its_own_and_another_once_it_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.env");
        std::fs::write(&file, "A=1\n").unwrap();
        let first = fingerprint(&file);
        assert_ne!(first, fingerprint(&folder.path().join("nobody.env")));
        std::fs::write(&file, "A=1\nB=2\n").unwrap();
        assert_ne!(first, fingerprint(&file));
    }
}
