//! A person's word from the page: signed by their passkey over the exact words, and let in through the same door
//! as every other signature. The page asks and hands on; it cannot decide.

use super::guard::Own;
use super::http::{Request, Response, decoded};
use super::pages::House;
use base64ct::{Base64UrlUnpadded, Encoding};
use engine::approval::{self, Words, passkey};
use engine::decide::Ask;
use serde::Deserialize;
use serde_json::{Value, json};
use workspace::{EngineError, Project};

/// What a browser sends: a decision, and the passkey's answer to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decision {
    repo: String,
    run: String,
    option: String,
    because: String,
    go_on: bool,
    authenticator_data: String,
    client_data: String,
    signature: String,
}

/// A passkey that was made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Enrolment {
    name: String,
    /// The key in the form that browsers give it: SPKI, in DER.
    key: String,
}

fn refused(error: &EngineError) -> Response {
    let facts = json!({ "code": error.code, "what": error.what, "mend": error.mend });
    Response::json(400, &facts)
}

fn answer(result: Result<Value, EngineError>) -> Response {
    match result {
        Ok(value) => Response::json(200, &value),
        Err(error) => refused(&error),
    }
}

fn malformed(what: &str) -> EngineError {
    EngineError::user("request_malformed", what, "load the page again")
}

fn bytes(text: &str) -> Result<Vec<u8>, EngineError> {
    Base64UrlUnpadded::decode_vec(text).map_err(|_| malformed("a part of it is no base64"))
}

fn repository<'a>(house: &'a House, key: &str) -> Result<&'a Project, EngineError> {
    let (_, project) = house
        .repo(key)
        .ok_or_else(|| malformed("no such repository is served here"))?;
    match house.decides {
        true => Ok(project),
        false => Err(EngineError::user(
            "page_only_shows",
            "this server only shows",
            "start it with `proofhouse serve --decide`, or answer in a terminal",
        )),
    }
}

/// The exact words of a decision, before it is signed: `/words/REPO/RUN?option=...&because=...`.
pub(super) fn words(house: &House, request: &Request) -> Response {
    answer(worded(house, request))
}

fn worded(house: &House, request: &Request) -> Result<Value, EngineError> {
    let parts: Option<Vec<String>> = request.path.split('/').skip(2).map(decoded).collect();
    let parts = parts.unwrap_or_default();
    let [key, run] = parts.as_slice() else {
        return Err(malformed("it names no run"));
    };
    let project = repository(house, key)?;
    let asked = |name| request.asked(name).unwrap_or_default();
    let (option, because) = (asked("option"), asked("because"));
    let head = report::look::look(project, run)?.head().clone();
    let words = Words {
        run,
        seq: head.seq,
        head: &head.hash,
        option: &option,
        because: &because,
    };
    Ok(json!({
        "text": String::from_utf8_lossy(&approval::message(&words)),
        "challenge": Base64UrlUnpadded::encode_string(&passkey::challenge(&words)),
        "home": passkey::HOME,
    }))
}

/// Lets a decision in.
pub(super) fn decide(house: &House, own: &Own, request: &Request) -> Response {
    answer(decided(house, own, request))
}

fn decided(house: &House, own: &Own, request: &Request) -> Result<Value, EngineError> {
    let said: Decision = serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("the decision cannot be read: {error}")))?;
    let project = repository(house, &said.repo)?;
    let Some(approvers) = project.read_approvers()? else {
        return Err(EngineError::user(
            "signer_unknown",
            "there is no .proofhouse/approvers, so nothing says whose passkey this is",
            "enrol it first; the page has a link",
        ));
    };
    let assertion = passkey::Assertion {
        authenticator_data: bytes(&said.authenticator_data)?,
        client_data: bytes(&said.client_data)?,
        signature: bytes(&said.signature)?,
    };
    let pem = passkey::armored(&approvers, &assertion, &own.origin()).map_err(|why| {
        EngineError::user(
            "signature_invalid",
            why,
            "sign with a passkey that is listed",
        )
    })?;
    let ask = Ask {
        name: &said.run,
        option: &said.option,
        about: "",
        with: &Value::Null,
        because: &said.because,
    };
    let decided = engine::decide::decide(project, &ask, |words| {
        let now = workspace::clock::now();
        let signer = approval::verify(&approvers, &pem, words, now)?;
        Ok(approval::Approved {
            who: signer.principal,
            channel: format!("{} {}", approval::SIGNED, signer.fingerprint),
            signature: Some(pem.trim().to_owned()),
        })
    })?;
    let begun = match said.go_on && decided.more {
        true => (house.go_on)(project, &said.run)
            .map_or_else(|error| error.to_string(), |()| "it goes on".to_owned()),
        false => String::new(),
    };
    Ok(json!({ "state": decided.status.state, "begun": begun }))
}

/// The command that enrols a passkey; nothing is changed here.
pub(super) fn enrol(house: &House, own: &Own, request: &Request) -> Response {
    answer(enrolled(house, own, request))
}

fn enrolled(house: &House, own: &Own, request: &Request) -> Result<Value, EngineError> {
    let said: Enrolment = serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("it cannot be read: {error}")))?;
    if !house.decides {
        return Err(malformed("this server only shows"));
    }
    let key = bytes(&said.key)?;
    // A key on P-256 ends with its point, 65 bytes long; everything before it names the curve.
    let point = key.len().checked_sub(65).map(|at| &key[at..]);
    let point = point.filter(|_| key.len() == 91);
    let point = point.ok_or_else(|| malformed("this is no key on the curve P-256"))?;
    let line = passkey::line(&said.name, point, &own.origin()).map_err(|why| malformed(&why))?;
    let command = format!("proofhouse approver add '{line}'");
    Ok(json!({ "line": line, "command": command }))
}
