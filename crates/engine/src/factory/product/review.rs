//! What a person reads before they decide: the page, the warnings, the sources, and the hash of the
//! very bytes. A spec that is not what the journal says was shown is refused, not explained away.

use super::carried::{Stands, approval_of, stands};
use super::{judge, research, role_files};
use ::factory::Report;
use ::factory::machine::Factory;
use ::factory::plan::further::Further;
use ::factory::product::{At, Product, SPEC};
use ::factory::project::{Declared, TaskId};
use kernel::Machine;
use report::review::{Becomes, Fate, Review};
use serde::Deserialize;
use serde_json::Value;
use workspace::error::EngineError;
use workspace::project::Project;

/// The product loop of a machine.
pub(super) fn product<'a>(name: &str, machine: &'a Factory) -> Result<&'a Product, EngineError> {
    machine.product().ok_or_else(|| {
        EngineError::user(
            "no_product_loop",
            format!("the project `{name}` began with a finished spec"),
            format!("`proofhouse factory status {name}` shows it"),
        )
    })
}

/// The bytes that were shown, if they are still what lies on disk.
pub(super) fn shown(
    project: &Project,
    name: &str,
    product: &Product,
) -> Result<Vec<u8>, EngineError> {
    let store = project.home().join("state_store");
    let shown = product.shown.as_ref().ok_or_else(|| {
        EngineError::user(
            "spec_not_shown",
            format!("there is no complete spec of `{name}` yet"),
            format!("`proofhouse factory run {name}` goes on"),
        )
    })?;
    let vault = project.vault()?;
    for ((what, path), kept) in role_files::places(&store)
        .iter()
        .zip([&shown.spec, &shown.page])
    {
        let now = std::fs::read(path).map_err(EngineError::io("read", path))?;
        if store::sha256_hex(&now) != kept.hash {
            return Err(EngineError::user(
                "spec_changed",
                format!(
                    "{} is not the {what} that was judged and shown (sha256 {})",
                    path.display(),
                    kept.hash
                ),
                format!(
                    "move the file away and `proofhouse factory review {name}` writes it anew; what you want changed goes into `proofhouse factory amend {name} --feedback TEXT`"
                ),
            ));
        }
    }
    Ok(vault.get(&shown.spec.hash)?)
}

/// What becomes of each released task, and of each of the new spec, as an approval would have it.
fn fates(stands: &Stands, approval: &Value) -> Vec<Fate> {
    let further = Further::deserialize(&approval["further"]).unwrap_or_default();
    let new = Vec::<Declared>::deserialize(&approval["tasks"]).unwrap_or_default();
    let fate = |becomes: Becomes, task: &TaskId, what: &[String]| {
        let there = stands.graph.get(task);
        let mut all = new.iter().chain(there.map(|one| &one.declared));
        let name = all.find(|one| one.id == *task).map(|one| one.task.clone());
        Fate {
            becomes,
            task: task.clone(),
            name: name.unwrap_or_default(),
            what: what.to_vec(),
            modules: there.map(|one| one.modules.clone()).unwrap_or_default(),
        }
    };
    let each = |becomes: Becomes, tasks: &[TaskId]| -> Vec<Fate> {
        tasks.iter().map(|task| fate(becomes, task, &[])).collect()
    };
    let mut all = each(Becomes::Stays, &further.stays);
    let changes = further.changes.iter();
    all.extend(changes.map(|one| fate(Becomes::Changes, &one.task, &one.what)));
    all.extend(each(Becomes::Comes, &further.comes));
    all.extend(each(Becomes::Goes, &further.goes));
    all
}

/// Reads the review of a project's spec. A file that is missing is written anew.
pub fn review(project: &Project, name: &str) -> Result<Review, EngineError> {
    let report::Peek { machine, .. } = report::look::peek_project(project, name)?;
    let product = product(name, &machine)?;
    role_files::restore(&project.home().join("state_store"), product)?;
    let vault = project.vault()?;
    let mut review = Review {
        project: name.to_owned(),
        at: product.at,
        sha256: None,
        spec: None,
        page: String::new(),
        warnings: Vec::new(),
        deficiencies: product.deficiencies.clone(),
        sources: research::sources(&vault, &product.research, &product.named),
        amends: product.feedback.len(),
        advice: product.advice(),
        further: Vec::new(),
        options: Vec::new(),
    };
    let waiting = machine.status().waiting_for;
    review.options = waiting.map(|one| one.options).unwrap_or_default();
    if let Some(kept) = &product.report {
        let report: Report = serde_json::from_slice(&vault.get(&kept.hash)?).unwrap_or_default();
        review.deficiencies = match report.errors.is_empty() {
            true => review.deficiencies,
            false => report.errors.iter().map(judge::line).collect(),
        };
        review.warnings = report.warnings;
    }
    if let Some(was) = &product.shown {
        let bytes = shown(project, name, product)?;
        review.sha256 = Some(was.spec.hash.clone());
        review.spec = serde_json::from_slice(&bytes).ok();
        if let (Some(stands), true) = (stands(project, &machine, product)?, review.at == At::Shown)
            && let Ok(approval) = approval_of(&bytes, Some(&stands))
        {
            review.further = fates(&stands, &approval);
        }
        let page = vault.get(&was.page.hash)?;
        review.page = String::from_utf8_lossy(&page).into_owned();
    } else if product.draft.is_none() && product.deficiencies.is_empty() {
        review.page = format!("There is no {SPEC} yet.\n");
    }
    Ok(review)
}
