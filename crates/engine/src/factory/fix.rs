//! A person's files in the Proposer's place (rule F17.2): laid over what the module's folder holds
//! before any role or step looks at it, so that amendments of a fix are made on the fix.
//!
//! It refuses what is no file of a module, and writes over nothing that is sealed. What it replaces
//! is kept.

use super::found::{Broke, could_not};
use super::modules::{CONTRACT, EXAMPLES, SHIP, Stored};
use ::factory::halt::resolution::Resolution;
use ::factory::machine::Factory;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use workspace::context::Context;
use workspace::error::EngineError;

/// Refuses a fix that could not be written where its module is, before anybody signs it. The folder
/// may change until it is written, so that is looked at again then.
pub(super) fn may_stand(
    home: &Path,
    machine: &Factory,
    (option, with): (&str, &serde_json::Value),
) -> Result<(), EngineError> {
    let Ok((task, Resolution::ProvideFix { fix_artifacts, .. })) = Resolution::read(option, with)
    else {
        return Ok(());
    };
    let Some(module) = machine.to_fix(&task) else {
        return Ok(());
    };
    let stored = Stored::at(home, &module);
    for name in fix_artifacts.keys() {
        if let Some(what) = misfit(&stored, name) {
            return Err(EngineError::user(
                "fix_path_taken",
                format!("{what} in {module}"),
                format!(
                    "give it another path; {} has the module as it is",
                    stored.folder.display()
                ),
            ));
        }
    }
    Ok(())
}

/// Writes them, and the locked contract where nobody has written one. May be repeated.
pub(super) fn write(
    context: &Context,
    module: &Stored,
    files: &BTreeMap<String, String>,
    locked: Option<&[u8]>,
) -> Result<(), Broke> {
    if module.has(SHIP) {
        return Ok(());
    }
    for name in files.keys() {
        let path = Path::new(name);
        let plain = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let tops = ["implementation", "tests", EXAMPLES, CONTRACT];
        if !plain || !tops.iter().any(|top| path.starts_with(top)) {
            return Err(format!("the fix names {name:?}, which is no file of a module").into());
        }
    }
    for name in files.keys() {
        if let Some(what) = misfit(module, name) {
            return Err(what.into());
        }
    }
    for (name, text) in files {
        one(context, module, name, text.as_bytes())?;
    }
    if let Some(locked) = locked
        && !module.has(CONTRACT)
    {
        one(context, module, CONTRACT, locked)?;
    }
    Ok(())
}

/// A file cannot be where a folder is, nor below a file. That is the fix's fault and no run's.
fn misfit(module: &Stored, name: &str) -> Option<String> {
    let target = module.folder.join(name);
    if target.is_dir() {
        return Some(format!("the fix names {name:?}, which is a folder"));
    }
    let above = Path::new(name).ancestors().skip(1);
    for above in above.filter(|above| !above.as_os_str().is_empty()) {
        if module.folder.join(above).is_file() {
            let above = above.display();
            return Some(format!("the fix names {name:?}, and {above} is a file"));
        }
    }
    None
}

fn one(context: &Context, module: &Stored, name: &str, bytes: &[u8]) -> Result<(), Broke> {
    let target = module.folder.join(name);
    match std::fs::read(&target) {
        Ok(old) if old == bytes => return Ok(()),
        Ok(old) => {
            let name = format!("before: {}", module.path_of(name));
            context.keep(&name, &old).map_err(could_not)?;
        }
        Err(_) => {}
    }
    let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(could_not)?;
    store::write_atomic(&target, bytes).map_err(could_not)
}
