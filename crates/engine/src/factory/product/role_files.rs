//! The files of the product loop on disk: what the role finds before it works, and what people read.
//! All of them are made from the vault by the hashes that the journal has.
//!
//! What a fresh start takes away is kept in the vault first, without any key in it. A spec that
//! somebody edited is left as it is: the review refuses it, and nothing of theirs is lost.

use ::factory::product::{
    DRAFT, FOLDER, GIVEN, Leftovers as Finds, PAGE, Product, RELEASED, REPORT, SPEC,
};
use kernel::outcome::EvidenceRef;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use store::Vault;
use workspace::context::Context;
use workspace::error::EngineError;

/// What the role's next attempt finds.
#[derive(Serialize, Deserialize)]
pub(in crate::factory) struct RoleFiles {
    spec: EvidenceRef,
    rejections: Vec<String>,
    with: Vec<EvidenceRef>,
    #[serde(default)]
    released: Option<EvidenceRef>,
    finds: Finds,
    draft: Option<EvidenceRef>,
    report: Option<EvidenceRef>,
}

impl RoleFiles {
    pub(in crate::factory) fn of(product: &Product) -> Self {
        let wrong = !product.deficiencies.is_empty();
        Self {
            spec: product.began.spec.clone(),
            rejections: product.rejections.clone(),
            with: product.began.with.clone(),
            released: product.began.released.clone(),
            finds: product.desk,
            draft: product.draft.clone(),
            report: product.report.clone().filter(|_| wrong),
        }
    }

    /// Lays it out below `.proofhouse/`.
    pub(in crate::factory) fn lay(&self, context: &Context) -> Result<(), EngineError> {
        let (folder, vault) = (context.project.home().join(FOLDER), &context.vault);
        let mut spec = vault.get(&self.spec.hash)?;
        if !self.rejections.is_empty() {
            spec.extend_from_slice(feedback(&self.rejections).as_bytes());
        }
        let given = folder.join(GIVEN);
        clear(&given, context)?;
        write(&given.join("SPEC.md"), &spec)?;
        for document in &self.with {
            let path = given.join("with").join(&document.name);
            write(&path, &vault.get(&document.hash)?)?;
        }
        if let Some(released) = &self.released {
            write(&given.join(RELEASED), &vault.get(&released.hash)?)?;
        }
        if self.finds == Finds::Cleared {
            clear(&folder.join("draft"), context)?;
        }
        // A draft that was judged and not kept, since it holds a key, stays for the role to mend.
        if let Some(draft) = &self.draft {
            write(&folder.join(DRAFT), &vault.get(&draft.hash)?)?;
        }
        let report = folder.join(REPORT);
        match &self.report {
            Some(kept) => write(&report, &vault.get(&kept.hash)?)?,
            None if report.symlink_metadata().is_ok() => {
                keep(&report, context)?;
                std::fs::remove_file(&report).map_err(EngineError::io("remove", &report))?;
            }
            None => {}
        }
        Ok(())
    }
}

/// Rule F3.2.4: the reasons, appended to the person's own words.
fn feedback(rejections: &[String]) -> String {
    let mut text = "\n\n## Rejection Feedback\n".to_owned();
    for reasons in rejections {
        text.push_str(&format!("\n{}\n", reasons.trim_end()));
    }
    text
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), EngineError> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
    }
    Ok(store::write_atomic(path, bytes)?)
}

/// Agents and people wrote it: a key in it stays out of the vault.
fn keep(path: &Path, context: &Context) -> Result<(), EngineError> {
    // A link or a socket holds nothing of its own.
    if path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        let bytes = std::fs::read(path).map_err(EngineError::io("read", path))?;
        context.keep(&format!("before: {}", path.display()), &bytes)?;
    }
    Ok(())
}

fn clear(folder: &Path, context: &Context) -> Result<(), EngineError> {
    if folder.symlink_metadata().is_err() {
        return Ok(());
    }
    for path in store::walk(folder, &|_| false)? {
        keep(&folder.join(path), context)?;
    }
    store::remove_tree(folder).map_err(EngineError::io("clear", folder))
}

/// Where the spec that was shown lies, and its page.
pub(super) fn places(store: &Path) -> [(&'static str, PathBuf); 2] {
    [SPEC, PAGE].map(|name| (name, store.join("product").join(name)))
}

/// Writes what was shown where it is missing. What is there stays, also if somebody changed it.
pub(in crate::factory) fn restore(store: &Path, product: &Product) -> Result<(), EngineError> {
    let Some(shown) = &product.shown else {
        return Ok(());
    };
    let Some(home) = store.parent() else {
        return Ok(());
    };
    let vault = Vault::open(&home.join("evidence"))?;
    for ((_, path), kept) in places(store).iter().zip([&shown.spec, &shown.page]) {
        if path.symlink_metadata().is_err() {
            write(path, &vault.get(&kept.hash)?)?;
        }
    }
    Ok(())
}

/// Puts a spec in the place of what was shown before.
pub(super) fn show(context: &Context, spec: &[u8], page: &[u8]) -> Result<(), EngineError> {
    let store = context.project.home().join("state_store");
    for ((_, path), bytes) in places(&store).iter().zip([spec, page]) {
        if std::fs::read(path).is_ok_and(|old| old == bytes) {
            continue;
        }
        keep(path, context)?;
        write(path, bytes)?;
    }
    Ok(())
}
