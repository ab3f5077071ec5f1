//! What the Proposer made of the amendments (rule F9.6). Nobody debates it, so the engine holds it
//! against what was debated: every file before the turn, by the record of the attempt that made it,
//! and every file after it.
//!
//! It refuses a turn that left an amendment out, one that changed a file which no amendment names, and
//! an addition to the code that no test sees: the tests of now, run on the code of before, must fail.

use super::debated::{self, Deliverable};
use super::found::{Broke, Given, Held, could_not};
use super::module_error::ModuleError;
use super::modules::Stored;
use super::suite::{self, Expect};
use super::{scratch, surface};
use ::factory::debate::Amendment;
use ::factory::engineering::amend::{self, Changed};
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;
use workspace::context::Context;

/// What is asked of what an amendment adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Additions {
    /// A test sees it.
    Seen,
}

/// The turn of the Proposer's that is judged.
pub(super) struct Turn<'a> {
    pub(super) asked: &'a [Amendment],
    pub(super) before: &'a Deliverable,
    pub(super) after: &'a Deliverable,
    pub(super) additions: Option<Additions>,
}

/// Compares the two. What stood in a changed file before is kept as evidence.
pub(super) fn check(given: &Given<'_>, module: &Stored, turn: &Turn<'_>) -> Result<Held, Broke> {
    let context = given.context;
    let Turn {
        asked,
        before,
        after,
        additions,
    } = *turn;
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
    let mut found = amend::contradicted(asked, &changed, &texts);
    if additions == Some(Additions::Seen) {
        found.extend(amend::idle(asked, &changed));
    }
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
    let mut held = Held {
        reason: format!(
            "{} amendments are in the deliverable, and nothing else changed: {}",
            asked.len(),
            names.join(", ")
        ),
        evidence,
        ran: None,
    };
    if additions == Some(Additions::Seen) && amend::adds_code(asked, &changed) {
        let result = seen(given, module, &changed)?;
        held.reason
            .push_str("; without what was added to the code its tests fail");
        held.evidence.extend(result.evidence);
        held.ran = result.ran.map(Box::new);
    }
    Ok(held)
}

/// Runs the tests of now on the code of before. Where they pass, nobody could tell whether it was added.
fn seen(given: &Given<'_>, module: &Stored, changed: &[Changed]) -> Result<CheckResult, Broke> {
    let (context, order, cancel) = (given.context, given.order, given.cancel);
    let laid = surface::lay_out(context, order, module)?;
    let runner = surface::extract(context, order, module, &laid, cancel)?.runner;
    for one in changed {
        let Some(name) = one.path.strip_prefix("implementation/") else {
            continue;
        };
        let path = laid.code().join(name);
        match &one.before {
            Some(text) => scratch::write(&path, text.as_bytes()).map_err(could_not)?,
            None => std::fs::remove_file(&path).map_err(could_not)?,
        }
    }
    let (result, _) = suite::run(context, order, &laid, &runner, Expect::Green, cancel)?;
    match result.verdict {
        Verdict::Fail => Ok(result),
        Verdict::CouldNotRun => {
            let reason = result.reason.clone();
            Err(Broke::by(&result, Verdict::CouldNotRun, reason))
        }
        _ => Err(Broke::by(
            &result,
            Verdict::Fail,
            "no test sees what was added to the code: all of them pass without it; an amendment that adds to the code names a test that does".to_owned(),
        )),
    }
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
