//! What a person wrote into the state file: their own lines are theirs. Lines of the header that
//! declare how much the run may do are taken where they make it stricter, and refused where they
//! would loosen it: a file is not the channel for that.

use super::state::FlowState;
use crate::workflow::{Fact, Field, Owner, Workflow};
use kernel::autonomy::Risk;
use kernel::event::FieldsEdited;
use kernel::{Autonomy, Refusal};
use std::collections::BTreeMap;

/// The code of an edit of the header that was not taken.
const NOT_TAKEN: &str = "header_not_taken";

/// Is this a line with which a person may declare something that the engine keeps?
pub(super) fn declares(field: &Field) -> bool {
    matches!(field.owner, Owner::Engine(Fact::Autonomy | Fact::Risk))
}

/// What is taken of these edits, and what is said to the rest.
pub(super) fn judged(
    workflow: &Workflow,
    run: &FlowState,
    fields: &BTreeMap<String, String>,
) -> FieldsEdited {
    let mut edited = FieldsEdited {
        fields: BTreeMap::new(),
        refused: BTreeMap::new(),
    };
    for (name, value) in fields {
        match workflow
            .field(name)
            .and_then(|field| refusal(run, field, value))
        {
            None => edited.fields.insert(name.clone(), value.clone()).is_some(),
            Some(refusal) => edited.refused.insert(name.clone(), refusal).is_some(),
        };
    }
    edited
}

fn refusal(run: &FlowState, field: &Field, value: &str) -> Option<Refusal> {
    let line = format!("`{}: {}`", field.name, value.trim());
    let line = line.replace(": `", ":`");
    let (stands, words, looser) = match field.owner {
        Owner::Engine(Fact::Autonomy) => {
            let stands = run.position.autonomy;
            let wanted = autonomy(value);
            let words = "manual, conservative or auto";
            (
                stands.to_string(),
                words,
                wanted.map(|wanted| wanted > stands),
            )
        }
        Owner::Engine(Fact::Risk) => {
            let stands = run.mode().risk;
            let wanted = risk(value);
            let words = "normal or high";
            (
                risk_name(stands).to_owned(),
                words,
                wanted.map(|wanted| wanted < stands),
            )
        }
        _ => return None,
    };
    let what = match looser {
        Some(false) => return None,
        Some(true) => format!("{line} would loosen the run, which stands at `{stands}`"),
        None => format!("{line} is none of {words}"),
    };
    let mend = format!(
        "write `{}: {stands}` or something stricter; a run is loosened only by starting another one",
        field.name
    );
    Some(Refusal::new(NOT_TAKEN, what, mend))
}

fn autonomy(value: &str) -> Option<Autonomy> {
    let mut rungs = Autonomy::ALL.into_iter();
    rungs.find(|rung| rung.as_str() == value.trim())
}

fn risk(value: &str) -> Option<Risk> {
    let mut risks = Risk::ALL.into_iter();
    risks.find(|risk| risk_name(*risk) == value.trim())
}

/// A risk, as the header says it.
pub(super) fn risk_name(risk: Risk) -> &'static str {
    match risk {
        Risk::High => "high",
        Risk::Normal => "normal",
    }
}

impl FlowState {
    pub(super) fn edited(&mut self, workflow: &Workflow, edited: &FieldsEdited) {
        let owner = |name: &String| workflow.field(name).map(|field| &field.owner);
        for (name, value) in &edited.fields {
            match owner(name) {
                Some(Owner::Engine(Fact::Autonomy)) => {
                    self.position.autonomy = autonomy(value).unwrap_or(self.position.autonomy);
                }
                Some(Owner::Engine(Fact::Risk)) => self.risk = risk(value).or(self.risk),
                _ => {
                    self.by_person.insert(name.clone());
                    self.fields.insert(name.clone(), value.clone());
                }
            }
        }
        if let Some(refusal) = edited.refused.values().next() {
            self.last_refusal = Some(refusal.clone());
        }
        if !self.position.is_over(&workflow.table) {
            self.snapshots
                .edited(workflow.snapshot.as_ref(), &edited.fields);
        }
    }
}
