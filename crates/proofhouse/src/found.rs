//! What a repository is called, and who is there to work in it, for the page, the tools of guests and the command
//! line alike.

use workspace::Project;

/// What a repository is called in addresses, unless another of that name is served before it.
pub(crate) fn key_of(project: &Project) -> String {
    let name = project.top().file_name();
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let letter = |c: char| match c.is_ascii_alphanumeric() || "-_.".contains(c) {
        true => c,
        false => '-',
    };
    name.chars().map(letter).collect()
}

/// The coding agent that is installed, for where the config names none; one that can log in comes first.
pub(crate) fn installed() -> Option<String> {
    let found = agents::readiness().into_iter();
    let found: Vec<agents::Readiness> = found.filter(|ready| ready.program.is_some()).collect();
    let best = found.iter().find(|ready| ready.way_in().is_some());
    best.or(found.first()).map(|ready| ready.agent.to_owned())
}
