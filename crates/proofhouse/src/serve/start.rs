//! A run begun from the page: from a sentence, or where another run was at one of its records.

use super::decide::{answer, malformed, repository};
use super::http::{Request, Response};
use super::pages::House;
use crate::begin::begin;
use engine::fork::NewFork;
use serde::Deserialize;
use serde_json::{Value, json};
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
    let run = begin(repository(house, &asked.repo)?, &asked.sentence)?;
    Ok(json!({ "address": format!("/r/{}/run/{run}/", asked.repo) }))
}

/// A record of a run, and who goes on from it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Left {
    repo: String,
    run: String,
    at: u64,
    name: String,
    agent: String,
}

/// Begins a run where another one was. It works when a person lets it.
pub(super) fn fork(house: &House, request: &Request) -> Response {
    answer(forked(house, request))
}

fn forked(house: &House, request: &Request) -> Result<Value, EngineError> {
    let left: Left = serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("it cannot be read: {error}")))?;
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let asked = NewFork {
        name: given(&left.name),
        agent: given(&left.agent),
        run: left.run,
        at: left.at,
    };
    let begun = engine::fork::fork(repository(house, &left.repo)?, &asked)?;
    Ok(json!({ "address": format!("/r/{}/run/{}/", left.repo, begun.run) }))
}
