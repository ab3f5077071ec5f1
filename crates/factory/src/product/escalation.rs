//! The escalation of a product loop that cannot complete its spec (rule F17.1): the same artifact
//! that a halted task has, with every member, though there is no task yet.
//!
//! It does not offer the six resolutions: a spec is amended or rejected, or drafted again.

use super::{At, Product};
use crate::debate::Trail;
use crate::escalation::{Action, SpecWord};
use crate::project::types::mint;
use kernel::Time;
use serde_json::{Value, json};

/// What stands in a task's place before there are tasks.
pub const NO_TASK: &str = "T-product";
/// What the person has to decide.
pub const DECISION: &str = "the spec could not be completed: amend it (say what to leave out or to decide), reject it (start again from other requirements), or let it be drafted again";

/// What a person said to it.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    pub word: SpecWord,
    /// The feedback or the reasons.
    pub text: &'a str,
    pub who: &'a str,
    /// When.
    pub at: Time,
}

impl Product {
    /// Its escalation's id, while the role cannot go on; another one after every word of a person.
    pub fn escalation_id(&self, run: &str) -> Option<String> {
        let stopped = self.at == At::Spent && self.spent.is_some();
        stopped.then(|| mint("ESC", run, &format!("{NO_TASK}/{}", self.ended)))
    }

    /// The artifact. `state_machine` is the view at that time: no tasks yet.
    pub fn escalation(
        &self,
        run: &str,
        state_machine: &Value,
        said: Option<Said<'_>>,
    ) -> Option<Value> {
        let lines = self.deficiencies.iter();
        let mut failed: Vec<Value> = lines
            .filter(|line| !line.trim().is_empty())
            .map(|line| json!({"invariant": "spec_complete (section 3.2.3)", "evidence": line}))
            .collect();
        if failed.is_empty() {
            failed.push(json!({
                "invariant": "a complete spec (section 3.2.3)", "evidence": "there is none",
            }));
        }
        let given = &self.began.spec.name;
        let mut artifact = json!({
            "escalation_id": self.escalation_id(run)?,
            "task_id": NO_TASK,
            "task_ref": format!("{}/{}/{given}", super::FOLDER, super::GIVEN),
            "created_at": self.spent?,
            // Specs are judged by rule and by people: nobody debates them.
            "debate_trail": Trail::default(),
            "failed_invariants": failed,
            "state_machine_snapshot": state_machine,
            "minimal_decision_required": DECISION,
            "recommended_resolution": Action::AmendSpec,
            "resolution_context": self.context(),
        });
        if let Some(said) = said {
            artifact["resolution"] = json!({
                "action": said.word,
                "payload": {"decision": said.word, "amendment_rationale": said.text},
                "resolved_by": said.who,
                "resolved_at": said.at,
            });
        }
        Some(artifact)
    }

    fn context(&self) -> String {
        let mut lines = vec![format!(
            "{} attempts ended, {} drafts in a row were not complete",
            self.ended, self.refusals
        )];
        let kept = [("newest draft", &self.draft), ("its report", &self.report)];
        for (name, one) in kept {
            lines.extend(
                one.as_ref()
                    .map(|one| format!("{name}: sha256 {}", one.hash)),
            );
        }
        for (name, list) in [
            ("rejected before", &self.rejections),
            ("to be changed", &self.feedback),
        ] {
            lines.extend(list.iter().map(|text| format!("{name}: {text}")));
        }
        lines.join("\n")
    }
}
