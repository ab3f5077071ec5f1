//! A person's word about a project, as the page sends it: which question, which answer, what was filled in. It
//! goes the way of the same word in a terminal, with the payload made of the fields; what the machine refuses,
//! nobody is asked to sign.

use approval::{Approved, Words};
use engine::decide::{Ask, Decided};
use engine::factory::{Asked, Said, Spoken};
use factory::machine::{AMEND, APPROVE, REJECT};
use report::posed::{Answer, Posed};
use serde_json::Value;
use std::collections::BTreeMap;
use workspace::{EngineError, Project};

/// The field that says which spec was read.
const SPEC: &str = "spec";

/// What was sent.
pub(super) struct Word<'a> {
    pub(super) run: &'a str,
    /// The question's id.
    pub(super) about: &'a str,
    pub(super) option: &'a str,
    pub(super) because: &'a str,
    pub(super) filled: &'a BTreeMap<String, String>,
}

impl Word<'_> {
    /// The answer that is meant, if the question is open and offers it.
    fn meant(&self, project: &Project) -> Result<(Posed, Answer), EngineError> {
        let machine = report::look::peek_project(project, self.run)?.machine;
        let mut all = report::posed::all(self.run, &machine).into_iter();
        let posed = all.find(|one| one.question.id == self.about);
        let found = posed.and_then(|posed| {
            let mut all = posed.answers.iter();
            let answer = all.find(|one| one.option == self.option)?.clone();
            Some((posed, answer))
        });
        let found = found.ok_or_else(|| {
            EngineError::user(
                "not_offered",
                format!(
                    "`{}` does not offer `{}` for `{}`",
                    self.run, self.option, self.about
                ),
                "choose what the page offers",
            )
        })?;
        match self.because.trim().is_empty() {
            false => Ok(found),
            true => Err(EngineError::user(
                "reason_missing",
                "a decision says why",
                "give a reason: it goes on record",
            )),
        }
    }

    /// A word about the spec; none: it is about something else.
    fn spoken(&self) -> Option<Spoken<'_>> {
        let said = match self.option {
            APPROVE => Said::Approve {
                because: self.because,
            },
            REJECT => Said::Reject {
                reasons: self.because,
            },
            AMEND => Said::Amend {
                feedback: self.because,
            },
            _ => return None,
        };
        Some(Spoken {
            name: self.run,
            said,
            spec: self.filled.get(SPEC).map(String::as_str),
        })
    }

    fn ask<'a>(&'a self, with: &'a Value) -> Ask<'a> {
        Ask {
            name: self.run,
            option: self.option,
            about: "",
            with,
            because: self.because,
        }
    }

    /// The bytes that are to be signed, and the payload that they name, for people.
    pub(super) fn message(&self, project: &Project) -> Result<(Vec<u8>, String), EngineError> {
        let (posed, answer) = self.meant(project)?;
        if let Some(spoken) = self.spoken() {
            let message = engine::factory::spoken_message(project, &spoken)?;
            return Ok((message, String::new()));
        }
        let payload = answer.payload(self.filled)?;
        let carries = match payload.is_null() {
            true => String::new(),
            false => serde_json::to_string_pretty(&payload).unwrap_or_default(),
        };
        let message = match posed.resolves(self.option) {
            true => {
                let named = posed.named(self.option);
                let asked = Asked {
                    escalation: &named,
                    action: self.option,
                    payload: &payload,
                    because: self.because,
                };
                engine::factory::message(project, &asked)?
            }
            false => engine::decide::message(project, &self.ask(&payload))?,
        };
        Ok((message, carries))
    }

    /// Takes it in. `approve` is asked with the exact words before anything is written.
    pub(super) fn decide(
        &self,
        project: &Project,
        approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
    ) -> Result<Decided, EngineError> {
        let (posed, answer) = self.meant(project)?;
        if let Some(spoken) = self.spoken() {
            return engine::factory::speak(project, &spoken, approve);
        }
        let payload = answer.payload(self.filled)?;
        match posed.resolves(self.option) {
            true => {
                let named = posed.named(self.option);
                let asked = Asked {
                    escalation: &named,
                    action: self.option,
                    payload: &payload,
                    because: self.because,
                };
                engine::factory::resolve(project, &asked, approve)
            }
            false => engine::decide::decide(project, &self.ask(&payload), approve),
        }
    }
}
