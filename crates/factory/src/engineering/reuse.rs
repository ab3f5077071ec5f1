//! Whether what a plan reuses can be reused (sections 10.1 and 14.3): it is shipped, its contract does
//! what the plan needs, and its version is one that the rest of the plan can stand on. A task is never
//! called done by a module that does something else.

use super::plan::{IoContract, Plan, PlanFault, PlanModule, ReuseDecision};
use crate::contract::fit::misfits;
use crate::contract::from_plan::surface;
use crate::project::types::ModuleRef;

/// What a project has under a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    /// Nothing that is shipped and in use.
    Nothing,
    /// A module whose contract no plan has locked: nobody can tell whether it fits.
    Unlocked,
    /// A module with this contract.
    Module(IoContract),
}

/// The plan as it is, or everything that keeps it from reusing what it names.
pub fn reusable(
    plan: Plan,
    offered: impl Fn(&ModuleRef) -> Offered,
) -> Result<Plan, Vec<PlanFault>> {
    let mut faults = Vec::new();
    for (at, module) in plan.modules.iter().enumerate() {
        let reuses = module.reuse_decision == ReuseDecision::Reuse;
        let Some(candidate) = module.reuse_candidate_refs.first().filter(|_| reuses) else {
            continue;
        };
        contract(at, module, candidate, &offered(candidate), &mut faults);
        versions(&plan, module, candidate, &mut faults);
    }
    if faults.is_empty() {
        Ok(plan)
    } else {
        Err(faults)
    }
}

fn contract(
    at: usize,
    module: &PlanModule,
    candidate: &ModuleRef,
    offered: &Offered,
    faults: &mut Vec<PlanFault>,
) {
    let of_candidate = format!("modules[{at}].reuse_candidate_refs[0]");
    match (offered, &module.io_contract) {
        (Offered::Nothing, _) => faults.push(PlanFault {
            code: "reuse_not_shipped".to_owned(),
            path: of_candidate,
            message: format!("{candidate} is not shipped here, so it can not be reused"),
        }),
        (Offered::Unlocked, _) => faults.push(PlanFault {
            code: "reuse_contract_unknown".to_owned(),
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
                    code: "reuse_contract_differs".to_owned(),
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
fn versions(plan: &Plan, module: &PlanModule, candidate: &ModuleRef, faults: &mut Vec<PlanFault>) {
    if module.module_id != candidate.module {
        return;
    }
    for (at, user) in plan.modules.iter().enumerate() {
        for (nth, on) in user.depends_on.iter().enumerate() {
            let fits =
                on.version.major == candidate.version.major && on.version <= candidate.version;
            if on.module == candidate.module && !fits {
                faults.push(PlanFault {
                    code: "reuse_version_differs".to_owned(),
                    path: format!("modules[{at}].depends_on[{nth}]"),
                    message: format!("{on} is named, and {candidate} is reused"),
                });
            }
        }
    }
}
