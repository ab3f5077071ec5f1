//! What a person wrote into the state file: their own lines are theirs. Lines of the header that
//! declare how much the run may do are taken where they make it stricter, and refused where they
//! would loosen it: a file is not the channel for that. The line with the phase is a request like an
//! agent's; what only a decision can give, it does not give.

use super::state::{FlowState, Stage};
use crate::workflow::{Fact, Field, Owner, Workflow};
use kernel::autonomy::Risk;
use kernel::event::{FieldsEdited, RunStarted};
use kernel::table::{Actor, Guard, Target};
use kernel::{Autonomy, Refusal, StateName};
use std::collections::BTreeMap;

/// The code of an edit of the header that was not taken.
const NOT_TAKEN: &str = "header_not_taken";

/// Is this a line with which a person may declare something that the engine keeps?
pub(super) fn declares(field: &Field) -> bool {
    matches!(
        field.owner,
        Owner::Engine(Fact::Autonomy | Fact::Risk | Fact::State)
    )
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
            .and_then(|field| refusal(workflow, run, field, value))
        {
            None => edited.fields.insert(name.clone(), value.clone()).is_some(),
            Some(refusal) => edited.refused.insert(name.clone(), refusal).is_some(),
        };
    }
    edited
}

fn refusal(workflow: &Workflow, run: &FlowState, field: &Field, value: &str) -> Option<Refusal> {
    let nobody_held = |one: &RunStarted| one.unconfined || one.sandbox_waived_by.is_some();
    if run.started.as_ref().is_some_and(nobody_held) {
        let what = format!(
            "`{}` was edited in the state file, and an agent that nothing confines may have done it",
            field.name
        );
        let mend = "decide what is asked, signed; other fields are set when a run is started";
        return Some(Refusal::new(NOT_TAKEN, what, mend));
    }
    if field.owner == Owner::Engine(Fact::State) {
        return not_granted(workflow, run, field, value.trim());
    }
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

/// Why the phase that a person asks for in the file is not gone to.
fn not_granted(
    workflow: &Workflow,
    run: &FlowState,
    field: &Field,
    asked: &str,
) -> Option<Refusal> {
    let here = &run.position.state;
    let line = format!("`{}: {asked}`", field.name);
    let not_taken = |why: String, mend: String| {
        let what = format!("{line} was asked for in the state file, and {why}");
        Some(Refusal::new(NOT_TAKEN, what, mend))
    };
    let name = run.started.as_ref().map_or("RUN", |one| one.run.as_str());
    if run.position.stopped || run.position.is_over(&workflow.table) {
        let mend = "start another run; a run that is over stays as it is".to_owned();
        return not_taken(format!("the run is over, in `{here}`"), mend);
    }
    if let Some(hold) = &run.position.hold {
        let mend =
            format!("`proofhouse decide {name} ...`; `proofhouse inbox` shows what can be said");
        return not_taken(
            format!("the run waits for a decision ({})", hold.name()),
            mend,
        );
    }
    let to = StateName::from(asked);
    let mut ways = workflow.table.leaving(here).map(|(_, way)| way);
    let leads = |target: &Target| match target {
        Target::State(state) => *state == to,
        Target::Return => run.position.slot.as_ref() == Some(&to),
    };
    let by_request = workflow.table.leaving(here).any(|(_, way)| {
        way.by != Actor::Human && way.when.contains(&Guard::Requested) && leads(&way.to)
    });
    if by_request {
        return None;
    }
    if let Some(way) = ways.find(|way| way.by == Actor::Human && leads(&way.to)) {
        let mend = format!("`proofhouse decide {name} {}`", way.action);
        return not_taken("only a decision leads there".to_owned(), mend);
    }
    let allowed = workflow.table.allowed_requests(here);
    let names: Vec<&str> = allowed.iter().map(StateName::as_str).collect();
    let mend = match names.is_empty() {
        true => format!("nothing can be asked for in `{here}`: it is left by its gate"),
        false => format!("what can be asked for in `{here}`: {}", names.join(", ")),
    };
    Some(Refusal::new(
        "illegal_transition",
        format!("{line} was asked for in the state file, and nothing leads there from `{here}`"),
        mend,
    ))
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
    /// A person asks for a state. Where nobody works, the gate is held against what is there.
    fn ask(&mut self, state: &str) {
        self.asked = Some(StateName::from(state));
        if self.stage == Stage::Fresh {
            self.stage = Stage::Answered { attempt: None };
        }
    }

    /// A field has this value from here on.
    pub(super) fn set_field(&mut self, workflow: &Workflow, name: &str, value: &str) {
        let before = self.fields.insert(name.to_owned(), value.to_owned());
        if before.is_none_or(|before| before.trim() != value.trim()) {
            self.idle.field_changed(workflow, name);
        }
    }

    pub(super) fn edited(&mut self, workflow: &Workflow, edited: &FieldsEdited) {
        let owner = |name: &String| workflow.field(name).map(|field| &field.owner);
        for (name, value) in &edited.fields {
            match owner(name) {
                Some(Owner::Engine(Fact::Autonomy)) => {
                    self.position.autonomy = autonomy(value).unwrap_or(self.position.autonomy);
                }
                Some(Owner::Engine(Fact::Risk)) => self.risk = risk(value).or(self.risk),
                Some(Owner::Engine(Fact::State)) => self.ask(value.trim()),
                _ => {
                    self.by_person.insert(name.clone());
                    self.set_field(workflow, name, value);
                }
            }
        }
        if let Some(refusal) = edited.refused.values().next() {
            self.refuse(refusal.clone());
        }
        if !self.position.is_over(&workflow.table) {
            self.snapshots
                .edited(workflow.snapshot.as_ref(), &edited.fields);
        }
    }
}
