//! The four integration gates of section 15.4 as the state store and the Code Index show them. The
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
    let set: Set = serde_json::from_value(with.clone()).map_err(could_not)?;
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
        wrong.extend(found.err().map(|why| format!("{reference}: {why}")));
    }
    if wrong.is_empty() {
        return Ok(Held::from(format!("{} modules hold", set.modules.len())));
    }
    Err(wrong.join("; ").into())
}

fn dependencies(root: &Path, module: &Stored, set: &[ModuleRef]) -> Result<(), String> {
    for one in module.contract()?.dependencies {
        let used = scratch::find(root, &one.reference)?;
        if !set.contains(&used.reference) {
            return Err(format!("{} is not in the release", used.reference));
        }
    }
    Ok(())
}

/// Contract, evidence, log and seal say the same.
fn whole(module: &Stored) -> Result<(), String> {
    let (contract, evidence) = (module.contract()?, module.evidence()?);
    let (now, shipped) = (
        contract.fingerprint(),
        evidence.verification.interface_fingerprint,
    );
    if now != shipped {
        return Err(format!(
            "Interface fingerprint mismatch: expected {shipped}, got {now}"
        ));
    }
    if module.log()?.blocks_ship() {
        return Err("its execution log has failures".to_owned());
    }
    let broken = module.broken()?;
    if broken.is_empty() {
        return Ok(());
    }
    Err(format!("its seal is broken: {}", broken.join(", ")))
}

fn in_use(context: &Context, root: &Path, module: &Stored) -> Result<(), String> {
    for one in module.contract()?.dependencies {
        let used = scratch::find(root, &one.reference)?;
        indexed(context, &used.reference, &one.reference)?;
    }
    Ok(())
}

fn indexed(context: &Context, reference: &ModuleRef, what: &str) -> Result<(), String> {
    let path = index_place::of_project(&context.project);
    let wrong = |error: index::IndexError| error.to_string();
    let index = AppendOnlyCodeIndex::open(&path, Create::Never).map_err(wrong)?;
    let entry = index.get(reference).map_err(wrong)?;
    if entry.status == Status::Shipped {
        return Ok(());
    }
    Err(format!("{what} is {:?} in the Code Index", entry.status).to_lowercase())
}
