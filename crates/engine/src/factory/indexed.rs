//! The Code Index against what the journal says of modules (rules F13.7 and F16): what was
//! deprecated or superseded is marked there, with its pointer and its notes, and every entry says what
//! the sealed contract says.
//!
//! Entries of shipped modules are the ship's to add; nothing here adds or removes one.

use super::modules::{CONTRACT, EXAMPLES, SHIP, Stored};
use ::factory::contract::MicroModuleContract;
use ::factory::delivery::registry::Entry;
use ::factory::machine::Factory;
use index::{AppendOnlyCodeIndex, CodeIndexEntry, Create, IndexError, IoSummary, Replacement};
use kernel::module::{ModuleRef, ModuleStatus};
use serde_json::json;
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
    Ok(mark(&mut open(project)?, &marked)?)
}

/// The same in any index: what it does not know is left alone.
pub(super) fn mark(index: &mut AppendOnlyCodeIndex, marked: &[&Entry]) -> Result<(), IndexError> {
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

/// The entry of a shipped module, as its contract says it.
pub(super) fn entry(contract: &MicroModuleContract, reference: &ModuleRef) -> CodeIndexEntry {
    let folder = ::factory::engineering::context::module_folder(reference);
    let modes = [
        ("sync", contract.modes.sync),
        ("async", contract.modes.async_),
    ];
    let modes = modes.iter().filter(|(_, has)| *has);
    CodeIndexEntry {
        module_id: reference.module.clone(),
        version: reference.version,
        name: contract.name.clone(),
        purpose: contract.purpose.clone(),
        tags: contract.tags.clone(),
        contract_ref: format!("{folder}/{CONTRACT}"),
        examples_ref: format!("{folder}/{EXAMPLES}"),
        ship_ref: format!("{folder}/{SHIP}"),
        io_summary: IoSummary {
            inputs: contract
                .inputs
                .iter()
                .map(|one| format!("{}: {}", one.name, one.type_))
                .collect(),
            outputs: contract
                .outputs
                .iter()
                .map(|one| format!("{}: {}", one.name, one.type_))
                .collect(),
            error_surfaces: contract
                .error_surfaces
                .iter()
                .map(|one| one.name.clone())
                .collect(),
            effects: contract
                .effects
                .iter()
                .map(|one| one.target.clone())
                .collect(),
            modes: modes.map(|(name, _)| (*name).to_owned()).collect(),
        },
        dependencies: contract
            .dependencies
            .iter()
            .map(|one| one.reference.clone())
            .collect(),
        status: index::Status::Shipped,
        superseded_by: None,
        notes: String::new(),
    }
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
            Ok(known) => {
                found.extend(differing(entry, &known));
                found.extend(said_otherwise(project, &known));
            }
        }
    }
    found
}

/// A version that this project shipped: what is reused from elsewhere is not ours to vouch for.
pub(super) fn is_ours(entry: &Entry) -> bool {
    !entry.ship_ref.is_empty()
}

/// What an entry says of a module, against the contract that was sealed with it. One that cannot be
/// read is a finding of its own.
fn said_otherwise(project: &Project, known: &CodeIndexEntry) -> Option<String> {
    let reference = known.reference();
    let contract = Stored::at(&project.home(), &reference).contract().ok()?;
    let (made, known) = (json!(entry(&contract, &reference)), json!(known));
    // These follow from the journal, and are compared with that.
    const STANDING: [&str; 3] = ["status", "superseded_by", "notes"];
    let members = made.as_object().into_iter().flatten();
    let other = members.filter(|(name, value)| {
        !STANDING.contains(&name.as_str()) && known.get(name.as_str()) != Some(*value)
    });
    let names: Vec<&str> = other.map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{reference} has another {} in the Code Index than in its contract",
            names.join(", ")
        )
    })
}

fn differing(entry: &Entry, known: &CodeIndexEntry) -> Vec<String> {
    let name = &entry.reference;
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
    found
}
