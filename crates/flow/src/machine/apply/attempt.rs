//! An attempt has ended: what of its result is kept. What follows from a bad end is in `patience.rs`.

use crate::brief;
use crate::machine::idle::Alike;
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

/// The label of a stop that is a person's to hear at once, in whatever form.
const UNSAFE: &str = "Unsafe";
/// The labels of which more is asked than a word.
const TRIED: &str = "Tried";
const OPTIONS: &str = "Options";

fn is_unsafe(reason: &str) -> bool {
    said(reason, UNSAFE, &[]).is_some()
}

/// What stands behind `label:`, up to the next of the labels.
fn said<'r>(reason: &'r str, label: &str, labels: &[String]) -> Option<&'r str> {
    let (_, rest) = reason.split_once(&format!("{label}:"))?;
    let words = rest.split_inclusive(char::is_whitespace);
    let mut end = 0;
    for word in words {
        let is_label = |name: &str| name == UNSAFE || labels.iter().any(|label| label == name);
        if word.trim_end().strip_suffix(':').is_some_and(is_label) {
            break;
        }
        end += word.len();
    }
    let said = rest[..end].trim();
    (!said.trim_end_matches('.').is_empty()).then_some(said)
}

/// What the report of a stop does not say of what it must: each label has its text, what was tried names
/// what was seen, and there are options to choose from, each with what follows.
fn lacking(labels: &[String], reason: &str) -> Vec<String> {
    let mut lacks = Vec::new();
    for label in labels {
        let Some(text) = said(reason, label, labels) else {
            lacks.push(format!("`{label}:`"));
            continue;
        };
        if label == TRIED && !text.contains('`') {
            lacks.push(format!("in `{label}:` what was run or read, in backticks"));
        }
        let follows = |option: &str| option.split_whitespace().count() > 2;
        let options = text.split(';').filter(|option| follows(option)).count();
        if label == OPTIONS && options < 2 {
            lacks.push(format!(
                "in `{label}:` at least two, with `;` between them, each with what follows"
            ));
        }
    }
    lacks
}

/// The longest reason that a person is shown.
const MOST_REASON_CHARS: usize = 2_000;

impl FlowState {
    pub(in crate::machine) fn attempt_ended(
        &mut self,
        workflow: &Workflow,
        ended: &AttemptEnded,
        at: Time,
    ) {
        let outcome = &ended.outcome;
        self.idle.made(workflow, &self.position.state, outcome);
        self.stage = if outcome.class == Class::Done {
            // Before anything is said of who did nothing: a line of the state file may be what was mended.
            let not_taken = self.take_fields(workflow, &outcome.fields);
            // What nobody has done anything about is still to be done.
            let before = self.changed_code;
            let idle = self
                .idle
                .attempted(workflow, &self.position.state, outcome, before);
            match idle {
                Some(why) => self.note(why),
                None => self.notes.clear(),
            }
            self.patience = Patience::default();
            self.failures = 0;
            self.alike = Alike::default();
            not_taken.into_iter().for_each(|why| self.note(why));
            let result = outcome.result.as_ref();
            let unread = result.and_then(|one| brief::unread(workflow, &self.position.state, one));
            unread.into_iter().for_each(|why| self.note(why));
            self.keep_result(workflow, ended);
            let role = workflow.states[&self.position.state].role.as_ref();
            let role = role.and_then(|role| workflow.roles.get(role));
            self.made.take(outcome, role.map(|role| role.access()));
            self.snapshots.worked(workflow.snapshot.as_ref(), outcome);
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
                // Once it is sent back; whoever says it again, or says that it is not safe, is heard.
                Some(reason) if self.position.passes == 0 && !is_unsafe(&reason) => {
                    let lacks = lacking(&workflow.stops, &reason);
                    match lacks.is_empty() {
                        true => self.stopped(&reason),
                        false => {
                            let why = format!(
                                "it stops, and `impossible` does not say {}; say it again, in the form that the brief has",
                                lacks.join(" nor ")
                            );
                            self.note(why.clone());
                            Stage::Failed { why }
                        }
                    }
                }
                Some(reason) => self.stopped(&reason),
            }
        } else {
            self.failed(workflow, ended.effect, outcome, at)
        };
        let summary = outcome
            .result
            .as_ref()
            // What was handed in under seal says nothing to anybody.
            .filter(|result| result["sealed"].is_null())
            .and_then(|result| result["summary"].as_str());
        self.said = summary
            .unwrap_or_default()
            .chars()
            .take(MOST_NOTE_CHARS)
            .collect();
        self.outcome = Some(outcome.clone());
    }

    /// A person is asked at once, and no try is counted.
    fn stopped(&self, reason: &str) -> Stage {
        let state = &self.position.state;
        Stage::Stuck {
            why: format!(
                "the agent in `{state}` says that it is impossible as asked: {reason}\nSay `retry` with what to do instead (`--because`), or `stop`"
            ),
            answered: None,
        }
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
    /// its own goal posts. Says what was not taken.
    fn take_fields(
        &mut self,
        workflow: &Workflow,
        changed: &BTreeMap<String, String>,
    ) -> Vec<String> {
        let mut not_taken = Vec::new();
        for (name, value) in changed {
            let Some(field) = workflow
                .field(name)
                .filter(|field| field.owner == Owner::Author)
            else {
                continue;
            };
            if !field.is_open_in(&self.position.state) {
                not_taken.push(format!(
                    "the field `{name}` is not written in this phase and stays as it is"
                ));
                continue;
            }
            let set = self
                .started
                .as_ref()
                .and_then(|started| started.fields.get(name));
            if set.is_some_and(|set| !set.is_empty()) || self.by_person.contains(name) {
                not_taken.push(format!(
                    "the field `{name}` was set by a person and stays as it is"
                ));
            } else {
                self.set_field(workflow, name, value);
            }
        }
        not_taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Vec<String> {
        ["BLOCKED", "Tried", "Question", "Options", "Recommendation"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn a_stop_says_what_was_tried_what_is_asked_and_what_follows_from_each_answer() {
        let whole = "BLOCKED: the registry is gone. Tried: `curl registry` said 404. Question: is there another? Options: A, use the mirror, which is a day old; B, wait, which costs a day. Recommendation: A.";
        assert!(lacking(&labels(), whole).is_empty());
        for (from, to, lacks) in [
            ("Tried: `curl registry` said 404. ", "", "`Tried:`"),
            ("`curl registry` said 404", "all there is", "in backticks"),
            ("Question: is there another? ", "Question: ", "`Question:`"),
            ("; B, wait, which costs a day", "", "at least two"),
            ("; B, wait, which costs a day", "; wait", "at least two"),
            (
                "Recommendation: A.",
                "Recommendation: .",
                "`Recommendation:`",
            ),
        ] {
            let found = lacking(&labels(), &whole.replace(from, to)).join(", ");
            assert!(found.contains(lacks), "{found}");
        }
        assert!(lacking(&[], "it cannot be done").is_empty());
        assert!(is_unsafe("Unsafe: it erases mails") && !is_unsafe(whole));
    }
}
