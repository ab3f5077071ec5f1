//! A version of a module as people look at it: what it promises, what was tested, who uses it, and where it
//! comes from. What lies in the state store is read as it lies there; whether its seal holds is said by the
//! engine, which looked.

use factory::contract::coverage::{missing, required};
use factory::contract::{MicroModuleContract, SurfaceRef};
use factory::delivery::registry::Entry;
use factory::machine::Factory;
use factory::project::ModuleRef;
use factory::ship::{ExecutionLog, Outcome, ShipEvidence};
use kernel::Time;
use kernel::module::ModuleStatus;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;
use workspace::Project;
use workspace::pinned::read_below;

/// No document of a module is longer.
const MOST: u64 = 4 << 20;

/// One version of a module, with what the store says of it.
pub struct Module {
    /// What the project knows of it.
    pub entry: Entry,
    /// Where it lies, below the state store's folder.
    pub folder: String,
    /// Its interface.
    pub fingerprint: String,
    /// How many of its tests passed, and how many there are.
    pub tests: Option<(u64, u64)>,
    /// Is what lies there what was tested?
    pub seal: Seal,
}

/// Is what lies there what was tested?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    Whole,
    /// It is not.
    Broken,
}

impl Module {
    pub(crate) fn in_use(&self) -> bool {
        self.entry.status == ModuleStatus::Shipped
    }
}

/// A test, and the clause of the contract that it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    pub name: String,
    pub passed: bool,
    pub millis: Option<u64>,
    /// In the contract's words; none: its name is no clause's.
    pub shows: Option<String>,
}

/// Another version, or another module, and whether it is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    pub reference: ModuleRef,
    /// None: this project has not shipped it.
    pub status: Option<ModuleStatus>,
    pub at: Option<Time>,
}

/// Everything about one version.
pub struct ModuleReport {
    pub project: String,
    pub module: Module,
    /// None: it does not lie in the store, or cannot be read.
    pub contract: Option<MicroModuleContract>,
    pub examples: Option<String>,
    /// All versions, the newest first.
    pub versions: Vec<Other>,
    pub uses: Vec<Other>,
    pub used_by: Vec<Other>,
    /// When the tests ran, and each of them.
    pub ran: Option<String>,
    pub tests: Vec<Tested>,
    pub ship: Option<ShipEvidence>,
    /// The files that were tested, by path, with their hashes.
    pub sealed: BTreeMap<String, String>,
    /// What ran the tests.
    pub runner: String,
    /// The releases that it is in.
    pub releases: Vec<String>,
    /// The name of the task that shipped it.
    pub task: Option<String>,
}

/// `seal.json`, as a ship leaves it.
#[derive(Deserialize, Default)]
struct Sealed {
    files: BTreeMap<String, String>,
    #[serde(default)]
    runner: String,
}

impl ModuleReport {
    /// Gathers it. `module` is what the engine says of it.
    pub fn of(project: &Project, name: &str, machine: &Factory, module: Module) -> Self {
        let home = project.home();
        let bytes = |file: &str| {
            let path = format!("{}/{file}", module.folder);
            read_below(&home, Path::new(&path), MOST).ok()
        };
        fn document<T: DeserializeOwned>(bytes: Option<Vec<u8>>) -> Option<T> {
            serde_json::from_slice(&bytes?).ok()
        }
        let registry = machine.registry();
        let other = |reference: &ModuleRef| {
            let entry = registry.get(reference);
            Other {
                reference: reference.clone(),
                status: entry.map(|entry| entry.status),
                at: entry.map(|entry| entry.at),
            }
        };
        let this = &module.entry.reference;
        let versions = registry
            .iter()
            .filter(|one| one.reference.module == this.module);
        let mut versions: Vec<Other> = versions.map(|one| other(&one.reference)).collect();
        versions.reverse();
        let uses = module.entry.dependencies.iter();
        let releases = machine.releases().iter().filter(|release| {
            let mut all = release.modules.iter();
            all.any(|one| one.module_ref == *this)
        });
        let task = module.entry.task.as_ref();
        let task = task.and_then(|id| machine.tasks().get(id));
        let contract: Option<MicroModuleContract> = document(bytes("contract.json"));
        let log: Option<ExecutionLog> = document(bytes("tests/execution_log.json"));
        let sealed: Sealed = document(bytes("seal.json")).unwrap_or_default();
        let examples = bytes("examples.md");
        Self {
            project: name.to_owned(),
            versions,
            uses: uses.map(|(reference, _)| other(reference)).collect(),
            used_by: registry.users(this).iter().map(other).collect(),
            ran: log.as_ref().map(|log| log.executed_at.clone()),
            tests: log.map_or_else(Vec::new, |log| tested(contract.as_ref(), &log)),
            examples: examples.map(|text| String::from_utf8_lossy(&text).into_owned()),
            ship: document(bytes("ship.json")),
            sealed: sealed.files,
            runner: sealed.runner,
            releases: releases.map(|one| one.release_id.clone()).collect(),
            task: task.map(|task| task.declared.task.clone()),
            contract,
            module,
        }
    }
}

fn tested(contract: Option<&MicroModuleContract>, log: &ExecutionLog) -> Vec<Tested> {
    let surface = contract.map(MicroModuleContract::surface);
    let each = log.tests.iter().map(|test| Tested {
        name: test.name.clone(),
        passed: test.result == Outcome::Pass,
        millis: test.duration_ms,
        shows: surface.and_then(|surface| shows(surface, &test.name)),
    });
    each.collect()
}

/// The clause that a test of this name shows.
fn shows(surface: SurfaceRef<'_>, test: &str) -> Option<String> {
    let left = missing(surface, [test]);
    let shown = required(surface)
        .into_iter()
        .find(|one| !left.contains(one));
    shown.map(|one| one.what)
}
