//! Every document of the factory by name: its JSON Schema, and the judgement of a text that claims
//! to be one. This is the only list of them. A text is judged before a value is made of it, so
//! nothing that is wrong is ever written.

use crate::artifact::ArtifactEnvelope;
use crate::code_index::{CodeIndexEntry, ReuseSearchReport, SearchRequest};
use crate::context_pack::ContextPack;
use crate::contract::{MicroModuleContract, MismatchArtifact};
use crate::contribution::Contribution;
use crate::debate::{Adjudication, Challenge, Proposal};
use crate::deficiency::{Deficiency, Report};
use crate::escalation::{DebateTrail, EscalationArtifact, HumanResolution};
use crate::exception::{InterfaceChangeDecision, InterfaceChangeException};
use crate::json;
use crate::micro_plan::MicroPlan;
use crate::plan::Plan;
use crate::project::ProjectState;
use crate::release::{FailureReport, ReleaseManifest};
use crate::ship::{ExecutionLog, ShipEvidence};
use crate::spec::ProductSpec;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// A value that can be judged beyond its shape.
pub trait Judged: DeserializeOwned + JsonSchema {
    /// Everything that is wrong with it.
    fn judge(&self) -> Report;
}

/// A named kind of document.
pub struct Document {
    /// As the document calls it.
    pub name: &'static str,
    /// Where document 002 describes it.
    pub section: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its JSON Schema.
    pub schema: fn() -> serde_json::Value,
    /// Judges a text.
    pub validate: fn(&[u8]) -> Report,
}

const fn document<T: Judged>(
    name: &'static str,
    section: &'static str,
    about: &'static str,
) -> Document {
    Document {
        name,
        section,
        about,
        schema: schema_of::<T>,
        validate: validate::<T>,
    }
}

/// All of them.
pub static DOCUMENTS: &[Document] = &[
    Document {
        name: "ProductSpec",
        section: "3.2.2",
        about: "pillars, epics, stories and tasks of a product",
        schema: schema_of::<ProductSpec>,
        validate: crate::spec::validate,
    },
    Document {
        name: "ValidationReport",
        section: "3.2.1",
        about: "what a validator found",
        schema: schema_of::<Report>,
        validate: shape_alone::<Report>,
    },
    Document {
        name: "Plan",
        section: "4.1",
        about: "tasks with ids, folders and order",
        schema: schema_of::<Plan>,
        validate: shape_alone::<Plan>,
    },
    document::<ProjectState<'static>>(
        "ProjectState",
        "4.2",
        "state_machine.json: all tasks, and where each stands",
    ),
    document::<Contribution>(
        "Contribution",
        "5.2",
        "what one invocation of a role produced",
    ),
    document::<ContextPack>("ContextPack", "5.3", "what a role was shown, and what not"),
    document::<ArtifactEnvelope>("ArtifactEnvelope", "8", "the metadata of every artifact"),
    document::<Proposal>("Proposal", "9.2", "a deliverable and the claim about it"),
    document::<Challenge>("Challenge", "9.2", "the attempt to falsify a proposal"),
    document::<Adjudication>("Adjudication", "9.2", "the decision on a proposal"),
    Document {
        name: "DebateState",
        section: "18.5",
        about: "everything that was said in a debate",
        schema: schema_of::<DebateTrail>,
        validate: shape_alone::<DebateTrail>,
    },
    document::<MicroPlan>("MicroPlan", "10.1", "a task as micro modules"),
    document::<MicroModuleContract>(
        "MicroModuleContract",
        "11.1",
        "the five dimensions of a module, and its metadata",
    ),
    document::<ShipEvidence>("ShipEvidence", "11.2", "the proof that a module works"),
    document::<ExecutionLog>("ExecutionLog", "11.3", "the tests that were run"),
    Document {
        name: "FingerprintMismatch",
        section: "11.2",
        about: "escalation.json of a module: the locked surface and the one that was found",
        schema: schema_of::<MismatchArtifact>,
        validate: shape_alone::<MismatchArtifact>,
    },
    document::<InterfaceChangeException>(
        "InterfaceChangeException",
        "13.3",
        "the request to change an upstream contract",
    ),
    document::<InterfaceChangeDecision>(
        "InterfaceChangeDecision",
        "13.5",
        "what a person decided about such a request",
    ),
    document::<CodeIndexEntry>(
        "CodeIndexEntry",
        "14.2",
        "a shipped module in the Code Index",
    ),
    document::<ReuseSearchReport>(
        "ReuseSearchReport",
        "14.3",
        "why a module is made or reused",
    ),
    document::<SearchRequest>("SearchRequest", "14.3", "a question to the Code Index"),
    document::<ReleaseManifest>(
        "ReleaseManifest",
        "15.4",
        "a set of modules that goes together",
    ),
    document::<FailureReport>(
        "ReleaseFailureReport",
        "15.4",
        "what the gates of a release stumbled over",
    ),
    document::<EscalationArtifact>("EscalationArtifact", "17.1", "what a person must decide"),
    document::<HumanResolution>("HumanResolution", "17.2", "what a person decided"),
];

