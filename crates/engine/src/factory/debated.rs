//! What is shipped is what was debated. The last attempt of the Proposer left a record of every file
//! that it saw and of every change that was taken back; together they say what the module's folder
//! must hold, to the byte. Whoever edits a file after the debate has edited what nobody judged.

use super::modules::{ESCALATION, LOG, SEAL, SHIP, Seal, Stored};
use super::ship::{Broke, could_not};
use crate::context::Context;
use crate::perform;
use crate::view::{self, Root};
use kernel::effect::GateOrder;
use std::collections::{BTreeMap, BTreeSet};
use store::Node;

/// Compares the folder with the debate, and says what it compared. `fix` are a person's files, which
/// were debated too.
pub(super) fn check(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    fix: Option<&BTreeMap<String, String>>,
) -> Result<Seal, Broke> {
    let mut wanted = match order.attempt {
        Some(attempt) => left_by(context, attempt, module)?,
        None => BTreeMap::new(),
    };
    for (name, text) in fix.into_iter().flatten() {
        wanted.insert(name.clone(), store::sha256_hex(text.as_bytes()));
    }
    let seen = module.now()?;
    let now = &seen.files;
    let names: BTreeSet<&String> = wanted.keys().chain(now.keys()).collect();
    // What the engine itself writes there was never debated.
    let ours = [ESCALATION, LOG, SEAL, SHIP];
    let differs =
        |name: &&&String| !ours.contains(&name.as_str()) && wanted.get(**name) != now.get(**name);
    let changed: Vec<&str> = names
        .iter()
        .filter(differs)
        .map(|one| one.as_str())
        .collect();
    if changed.is_empty() {
        return Ok(seen);
    }
    Err(format!("changed after the debate: {}", changed.join(", ")).into())
}

/// The module's files as an attempt left them, by hash.
fn left_by(
    context: &Context,
    attempt: kernel::EffectId,
    module: &Stored,
) -> Result<BTreeMap<String, String>, Broke> {
    let home = context.home(attempt);
    let (Some(base), Some(changes)) = (view::base_of(&home), perform::taken_back(&home)) else {
        return Err(could_not(format!(
            "what attempt {attempt} left is not on record any more, so nobody can tell whether the module is what was debated; let the module be proposed again"
        )));
    };
    let folder = ::factory::engineering::context::module_folder(&module.reference);
    let inside = |path: &str| {
        let rest = path.strip_prefix(&folder)?.strip_prefix('/')?;
        Some(rest.to_owned())
    };
    let hash = |node: &Node| match node {
        Node::File { sha256 } | Node::Executable { sha256 } => Some(sha256.clone()),
        Node::Link { .. } | Node::Folder | Node::Special => None,
    };
    let mut files = BTreeMap::new();
    for (path, node) in &base.repo.files {
        files.extend(inside(path).and_then(|name| Some((name, hash(node)?))));
    }
    for change in changes.iter().filter(|one| one.root == Root::Repo) {
        let Some(name) = inside(&change.path) else {
            continue;
        };
        match change.after.as_ref().and_then(hash) {
            Some(hash) => files.insert(name, hash),
            None => files.remove(&name),
        };
    }
    Ok(files)
}
