//! What the state store says of a project: views of the journal, written after it (rule F7). A
//! file that is lost is written anew; what people write into one is not read.

use super::modules::{CONTRACT, SHIP, Stored};
use super::{fix, superseding, task_files};
use ::factory::engineering::context::near_file;
use ::factory::engineering::kind::CONTINUES;
use ::factory::machine::{Factory, For};
use ::factory::plan::TaskFile;
use ::factory::project::ModuleRef;
use index::SearchRequest;
use kernel::effect::AttemptOrder;
use kernel::outcome::Verdict;
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::near::{Found, Indexes, NEAR};
use workspace::project::Project;

/// How long the state machine's view rests while much happens, at least.
const APART_MILLIS: u64 = 1_000;
/// And how many times as long as it took to write: a large project's view is large, and must not
/// keep the project from its work.
const APART_TIMES: u64 = 20;

pub(super) struct Views {
    project: Project,
    written: Time,
    took: u64,
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
    pub(super) fn of(project: &Project) -> Self {
        Self {
            project: project.clone(),
            written: Time(0),
            took: 0,
        }
    }

    /// Writes those that move, unless they were written a moment ago.
    pub(super) fn soon(&mut self, machine: &Factory, now: Time) -> Result<(), EngineError> {
        let apart = APART_MILLIS.max(self.took.saturating_mul(APART_TIMES));
        if now.since(self.written) < apart {
            return Ok(());
        }
        self.moving(machine)?;
        self.written = workspace::clock::now();
        self.took = self.written.since(now);
        Ok(())
    }

    /// Writes them all. A large project has thousands of task files, which only decisions change.
    pub(super) fn all(&self, machine: &Factory) -> Result<(), EngineError> {
        task_files::write(&self.project, machine)?;
        self.moving(machine)
    }

    fn moving(&self, machine: &Factory) -> Result<(), EngineError> {
        let home = self.project.home();
        write(
            &home.join("state_store/project/state_machine.json"),
            &machine.project_state(),
        )?;
        if let Some(product) = machine.product() {
            super::product::restore(&home.join("state_store"), product)?;
        }
        Ok(())
    }
}

/// What of the views is not as the journal says, and is nobody's work in progress: a sentence each.
pub fn standing_faults(project: &Project, name: &str, machine: &Factory) -> Vec<String> {
    // An engine that drives the project writes them when it comes to it.
    if report::look::is_driven(project, name) {
        return Vec::new();
    }
    let home = project.home();
    let mut found = Vec::new();
    let path = home.join("state_store/project/state_machine.json");
    let shown = std::fs::read(&path).ok();
    let shown = shown.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    // One that was never written, or was lost, says nothing wrong; the next run writes it.
    if path.exists() && shown.as_ref() != Some(&machine.state_machine()) {
        found
            .push("state_store/project/state_machine.json is not what the journal says".to_owned());
    }
    match task_files::expected(project, machine) {
        Err(error) => found.push(error.what),
        Ok(files) => {
            found.extend(strays(&home, &files));
            for file in files {
                let text = std::fs::read_to_string(home.join(&file.path));
                if !text.is_ok_and(|text| text == file.text) {
                    found.push(format!(
                        "{} is not as the spec and people's answers have it",
                        file.path
                    ));
                }
            }
        }
    }
    found
}

/// Files below `project/` that nothing leads to: a role that reads there would take them for tasks.
fn strays(home: &Path, files: &[TaskFile]) -> Vec<String> {
    let known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let names = store::walk(&home.join("project"), &|_| false).unwrap_or_default();
    let paths = names
        .into_iter()
        .map(|name| format!("project/{}", name.display()));
    let strange = paths.filter(|path| !known.contains(path.as_str()));
    strange
        .map(|path| format!("{path} follows from no spec and from no answer"))
        .collect()
}

