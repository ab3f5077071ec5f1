//! A person's word about a spec (rule F3.2.4), through the same channels as every other decision.
//!
//! What is signed or confirmed names the hash of the spec, so that nobody approves what they were
//! not shown. An approval is refused unless the spec, as it lies on disk, is those very bytes and
//! becomes tasks.

use super::super::decide::{message_of, take};
use super::carried::{approval_of, stands};
use super::review::{product, shown};
use crate::decision::{Ask, Decided};
use ::factory::machine::{AMEND, APPROVE, Factory, REJECT};
use approval::{Approved, Words};
use serde_json::{Value, json};
use workspace::error::EngineError;
use workspace::project::Project;

/// What a person says.
#[derive(Debug, Clone, Copy)]
pub enum Said<'a> {
    /// It is accepted as it was shown.
    Approve {
        /// Why.
        because: &'a str,
    },
    /// It is discarded.
    Reject {
        /// Why: all that the next attempt hears.
        reasons: &'a str,
    },
    /// It is to be changed.
    Amend { feedback: &'a str },
}

/// A person's word about a project's spec.
#[derive(Debug, Clone, Copy)]
pub struct Spoken<'a> {
    /// The project.
    pub name: &'a str,
    /// The word.
    pub said: Said<'a>,
    /// The hash of the spec that the person means; none: whatever was shown last.
    pub spec: Option<&'a str>,
}

impl Said<'_> {
    fn option(&self) -> &'static str {
        match self {
            Said::Approve { .. } => APPROVE,
            Said::Reject { .. } => REJECT,
            Said::Amend { .. } => AMEND,
        }
    }

    fn text(&self) -> &str {
        match self {
            Said::Approve { because } => because,
            Said::Reject { reasons } => reasons,
            Said::Amend { feedback } => feedback,
        }
    }
}

/// The approval of the very bytes that were shown.
fn planned(project: &Project, name: &str, machine: &Factory) -> Result<Value, EngineError> {
    let product = product(name, machine)?;
    let bytes = shown(project, name, product)?;
    let stands = stands(project, machine, product)?;
    approval_of(&bytes, stands.as_ref()).map_err(|error| {
        let mend = format!("nothing was approved; `proofhouse factory amend {name}` can mend it");
        EngineError::user("spec_invalid", error.to_string(), mend).caused_by(error)
    })
}

/// The word as a decision of the project. Its reason names the spec that it is about.
fn asking<T>(
    project: &Project,
    spoken: &Spoken<'_>,
    then: impl FnOnce(&Ask<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let report::Peek { machine, .. } = report::look::peek_project(project, spoken.name)?;
    let product = product(spoken.name, &machine)?;
    let is = product.shown.as_ref().map(|shown| shown.spec.hash.as_str());
    if let Some(meant) = spoken.spec
        && is != Some(meant)
    {
        return Err(EngineError::user(
            "spec_changed",
            format!("{meant} is not the spec that waits for a decision"),
            format!(
                "read what does with `proofhouse factory review {}`",
                spoken.name
            ),
        ));
    }
    let with = match spoken.said {
        Said::Approve { .. } => planned(project, spoken.name, &machine)?,
        Said::Reject { reasons } => json!({"reasons": reasons}),
        Said::Amend { feedback } => json!({"feedback": feedback}),
    };
    let about = is.map_or("no complete spec".to_owned(), |hash| {
        format!("spec sha256 {hash}")
    });
    let ask = Ask {
        name: spoken.name,
        option: spoken.said.option(),
        about: &about,
        with: &with,
        because: spoken.said.text(),
    };
    then(&ask)
}

/// The bytes that are to be signed.
pub fn spoken_message(project: &Project, spoken: &Spoken<'_>) -> Result<Vec<u8>, EngineError> {
    asking(project, spoken, |ask| message_of(project, ask))
}

/// Takes a person's word in. `approve` is asked with the exact words before anything is written.
pub fn speak(
    project: &Project,
    spoken: &Spoken<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided, EngineError> {
    asking(project, spoken, |ask| take(project, ask, approve))
}
