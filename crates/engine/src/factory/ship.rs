//! The steps of a ship (rule F11), each a check of the factory's gates: amendments, fingerprint,
//! surface, tests, stubs, record.
//! Repeated after a crash, a step finds what it has done before and does the same again.

use super::debated::Deliverable;
use super::found::{Broke, Given, Held, could_not};
use super::modules::{self, CONTRACT, ESCALATION, LOG, SHIP, Stored};
use super::{
    amended, debated, elsewhere, fix, indexed, proven, scratch, stubs, superseding, surface, tested,
};
use ::factory::contract::{
    MicroModuleContract, MismatchArtifact, compare, from_plan, judge_bump, required_bump,
};
use ::factory::debate::Amendment;
use ::factory::engineering::kind::Kind;
use ::factory::micro_plan::IoContract;
use ::factory::project::{ModuleRef, mint};
use ::factory::ship::{Environment, Outcome, ShipEvidence, Verification};
use ::factory::spec::Tongue;
use index::{AppendOnlyCodeIndex, Create};
use kernel::outcome::Verdict;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use workspace::context::Context;
use workspace::{index_place, worktree};

/// What a step is given, as the machine orders it.
#[derive(Debug, Deserialize)]
pub(super) struct ShipSettings {
    module: ModuleRef,
    #[serde(default)]
    contract: Option<IoContract>,
    /// What the plan says that it depends on; none: nobody planned this version.
    #[serde(default)]
    uses: Option<Vec<ModuleRef>>,
    #[serde(default)]
    amendments: Vec<Amendment>,
    /// What additions are held to; none in a project of before.
    #[serde(default)]
    additions: Option<amended::Additions>,
    /// The contract's document, as it was locked.
    #[serde(default)]
    locked: Option<Value>,
    /// A person's files that no attempt has taken up.
    #[serde(default)]
    fix: Option<BTreeMap<String, String>>,
    /// The module of another project that it is.
    #[serde(default)]
    elsewhere: Option<ModuleRef>,
    /// What was debated before amendments were applied to it.
    #[serde(default)]
    before: Deliverable,
    #[serde(default)]
    supersedes: Option<ModuleRef>,
    /// Whether it is the front of the product.
    #[serde(default)]
    assembly: bool,
    /// What the product is written in, where its spec says so.
    #[serde(default)]
    language: Option<Tongue>,
    /// What its code may use.
    #[serde(default)]
    dependencies: surface::Dependencies,
    /// How its exam stands; none in a project of before.
    #[serde(default)]
    exam: Option<Exam>,
}

/// What the exam of a module came to, as its evidence says it.
#[derive(Debug, Deserialize)]
struct Exam {
    #[serde(default)]
    said: String,
    #[serde(default)]
    unasked: Option<String>,
}

impl Exam {
    fn came_to(&self) -> String {
        match (self.said.as_str(), &self.unasked) {
            ("", Some(why)) => format!("reported: {why}"),
            ("", None) => "reported: it was not asked".to_owned(),
            (said, _) => said.to_owned(),
        }
    }
}

/// What a step works with.
pub(super) struct Step {
    settings: ShipSettings,
    pub(super) module: Stored,
    pub(super) deliverable: Deliverable,
}

impl Step {
    /// Reads what the machine ordered.
    pub(super) fn of(given: &Given<'_>, with: &Value) -> Result<Self, Broke> {
        let mut settings = ShipSettings::deserialize(with).map_err(could_not)?;
        let locked = settings.locked.as_ref().map(modules::pretty).transpose();
        if let Some(reference) = &settings.elsewhere {
            settings.fix = Some(elsewhere::files(reference)?);
        }
        Ok(Self {
            module: Stored::at(&given.context.project.home(), &settings.module),
            deliverable: Deliverable {
                attempt: given.order.attempt,
                fix: settings.fix.take(),
                locked: locked.map_err(could_not)?,
            },
            settings,
        })
    }
}

/// Every amendment is in the deliverable.
pub(super) fn amendments_applied(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let step = Step::of(given, with)?;
    let (settings, deliverable) = (step.settings, step.deliverable);
    let before = Deliverable {
        locked: deliverable.locked.clone(),
        ..settings.before
    };
    let turn = amended::Turn {
        asked: &settings.amendments,
        before: &before,
        after: &deliverable,
        additions: settings.additions,
    };
    amended::check(given, &step.module, &turn)
}

