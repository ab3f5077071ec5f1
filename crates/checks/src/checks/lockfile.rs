//! `lockfile`: what a project depends on is pinned. It refuses a lockfile that git ignores, for
//! nobody else would have it, and one that names nothing of what it should pin. It does not ask for
//! every name: a workspace may offer what nobody takes.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::{paths, sources};
use crate::settings::Globs;
use crate::text::first_few;
use languages::manifests::LOCKFILES;
use schemars::JsonSchema;
use serde::Deserialize;

/// Every manifest that names dependencies has a lockfile that git knows.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Lockfile {
    /// Globs of manifests that need none.
    #[serde(default)]
    allow: Globs,
}

impl Judge for Lockfile {
    const NAME: &'static str = "lockfile";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let mut files = sources::files(subject).map_err(Trouble::cannot)?;
        let known = files.clone();
        files.retain(|path| !self.allow.is_match(path));
        let read = |path: &str| paths::read(subject.place, &format!("repo/{path}"));
        let manifests = sources::manifests(subject, &files).map_err(Trouble::cannot)?;
        let naming = manifests.iter().filter(|one| !one.names.is_empty());
        let mut wrong = Vec::new();
        for manifest in naming.clone() {
            let locks = LOCKFILES.iter().find(|(world, _)| *world == manifest.world);
            let locks = locks.map_or(&[][..], |(_, locks)| locks);
            let there: Vec<String> = above(manifest.folder())
                .flat_map(|folder| locks.iter().map(move |lock| format!("{folder}{lock}")))
                .filter(|lock| known.contains(lock))
                .collect();
            if let Some(lock) = there.first()
                && !there
                    .iter()
                    .any(|lock| pins(subject, lock, &manifest.names))
            {
                let path = &manifest.path;
                wrong.push(format!("{lock} names nothing that {path} depends on"));
            } else if there.is_empty() && !is_pinned(&manifest.path, &read) {
                wrong.push(format!(
                    "{} needs one of: {}",
                    manifest.path,
                    locks.join(", ")
                ));
            }
        }
        if wrong.is_empty() {
            let (naming, all) = (naming.count(), manifests.len());
            return Ok(format!(
                "{naming} of {all} manifests name dependencies, and are locked"
            ));
        }
        Err(first_few(&wrong, 3).into())
    }
}

/// The folder and those above it, each with its slash; the root is empty.
fn above(folder: &str) -> impl Iterator<Item = String> {
    let mut next = Some(folder.to_owned());
    std::iter::from_fn(move || {
        let folder = next.take()?;
        if !folder.is_empty() {
            next = Some(
                folder
                    .rsplit_once('/')
                    .map_or(String::new(), |(above, _)| above.to_owned()),
            );
            return Some(format!("{folder}/"));
        }
        Some(String::new())
    })
}

/// Does the lockfile name at least one of these packages? One that is no text, or too large to be
/// read, is taken at its word.
fn pins(subject: &Subject<'_>, lock: &str, names: &[String]) -> bool {
    let Ok(Some(text)) = sources::text(subject, lock) else {
        return true;
    };
    // Python's names have several spellings.
    let plain = |text: &str| text.to_lowercase().replace(['_', '.'], "-");
    let text = plain(&text);
    names.iter().any(|name| text.contains(&plain(name)))
}

/// A requirements file in which every line names one version is a lockfile itself.
fn is_pinned(path: &str, read: &dyn Fn(&str) -> Result<String, Error>) -> bool {
    path.ends_with("requirements.txt")
        && read(path).is_ok_and(|text| {
            let lines = text.lines().map(str::trim);
            let mut real = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '-']));
            real.all(|line| line.contains("=="))
        })
}
