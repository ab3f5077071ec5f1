//! The task files that people's answers lead to (section 17.2): a split makes new ones before its
//! tasks are dispatched, an amended spec writes one anew with its history. Made of the spec and the
//! journal alone, so a lost one is written again.

use crate::error::EngineError;
use ::factory::halt::resolution::Resolution;
use ::factory::machine::Factory;
use ::factory::plan::TaskFile;
use ::factory::plan::again::{Amendment, Part, files};
use std::path::Path;

fn answers(machine: &Factory) -> (Vec<Part>, Vec<Amendment>) {
    let (mut parts, mut amendments) = (Vec::new(), Vec::new());
    for (task, resolved) in machine.resolutions() {
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
                    });
                }
            }
            Resolution::AmendSpec {
                amended_acceptance_criteria,
                amendment_rationale,
            } => amendments.push(Amendment {
                task_id: task.to_string(),
                criteria: amended_acceptance_criteria.clone(),
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

/// What the files must say now; none of a project whose answers left them as they were.
pub(super) fn expected(home: &Path, machine: &Factory) -> Result<Vec<TaskFile>, EngineError> {
    let (parts, amendments) = answers(machine);
    if parts.is_empty() && amendments.is_empty() {
        return Ok(Vec::new());
    }
    let path = home.join("project/spec.json");
    let bytes = std::fs::read(&path).map_err(EngineError::io("read", &path))?;
    let spec = ::factory::spec::read(&bytes).map(|(spec, _)| spec);
    let made = spec.map_err(|_| ()).and_then(|spec| {
        let made = files(&spec, &parts, &amendments);
        made.map_err(|_| ())
    });
    made.map_err(|()| {
        EngineError::user(
            "spec_invalid",
            format!(
                "{} is not the spec that the project began with",
                path.display()
            ),
            "restore it from a commit",
        )
    })
}

/// Writes those that differ.
pub(super) fn write(home: &Path, machine: &Factory) -> Result<(), EngineError> {
    for file in expected(home, machine)? {
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
