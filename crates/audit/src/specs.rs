//! The tasks of a project against the spec that they are said to come from: the bytes are read by their
//! hash, planned again, and compared with what was approved and declared. A signature says who
//! approved; only this says that the tasks are those of the spec.

use crate::finding::{Finding, finding};
use engine::factory::{Stands, approval_of, as_left};
use factory::machine::{APPROVE, Fact, Factory};
use factory::plan::further::Released;
use factory::project::{Declared, TaskGraph};
use kernel::{Body, Event};
use serde_json::{Value, json};
use store::Vault;

/// What a journal says of specs and tasks.
#[derive(Default)]
pub(crate) struct Specs {
    /// Approvals, and what a project that began with a finished spec was opened with.
    claims: Vec<Claim>,
    declared: Vec<Declared>,
    /// Released specs that a further version begins with: line, project, and the hash of what was given.
    released: Vec<(u64, Option<Released>, String)>,
}

struct Claim {
    line: u64,
    claimed: Value,
    /// The tasks that are released, and the hash of their spec.
    stands: Option<(TaskGraph, String)>,
}

impl Specs {
    /// Takes a record in; the hash of a spec that must be there.
    pub(crate) fn take(&mut self, line: u64, event: &Event, machine: &Factory) -> Option<String> {
        match &event.body {
            Body::Decided(decision) if decision.option == APPROVE => {
                let began = machine
                    .product()
                    .and_then(|one| one.began.released.as_ref());
                self.claims.push(Claim {
                    line,
                    claimed: decision.with.clone(),
                    stands: began.map(|kept| (machine.tasks().clone(), kept.hash.clone())),
                });
                decision.with["spec"].as_str().map(str::to_owned)
            }
            Body::Noted(note) => match Fact::read(note).ok()? {
                Fact::ProductBegan(began) => {
                    let hash = began.released?.hash;
                    self.released.push((line, machine.released(), hash));
                    None
                }
                Fact::TasksDeclared(declared) => {
                    self.declared.extend(declared.tasks);
                    None
                }
                Fact::ProjectOpened(opened) => {
                    let hash = opened.spec?;
                    let mut claimed = json!({
                        "spec": hash,
                        "spec_id": opened.project_id,
                        "spec_version": opened.spec_version,
                        "tasks": self.declared,
                    });
                    if let Some(product) = &opened.product {
                        claimed["product"] = json!(product);
                    }
                    self.claims.push(Claim {
                        line,
                        claimed,
                        stands: None,
                    });
                    Some(hash)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Claims that do not follow from their spec. A spec that is lost is a finding of its own.
    pub(crate) fn faults(&self, vault: &Vault) -> Vec<Finding> {
        let fault = |one: &Claim| {
            let claimed = &one.claimed;
            let bytes = vault.get(claimed["spec"].as_str().unwrap_or_default());
            let stands = match &one.stands {
                None => None,
                Some((graph, hash)) => Some(Stands {
                    graph: graph.clone(),
                    released: serde_json::from_slice(&vault.get(hash).ok()?).ok()?,
                }),
            };
            let what = match approval_of(&bytes.ok()?, stands.as_ref()) {
                Ok(made) if as_ever(&made).contains(claimed) => return None,
                Ok(_) => "its tasks are not those of the spec that it names".to_owned(),
                Err(error) => error.to_string(),
            };
            Some(finding("tasks_not_of_spec", one.line, what))
        };
        let mut found: Vec<Finding> = self.claims.iter().filter_map(fault).collect();
        for (line, released, given) in &self.released {
            let stands = released.as_ref().and_then(|released| {
                let spec = as_left(released, &vault.get(&released.spec).ok()?).ok()?;
                Some(vault.get(given).ok()? == engine::factory::spec_json(&spec).ok()?.as_bytes())
            });
            if stands != Some(true) {
                let what = format!("{given} is not the spec that was released before it");
                found.push(finding("tasks_not_of_spec", *line, what));
            }
        }
        found
    }
}

/// The same as it is now, and as projects had it that told their machine nothing of sketches, or of what
/// tasks must show.
fn as_ever(made: &Value) -> [Value; 3] {
    let without = |made: &Value, member: &str| {
        let mut made = made.clone();
        let tasks = made["tasks"].as_array_mut();
        for task in tasks.into_iter().flatten().filter_map(Value::as_object_mut) {
            task.remove(member);
        }
        made
    };
    let before_sketches = without(made, "sketch");
    let before_criteria = without(&before_sketches, "criteria");
    [made.clone(), before_sketches, before_criteria]
}
