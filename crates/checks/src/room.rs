//! A clean room: a folder of our own that holds a checkpoint's files, with chosen files of the
//! repository laid in and frozen copies over all of it. What runs there reaches the room, those installed
//! dependencies that were frozen, and what every command finds beside the tree in the person's own one, where
//! no agent writes; and nothing else of the repository: an ignored file, a stray configuration, a changed test
//! or a dependency that came later cannot help it.

use crate::error::{BoxError, Error};
use crate::readers::paths::Found;
use crate::readers::{hash, installed, items, paths};
use crate::{Place, Subject, TreeNow};
use globset::GlobSet;
use kernel::effect::BEGUN;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

static NEXT: AtomicU64 = AtomicU64::new(0);

/// The folder; it goes when this goes.
pub(crate) struct Room {
    path: PathBuf,
    policy: Option<sandbox::Policy>,
    env: BTreeMap<String, String>,
    beside: Beside,
}

/// What commands find in a room beside its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// What was laid in.
    Nothing,
    /// What the engine lays beside the judged tree as well: submodules, what is installed, a build's cache.
    AsJudged,
}

/// What of the repository is laid into a room.
pub(crate) struct Candidate<'a> {
    /// Files that the work may touch.
    pub(crate) scope: &'a GlobSet,
    /// Files that decide how tests run: they come from the freeze or not at all.
    pub(crate) kept_out: &'a GlobSet,
    /// Those of them that the work may change all the same.
    pub(crate) opened: &'a dyn Fn(&str) -> bool,
}

impl Room {
    /// A room with the files of a checkpoint, and the dependencies that are among what was frozen.
    pub(crate) fn of(
        subject: &Subject<'_>,
        commit: &str,
        frozen: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let mut room = Self::empty(subject)?;
        // In a tree of its own no agent reaches what the person has beside theirs.
        if subject.place.installed != subject.place.repo {
            room.beside = Beside::AsJudged;
        }
        room.check_out(subject, commit)?;
        let installed: Vec<&str> = frozen
            .keys()
            .filter_map(|item| installed::folder(item))
            .collect();
        room.policy = subject
            .policy
            .map(|policy| room.policy(policy, subject, &installed));
        for name in installed {
            room.link(subject.place.installed, name)
                .map_err(Error::undone(format!("{name} cannot be linked")))?;
        }
        Ok(room)
    }

    /// A room with the files of a commit, and beside them what commands find beside the judged tree.
    pub(crate) fn as_before(subject: &Subject<'_>, commit: &str) -> Result<Self, Error> {
        let room = Self::unfrozen(subject)?;
        room.check_out(subject, commit)?;
        Ok(room)
    }

    /// The same with the files of the judged tree.
    pub(crate) fn as_judged(subject: &Subject<'_>) -> Result<Self, Error> {
        let room = Self::unfrozen(subject)?;
        for path in subject.tree()?.files.keys() {
            let from = paths::found_in(subject.place.repo, path)
                .map_err(Error::of(&format!("repo/{path}")))?;
            room.lay(&from, path)?;
        }
        Ok(room)
    }

    /// The files that the run began with, by their names alone: each holds lines that no language and no
    /// reader makes sense of. What passes in there does not look into files.
    pub(crate) fn of_nonsense(subject: &Subject<'_>) -> Result<Self, Error> {
        let begun = subject.known.get(BEGUN).and_then(|one| one.first());
        let room = match begun {
            Some(commit) => Self::as_before(subject, commit)?,
            None => Self::as_judged(subject)?,
        };
        for path in room.names()? {
            room.put(&path, Some(&nonsense(&path)))?;
        }
        Ok(room)
    }

    fn unfrozen(subject: &Subject<'_>) -> Result<Self, Error> {
        let mut room = Self::empty(subject)?;
        room.policy = subject.policy.map(|of| room.policy(of, subject, &[]));
        room.beside = Beside::AsJudged;
        Ok(room)
    }

    fn check_out(&self, subject: &Subject<'_>, commit: &str) -> Result<(), Error> {
        (subject.check_out)(commit, &self.path).map_err(Error::undone(format!(
            "the checkpoint {commit} cannot be laid out"
        )))
    }

