//! What the Proposer made of the amendments (rule F9.6). Nobody debates it, so the engine holds it
//! against what was debated: every file before the turn, by the record of the attempt that made it,
//! and every file after it.
//!
//! It refuses a turn that left an amendment out, and one that changed a file which no amendment names.

use super::debated::{self, Deliverable};
use super::found::{Broke, Held, could_not};
use super::module_error::ModuleError;
use super::modules::Stored;
use ::factory::debate::Amendment;
use ::factory::engineering::amend::{self, Changed};
use kernel::outcome::{EvidenceRef, Verdict};
use std::collections::BTreeMap;
use workspace::context::Context;

/// Compares the two. What stood in a changed file before is kept as evidence.
pub(super) fn check(
    context: &Context,
    module: &Stored,
    asked: &[Amendment],
    before: &Deliverable,
    after: &Deliverable,
) -> Result<Held, Broke> {
    // Whoever edits the folder after the turn has not applied anything.
    let now = debated::check(context, module, after)?.files;
    let was = before.files(context, module)?;
    let mut evidence = Vec::new();
    let mut changed = Vec::new();
    for path in debated::differing(&was, &now) {
        let old = was.get(path);
        changed.push(Changed {
            path: path.to_owned(),
            before: old
                .map(|hash| stood(context, before, path, hash, &mut evidence))
                .transpose()?,
            after: now.get(path).map(|_| text(module, path)).transpose()?,
        });
    }
    let mut texts = BTreeMap::new();
    for path in now.keys() {
        texts.insert(path.clone(), text(module, path)?);
    }
    let found = amend::contradicted(asked, &changed, &texts);
    if !found.is_empty() {
        let lines: Vec<&str> = found.iter().map(|one| one.evidence.as_str()).collect();
        return Err(Broke {
            verdict: Verdict::Fail,
            reason: lines.join("; "),
            evidence,
            ran: None,
            code: None,
        });
    }
    let names: Vec<&str> = changed.iter().map(|one| one.path.as_str()).collect();
    Ok(Held {
        reason: format!(
            "{} amendments are in the deliverable, and nothing else changed: {}",
            asked.len(),
            names.join(", ")
        ),
        evidence,
        ran: None,
    })
}

fn text(module: &Stored, path: &str) -> Result<String, ModuleError> {
    Ok(String::from_utf8_lossy(&module.read(path)?).into_owned())
}

/// What a file held before the turn: a person's, or what taking the turn back has put aside. Where
/// that cannot be read any more nobody can say what was applied, and nothing is claimed.
fn stood(
    context: &Context,
    before: &Deliverable,
    path: &str,
    hash: &str,
    evidence: &mut Vec<EvidenceRef>,
) -> Result<String, Broke> {
    let of_person = before.fix.as_ref().and_then(|files| files.get(path));
    let bytes = match of_person {
        Some(text) => text.clone().into_bytes(),
        None => context.vault.get(hash).map_err(|error| {
            could_not(format!(
                "what {path} held before the amendments cannot be read: {error}; decide about the halt, or have the module proposed again"
            ))
        })?,
    };
    evidence.extend(context.keep(&format!("before: {path}"), &bytes).ok());
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
