//! A person's word from the page: signed by their passkey over the exact words, and let in through the same door
//! as every other signature. The page asks and hands on; it cannot decide.

use super::back::Back;
use super::guard::Own;
use super::http::{Request, Response, decoded};
use super::pages::House;
use super::word::Word;
use approval::{Words, passkey};
use base64ct::{Base64UrlUnpadded, Encoding};
use engine::decide::Ask;
use kernel::machine::Activity;
use kernel::position::STOP;
use report::Looked;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use workspace::{EngineError, Project};

/// What a browser sends: a decision, and the passkey's answer to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decision {
    repo: String,
    run: String,
    /// The last record that the page showed.
    head: String,
    option: String,
    because: String,
    /// Of a project: the question that is answered, and what was filled in for it. Of a run that is led back: the
    /// record of the commit.
    #[serde(default)]
    about: String,
    #[serde(default)]
    filled: BTreeMap<String, String>,
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

pub(super) fn answer(result: Result<Value, EngineError>) -> Response {
    match result {
        Ok(value) => Response::json(200, &value),
        Err(error) => refused(&error),
    }
}

pub(super) fn malformed(what: &str) -> EngineError {
    EngineError::user("request_malformed", what, "load the page again")
}

fn bytes(text: &str) -> Result<Vec<u8>, EngineError> {
    Base64UrlUnpadded::decode_vec(text).map_err(|_| malformed("a part of it is no base64"))
}

pub(super) fn repository<'a>(house: &'a House, key: &str) -> Result<&'a Project, EngineError> {
    let (_, project) = house
        .repo(key)
        .ok_or_else(|| malformed("no such repository is served here"))?;
    match &house.decides {
        Some(_) => Ok(project),
        None => Err(EngineError::user(
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
    let looked = report::look::look(project, run)?;
    let head = looked.head().clone();
    as_shown(&head.hash, &asked("head"))?;
    let status = looked.status();
    let ends = option == STOP && ends_from_here(&looked, status.activity);
    let waiting = status.waiting_for;
    if !ends && !waiting.is_some_and(|on| on.options.contains(&option)) {
        return Err(EngineError::user(
            "not_offered",
            format!("`{run}` does not offer `{option}`"),
            "choose what the page offers",
        ));
    }
    if because.trim().is_empty() {
        return Err(EngineError::user(
            "reason_missing",
            "a decision says why",
            "give a reason: it goes on record",
        ));
    }
    let tree = match &looked {
        Looked::Run(peek) => peek.machine.passed_tree().unwrap_or_default(),
        Looked::Project(_) => "",
    };
    let words = Words {
        run,
        seq: head.seq,
        head: &head.hash,
        tree,
        option: &option,
        because: &because,
    };
    Ok(json!({
        "text": String::from_utf8_lossy(&approval::message(&words)),
        "challenge": Base64UrlUnpadded::encode_string(&passkey::challenge(&words)),
        "home": passkey::HOME,
    }))
}

/// Can a run be ended that asks nothing?
fn ends_from_here(looked: &Looked, activity: Activity) -> bool {
    matches!(looked, Looked::Run(_)) && matches!(activity, Activity::Working | Activity::Resting)
}

/// A word about a project, or one that leads a run back, before it is signed: its fields do not fit an address.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Worded {
    repo: String,
    run: String,
    head: String,
    about: String,
    option: String,
    because: String,
    filled: BTreeMap<String, String>,
}

/// The exact words of such an answer, and what they carry; nothing is changed here.
pub(super) fn words_of_project(house: &House, request: &Request) -> Response {
    let made = || {
        let said: Worded = serde_json::from_slice(&request.body)
            .map_err(|error| malformed(&format!("it cannot be read: {error}")))?;
        let project = repository(house, &said.repo)?;
        as_shown(
            &report::look::look(project, &said.run)?.head().hash,
            &said.head,
        )?;
        if !report::look::is_project(project, &said.run) {
            let back = Back::of(project, &said.run, &said.option, &said.about)?;
            return back.worded(project, &said.because);
        }
        let word = Word {
            run: &said.run,
            about: &said.about,
            option: &said.option,
            because: &said.because,
            filled: &said.filled,
        };
        let (message, carries) = word.message(project)?;
        Ok(json!({
            "text": String::from_utf8_lossy(&message),
            "carries": carries,
            "challenge": Base64UrlUnpadded::encode_string(&passkey::to_sign(&message)),
            "home": passkey::HOME,
        }))
    };
    answer(made())
}

/// Refuses an answer to another page than the one that was shown.
fn as_shown(now: &str, shown: &str) -> Result<(), EngineError> {
    match now == shown {
        true => Ok(()),
        false => Err(EngineError::user(
            "page_outdated",
            "the run has moved on since this page was shown",
            "look at it again, and answer what it asks now",
        )),
    }
}

/// Lets a decision in.
pub(super) fn decide(house: &House, own: &Own, request: &Request) -> Response {
    answer(decided(house, own, request))
}

fn decided(house: &House, own: &Own, request: &Request) -> Result<Value, EngineError> {
    let said: Decision = serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("the decision cannot be read: {error}")))?;
    let project = repository(house, &said.repo)?;
    as_shown(
        &report::look::look(project, &said.run)?.head().hash,
        &said.head,
    )?;
    let Some(approvers) = project.read_approvers()? else {
        return Err(EngineError::user(
            "signer_unknown",
            "there is no .proofhouse/approvers, so nothing says whose passkey this is",
            "enrol it first; the page has a link",
        ));
    };
    let parts = [&said.authenticator_data, &said.client_data, &said.signature];
    let pem = pem(&approvers, parts, own)?;
    let approve = |words: &Words<'_>| {
        let now = workspace::clock::now();
        let signer = approval::verify(&approvers, &pem, words, now)?;
        Ok(approval::Approved {
            channel: signer.channel(),
            who: signer.principal,
            signature: Some(pem.trim().to_owned()),
        })
    };
    let decided = match report::look::is_project(project, &said.run) {
        true => {
            let word = Word {
                run: &said.run,
                about: &said.about,
                option: &said.option,
                because: &said.because,
                filled: &said.filled,
            };
            word.decide(project, approve)?
        }
        false if !said.about.is_empty() => {
            let back = Back::of(project, &said.run, &said.option, &said.about)?;
            engine::decide::decide(project, &back.ask(&said.because), approve)?
        }
        false => {
            let ask = Ask {
                name: &said.run,
                option: &said.option,
                about: "",
                with: &Value::Null,
                because: &said.because,
            };
            engine::decide::decide(project, &ask, approve)?
        }
    };
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
    if house.decides.is_none() {
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

/// What an authenticator answered, as an armored signature.
fn pem(approvers: &str, parts: [&String; 3], own: &Own) -> Result<String, EngineError> {
    let [authenticator_data, client_data, signature] = parts;
    let assertion = passkey::Assertion {
        authenticator_data: bytes(authenticator_data)?,
        client_data: bytes(client_data)?,
        signature: bytes(signature)?,
    };
    passkey::armored(approvers, &assertion, &own.origin()).map_err(|why| {
        EngineError::user(
            "signature_invalid",
            why,
            "sign with a passkey that is listed",
        )
    })
}

/// Words that a command printed with `--message`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed {
    text: String,
}

