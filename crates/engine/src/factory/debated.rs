//! What is shipped is what was debated. The last attempt of the Proposer left a record of every file
//! that it saw and of every change that was taken back; together they say what the module's folder
//! must hold, to the byte. Whoever edits a file after the debate has edited what nobody judged.

use super::found::{Broke, could_not};
use super::modules::{CONTRACT, ESCALATION, LOG, SEAL, SHIP, Seal, Stored};
use crate::perform;
use kernel::EffectId;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Node;
use workspace::context::Context;
use workspace::view::{self, Root};

/// Compares the folder with the debate, and says what it compared.
pub(super) fn check(
    context: &Context,
    module: &Stored,
    deliverable: &Deliverable,
) -> Result<Seal, Broke> {
    let wanted = deliverable.files(context, module)?;
    let seen = module.now()?;
    let changed = differing(&wanted, &seen.files);
    if changed.is_empty() {
        return Ok(seen);
    }
    Err(format!("changed after the debate: {}", changed.join(", ")).into())
}

/// The names of files that are not the same in both. What the engine itself writes there was never
/// debated.
pub(super) fn differing<'a>(
    one: &'a BTreeMap<String, String>,
    other: &'a BTreeMap<String, String>,
) -> Vec<&'a str> {
    let ours = [ESCALATION, LOG, SEAL, SHIP];
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differs = |name: &&String| {
        !ours.contains(&name.as_str()) && one.get(name.as_str()) != other.get(name.as_str())
    };
    let differing = names.into_iter().filter(differs);
    differing.map(String::as_str).collect()
}

/// What was handed in: what an attempt left, with a person's files laid over it, which were debated
/// too.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Deliverable {
    pub(super) attempt: Option<EffectId>,
    #[serde(default)]
    pub(super) fix: Option<BTreeMap<String, String>>,
    /// The contract that is locked, where no attempt brought it.
    #[serde(skip)]
    pub(super) locked: Option<Vec<u8>>,
}

impl Deliverable {
    /// Its files, by hash.
    pub(super) fn files(
        &self,
        context: &Context,
        module: &Stored,
    ) -> Result<BTreeMap<String, String>, Broke> {
        let hash = |bytes: &[u8]| store::sha256_hex(bytes);
        let mut files = match self.attempt {
            Some(attempt) => left_by(context, attempt, module)?,
            None => {
                let locked = self.locked.iter();
                let locked = locked.map(|bytes| (CONTRACT.to_owned(), hash(bytes)));
                locked.collect()
            }
        };
        for (name, text) in self.fix.iter().flatten() {
            files.insert(name.clone(), hash(text.as_bytes()));
        }
        Ok(files)
    }
}

/// The module's files as an attempt left them, by hash.
fn left_by(
    context: &Context,
    attempt: EffectId,
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
