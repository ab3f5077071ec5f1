//! The steps of a ship (section 11), each a gate of its own: amendments, fingerprint, surface, tests,
//! stubs, record.
//! Repeated after a crash, a step finds what it has done before and does the same again.

use super::debated::Deliverable;
use super::found::{Broke, Held, could_not};
use super::modules::{self, CONTRACT, ESCALATION, EXAMPLES, LOG, SHIP, Stored};
use super::{
    amended, debated, fix, product, proven, release, scratch, stubs, superseding, surface, tested,
};
use crate::perform::{self, lost, save};
use ::factory::contract::{
    MicroModuleContract, MismatchArtifact, compare, from_plan, judge_bump, required_bump,
};
use ::factory::debate::Amendment;
use ::factory::micro_plan::IoContract;
use ::factory::project::{ModuleRef, mint};
use ::factory::ship::{Environment, Outcome, ShipEvidence, Verification};
use index::{AppendOnlyCodeIndex, CodeIndexEntry, Create, IoSummary};
use kernel::What;
use kernel::effect::GateOrder;
use kernel::input::Found;
use kernel::outcome::{CheckResult, Verdict};
use sandbox::Cancel;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use workspace::context::Context;
use workspace::{index_place, worktree};

/// What a step is told, as the machine orders it.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    module: ModuleRef,
    #[serde(default)]
    contract: Option<IoContract>,
    #[serde(default)]
    amendments: Vec<Amendment>,
    /// The contract's document, as it was locked.
    #[serde(default)]
    locked: Option<Value>,
    /// A person's files that no attempt has taken up.
    #[serde(default)]
    fix: Option<BTreeMap<String, String>>,
    /// What was debated before amendments were applied to it.
    #[serde(default)]
    before: Deliverable,
    #[serde(default)]
    supersedes: Option<ModuleRef>,
}

/// Runs a gate of the factory, and has its answer on disk before it gives it.
pub(super) fn gate(
    context: &Context,
    order: &GateOrder,
    cancel: &Cancel,
    progress: &dyn Fn(&str),
) -> What {
    let mut results = Vec::new();
    for spec in &order.checks {
        progress(&spec.check);
        let found = match spec.check.as_str() {
            "dependency_check" | "fingerprint_check" | "deprecation_check" | "code_index_check" => {
                release::check(context, &spec.check, &spec.with)
            }
            ::factory::product::CHECK => product::judge(context, &spec.with),
            name => step(context, order, name, &spec.with, cancel),
        };
        results.push(answer(&spec.check, found, &|text| {
            context.secrets.text(text)
        }));
    }
    if cancel.is_cancelled() {
        return lost(order.id, "it was cancelled", kernel::Usage::default());
    }
    if let Err(error) = save(&context.home(order.id), perform::GATE_ANSWER, &results) {
        let reason = error.to_string();
        results.push(CheckResult::new("engine", Verdict::CouldNotRun, reason));
    }
    What::GateEnded {
        effect: order.id,
        results,
        found: Found::Live,
    }
}

/// The answer of a step, as it is stored.
fn answer(check: &str, found: Result<Held, Broke>, clean: &dyn Fn(&str) -> String) -> CheckResult {
    let (verdict, reason, evidence, ran, code) = match found {
        Ok(held) => (Verdict::Pass, held.reason, held.evidence, held.ran, None),
        Err(broke) => (
            broke.verdict,
            broke.reason,
            broke.evidence,
            broke.ran,
            broke.code,
        ),
    };
    let mut result = CheckResult::new(check, verdict, clean(&reason));
    result.evidence = evidence;
    result.code = code;
    result.ran = ran.map(|ran| {
        let mut ran = *ran;
        let texts = ran.argv.iter_mut().chain(&mut ran.denied);
        texts.for_each(|text| *text = clean(text));
        ran.unrecorded = ran.unrecorded.as_deref().map(clean);
        ran
    });
    result
}

