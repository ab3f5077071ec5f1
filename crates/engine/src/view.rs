//! The folder that an agent works in: a copy of just what it may see, and the way back.
//!
//! An attempt touches nothing of the user's until it has ended well; then its changes are taken
//! back as a whole, and only over files that are still as the agent saw them.

use crate::context::Context;
use crate::error::EngineError;
use crate::git;
use kernel::EffectId;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use store::{Node, Tree};

/// The part of the task folder that the engine renders for people; agents neither see nor write it.
pub(crate) const RENDERED: [&str; 2] = ["artifacts/evidence.html", "artifacts/evidence"];

/// The trees as the agent got them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Base {
    pub(crate) repo: Tree,
    pub(crate) task: Tree,
}

/// Which of the two folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Root {
    Repo,
    Task,
}

/// One path to take back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) root: Root,
    pub(crate) path: String,
    pub(crate) before: Option<Node>,
    pub(crate) after: Option<Node>,
}

impl Change {
    /// `repo/src/lib.rs`, `task/STATE.md`.
    pub(crate) fn name(&self) -> String {
        match self.root {
            Root::Repo => format!("repo/{}", self.path),
            Root::Task => format!("task/{}", self.path),
        }
    }
}

/// The repository's files as an agent may see them: no task folder, nothing of ours.
pub(crate) fn repo_files(context: &Context, work_tree: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let files = git::files(context.project.repo(), work_tree)?;
    let task = context.task.strip_prefix(context.project.repo()).ok();
    // A task folder that is the repository's top itself can not be told apart from it.
    let task = task.filter(|task| !task.as_os_str().is_empty());
    Ok(files
        .into_iter()
        .filter(|path| task.is_none_or(|task| !path.starts_with(task)))
        .collect())
}

fn task_files(folder: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let rendered = |path: &Path| RENDERED.iter().any(|prefix| path.starts_with(prefix));
    Ok(store::walk(folder, &rendered)?)
}

