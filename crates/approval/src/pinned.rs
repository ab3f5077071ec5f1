//! Runs that take signed decisions alone (`approvals.decisions = "signed"`): who may sign is written into
//! their first record. Taking the approvers file away, or another one in its place, opens no other way
//! in; whoever was struck from it meanwhile has no say any more.

use super::{Approved, Words, allowed, verify};
use kernel::Time;
use kernel::event::RunStarted;
use workspace::config::Config;
use workspace::error::EngineError;
use workspace::project::Project;

/// The approvers of a run that is about to begin, if it takes signed decisions alone.
pub fn to_pin(project: &Project, config: &Config) -> Result<Option<String>, EngineError> {
    if !config.signed_alone() {
        return Ok(None);
    }
    let text = project.read_approvers()?.ok_or_else(|| {
        EngineError::user(
            "approvers_missing",
            "`approvals.decisions` is `signed`, and there is no .proofhouse/approvers that says who may sign",
            "list their keys there (`NAME ssh-ed25519 AAAA...`), or take the setting away",
        )
    })?;
    allowed::parse(&text)?;
    Ok(Some(text))
}

/// Refuses to go on with such a run where nobody is listed any more.
pub fn listed(project: &Project, started: &RunStarted) -> Result<(), EngineError> {
    let there = project.read_approvers()?;
    match (&started.signers, there) {
        (Some(_), None) => Err(EngineError::user(
            "approvers_missing",
            format!(
                "`{}` takes signed decisions alone, and .proofhouse/approvers is gone",
                started.run
            ),
            "bring the file back",
        )),
        _ => Ok(()),
    }
}

/// Is this word of a person good enough for the run?
pub fn admits(
    started: &RunStarted,
    words: &Words<'_>,
    approved: &Approved,
    now: Time,
) -> Result<(), EngineError> {
    let Some(signers) = &started.signers else {
        return Ok(());
    };
    let Some(signature) = &approved.signature else {
        return Err(EngineError::user(
            "signature_required",
            format!("`{}` takes signed decisions alone", started.run),
            "add `--sign KEY`, or answer on the page of `proofhouse serve --decide` with a passkey",
        ));
    };
    let signer = verify(signers, signature, words, now).map_err(|mut error| {
        error.what = format!("as the approvers were when the run began: {}", error.what);
        error
    })?;
    match started.unconfined && !signer.touch {
        false => Ok(()),
        true => Err(EngineError::user(
            "touch_required",
            format!(
                "a guest works in `{}`, and {} signed with a key file, which a guest may be able to read",
                started.run, signer.principal
            ),
            "sign with a passkey on the page of `proofhouse serve --decide`, or with an `sk-` key",
        )),
    }
}
