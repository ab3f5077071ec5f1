//! Which paths a confined process sees, and where. It looks at the machine once, before the fork,
//! and refuses roots that are missing, relative or the whole machine.

use super::landlock::{Access, Shape};
use crate::policy::DEVICES;
use crate::{LaunchError, Overlay, Policy};
use std::path::{Component, Path, PathBuf};

/// A path inside, and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: PathBuf,
    pub(crate) what: What,
}

/// What is at a path inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// What is at this path outside, with symbolic links resolved.
    Outside(PathBuf, Access, Shape),
    /// The first folder, whose changes go into the second; the third is the kernel's.
    Layered([PathBuf; 3]),
    /// A symbolic link.
    Link(PathBuf),
    /// Scratch space of its own.
    Scratch,
    /// Something empty in the place of what is hidden.
    Empty(Shape),
    /// The processes of its own namespace.
    Processes,
    /// Terminals of its own, which nobody else sits at: agents run their shells in them.
    Terminals,
}

impl Entry {
    /// Where inside this entry shows what is at `real` outside. A root has two names if it was named
    /// through a link.
    fn shows(&self, real: &Path) -> Option<PathBuf> {
        match &self.what {
            What::Outside(outside, ..) if outside == real => Some(self.at.clone()),
            What::Outside(outside, ..) => {
                let inside = real.strip_prefix(outside).ok()?;
                Some(self.at.join(inside))
            }
            // It stands for the folder at its own path, and has of it what its layer has.
            What::Layered([lower, ..]) => {
                let inside = real.strip_prefix(&self.at).ok()?;
                let there = lower.join(inside).symlink_metadata().is_ok();
                there.then(|| real.to_owned())
            }
            What::Link(_) | What::Scratch | What::Empty(_) | What::Processes | What::Terminals => {
                None
            }
        }
    }
}

/// Where the private scratch space is.
pub(crate) const SCRATCH: [&str; 2] = ["/tmp", "/dev/shm"];

/// All that there is inside, parents before children.
pub(crate) fn entries(policy: &Policy) -> Result<Vec<Entry>, LaunchError> {
    let mut entries: Vec<Entry> = Vec::new();
    let system: Vec<PathBuf> = Policy::base_system();
    for path in &system {
        let Ok(real) = path.canonicalize() else {
            continue;
        };
        let inside = system
            .iter()
            .any(|root| *path != real && real.starts_with(root));
        let what = if inside {
            What::Link(real)
        } else {
            let shape = shape(&real);
            What::Outside(real, Access::Read, shape)
        };
        add(&mut entries, path.clone(), what);
    }
    for device in DEVICES.iter().map(PathBuf::from) {
        if device.exists() {
            let what = What::Outside(device.clone(), Access::Device, Shape::File);
            add(&mut entries, device, what);
        }
    }
    for scratch in SCRATCH {
        add(&mut entries, scratch.into(), What::Scratch);
    }
    add(&mut entries, "/proc".into(), What::Processes);
    add(&mut entries, "/dev/pts".into(), What::Terminals);
    for (name, to) in [
        ("/dev/ptmx", "pts/ptmx"),
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
    ] {
        add(&mut entries, name.into(), What::Link(to.into()));
    }
    let reads = policy.read.iter().map(|path| (path, Access::Read));
    let writes = policy.write.iter().map(|path| (path, Access::Write));
    for (path, access) in reads.chain(writes) {
        let real = real(path)?;
        let shape = shape(&real);
        let what = What::Outside(real.clone(), access, shape);
        // Under both names, if it was named through a link.
        if *path != real {
            add(&mut entries, path.clone(), what.clone());
        }
        add(&mut entries, real, what);
    }
    for overlay in &policy.overlays {
        layered(&mut entries, overlay)?;
    }
    for placed in &policy.placed {
        let source = real(&placed.source)?;
        let shape = shape(&source);
        let at = plain(&placed.at)?.to_owned();
        add(&mut entries, at, What::Outside(source, Access::Read, shape));
    }
    if let Some(home) = &policy.home
        && !policy.write.iter().any(|root| home.starts_with(root))
    {
        let what = format!(
            "the home {} is in no writable root; put it into one",
            home.display()
        );
        return Err(LaunchError::Policy { what });
    }
    for path in &policy.hidden {
        // What is not there needs no hiding, nor what no root shows.
        if let Ok(real) = path.canonicalize() {
            let places: Vec<PathBuf> = entries.iter().filter_map(|one| one.shows(&real)).collect();
            for at in places {
                add(&mut entries, at, What::Empty(shape(&real)));
            }
        }
    }
    entries.sort_by_key(|entry| entry.at.components().count());
    Ok(entries)
}

