//! The folder that an agent works in: a copy of just what it may see, and the way back.
//!
//! An attempt touches nothing of the user's until it has ended well; then its changes are taken
//! back as a whole, and only over files that are still as the agent saw them.

mod bounds;
mod caches;
pub(crate) mod copy;
mod inner;
mod lay_out;
mod past;
mod reach;
mod session;
pub mod sight;
mod spare;
pub(crate) mod spread;
mod stage;
pub(crate) mod stamp;
mod take_back;
#[cfg(test)]
mod tests;

pub use lay_out::{go_on, lay_out};
pub use past::{PAST, TOLD as PAST_TOLD, lay_past};
pub use reach::{Reached, reached};
pub use session::bring as bring_session;
pub use spare::put_aside;
pub use take_back::{conflict, remove_empty, sweep, take_back};

use crate::context::{Context, Files};
use crate::error::{Error, Kind};
use crate::git;
use crate::secrets::Secrets;
use serde::{Deserialize, Serialize};
use sight::Globs;
use stamp::Seen;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use store::{Node, Tree};

/// The list of evidence in a task folder. Agents write in it, and so does the engine.
pub const EVIDENCE_FILE: &str = "EVIDENCE.md";

/// The trees as the agent got them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Base {
    /// The repository's files.
    pub repo: Tree,
    /// The task folder's.
    pub task: Tree,
    /// What tells whether a copy of the repository's files has been touched.
    #[serde(default)]
    pub seen: Seen,
}

/// The base that an earlier life laid out.
pub fn base_of(home: &Path) -> Option<Base> {
    serde_json::from_slice(&std::fs::read(home.join("base.json")).ok()?).ok()
}

/// Which of the two folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Root {
    /// The repository.
    Repo,
    /// The task folder.
    Task,
}

/// One path to take back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Change {
    /// Where.
    pub root: Root,
    /// From there, with slashes.
    pub path: String,
    /// As the agent got it; none if it made it.
    pub before: Option<Node>,
    /// As the agent left it; none if it took it away.
    pub after: Option<Node>,
}

impl Change {
    /// `repo/src/lib.rs`, `task/STATE.md`.
    pub fn name(&self) -> String {
        match self.root {
            Root::Repo => format!("repo/{}", self.path),
            Root::Task => format!("task/{}", self.path),
        }
    }
}

/// The repository's files as an agent may see them: no run's task folder, nothing of ours.
pub fn repo_files(context: &Context, work_tree: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = match context.files {
        Files::OfGit if work_tree == context.project.repo() => git::files(work_tree, work_tree)?,
        Files::OfGit => inner::files(context.project.repo(), work_tree)?,
        Files::OfStore => store_files(context, work_tree)?,
    };
    let task = context.task.strip_prefix(context.project.repo()).ok();
    // A task folder that is the repository's top itself cannot be told apart from it.
    let task = task.filter(|task| !task.as_os_str().is_empty());
    files.retain(|path| task.is_none_or(|task| !path.starts_with(task)));
    if context.files == Files::OfGit && work_tree == context.project.repo() {
        // What another run writes down is neither shown nor taken for somebody's edit.
        let others = context.project.task_folders_but(&context.run);
        files.retain(|path| !others.iter().any(|other| path.starts_with(other)));
    }
    Ok(files)
}

/// The factory's files: of its own folder only what roles may be shown at all, of a view everything
/// but what building leaves behind.
fn store_files(context: &Context, work_tree: &Path) -> Result<Vec<PathBuf>, Error> {
    const SHOWN: [&str; 6] = [
        "project",
        "state_store/code_index/near",
        "state_store/modules",
        "state_store/product/given",
        "state_store/product/draft",
        "state_store/product/deficiencies.json",
    ];
    let source = work_tree == context.project.repo();
    let skip = |path: &Path| {
        let shown = SHOWN.map(Path::new);
        let leads = |top: &Path| path.starts_with(top) || top.starts_with(path);
        let built = ["target", "__pycache__"]
            .iter()
            .any(|it| path.ends_with(it));
        built || (source && !shown.into_iter().any(leads))
    };
    Ok(store::walk(work_tree, &skip)?)
}

