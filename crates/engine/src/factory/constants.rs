//! The proof after that of stubs: does the suite look at what comes back? The module is laid out with
//! one answer for every call, and a test that passes although its name promises to notice that answer
//! is named (`factory::contract::answers`).
//!
//! Where no constant can be written for the entry's types, nothing is claimed, and the reason says so.

use super::found::{Broke, Held, could_not};
use super::modules::Stored;
use super::scratch;
use super::suite::{self, Answered, Expect};
use super::surface;
use ::factory::contract::answers::{Constant, blind};
use kernel::effect::GateOrder;
use kernel::outcome::Verdict;
use languages::asked::Said;
use languages::runners::Status;
use languages::rust::constants;
use languages::{Language, entry_points};
use sandbox::Cancel;
use std::collections::{BTreeMap, BTreeSet};
use workspace::context::Context;

/// Adds to what stubs have shown what constants show.
pub(super) fn run(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    stubs: Held,
    cancel: &Cancel,
) -> Result<Held, Broke> {
    let contract = module.contract()?;
    let language = scratch::language(module)?;
    let ran = match language {
        Language::Rust => in_rust(context, order, module, cancel)?,
        Language::Python | Language::JavaScript => {
            Some(by_script(context, order, module, language, cancel)?)
        }
    };
    let mut held = stubs;
    let Some((runs, kept)) = ran else {
        held.reason.push_str("; no constant answer can be written for its types, so whether they look at one is not known");
        return Ok(held);
    };
    held.evidence.extend(kept);
    let mut passed = BTreeMap::new();
    for (constant, run) in &runs {
        let names = run.with(Status::Passed).map(|test| test.name.clone());
        passed.insert(*constant, names.collect::<BTreeSet<String>>());
    }
    let blind = blind(contract.surface(), language, &passed);
    if blind.is_empty() {
        held.reason.push_str(", and notice constant answers");
        return Ok(held);
    }
    Err(Broke {
        verdict: Verdict::Fail,
        reason: format!(
            "these tests do not look at what the module answers; they pass with one that answers everything alike: {}",
            blind.join(", ")
        ),
        evidence: held.evidence,
        ran: held.ran,
        code: None,
    })
}

fn in_rust(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    cancel: &Cancel,
) -> Result<Option<Answered>, Broke> {
    let laid = surface::lay_out(context, order, module)?;
    laid.is_of(&module.tested()?)?;
    let code = surface::extract(context, order, module, &laid, cancel)?;
    let contract = module.contract()?;
    let entries = entry_points(contract.surface(), &code.surface);
    let mut used = Vec::new();
    for one in laid.uses.values() {
        used.push(one.texts("implementation")?);
    }
    let Some(files) = constants(&module.texts("implementation")?, &used, &entries) else {
        return Ok(None);
    };
    for (name, text) in files {
        let path = laid.top.join("implementation").join(name);
        scratch::write(&path, text.as_bytes()).map_err(could_not)?;
    }
    suite::with_constants(context, order, &laid, cancel)
}

fn by_script(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    language: Language,
    cancel: &Cancel,
) -> Result<Answered, Broke> {
    let (mut runs, mut kept) = (BTreeMap::new(), Vec::new());
    let tested = module.tested()?;
    for constant in Constant::of(language) {
        let laid = surface::lay_out(context, order, module)?;
        laid.is_of(&tested)?;
        match surface::script(context, order, &laid, constant.as_str(), cancel)? {
            Said::Stubbed { .. } => {}
            other => return Err(could_not(format!("no constants were made: {other:?}"))),
        }
        let (result, run) = suite::run(context, order, &laid, &tested.runner, Expect::Red, cancel)?;
        if result.verdict == Verdict::CouldNotRun {
            return Err(Broke::by(
                &result,
                Verdict::CouldNotRun,
                result.reason.clone(),
            ));
        }
        kept.extend(result.evidence);
        runs.insert(constant, run);
    }
    Ok((runs, kept))
}
