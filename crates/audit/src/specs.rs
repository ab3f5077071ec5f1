//! The tasks of a project against the spec that they are said to come from: the bytes are read by their
//! hash, planned again, and compared with what was approved and declared. A signature says who
//! approved; only this says that the tasks are those of the spec.

use crate::finding::{Finding, finding};
use engine::factory::approval_of;
use factory::machine::{APPROVE, Fact};
use factory::project::Declared;
use kernel::{Body, Event};
use serde_json::{Value, json};
use store::Vault;

/// What a journal says of specs and tasks.
#[derive(Default)]
pub(crate) struct Specs {
    /// Approvals, each with its line.
    approvals: Vec<(u64, Value)>,
    declared: Vec<Declared>,
    /// What a project that began with a finished spec was opened with.
    opened: Vec<(u64, Value)>,
}

impl Specs {
    /// Takes a record in; the hash of a spec that must be there.
    pub(crate) fn take(&mut self, line: u64, event: &Event) -> Option<String> {
        match &event.body {
            Body::Decided(decision) if decision.option == APPROVE => {
                self.approvals.push((line, decision.with.clone()));
                decision.with["spec"].as_str().map(str::to_owned)
            }
            Body::Noted(note) => match Fact::read(note).ok()? {
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
                    self.opened.push((line, claimed));
                    Some(hash)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Claims that do not follow from their spec. A spec that is lost is a finding of its own.
    pub(crate) fn faults(&self, vault: &Vault) -> Vec<Finding> {
        let claims = self.approvals.iter().chain(&self.opened);
        let fault = |(line, claimed): &(u64, Value)| {
            let bytes = vault.get(claimed["spec"].as_str().unwrap_or_default());
            let what = match approval_of(&bytes.ok()?) {
                Ok(made) if as_ever(&made).contains(claimed) => return None,
                Ok(_) => "its tasks are not those of the spec that it names".to_owned(),
                Err(error) => error.to_string(),
            };
            Some(finding("tasks_not_of_spec", *line, what))
        };
        claims.filter_map(fault).collect()
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
