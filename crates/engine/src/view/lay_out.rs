//! Laying a view out: copies, hashed on the way, with a stamp of each so that later only what was
//! touched has to be read again.

use super::sight::Globs;
use super::{Base, repo_files, stays_inside, task_files};
use crate::context::Context;
use crate::error::EngineError;
use kernel::EffectId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use store::{Node, Tree, encode_path, sha256_hex};

/// Files up to this size are read once, for the copy and the hash together.
const SMALL: u64 = 8 << 20;
/// How coarse a file system's clock may be: a change so soon after the layout could keep the stamp.
const COARSE_NANOS: i128 = 50_000_000;

/// What the file system says of a file without its content. Nobody can set the change time back,
/// so the same stamp means the same content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    mode: u32,
    modified: i128,
    changed: i128,
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let found = path.symlink_metadata().ok()?;
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Some(Stamp {
            inode: found.ino(),
            size: found.size(),
            mode: found.mode(),
            modified: nanos(found.mtime(), found.mtime_nsec()),
            changed: nanos(found.ctime(), found.ctime_nsec()),
        })
    }
}

/// The stamps of one folder of a view, and the file system's time after the last copy.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Stamps {
    files: BTreeMap<String, Stamp>,
    done: i128,
}

impl Stamps {
    /// The tree now. Files whose stamp is the same and old enough are not read again.
    pub(crate) fn tree_now(
        &self,
        root: &Path,
        before: &Tree,
        paths: &[PathBuf],
    ) -> Result<Tree, EngineError> {
        let mut tree = Tree::default();
        let mut again = Vec::new();
        for path in paths {
            let name = encode_path(path);
            let known = self
                .files
                .get(&name)
                .filter(|stamp| stamp.changed + COARSE_NANOS < self.done);
            match (known, before.files.get(&name)) {
                (Some(stamp), Some(node))
                    if Stamp::of(&root.join(path)).as_ref() == Some(stamp) =>
                {
                    tree.files.insert(name, node.clone());
                }
                _ => again.push(path),
            }
        }
        tree.files.extend(Tree::of(root, again)?.files);
        Ok(tree)
    }
}

