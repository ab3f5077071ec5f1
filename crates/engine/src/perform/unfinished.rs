//! What an attempt had made when it was lost, or when it ended without a result that counts: kept on a
//! ref, and offered to the next attempt in that state as a diff. It is never taken back by itself: nobody
//! has judged it.

use kernel::effect::{Access, AttemptOrder};
use kernel::{Class, EffectId};
use std::path::{Path, PathBuf};
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::git::{self, Keep};
use workspace::view::{self, Change, Root};

/// What the diff is of, which lies in the next attempt's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Work that was not done yet.
    Unfinished,
    /// Work of which something was not the role's to do.
    Refused,
}

impl Left {
    const ALL: [Self; 2] = [Self::Unfinished, Self::Refused];

    fn name(self) -> &'static str {
        match self {
            Self::Unfinished => "unfinished.patch",
            Self::Refused => "refused.patch",
        }
    }
}

/// A diff that is longer tells nobody anything: the ref has the files.
const LONGEST: usize = 400_000;

fn patch(context: &Context, state: &str, left: Left) -> PathBuf {
    let work = context.project.work(&context.run);
    work.join(format!("{state}-{}", left.name()))
}

/// Why the attempt was lost, with what became of its work. A failure to keep it is said, and stops
/// nothing: the attempt is lost either way.
pub(super) fn told(context: &Context, effect: EffectId, state: &str, why: &str) -> String {
    match keep(context, effect, state, Left::Unfinished) {
        Ok(None) => why.to_owned(),
        Ok(Some(Kept { at, files })) => {
            format!("{why}; what it had begun ({files} files) is kept on {at}")
        }
        Err(error) => {
            let error = context.kept_text(&error.to_string());
            format!("{why}; its unfinished work could not be kept: {error}")
        }
    }
}

/// The ref of what an attempt had made that did not end well; none where it made nothing. Of one that left its
/// bounds it is all of its work, for one stray edit voids the rest: but not where it wrote what is under seal or
/// forged a line, for that has a code of its own and is not to be done once more.
pub(super) fn of_failed(
    context: &Context,
    order: &AttemptOrder,
    class: Class,
    code: Option<&str>,
) -> Option<String> {
    let left = match class {
        Class::OutOfScope => Left::Refused,
        _ => Left::Unfinished,
    };
    let failed = match class {
        Class::InvalidResult
        | Class::Crashed
        | Class::TimedOut
        | Class::Killed
        | Class::Overflow
        | Class::Conflict
        | Class::Transient
        | Class::Quota
        // Where a state is about several things, the next attempt in it may be about another.
        | Class::Auth => order.access == Access::Edit && order.subject.is_empty(),
        Class::OutOfScope => {
            order.access == Access::Edit && order.subject.is_empty() && code.is_none()
        }
        Class::Done | Class::Declined | Class::CouldNotRun => false,
    };
    // What cannot be kept must not make a failed attempt one that never ended.
    let kept = failed.then(|| keep(context, order.id, order.state.as_str(), left));
    kept?.ok().flatten().map(|kept| kept.at)
}

/// Where work is kept.
struct Kept {
    /// The ref.
    at: String,
    files: usize,
}

fn keep(
    context: &Context,
    effect: EffectId,
    state: &str,
    left: Left,
) -> Result<Option<Kept>, EngineError> {
    let home = context.home(effect);
    let Some(base) = view::base_of(&home).filter(|_| view::replaced(&home).is_none()) else {
        return Ok(None);
    };
    view::take_secrets_out(context, &home, &base)?;
    let (changes, _) = view::changes(context, &home, &base)?;
    let laid = home.join("unfinished");
    // Of one that was killed while it kept it.
    let _ = store::remove_tree(&laid);
    std::fs::create_dir_all(&laid).map_err(EngineError::io("create", &laid))?;
    let mut paths = Vec::new();
    for change in &changes {
        paths.extend(lay(context, &home, &laid, change)?);
    }
    if paths.is_empty() {
        return Ok(None);
    }
    let turns = context.project.work(&context.run).join(git::TURNS);
    let (repo, effect) = (context.project.repo(), effect.to_string());
    let diff = git::keep(
        Keep::Unfinished,
        repo,
        &context.run,
        &effect,
        &turns,
        &laid,
        &paths,
    )?;
    let _ = store::remove_tree(&laid);
    let diff: String = context
        .secrets
        .text(&String::from_utf8_lossy(&diff))
        .chars()
        .take(LONGEST)
        .collect();
    store::write_atomic(&patch(context, state, left), diff.as_bytes())?;
    Ok(Some(Kept {
        at: Keep::Unfinished.at(&context.run, &effect),
        files: paths.len(),
    }))
}

/// Lays one changed file into the folder, under its path in the repository; what is no plain file, or has
/// no such path, is left out.
fn lay(
    context: &Context,
    home: &Path,
    laid: &Path,
    change: &Change,
) -> Result<Option<String>, EngineError> {
    let repo = context.project.repo();
    let (from, path) = match change.root {
        Root::Repo => (home.join("view/repo"), PathBuf::from(&change.path)),
        Root::Task => match context.task.strip_prefix(repo) {
            Ok(task) => (home.join("view/task"), task.join(&change.path)),
            Err(_) => return Ok(None),
        },
    };
    let from = from.join(&change.path);
    let found = from.symlink_metadata();
    if change.after.is_some() {
        if !found.is_ok_and(|found| found.is_file()) {
            return Ok(None);
        }
        let to = laid.join(&path);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
        }
        std::fs::copy(&from, &to).map_err(EngineError::io("copy", &from))?;
    }
    Ok(Some(path.display().to_string()))
}

/// The diffs of what earlier attempts had made in this state, each under its name in the next one's folder.
pub(super) fn of(context: &Context, state: &str) -> Vec<(&'static str, String)> {
    let read = |left: Left| {
        let diff = std::fs::read_to_string(patch(context, state, left)).ok()?;
        Some((left.name(), diff))
    };
    Left::ALL.into_iter().filter_map(read).collect()
}

/// An attempt in this state has ended well: what another had made is history.
pub(super) fn is_over(context: &Context, state: &str) {
    for left in Left::ALL {
        let _ = std::fs::remove_file(patch(context, state, left));
    }
}
