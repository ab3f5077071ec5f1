//! A repository and a task folder in a temporary place, with a plain vault and a plain hash.

use checks::deploy::{Deploy, Rollback, Target};
use checks::{BoxError, Keep, Place, Subject, TreeNow};
use kernel::outcome::{EvidenceRef, RoleResult};
use sandbox::Cancel;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use tempfile::{TempDir, tempdir};

/// One worked example of a check: a world, settings, and the answer. What is left out is empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Example {
    /// What it shows.
    pub(crate) name: String,
    /// The verdict, by which of these there is; and text that the reason contains, of the first
    /// result that does not pass, or else of the last.
    pub(crate) passes: Option<String>,
    pub(crate) fails: Option<String>,
    pub(crate) cannot_run: Option<String>,
    /// Text that the reason does not contain.
    pub(crate) never: Option<String>,
    /// Words that the result shows.
    pub(crate) shows: Vec<String>,
    /// A program without which it is left out, loudly.
    pub(crate) needs: Option<String>,
    /// The check's settings, if not those of the file.
    pub(crate) with: Option<Value>,
    /// Files laid down in the repository and in the task folder.
    pub(crate) repo: BTreeMap<String, String>,
    pub(crate) task: BTreeMap<String, String>,
    /// Fields now, and before the attempt.
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) fields_before: BTreeMap<String, String>,
    /// Tree hashes before and after the attempt, if they are not the same.
    pub(crate) trees: Option<(String, String)>,
    /// What the attempt changed.
    pub(crate) changed: Vec<String>,
    /// The agent's result, and the last ones of other roles.
    pub(crate) result: Option<Value>,
    pub(crate) results: BTreeMap<String, Value>,
    /// The validation commands that a human set.
    pub(crate) commands: Vec<String>,
    /// The task's files as they were laid out.
    pub(crate) forms: BTreeMap<String, String>,
    /// What earlier gates froze: name, item, content.
    pub(crate) frozen: Vec<(String, String, String)>,
    /// States whose gates passed.
    pub(crate) standing: Vec<String>,
    /// Names that the run has given out: kind and name.
    pub(crate) known: Vec<(String, String)>,
    /// Evidence that earlier gates of the run kept: name and content, oldest first.
    pub(crate) earlier: Vec<(String, String)>,
    /// The repository as the checkpoint behind the state `tests` holds it.
    pub(crate) before: BTreeMap<String, String>,
    /// How it is deployed: settings by name; `DIR` stands for the folder around the repository.
    pub(crate) deploy: BTreeMap<String, String>,
}

/// What was kept: name and bytes.
#[derive(Default)]
pub(crate) struct Vault(
    pub(crate) Mutex<Vec<(String, Vec<u8>)>>,
    /// What was kept before.
    pub(crate) Mutex<Vec<(String, Vec<u8>)>>,
);

