//! Where a program is on this machine, and what is said if it is nowhere.

use std::path::{Path, PathBuf};

/// What is said of a program that is not here.
pub(crate) fn no_program(program: &str, mend: &str) -> Option<String> {
    match find_program(program) {
        Some(path) if path.is_absolute() && !may_run(&path) => Some(format!(
            "`{program}` is a file that may not be executed; `chmod +x {program}`"
        )),
        Some(_) => None,
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
        // A relative one is looked for in the view, which is not there yet.
        let path = Path::new(program);
        return (path.is_relative() || path.is_file()).then(|| path.to_owned());
    }
    let path = sandbox::base_env().remove("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}
