//! Which run is meant by whoever names one, or none.

use workspace::{EngineError, Project};

/// The run that was named. None is guessed: the wrong one could cost money.
pub(crate) fn named<'a>(project: &Project, run: Option<&'a str>) -> Result<&'a str, EngineError> {
    run.ok_or_else(|| {
        let names = store::list(&project.journals()).unwrap_or_default();
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let mend = match names.is_empty() {
            true => "there is no run yet; start one with `proofhouse do`".to_owned(),
            false => format!("name one of: {}", names.join(", ")),
        };
        EngineError::user("no_run_named", "which run is meant?", mend)
    })
}

/// The run that is only looked at: the one that was named, or the only one there is.
pub(crate) fn only(project: &Project, run: Option<&str>) -> Result<String, EngineError> {
    if run.is_none()
        && let Ok([only]) = store::list(&project.journals()).as_deref()
    {
        return Ok(only.to_string());
    }
    named(project, run).map(str::to_owned)
}
