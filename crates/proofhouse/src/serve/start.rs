//! A run begun from the page: `proofhouse do --detach`, as a person would type it, without a terminal that
//! could ask anything.

use super::decide::{answer, malformed, repository};
use super::http::{Request, Response};
use super::pages::House;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{Read, Seek};
use workspace::EngineError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    repo: String,
    sentence: String,
}

/// Begins it.
pub(super) fn start(house: &House, request: &Request) -> Response {
    answer(started(house, request))
}

fn started(house: &House, request: &Request) -> Result<Value, EngineError> {
    let asked: Asked = serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("it cannot be read: {error}")))?;
    let project = repository(house, &asked.repo)?;
    let place = project.top();
    let program = std::env::current_exe().map_err(EngineError::io("find", place))?;
    let argv = [
        program.display().to_string().as_str(),
        "--repo",
        &place.display().to_string(),
        "--json",
        "do",
        "--detach",
        "--from",
        "HEAD",
        "--",
        asked.sentence.trim(),
    ]
    .map(str::to_owned);
    let mut said = tempfile(place)?;
    let mut child =
        ::sandbox::detach(&argv, place, &said).map_err(EngineError::io("start", &program))?;
    let ended = child
        .wait()
        .map_err(EngineError::io("wait for", &program))?;
    let mut text = String::new();
    let _ = said.rewind();
    let _ = said.read_to_string(&mut text);
    let last = text
        .lines()
        .rev()
        .find_map(|line| serde_json::from_str::<Value>(line).ok());
    if ended.success()
        && let Some(run) = last.as_ref().and_then(|facts| facts["run"].as_str())
    {
        return Ok(json!({ "address": format!("/r/{}/run/{run}/", asked.repo) }));
    }
    let whole: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    let member = |name: &str| {
        whole["error"][name]
            .as_str()
            .or(whole[name].as_str())
            .map(str::to_owned)
    };
    let what = member("what").unwrap_or_else(|| text.trim().to_owned());
    let mend = member("mend").unwrap_or_else(|| "say it in a terminal: `proofhouse do`".to_owned());
    Err(EngineError::user(
        &member("code").unwrap_or_else(|| "not_begun".to_owned()),
        what,
        mend,
    ))
}

/// A file of nobody else's that is gone when it is closed.
fn tempfile(place: &std::path::Path) -> Result<std::fs::File, EngineError> {
    let path = std::env::temp_dir().join(format!(
        "proofhouse-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let mut options = std::fs::File::options();
    let file = options.read(true).write(true).create_new(true).open(&path);
    let file = file.map_err(EngineError::io("create", place))?;
    let _ = std::fs::remove_file(&path);
    Ok(file)
}