/// Lays the view out below `home`.
pub(crate) fn lay_out(context: &Context, home: &Path) -> Result<Base, EngineError> {
    let (repo, task) = (home.join("view/repo"), home.join("view/task"));
    for folder in [&repo, &task] {
        fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    let files = repo_files(context, context.project.repo())?;
    copy(context.project.repo(), &repo, &files)?;
    let task_list = task_files(&context.task)?;
    copy(&context.task, &task, &task_list)?;
    let artifacts = task.join("artifacts");
    fs::create_dir_all(&artifacts).map_err(EngineError::io("create", &artifacts))?;
    let base = Base {
        repo: Tree::of(&repo, &files)?,
        task: Tree::of(&task, &task_list)?,
    };
    save_base(home, &base)?;
    Ok(base)
}

fn save_base(home: &Path, base: &Base) -> Result<(), EngineError> {
    let json =
        serde_json::to_vec(base).map_err(|error| EngineError::io("write", home)(error.into()))?;
    Ok(store::write_atomic(&home.join("base.json"), &json)?)
}

/// Files of the task folder that agents and the engine both write.
fn written_by_the_engine(context: &Context) -> Vec<String> {
    let task = context.workflow.task.iter();
    let mut files: Vec<String> = task.map(|task| task.state_file.clone()).collect();
    files.push(crate::views::EVIDENCE_FILE.to_owned());
    files
}

/// Goes on in the view of an earlier attempt, whose work is fine and whose result was not.
pub(crate) fn go_on(
    context: &Context,
    earlier: EffectId,
    home: &Path,
) -> Result<Base, EngineError> {
    let from = context.home(earlier);
    let Some(mut base) = base_of(&from).filter(|_| from.join("view").is_dir()) else {
        return lay_out(context, home);
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

/// The base that an earlier life laid out.
pub(crate) fn base_of(home: &Path) -> Option<Base> {
    serde_json::from_slice(&fs::read(home.join("base.json")).ok()?).ok()
}

fn copy(from: &Path, to: &Path, files: &[PathBuf]) -> Result<(), EngineError> {
    for path in files {
        let (source, target) = (from.join(path), to.join(path));
        let Ok(found) = source.symlink_metadata() else {
            continue;
        };
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        if found.is_symlink() {
            let link = fs::read_link(&source).map_err(EngineError::io("read", &source))?;
            // A link that leads out would be a hole in the view.
            if stays_inside(path, &link) {
                std::os::unix::fs::symlink(&link, &target)
                    .map_err(EngineError::io("link", &target))?;
            }
        } else if found.is_file() {
            fs::copy(&source, &target).map_err(EngineError::io("copy", &source))?;
        }
    }
    Ok(())
}

/// Does a link at `path` (relative to the root) stay below the root?
fn stays_inside(path: &Path, link: &Path) -> bool {
    let mut depth = path.components().count() as i64 - 1;
    for component in link.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

/// What the agent changed in its view.
pub(crate) fn changes(
    context: &Context,
    home: &Path,
    base: &Base,
) -> Result<(Vec<Change>, String), EngineError> {
    let (repo, task) = (home.join("view/repo"), home.join("view/task"));
    let repo_after = Tree::of(&repo, repo_files(context, &repo)?)?;
    let task_after = Tree::of(&task, task_files(&task)?)?;
    let mut all = Vec::new();
    for (root, before, after) in [
        (Root::Repo, &base.repo, &repo_after),
        (Root::Task, &base.task, &task_after),
    ] {
        for change in before.diff(after) {
            all.push(Change {
                root,
                before: before.files.get(&change.path).cloned(),
                after: after.files.get(&change.path).cloned(),
                path: change.path,
            });
        }
    }
    Ok((all, repo_after.hash()))
}

/// What can not be taken back at all: links that lead out, sockets, names that are not text.
pub(crate) fn forbidden(changes: &[Change]) -> Option<String> {
    changes.iter().find_map(|change| {
        let name = change.name();
        if store::decode_path(&change.path)
            .is_none_or(|path| path.to_str() != Some(change.path.as_str()))
        {
            return Some(format!("{name}: its name is not plain UTF-8"));
        }
        match &change.after {
            Some(Node::Link { target })
                if !stays_inside(Path::new(&change.path), Path::new(target)) =>
            {
                Some(format!(
                    "{name}: a link to {target} leads out of the folder"
                ))
            }
            Some(Node::Special | Node::Folder) => Some(format!("{name}: not a regular file")),
            _ => None,
        }
    })
}

fn real(context: &Context, change: &Change) -> PathBuf {
    match change.root {
        Root::Repo => context.project.repo().join(&change.path),
        Root::Task => context.task.join(&change.path),
    }
}

fn now(context: &Context, change: &Change) -> Result<Option<Node>, EngineError> {
    let root = match change.root {
        Root::Repo => context.project.repo(),
        Root::Task => &context.task,
    };
    Ok(Tree::of(root, [&change.path])?.files.remove(&change.path))
}

/// The first path that somebody else changed meanwhile.
pub(crate) fn conflict(
    context: &Context,
    changes: &[Change],
) -> Result<Option<String>, EngineError> {
    for change in changes {
        let here = now(context, change)?;
        if here != change.before && here != change.after {
            return Ok(Some(change.name()));
        }
    }
    Ok(None)
}

/// Takes the changes back. May be repeated after a crash: what is there already stays. The content
/// that is replaced or deleted goes into the vault first, because nothing of the user's is lost.
pub(crate) fn take_back(
    context: &Context,
    home: &Path,
    changes: &[Change],
) -> Result<(), EngineError> {
    for change in changes {
        let here = now(context, change)?;
        if here == change.after {
            continue;
        }
        let target = real(context, change);
        if matches!(here, Some(Node::File { .. } | Node::Executable { .. })) {
            let old = fs::read(&target).map_err(EngineError::io("read", &target))?;
            context
                .vault
                .put(&format!("before: {}", change.name()), &old)?;
        }
        let source = home.join("view").join(change.name());
        match &change.after {
            None => fs::remove_file(&target).map_err(EngineError::io("delete", &target))?,
            Some(Node::Link { target: link }) => {
                prepare(&target)?;
                if here.is_some() {
                    fs::remove_file(&target).map_err(EngineError::io("replace", &target))?;
                }
                std::os::unix::fs::symlink(link, &target)
                    .map_err(EngineError::io("link", &target))?;
            }
            Some(_) => {
                prepare(&target)?;
                if matches!(here, Some(Node::Link { .. })) {
                    fs::remove_file(&target).map_err(EngineError::io("replace", &target))?;
                }
                let bytes = fs::read(&source).map_err(EngineError::io("read", &source))?;
                store::write_atomic(&target, &bytes)?;
                let mode = if matches!(change.after, Some(Node::Executable { .. })) {
                    0o755
                } else {
                    0o644
                };
                fs::set_permissions(&target, fs::Permissions::from_mode(mode))
                    .map_err(EngineError::io("set the mode of", &target))?;
            }
        }
    }
    Ok(())
}

fn prepare(target: &Path) -> Result<(), EngineError> {
    match target.parent() {
        Some(parent) => fs::create_dir_all(parent).map_err(EngineError::io("create", parent)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::stays_inside;
    use std::path::Path;

    #[test]
    fn links_out_are_seen() {
        for (path, link, inside) in [
            ("a", "b", true),
            ("d/a", "../b", true),
            ("a", "../b", false),
            ("d/a", "x/../../../b", false),
            ("a", "/etc/passwd", false),
        ] {
            assert_eq!(
                stays_inside(Path::new(path), Path::new(link)),
                inside,
                "{path} -> {link}"
            );
        }
    }
}
