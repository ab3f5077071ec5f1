//! A repository and a task folder in a temporary place, with a plain vault and a plain hash.

use checks::{Example, Keep, Outside, Place, Subject, TreeNow};
use kernel::outcome::{EvidenceRef, RoleResult};
use sandbox::Cancel;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use tempfile::{TempDir, tempdir};

/// What was kept: name and bytes.
#[derive(Default)]
pub(crate) struct Vault(
    pub(crate) Mutex<Vec<(String, Vec<u8>)>>,
    /// What was kept before.
    pub(crate) Mutex<Vec<(String, Vec<u8>)>>,
);

impl Keep for Vault {
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, Outside> {
        self.0.lock().unwrap().push((name.into(), bytes.to_vec()));
        Ok(EvidenceRef {
            hash: hash(bytes),
            name: name.into(),
            size: bytes.len() as u64,
        })
    }

    fn keep_exact(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, Outside> {
        self.keep(name, bytes)
    }

    fn fetch(&self, wanted: &str) -> Result<Vec<u8>, Outside> {
        let kept = self.0.lock().unwrap();
        let found = kept.iter().find(|(_, bytes)| sha256(bytes) == wanted);
        found
            .map(|(_, bytes)| bytes.clone())
            .ok_or_else(|| format!("nothing is kept as {wanted}").into())
    }

    fn earlier(&self, name: &str) -> Result<Vec<Vec<u8>>, Outside> {
        let earlier = self.1.lock().unwrap();
        let named = earlier.iter().filter(|(known, _)| known == name);
        Ok(named.map(|(_, bytes)| bytes.clone()).collect())
    }
}

pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) vault: Vault,
    pub(crate) cancel: Cancel,
    pub(crate) wall: Duration,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempdir().unwrap();
        for folder in ["repo", "task"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        Self {
            dir,
            vault: Vault::default(),
            cancel: Cancel::new(),
            wall: Duration::from_secs(60),
        }
    }

    /// Lays down the example's files and hands its subject to `judge`.
    pub(crate) fn with<T>(&self, example: &Example, judge: impl FnOnce(&Subject<'_>) -> T) -> T {
        let (repo, task) = (self.dir.path().join("repo"), self.dir.path().join("task"));
        lay_down(&repo, example.repo);
        lay_down(&task, example.task);
        for (name, content) in example.earlier {
            let kept = (name.to_string(), content.as_bytes().to_vec());
            self.vault.1.lock().unwrap().push(kept);
        }
        let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            let owned = pairs
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_string()));
            owned.collect()
        };
        let strings =
            |list: &[&str]| -> Vec<String> { list.iter().map(|one| one.to_string()).collect() };
        let mut frozen = kernel::effect::Frozen::new();
        for (name, item, content) in example.frozen {
            let items = frozen.entry((*name).to_owned()).or_default();
            items.insert((*item).to_owned(), sha256(content.as_bytes()));
            let label = format!("frozen {name}: {item}");
            self.vault.keep_exact(&label, content.as_bytes()).unwrap();
        }
        let mut known = kernel::effect::Known::new();
        for (kind, name) in example.known {
            let names = known.entry((*kind).to_owned()).or_default();
            names.insert((*name).to_owned());
        }
        let standing = example.standing.iter().map(|state| (*state).into());
        let result = |(role, value): &(&str, serde_json::Value)| {
            let result = RoleResult {
                attempt: kernel::EffectId(1),
                tree: example.trees.1.to_owned(),
                value: value.clone(),
            };
            (role.to_string(), result)
        };
        let results = example.results.iter().map(result).collect();
        let commits: BTreeMap<kernel::StateName, String> = match example.before {
            [] => BTreeMap::new(),
            _ => BTreeMap::from([("tests".into(), "c0ffee".to_owned())]),
        };
        let place = Place {
            repo: &repo,
            task: &task,
            views: checks::Views::default(),
        };
        let tree = || Ok(tree(&repo));
        judge(&Subject {
            fields: &map(example.fields),
            fields_before: &map(example.fields_before),
            tree_before: example.trees.0,
            tree_after: example.trees.1,
            changed: &strings(example.changed),
            result: example.result.as_ref(),
            results: &results,
            commands: &strings(example.commands),
            frozen: &frozen,
            standing: &standing.collect(),
            known: &known,
            commits: &commits,
            check_out: &|_, into| {
                lay_down(into, example.before);
                Ok(())
            },
            env: &sandbox::base_env(),
            ..Subject::new(place, self.wall, &self.cancel, &self.vault, &tree)
        })
    }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn lay_down(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let full = root.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, content).unwrap();
    }
}

fn tree(root: &Path) -> TreeNow {
    fn walk(root: &Path, dir: &Path, files: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, files);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                files.insert(name, hash(&std::fs::read(&path).unwrap()));
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(root, root, &mut files);
    TreeNow {
        hash: hash(format!("{files:?}").as_bytes()),
        files,
    }
}
