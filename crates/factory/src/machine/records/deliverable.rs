//! What a module is made of, in envelopes of their own (rule F8): its implementation, its locked
//! contract, its examples, and the evidence of its ship. The first three are debated together and so
//! have one status; the evidence comes to be when they are shipped. What is superseded or deprecated
//! is marked, and stays.

use super::super::state::State;
use super::{Record, artifact, first, folder, pack_id, task_ref};
use crate::artifact::{ArtifactEnvelope, ArtifactStatus, ArtifactType, Author, PurposedRef};
use crate::debate::stored::{change_target, target};
use crate::delivery::registry::{Entry, Origin};
use crate::engineering::context::module_folder;
use crate::engineering::roles::Role;
use crate::project::types::{ModuleRef, TaskId, mint};
use kernel::outcome::CheckResult;
use kernel::{EffectId, Time};
use serde_json::{Value, json};

/// Who stands where a role's name belongs, when a person made something.
pub(super) const PERSON: &str = "person";

/// One version of a module, and where it comes from.
pub(super) struct Made<'a> {
    pub(super) state: &'a State,
    pub(super) task: &'a TaskId,
    pub(super) reference: &'a ModuleRef,
    pub(super) origin: &'a Origin,
    /// When, where no attempt of ours says it.
    pub(super) at: Time,
}

/// The contract of an exception has its debate's id; any other is the plan's.
fn contract_id(run: &str, task: &TaskId, reference: &ModuleRef, origin: &Origin) -> String {
    if let Some(exception) = &origin.exception {
        return change_target(run, exception);
    }
    let planned = origin.planned.map_or(0, |effect| effect.0);
    let thing = format!("{task}/{reference}/{planned}/{}", origin.revision);
    mint("CTR", run, &thing)
}

impl<'a> Made<'a> {
    /// A shipped version. None: nobody knows any more which task made it.
    pub(super) fn of(state: &'a State, entry: &'a Entry) -> Option<Self> {
        let exception = entry.origin.exception.as_ref();
        let of_exception = exception.and_then(|id| state.exceptions.get(id));
        let task = entry.task.as_ref().or(of_exception.map(|one| &one.task))?;
        Some(Self {
            state,
            task,
            reference: &entry.reference,
            origin: &entry.origin,
            at: entry.at,
        })
    }

    fn implementation(&self) -> String {
        let run = self.state.run();
        match &self.origin.exception {
            Some(exception) => mint("IMPL", run, exception.as_str()),
            None => target(run, self.task, self.reference, self.origin.opened),
        }
    }

    /// Each kind with its id, its file, and the attempt that made it.
    fn debated(&self) -> [(ArtifactType, String, &'static str, Option<EffectId>); 3] {
        let (run, origin) = (self.state.run(), self.origin);
        let made = self.implementation();
        let examples = mint("EX", run, &made);
        let contract = contract_id(run, self.task, self.reference, origin);
        let raised = origin.exception.as_ref();
        let raised = raised.and_then(|id| self.state.exceptions.get(id));
        let raised = raised.map(|record| record.raised.effect);
        [
            (
                ArtifactType::Implementation,
                made,
                "implementation",
                raised.or(origin.opened),
            ),
            (
                ArtifactType::Contract,
                contract,
                "contract.json",
                raised.or(origin.planned),
            ),
            (
                ArtifactType::Examples,
                examples,
                "examples.md",
                raised.or(origin.opened),
            ),
        ]
    }

    fn role(&self, kind: ArtifactType, by: Option<EffectId>) -> &'static str {
        match (kind, by) {
            (_, None) => PERSON,
            (ArtifactType::Contract, _) if self.origin.exception.is_none() => {
                Role::MicroPlanner.as_str()
            }
            _ => Role::Proposer.as_str(),
        }
    }

