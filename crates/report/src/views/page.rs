//! The evidence page on disk, and a copy of each piece of evidence beside it.

use crate::evidence::{At, COPIES, Link, gather};
use crate::history::History;
use crate::kept::Kept;
use crate::page;
use flow::Flow;
use std::path::{Path, PathBuf};
use store::Head;
use workspace::context::Context;
use workspace::{EngineError, Project};

/// Writes the page of a run and copies its evidence beside it, each piece once.
pub(super) fn write(
    context: &Context,
    machine: &Flow,
    history: &History,
    head: &Head,
    read: &mut Kept,
) -> Result<(), EngineError> {
    let task = context.workflow.task.as_ref();
    let Some(name) = task.and_then(|task| task.evidence_page.as_ref()) else {
        return Ok(());
    };
    let path = context.task.join(name);
    let folder = path.parent().unwrap_or(&context.task);
    let copies = folder.join(COPIES);
    std::fs::create_dir_all(&copies).map_err(EngineError::io("create", &copies))?;
    let evidence = gather(context, (machine, At::Now), history, head, folder, read)?;
    let checks = evidence.gates.iter().flat_map(|gate| &gate.checks);
    let kept = checks.flat_map(|check| &check.evidence);
    let left = evidence.attempts.iter().flat_map(|one| &one.evidence);
    for piece in kept.chain(left).filter(|piece| !piece.sealed) {
        let target = folder.join(Link::beside(piece).href);
        if !target.exists() {
            store::write_atomic(&target, &context.vault.get(&piece.hash)?)?;
        }
    }
    let text = page::run(&evidence);
    let noted = noted(&context.project, &context.run);
    if let Some(folder) = noted.parent() {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    let hash = store::sha256_hex(text.as_bytes());
    // Whoever dies between the two has written one of them.
    let before = std::fs::read_to_string(&noted).unwrap_or_default();
    let before = before.lines().last().unwrap_or_default();
    store::write_atomic(&noted, format!("{before}\n{hash}").as_bytes())?;
    store::write_atomic(&path, text.as_bytes())?;
    Ok(store::write_atomic(&noted, hash.as_bytes())?)
}

/// Where the hash of the page is that was written last, behind the one before while that is written. No agent
/// and no command reaches it.
fn noted(project: &Project, run: &str) -> PathBuf {
    project.work(run).join("page.sha256")
}

/// Is the page another than was written last, where that is known? A page that is gone says nothing.
pub(super) fn edited(project: &Project, run: &str, page: &Path) -> bool {
    let (Ok(bytes), Ok(hash)) = (
        std::fs::read(page),
        std::fs::read_to_string(noted(project, run)),
    ) else {
        return false;
    };
    let now = store::sha256_hex(&bytes);
    !hash.lines().any(|hash| hash == now)
}