/// Lays the view out below `home`.
pub(crate) fn lay_out(context: &Context, home: &Path, globs: &Globs) -> Result<Base, EngineError> {
    let (repo, task) = (home.join("view/repo"), home.join("view/task"));
    for folder in [&repo, &task.join("artifacts")] {
        fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    let mut files = repo_files(context, context.project.repo())?;
    files.retain(|path| globs.shows(path));
    let (repo_tree, mut stamps) = copy(context.project.repo(), &repo, &files)?;
    let (task_tree, _) = copy(&context.task, &task, &task_files(context, &context.task)?)?;
    let mark = home.join("laid-out");
    fs::write(&mark, b"").map_err(EngineError::io("write", &mark))?;
    stamps.done = Stamp::of(&mark).map_or(0, |stamp| stamp.changed);
    let base = Base {
        repo: repo_tree,
        task: task_tree,
        stamps,
    };
    save_base(home, &base)?;
    Ok(base)
}

/// Goes on in the view of an earlier attempt, whose work is fine and whose result was not.
pub(crate) fn go_on(
    context: &Context,
    earlier: EffectId,
    home: &Path,
    globs: &Globs,
) -> Result<Base, EngineError> {
    let from = context.home(earlier);
    let Some(mut base) = base_of(&from).filter(|_| from.join("view").is_dir()) else {
        return lay_out(context, home, globs);
    };
    // The engine itself has written these since; what it wrote over is in the vault.
    for file in written_by_the_engine(context) {
        match Tree::of(&context.task, [&file])?.files.remove(&file) {
            Some(node) => base.task.files.insert(file, node),
            None => base.task.files.remove(&file),
        };
    }
    fs::create_dir_all(home).map_err(EngineError::io("create", home))?;
    // Written first, moved after: whatever a crash leaves, an attempt without a view starts anew.
    save_base(home, &base)?;
    let view = from.join("view");
    fs::rename(&view, home.join("view")).map_err(EngineError::io("move", &view))?;
    Ok(base)
}

/// Files of the task folder that agents and the engine both write.
fn written_by_the_engine(context: &Context) -> Vec<String> {
    let task = context.workflow.task.iter();
    let mut files: Vec<String> = task.map(|task| task.state_file.clone()).collect();
    files.push(crate::views::EVIDENCE_FILE.to_owned());
    files
}

fn save_base(home: &Path, base: &Base) -> Result<(), EngineError> {
    let json =
        serde_json::to_vec(base).map_err(|error| EngineError::io("write", home)(error.into()))?;
    Ok(store::write_atomic(&home.join("base.json"), &json)?)
}

/// The base that an earlier life laid out.
pub(crate) fn base_of(home: &Path) -> Option<Base> {
    serde_json::from_slice(&fs::read(home.join("base.json")).ok()?).ok()
}

/// Copies files on all cores: a view of thousands of files is on the way of every attempt.
fn copy(from: &Path, to: &Path, files: &[PathBuf]) -> Result<(Tree, Stamps), EngineError> {
    let mut made = std::collections::BTreeSet::new();
    for folder in files.iter().filter_map(|path| path.parent()) {
        if made.insert(folder) {
            let folder = to.join(folder);
            fs::create_dir_all(&folder).map_err(EngineError::io("create", &folder))?;
        }
    }
    let workers = std::thread::available_parallelism()
        .map_or(2, |cores| cores.get())
        .clamp(2, 8);
    let share = files.len().div_ceil(workers).max(1);
    let parts: Vec<Result<Vec<Copied>, EngineError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = files
            .chunks(share)
            .map(|chunk| {
                scope.spawn(move || {
                    chunk
                        .iter()
                        .filter_map(|path| copy_one(from, to, path).transpose())
                        .collect()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    let (mut tree, mut stamps) = (Tree::default(), Stamps::default());
    for part in parts {
        for copied in part? {
            if let Some(stamp) = copied.stamp {
                stamps.files.insert(copied.name.clone(), stamp);
            }
            tree.files.insert(copied.name, copied.node);
        }
    }
    Ok((tree, stamps))
}

struct Copied {
    name: String,
    node: Node,
    stamp: Option<Stamp>,
}

fn copy_one(from: &Path, to: &Path, path: &Path) -> Result<Option<Copied>, EngineError> {
    let (source, target) = (from.join(path), to.join(path));
    let Ok(found) = source.symlink_metadata() else {
        return Ok(None);
    };
    let name = encode_path(path);
    if found.is_symlink() {
        let link = fs::read_link(&source).map_err(EngineError::io("read", &source))?;
        // A link that leads out would be a hole in the view.
        if !stays_inside(path, &link) {
            return Ok(None);
        }
        std::os::unix::fs::symlink(&link, &target).map_err(EngineError::io("link", &target))?;
        let node = Node::Link {
            target: encode_path(&link),
        };
        return Ok(Some(Copied {
            name,
            node,
            stamp: None,
        }));
    }
    if !found.is_file() {
        return Ok(None);
    }
    if found.len() > SMALL {
        fs::copy(&source, &target).map_err(EngineError::io("copy", &source))?;
        let node = Tree::of(to, [path])?.files.remove(&name);
        return Ok(node.map(|node| Copied {
            stamp: Stamp::of(&target),
            name,
            node,
        }));
    }
    let bytes = fs::read(&source).map_err(EngineError::io("read", &source))?;
    fs::write(&target, &bytes).map_err(EngineError::io("write", &target))?;
    let sha256 = sha256_hex(&bytes);
    // The owner's bit alone, as git and the tree's hash have it.
    let node = if found.mode() & 0o100 == 0 {
        Node::File { sha256 }
    } else {
        fs::set_permissions(&target, fs::Permissions::from_mode(0o755))
            .map_err(EngineError::io("set the mode of", &target))?;
        Node::Executable { sha256 }
    };
    Ok(Some(Copied {
        stamp: Stamp::of(&target),
        name,
        node,
    }))
}
