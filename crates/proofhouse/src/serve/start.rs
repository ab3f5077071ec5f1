//! A run begun from the page.

use super::decide::{answer, malformed, repository};
use super::http::{Request, Response};
use super::pages::House;
use crate::begin::begin;
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
