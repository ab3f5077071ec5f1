//! Evidence under seal: what a role handed in for the engine alone. It lies in the scratch folder of its
//! run, which no agent reaches, no commit and no ref holds; when the run is over it joins the rest.

use crate::error::Error;
use crate::project::Project;
use kernel::outcome::EvidenceRef;
use std::path::PathBuf;
use store::Vault;

fn folder(project: &Project, run: &str) -> PathBuf {
    project.work(run).join("sealed")
}

/// Keeps the bytes under seal.
pub fn put(project: &Project, run: &str, name: &str, bytes: &[u8]) -> Result<EvidenceRef, Error> {
    let kept = Vault::open(&folder(project, run))?.put(name, bytes)?;
    Ok(EvidenceRef {
        sealed: true,
        ..kept
    })
}

/// What the run keeps under seal; none: nothing.
pub fn vault(project: &Project, run: &str) -> Result<Option<Vault>, Error> {
    let folder = folder(project, run);
    match folder.is_dir() {
        true => Ok(Some(Vault::open(&folder)?)),
        false => Ok(None),
    }
}

/// Gives another run, which left this one, what this one keeps under seal.
pub fn hand_on(project: &Project, from: &str, to: &str) -> Result<(), Error> {
    let Some(sealed) = vault(project, from)? else {
        return Ok(());
    };
    let pieces = store::walk(&folder(project, from), &|_| false)?;
    let other = Vault::open(&folder(project, to))?;
    for piece in pieces {
        let hash = piece.file_name().unwrap_or_default().to_string_lossy();
        other.put(&hash, &sealed.get(&hash)?)?;
    }
    Ok(())
}

/// Breaks the seals of a run that is over: every piece goes to the other evidence.
pub fn open(project: &Project, run: &str) -> Result<(), Error> {
    let Some(sealed) = vault(project, run)? else {
        return Ok(());
    };
    let folder = folder(project, run);
    let (to, pieces) = (project.vault()?, store::walk(&folder, &|_| false)?);
    for piece in pieces {
        let hash = piece.file_name().unwrap_or_default().to_string_lossy();
        to.put(&hash, &sealed.get(&hash)?)?;
    }
    store::remove_tree(&folder).map_err(Error::io("remove", &folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_joins_the_evidence_when_the_run_is_over() {
        let dir = tempfile::tempdir().unwrap();
        let ended = std::process::Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(dir.path())
            .status();
        assert!(ended.unwrap().success());
        let project = Project::find(dir.path()).unwrap();
        let kept = put(&project, "r", "exam", b"hush").unwrap();
        assert!(kept.sealed && project.vault().unwrap().get(&kept.hash).is_err());
        let sealed = vault(&project, "r").unwrap().unwrap();
        assert_eq!(sealed.get(&kept.hash).unwrap(), b"hush");
        open(&project, "r").unwrap();
        assert_eq!(project.vault().unwrap().get(&kept.hash).unwrap(), b"hush");
        assert!(vault(&project, "r").unwrap().is_none());
        open(&project, "r").unwrap();
    }
}