/// An overlay, and what of it stays as it is.
fn layered(entries: &mut Vec<Entry>, overlay: &Overlay) -> Result<(), LaunchError> {
    // What a room has and the folder that it stands for has not is in a place that is not there.
    let at = match overlay.at.symlink_metadata() {
        Ok(_) => real(&overlay.at)?,
        Err(_) => plain(&overlay.at)?.to_owned(),
    };
    let lower = real(&overlay.lower)?;
    let layers = [lower.clone(), real(&overlay.upper)?, real(&overlay.work)?];
    for fixed in &overlay.fixed {
        let plain = fixed
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let source = lower.join(fixed);
        // A link could lead out of the layer, and what is bound is what it leads to.
        let same = source.canonicalize().is_ok_and(|real| real == source);
        if !plain || !same {
            let what = format!(
                "{} cannot be fixed: it is no file or folder of {}",
                fixed.display(),
                overlay.lower.display()
            );
            return Err(LaunchError::Policy { what });
        }
        let shape = shape(&source);
        let what = What::Outside(source, Access::Read, shape);
        add(entries, at.join(fixed), what);
    }
    add(entries, at, What::Layered(layers));
    Ok(())
}

/// The later one at a path wins, so that a writable root wins over a readable one.
fn add(entries: &mut Vec<Entry>, at: PathBuf, what: What) {
    entries.retain(|entry| entry.at != at);
    entries.push(Entry { at, what });
}

fn plain(path: &Path) -> Result<&Path, LaunchError> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if path.is_absolute() && plain {
        return Ok(path);
    }
    let what = format!(
        "the root `{}` is not an absolute path without `..`; give its full path",
        path.display()
    );
    Err(LaunchError::Policy { what })
}

fn real(path: &Path) -> Result<PathBuf, LaunchError> {
    let wrong = |what: String| LaunchError::Policy { what };
    let shown = path.display();
    plain(path)?;
    let real = path.canonicalize().map_err(|error| {
        wrong(format!(
            "the root {shown}: {error}; create it, or leave it out"
        ))
    })?;
    for forbidden in ["/", "/proc", "/dev", "/sys"] {
        if real == Path::new(forbidden) {
            return Err(wrong(format!(
                "the root {shown} is too wide; name the folders below it that are needed"
            )));
        }
    }
    if real.starts_with("/proc") || real.starts_with("/sys") {
        return Err(wrong(format!(
            "the root {shown} is part of the kernel; leave it out"
        )));
    }
    Ok(real)
}

fn shape(path: &Path) -> Shape {
    if path.is_dir() {
        Shape::Folder
    } else {
        Shape::File
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_before_children_and_writing_wins() {
        let dir = tempfile::tempdir().unwrap();
        let (root, inner) = (dir.path().to_path_buf(), dir.path().join("inner"));
        std::fs::create_dir(&inner).unwrap();
        let policy = Policy::confined([inner.clone(), root.clone()], [inner.clone()]);
        let entries = entries(&policy).unwrap();
        let at = |path: &Path| entries.iter().position(|entry| entry.at == path).unwrap();
        assert!(at(Path::new("/tmp")) < at(&root) && at(&root) < at(&inner));
        let what = &entries[at(&inner)].what;
        assert_eq!(*what, What::Outside(inner, Access::Write, Shape::Folder));
    }

    #[test]
    fn a_root_named_through_a_link_is_there_under_both_names() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        std::fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let entries = entries(&Policy::confined([link.clone()], [] as [PathBuf; 0])).unwrap();
        for at in [link, target.clone()] {
            let entry = entries.iter().find(|entry| entry.at == at).unwrap();
            let what = What::Outside(target.clone(), Access::Read, Shape::Folder);
            assert_eq!(entry.what, what);
        }
    }

    #[test]
    fn what_is_hidden_is_hidden_under_each_name_of_its_root_and_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let [target, link, other] = ["target", "link", "other"].map(|name| dir.path().join(name));
        std::fs::create_dir(&target).unwrap();
        for file in [target.join("key"), other.clone()] {
            std::fs::write(file, "key").unwrap();
        }
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let mut policy = Policy::confined([link.clone()], [] as [PathBuf; 0]);
        policy.hidden = vec![link.join("key"), other, dir.path().join("nowhere")];
        let entries = entries(&policy).unwrap();
        let hidden = |entry: &&Entry| matches!(entry.what, What::Empty(_));
        let mut hidden: Vec<&Path> = entries.iter().filter(hidden).map(|one| &*one.at).collect();
        hidden.sort();
        assert_eq!(hidden, [link.join("key"), target.join("key")]);
    }

    #[test]
    fn a_home_must_be_writable() {
        let dir = tempfile::tempdir().unwrap();
        let mut policy = Policy::confined([] as [PathBuf; 0], [dir.path()]);
        policy.home = Some(dir.path().join("home"));
        assert!(entries(&policy).is_ok());
        policy.home = Some("/elsewhere".into());
        assert_eq!(entries(&policy).unwrap_err().code(), "sandbox_policy");
    }

    #[test]
    fn wrong_roots_are_refused_with_a_mend() {
        for root in [
            "relative",
            "/no/such/root",
            "/",
            "/proc",
            "/dev",
            "/proc/self",
            "/usr/..",
        ] {
            let policy = Policy::confined([root], [] as [PathBuf; 0]);
            let error = entries(&policy).unwrap_err();
            assert_eq!(error.code(), "sandbox_policy");
            assert!(error.to_string().contains(root), "{error}");
        }
    }
}
