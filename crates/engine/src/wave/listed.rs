//! Which milestones a repository has, which one is meant where nobody names one, and which were put away.

use std::path::PathBuf;
use store::RunName;
use workspace::project::Project;

pub(super) const DEFINITION: &str = "milestone.toml";
/// In the folder of all milestones: the name of the one that is meant.
pub(super) const IN_USE: &str = "in-use";

/// The names of all milestones of a project.
pub fn names(project: &Project) -> Vec<String> {
    let all = project.milestones().map(std::fs::read_dir);
    let mut names: Vec<String> = all
        .into_iter()
        .flatten()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().join(DEFINITION).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| RunName::new(name).is_ok())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The milestone that a person has said to mean, if it is still there and not put away.
pub(super) fn in_use(project: &Project) -> Option<String> {
    let name = std::fs::read_to_string(all(project).join(IN_USE)).ok()?;
    let name = name.trim().to_owned();
    let there = names(project).contains(&name) && !is_archived(project, &name);
    there.then_some(name)
}

/// Was it put away?
pub fn is_archived(project: &Project, name: &str) -> bool {
    let mark = project.milestone(name).join(report::due::ARCHIVED);
    mark.is_file()
}

pub(super) fn all(project: &Project) -> PathBuf {
    let [all, _] = project.milestones();
    all
}