/// The task's files without what the engine renders for people: the evidence page, and the copies
/// beside it. Agents neither see nor write those.
fn task_files(context: &Context, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let page = context
        .workflow
        .task
        .as_ref()
        .and_then(|task| task.evidence_page.as_deref());
    let page = page.map(Path::new);
    let copies = page.map(|page| page.with_file_name("evidence"));
    let rendered = |path: &Path| {
        page.is_some_and(|page| path.starts_with(page))
            || copies
                .as_ref()
                .is_some_and(|copies| path.starts_with(copies))
    };
    Ok(store::walk(folder, &rendered)?)
}

/// Does a link at `path` (relative to the root) stay below the root?
fn stays_inside(path: &Path, link: &Path) -> bool {
    let mut depth = path.components().count() as i64 - 1;
    let mut named = false;
    for component in link.components() {
        match component {
            Component::Normal(_) => {
                named = true;
                depth += 1;
            }
            // After a name, which may be a link itself, nobody knows where `..` leads.
            Component::ParentDir if named => return false,
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

/// The part of a view that is not the folder any more that we made.
pub fn replaced(home: &Path) -> Option<&'static str> {
    let real = |part: &&str| {
        home.join(part)
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir())
    };
    ["view", "view/repo", "view/task"]
        .into_iter()
        .find(|part| !real(part))
}

/// Takes keys and the names of folders out of the task's documents before they become the user's:
/// evidence is made to be shown.
pub fn take_secrets_out(context: &Context, home: &Path, base: &Base) -> Result<(), Error> {
    const LARGEST: u64 = 4 << 20;
    let task = home.join("view/task");
    crate::pinned::in_gits_way(&task).map_err(bounds::listing(&task))?;
    for name in task_files(context, &task)? {
        let path = task.join(&name);
        let plain = path
            .symlink_metadata()
            .is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
        // What is not text is left alone: a picture with a hole in it helps nobody.
        let Some(text) = plain.then(|| std::fs::read_to_string(&path).ok()).flatten() else {
            continue;
        };
        // As it was given to the agent, it is not the agent's to have changed, whatever became of the
        // document since: the engine writes in it while somebody else is at work.
        let now = Tree::of(&task, [&name])?;
        let given = |(name, node)| base.task.files.get(name) == Some(node);
        let clean = match now.files.iter().all(given) {
            true => context.secrets.text(&text),
            false => context.kept_text(&text),
        };
        if clean != text {
            std::fs::write(&path, clean).map_err(Error::io("write", &path))?;
        }
    }
    Ok(())
}

/// Refuses a person's tree in which git would wait for ever, before git looks.
pub fn clear_for_git(top: &Path) -> Result<(), Error> {
    // What cannot be listed is for git to name.
    match crate::pinned::in_a_persons_way(top) {
        Ok(Some((path, what))) => Err(copy::special(&path, what)),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// What the agent changed in its view.
pub fn changes(
    context: &Context,
    home: &Path,
    base: &Base,
) -> Result<(Vec<Change>, String), Error> {
    let (repo, task) = (home.join("view/repo"), home.join("view/task"));
    let laid_out = base
        .repo
        .files
        .keys()
        .filter_map(|name| store::decode_path(name));
    let mut paths: Vec<PathBuf> = laid_out.collect();
    if !base.seen.same_folders(&repo) {
        // Before git looks: it would wait at a pipe that is named like a file of its own.
        let special = crate::pinned::in_gits_way(&repo).map_err(bounds::listing(&repo))?;
        if let Some((path, what)) = special {
            return Err(copy::special(&path, what).of_kind(Kind::AgentsDoing));
        }
        // What was laid out and is still there is not deleted, whatever the view's own ignore file
        // says by now, nor what cannot be looked at.
        paths.retain(|path| !is_gone(&repo.join(path)));
        let found = repo_files(context, &repo)?.into_iter();
        paths.extend(found.filter(|path| !caches::is_left(&repo, path)));
        paths.sort();
        paths.dedup();
    }
    let repo_after = base
        .seen
        .tree_now(&repo, context.project.repo(), &base.repo, &paths)?;
    let documents = task_files(context, &task)?;
    bounds::taken(&task, &context.task, &documents)?;
    let task_after = Tree::of(&task, documents)?;
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

/// Makes what the agent changed what git would hand out of a commit of it: line ends, say, as the person's
/// own attributes want them. What is judged is then what lands. Tells whether anything became another.
pub fn as_git_hands_out(context: &Context, home: &Path, changes: &[Change]) -> Result<bool, Error> {
    let plain = |change: &&Change| {
        let file = matches!(
            change.after,
            Some(Node::File { .. } | Node::Executable { .. })
        );
        // A name that is no text stands there encoded, after a slash; the gate tells if git converts it.
        file && change.root == Root::Repo && !change.path.starts_with('/')
    };
    let paths: Vec<&str> = changes
        .iter()
        .filter(plain)
        .map(|change| change.path.as_str())
        .collect();
    // Other attributes than the person's are a gate's to judge.
    let own = |path: &&str| Path::new(path).file_name() == Some(OsStr::new(git::ATTRIBUTES));
    if context.files != Files::OfGit || paths.is_empty() || paths.iter().any(own) {
        return Ok(false);
    }
    let view = home.join("view/repo");
    let read = |path: &str| std::fs::read(view.join(path)).ok();
    let scratch = home.join("handed-out");
    let others = git::as_handed_out(context.project.repo(), &paths, &read, &scratch)?;
    for (path, bytes) in &others {
        let path = view.join(path);
        let mode = path.metadata().map_err(Error::io("read", &path))?;
        store::write_atomic_with(&path, bytes, Some(mode.permissions()))?;
    }
    Ok(!others.is_empty())
}

/// Is there no file at the path any more? A folder in its place is none; one on the way that its maker
/// has closed says nothing.
fn is_gone(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match path.symlink_metadata() {
        Ok(found) => found.is_dir(),
        Err(error) => matches!(error.kind(), NotFound | NotADirectory),
    }
}

/// Is it the agent's own doing that its changes cannot be told? Then another try may do better.
pub fn is_the_agents(error: &Error) -> bool {
    error.kind == Kind::AgentsDoing
}

/// The folder that is no part of the work.
const OURS: &str = ".proofhouse";

/// What cannot be taken back at all: files outside the role's scope, links that lead out, sockets,
/// names that are not text or hold a key.
pub fn forbidden(changes: &[Change], globs: &Globs, secrets: &Secrets) -> Option<String> {
    changes.iter().find_map(|change| {
        let name = change.name();
        // Names are in the journal for ever, in every list of changes.
        let clean = secrets.text(&name);
        if clean != name && change.after.is_some() {
            return Some(format!("{clean}: its name holds what looks like a key"));
        }
        let path = Path::new(&change.path);
        let allowed = match change.root {
            Root::Repo => globs.allows(path),
            Root::Task => globs.allows_in_task(path),
        };
        if !allowed {
            return Some(format!("{name} is outside of what this role may change"));
        }
        if store::decode_path(&change.path)
            .is_none_or(|path| path.to_str() != Some(change.path.as_str()))
        {
            return Some(format!("{name}: its name is not plain UTF-8"));
        }
        // Where letters have no case, it would be git's own.
        let of_git = |part: &OsStr| part.eq_ignore_ascii_case(".git");
        if path.iter().any(of_git) {
            return Some(format!("{name}: only git writes there"));
        }
        // Likewise ours.
        let first = path.iter().next().unwrap_or_default();
        if change.root == Root::Repo && first != OURS && first.eq_ignore_ascii_case(OURS) {
            return Some(format!("{name}: only Proofhouse writes there"));
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