    fn empty(subject: &Subject<'_>) -> Result<Self, Error> {
        let path = folder()?;
        let mut env = subject.env.clone();
        // Python would take what lies in a `__pycache__`, which nobody has hashed.
        let compiled = path.join(COMPILED).to_string_lossy().into_owned();
        env.insert("PYTHONPYCACHEPREFIX".to_owned(), compiled);
        Ok(Self {
            path,
            policy: None,
            env,
            beside: Beside::Nothing,
        })
    }

    /// A room with nothing in it, and no network where that can be kept from a command.
    pub(crate) fn bare(subject: &Subject<'_>) -> Result<Self, Error> {
        let mut room = Self::empty(subject)?;
        room.policy = subject.policy.map(|policy| {
            let mut policy = room.policy(policy, subject, &[]);
            policy.network = sandbox::Network::None;
            policy
        });
        Ok(room)
    }

    /// A room with nothing of the repository but the task's documents, and no network: what shows
    /// something in there does not show it of the product. None where nothing can be kept from a
    /// command, for then it may ask the product from in there.
    pub(crate) fn of_documents(subject: &Subject<'_>) -> Result<Option<Self>, Error> {
        if subject.policy.is_none() {
            return Ok(None);
        }
        let room = Self::bare(subject)?;
        let place = subject.place;
        // A task folder that lies elsewhere is read where it is.
        let Ok(inside) = place.task.strip_prefix(place.repo) else {
            return Ok(Some(room));
        };
        let mut names = Vec::new();
        items::walk(place.task, "task", &mut names)?;
        for name in names.iter().filter_map(|name| name.strip_prefix("task/")) {
            let to = inside.join(name);
            // A link leads to no document of the task.
            if let Ok(from @ Found::File(_)) = paths::found_in(place.task, name) {
                room.lay(&from, &to.to_string_lossy())?;
            }
        }
        Ok(Some(room))
    }

    /// A folder of dependencies, entry by entry, without what runners keep there for themselves.
    fn link(&self, repo: &Path, name: &str) -> std::io::Result<()> {
        let to = self.path.join(name);
        if to.symlink_metadata().is_ok() {
            return Ok(()); // The checkpoint has it.
        }
        std::fs::create_dir(&to)?;
        for entry in std::fs::read_dir(repo.join(name))? {
            let entry = entry?;
            if !installed::is_cache(&entry.file_name().to_string_lossy()) {
                std::os::unix::fs::symlink(entry.path(), to.join(entry.file_name()))?;
            }
        }
        Ok(())
    }

    /// The check's own policy, for this room instead of the repository.
    fn policy(
        &self,
        of: &sandbox::Policy,
        subject: &Subject<'_>,
        installed: &[&str],
    ) -> sandbox::Policy {
        let repo = subject.place.repo;
        let mut policy = of.clone();
        let outside = |path: &PathBuf| !path.starts_with(repo);
        policy.write.retain(outside);
        policy.read.retain(outside);
        policy.hidden.retain(outside);
        policy.write.push(self.path.clone());
        let from = subject.place.installed;
        let installed = installed.iter().map(|name| from.join(name));
        policy.read.extend(installed.filter(|path| path.is_dir()));
        policy
    }

    /// Lays the candidate in: every file that it may touch is as in the repository now, or gone.
    pub(crate) fn lay_in(
        &self,
        subject: &Subject<'_>,
        candidate: &Candidate<'_>,
    ) -> Result<(), Error> {
        let now = subject.tree()?;
        let is_its = |path: &str| {
            let name = format!("repo/{path}");
            let open = !candidate.kept_out.is_match(&name) || (candidate.opened)(&name);
            candidate.scope.is_match(&name) && open
        };
        for path in files(&self.path)?.keys().filter(|path| is_its(path)) {
            if !now.files.contains_key(path) {
                let gone = std::fs::remove_file(self.path.join(path));
                gone.map_err(Error::undone(format!("{path} cannot be taken out")))?;
            }
        }
        for path in now.files.keys().filter(|path| is_its(path)) {
            let from = paths::found_in(subject.place.repo, path)
                .map_err(Error::of(&format!("repo/{path}")))?;
            self.lay(&from, path)?;
        }
        Ok(())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The files that are in it now.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        Ok(files(&self.path)?.into_keys().collect())
    }

