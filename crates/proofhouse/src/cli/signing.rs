//! How a person's word is let in: the channel that agents cannot reach, at the command line.

use super::args::Signing;
use super::exit;
use approval::{Approved, ControllingTerminal, Terminal as _, Words};
use std::io::Write;
use std::path::Path;
use workspace::{EngineError, Project};

/// What a command that decides wants besides its words: a signature, or a code to type.
pub(crate) fn wants(project: &Project, run: &str, run_code: &str) -> String {
    match project.read_approvers() {
        Ok(Some(_)) if takes_passkeys_alone(project, run) => {
            format!(
                "  to sign     with a passkey on the page of `proofhouse serve --decide` (/r/{}/run/{run}/), or `--signature FILE` by an `sk-` key; a guest works here, so key files do not count",
                crate::found::key_of(project)
            )
        }
        Ok(Some(_)) => {
            "  to sign     add `--sign KEY`, or answer with a passkey in `proofhouse serve --decide`; .proofhouse/approvers lists who may decide".to_owned()
        }
        Ok(None) => format!("  run code    {run_code}"),
        Err(error) => format!("  first       {}: {}", error.what, error.mend),
    }
}

/// Does a guest work in the run, so that only a key that wants a touch answers?
pub(crate) fn takes_passkeys_alone(project: &Project, run: &str) -> bool {
    let peek = report::look::peek_run(project, run);
    peek.is_ok_and(|peek| peek.machine.started().is_some_and(|one| one.unconfined))
}

/// Is a person about to be asked for the code?
pub(crate) fn at_terminal(project: &Project, signing: &Signing) -> bool {
    let unsigned = signing.sign.is_none() && signing.signature.is_none();
    // Where nobody can be asked, that is all there is to say.
    unsigned
        && !signing.message
        && matches!(project.read_approvers(), Ok(None))
        && ControllingTerminal::open().is_terminal()
}

/// Lets a person's word in: signed where approvers are listed, else typed at the terminal.
pub(crate) fn approved(
    project: &Project,
    signing: &Signing,
    words: &Words<'_>,
) -> Result<Approved, EngineError> {
    let approvers = project.read_approvers()?;
    let signature = match (&signing.sign, &signing.signature) {
        (Some(key), _) => Some(approval::sign_with_key_file(key, words)?),
        (None, Some(file)) => {
            Some(std::fs::read_to_string(file).map_err(EngineError::io("read", file))?)
        }
        (None, None) => None,
    };
    approval::approve(
        approvers.as_deref(),
        signature.as_deref(),
        &mut ControllingTerminal::open(),
        words,
        workspace::clock::now(),
    )
}

/// The same where there is no run yet whose `status` could show the code that is to be typed.
pub(crate) fn approved_unseen(
    project: &Project,
    sign: Option<&Path>,
    words: &Words<'_>,
) -> Result<Approved, EngineError> {
    let signing = Signing::by(sign);
    // Where it opens nothing it would only mislead.
    if at_terminal(project, &signing) {
        let code = approval::run_code(words.run, words.head);
        eprintln!("the run code is {code}");
    }
    approved(project, &signing, words)
}

/// Prints these bytes and nothing else.
pub(crate) fn show(message: &[u8]) -> Result<u8, EngineError> {
    let mut stdout = std::io::stdout();
    let written = stdout.write_all(message).and_then(|()| stdout.flush());
    written.map_err(EngineError::io("write to", Path::new("standard output")))?;
    Ok(exit::OK)
}
