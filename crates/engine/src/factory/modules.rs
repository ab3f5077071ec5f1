//! A version of a module in the state store: where its files are, what they hash to, and its seal.
//!
//! The seal lists the files that were tested, by hash. What was sealed is read-only, and a file that
//! differs, is missing or is new breaks the seal wherever it is looked at again.

use super::module_error::ModuleError;
use ::factory::contract::MicroModuleContract;
use ::factory::engineering::context::SURFACE;
use ::factory::project::ModuleRef;
use ::factory::schema;
use ::factory::ship::{ExecutionLog, ShipEvidence};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use workspace::error::EngineError;

pub(super) const CONTRACT: &str = "contract.json";
pub(super) const EXAMPLES: &str = "examples.md";
pub(super) const SHIP: &str = "ship.json";
pub(super) const LOG: &str = "tests/execution_log.json";
/// What a ship could not reconcile (rule F11.2).
pub(super) const ESCALATION: &str = "escalation.json";
pub(super) const SEAL: &str = "seal.json";

/// One version of a module on disk.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) reference: ModuleRef,
    pub(super) folder: PathBuf,
}

/// The tested files, by path, and what tested them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seal {
    pub(super) files: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) runner: String,
}

impl Seal {
    /// The files that are not the same in both.
    fn differs_from(&self, other: &Seal) -> Vec<String> {
        let names: BTreeSet<&String> = self.files.keys().chain(other.files.keys()).collect();
        let differs = |name: &&String| self.files.get(*name) != other.files.get(*name);
        names.into_iter().filter(differs).cloned().collect()
    }
}

/// A document as it is written.
pub(super) fn pretty(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec_pretty(value)
}

impl Stored {
    pub(super) fn at(root: &Path, reference: &ModuleRef) -> Self {
        Self {
            folder: root.join(::factory::engineering::context::module_folder(reference)),
            reference: reference.clone(),
        }
    }

    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, ModuleError> {
        let path = self.folder.join(name);
        std::fs::read(&path).map_err(ModuleError::file(self.place(name)))
    }

    /// Which file it is, in words.
    fn place(&self, name: &str) -> String {
        format!("{name} of {}", self.reference)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.folder.join(name).is_file()
    }

    /// Where a file of it is, as documents of the state store name it.
    pub(super) fn path_of(&self, name: &str) -> String {
        let folder = ::factory::engineering::context::module_folder(&self.reference);
        format!("{folder}/{name}")
    }

    fn document<T: DeserializeOwned>(
        &self,
        name: &str,
        of: &'static str,
    ) -> Result<T, ModuleError> {
        let bytes = self.read(name)?;
        let document = schema::find(of).ok_or(ModuleError::NoDocument(of))?;
        let wrong = |report: ::factory::Report| {
            let lines = report.errors.iter().take(8);
            let lines: Vec<String> = lines
                .map(|found| format!("{}: {}", found.whole_path(), found.message))
                .collect();
            ModuleError::Document {
                place: self.place(name),
                problems: lines.join("; "),
            }
        };
        schema::read(document, &bytes).map_err(wrong)
    }

    /// Its contract, valid and of this very version.
    pub(super) fn contract(&self) -> Result<MicroModuleContract, ModuleError> {
        let contract: MicroModuleContract = self.document(CONTRACT, "MicroModuleContract")?;
        if contract.reference() != self.reference.to_string() {
            return Err(ModuleError::OtherContract {
                contract: contract.reference(),
                module: self.reference.clone(),
            });
        }
        Ok(contract)
    }

    pub(super) fn evidence(&self) -> Result<ShipEvidence, ModuleError> {
        self.document(SHIP, "ShipEvidence")
    }

    pub(super) fn log(&self) -> Result<ExecutionLog, ModuleError> {
        self.document(LOG, "ExecutionLog")
    }

    /// Everything that a seal covers, as it is now.
    pub(super) fn now(&self) -> Result<Seal, ModuleError> {
        let ours = |path: &Path| {
            let ours = [SHIP, SEAL, ESCALATION, SURFACE]
                .iter()
                .any(|name| path == Path::new(name));
            ours || path.ends_with("target")
        };
        let paths = store::walk(&self.folder, &ours)?;
        let mut files = BTreeMap::new();
        for path in paths {
            let name = path.display().to_string();
            let full = self.folder.join(&path);
            let plain = full.symlink_metadata().is_ok_and(|found| found.is_file());
            if !plain {
                return Err(ModuleError::NotPlain(self.place(&name)));
            }
            files.insert(name.clone(), store::sha256_hex(&self.read(&name)?));
        }
        Ok(Seal {
            files,
            runner: String::new(),
        })
    }

