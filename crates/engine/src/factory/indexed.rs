//! The Code Index against what the journal says of modules (rules F13.7 and F16): what was
//! deprecated or superseded is marked there, with its pointer and its notes.
//!
//! Entries of shipped modules are the ship's to add; nothing here adds or removes one.

use ::factory::delivery::registry::Entry;
use ::factory::machine::Factory;
use index::{AppendOnlyCodeIndex, CodeIndexEntry, Create, IndexError, Replacement};
use kernel::module::ModuleStatus;
use workspace::error::EngineError;
use workspace::index_place;
use workspace::project::Project;

fn open(project: &Project) -> Result<AppendOnlyCodeIndex, IndexError> {
    AppendOnlyCodeIndex::open(&index_place::of_project(project), Create::Never)
}

/// Marks what the journal marks and the index does not yet.
pub(super) fn follow(project: &Project, machine: &Factory) -> Result<(), EngineError> {
    let marked = machine.registry().iter();
    let marked: Vec<&Entry> = marked
        .filter(|entry| entry.status != ModuleStatus::Shipped)
        .collect();
    if marked.is_empty() {
        return Ok(());
    }
    let mut index = open(project)?;
    for entry in marked {
        let key = &entry.reference;
        // One that was never entered, such as a version without code, has nothing to mark.
        let Ok(known) = index.get(key) else {
            continue;
        };
        if known.status != ModuleStatus::Shipped {
            continue;
        }
        let new = &entry.superseded_by;
        let note = entry.notes.join("\n");
        let note = match note.as_str() {
            "" => "another version has taken its place",
            note => note,
        };
        let now = workspace::clock::now();
        match (entry.status, new) {
            (ModuleStatus::Superseded, Some(new)) => index.supersede(key, new, note, now)?,
            (_, Some(new)) => index.deprecate(key, &Replacement::By(new.clone()), note, now)?,
            (_, None) => index.deprecate(key, &Replacement::None, note, now)?,
        }
    }
    Ok(())
}

/// What of the index does not agree with the journal: a sentence each.
pub fn faults(project: &Project, machine: &Factory) -> Vec<String> {
    let made = machine.registry().iter().filter(|entry| is_ours(entry));
    let made: Vec<&Entry> = made.collect();
    if made.is_empty() {
        return Vec::new();
    }
    let index = match open(project) {
        Ok(index) => index,
        Err(error) => return vec![format!("the Code Index cannot be read: {error}")],
    };
    let mut found = Vec::new();
    for entry in made {
        match index.get(&entry.reference) {
            Err(error) => found.push(format!("{}: {error}", entry.reference)),
            Ok(known) => found.extend(differing(entry, &known)),
        }
    }
    found
}

/// A version that this project shipped: what is reused from elsewhere is not ours to vouch for.
pub(super) fn is_ours(entry: &Entry) -> bool {
    !entry.ship_ref.is_empty()
}

fn differing(entry: &Entry, known: &CodeIndexEntry) -> Vec<String> {
    let name = &entry.reference;
    let folder = ::factory::engineering::context::module_folder(name);
    let mut found = Vec::new();
    if known.status != entry.status {
        found.push(format!(
            "{name} is {:?} in the Code Index, and {:?} by the journal",
            known.status, entry.status
        ));
    }
    if known.superseded_by != entry.superseded_by {
        found.push(format!(
            "{name} points at another successor in the Code Index"
        ));
    }
    for (what, reference) in [
        ("contract.json", &known.contract_ref),
        ("examples.md", &known.examples_ref),
        ("ship.json", &known.ship_ref),
    ] {
        if *reference != format!("{folder}/{what}") {
            found.push(format!("{name} has its {what} elsewhere in the Code Index"));
        }
    }
    found
}
