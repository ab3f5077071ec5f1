//! A person's word about a spec (section 3.2.4), through the same channels as every other decision.
//!
//! What is signed or confirmed names the hash of the spec, so that nobody approves what they were
//! not shown. An approval is refused unless the spec, as it lies on disk, is those very bytes and
//! becomes tasks.

use super::super::decision::{self, Resolved, Word};
use super::super::session::{Peek, peek};
use super::super::start::{declared, write_files};
use super::review::{product, shown};
use crate::approval::{Approved, Words};
use crate::error::EngineError;
use crate::project::Project;
use ::factory::machine::{AMEND, APPROVE, REJECT};
use ::factory::plan::{NoPlan, TaskFile};
use ::factory::product::Product;
use ::factory::spec::ProductSpec;
use serde_json::{Value, json};

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
    Amend {
        /// How.
        feedback: &'a str,
    },
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

/// The reason as it is signed and journaled: the words, and the spec that they are about.
fn because(spoken: &Spoken<'_>, product: &Product) -> String {
    let about = match &product.shown {
        Some(shown) => format!("[spec sha256 {}]", shown.spec.hash),
        None => "[no complete spec]".to_owned(),
    };
    format!("{} {about}", spoken.said.text())
        .trim_start()
        .to_owned()
}

/// The bytes that are to be signed.
pub fn spoken_message(project: &Project, spoken: &Spoken<'_>) -> Result<Vec<u8>, EngineError> {
    let Peek { machine, head } = peek(project, spoken.name)?;
    let product = product(spoken.name, &machine)?;
    Ok(crate::approval::message(&Words {
        run: spoken.name,
        seq: head.seq,
        head: &head.hash,
        option: spoken.said.option(),
        because: &because(spoken, product),
    }))
}

/// An approved spec on its way to tasks.
struct Planned {
    spec: ProductSpec,
    files: Vec<TaskFile>,
    with: Value,
}

/// The three passes over the very bytes that were shown; nothing is written yet.
fn planned(project: &Project, name: &str, product: &Product) -> Result<Planned, EngineError> {
    let bytes = shown(project, name, product)?;
    let no_tasks = |what: String| {
        let mend = format!("nothing was approved; `proofhouse factory amend {name}` can mend it");
        EngineError::user("spec_invalid", what, mend)
    };
    let (spec, _) = ::factory::spec::read(&bytes)
        .map_err(|report| no_tasks(format!("the spec has {} errors", report.errors.len())))?;
    let (plan, files) = ::factory::plan::task_files(&spec).map_err(|NoPlan(problems)| {
        let what = problems.first().map_or("no plan", |first| &first.what);
        no_tasks(what.to_owned())
    })?;
    let with = json!({
        "spec": store::sha256_hex(&bytes),
        "spec_id": spec.spec_id,
        "spec_version": spec.spec_version.to_string(),
        "tasks": declared(&spec, &plan),
    });
    Ok(Planned { spec, files, with })
}

/// Takes a person's word in. `approve` is asked with the exact words before anything is written.
pub fn speak(
    project: &Project,
    spoken: &Spoken<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Resolved, EngineError> {
    let Peek { machine, .. } = peek(project, spoken.name)?;
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
    let because = because(spoken, product);
    let word = |with| Word {
        option: spoken.said.option(),
        because: &because,
        with,
    };
    let nothing = || Ok(());
    match spoken.said {
        Said::Approve { .. } => {
            let Planned { spec, files, with } = planned(project, spoken.name, product)?;
            let ready = || write_files(&project.home(), &spec, &files);
            decision::take(project, spoken.name, word(with), approve, ready)
        }
        Said::Reject { reasons } => {
            let with = json!({"reasons": reasons});
            decision::take(project, spoken.name, word(with), approve, nothing)
        }
        Said::Amend { feedback } => {
            let with = json!({"feedback": feedback});
            decision::take(project, spoken.name, word(with), approve, nothing)
        }
    }
}
