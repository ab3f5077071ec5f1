//! The repositories that a person has `serve` show together: a list of folders beside their Code Index, one on a
//! line. It is a convenience and no record: a folder that is gone is passed over, and stays until it is forgotten.

use std::path::{Path, PathBuf};
use workspace::{EngineError, Project, index_place};

/// Where the list is.
fn place() -> Result<PathBuf, EngineError> {
    let index = index_place::of_user()?;
    let home = index.ancestors().nth(2).unwrap_or(&index);
    Ok(home.join("repositories"))
}

/// All of them, as they were remembered; none where there is no list.
pub(crate) fn all() -> Vec<PathBuf> {
    let read = place().map(|place| std::fs::read_to_string(place).unwrap_or_default());
    let text = read.unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(PathBuf::from).collect()
}

fn write(all: &[PathBuf]) -> Result<(), EngineError> {
    let place = place()?;
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    let lines = all.iter().map(|one| format!("{}\n", one.display()));
    Ok(store::write_atomic(
        &place,
        lines.collect::<String>().as_bytes(),
    )?)
}

/// Remembers these as well.
pub(crate) fn remember(repos: &[Project]) -> Result<(), EngineError> {
    let known = all();
    let mut now = known.clone();
    // A name that is no text, or more than a line, could not be read again as it is.
    let lines = |top: &Path| top.to_str().is_some_and(|text| !text.contains('\n'));
    let tops = repos.iter().map(|one| one.top().to_owned());
    for top in tops.filter(|top| lines(top)) {
        if !now.contains(&top) {
            now.push(top);
        }
    }
    match now == known {
        true => Ok(()),
        false => write(&now),
    }
}

/// Forgets one, by its path as it is listed or as it is named from here.
pub(crate) fn forget(named: &Path) -> Result<PathBuf, EngineError> {
    let mut known = all();
    let here = std::fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
    let found = known.iter().position(|one| one == named || *one == here);
    let Some(found) = found else {
        let names: Vec<String> = known.iter().map(|one| one.display().to_string()).collect();
        return Err(EngineError::user(
            "not_remembered",
            format!(
                "{} is not among the repositories that are remembered",
                named.display()
            ),
            match names.is_empty() {
                true => "none is: `serve --repo A --repo B` remembers both".to_owned(),
                false => format!("these are: {}", names.join(", ")),
            },
        ));
    };
    let gone = known.remove(found);
    write(&known)?;
    Ok(gone)
}