/// What must be on disk before a role works: for a Proposer the contract that is locked (rule
/// F6.7), and for every role a person's fix and the task's file as people left it. Its context pack is there already:
/// it follows from the journal (`records`).
#[derive(Serialize, Deserialize)]
pub(super) struct Before {
    contract: Option<(ModuleRef, Value)>,
    fix: Option<(ModuleRef, BTreeMap<String, String>)>,
    lock: Lock,
    /// What a planner looks for in the Code Index, and where it finds it.
    #[serde(default)]
    near: Option<(String, String)>,
    #[serde(default)]
    attempt: EffectId,
}

/// What is nearest to a task, for its planner; and what is so near that a plan must speak of it, for the record.
fn search(
    context: &Context,
    attempt: EffectId,
    query: &str,
    file: &Path,
) -> Result<(), EngineError> {
    let indexes = Indexes::of(&context.project, &context.project.config()?)?;
    let found = indexes.search(&SearchRequest::new(query))?;
    write(file, &found)?;
    let near = found.iter().filter(|one| one.hit.similarity_score >= NEAR);
    let near: BTreeMap<String, &Found> =
        near.map(|one| (one.reference().to_string(), one)).collect();
    write(
        &context.home(attempt).join(crate::perform::CANDIDATES),
        &near,
    )
}

/// What becomes of a contract that is there already. A debate that begins locks its own: the one
/// before may be of a plan that a person or an exception has put aside. After that nobody does.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Lock {
    Anew,
    Stays,
}

impl Before {
    pub(super) fn of(machine: &Factory, home: &Path, order: &AttemptOrder) -> Self {
        let of_change = || {
            let For::Change(id) = machine.subject(order.id)? else {
                return None;
            };
            let change = machine.change(id)?;
            let contract = superseding::contract(home, change)?;
            let value = serde_json::to_value(contract).ok()?;
            Some((change.to.clone(), value))
        };
        let task = match machine.subject(order.id) {
            Some(For::Task(task)) => Some(task),
            _ => None,
        };
        let of_task = || {
            let task = task?;
            let work = machine.work(task)?;
            let reference = work.reference(work.active()?)?;
            let value = serde_json::to_value(machine.locked(task)?).ok()?;
            Some((reference, value))
        };
        let contract = match order.role.as_str() {
            "proposer" => of_task().or_else(of_change),
            _ => None,
        };
        let fix = task.and_then(|task| machine.standing_fix(task)).cloned();
        let fix = fix.map(|fix| (fix.module, fix.files));
        let near = || {
            let declared = &machine.tasks().get(task?)?.declared;
            let sketch = serde_json::to_string(&declared.sketch).unwrap_or_default();
            let criteria = declared.criteria.join("; ");
            let query = format!("{}: {criteria}; {sketch}", declared.task);
            Some((query, near_file(task?)))
        };
        let plans = order.state.as_str() == "micro_plan" && machine.briefs() >= CONTINUES;
        Self {
            near: plans.then(near).flatten(),
            attempt: order.id,
            contract,
            fix,
            lock: if order.state.as_str() == "propose" {
                Lock::Anew
            } else {
                Lock::Stays
            },
        }
    }

    pub(super) fn write(&self, context: &Context) -> Result<(), EngineError> {
        let home = context.project.home();
        if let Some((query, file)) = &self.near {
            search(context, self.attempt, query, &home.join(file))?;
        }
        let stored = |module| Stored::at(&home, module);
        let contract = self.contract.as_ref();
        if let Some((module, contract)) = contract.map(|(module, text)| (stored(module), text))
            && (!module.has(CONTRACT) || (self.lock == Lock::Anew && !module.has(SHIP)))
        {
            write(&module.folder.join(CONTRACT), contract)?;
        }
        let fix = self.fix.as_ref();
        if let Some((module, files)) = fix.map(|(module, files)| (stored(module), files))
            && let Err(broke) = fix::write(context, &module, files, None)
            // A fix that does not fit is refused by its ship.
            && broke.verdict == Verdict::CouldNotRun
        {
            let mend = "mend what is in the way, then `proofhouse factory run` goes on";
            return Err(EngineError::environment(
                "fix_not_written",
                broke.reason,
                mend,
            ));
        }
        Ok(())
    }
}
