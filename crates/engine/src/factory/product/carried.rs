//! What the approval of a spec carries: the tasks that follow from its very bytes and, of a further version,
//! what becomes of those that are released. The audit makes it again.

use super::super::start::declared;
use ::factory::delivery::promised::Promised;
use ::factory::machine::Factory;
use ::factory::plan::further::further;
use ::factory::plan::{Known, NoPlan};
use ::factory::product::Product;
use ::factory::project::TaskGraph;
use ::factory::spec::ProductSpec;
use serde_json::{Value, json};
use workspace::error::EngineError;
use workspace::project::Project;

/// Why nothing of a spec can be approved.
#[derive(Debug, thiserror::Error)]
pub enum NoApproval {
    #[error("the spec has {0} errors")]
    Errors(usize),
    #[error("{0}")]
    Plan(String),
}

/// The project that a further version of a spec is of.
#[derive(Debug, Clone)]
pub struct Stands {
    /// Its tasks.
    pub graph: TaskGraph,
    /// Its spec, as people left it.
    pub released: ProductSpec,
}

/// What an approval of these bytes carries: the three passes over them, and what becomes of the tasks that are
/// released. The audit makes it again.
pub fn approval_of(bytes: &[u8], stands: Option<&Stands>) -> Result<Value, NoApproval> {
    let (spec, _) =
        ::factory::spec::read(bytes).map_err(|report| NoApproval::Errors(report.errors.len()))?;
    let tasks = stands.iter().flat_map(|one| one.graph.iter());
    let known = Known::of(tasks.map(|task| &task.declared));
    let plan = ::factory::plan::plan(&spec, &known).map_err(|NoPlan(problems)| {
        let what = problems.first().map_or("no plan", |first| &first.what);
        NoApproval::Plan(what.to_owned())
    })?;
    let mut approval = json!({
        "spec": store::sha256_hex(bytes),
        "spec_id": spec.spec_id,
        "spec_version": spec.spec_version.to_string(),
        "tasks": declared(&spec, &plan),
    });
    if let Some(promised) = Promised::of(&spec, &plan) {
        approval["product"] = json!(promised);
    }
    if let Some(Stands { graph, released }) = stands {
        approval["further"] = json!(further(graph, released, &spec, &plan));
    }
    Ok(approval)
}

/// What a spec is a further version of, if it is one.
pub(super) fn stands(
    project: &Project,
    machine: &Factory,
    product: &Product,
) -> Result<Option<Stands>, EngineError> {
    let Some(kept) = &product.began.released else {
        return Ok(None);
    };
    let bytes = project.vault()?.get(&kept.hash)?;
    let released = serde_json::from_slice(&bytes).map_err(|error| {
        let what = format!("the released spec {} cannot be read: {error}", kept.hash);
        EngineError::user("spec_invalid", what, "restore it from a commit")
    })?;
    Ok(Some(Stands {
        graph: machine.tasks().clone(),
        released,
    }))
}
