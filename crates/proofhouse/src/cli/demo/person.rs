//! The demo's scripted human. Everything that only a person may decide goes through the same channel
//! as a real person's word: signed, with a key that was made for this demo alone and whose name says
//! that nobody stands behind it. No agent sees the key.

use crate::cli::args::Signing;
use crate::cli::signing::approved;
use ::factory::halt::Escalation;
use approval::{Words, key_for_the_occasion};
use engine::factory::{Asked, Said, Spoken};
use kernel::Machine;
use report::Peek;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use workspace::{EngineError, Project};

/// What the journal calls it.
const NAME: &str = "scripted-human@demo.invalid";
/// What a project waits for while a spec is shown.
const SPEC_REVIEW: &str = "spec_review";
const AMENDMENT: &str = include_str!("../../../demo/factory/amendment.json");

pub(super) struct Person<'a> {
    project: &'a Project,
    key: PathBuf,
    /// It says everything once: who has to ask again needs a real person.
    heard: BTreeSet<String>,
}

/// An answer to what halted a task.
struct Answer {
    action: &'static str,
    payload: Value,
    because: &'static str,
}

/// What it says to what; none: it was not told, and a real person must.
fn answer(escalation: &Escalation) -> Option<Answer> {
    if escalation.exception.is_some() {
        return Some(Answer {
            action: "APPROVE_CHANGE",
            payload: Value::Null,
            because: "a refund is no typing error; whoever uses the module must be able to see it",
        });
    }
    let contradicts = |text: &str| text.contains("empty receipt");
    let failed = &escalation.failed_invariants;
    failed
        .iter()
        .any(|one| contradicts(&one.evidence))
        .then(|| Answer {
            action: "AMEND_SPEC",
            payload: serde_json::from_str(AMENDMENT).unwrap_or_default(),
            because: "the spec contradicts itself, and it is ours to say which sentence goes",
        })
}

impl<'a> Person<'a> {
    /// Makes the key, and lists it as the only approver.
    pub(super) fn arrive(project: &'a Project, key: PathBuf) -> Result<Self, EngineError> {
        let line = key_for_the_occasion(&key, NAME)?;
        let path = project.approvers();
        let text = format!(
            "# Made by `proofhouse demo`: a key without a person, in {}.\n# Remove it before you use this repository for real.\n{line}",
            key.display()
        );
        std::fs::write(&path, text).map_err(EngineError::io("write", &path))?;
        Ok(Self {
            project,
            key,
            heard: BTreeSet::new(),
        })
    }

    /// Answers what waits, if it knows an answer; whether it did.
    pub(super) fn speak(&mut self, name: &str) -> Result<Spoke, EngineError> {
        let Peek { machine, .. } = report::look::peek_project(self.project, name)?;
        let (project, signing) = (self.project, Signing::by(Some(&self.key)));
        let sign = |words: &Words<'_>| approved(project, &signing, words);
        let waits = machine.status().waiting_for;
        if waits.is_some_and(|one| one.reason == SPEC_REVIEW)
            && self.heard.insert(SPEC_REVIEW.to_owned())
        {
            let review = engine::factory::review(self.project, name)?;
            let spoken = Spoken {
                name,
                said: Said::Approve {
                    because: "it says what we want, as far as we know",
                },
                spec: review.sha256.as_deref(),
            };
            engine::factory::speak(self.project, &spoken, sign)?;
            return Ok(Spoke::Answered);
        }
        let mut waiting = machine.tasks().halted();
        let escalation = waiting.find_map(|task| {
            let id = task.escalation_ref.as_ref()?;
            machine.escalations().find(|one| one.escalation_id == *id)
        });
        let Some((escalation, answer)) = escalation.and_then(|one| Some((one, answer(one)?)))
        else {
            return Ok(Spoke::NotToThis);
        };
        if !self.heard.insert(escalation.escalation_id.to_string()) {
            return Ok(Spoke::NotToThis);
        }
        let asked = Asked {
            escalation: escalation.escalation_id.as_str(),
            action: answer.action,
            payload: &answer.payload,
            because: answer.because,
        };
        engine::factory::resolve(self.project, &asked, sign)?;
        Ok(Spoke::Answered)
    }
}

/// Did it know what to say?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spoke {
    Answered,
    NotToThis,
}
