//! Escalations, exceptions with what people decided about them, and releases: files that are written
//! when they come to be, and again when something is added to them.

use super::super::facts::Fact;
use super::super::{ExceptionRecord, Factory};
use super::Record;
use crate::contract::from_plan;
use crate::delivery::manifest::Manifest;
use crate::micro_plan::IoContract;
use crate::project::types::{ExceptionId, mint};
use kernel::Event;
use kernel::event::Body;
use serde_json::{Value, json};

/// What follows from an event, asked after it was taken in.
pub(super) fn after(machine: &Factory, event: &Event) -> Vec<Record> {
    let Body::Noted(note) = &event.body else {
        return Vec::new();
    };
    match Fact::read(note) {
        Ok(Fact::TaskHalted(halted)) => {
            let mut all = escalation(machine, halted.escalation.as_str());
            if let Some(id) = &halted.exception {
                all.extend(exception(machine, id));
            }
            all
        }
        Ok(Fact::TaskResolved(resolved)) => {
            let this = machine.escalations().find(|one| {
                let given = one.resolved.as_ref();
                one.task_id == resolved.task && given.is_some_and(|given| given.at == event.at)
            });
            this.map_or_else(Vec::new, |one| {
                escalation(machine, one.escalation_id.as_str())
            })
        }
        Ok(Fact::ExceptionDecided(decided)) => decisions(machine, &decided.decision.exception_id)
            .into_iter()
            .collect(),
        // A change that failed adds its debate to the escalation.
        Ok(Fact::ChangeStepped(stepped)) => {
            let this = machine
                .escalations()
                .find(|one| one.exception.as_ref() == Some(&stepped.exception));
            this.map_or_else(Vec::new, |one| {
                escalation(machine, one.escalation_id.as_str())
            })
        }
        Ok(Fact::ReleaseJudged(manifest)) => release(&manifest),
        Ok(Fact::ProductStepped(_)) => {
            let artifact = machine.spec_escalation();
            artifact.iter().map(super::product::escalated).collect()
        }
        _ => Vec::new(),
    }
}

fn escalation(machine: &Factory, id: &str) -> Vec<Record> {
    let artifact = machine.escalation_artifact(&id.into());
    let record = artifact.map(|value| Record {
        path: format!("escalations/{id}.json"),
        document: "EscalationArtifact",
        value,
    });
    record.into_iter().collect()
}

fn release(manifest: &Manifest) -> Vec<Record> {
    let id = &manifest.release_id;
    let report = manifest.failure_report().map(|value| Record {
        path: format!("releases/{id}.failure.json"),
        document: "ReleaseFailureReport",
        value,
    });
    let manifest = Record {
        path: format!("releases/{id}.json"),
        // A release of nothing has no form in the document.
        document: if manifest.modules.is_empty() {
            ""
        } else {
            "ReleaseManifest"
        },
        value: manifest.document(),
    };
    [Some(manifest), report].into_iter().flatten().collect()
}

/// The record of rule F13.3. It never changes: decisions are files of their own beside it.
fn exception(machine: &Factory, id: &ExceptionId) -> Option<Record> {
    let record = machine.state.exceptions.get(id)?;
    Some(Record {
        path: format!("exceptions/{id}.json"),
        document: "InterfaceChangeException",
        value: document(machine.state.run(), record),
    })
}

fn document(run: &str, record: &ExceptionRecord) -> Value {
    let raised = &record.raised;
    let mut document = json!(raised.exception);
    let effect = raised.effect.to_string();
    document["exception_id"] = json!(record.exception_id);
    document["raised_by"] = json!({
        "artifact_ref": mint("CONTRIB", run, &effect),
        "role": raised.role.as_str(),
        "run_id": format!("{run}/{effect}"),
    });
    document["proposed_contract_delta"] = delta(&document["proposed_contract_delta"]);
    document
}

/// Elements in the form of contracts, also where a line of a plan stood for one.
fn delta(given: &Value) -> Value {
    let mut delta = given.clone();
    let Some(members) = delta.as_object_mut() else {
        return delta;
    };
    for (name, list) in members.iter_mut() {
        let Some(list) = list.as_array_mut() else {
            continue;
        };
        for element in list.iter_mut() {
            *element = match name.as_str() {
                "removed_inputs" | "removed_outputs" => named(element),
                name => whole(name, element),
            };
        }
    }
    delta
}

/// Things are removed by name.
fn named(element: &Value) -> Value {
    let name = element.get("name").unwrap_or(element).as_str();
    let name = name.and_then(|text| text.split(':').next());
    json!(name.unwrap_or_default().trim())
}

fn whole(list: &str, element: &Value) -> Value {
    let Some(line) = element.as_str() else {
        let mut element = element.clone();
        let defaults: &[(&str, Value)] = match list {
            "added_inputs" | "modified_inputs" => {
                &[("type", json!("any")), ("constraints", json!([]))]
            }
            "added_outputs" | "modified_outputs" => {
                &[("type", json!("any")), ("invariants", json!([]))]
            }
            _ => &[],
        };
        if let Some(members) = element.as_object_mut() {
            for (name, value) in defaults {
                members.entry(*name).or_insert_with(|| value.clone());
            }
        }
        return element;
    };
    let mut plan = IoContract::default();
    let line = vec![line.to_owned()];
    let dimension = match list {
        "added_inputs" | "modified_inputs" => "inputs",
        "added_outputs" | "modified_outputs" => "outputs",
        "added_error_surfaces" => "error_surfaces",
        _ => "effects",
    };
    match dimension {
        "inputs" => plan.inputs = line,
        "outputs" => plan.outputs = line,
        "error_surfaces" => plan.error_surfaces = line,
        _ => plan.effects = line,
    }
    let surface = json!(from_plan::surface(&plan));
    surface[dimension].get(0).cloned().unwrap_or_default()
}

/// All that people decided about an exception, in order.
fn decisions(machine: &Factory, id: &ExceptionId) -> Option<Record> {
    let all = machine.rulings().iter();
    let all = all.filter(|one| one.exception_id == *id);
    let all: Vec<Value> = all
        .map(|one| {
            json!({
                "exception_id": id, "decision": one.ruling,
                "reason": one.because, "decided_at": one.at,
            })
        })
        .collect();
    (!all.is_empty()).then(|| Record {
        path: format!("exceptions/{id}.decisions.json"),
        document: "",
        value: Value::Array(all),
    })
}
