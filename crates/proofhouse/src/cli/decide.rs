//! `proofhouse decide`: a person's word, through a channel that agents can not reach.

use super::args::{Decide, Signing};
use super::out::{Out, Tone};
use super::{exit, status, verbs};
use engine::Run;
use engine::approval::{self, Approved, ControllingTerminal, Words};
use std::io::Write;
use std::path::Path;
use workspace::{EngineError, Project};

pub(crate) fn decide(project: &Project, args: &Decide, out: &Out) -> Result<u8, EngineError> {
    if engine::factory::is_project(project, &args.run) {
        return verbs::decide(project, args, out);
    }
    if args.payload.is_some() {
        return Err(EngineError::user(
            "payload_not_taken",
            format!("`{}` is a run, and its options take no payload", args.run),
            "leave `--payload` out; what the run should know goes into `--because`",
        ));
    }
    if args.signing.message {
        return message(project, args);
    }
    let approve = |words: &Words<'_>| approved(project, &args.signing, words);
    let decided = engine::decide::decide(project, &args.run, &args.option, &args.because, approve)?;
    if out.json {
        status::print(project, &args.run, out)?;
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} `{}`: `{}` is on record; the run is in `{}`",
        out.paint(Tone::Good, "decided"),
        args.run,
        args.option,
        decided.status.state
    ));
    match &decided.status.waiting_for {
        Some(waiting) => {
            let head = Run::peek(project, &args.run)?.head;
            status::waiting(out, project, &args.run, waiting, &head.hash);
        }
        None if decided.more => out.line(&format!("next: proofhouse run {}", args.run)),
        None => {}
    }
    Ok(exit::OK)
}

/// What a command that decides wants besides its words: a signature, or a code to type.
pub(crate) fn wants(project: &Project, run: &str, head: &str) -> String {
    match project.approvers().exists() {
        true => {
            "  to sign     add `--sign KEY`; .proofhouse/approvers lists who may decide".to_owned()
        }
        false => format!("  run code    {}", approval::run_code(run, head)),
    }
}

/// Lets a person's word in: signed where approvers are listed, else typed at the terminal.
pub(crate) fn approved(
    project: &Project,
    signing: &Signing,
    words: &Words<'_>,
) -> Result<Approved, EngineError> {
    let path = project.approvers();
    let approvers = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(EngineError::io("read", &path)(error)),
    };
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
    if sign.is_none() {
        let code = approval::run_code(words.run, words.head);
        eprintln!("the run code is {code}");
    }
    approved(project, &Signing::by(sign), words)
}

/// Prints exactly what `ssh-keygen -Y sign` must sign.
fn message(project: &Project, args: &Decide) -> Result<u8, EngineError> {
    let peek = Run::peek(project, &args.run)?;
    let words = Words {
        run: &args.run,
        seq: peek.head.seq,
        head: &peek.head.hash,
        option: &args.option,
        because: &args.because,
    };
    show(&approval::message(&words))
}

/// Prints these bytes and nothing else.
pub(crate) fn show(message: &[u8]) -> Result<u8, EngineError> {
    let mut stdout = std::io::stdout();
    let written = stdout.write_all(message).and_then(|()| stdout.flush());
    written.map_err(EngineError::io("write to", Path::new("standard output")))?;
    Ok(exit::OK)
}