    /// The text of one of them; none where it is no text, or not there.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        match paths::found_in(&self.path, path).ok()? {
            Found::File(from) => std::fs::read_to_string(from).ok(),
            Found::Link(_) => None,
        }
    }

    /// Puts a text there, or takes the file out.
    pub(crate) fn put(&self, path: &str, text: Option<&str>) -> Result<(), Error> {
        let to = self.place(path)?;
        let put = match text {
            Some(text) => std::fs::write(to, text),
            None => match std::fs::remove_file(to) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
        };
        put.map_err(Error::undone(format!("{path} cannot be put there")))
    }

    /// Has a file as another room has it, or not at all.
    pub(crate) fn put_back(&self, from: &Room, path: &str) -> Result<(), Error> {
        match paths::found_in(&from.path, path) {
            Ok(found) => self.lay(&found, path),
            Err(_) => self.put(path, None),
        }
    }

    /// Takes out what Python compiled: a source that was replaced within a second, by one of the same
    /// length, would not be seen.
    pub(crate) fn forget_compiled(&self) -> Result<(), Error> {
        let compiled = self.path.join(COMPILED);
        if compiled.symlink_metadata().is_err() {
            return Ok(());
        }
        let gone = store::remove_tree(&compiled);
        gone.map_err(Error::undone("what was compiled cannot be taken out"))
    }

    /// Lays in what was found: a link as a link, a file with its mode, so that a script stays one.
    fn lay(&self, from: &Found, path: &str) -> Result<(), Error> {
        let to = self.place(path)?;
        let laid = match from {
            Found::File(from) => std::fs::copy(from, to).map(drop),
            Found::Link(target) => {
                // A file in its place goes; if that fails, the link says so.
                let _ = std::fs::remove_file(&to);
                std::os::unix::fs::symlink(target, to)
            }
        };
        laid.map_err(Error::undone(format!("{path} cannot be laid in")))
    }

    /// Lays the frozen copies over what is there.
    pub(crate) fn restore(
        &self,
        subject: &Subject<'_>,
        frozen: &BTreeMap<String, String>,
    ) -> Result<(), Error> {
        for (item, hash) in frozen {
            let Some(path) = item
                .strip_prefix("repo/")
                .filter(|path| !path.contains('#') && !path.ends_with('/'))
            else {
                continue;
            };
            let bytes = match subject.keep.fetch(hash) {
                Ok(bytes) => bytes,
                Err(why) => {
                    self.lay_frozen(subject.place.repo, path, hash)
                        .map_err(|also| format!("{item}: {why}; {also}"))?;
                    continue;
                }
            };
            if hash::bytes(&bytes) != *hash {
                return Err(format!("the frozen copy of {item} is not what was frozen").into());
            }
            std::fs::write(self.place(path)?, bytes)
                .map_err(Error::undone(format!("{path} cannot be laid over")))?;
        }
        Ok(())
    }

    /// Links, large files and secrets are frozen without a copy: the room's own one or that of the
    /// repository does, if its hash is the frozen one.
    fn lay_frozen(&self, repo: &Path, path: &str, hash: &str) -> Result<(), Error> {
        let same = |root: &Path| {
            let found = paths::found_in(root, path).ok()?;
            let is_it = hash::of(&found).is_ok_and(|now| now == hash);
            is_it.then_some(found)
        };
        if same(&self.path).is_some() {
            return Ok(());
        }
        let from = same(repo).ok_or("it is frozen by its hash alone, and was changed since")?;
        self.lay(&from, path)
    }

    /// Where a file goes, with its folders made. A link in its place goes.
    fn place(&self, path: &str) -> Result<PathBuf, Error> {
        paths::lint(path)?;
        let to = self.path.join(path);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder)
                .map_err(Error::undone(format!("{path} has no place in the room")))?;
        }
        if to.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            std::fs::remove_file(&to)
                .map_err(Error::undone(format!("{path} cannot be replaced")))?;
        }
        Ok(to)
    }

    /// The subject as it looks from inside the room.
    pub(crate) fn inside<T>(
        &self,
        subject: &Subject<'_>,
        act: impl FnOnce(&Subject<'_>) -> T,
    ) -> T {
        let tree = || -> Result<TreeNow, BoxError> {
            let files = files(&self.path)?;
            let whole: Vec<String> = files
                .iter()
                .map(|(path, hash)| format!("{path} {hash}"))
                .collect();
            Ok(TreeNow {
                hash: hash::bytes(whole.join("\n").as_bytes()),
                files,
            })
        };
        // Each command has a layer of its own over this one, where what it writes goes. Where the tree
        // cannot be read there is none, and whoever asks for the tree hears why.
        let over = subject.rooms.zip(tree().ok());
        let over = over.map(|(rooms, now)| match self.beside {
            Beside::Nothing => rooms.over(&self.path, now),
            Beside::AsJudged => rooms.like(&self.path, now),
        });
        act(&Subject {
            place: Place {
                repo: &self.path,
                ..subject.place
            },
            policy: self.policy.as_ref(),
            env: &self.env,
            rooms: over.as_deref(),
            tree: &tree,
            ..*subject
        })
    }
}

