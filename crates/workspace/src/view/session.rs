//! What an agent keeps of its session between two attempts: its private home. It is taken out of a view
//! that is put aside, and laid into that of the attempt that goes on with it. Of a run's sessions the
//! last one is kept; where it is lost, an attempt begins anew.

use super::replaced;
use crate::context::Context;
use kernel::EffectId;
use std::fs;
use std::path::{Path, PathBuf};

/// Where an agent lives in its view.
const HOME: &str = "view/agent";

/// Keeps the session of an attempt that has ended.
pub(super) fn keep(context: &Context, effect: EffectId, home: &Path) {
    let mut agents = context.agents.values();
    let running = home.join("pid").symlink_metadata().is_ok();
    if running || replaced(home).is_some() || !agents.any(|agent| agent.resumes()) {
        return;
    }
    let kept = kept(context, effect);
    let Some(folder) = kept.parent() else { return };
    // A session that is lost costs another one, and nothing else.
    let _ = store::remove_tree(folder);
    if is_folder(&home.join(HOME)) && fs::create_dir_all(folder).is_ok() {
        let _ = fs::rename(home.join(HOME), kept);
    }
}

/// Lays the session of an earlier attempt into the view of the one that goes on with it.
pub fn bring(context: &Context, earlier: EffectId, home: &Path) {
    let places = [kept(context, earlier), context.home(earlier).join(HOME)];
    if let Some(from) = places.iter().find(|place| is_folder(place)) {
        let _ = fs::rename(from, home.join(HOME));
    }
}

fn kept(context: &Context, effect: EffectId) -> PathBuf {
    let sessions = context.project.work(&context.run).join("session");
    sessions.join(effect.to_string())
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}
