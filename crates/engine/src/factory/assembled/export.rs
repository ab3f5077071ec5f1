//! The product of a project as files: those of the last release that has one, as they were tried.

use ::factory::delivery::manifest::{Manifest, ProductJudged, ProductResult};
use ::factory::machine::Factory;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use workspace::error::EngineError;
use workspace::project::Project;

/// What was written.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Exported {
    /// `REL-...`.
    pub release: String,
    pub folder: PathBuf,
    /// How many files.
    pub files: usize,
    /// What can be run now.
    pub what: String,
}

/// The releases whose product holds, the last one first.
pub(super) fn all_released(machine: &Factory) -> impl Iterator<Item = (&Manifest, &ProductJudged)> {
    machine.releases().iter().rev().filter_map(|manifest| {
        let product = manifest.product.as_ref()?;
        let held = product.result == ProductResult::Pass && manifest.passed();
        held.then_some((manifest, product))
    })
}

/// The last of them.
pub(super) fn released(machine: &Factory) -> Option<(&Manifest, &ProductJudged)> {
    all_released(machine).next()
}

/// Its files, by path.
pub(super) fn files(
    project: &Project,
    product: &ProductJudged,
) -> Result<BTreeMap<String, String>, EngineError> {
    let hash = product.files.as_ref().map_or("", |kept| &kept.hash);
    let bytes = project.vault()?.get(hash)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        EngineError::bug(
            "product_unreadable",
            format!("the product {hash} among the evidence cannot be read: {error}"),
            "please report it",
        )
    })
}

/// Writes them below a folder.
pub(super) fn write_all(to: &Path, files: &BTreeMap<String, String>) -> Result<(), EngineError> {
    for (path, text) in files {
        let path = to.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        std::fs::write(&path, text).map_err(EngineError::io("write", &path))?;
    }
    Ok(())
}

/// Writes the product of a project into a folder, which must be new or empty.
pub fn export(project: &Project, name: &str, to: &Path) -> Result<Exported, EngineError> {
    let report::Peek { machine, .. } = report::look::peek_project(project, name)?;
    let (manifest, product) = released(&machine).ok_or_else(|| {
        let (what, mend) = match machine.promised() {
            Some(promised) if promised.is_built() => (
                format!("the project `{name}` has no release with a product yet"),
                format!("`proofhouse factory status {name}` says what is left"),
            ),
            _ => (
                format!("the spec of `{name}` names no product"),
                "give the spec a `product`; shipped modules lie below `.proofhouse/state_store/modules`".to_owned(),
            ),
        };
        EngineError::user("no_product", what, mend)
    })?;
    let mut inside = std::fs::read_dir(to).into_iter().flatten();
    if inside.next().is_some() || (to.exists() && !to.is_dir()) {
        return Err(EngineError::user(
            "folder_not_empty",
            format!("{} is there and not empty", to.display()),
            "name a new folder: nothing that is there is replaced",
        ));
    }
    let files = files(project, product)?;
    write_all(to, &files)?;
    Ok(Exported {
        release: manifest.release_id.clone(),
        folder: to.to_owned(),
        files: files.len(),
        what: product.what.clone(),
    })
}