    pub(super) fn write(&self, name: &str, value: &impl Serialize) -> Result<(), EngineError> {
        let path = self.folder.join(name);
        let json = pretty(value).map_err(|error| EngineError::io("write", &path)(error.into()))?;
        Ok(store::write_atomic(&path, &json)?)
    }

    /// Puts on record what was tested, and by what: the files as they were before the tests began,
    /// with the log of these tests. What changed meanwhile was not tested, or not debated.
    pub(super) fn mark_tested(&self, began_with: &Seal, runner: &str) -> Result<(), ModuleError> {
        let mut seal = began_with.clone();
        let log = store::sha256_hex(&self.read(LOG)?);
        seal.files.insert(LOG.to_owned(), log);
        let changed = seal.differs_from(&self.now()?);
        if !changed.is_empty() {
            return Err(ModuleError::Changed {
                when: "while its tests ran",
                names: changed,
            });
        }
        runner.clone_into(&mut seal.runner);
        Ok(self.write(SEAL, &seal)?)
    }

    /// What was tested, as it was put on record.
    pub(super) fn tested(&self) -> Result<Seal, ModuleError> {
        let read = serde_json::from_slice(&self.read(SEAL)?);
        read.map_err(|source| ModuleError::Json {
            place: self.place(SEAL),
            source,
        })
    }

    /// The texts below a folder of it, by path. What is no text is left out: no code is.
    pub(super) fn texts(&self, folder: &str) -> Result<BTreeMap<String, String>, ModuleError> {
        let mut texts = BTreeMap::new();
        for (name, _) in self.now()?.files {
            if let Some(path) = name
                .strip_prefix(folder)
                .and_then(|it| it.strip_prefix('/'))
            {
                let text = String::from_utf8(self.read(&name)?);
                texts.extend(text.ok().map(|text| (path.to_owned(), text)));
            }
        }
        Ok(texts)
    }

    /// What differs from what was tested; empty: nothing does.
    pub(super) fn broken(&self) -> Result<Vec<String>, ModuleError> {
        Ok(self.tested()?.differs_from(&self.now()?))
    }

    /// Is it what was tested?
    pub(super) fn as_tested(&self) -> Result<(), ModuleError> {
        let names = self.broken()?;
        if names.is_empty() {
            return Ok(());
        }
        let when = "after its tests had passed";
        Err(ModuleError::Changed { when, names })
    }

    /// What was tested is not proven after all: the record of it goes.
    pub(super) fn unmark(&self) {
        // One that stays is written over by the next tests.
        let _ = std::fs::remove_file(self.folder.join(SEAL));
    }

    /// Makes every file of it read-only.
    pub(super) fn seal(&self) -> Result<(), ModuleError> {
        let paths = store::walk(&self.folder, &|_| false)?;
        for path in paths {
            let full = self.folder.join(path);
            let read_only = std::fs::Permissions::from_mode(0o444);
            let place = format!("could not seal {}", full.display());
            std::fs::set_permissions(&full, read_only).map_err(ModuleError::file(place))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_while_tests_run_is_not_sealed_as_tested() {
        let root = tempfile::tempdir().unwrap();
        let reference = ModuleRef::parse("MM-moment@1.0.0").unwrap();
        let module = Stored::at(root.path(), &reference);
        let write = |name: &str, text: &str| {
            let path = module.folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("implementation/lib.rs", "honest");
        write(LOG, "of an earlier run");
        let before = module.now().unwrap();
        write(LOG, "of this run");
        write("implementation/lib.rs", "other");
        write("implementation/more.rs", "new");
        let refused = module.mark_tested(&before, "cargo").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "changed while its tests ran: implementation/lib.rs, implementation/more.rs"
        );
        assert!(!module.has(SEAL));
        write("implementation/lib.rs", "honest");
        std::fs::remove_file(module.folder.join("implementation/more.rs")).unwrap();
        module.mark_tested(&before, "cargo").unwrap();
        assert_eq!(module.tested().unwrap().runner, "cargo");
        assert!(module.as_tested().is_ok());
        write(LOG, "of nobody");
        assert_eq!(module.broken().unwrap(), [LOG]);
    }
}