fn step(
    context: &Context,
    order: &GateOrder,
    name: &str,
    with: &serde_json::Value,
    cancel: &Cancel,
) -> Result<Held, Broke> {
    let told: Told = serde_json::from_value(with.clone()).map_err(could_not)?;
    let module = Stored::at(&context.project.home(), &told.module);
    let locked = told.locked.as_ref().map(modules::pretty).transpose();
    let locked = locked.map_err(could_not)?;
    let deliverable = Deliverable {
        attempt: order.attempt,
        fix: told.fix,
        locked: locked.clone(),
    };
    match name {
        "amendments_applied" => {
            let before = Deliverable {
                locked,
                ..told.before
            };
            amended::check(context, &module, &told.amendments, &before, &deliverable)
        }
        "interface_fingerprint" => {
            if let Some(files) = &deliverable.fix {
                fix::write(context, &module, files, deliverable.locked.as_deref())?;
            }
            let locked = fingerprint(&module, told.contract.as_ref())?;
            let people = deliverable.fix.as_ref();
            if !people.is_some_and(|files| files.contains_key(CONTRACT)) {
                purpose(&module, told.locked.as_ref(), &told.amendments)?;
            }
            let version = version(context, &module)?;
            Ok(Held::from(format!("{locked}; {version}")))
        }
        "public_surface" => {
            debated::check(context, &module, &deliverable)?;
            surface::check(context, order, &module, cancel)
        }
        "black_box_tests" => {
            let debated = debated::check(context, &module, &deliverable)?;
            tested::run(context, order, &module, &debated, cancel)
        }
        "tests_fail_on_stubs" => {
            let found = stubs::run(context, order, &module, cancel);
            if matches!(&found, Err(broke) if broke.verdict == Verdict::Fail) {
                module.unmark();
            }
            found
        }
        "ship_record" => {
            let reason = record(context, &module)?;
            if let Some(old) = &told.supersedes {
                superseding::mark(context, old, &told.module)?;
            }
            let evidence = proven::keep(context, &module)?;
            Ok(Held {
                reason,
                evidence,
                ran: None,
            })
        }
        other => Err(could_not(format!("the engine has no check `{other}`"))),
    }
}

fn fingerprint(module: &Stored, locked: Option<&IoContract>) -> Result<String, Broke> {
    let contract = module.contract()?;
    let Some(locked) = locked else {
        let own = contract.fingerprint();
        return Ok(format!("a person's plan locks no contract; it is {own}"));
    };
    let locked = from_plan::surface(locked);
    match compare(locked.surface(), contract.surface()) {
        Ok(fingerprint) => {
            let _ = std::fs::remove_file(module.folder.join(ESCALATION));
            Ok(format!("{fingerprint}, as it was locked"))
        }
        Err(mismatch) => {
            let artifact = MismatchArtifact {
                module_id: contract.module_id.clone(),
                module_version: contract.module_version,
                mismatch: mismatch.clone(),
            };
            module.write(ESCALATION, &artifact).map_err(could_not)?;
            let names: Vec<&str> = mismatch
                .dimensions
                .iter()
                .map(|one| one.dimension.as_str())
                .collect();
            Err(format!("{mismatch} ({})", names.join(", ")).into())
        }
    }
}

/// The purpose is the plan's: others find a module by it and plan to reuse it, and nobody in a debate
/// could tell that the plan said something else. Only an Arbiter may amend it.
fn purpose(module: &Stored, locked: Option<&Value>, amended: &[Amendment]) -> Result<(), Broke> {
    let about = |one: &Amendment| one.target.contains(CONTRACT) || one.target.contains("purpose");
    let Some(planned) = locked.and_then(|locked| locked["purpose"].as_str()) else {
        return Ok(());
    };
    let said = module.contract()?.purpose;
    if said == planned || amended.iter().any(about) {
        return Ok(());
    }
    Err(format!(
        "{CONTRACT} says that the module is for {said:?}, and the plan that it is for {planned:?}; others find it by that, so leave it as it was locked"
    )
    .into())
}

/// Does its version follow from the one that is shipped (section 7)?
fn version(context: &Context, module: &Stored) -> Result<String, Broke> {
    let root = context.project.home();
    let earlier = scratch::shipped(&root, module.reference.module.as_str());
    let before = earlier.iter().rfind(|one| **one < module.reference);
    let Some(before) = before else {
        return Ok("no version is shipped before it".to_owned());
    };
    let (old, new) = (Stored::at(&root, before).contract()?, module.contract()?);
    let required = required_bump(old.surface(), new.surface());
    judge_bump(old.module_version, new.module_version, required)?;
    Ok(format!("it follows {before}"))
}

