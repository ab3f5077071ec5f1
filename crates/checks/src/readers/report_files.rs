//! Where a test runner's report lies, and whether this run wrote it. One that was there before does
//! not count: an agent could have left it.

use crate::error::Error;
use crate::readers::paths;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Larger than any report of a suite that ends within a gate's time.
const LARGEST: u64 = 64 << 20;
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A new folder of our own for one report; it goes when this goes.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Result<Self, Error> {
        let base = std::env::temp_dir();
        // Somebody else's folder is never taken over: `create_dir` refuses what exists.
        for _ in 0..1000 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("proofhouse-report-{}-{number}", std::process::id());
            let path = base.join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::undone("no folder for the report")(error)),
            }
        }
        Err("no folder for the report: all names are taken".into())
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("report")
    }

    /// Lays a file of ours beside the report.
    pub(crate) fn lay(&self, name: &str, text: &str) -> Result<(), Error> {
        let laid = std::fs::write(self.0.join(name), text);
        laid.map_err(Error::undone(format!(
            "{name} cannot be laid beside the report"
        )))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Left behind, it is only litter in a temporary folder.
        let _ = store::remove_tree(&self.0);
    }
}

/// The text of one report.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    let cannot = Error::of("the report");
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(error.into())),
    };
    if !found.is_file() {
        return Err(cannot(Error::NotAFile));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| cannot(error.into()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(cannot(Error::TooLarge(LARGEST >> 20)));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// What lies at a place now: each report by its path from the root, with its time and size.
pub(crate) type Seen = BTreeMap<PathBuf, (PathBuf, Option<SystemTime>, u64)>;

/// The reports at a path below a root: the file itself, or every `.xml` in the folder. No link is
/// followed: whoever writes reports could lead us to somebody else's.
pub(crate) fn at(root: &Path, path: &str) -> Result<Seen, Error> {
    paths::lint(path)?;
    let mut seen = Seen::new();
    let mut note = |path: PathBuf| {
        if let Ok(found) = std::fs::symlink_metadata(&path)
            && found.is_file()
            && let Ok(inside) = path.strip_prefix(root)
        {
            let inside = inside.to_owned();
            seen.insert(inside, (path, found.modified().ok(), found.len()));
        }
    };
    if paths::regular(root, path).is_ok() {
        note(root.join(path));
    } else if let Some(folder) = paths::folder(root, path)
        && let Ok(entries) = std::fs::read_dir(&folder)
    {
        let is_xml = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "xml");
        let files = entries.flatten().map(|entry| entry.path());
        files.filter(is_xml).for_each(&mut note);
    }
    Ok(seen)
}

/// Those of `after` that are new or were written since `before`.
pub(crate) fn written(before: &Seen, after: Seen) -> Vec<PathBuf> {
    let as_it_was = |path: &Path, time: &Option<SystemTime>, size: u64| {
        let before = before.get(path);
        before.is_some_and(|(_, then, had)| then == time && *had == size)
    };
    after
        .into_iter()
        .filter(|(path, (_, time, size))| !as_it_was(path, time, *size))
        .map(|(_, (real, ..))| real)
        .collect()
}
