//! Laying a view out: fresh copies, and what the run's last view has of the same files already.

use super::bounds;
use super::copy::{Manner, copy, folders_of};
use super::sight::Globs;
use super::spare::{Spare, throw_away};
use super::stamp::{Seen, time};
use super::{Base, base_of, repo_files, task_files};
use crate::context::Context;
use crate::error::Error;
use kernel::EffectId;
use std::fs;
use std::path::{Path, PathBuf};
use store::{Node, Tree};

/// Lays the view out below `home`.
pub fn lay_out(context: &Context, home: &Path, globs: &Globs) -> Result<Base, Error> {
    let (repo, task) = (home.join("view/repo"), home.join("view/task"));
    let artifacts = task.join("artifacts");
    fs::create_dir_all(&artifacts).map_err(Error::io("create", &artifacts))?;
    let began = time(home)?;
    let source = context.project.repo();
    let (files, spare) = std::thread::scope(|scope| {
        // Git takes its time, and so does reading what was laid out before.
        let spare = scope.spawn(|| match repo.symlink_metadata() {
            Ok(_) => None,
            Err(_) => Spare::take(context, home),
        });
        let files = repo_files(context, source);
        let spare = spare.join();
        (
            files,
            spare.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    });
    let mut files = files?;
    files.retain(|path| globs.shows(path));
    let files = not_through_links(files);
    let (repo_tree, seen) = fill(source, &repo, &files, spare.as_ref(), (home, began))?;
    if let Some(spare) = spare {
        throw_away(&spare.bin);
    }
    let mut task_tree = Tree::default();
    let mut documents = task_files(context, &context.task)?;
    documents.retain(|path| globs.shows_in_task(path));
    let documents: Vec<&PathBuf> = documents.iter().collect();
    bounds::room(&context.task, &documents, home)?;
    for copied in copy(&context.task, &task, &documents, Manner::ForAnAgent)? {
        task_tree.files.insert(copied.name, copied.node);
    }
    let base = Base {
        repo: repo_tree,
        task: task_tree,
        seen,
    };
    save_base(home, &base)?;
    Ok(base)
}

/// Without what lies below a link: git may still know files there from when it was a folder. The
/// paths are sorted, so what is below another comes right after it.
fn not_through_links(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.dedup_by(|later, earlier| later.starts_with(earlier));
    files
}

/// Fills the folder `to`, which must not be there, with copies of the files. `marks` is where the
/// file system's time can be asked for, and what it was before the files were listed.
pub(super) fn fill(
    from: &Path,
    to: &Path,
    files: &[PathBuf],
    spare: Option<&Spare>,
    marks: (&Path, i64),
) -> Result<(Tree, Seen), Error> {
    let folders = folders_of(files.iter().map(PathBuf::as_path));
    let kept = spare.map(|spare| spare.reuse(from, to, files, &folders));
    let kept = kept.unwrap_or_default();
    let (mut tree, mut seen, mut missing) = (Tree::default(), Seen::default(), Vec::new());
    for path in files {
        let old = spare.filter(|_| kept.contains(path.as_os_str()));
        match old.and_then(|spare| spare.said_of(path)) {
            Some((name, node, pair)) => {
                tree.files.insert(name.clone(), node.clone());
                seen.files.insert(name, pair.clone());
            }
            None => missing.push(path),
        }
    }
    let (home, began) = marks;
    bounds::room(from, &missing, home)?;
    for copied in copy(from, to, &missing, Manner::ForAnAgent)? {
        seen.files.insert(copied.name.clone(), copied.pair);
        tree.files.insert(copied.name, copied.node);
    }
    seen.began = began;
    seen.settle(home, to, &folders)?;
    Ok((tree, seen))
}

/// Goes on in the view of an earlier attempt, whose work is fine and whose result was not.
pub fn go_on(
    context: &Context,
    earlier: EffectId,
    home: &Path,
    globs: &Globs,
) -> Result<Base, Error> {
    let from = context.home(earlier);
    let Some(mut base) = base_of(&from).filter(|_| from.join("view").is_dir()) else {
        return lay_out(context, home, globs);
    };
    // The engine itself has written these since; what it wrote over is in the vault. Who has not touched
    // one has it as it is now: an old copy would pass for an edit of the agent's.
    let mut untouched = Vec::new();
    for file in written_by_the_engine(context) {
        let left = Tree::of(&from.join("view/task"), [&file])?;
        let same = left.files.get(&file) == base.task.files.get(&file);
        let node = Tree::of(&context.task, [&file])?.files.remove(&file);
        match &node {
            Some(node) => base.task.files.insert(file.clone(), node.clone()),
            None => base.task.files.remove(&file),
        };
        if same && matches!(node, Some(Node::File { .. })) {
            untouched.push(file);
        }
    }
    fs::create_dir_all(home).map_err(Error::io("create", home))?;
    // Written first, moved after: whatever a crash leaves, an attempt without a view starts anew.
    save_base(home, &base)?;
    let view = from.join("view");
    fs::rename(&view, home.join("view")).map_err(Error::io("move", &view))?;
    for file in untouched {
        let now = context.task.join(&file);
        let bytes = fs::read(&now).map_err(Error::io("read", &now))?;
        store::write_atomic(&home.join("view/task").join(&file), &bytes)?;
    }
    Ok(base)
}

/// Files of the task folder that agents and the engine both write.
fn written_by_the_engine(context: &Context) -> Vec<String> {
    let task = context.workflow.task.iter();
    let mut files: Vec<String> = task.map(|task| task.state_file.clone()).collect();
    files.push(super::EVIDENCE_FILE.to_owned());
    files
}

fn save_base(home: &Path, base: &Base) -> Result<(), Error> {
    let json = serde_json::to_vec(base).map_err(|error| Error::io("write", home)(error.into()))?;
    Ok(store::write_atomic(&home.join("base.json"), &json)?)
}
