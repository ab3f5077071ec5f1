//! The records of the state store (rule F7) that say who contributed what: context packs,
//! contributions, artifacts in their envelopes, debates round by round. Each follows from one event
//! and the state before it, so a replay of the journal writes the same files again.
//!
//! Whatever is here can be deleted and made anew.

mod changes;
mod debate;
mod deliverable;
mod pack;
mod plan;
mod product;
mod standing;

pub(crate) use product::of_spec;

use super::Factory;
use super::facts::Fact;
use super::state::State;
use crate::artifact::{
    ArtifactEnvelope, ArtifactStatus, ArtifactType, Author, Contribution, ContributionType,
    PurposedRef,
};
use crate::project::types::{TaskId, mint};
use deliverable::Made;
use kernel::event::Body;
use kernel::module::Version;
use kernel::{EffectId, Event, Machine, Time};
use serde::Serialize;
use serde_json::Value;

/// A file of the state store, and the kind of document that it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Below `state_store/`.
    pub path: String,
    /// Its name in `proofhouse schema`; empty: it has no schema.
    pub document: &'static str,
    /// All of it.
    pub value: Value,
}

impl Record {
    fn of(path: String, document: &'static str, value: &impl Serialize) -> Self {
        let value = serde_json::to_value(value);
        Self {
            path,
            document,
            value: value.expect("documents have string keys and no failing serializers"),
        }
    }
}

/// A project that says which files follow from each event. The same path may come again: the later
/// one takes its place, as an artifact's status goes on.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    machine: Factory,
}

impl Recorder {
    /// A project that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an event in, and gives the files that follow from it.
    pub fn take(&mut self, event: &Event) -> Vec<Record> {
        let mut all = records(&self.machine.state, event);
        self.machine.apply(event);
        all.extend(standing::after(&self.machine, event));
        all
    }

    /// The project as it stands.
    pub fn machine(&self) -> &Factory {
        &self.machine
    }
}

/// What an event leads to that the state before it knows.
fn records(state: &State, event: &Event) -> Vec<Record> {
    match &event.body {
        Body::EffectBegan(began) => pack::pack(state, began, event.at).into_iter().collect(),
        Body::Noted(note) => match Fact::read(note) {
            Ok(Fact::EngineeringStepped(stepped)) => {
                debate::stepped(state, &stepped.task, &stepped.step, event.at)
            }
            Ok(
                fact @ (Fact::ProductStepped(_)
                | Fact::SpecApproved(_)
                | Fact::SpecRejected(_)
                | Fact::SpecAmended(_)
                | Fact::TroubleMended(_)),
            ) => product::records(state, &fact, event.at),
            Ok(Fact::ModuleDeprecated(gone)) => {
                let entry = state.registry.get(&gone.module);
                let made = entry.and_then(|entry| Made::of(state, entry));
                made.map_or_else(Vec::new, |made| made.deprecated(&gone.note))
            }
            Ok(Fact::ModulesRetired(retired)) => {
                let entries = retired
                    .modules
                    .iter()
                    .filter_map(|one| state.registry.get(one));
                let made = entries.filter_map(|entry| Made::of(state, entry));
                made.flat_map(|made| made.deprecated(&retired.note))
                    .collect()
            }
            Ok(Fact::ExceptionDecided(decided)) => changes::decided(state, &decided, event.at),
            Ok(Fact::TaskResolved(resolved)) => debate::resolved(state, &resolved, event.at),
            Ok(Fact::ChangeStepped(stepped)) => changes::stepped(state, &stepped, event.at),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// An attempt that came back with something.
#[derive(Clone, Copy)]
struct Heard<'a> {
    state: &'a State,
    task: &'a TaskId,
    effect: EffectId,
    result: &'a Value,
    at: Time,
}

impl Heard<'_> {
    fn run_id(&self) -> String {
        format!("{}/{}", self.state.run(), self.effect)
    }

    fn pack(&self) -> String {
        pack_id(self.state, self.effect)
    }

    /// Each invocation that gave an answer has exactly one contribution (rule F5.2). What was not
    /// accepted became no artifact: then the answer itself is named, by its hash.
    fn contributes(&self, role: &str, kind: ContributionType, artifact: Option<&str>) -> Record {
        let answer = || {
            let hash = crate::delivery::registry::hash_of(self.result);
            format!("refused answer sha256:{hash}")
        };
        let contribution = Contribution {
            contribution_id: mint("CONTRIB", self.state.run(), &self.effect.to_string()),
            kind,
            produced_by: Author {
                role: role.to_owned(),
                run_id: self.run_id(),
            },
            artifact_ref: artifact.map_or_else(answer, |id| format!("{id}@{}", first())),
            task_ref: self.task.to_string(),
            created_at: self.at.to_string(),
            context_pack_ref: self.pack(),
        };
        let path = format!("contributions/{}.json", contribution.contribution_id);
        Record::of(path, "Contribution", &contribution)
    }

    /// The envelope of something that this answer made.
    fn envelope(&self, id: &str, kind: ArtifactType, role: &str) -> ArtifactEnvelope {
        ArtifactEnvelope {
            artifact_id: id.to_owned(),
            artifact_type: kind,
            version: first(),
            status: ArtifactStatus::Draft,
            created_at: self.at.to_string(),
            created_by: Author {
                role: role.to_owned(),
                run_id: self.run_id(),
            },
            context_pack_ref: self.pack(),
            inputs: vec![task_ref(self.task)],
            outputs: Vec::new(),
            notes: String::new(),
        }
    }
}

fn first() -> Version {
    Version::FIRST
}

fn task_ref(task: &TaskId) -> PurposedRef {
    PurposedRef {
        reference: format!("{task}@{}", first()),
        purpose: "the task".to_owned(),
    }
}

fn pack_id(state: &State, effect: EffectId) -> String {
    mint("CP", state.run(), &effect.to_string())
}

/// `artifacts/{pillar}/{id}/{version}`.
fn folder(state: &State, task: &TaskId, id: &str) -> String {
    let pillar = state.graph.get(task).map(|task| &task.declared.pillar);
    let pillar = pillar.map(|name| crate::plan::slug(name));
    // Before there are tasks there are no pillars.
    let pillar = pillar.unwrap_or_else(|| crate::product::ROLE.to_owned());
    format!("artifacts/{pillar}/{id}/{}", first())
}

/// An envelope, and its body beside it.
fn artifact(
    state: &State,
    task: &TaskId,
    envelope: &ArtifactEnvelope,
    name: &str,
    document: &'static str,
    body: Value,
) -> [Record; 2] {
    let folder = folder(state, task, &envelope.artifact_id);
    [
        Record::of(
            format!("{folder}/envelope.json"),
            "ArtifactEnvelope",
            envelope,
        ),
        Record {
            path: format!("{folder}/body/{name}"),
            document,
            value: body,
        },
    ]
}
