//! Where a program is on this machine, and what is said if it is nowhere.

use std::path::{Path, PathBuf};

/// What is said of a program that is not here.
pub(crate) fn no_program(program: &str, mend: &str) -> Option<String> {
    match find_program(program) {
        Some(path) if path.is_absolute() && !may_run(&path) => Some(format!(
            "`{program}` is a file that may not be executed; `chmod +x {program}`"
        )),
        Some(_) => None,
        None if program.contains('/') && Path::new(program).is_relative() => Some(format!(
            "`{program}` would be looked for where the agent works, which has only `repo/` and `task/`; give its whole path"
        )),
        None if program.contains('/') => Some(format!("there is no program `{program}`; {mend}")),
        None => Some(format!("the program `{program}` is not on PATH; {mend}")),
    }
}

fn may_run(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

/// Where it is.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        let path = Path::new(program);
        // A relative one is looked for in the view, which is not there yet.
        let in_view = ["repo", "task"].iter().any(|part| path.starts_with(part));
        return (in_view || (path.is_absolute() && path.is_file())).then(|| path.to_owned());
    }
    let path = sandbox::base_env().remove("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_program_is_one_of_the_view() {
        assert!(find_program("repo/tools/agent").is_some());
        let said = no_program("./agent.sh", "mend").unwrap_or_default();
        assert!(said.contains("give its whole path"), "{said}");
    }
}
