//! A room's own `.git`: one commit of the judged tree and the names of the tags, and nothing else. It is
//! enough for `git describe`, `git ls-files` and version plugins; there is no history to look answers
//! up in, no ref of ours, and no hook.

use crate::error::Error;
use crate::git::{self, git, text};
use std::fs;
use std::path::Path;

/// Everything is taken as it lies there: no filter runs, no line ends change.
const ATTRIBUTES: &str = "* -filter -text -ident -working-tree-encoding\n";
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n[gc]\n\tauto = 0\n";
/// The same for every room, so that the same tree is the same commit.
const DATE: &str = "2000-01-01T00:00:00Z";

/// Makes the `.git` of a checkout of ours. Tags are those of the repository that holds `source`.
pub(super) fn make(source: &Path, files: &Path) -> Result<(), Error> {
    let own = files.join(".git");
    let write = |name: &str, text: &str| {
        let path = own.join(name);
        let folder = path.parent().unwrap_or(&own);
        let made = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
        made.map_err(Error::io("write", &path))
    };
    write("HEAD", "ref: refs/heads/main\n")?;
    write("config", CONFIG)?;
    write("info/attributes", ATTRIBUTES)?;
    for folder in ["objects/pack", "objects/info", "refs/heads", "refs/tags"] {
        let folder = own.join(folder);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    }
    let (git_dir, tree) = (own.display().to_string(), files.display().to_string());
    let mut env = vec![
        ("GIT_DIR", git_dir.as_str()),
        ("GIT_WORK_TREE", tree.as_str()),
        // Nothing of the person's own settings: a filter in there would run.
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_DATE", DATE),
        ("GIT_COMMITTER_DATE", DATE),
    ];
    env.extend(git::IDENTITY);
    // One pack instead of thousands of files, and no time spent on making it small.
    let add = [
        "-c",
        "core.bigFileThreshold=1",
        "-c",
        "core.compression=0",
        "add",
        "--force",
        "--all",
        ".",
    ];
    git(files, &add, &env)?;
    let commit = [
        "commit",
        "--quiet",
        "--allow-empty",
        "--no-verify",
        "--message=The tree that is judged",
    ];
    git(files, &commit, &env)?;
    tags(source, &own, files, &env)
}

/// The tags, by name. The one that describes the repository's commit is on ours; a name that would be
/// found only by history is on the tree, where `git tag` lists it and `git describe` passes over it.
fn tags(source: &Path, own: &Path, files: &Path, env: &[(&str, &str)]) -> Result<(), Error> {
    let common = git::common_dir(source)?;
    let packed = fs::read_to_string(common.join("packed-refs")).unwrap_or_default();
    let loose = fs::read_dir(common.join("refs/tags")).map(|mut tags| tags.next().is_some());
    // Mostly there is none, and each start of git is felt.
    if !loose.unwrap_or(false) && !packed.contains(" refs/tags/") {
        return Ok(());
    }
    let list = ["for-each-ref", "--format=%(refname:strip=2)", "refs/tags"];
    let names = text(&git(source, &list, &[])?);
    let describe = |more: &[&str]| {
        let asked = [&["describe", "--abbrev=0"], more].concat();
        let ended = git::ended(source, &asked, &[])?;
        Ok::<_, Error>(ended.exited_with(0).then(|| text(&ended.stdout)))
    };
    let (annotated, any) = (describe(&[])?, describe(&["--tags"])?);
    let ids = ["rev-parse", "HEAD", "HEAD^{tree}"];
    let ids = text(&git(files, &ids, env)?);
    let (commit, tree) = ids.split_once('\n').unwrap_or((&ids, &ids));
    let mut lines = "# pack-refs with: sorted \n".to_owned();
    for name in names.lines() {
        if annotated.as_deref() == Some(name) {
            continue;
        }
        let on = if any.as_deref() == Some(name) {
            commit
        } else {
            tree
        };
        lines.push_str(&format!("{on} refs/tags/{name}\n"));
    }
    fs::write(own.join("packed-refs"), lines).map_err(Error::io("write", own))?;
    if let Some(name) = &annotated {
        let message = format!("--message={name}");
        git(files, &["tag", "--annotate", &message, "--", name], env)?;
    }
    Ok(())
}
