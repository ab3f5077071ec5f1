//! A run begun, or gone on with, for somebody who sits at no terminal (the page, a guest's tool): what a person
//! would type, with `--detach`, in a process that nobody can be asked in.

use serde_json::Value;
use std::io::{Read, Seek};
use workspace::{EngineError, Project};

/// Begins it at HEAD, with the checks, the agent and the caps of the config; gives the run's name.
pub(crate) fn begin(project: &Project, sentence: &str) -> Result<String, EngineError> {
    let words = ["do", "--detach", "--from", "HEAD", "--", sentence.trim()];
    detached(project, &words, "say it in a terminal: `proofhouse do`")
}

/// Starts an engine for a run that nobody drives.
pub(crate) fn go_on(project: &Project, run: &str) -> Result<String, EngineError> {
    let mend = format!("say it in a terminal: `proofhouse run {run}`");
    detached(project, &["run", "--detach", run], &mend)
}

fn detached(project: &Project, words: &[&str], mend: &str) -> Result<String, EngineError> {
    let place = project.top();
    let program = std::env::current_exe().map_err(EngineError::io("find", place))?;
    let mut argv = vec![program.display().to_string(), "--repo".to_owned()];
    argv.extend([place.display().to_string(), "--json".to_owned()]);
    argv.extend(words.iter().map(|word| (*word).to_owned()));
    let mut said = nameless(place)?;
    let mut child =
        ::sandbox::detach(&argv, place, &said).map_err(EngineError::io("start", &program))?;
    let ended = child
        .wait()
        .map_err(EngineError::io("wait for", &program))?;
    let mut text = String::new();
    let _ = said.rewind();
    let _ = said.read_to_string(&mut text);
    let mut lines = text.lines().rev();
    let last = lines.find_map(|line| serde_json::from_str::<Value>(line).ok());
    if ended.success()
        && let Some(run) = last.as_ref().and_then(|facts| facts["run"].as_str())
    {
        return Ok(run.to_owned());
    }
    let whole: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    let member = |name: &str| {
        let found = whole["error"][name].as_str().or(whole[name].as_str());
        found.map(str::to_owned)
    };
    Err(EngineError::user(
        &member("code").unwrap_or_else(|| "not_begun".to_owned()),
        member("what").unwrap_or_else(|| text.trim().to_owned()),
        member("mend").unwrap_or_else(|| mend.to_owned()),
    ))
}

/// A file of nobody else's that is gone when it is closed.
fn nameless(place: &std::path::Path) -> Result<std::fs::File, EngineError> {
    let (process, thread) = (std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(format!("proofhouse-{process}-{thread:?}"));
    let mut options = std::fs::File::options();
    let file = options.read(true).write(true).create_new(true).open(&path);
    let file = file.map_err(EngineError::io("create", place))?;
    let _ = std::fs::remove_file(&path);
    Ok(file)
}
