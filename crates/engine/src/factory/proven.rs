//! What a ship leaves for whoever doubts it later: seal and evidence by their hashes in the journal.
//! With them a shipped module can be held against the moment when its tests had passed, on any
//! machine; a seal that was forged together with its files is found as well.

use super::found::{Broke, could_not};
use super::indexed::is_ours;
use super::modules::{SEAL, SHIP, Stored};
use crate::perform::InVault;
use ::factory::machine::Factory;
use checks::Keep;
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use std::collections::BTreeMap;
use workspace::context::Context;
use workspace::project::Project;

/// The files whose hashes vouch for all others.
const VOUCHING: [&str; 2] = [SEAL, SHIP];

fn name(file: &str, module: &str) -> String {
    format!("{file} of {module}")
}

/// Keeps seal and evidence with the run.
pub(super) fn keep(context: &Context, module: &Stored) -> Result<Vec<EvidenceRef>, Broke> {
    let mut kept = Vec::new();
    for file in VOUCHING {
        let bytes = module.read(file).map_err(could_not)?;
        let name = name(file, &module.reference.to_string());
        let one = InVault(context).keep_exact(&name, &bytes);
        kept.push(one.map_err(could_not)?);
    }
    Ok(kept)
}

/// The hashes that the journal has of what was shipped, by the names above.
#[derive(Debug, Default)]
pub struct Vouched {
    hashes: BTreeMap<String, String>,
}

impl Vouched {
    /// Takes in what a gate has kept.
    pub fn take(&mut self, results: &[CheckResult]) {
        let held = results
            .iter()
            .filter(|result| result.check == "ship_record" && result.verdict == Verdict::Pass);
        for kept in held.flat_map(|result| &result.evidence) {
            self.hashes.insert(kept.name.clone(), kept.hash.clone());
        }
    }

    /// What of the shipped modules is not as it was shipped: a code, and a sentence.
    pub fn faults(&self, project: &Project, machine: &Factory) -> Vec<(&'static str, String)> {
        let ours = machine.registry().iter().filter(|entry| is_ours(entry));
        let mut found = Vec::new();
        for entry in ours {
            let module = Stored::at(&project.home(), &entry.reference);
            found.extend(self.broken(&module));
            found.extend(contradictions(&module, &entry.ship_ref));
        }
        found
    }

    fn broken(&self, module: &Stored) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let reference = module.reference.to_string();
        for file in VOUCHING {
            let vouched = self.hashes.get(&name(file, &reference));
            match (vouched, module.read(file)) {
                (_, Err(why)) => found.push(("seal_broken", why.to_string())),
                (None, Ok(_)) => found.push((
                    "seal_broken",
                    format!("no ship in the journal vouches for {file} of {reference}"),
                )),
                (Some(hash), Ok(bytes)) if *hash != store::sha256_hex(&bytes) => found.push((
                    "seal_broken",
                    format!("{file} of {reference} is not what the ship wrote"),
                )),
                (Some(_), Ok(_)) => {}
            }
        }
        match module.broken() {
            Err(why) => found.push(("seal_broken", why.to_string())),
            Ok(files) => found.extend(files.into_iter().map(|file| {
                let what = format!("{file} of {reference} is not what was tested and sealed");
                ("seal_broken", what)
            })),
        }
        found
    }
}

/// Contract, evidence and log must say the same (rules F11.2 and F11.3).
fn contradictions(module: &Stored, ship_ref: &str) -> Vec<(&'static str, String)> {
    let (contract, evidence, log) = (module.contract(), module.evidence(), module.log());
    let mut found: Vec<String> = Vec::new();
    let reference = &module.reference;
    if let (Ok(contract), Ok(evidence)) = (&contract, &evidence) {
        let (now, then) = (
            contract.fingerprint(),
            &evidence.verification.interface_fingerprint,
        );
        if now != *then {
            found.push(format!(
                "contract.json of {reference} has the fingerprint {now}, and ship.json says {then}"
            ));
        }
        if evidence.ship_id != ship_ref {
            found.push(format!(
                "ship.json of {reference} is of {}, and the journal says {ship_ref}",
                evidence.ship_id
            ));
        }
    }
    if log.as_ref().is_ok_and(|log| log.blocks_ship()) {
        found.push(format!("the execution log of {reference} has failures"));
    }
    found.extend(contract.err().map(|why| why.to_string()));
    found.extend(evidence.err().map(|why| why.to_string()));
    found.extend(log.err().map(|why| why.to_string()));
    let found = found.into_iter();
    found.map(|what| ("contract_differs", what)).collect()
}
