//! Whether what a plan reuses can be reused (rules F10.1 and F14.3): it is shipped, its contract does
//! what the plan says it needs, and its version is one that the rest of the plan can stand on. A need
//! that a module was refused for stays what it was: the planner may make the module instead, and may
//! not bend the need until the candidate fits.
//!
//! It does not say that a first need is the task's: that is what `asked` holds it to.

use super::step::Found;
use crate::contract::from_plan::surface;
use crate::micro_plan::{IoContract, Misplan, Plan, PlanFault, PlannedModule, ReuseDecision};
use crate::project::types::{ModuleId, ModuleRef};
use languages::fit::misfits;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a project has under a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    /// Nothing that is shipped and in use.
    Nothing,
    /// Nothing here, and nobody here has the name: another project may have it.
    Elsewhere,
    /// It was shipped, and is not for use any more; what is in use in its place.
    Outdated(Option<ModuleRef>),
    /// A module whose contract no plan has locked: nobody can tell whether it fits.
    Unlocked,
    /// A module with this contract.
    Module(IoContract),
}

/// A need that a candidate was refused for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmet {
    /// Which module of the plan.
    pub module: ModuleId,
    /// What it would have reused.
    pub candidate: ModuleRef,
    pub need: IoContract,
}

/// What a module reuses, if it does.
pub(crate) fn candidate(module: &PlannedModule) -> Option<&ModuleRef> {
    let reuses = module.reuse_decision == ReuseDecision::Reuse;
    module.reuse_candidate_refs.first().filter(|_| reuses)
}

/// The needs that a refused plan could not meet, so that the next plan is held to them.
pub fn unmet(refused: &Value, faults: &[PlanFault]) -> Vec<Unmet> {
    let modules = refused["modules"].as_array();
    let modules = modules.into_iter().flatten().enumerate();
    let found = modules.filter_map(|(at, module)| {
        let place = format!("modules[{at}].");
        let mut here = faults.iter();
        here.find(|one| {
            one.code == Some(Misplan::ContractDiffers) && one.path.starts_with(&place)
        })?;
        let module = PlannedModule::deserialize(module).ok()?;
        Some(Unmet {
            candidate: candidate(&module)?.clone(),
            module: module.module_id,
            need: module.io_contract?,
        })
    });
    found.collect()
}

/// In words, with what to take instead.
pub(crate) fn outdated(reference: &ModuleRef, now: Option<&ModuleRef>) -> String {
    let instead = now.map_or_else(
        || "nothing takes its place".to_owned(),
        |now| format!("{now} is in use now"),
    );
    format!("{reference} is not for use any more; {instead}")
}

/// What keeps a module of another project from being the one that a plan needs.
pub(crate) fn unfit(at: usize, module: &PlannedModule, found: &Found) -> Vec<PlanFault> {
    let Some(candidate) = candidate(module) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    let offered = Offered::Module(found.contract.clone());
    contract(at, module, candidate, &offered, &mut faults);
    faults
}

/// Everything that keeps a plan from reusing what it names.
pub(crate) fn misreused(
    plan: &Plan,
    before: &[Unmet],
    offered: &dyn Fn(&ModuleRef) -> Offered,
) -> Vec<PlanFault> {
    let mut faults = Vec::new();
    for (at, module) in plan.modules.iter().enumerate() {
        let Some(candidate) = candidate(module) else {
            continue;
        };
        bent(at, module, candidate, before, &mut faults);
        contract(at, module, candidate, &offered(candidate), &mut faults);
        versions(plan, module, candidate, &mut faults);
    }
    faults
}

/// A need that changed after its refusal, under the same name or towards the same candidate.
fn bent(
    at: usize,
    module: &PlannedModule,
    candidate: &ModuleRef,
    before: &[Unmet],
    faults: &mut Vec<PlanFault>,
) {
    let mut of_this = before
        .iter()
        .filter(|one| one.module == module.module_id || one.candidate == *candidate);
    let Some(need) = &module.io_contract else {
        return;
    };
    if let Some(unmet) = of_this.find(|one| surface(&one.need) != surface(need)) {
        faults.push(PlanFault {
            code: Some(Misplan::NeedChanged),
            path: format!("modules[{at}].io_contract"),
            message: format!(
                "{} was refused for another need of {}; the need stays as it was: make the module \
                 (CREATE_NEW), or reuse one that fits that need",
                unmet.candidate, unmet.module
            ),
        });
    }
}

fn contract(
    at: usize,
    module: &PlannedModule,
    candidate: &ModuleRef,
    offered: &Offered,
    faults: &mut Vec<PlanFault>,
) {
    let of_candidate = format!("modules[{at}].reuse_candidate_refs[0]");
    match (offered, &module.io_contract) {
        (Offered::Nothing, _) => faults.push(PlanFault {
            code: Some(Misplan::NotShipped),
            path: of_candidate,
            message: format!("{candidate} is not shipped here, so it cannot be reused"),
        }),
        // The engine looks for it when its turn comes.
        (Offered::Elsewhere, _) => {}
        (Offered::Outdated(now), _) => faults.push(PlanFault {
            code: Some(Misplan::NotShipped),
            path: of_candidate,
            message: outdated(candidate, now.as_ref()),
        }),
        (Offered::Unlocked, _) => faults.push(PlanFault {
            code: Some(Misplan::ContractUnknown),
            path: of_candidate,
            message: format!(
                "no plan has locked the contract of {candidate}, so nobody can tell whether it \
                 fits; make the module, or depend on {candidate}"
            ),
        }),
        (Offered::Module(shipped), Some(needed)) => {
            let (needed, shipped) = (surface(needed), surface(shipped));
            for misfit in misfits(needed.surface(), shipped.surface()) {
                faults.push(PlanFault {
                    code: Some(Misplan::ContractDiffers),
                    path: format!("modules[{at}].io_contract.{}", misfit.dimension),
                    message: format!("{candidate} does not fit: {}", misfit.what),
                });
            }
        }
        // A contract that is missing is a fault of its own.
        (Offered::Module(_), None) => {}
    }
}

/// Whoever in the plan depends on the reused module must be able to use that version: the same
/// first number, and none that is older.
fn versions(
    plan: &Plan,
    module: &PlannedModule,
    candidate: &ModuleRef,
    faults: &mut Vec<PlanFault>,
) {
    if module.module_id != candidate.module {
        return;
    }
    for (at, user) in plan.modules.iter().enumerate() {
        for (nth, on) in user.depends_on.iter().enumerate() {
            let fits =
                on.version.major == candidate.version.major && on.version <= candidate.version;
            if on.module == candidate.module && !fits {
                faults.push(PlanFault {
                    code: Some(Misplan::VersionDiffers),
                    path: format!("modules[{at}].depends_on[{nth}]"),
                    message: format!("{on} is named, and {candidate} is reused"),
                });
            }
        }
    }
}
