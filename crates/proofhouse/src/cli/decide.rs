//! `proofhouse decide`: a person's word, through a channel that agents cannot reach.

use super::args::{Decide, Run, Signing};
use super::out::{Out, Tone};
use super::{exit, inbox, of_factory, run, status};
use engine::approval::{self, Approved, ControllingTerminal, Words};
use engine::decide::{Ask, Decided};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use workspace::{EngineError, Project};

/// `proofhouse decide NAME OPTION`: any option that the machine of a run or a project knows.
pub(crate) fn decide(project: &Project, args: &Decide, out: &Out) -> Result<u8, EngineError> {
    let with = match &args.payload {
        None => Value::Null,
        Some(path) => payload(path)?,
    };
    let ask = Ask {
        name: &args.run,
        option: &args.option,
        about: "",
        with: &with,
        because: &args.because,
    };
    if !out.json && at_terminal(project, &args.signing) {
        rests_on(project, &args.run, out)?;
    }
    if !args.go_on {
        return say(project, &ask, &args.signing, out);
    }
    let approve = |words: &Words<'_>| approved(project, &args.signing, words);
    let decided = engine::decide::decide(project, &ask, approve)?;
    if !out.json {
        on_record(&ask, &decided, out);
    }
    if report::look::is_project(project, &args.run) {
        return of_factory::run(project, Some(&args.run), None, out);
    }
    let on = Run {
        run: Some(args.run.clone()),
        once: false,
        agent: None,
        restore_views: false,
    };
    run::run(project, &on, out)
}

fn on_record(ask: &Ask<'_>, decided: &Decided, out: &Out) {
    out.line(&format!(
        "{} `{}`: `{}` is on record; it is in `{}`",
        out.paint(Tone::Good, "decided"),
        decided.name,
        ask.option,
        decided.status.state
    ));
}

/// Is a person about to be asked for the code?
fn at_terminal(project: &Project, signing: &Signing) -> bool {
    let unsigned = signing.sign.is_none() && signing.signature.is_none();
    unsigned && !signing.message && matches!(project.read_approvers(), Ok(None))
}

/// What the decision rests on, before the person confirms it.
fn rests_on(project: &Project, name: &str, out: &Out) -> Result<(), EngineError> {
    if let report::Looked::Run(peek) = report::look(project, name)? {
        let grounds = report::inbox::grounds(project, name, &peek)?;
        inbox::shown(out, name, &grounds, inbox::Lines::Some);
    }
    Ok(())
}

/// Lets a decision in, and says what it led to.
pub(crate) fn say(
    project: &Project,
    ask: &Ask<'_>,
    signing: &Signing,
    out: &Out,
) -> Result<u8, EngineError> {
    if signing.message {
        return show(&engine::decide::message(project, ask)?);
    }
    let approve = |words: &Words<'_>| approved(project, signing, words);
    let decided = engine::decide::decide(project, ask, approve)?;
    if out.json {
        status::print(project, &decided.name, out)?;
        return Ok(exit::OK);
    }
    on_record(ask, &decided, out);
    if decided.more {
        out.line(&format!("next: {}", decided.go_on));
    } else if decided.status.waiting_for.is_some() {
        status::status(project, Some(&decided.name), out)?;
    }
    Ok(exit::OK)
}

/// What a command that decides wants besides its words: a signature, or a code to type.
pub(crate) fn wants(project: &Project, run_code: &str) -> String {
    match project.read_approvers() {
        Ok(Some(_)) => {
            "  to sign     add `--sign KEY`; .proofhouse/approvers lists who may decide".to_owned()
        }
        Ok(None) => format!("  run code    {run_code}"),
        Err(error) => format!("  first       {}: {}", error.what, error.mend),
    }
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
    if sign.is_none() {
        let code = approval::run_code(words.run, words.head);
        eprintln!("the run code is {code}");
    }
    approved(project, &Signing::by(sign), words)
}

/// Prints these bytes and nothing else.
pub(crate) fn show(message: &[u8]) -> Result<u8, EngineError> {
    let mut stdout = std::io::stdout();
    let written = stdout.write_all(message).and_then(|()| stdout.flush());
    written.map_err(EngineError::io("write to", Path::new("standard output")))?;
    Ok(exit::OK)
}

/// What an option needs, from a file.
pub(crate) fn payload(path: &Path) -> Result<Value, EngineError> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => EngineError::user(
            "no_such_file",
            format!("there is no file {}", path.display()),
            "check the path",
        ),
        _ => EngineError::io("read", path)(error),
    })?;
    serde_json::from_slice(&bytes).map_err(|error| {
        EngineError::user(
            "payload_malformed",
            format!("{}: {error}", path.display()),
            "give one JSON object; `proofhouse schema HumanResolution` has the form",
        )
    })
}
