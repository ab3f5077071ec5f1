//! What a person had in the place of what an attempt changes, in a run that works in their own tree: an
//! edit in no commit, which the agent saw and wrote over. It is kept on a ref before it goes. What the run
//! itself left there is nobody's edit.

use kernel::EffectId;
use std::collections::BTreeSet;
use std::path::Path;
use store::Node;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::git::{self, Keep};
use workspace::view::{Change, Root};

/// The ref that keeps it; none where there is nothing of the kind. What was taken back of an attempt is
/// known by its folder.
pub(super) fn keep(
    context: &Context,
    effect: EffectId,
    changes: &[Change],
    taken_back: &dyn Fn(&Path) -> Option<Vec<Change>>,
) -> Result<Option<String>, EngineError> {
    let repo = context.project.repo();
    // In a tree of the run's own nobody works but its agents.
    if repo != context.project.top() {
        return Ok(None);
    }
    let earlier = earlier(context, taken_back);
    let made_by_run = |change: &Change| {
        let mut same = earlier.iter().filter(|one| one.path == change.path);
        same.any(|one| one.root == Root::Repo && one.after == change.before)
    };
    let is_file = |change: &&Change| {
        let file = matches!(
            change.before,
            Some(Node::File { .. } | Node::Executable { .. })
        );
        file && change.root == Root::Repo
    };
    let theirs = changes
        .iter()
        .filter(is_file)
        .filter(|one| !made_by_run(one));
    let theirs: BTreeSet<&str> = theirs.map(|change| change.path.as_str()).collect();
    if theirs.is_empty() {
        return Ok(None);
    }
    let edited = git::edited(repo)?.into_iter();
    let edited: Vec<String> = edited
        .filter(|path| theirs.contains(path.as_str()))
        .collect();
    if edited.is_empty() {
        return Ok(None);
    }
    let laid = context.home(effect).join("replaced");
    // Of one that was killed while it kept it.
    let _ = store::remove_tree(&laid);
    for path in &edited {
        let to = laid.join(path);
        let folder = to.parent().unwrap_or(&laid);
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
        let from = repo.join(path);
        std::fs::copy(&from, &to).map_err(EngineError::io("copy", &from))?;
    }
    let turns = context.project.work(&context.run).join(git::TURNS);
    let effect = effect.to_string();
    let keep = Keep::Replaced;
    git::keep(keep, repo, &context.run, &effect, &turns, &laid, &edited)?;
    let _ = store::remove_tree(&laid);
    Ok(Some(keep.at(&context.run, &effect)))
}

/// What earlier attempts of the run left.
fn earlier(context: &Context, taken_back: &dyn Fn(&Path) -> Option<Vec<Change>>) -> Vec<Change> {
    let homes = std::fs::read_dir(context.project.work(&context.run));
    let homes = homes.into_iter().flatten().flatten();
    let left = homes.filter_map(|home| taken_back(&home.path()));
    left.flatten().collect()
}
