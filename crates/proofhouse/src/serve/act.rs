//! An engine that is started or ended from the page. Neither decides anything of the run: it goes on, or it can.

use super::decide::{answer, malformed, repository};
use super::http::{Request, Response};
use super::pages::House;
use serde::Deserialize;
use serde_json::{Value, json};
use workspace::EngineError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    repo: String,
    run: String,
}

fn named(request: &Request) -> Result<Named, EngineError> {
    serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("it cannot be read: {error}")))
}

/// Lets a run go on that nobody drives.
pub(super) fn go_on(house: &House, request: &Request) -> Response {
    let begun = || -> Result<Value, EngineError> {
        let one = named(request)?;
        (house.go_on)(repository(house, &one.repo)?, &one.run)?;
        Ok(json!({ "said": "it goes on" }))
    };
    answer(begun())
}

/// Ends the engine of a run, as Ctrl-C would.
pub(super) fn stop(house: &House, request: &Request) -> Response {
    let ended = || -> Result<Value, EngineError> {
        let one = named(request)?;
        let (said, _) = (house.end)(repository(house, &one.repo)?, &one.run)?;
        Ok(json!({ "said": said }))
    };
    answer(ended())
}