impl Keep for Vault {
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        self.0.lock().unwrap().push((name.into(), bytes.to_vec()));
        Ok(EvidenceRef {
            hash: hash(bytes),
            name: name.into(),
            size: bytes.len() as u64,
            sealed: false,
        })
    }

    fn seal(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        let kept = self.keep(name, bytes)?;
        Ok(EvidenceRef {
            sealed: true,
            ..kept
        })
    }

    fn keep_exact(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        self.keep(name, bytes)
    }

    fn was_opened(&self, wanted: &str) -> bool {
        let earlier = self.1.lock().unwrap();
        earlier.contains(&("opened".to_owned(), wanted.as_bytes().to_vec()))
    }

    fn fetch(&self, wanted: &str) -> Result<Vec<u8>, BoxError> {
        let kept = self.0.lock().unwrap();
        let found = kept
            .iter()
            .find(|(_, bytes)| sha256(bytes) == wanted || hash(bytes) == wanted);
        found
            .map(|(_, bytes)| bytes.clone())
            .ok_or_else(|| format!("nothing is kept as {wanted}").into())
    }

    fn earlier(&self, name: &str) -> Result<Vec<Vec<u8>>, BoxError> {
        let earlier = self.1.lock().unwrap();
        let named = earlier.iter().filter(|(known, _)| known == name);
        Ok(named.map(|(_, bytes)| bytes.clone()).collect())
    }

    fn note(&self, name: &str, bytes: &[u8]) -> Result<(), BoxError> {
        self.keep(name, bytes).map(drop)
    }

    fn noted(&self, name: &str) -> Result<Option<Vec<u8>>, BoxError> {
        Ok(self.earlier(name)?.pop())
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
        lay_down(&repo, &example.repo);
        lay_down(&task, &example.task);
        for (name, content) in &example.earlier {
            // `TREE` stands for the hash of the repository as it is laid down.
            let content = content.replace("TREE", &tree(&repo).hash);
            let kept = (name.clone(), content.into_bytes());
            self.vault.1.lock().unwrap().push(kept);
        }
        let mut frozen = kernel::effect::Frozen::new();
        for (name, item, content) in &example.frozen {
            let items = frozen.entry(name.clone()).or_default();
            items.insert(item.clone(), sha256(content.as_bytes()));
            let label = format!("frozen {name}: {item}");
            self.vault.keep_exact(&label, content.as_bytes()).unwrap();
        }
        let mut known = kernel::effect::Known::new();
        for (kind, name) in &example.known {
            known.entry(kind.clone()).or_default().insert(name.clone());
        }
        let standing = example.standing.iter().map(|state| state.as_str().into());
        let (before, after) = match &example.trees {
            Some((before, after)) => (before.as_str(), after.as_str()),
            None => ("same", "same"),
        };
        let result = |(role, value): (&String, &Value)| {
            let result = RoleResult {
                attempt: kernel::EffectId(1),
                tree: after.to_owned(),
                value: value.clone(),
            };
            (role.clone(), result)
        };
        let commits: BTreeMap<kernel::StateName, String> = match example.before.is_empty() {
            true => BTreeMap::new(),
            false => BTreeMap::from([("tests".into(), "c0ffee".to_owned())]),
        };
        let place = Place {
            repo: &repo,
            installed: &repo,
            task: &task,
            views: checks::Views::default(),
        };
        let tree = || Ok(tree(&repo));
        let deploy = self.deploy(&example.deploy);
        judge(&Subject {
            deploy: deploy.as_ref(),
            fields: &example.fields,
            fields_before: &example.fields_before,
            tree_before: before,
            tree_after: after,
            changed: &example.changed,
            result: example.result.as_ref(),
            results: &example.results.iter().map(result).collect(),
            commands: &example.commands,
            forms: Some(&example.forms),
            frozen: &frozen,
            standing: &standing.collect(),
            known: &known,
            commits: &commits,
            check_out: &|_, into| {
                lay_down(into, &example.before);
                Ok(())
            },
            env: &sandbox::base_env(),
            ..Subject::new(place, self.wall, &self.cancel, &self.vault, &tree)
        })
    }
}

impl World {
    fn deploy(&self, settings: &BTreeMap<String, String>) -> Option<Deploy> {
        let around = self.dir.path().display().to_string();
        let text = |name: &str| Some(settings.get(name)?.replace("DIR", &around));
        let target = match (text("git"), text("folder"), text("look")) {
            (Some(url), ..) => Target::Branch {
                url,
                branch: "live".to_owned(),
            },
            (_, Some(folder), _) => Target::Folder(folder.into()),
            (_, _, Some(look)) => Target::Shown(look),
            _ => return None,
        };
        Some(Deploy {
            target,
            command: text("command"),
            back: text("back"),
            rollback: match settings.contains_key("try") {
                true => Rollback::Tried,
                false => Rollback::Asked,
            },
            credentials: BTreeMap::from([("TOKEN".to_owned(), "from-the-person".to_owned())]),
        })
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn lay_down(root: &Path, files: &BTreeMap<String, String>) {
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
            if path.ends_with("__pycache__") {
                // What tools leave behind is nobody's work.
                continue;
            }
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