/// Evidence, seal and index entry, in this order: whoever finds the entry finds all of it.
fn record(context: &Context, module: &Stored) -> Result<String, Broke> {
    let contract = module.contract()?;
    module.as_tested()?;
    let ship_id = mint("SHIP", &context.run, &module.reference.to_string());
    if !module.has(SHIP) {
        let evidence = evidence(context, &contract, &ship_id, module.tested()?.runner)?;
        module.write(SHIP, &evidence).map_err(could_not)?;
    }
    let known = module.evidence()?;
    if known.ship_id != ship_id
        || known.verification.interface_fingerprint != contract.fingerprint()
    {
        return Err(format!("{SHIP} of {} is not that of this ship", module.reference).into());
    }
    module.seal()?;
    enter(context, &contract, &module.reference)?;
    Ok(format!(
        "{ship_id}: {} is sealed and in the Code Index",
        module.reference
    ))
}

fn evidence(
    context: &Context,
    contract: &MicroModuleContract,
    ship_id: &str,
    runner_id: String,
) -> Result<ShipEvidence, Broke> {
    let revision = worktree::resolve(context.project.top(), "HEAD").map_err(could_not)?;
    let uses: Vec<&str> = contract
        .dependencies
        .iter()
        .map(|one| one.reference.as_str())
        .collect();
    let uses = store::sha256_hex(uses.join("\n").as_bytes());
    let module = &contract.module_id;
    let version = contract.module_version;
    Ok(ShipEvidence {
        module_id: module.clone(),
        module_version: version,
        ship_id: ship_id.to_owned(),
        verified_at: workspace::clock::now().to_string(),
        verification: Verification {
            result: Outcome::Pass,
            interface_fingerprint: contract.fingerprint(),
            evidence_ref: format!("state_store/modules/{module}/{version}/{LOG}"),
        },
        environment: Environment {
            repo_revision: revision.unwrap_or_else(|| "no commit yet".to_owned()),
            dependency_lock_ref: format!("sha256:{uses}"),
            runner_id,
        },
    })
}

/// Tells the Code Index, once.
fn enter(
    context: &Context,
    contract: &MicroModuleContract,
    reference: &ModuleRef,
) -> Result<(), Broke> {
    let path = index_place::of_project(&context.project);
    let mut index = AppendOnlyCodeIndex::open(&path, Create::IfMissing).map_err(could_not)?;
    if index.get(reference).is_ok() {
        return Ok(());
    }
    let spec = index.embedder_spec().map_err(could_not)?;
    let config = context.project.config().map_err(could_not)?;
    let settings = index_place::settings(&config).map_err(could_not)?;
    let spec = spec.as_deref().unwrap_or("built-in");
    let embedder = index::embed::open(spec, &settings).map_err(could_not)?;
    let folder = ::factory::engineering::context::module_folder(reference);
    let modes = [
        ("sync", contract.modes.sync),
        ("async", contract.modes.async_),
    ];
    let modes = modes.iter().filter(|(_, has)| *has);
    let entry = CodeIndexEntry {
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
    };
    index
        .add(&[entry], &*embedder, workspace::clock::now())
        .map_err(could_not)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::outcome::{Ran, UNHELD};

    #[test]
    fn what_a_step_ran_and_was_refused_is_stored_and_cleaned() {
        let ran = Ran {
            argv: vec!["run".to_owned(), "KEY".to_owned()],
            exit: Some(1),
            killed: None,
            tree: "t".to_owned(),
            output: "o".to_owned(),
            millis: 7,
            denied: vec!["192.0.2.1:443".to_owned(), "KEY.example:443".to_owned()],
            unrecorded: Some("because of KEY".to_owned()),
        };
        let mut told = CheckResult::new("tests", Verdict::CouldNotRun, "no");
        told.ran = Some(ran);
        told.code = Some(UNHELD.to_owned());
        let broke = Broke::by(&told, Verdict::CouldNotRun, "no KEY".to_owned());
        let clean = |text: &str| text.replace("KEY", "***");
        let stored = answer("ship_tested", Err(broke), &clean);
        assert!(stored.is_unheld(), "{stored:?}");
        let text = serde_json::to_string(&stored).unwrap();
        assert!(!text.contains("KEY"), "{text}");
        let ran = stored.ran.unwrap();
        assert_eq!(ran.denied, ["192.0.2.1:443", "***.example:443"]);
        assert_eq!(ran.unrecorded.as_deref(), Some("because of ***"));
        assert_eq!((ran.exit, ran.millis), (Some(1), 7));
    }
}