/// The contract is the locked one, and its version follows from the one before.
pub(super) fn interface_fingerprint(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let step = Step::of(given, with)?;
    let (settings, module) = (&step.settings, &step.module);
    let fixed = step.deliverable.fix.as_ref();
    if let Some(files) = fixed {
        let locked = step.deliverable.locked.as_deref();
        fix::write(given.context, module, files, locked)?;
    }
    let locked = fingerprint(module, settings.contract.as_ref())?;
    if !fixed.is_some_and(|files| files.contains_key(CONTRACT)) {
        purpose(module, settings.locked.as_ref(), &settings.amendments)?;
        dependencies(module, settings.uses.as_deref())?;
    }
    let version = version(given.context, module)?;
    Ok(Held::from(format!("{locked}; {version}")))
}

/// What the code makes public is what the contract declares.
pub(super) fn public_surface(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let step = Step::of(given, with)?;
    debated::check(given.context, &step.module, &step.deliverable)?;
    let kind = match step.settings.assembly {
        true => Kind::Assembly,
        false => Kind::Modules,
    };
    let wanted = step.settings.language.map(Tongue::language);
    let uses = step.settings.dependencies;
    surface::check(given, &step.module, kind, wanted, uses)
}

/// Every test passes, and there is one.
pub(super) fn black_box_tests(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let step = Step::of(given, with)?;
    let debated = debated::check(given.context, &step.module, &step.deliverable)?;
    tested::run(
        given.context,
        given.order,
        &step.module,
        &debated,
        given.cancel,
    )
}

/// The same tests fail when the code is replaced by stubs.
pub(super) fn tests_fail_on_stubs(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let module = Step::of(given, with)?.module;
    let found = stubs::run(given.context, given.order, &module, given.cancel);
    if matches!(&found, Err(broke) if broke.verdict == Verdict::Fail) {
        module.unmark();
    }
    found
}

/// Evidence written, implementation and tests sealed, Code Index told.
pub(super) fn ship_record(given: &Given<'_>, with: &Value) -> Result<Held, Broke> {
    let step = Step::of(given, with)?;
    surface::write_down(given, &step.module)?;
    let came_to = step.settings.exam.as_ref().map(Exam::came_to);
    let reason = record(given.context, &step.module, came_to)?;
    if let Some(old) = &step.settings.supersedes {
        superseding::mark(given.context, old, &step.settings.module)?;
    }
    let evidence = proven::keep(given.context, &step.module)?;
    Ok(Held {
        reason,
        evidence,
        ran: None,
    })
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

/// What a module may use is the plan's to say: it was judged there, and what is named here is laid out
/// beside it.
fn dependencies(module: &Stored, planned: Option<&[ModuleRef]>) -> Result<(), Broke> {
    let Some(planned) = planned else {
        return Ok(());
    };
    let names = planned.iter().map(ModuleRef::to_string);
    let planned: BTreeSet<String> = names.collect();
    let said = module.contract()?.dependencies.into_iter();
    let said: BTreeSet<String> = said.map(|one| one.reference).collect();
    let differing: Vec<&str> = said
        .symmetric_difference(&planned)
        .map(String::as_str)
        .collect();
    if differing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the dependencies in {CONTRACT} are not those of the plan: {}; leave them as they were locked",
        differing.join(", ")
    )
    .into())
}

/// Does its version follow from the one that is shipped (rule F7)?
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
fn record(context: &Context, module: &Stored, exam: Option<String>) -> Result<String, Broke> {
    let contract = module.contract()?;
    module.as_tested()?;
    let ship_id = mint("SHIP", &context.run, &module.reference.to_string());
    if !module.has(SHIP) {
        let mut evidence = evidence(context, &contract, &ship_id, module.tested()?.runner)?;
        evidence.verification.exam = exam;
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
            exam: None,
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
    let entry = indexed::entry(contract, reference);
    index
        .add(&[entry], &*embedder, workspace::clock::now())
        .map_err(could_not)
}
