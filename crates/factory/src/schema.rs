//! Every document of the factory by name: its form, from which its JSON Schema follows, and the rules
//! across its members. This is the only list of them (the Code Index's own two are in `index`). A text
//! is judged before a value is made of it, so nothing that is wrong is ever written.

use crate::artifact::{ArtifactEnvelope, Contribution, own_prefix};
use crate::context_pack::ContextPack;
use crate::contract::{DIMENSIONS, MicroModuleContract, MismatchArtifact, Surface};
use crate::debate::{Adjudication, Challenge, Proposal, TRAIL, judge};
use crate::deficiency::{Deficiency, REPORT, Report};
use crate::delivery::manifest;
use crate::exception::{self, InterfaceChangeException};
use crate::project::project_state;
use crate::ship::{ExecutionLog, ShipEvidence, log_rules};
use crate::spec::ProductSpec;
use crate::{context_pack, contract, escalation, micro_plan, plan, spec};
pub use kernel::form::Document;
use kernel::form::{Fault, Form, Formed};
use kernel::json;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// All of them.
pub static DOCUMENTS: [Document; 23] = [
    Document::of(
        "3.2.2",
        "pillars, epics, stories and tasks of a product",
        ProductSpec::FORM,
    )
    .open(),
    Document::of("3.2.1", "what a validator found", Form::Object(&REPORT)),
    Document::of("4.1", "tasks with ids, folders and order", plan::Plan::FORM),
    Document::of(
        "4.2",
        "state_machine.json: all tasks, and where each stands",
        Form::Object(&project_state::FORM),
    )
    .with(project_state::rules),
    Document::of(
        "5.2",
        "what one invocation of a role produced",
        Contribution::FORM,
    ),
    Document::of(
        "5.3",
        "what a role was shown, and what not",
        ContextPack::FORM,
    )
    .with(context_pack::rules),
    Document::of(
        "8",
        "the metadata of every artifact",
        ArtifactEnvelope::FORM,
    )
    .with(own_prefix),
    Document::of(
        "9.2",
        "a deliverable and the claim about it",
        Proposal::FORM,
    ),
    Document::of("9.2", "the attempt to falsify a proposal", Challenge::FORM)
        .with(judge::challenge_rules),
    Document::of("9.2", "the decision on a proposal", Adjudication::FORM)
        .with(judge::adjudication_rules),
    Document::of(
        "18.5",
        "everything that was said in a debate",
        Form::Object(&TRAIL),
    ),
    Document::of(
        "10.1",
        "a task as micro modules",
        Form::Object(&micro_plan::MICRO_PLAN),
    )
    .with(micro_plan::rules),
    Document::of(
        "11.1",
        "the five dimensions of a module, and its metadata",
        MicroModuleContract::FORM,
    )
    .with(contract::rules),
    Document::of("11.2", "the proof that a module works", ShipEvidence::FORM),
    Document::of("11.3", "the tests that were run", ExecutionLog::FORM).with(log_rules),
    Document::of(
        "11.2",
        "escalation.json of a module: the locked surface and the one that was found",
        MismatchArtifact::FORM,
    ),
    Document::of(
        "13.3",
        "the request to change an upstream contract",
        InterfaceChangeException::FORM,
    )
    .with(exception::rules),
    Document::of(
        "13.5",
        "what a person decided about such a request",
        Form::Object(&exception::DECISION),
    ),
    Document::of(
        "14.3",
        "why a module is made or reused",
        Form::Object(&micro_plan::REUSE_REPORT),
    )
    .with(micro_plan::reuse_rules),
    Document::of(
        "15.4",
        "a set of modules that goes together",
        Form::Object(&manifest::MANIFEST),
    )
    .with(manifest::manifest_rules),
    Document::of(
        "15.4",
        "what the gates of a release stumbled over",
        Form::Object(&manifest::FAILURE_REPORT),
    )
    .with(manifest::failure_rules),
    Document::of(
        "17.1",
        "what a person must decide",
        Form::Object(&escalation::ESCALATION),
    ),
    Document::of(
        "17.2",
        "what a person decided",
        Form::Tagged(&escalation::RESOLUTION),
    )
    .with(escalation::resolution_rules),
];

/// By name, in any case.
pub fn find(name: &str) -> Option<&'static Document> {
    let mut all = DOCUMENTS.iter();
    all.find(|document| document.name().eq_ignore_ascii_case(name))
}

/// Judges a text that claims to be a document.
pub fn validate(document: &Document, bytes: &[u8]) -> Report {
    // A spec is judged by the fourteen conditions of rule F3.2.3, with warnings of its own.
    if document.name() == ProductSpec::OBJECT.name {
        return spec::validate_new(bytes);
    }
    let judged = strict(bytes, |value| document.faults(value));
    judged.err().unwrap_or_default()
}

/// Reads a text that must be this document, strictly.
pub fn read<T: DeserializeOwned>(document: &Document, bytes: &[u8]) -> Result<T, Report> {
    of_value(&strict(bytes, |value| document.faults(value))?)
}

fn of_value<T: DeserializeOwned>(value: &Value) -> Result<T, Report> {
    T::deserialize(value).map_err(|error| {
        let found = Deficiency::error("wrong_shape", "$", "", error.to_string());
        Report::from_iter([found])
    })
}

/// The value of a text. Repeated keys, numbers that readers round and broken characters are errors, as
/// is everything that the form or the rules refuse.
fn strict(bytes: &[u8], faults: impl FnOnce(&Value) -> Vec<Fault>) -> Result<Value, Report> {
    let text = match json::Document::parse(bytes) {
        Ok(text) => text,
        Err(error) => {
            let found = Deficiency::error(error.code, "$", "", error.what);
            return Err(Report::from_iter([found.at(error.line, error.column)]));
        }
    };
    let mut places = json::Places::new(bytes);
    if !text.faults.is_empty() {
        let faults = text.faults.iter().map(|fault| {
            let (path, field) = text.path_to(fault.offset);
            let place = places.of(fault.offset);
            let found = Deficiency::error(fault.kind.code(), path, field, fault.kind.message());
            found.at(place.line, place.column)
        });
        return Err(faults.collect());
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let found = Deficiency::error("invalid_json", "$", "", error.to_string());
        Report::from_iter([found])
    })?;
    let faults = faults(&value);
    if faults.is_empty() {
        return Ok(value);
    }
    let mut found: Vec<(usize, Deficiency)> = faults
        .into_iter()
        .map(|fault| (text.offset_of(&fault.path, &fault.field), fault.into()))
        .collect();
    // Places are found in one pass over the text; the order of the faults stays.
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| found[*at].0);
    for at in order {
        let place = places.of(found[at].0);
        (found[at].1.line, found[at].1.column) = (Some(place.line), Some(place.column));
    }
    Err(found.into_iter().map(|(_, one)| one).collect())
}

/// The five dimensions of a contract's text, whatever else is in it. A text that the type takes has
/// each dimension once, so the strict reading is left for those that it does not take, to say why.
pub fn parse_surface(bytes: &[u8]) -> Result<Surface, Report> {
    let read = std::str::from_utf8(bytes).ok().map(serde_json::from_str);
    if let Some(Ok(surface)) = read {
        return Ok(surface);
    }
    let dimensions = |value: &Value| {
        let mut found = MicroModuleContract::FORM.faults(value);
        found.retain(|fault| {
            let place = fault.place();
            let inside = |name: &str| place.starts_with(name);
            fault.cause.is_shape() && (place.is_empty() || DIMENSIONS.iter().any(|one| inside(one)))
        });
        found
    };
    of_value(&strict(bytes, dimensions)?)
}
