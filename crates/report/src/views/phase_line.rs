//! The line of the state file that says where the run stands: did a person write what is there, or is
//! it what the engine or an agent left before the run went on? A request that was only left behind
//! must not be answered as if somebody had asked for it now.

use crate::history::History;
use flow::{Fact, Field, Owner, Workflow};
use kernel::{Body, Event, StateName, Time};
use std::collections::BTreeMap;

/// Is this the line?
pub(super) fn is_it(field: &Field) -> bool {
    field.owner == Owner::Engine(Fact::State)
}

/// Its name; none where a workflow has no such line.
pub(super) fn name(workflow: &Workflow) -> Option<&str> {
    let fields = workflow.task.iter().flat_map(|task| &task.fields);
    fields
        .into_iter()
        .find(|field| is_it(field))
        .map(|field| field.name.as_str())
}

/// Does the journal say why this stands in the line? The file names the moment up to which it tells
/// the run: where it stood then, and what was asked for since, is no person's new wish.
pub(super) fn is_explained(
    workflow: &Workflow,
    history: &History,
    on_disk: &BTreeMap<String, String>,
    value: &str,
) -> bool {
    let events = history.events();
    let Some(written) = written(workflow, on_disk) else {
        // Nobody can tell any more: whatever the run has been in is what it left there.
        let was = |event: &Event| match &event.body {
            Body::Moved(moved) => moved.from.as_str() == value,
            Body::Rewound(back) => back.from.as_str() == value,
            _ => false,
        };
        return value == workflow.table.initial.as_str() || events.iter().any(was);
    };
    let mut stood = &workflow.table.initial;
    let mut then: Vec<&StateName> = Vec::new();
    for event in events {
        match &event.body {
            Body::Moved(moved) if event.at <= written => stood = &moved.position.state,
            Body::Rewound(back) if event.at <= written => stood = &back.position.state,
            Body::AttemptEnded(ended) if event.at >= written => {
                then.extend(&ended.outcome.request);
            }
            Body::FieldsEdited(edited) if event.at >= written => {
                let said = |(name, asked): (&String, &String)| {
                    workflow.field(name).is_some_and(is_it) && asked.trim() == value
                };
                if edited.fields.iter().any(said) {
                    return true;
                }
            }
            _ => {}
        }
    }
    stood.as_str() == value || then.iter().any(|state| state.as_str() == value)
}

/// The moment up to which the file tells the run.
fn written(workflow: &Workflow, on_disk: &BTreeMap<String, String>) -> Option<Time> {
    let mut fields = workflow.task.iter().flat_map(|task| &task.fields);
    let updated = fields.find(|field| field.owner == Owner::Engine(Fact::Updated))?;
    Time::parse(on_disk.get(&updated.name)?)
}
