//! The four integration gates of rule F15.4 as the state store and the Code Index show them. The
//! machine judges the same by what it remembers; both must agree.

use super::found::{Broke, Held, could_not};
use super::modules::Stored;
use super::scratch;
use ::factory::project::ModuleRef;
use index::{AppendOnlyCodeIndex, Create, Status};
use serde::Deserialize;
use std::path::Path;
use workspace::context::Context;
use workspace::index_place;

#[derive(Deserialize)]
struct Set {
    modules: Vec<ModuleRef>,
}

pub(super) fn check(
    context: &Context,
    name: &str,
    with: &serde_json::Value,
) -> Result<Held, Broke> {
    let set = Set::deserialize(with).map_err(could_not)?;
    let root = context.project.home();
    let mut wrong = Vec::new();
    for reference in &set.modules {
        let module = Stored::at(&root, reference);
        let found = match name {
            "dependency_check" => dependencies(&root, &module, &set.modules),
            "fingerprint_check" => whole(&module),
            "deprecation_check" => in_use(context, &root, &module),
            _ => indexed(context, reference, "its own entry"),
        };
        wrong.extend(
            found
                .err()
                .map(|why| format!("{reference}: {}", why.reason)),
        );
    }
    if wrong.is_empty() {
        return Ok(Held::from(format!("{} modules hold", set.modules.len())));
    }
    Err(wrong.join("; ").into())
}

fn dependencies(root: &Path, module: &Stored, set: &[ModuleRef]) -> Result<(), Broke> {
    for one in module.contract()?.dependencies {
        let used = scratch::find(root, &one.reference)?;
        if !set.contains(&used.reference) {
            return Err(format!("{} is not in the release", used.reference).into());
        }
    }
    Ok(())
}

/// Contract, evidence, log and seal say the same.
fn whole(module: &Stored) -> Result<(), Broke> {
    let (contract, evidence) = (module.contract()?, module.evidence()?);
    let (now, shipped) = (
        contract.fingerprint(),
        evidence.verification.interface_fingerprint,
    );
    if now != shipped {
        let why = format!("Interface fingerprint mismatch: expected {shipped}, got {now}");
        return Err(why.into());
    }
    if module.log()?.blocks_ship() {
        return Err("its execution log has failures".to_owned().into());
    }
    let broken = module.broken()?;
    if broken.is_empty() {
        return Ok(());
    }
    Err(format!("its seal is broken: {}", broken.join(", ")).into())
}

fn in_use(context: &Context, root: &Path, module: &Stored) -> Result<(), Broke> {
    for one in module.contract()?.dependencies {
        let used = scratch::find(root, &one.reference)?;
        indexed(context, &used.reference, &one.reference)?;
    }
    Ok(())
}

fn indexed(context: &Context, reference: &ModuleRef, what: &str) -> Result<(), Broke> {
    let path = index_place::of_project(&context.project);
    let index = AppendOnlyCodeIndex::open(&path, Create::Never).map_err(could_not)?;
    let entry = index.get(reference).map_err(could_not)?;
    if entry.status == Status::Shipped {
        return Ok(());
    }
    let why = format!("{what} is {:?} in the Code Index", entry.status);
    Err(why.to_lowercase().into())
}
