//! Modules from one project to another (rule F14.3): what a release holds is shared with the user's
//! other projects, and what one of those has released is brought in. Nothing of it is believed: it is held
//! against its seal and its fingerprint, and ships by the same gates as what is made here.

use super::found::{Broke, Given, Held, could_not};
use super::indexed;
use super::modules::{EXAMPLES, LOG, SEAL, Stored};
use ::factory::contract::from_plan;
use ::factory::delivery::manifest::Scope;
use ::factory::delivery::registry::Entry;
use ::factory::engineering::work::Found;
use ::factory::machine::Factory;
use ::factory::micro_plan::IoContract;
use ::factory::project::ModuleRef;
use index::{AppendOnlyCodeIndex, Create};
use kernel::module::ModuleStatus;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use workspace::index_place;
use workspace::project::Project;
use workspace::shared::{self, Provenance, Shared};

/// Shares the modules of the last release, unless the config says otherwise.
pub(super) fn share(project: &Project, machine: &Factory) -> Result<(), Broke> {
    let config = project.config().map_err(could_not)?;
    let mut all = machine.releases().iter().rev();
    let last = all.find(|one| one.scope == Scope::Full && one.passed());
    let (Some(last), true) = (last, index_place::shares(&config)) else {
        return Ok(());
    };
    let title = machine.promised().map_or("", |one| one.title.as_str());
    let mut new = Vec::new();
    for released in &last.modules {
        let reference = &released.module_ref;
        let entry = machine.registry().get(reference);
        let Some(entry) = entry.filter(|entry| !entry.contract.is_null()) else {
            continue;
        };
        let module = Stored::at(&project.home(), reference);
        module.as_tested()?;
        let provenance = Provenance {
            module: reference.clone(),
            spec: format!("{} {}", machine.head().project_id, last.spec_version),
            title: title.to_owned(),
            release: last.release_id.clone(),
            ship: entry.ship_ref.clone(),
            seal: store::sha256_hex(&module.read(SEAL)?),
            contract: entry.contract.clone(),
            depends_on: entry
                .dependencies
                .iter()
                .map(|(on, _)| on.clone())
                .collect(),
        };
        let shared = shared::put(&module.folder, &provenance).map_err(could_not)?;
        if shared.provenance.seal == provenance.seal {
            let mut entry = indexed::entry(&module.contract()?, reference);
            entry.notes = format!("{}, {}", shared.provenance.spec, shared.provenance.release);
            new.push(entry);
        }
    }
    let path = index_place::of_user().map_err(could_not)?;
    let mut index = AppendOnlyCodeIndex::open(&path, Create::IfMissing).map_err(could_not)?;
    new.retain(|entry| index.get(&entry.reference()).is_err());
    if !new.is_empty() {
        let spec = index.embedder_spec().map_err(could_not)?;
        let settings = index_place::settings(&config).map_err(could_not)?;
        let spec = spec.as_deref().unwrap_or("built-in");
        let embedder = index::embed::open(spec, &settings).map_err(could_not)?;
        let added = index.add(&new, &*embedder, workspace::clock::now());
        added.map_err(could_not)?;
    }
    // What it has shared before, and does not use any more.
    let gone = machine.registry().iter().filter(|entry| {
        let shared = shared::find(&entry.reference).ok().flatten();
        let ours = shared.is_some_and(|one| one.provenance.ship == entry.ship_ref);
        let new = entry.superseded_by.as_ref();
        let known = new.is_none_or(|new| index.get(new).is_ok());
        entry.status != ModuleStatus::Shipped && ours && known
    });
    let gone: Vec<&Entry> = gone.collect();
    indexed::mark(&mut index, &gone).map_err(could_not)
}

#[derive(Deserialize)]
struct Sought {
    module: ModuleRef,
}

fn found(reference: &ModuleRef) -> Result<(Stored, Provenance), Broke> {
    let Some(Shared { folder, provenance }) = shared::find(reference).map_err(could_not)? else {
        return Err(format!("no project of yours has released {reference}").into());
    };
    let module = Stored {
        reference: reference.clone(),
        folder,
    };
    let seal = store::sha256_hex(&module.read(SEAL)?);
    let broken = module.broken()?;
    if seal != provenance.seal || !broken.is_empty() {
        return Err(format!("the seal of {reference} is broken: {}", broken.join(", ")).into());
    }
    Ok((module, provenance))
}

/// Is it there, and is it what was sealed?
pub(super) fn check(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let sought = Sought::deserialize(with).map_err(could_not)?;
    let config = given.context.project.config().map_err(could_not)?;
    if !index_place::shares(&config) {
        let why = "`index.share` keeps this project to itself";
        return Err(why.to_owned().into());
    }
    let (module, provenance) = found(&sought.module)?;
    let (contract, evidence) = (module.contract()?, module.evidence()?);
    let planned = IoContract::deserialize(&provenance.contract);
    let planned =
        planned.map_err(|_| format!("the contract of {} cannot be read", sought.module))?;
    let fingerprint = contract.fingerprint();
    let surface = from_plan::surface(&planned);
    let same = ::factory::contract::compare(surface.surface(), contract.surface());
    if evidence.verification.interface_fingerprint != fingerprint || same.is_err() {
        let why = format!("the fingerprint of {} is not {fingerprint}", sought.module);
        return Err(why.into());
    }
    let home = given.context.project.home();
    for used in &provenance.depends_on {
        let here = Stored::at(&home, used).contract();
        let there = found(used)?.0.contract()?;
        if !here.is_ok_and(|here| here.fingerprint() == there.fingerprint()) {
            let why = format!("it uses {used}, which is not here: bring that in first");
            return Err(why.into());
        }
    }
    let kept = serde_json::to_vec(&provenance).map_err(could_not)?;
    let name = format!("provenance of {}", sought.module);
    let kept = given.context.vault.put(&name, &kept).map_err(could_not)?;
    let found = Found {
        contract: planned,
        depends_on: provenance.depends_on,
        from: format!(
            "{}, {}, {}",
            provenance.spec, provenance.release, provenance.ship
        ),
    };
    Ok(Held {
        reason: serde_json::to_string(&found).map_err(could_not)?,
        evidence: vec![kept],
        ran: None,
    })
}

/// Its files, as they are shipped here: the contract is written anew as it is locked.
pub(super) fn files(reference: &ModuleRef) -> Result<BTreeMap<String, String>, Broke> {
    let (module, _) = found(reference)?;
    let mut files = BTreeMap::new();
    for folder in ["implementation", "tests"] {
        let texts = module.texts(folder)?.into_iter();
        files.extend(texts.map(|(path, text)| (format!("{folder}/{path}"), text)));
    }
    files.remove(LOG);
    let examples = String::from_utf8(module.read(EXAMPLES)?).map_err(could_not)?;
    files.insert(EXAMPLES.to_owned(), examples);
    Ok(files)
}
