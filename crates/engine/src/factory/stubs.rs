//! The last proof of a suite: it fails when there is nothing to test. The module is laid out once
//! more, with stubs of the same surface in the place of its functions, and every test that a minimum
//! of rule F5.4 rests on must fail. One that passes proves nothing, and is named.
//!
//! Stubs that do not build are our fault, not the module's: then nothing was proven either way. Only
//! a constant that a public `const fn` computes is the module's to mend.

use super::found::{Broke, Held, could_not};
use super::modules::Stored;
use super::suite::{self, Expect};
use super::surface;
use super::{constants, scratch};
use ::factory::contract::coverage;
use kernel::effect::GateOrder;
use kernel::outcome::Verdict;
use languages::Language;
use languages::asked::Said;
use languages::runners::{FaultKind, Status, TestResult};
use languages::rust::{STUB, stubbed};
use sandbox::Cancel;
use workspace::context::Context;

/// Runs the suite against stubs.
pub(super) fn run(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    cancel: &Cancel,
) -> Result<Held, Broke> {
    let contract = module.contract()?;
    module.as_tested()?;
    let laid = surface::lay_out(context, order, module)?;
    let tested = module.tested()?;
    laid.is_of(&tested)?;
    let runner = tested.runner;
    match laid.language {
        Language::Rust => {
            let files = module.texts("implementation")?;
            for (name, text) in stubbed(&files)? {
                let path = laid.top.join("implementation").join(name);
                scratch::write(&path, text.as_bytes()).map_err(could_not)?;
            }
        }
        Language::Python | Language::JavaScript => {
            match surface::script(context, order, &laid, "stub", cancel)? {
                Said::Stubbed { .. } => {}
                other => return Err(could_not(format!("no stubs were made: {other:?}"))),
            }
        }
    }
    let (result, run) = suite::run(context, order, &laid, &runner, Expect::Red, cancel)?;
    let broke = |verdict, reason: String| Broke::by(&result, verdict, reason);
    let fault = |kind| run.faults.iter().find(|fault| fault.kind == kind);
    if result.verdict == Verdict::CouldNotRun {
        return Err(broke(Verdict::CouldNotRun, result.reason.clone()));
    }
    if let Some(fault) = fault(FaultKind::NotBuilt) {
        // A constant ran a stub while it was built, which no stub can be kept from.
        if fault.what.contains(STUB) {
            let reason = format!(
                "a constant is computed by a public `const fn`, so nothing can be built without it; let the constant use a private function: {}",
                fault.what
            );
            return Err(broke(Verdict::Fail, reason));
        }
        let reason = format!(
            "with stubs in it the module does not build, which is our fault; please report: {}",
            fault.what
        );
        return Err(broke(Verdict::CouldNotRun, reason));
    }
    let names = |tests: Vec<&TestResult>| -> Vec<String> {
        tests.iter().map(|test| test.name.clone()).collect()
    };
    let passed = names(run.with(Status::Passed).collect());
    let passed = coverage::covering(contract.surface(), passed.iter().map(String::as_str));
    if !passed.is_empty() {
        let reason = format!(
            "these tests pass without an implementation and prove nothing: {}",
            passed.join(", ")
        );
        return Err(broke(Verdict::Fail, reason));
    }
    let failed = names(run.with(Status::Failed).collect());
    let silent = coverage::missing(contract.surface(), failed.iter().map(String::as_str));
    if result.verdict != Verdict::Pass || !silent.is_empty() {
        let keys: Vec<&str> = silent.iter().map(|one| one.key.as_str()).collect();
        let reason = format!(
            "against stubs the suite does not fail test by test ({}): {}",
            result.reason,
            keys.join(", ")
        );
        return Err(broke(Verdict::Fail, reason));
    }
    let held = Held {
        reason: format!("{} tests fail without the implementation", failed.len()),
        evidence: result.evidence,
        ran: result.ran.map(Box::new),
    };
    constants::run(context, order, module, held, cancel)
}
