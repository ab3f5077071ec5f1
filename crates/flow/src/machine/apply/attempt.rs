//! An attempt has ended: what of its result is kept. What follows from a bad end is in `patience.rs`.

use crate::machine::state::Patience;
use crate::machine::state::{FlowState, MOST_NOTE_CHARS, Stage};
use crate::workflow::{Owner, Workflow};
use kernel::Time;
use kernel::event::AttemptEnded;
use kernel::outcome::{Class, RoleResult};
use std::collections::BTreeMap;

/// Why the agent says that it is impossible as asked, if it does. That is an answer, and no failure.
fn impossible(ended: &AttemptEnded) -> Option<String> {
    let reason = ended.outcome.result.as_ref()?["impossible"]
        .as_str()?
        .trim();
    let reason: String = reason.chars().take(MOST_REASON_CHARS).collect();
    (!reason.is_empty()).then_some(reason)
}

/// The longest reason that a person is shown.
const MOST_REASON_CHARS: usize = 2_000;

impl FlowState {
    pub(super) fn attempt_ended(&mut self, workflow: &Workflow, ended: &AttemptEnded, at: Time) {
        let outcome = &ended.outcome;
        self.stage = if outcome.class == Class::Done {
            // What nobody has done anything about is still to be done.
            let idle = self.idle.attempted(workflow, &self.position.state, outcome);
            match idle {
                Some(why) => self.note(why),
                None => self.notes.clear(),
            }
            self.patience = Patience::default();
            self.take_fields(workflow, &outcome.fields);
            self.keep_result(workflow, ended);
            let role = workflow.states[&self.position.state].role.as_ref();
            let role = role.and_then(|role| workflow.roles.get(role));
            self.made.take(outcome, role.map(|role| role.access()));
            if let Some(result) = &outcome.result {
                self.take_findings(workflow, result);
            }
            let state = self.position.state.clone();
            let summary = outcome
                .result
                .as_ref()
                .and_then(|one| one["summary"].as_str());
            self.keep_answer(&state, summary.unwrap_or_default());
            match impossible(ended) {
                None => Stage::Answered {
                    attempt: Some(ended.effect),
                },
                Some(reason) => Stage::Stuck {
                    why: format!(
                        "the agent in `{state}` says that it is impossible as asked: {reason}\nSay `retry` with what to do instead (`--because`), or `stop`"
                    ),
                    answered: None,
                },
            }
        } else {
            self.failed(ended.effect, outcome, at)
        };
        let summary = outcome
            .result
            .as_ref()
            .and_then(|result| result["summary"].as_str());
        self.said = summary
            .unwrap_or_default()
            .chars()
            .take(MOST_NOTE_CHARS)
            .collect();
        self.outcome = Some(outcome.clone());
    }

    fn keep_result(&mut self, workflow: &Workflow, ended: &AttemptEnded) {
        let def = workflow.states.get(&self.position.state);
        if let (Some(role), Some(value)) = (
            def.and_then(|def| def.role.clone()),
            ended.outcome.result.clone(),
        ) {
            let result = RoleResult {
                attempt: ended.effect,
                tree: ended.outcome.tree_after.clone(),
                value,
            };
            self.results.insert(role, result);
        }
    }

    /// Agents may fill in what nobody has set; what a person set stays, or an agent could move
    /// its own goal posts.
    fn take_fields(&mut self, workflow: &Workflow, changed: &BTreeMap<String, String>) {
        for (name, value) in changed {
            let Some(field) = workflow
                .field(name)
                .filter(|field| field.owner == Owner::Author)
            else {
                continue;
            };
            if !field.is_open_in(&self.position.state) {
                self.note(format!(
                    "the field `{name}` is not written in this phase and stays as it is"
                ));
                continue;
            }
            let set = self
                .started
                .as_ref()
                .and_then(|started| started.fields.get(name));
            if set.is_some_and(|set| !set.is_empty()) || self.by_person.contains(name) {
                self.note(format!(
                    "the field `{name}` was set by a person and stays as it is"
                ));
            } else {
                self.fields.insert(name.clone(), value.clone());
            }
        }
    }
}
