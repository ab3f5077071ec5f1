//! The repository's own environment of Python (`.venv`), in use as if a person had activated it: its
//! programs come first, at the path where their first lines and `pyvenv.cfg` look for it. What is
//! installed there "editable" names the person's own tree, and is told the judged one instead.

use super::include::{Include, Included};
use crate::error::Error;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where people have one, from the repository's top.
pub(super) const NAMES: [&str; 2] = [".venv", "venv"];
/// What makes a folder one.
const MARK: &str = "pyvenv.cfg";
/// Longer files are no lists of paths.
const MOST: u64 = 256 * 1024;

/// An environment, where it lies outside.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) folder: PathBuf,
}

/// A file of an environment that says something else inside.
#[derive(Debug)]
pub(crate) struct Retold {
    /// Where, from the environment's folder.
    pub(crate) inside: PathBuf,
    /// What is there instead.
    pub(crate) file: PathBuf,
}

impl Environment {
    /// The one among what is laid in at the top.
    pub(crate) fn among(include: &[Include]) -> Option<Self> {
        let laid = NAMES.iter().filter_map(|name| {
            let named = |one: &&Include| one.path == Path::new(name);
            include.iter().find(named)
        });
        laid.filter(|one| one.kind == Included::Dependencies)
            .find_map(|one| Self::of(one.source.clone()))
    }

    /// The one that a folder of ours has links to: a clean room holds what was frozen like that.
    pub(super) fn linked_from(room: &Path) -> Option<Self> {
        NAMES.iter().find_map(|name| {
            let mark = room.join(name).join(MARK).canonicalize().ok()?;
            let folder = mark.parent().filter(|folder| !folder.starts_with(room))?;
            Self::of(folder.to_owned())
        })
    }

    fn of(folder: PathBuf) -> Option<Self> {
        let whole = folder.join(MARK).is_file() && folder.join("bin").is_dir();
        whole.then_some(Self { folder })
    }

    /// Puts its programs first, unless the person has activated another one.
    pub(crate) fn activate(&self, env: &mut BTreeMap<String, String>) {
        let own = self.folder.join("bin");
        let path = env.get("PATH").map_or("", String::as_str);
        let mut folders: Vec<PathBuf> = std::env::split_paths(path).collect();
        folders.retain(|folder| *folder != own);
        let marked = |folder: &Path| folder.parent().is_some_and(|up| up.join(MARK).is_file());
        if folders.iter().any(|folder| marked(folder)) {
            return;
        }
        folders.insert(0, own);
        // A folder with a colon in its name cannot be searched by anybody.
        let Ok(path) = std::env::join_paths(folders) else {
            return;
        };
        env.insert("PATH".to_owned(), path.to_string_lossy().into_owned());
        let folder = self.folder.to_string_lossy().into_owned();
        env.insert("VIRTUAL_ENV".to_owned(), folder);
    }

    /// Its files that lead to the tree beside it, written anew into `scratch` so that they lead to `at`.
    pub(crate) fn retold(&self, at: &Path, scratch: &Path) -> Result<Vec<Retold>, Error> {
        let Some(top) = self.folder.parent().filter(|top| *top != at) else {
            return Ok(Vec::new());
        };
        let (from, to) = (top.to_string_lossy(), at.to_string_lossy());
        let mut retold = Vec::new();
        for packages in below(&self.folder.join("lib")) {
            for path in below(&packages.join("site-packages")) {
                let Some(text) = leads(&path).filter(|text| text.contains(&*from)) else {
                    continue;
                };
                let Ok(inside) = path.strip_prefix(&self.folder) else {
                    continue;
                };
                let file = scratch.join(retold.len().to_string());
                fs::create_dir_all(scratch).map_err(Error::io("create", scratch))?;
                fs::write(&file, moved(&text, &from, &to)).map_err(Error::io("write", &file))?;
                let inside = inside.to_owned();
                retold.push(Retold { inside, file });
            }
        }
        Ok(retold)
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    found.sort();
    found
}

/// The text of a file that tells Python where more modules lie: a list of paths, or the finder that
/// setuptools writes for an editable package.
fn leads(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let leads =
        name.ends_with(".pth") || (name.starts_with("__editable__") && name.ends_with(".py"));
    let found = path.symlink_metadata().ok().filter(|_| leads)?;
    let short = found.is_file() && found.len() <= MOST;
    short.then(|| fs::read_to_string(path).ok()).flatten()
}

/// The text with one folder in the place of another. A folder whose name only begins alike stays.
fn moved(text: &str, from: &str, to: &str) -> String {
    let mut parts = text.split(from);
    let mut moved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let ends = part.is_empty() || part.starts_with(['/', '\'', '"', '\n', '\r']);
        moved.push_str(if ends { to } else { from });
        moved.push_str(part);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(top: &Path) -> Environment {
        for folder in [".venv/bin", ".venv/lib/python3/site-packages"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        fs::write(top.join(".venv").join(MARK), "").unwrap();
        Environment::of(top.join(".venv")).unwrap()
    }

    #[test]
    fn its_programs_come_first_unless_a_person_chose_another() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one"), dir.path().join("other"));
        let (own, others) = (environment(&one), environment(&other));
        let with = |path: &str| {
            let mut env = BTreeMap::from([("PATH".to_owned(), path.to_owned())]);
            own.activate(&mut env);
            (env["PATH"].clone(), env.contains_key("VIRTUAL_ENV"))
        };
        let bin = own.folder.join("bin").display().to_string();
        let first = (format!("{bin}:/usr/bin:/bin"), true);
        assert_eq!(with("/usr/bin:/bin"), first);
        assert_eq!(with(&format!("/usr/bin:{bin}:/bin")), first);
        let chosen = format!("{}/bin:/usr/bin", others.folder.display());
        assert_eq!(with(&chosen), (chosen.clone(), false));
    }

    #[test]
    fn what_is_installed_editable_leads_to_the_judged_tree() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("shop");
        let own = environment(&top);
        let packages = own.folder.join("lib/python3/site-packages");
        let shown = top.display();
        let lists = format!("{shown}/src\n{shown}-old/src\n{shown}");
        fs::write(packages.join("shop.pth"), lists).unwrap();
        fs::write(packages.join("other.pth"), "/elsewhere\n").unwrap();
        let finder = format!("MAPPING = {{'shop': '{shown}/src/shop'}}\n");
        fs::write(packages.join("__editable___shop_finder.py"), finder).unwrap();
        fs::write(packages.join("module.py"), format!("x = '{shown}'\n")).unwrap();
        let scratch = dir.path().join("scratch");
        let retold = own.retold(Path::new("/at"), &scratch).unwrap();
        let texts: Vec<(String, String)> = retold
            .iter()
            .map(|one| {
                let name = one.inside.file_name().unwrap().to_string_lossy();
                (name.into_owned(), fs::read_to_string(&one.file).unwrap())
            })
            .collect();
        let finder = "MAPPING = {'shop': '/at/src/shop'}\n".to_owned();
        let lists = format!("/at/src\n{shown}-old/src\n/at");
        let expected = [
            ("__editable___shop_finder.py".to_owned(), finder),
            ("shop.pth".to_owned(), lists),
        ];
        assert_eq!(texts, expected);
        assert!(own.retold(&top, &scratch).unwrap().is_empty());
    }
}
