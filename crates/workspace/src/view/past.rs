//! The repository's own history for an agent, where the person lets it look (`view.history`): a bare
//! repository beside its copy of the files. It has what one commit reaches, and nothing else: no ref of
//! ours, no other branch, no hook, and none of the person's settings.

use crate::error::Error;
use crate::git;
use std::fs;
use std::path::Path;

/// Its name in an agent's folder.
pub const PAST: &str = "history.git";

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n";

/// What an agent is told of it, in its brief.
pub const TOLD: &str = "Beside `repo/` lies its history up to where this run began: \
                        `git --git-dir=../history.git log --stat -- FILE`, run in `repo/`.";

/// Lays the history of the commit on which the repository stands beside `repo/`.
pub fn lay_past(repo: &Path, view: &Path) -> Result<(), Error> {
    let past = view.join(PAST);
    // Whoever goes on in an earlier view has it.
    if past.symlink_metadata().is_ok() {
        return Ok(());
    }
    // Before the first commit there is none.
    let Some(commit) = git::resolve(repo, "HEAD")? else {
        return Ok(());
    };
    let write = |name: &str, text: &str| {
        let path = past.join(name);
        let folder = path.parent().unwrap_or(&past);
        let made = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
        made.map_err(Error::io("write", &path))
    };
    let packs = past.join("objects/pack");
    fs::create_dir_all(&packs).map_err(Error::io("create", &packs))?;
    let into = packs.join("pack").display().to_string();
    let args = ["pack-objects", "--revs", "--quiet", "--threads=1", &into];
    git::with_input(repo, &args, format!("{commit}\n").into_bytes())?;
    write("config", CONFIG)?;
    write("refs/heads/main", &format!("{commit}\n"))?;
    write("HEAD", "ref: refs/heads/main\n")
}
