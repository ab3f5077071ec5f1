//! What the state store says of a project: views of the journal, written after it (section 7). A
//! file that is lost is written anew; what people write into one is not read.

use super::modules::{CONTRACT, SHIP, Stored};
use super::superseding;
use crate::error::EngineError;
use ::factory::context_pack::{ContextPack, CreatedFor};
use ::factory::contract::from_plan;
use ::factory::engineering::work::Work;
use ::factory::machine::{Factory, For};
use ::factory::project::mint;
use kernel::Time;
use kernel::effect::AttemptOrder;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How often the state machine's view is written while much happens.
const APART_MILLIS: u64 = 1_000;

pub(super) struct Views {
    root: PathBuf,
    written: Time,
}

fn write(path: &Path, value: &impl serde::Serialize) -> Result<(), EngineError> {
    let json = serde_json::to_vec_pretty(value)
        .map_err(|error| EngineError::io("write", path)(error.into()))?;
    if std::fs::read(path).is_ok_and(|old| old == json) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
    }
    Ok(store::write_atomic(path, &json)?)
}

impl Views {
    pub(super) fn of(home: &Path) -> Self {
        Self {
            root: home.join("state_store"),
            written: Time(0),
        }
    }

    /// Writes them, unless they were written a moment ago.
    pub(super) fn soon(&mut self, machine: &Factory, now: Time) -> Result<(), EngineError> {
        if now.since(self.written) < APART_MILLIS {
            return Ok(());
        }
        self.written = now;
        self.all(machine)
    }

    /// Writes them.
    pub(super) fn all(&self, machine: &Factory) -> Result<(), EngineError> {
        write(
            &self.root.join("project/state_machine.json"),
            &machine.state_machine(),
        )?;
        if let Some(product) = machine.product() {
            super::product::restore(&self.root, product)?;
        }
        for escalation in machine.escalations() {
            let id = &escalation.escalation_id;
            let path = self.root.join(format!("escalations/{id}.json"));
            write(
                &path,
                &machine.escalation_artifact(id).unwrap_or(Value::Null),
            )?;
        }
        for record in machine.exceptions() {
            let path = self
                .root
                .join(format!("exceptions/{}.json", record.exception_id));
            write(&path, record)?;
        }
        for manifest in machine.releases() {
            let path = self
                .root
                .join(format!("releases/{}.json", manifest.release_id));
            write(&path, &manifest.document())?;
            if let Some(report) = manifest.failure_report() {
                let path = self
                    .root
                    .join(format!("releases/{}.failure.json", manifest.release_id));
                write(&path, &report)?;
            }
        }
        Ok(())
    }
}

/// The module at work of a task's loop.
fn at_work<'a>(machine: &'a Factory, order: &AttemptOrder) -> Option<(&'a Work, usize)> {
    let For::Task(task) = machine.subject(order.id)? else {
        return None;
    };
    let work = machine.work(task)?;
    Some((work, work.active()?))
}

/// What must be on disk before a role works: its context pack (section 6.3), and for a Proposer the
/// contract that is locked (section 6.7).
pub(super) struct Before {
    pack: Option<(PathBuf, Value)>,
    contract: Option<(Stored, Value)>,
    lock: Lock,
}

/// What becomes of a contract that is there already. A debate that begins locks its own: the one
/// before may be of a plan that a person or an exception has put aside. After that nobody does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    Anew,
    Stays,
}

impl Before {
    pub(super) fn of(machine: &Factory, home: &Path, run: &str, order: &AttemptOrder) -> Self {
        let of_change = || {
            let For::Change(id) = machine.subject(order.id)? else {
                return None;
            };
            let change = machine.change(id).filter(|_| order.role == "proposer")?;
            let contract = superseding::contract(home, change)?;
            let value = serde_json::to_value(contract).ok()?;
            Some((Stored::at(home, &change.to), value))
        };
        let contract = at_work(machine, order)
            .filter(|_| order.role == "proposer")
            .and_then(|(work, at)| {
                let reference = work.reference(at)?;
                let module = &work.plan.as_ref()?.modules[at];
                let version = ::factory::version::Version {
                    major: reference.version.major.into(),
                    minor: reference.version.minor.into(),
                    patch: reference.version.patch.into(),
                };
                let contract = from_plan::contract(module, version, &module.depends_on)?;
                let value = serde_json::to_value(contract).ok()?;
                Some((Stored::at(home, &reference), value))
            })
            .or_else(of_change);
        Self {
            pack: pack(machine, home, run, order),
            contract,
            lock: if order.state.as_str() == "propose" {
                Lock::Anew
            } else {
                Lock::Stays
            },
        }
    }

    pub(super) fn write(&self) -> Result<(), EngineError> {
        if let Some((path, pack)) = &self.pack {
            write(path, pack)?;
        }
        if let Some((module, contract)) = &self.contract
            && (!module.has(CONTRACT) || (self.lock == Lock::Anew && !module.has(SHIP)))
        {
            write(&module.folder.join(CONTRACT), contract)?;
        }
        Ok(())
    }
}

fn pack(
    machine: &Factory,
    home: &Path,
    run: &str,
    order: &AttemptOrder,
) -> Option<(PathBuf, Value)> {
    let For::Task(task) = machine.subject(order.id)? else {
        return None;
    };
    let id = mint("CP", run, &order.id.to_string());
    let given = serde_json::to_value(machine.pack(order.id)?).ok()?;
    let pack = ContextPack {
        context_pack_id: id.clone(),
        created_for: CreatedFor {
            role: order.role.clone(),
            run_id: format!("{run}/{}", order.id),
            task_ref: task.to_string(),
        },
        included_refs: serde_json::from_value(given["included_refs"].clone()).ok()?,
        excluded_refs: serde_json::from_value(given["excluded_refs"].clone()).ok()?,
        default_permission: serde_json::from_value(given["default_permission"].clone()).ok()?,
        created_at: crate::world::now().to_string(),
    };
    let path = home.join(format!("state_store/context_packs/{id}.json"));
    Some((path, serde_json::to_value(pack).ok()?))
}