    fn envelope(&self, kind: ArtifactType, id: &str, by: Option<EffectId>) -> ArtifactEnvelope {
        let effect = by.unwrap_or(EffectId(0));
        let attempts = self.state.ledger.attempts.iter();
        let began = attempts.rev().find(|one| one.effect == effect);
        let created_at = began.map_or(self.at, |one| one.began);
        let mut inputs = vec![task_ref(self.task)];
        inputs.extend(self.origin.exception.as_ref().map(|id| PurposedRef {
            reference: format!("{id}@{}", first()),
            purpose: "the exception that asks for it".to_owned(),
        }));
        ArtifactEnvelope {
            artifact_id: id.to_owned(),
            artifact_type: kind,
            version: first(),
            status: ArtifactStatus::Draft,
            created_at: created_at.to_string(),
            created_by: Author {
                role: self.role(kind, by).to_owned(),
                run_id: format!("{}/{effect}", self.state.run()),
            },
            context_pack_ref: pack_id(self.state, effect),
            inputs,
            outputs: vec![PurposedRef {
                reference: self.reference.to_string(),
                purpose: "the module's version".to_owned(),
            }],
            notes: match by {
                Some(_) => String::new(),
                None => "a person made it, and has no context pack".to_owned(),
            },
        }
    }

    fn place(&self, file: &str) -> Value {
        let folder = module_folder(self.reference);
        json!({"module_ref": self.reference, "folder": folder, "file": file})
    }

    /// The contract as soon as it is locked: nobody implements before it (rule F6.7).
    pub(super) fn contract(
        &self,
        status: ArtifactStatus,
        body: (Value, &'static str),
    ) -> [Record; 2] {
        let [_, (kind, id, _, by), _] = self.debated();
        let mut envelope = self.envelope(kind, &id, by);
        envelope.status = status;
        let (value, document) = body;
        let name = "contract.json";
        artifact(self.state, self.task, &envelope, name, document, value)
    }

    /// Implementation and examples, where the debate stands now.
    pub(super) fn work(&self, status: ArtifactStatus) -> Vec<Record> {
        let mut all = Vec::new();
        for (kind, id, file, by) in self.debated() {
            if kind == ArtifactType::Contract {
                continue;
            }
            let mut envelope = self.envelope(kind, &id, by);
            envelope.status = status;
            let name = match kind {
                ArtifactType::Examples => "examples.json",
                _ => "deliverable.json",
            };
            let (state, body) = (self.state, self.place(file));
            all.extend(artifact(state, self.task, &envelope, name, "", body));
        }
        all
    }

    /// The envelope of the ship's evidence: the engine makes it, whoever made the module.
    fn of_evidence(&self) -> ArtifactEnvelope {
        let id = mint("SHIP", self.state.run(), &self.reference.to_string());
        let kind = ArtifactType::ShipEvidence;
        let mut envelope = self.envelope(kind, &id, self.origin.opened);
        envelope.created_at = self.at.to_string();
        "engine".clone_into(&mut envelope.created_by.role);
        envelope.status = ArtifactStatus::Shipped;
        "made by the engine when everything that was debated had passed; sealed with the module"
            .clone_into(&mut envelope.notes);
        for (_, id, file, _) in self.debated() {
            envelope.inputs.push(PurposedRef {
                reference: format!("{id}@{}", first()),
                purpose: format!("{file}, as it was debated"),
            });
        }
        envelope
    }

    /// The evidence of the ship, by the hashes under which the gate kept it.
    pub(super) fn evidence(&self, results: &[CheckResult]) -> [Record; 2] {
        let envelope = self.of_evidence();
        let kept = results.iter().flat_map(|result| &result.evidence);
        let mut body = self.place("ship.json");
        body["evidence"] = kept.map(|one| json!(one)).collect();
        let name = "ship_evidence.json";
        artifact(self.state, self.task, &envelope, name, "", body)
    }

    /// All four, after something took its place (rule F8.4): status and notes, and nothing else of
    /// who made them, when and from what. Bodies stay as they are.
    pub(super) fn deprecated(&self, why: &str) -> Vec<Record> {
        let debated = self.debated().into_iter();
        let debated = debated.map(|(kind, id, _, by)| self.envelope(kind, &id, by));
        let all = debated.chain([self.of_evidence()]);
        all.map(|mut envelope| {
            envelope.status = ArtifactStatus::Deprecated;
            why.clone_into(&mut envelope.notes);
            let folder = folder(self.state, self.task, &envelope.artifact_id);
            let path = format!("{folder}/envelope.json");
            Record::of(path, "ArtifactEnvelope", &envelope)
        })
        .collect()
    }
}
