//! What lies below `project/`: the spec, a file for each task, and those that people's answers lead to
//! (rule F17.2): a split makes new ones before its tasks are dispatched, an amended spec writes one
//! anew with its history, and a further version of it takes away those of the tasks that it has not. All of it is a view of the journal and of the spec whose hash it names, so
//! a lost file is written again and an edited one is found.

use ::factory::halt::resolution::Resolution;
use ::factory::machine::Factory;
use ::factory::plan::again::{Amendment, Part, files};
use ::factory::plan::{TaskFile, task_files};
use ::factory::spec::ProductSpec;
use std::collections::BTreeMap;
use std::path::Path;
use workspace::error::EngineError;
use workspace::project::Project;

fn answers(machine: &Factory) -> (Vec<Part>, Vec<Amendment>) {
    let (mut parts, mut amendments) = (Vec::new(), Vec::new());
    for (task, resolved) in machine.resolutions() {
        // A further version of the spec has said anew what its tasks must show.
        let of_before = resolved.at <= machine.opened_at();
        match &resolved.resolution {
            Resolution::SplitTask { new_tasks } => {
                let made = machine.tasks().get(task);
                let made = made.map_or(&[][..], |task| task.superseded_by.as_slice());
                for (new, id) in new_tasks.iter().zip(made) {
                    let declared = machine.tasks().get(id).map(|task| &task.declared);
                    let depends_on = declared.map(|one| &one.depends_on);
                    parts.push(Part {
                        of: task.to_string(),
                        task_id: id.to_string(),
                        name: new.name.clone(),
                        description: new.description.clone(),
                        acceptance_criteria: new.acceptance_criteria.clone(),
                        depends_on: depends_on
                            .into_iter()
                            .flatten()
                            .map(ToString::to_string)
                            .collect(),
                        sketch: new.io_contract_sketch.clone(),
                    });
                }
            }
            Resolution::AmendSpec { .. } if of_before => {}
            Resolution::AmendSpec {
                amended_acceptance_criteria,
                amended_cases,
                amendment_rationale,
            } => amendments.push(Amendment {
                task_id: task.to_string(),
                criteria: amended_acceptance_criteria.clone(),
                cases: amended_cases.clone(),
                rationale: amendment_rationale.clone(),
                who: resolved.who.clone(),
                at: resolved.at,
            }),
            Resolution::ApproveOverride { .. }
            | Resolution::RevisePlan { .. }
            | Resolution::ProvideFix { .. }
            | Resolution::AbandonTask { .. } => {}
        }
    }
    (parts, amendments)
}

fn unusable(what: String) -> EngineError {
    EngineError::user("spec_invalid", what, "restore it from a commit")
}

/// The spec that the tasks come from: by its hash, and of a journal that names none as it lies there.
fn spec(project: &Project, machine: &Factory) -> Result<ProductSpec, EngineError> {
    let (bytes, whence) = match machine.spec() {
        Some(hash) => {
            let bytes = project.vault()?.get(hash)?;
            (bytes, format!("the evidence {hash}"))
        }
        None => {
            let path = project.home().join("project/spec.json");
            let bytes = std::fs::read(&path).map_err(EngineError::io("read", &path))?;
            (bytes, path.display().to_string())
        }
    };
    let read = ::factory::spec::read(&bytes).map(|(spec, _)| spec);
    read.map_err(|_| {
        unusable(format!(
            "{whence} is not the spec that the project began with"
        ))
    })
}

/// The files that people's answers made or changed.
fn answered(project: &Project, machine: &Factory) -> Result<Vec<TaskFile>, EngineError> {
    let (parts, amendments) = answers(machine);
    if parts.is_empty() && amendments.is_empty() {
        return Ok(Vec::new());
    }
    let spec = spec(project, machine)?;
    files(
        &spec,
        machine.briefs(),
        &machine.known(),
        &parts,
        &amendments,
    )
    .map_err(|no_plan| unusable(no_plan.to_string()))
}

/// What all files below `project/` must say now. Of a project whose journal names no spec, those
/// that people's answers led to.
pub(super) fn expected(project: &Project, machine: &Factory) -> Result<Vec<TaskFile>, EngineError> {
    if machine.spec().is_none() {
        return answered(project, machine);
    }
    let spec = spec(project, machine)?;
    let made = task_files(&spec, machine.briefs(), &machine.known());
    let (_, made) = made.map_err(|no_plan| unusable(no_plan.to_string()))?;
    let by_path = |file: TaskFile| (file.path, file.text);
    let mut all: BTreeMap<String, String> = made.into_iter().map(by_path).collect();
    all.extend(answered(project, machine)?.into_iter().map(by_path));
    all.insert("project/spec.json".to_owned(), json_of(&spec)?);
    let all = all.into_iter();
    Ok(all.map(|(path, text)| TaskFile { path, text }).collect())
}

/// Writes those that differ of all files: when a project is opened, and after a decision.
pub(super) fn write(project: &Project, machine: &Factory) -> Result<(), EngineError> {
    let (home, files) = (project.home(), expected(project, machine)?);
    clear_gone(&home, machine, &files)?;
    write_those(&home, files)
}

/// A task that the spec does not have any more has no file: a role that reads there would take it for one. The
/// spec that it came from is kept.
fn clear_gone(home: &Path, machine: &Factory, files: &[TaskFile]) -> Result<(), EngineError> {
    let tasks = machine.tasks().iter();
    let gone: Vec<String> = tasks
        .filter(|task| task.gone.is_some())
        .map(|task| format!("{}.md", task.declared.id))
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    for name in store::walk(&home.join("project"), &|_| false)? {
        let path = format!("project/{}", name.display());
        let is_gone = gone.iter().any(|file| name.ends_with(file));
        if is_gone && !files.iter().any(|file| file.path == path) {
            let path = home.join(path);
            std::fs::remove_file(&path).map_err(EngineError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Writes those that differ of what people's answers led to: cheap enough for every dispatch.
pub(super) fn write_answered(project: &Project, machine: &Factory) -> Result<(), EngineError> {
    write_those(&project.home(), answered(project, machine)?)
}

fn write_those(home: &Path, files: Vec<TaskFile>) -> Result<(), EngineError> {
    for file in files {
        let path = home.join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        store::write_atomic(&path, file.text.as_bytes())?;
    }
    Ok(())
}

/// The spec as `project/spec.json` has it.
pub fn json_of(spec: &ProductSpec) -> Result<String, EngineError> {
    serde_json::to_string_pretty(spec)
        .map_err(|error| EngineError::io("write", Path::new("project/spec.json"))(error.into()))
}
