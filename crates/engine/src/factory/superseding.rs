//! A version that takes another one's place (rule F13.5): its contract before anybody implements
//! it, and the pointer in the Code Index once it is shipped.
//!
//! Whatever the exception does not change is as the old contract says.

use super::found::{Broke, could_not};
use super::modules::Stored;
use ::factory::contract::{MicroModuleContract, from_plan};
use ::factory::halt::candidate;
use ::factory::halt::change::Change;
use ::factory::project::ModuleRef;
use index::{AppendOnlyCodeIndex, Create, Status};
use std::path::Path;
use workspace::context::Context;
use workspace::index_place;

/// The contract that is locked for the new version.
pub(super) fn contract(home: &Path, change: &Change) -> Option<MicroModuleContract> {
    let old = Stored::at(home, &change.from).contract().ok()?;
    let surface = from_plan::surface(&candidate::short(&change.candidate));
    Some(MicroModuleContract {
        module_version: change.to.version,
        inputs: surface.inputs,
        outputs: surface.outputs,
        error_surfaces: surface.error_surfaces,
        effects: surface.effects,
        modes: surface.modes,
        ..old
    })
}

/// Marks the old version in the Code Index, once.
pub(super) fn mark(context: &Context, old: &ModuleRef, new: &ModuleRef) -> Result<(), Broke> {
    let path = index_place::of_project(&context.project);
    let mut index = AppendOnlyCodeIndex::open(&path, Create::Never).map_err(could_not)?;
    if index.get(old).map_err(could_not)?.status != Status::Shipped {
        return Ok(());
    }
    let note = format!("{new} has the contract that an interface change exception asked for");
    index
        .supersede(old, new, &note, workspace::clock::now())
        .map_err(could_not)
}