/// What an authenticator is asked for them; nothing is changed here.
pub(super) fn challenge(house: &House, request: &Request) -> Response {
    answer(challenged(house, request))
}

fn challenged(house: &House, request: &Request) -> Result<Value, EngineError> {
    let said: Printed = serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("it cannot be read: {error}")))?;
    if house.decides.is_none() {
        return Err(malformed("this server only shows"));
    }
    // A field of a page ends lines in its own way, and people leave the last one out.
    let text = said.text.replace("\r\n", "\n");
    let text = format!("{}\n", text.trim_end_matches('\n'));
    if !text.starts_with(approval::FIRST_LINE) {
        return Err(EngineError::user(
            "not_our_words",
            "these are not the words of a decision",
            "paste what a command prints with `--message`, from its first line on",
        ));
    }
    Ok(json!({
        "challenge": Base64UrlUnpadded::encode_string(&passkey::to_sign(text.as_bytes())),
        "home": passkey::HOME,
    }))
}

/// A passkey's answer to such words.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    repo: String,
    authenticator_data: String,
    client_data: String,
    signature: String,
}

/// The answer as a file for `--signature`; nothing is changed here.
pub(super) fn signature(house: &House, own: &Own, request: &Request) -> Response {
    answer(signed(house, own, request))
}

fn signed(house: &House, own: &Own, request: &Request) -> Result<Value, EngineError> {
    let said: Answered = serde_json::from_slice(&request.body)
        .map_err(|error| malformed(&format!("it cannot be read: {error}")))?;
    let approvers = repository(house, &said.repo)?
        .read_approvers()?
        .unwrap_or_default();
    let parts = [&said.authenticator_data, &said.client_data, &said.signature];
    Ok(json!({ "signature": pem(&approvers, parts, own)? }))
}