/// By name, in any case.
pub fn find(name: &str) -> Option<&'static Document> {
    DOCUMENTS
        .iter()
        .find(|document| document.name.eq_ignore_ascii_case(name))
}

fn schema_of<T: JsonSchema>() -> serde_json::Value {
    schemars::schema_for!(T).to_value()
}

fn validate<T: Judged>(bytes: &[u8]) -> Report {
    match parse::<T>(bytes) {
        Ok(value) => value.judge(),
        Err(report) => report,
    }
}

fn shape_alone<T: DeserializeOwned>(bytes: &[u8]) -> Report {
    parse::<T>(bytes).err().unwrap_or_default()
}

/// Reads a value strictly: repeated keys, numbers that readers round and broken characters are
/// errors, as is anything that the type does not have.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Report> {
    let refuse = |found: Vec<Deficiency>| Err(found.into_iter().collect());
    let document = match json::Document::parse(bytes) {
        Ok(document) => document,
        Err(error) => {
            let found = Deficiency::error(error.code, "$", "", error.what);
            return refuse(vec![found.at(error.line, error.column)]);
        }
    };
    if !document.faults.is_empty() {
        let mut places = json::Places::new(bytes);
        let faults = document.faults.iter().map(|fault| {
            let (path, field) = document.path_to(fault.offset);
            let place = places.of(fault.offset);
            let found = Deficiency::error(fault.kind.code(), path, field, fault.kind.message());
            found.at(place.line, place.column)
        });
        return refuse(faults.collect());
    }
    serde_json::from_slice(bytes).or_else(|error| {
        let (path, field) = document.path_to(offset_of(bytes, error.line(), error.column()));
        let message = error.to_string();
        // The place is in members of its own.
        let message = message.split(" at line ").next().unwrap_or_default();
        let found = Deficiency::error("wrong_shape", path, field, message);
        let place = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        refuse(vec![found.at(place(error.line()), place(error.column()))])
    })
}

/// The five dimensions of a contract's text, whatever else is in it. A text that the type takes has
/// each dimension once and nothing else inside it, so the strict reading is left for those that it
/// does not take, to say why.
pub fn parse_surface(bytes: &[u8]) -> Result<crate::contract::Surface, Report> {
    let read = std::str::from_utf8(bytes).ok().map(serde_json::from_str);
    match read {
        Some(Ok(surface)) => Ok(surface),
        Some(Err(_)) | None => parse(bytes),
    }
}

/// The byte before the place that `serde_json` names, which is the last one that it read.
fn offset_of(bytes: &[u8], line: usize, column: usize) -> usize {
    let starts = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1);
    let start = [0].into_iter().chain(starts).nth(line.saturating_sub(1));
    start.unwrap_or(0) + column.saturating_sub(1)
}
