//! `proofhouse lock`: a person's word for the project's setup.

use super::args::Lock;
use super::exit;
use super::out::{Out, Tone};
use super::signing::approved_unseen;
use approval::Words;
use workspace::{EngineError, Project};

pub(crate) fn lock(project: &Project, args: &Lock, out: &Out) -> Result<u8, EngineError> {
    let approve = |words: &Words<'_>| approved_unseen(project, args.sign.as_deref(), words);
    let locked = engine::setup::lock(project, &args.because, &approve)?;
    if out.json {
        out.facts(&locked);
        return Ok(exit::OK);
    }
    let word = out.paint(Tone::Good, "locked");
    out.line(&format!(
        "{word} by {} through {}",
        locked.who, locked.channel
    ));
    Ok(exit::OK)
}