/// Many lines, other ones in each file.
fn nonsense(path: &str) -> String {
    let own = hash::bytes(path.as_bytes());
    let line = |number: usize| {
        format!(
            "]) }}\"' <<< {} {number}\n",
            own.get(..12).unwrap_or_default()
        )
    };
    (0..NONSENSE_LINES).map(line).collect()
}

/// More than what a small file is bounded to.
const NONSENSE_LINES: usize = 200;

impl Drop for Room {
    fn drop(&mut self) {
        // Left behind, it is only litter in a temporary folder.
        let _ = store::remove_tree(&self.path);
    }
}

fn folder() -> Result<PathBuf, Error> {
    let base = std::env::temp_dir();
    for _ in 0..1000 {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("proofhouse-room-{}-{number}", std::process::id()));
        // Somebody else's folder is never taken over: `create_dir` refuses what exists.
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::undone("no folder for a clean room")(error)),
        }
    }
    Err("no folder for a clean room: all names are taken".into())
}

/// Names that a build makes and nobody judges.
const MADE: [&str; 4] = ["target", "__pycache__", ".pytest_cache", COMPILED];
/// Where Python puts what it compiles.
const COMPILED: &str = ".proofhouse-pycache";

/// Every regular file and link of a room, with its hash. Links in folders of dependencies are ours.
fn files(root: &Path) -> Result<BTreeMap<String, String>, Error> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, name)) = folders.pop() {
        let cannot = Error::of::<std::io::Error>("the clean room");
        for entry in std::fs::read_dir(folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let kind = entry.file_type().map_err(cannot)?;
            let own = entry.file_name().to_string_lossy().into_owned();
            let path = match name.as_str() {
                "" => own.clone(),
                name => format!("{name}/{own}"),
            };
            if kind.is_dir() && !MADE.contains(&own.as_str()) {
                folders.push((entry.path(), path));
            } else if kind.is_file() {
                let hash = hash::of(&Found::File(entry.path())).map_err(cannot)?;
                found.insert(path, hash);
            } else if kind.is_symlink() && !installed::FOLDERS.contains(&name.as_str()) {
                let target = std::fs::read_link(entry.path()).map_err(cannot)?;
                let hash = hash::of(&Found::Link(target)).map_err(cannot)?;
                found.insert(path, hash);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_what_has_no_copy_are_laid_in_by_their_hash() {
        let repo = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("real.txt", repo.path().join("link.txt")).unwrap();
        std::fs::write(repo.path().join(".npmrc"), "hush").unwrap();
        let room = Room {
            path: folder().unwrap(),
            policy: None,
            env: BTreeMap::new(),
            beside: Beside::Nothing,
        };
        std::fs::write(room.path.join("link.txt"), "a file in its place").unwrap();
        let link = paths::found_in(repo.path(), "link.txt").unwrap();
        let hash = hash::of(&link).unwrap();
        for (path, hash) in [("link.txt", &hash), (".npmrc", &hash::bytes(b"hush"))] {
            room.lay_frozen(repo.path(), path, hash).unwrap();
            assert_eq!(files(&room.path).unwrap().get(path), Some(hash));
        }
        let target = std::fs::read_link(room.path.join("link.txt")).unwrap();
        assert_eq!(target, Path::new("real.txt"));
        let changed = room.lay_frozen(repo.path(), ".npmrc", &hash::bytes(b"other"));
        assert!(
            changed
                .unwrap_err()
                .to_string()
                .contains("was changed since")
        );
    }
}
