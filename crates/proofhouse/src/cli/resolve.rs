//! `proofhouse resolve`: a person's resolution of an escalation of the factory.

use super::args::Resolve;
use super::out::{Out, Tone};
use super::{decide, exit};
use engine::approval::Words;
use engine::factory::Asked;
use engine::{EngineError, Project};
use serde_json::Value;
use std::io::Write;
use std::path::Path;

pub(crate) fn resolve(project: &Project, args: &Resolve, out: &Out) -> Result<u8, EngineError> {
    let payload = match &args.payload {
        None => Value::Null,
        Some(path) => read(path)?,
    };
    let asked = Asked {
        escalation: &args.escalation,
        action: &args.action,
        payload: &payload,
        because: &args.because,
    };
    if args.message {
        let mut stdout = std::io::stdout();
        let message = engine::factory::message(project, &asked)?;
        let written = stdout.write_all(&message).and_then(|()| stdout.flush());
        written.map_err(EngineError::io("write to", Path::new("standard output")))?;
        return Ok(exit::OK);
    }
    let approve = |words: &Words<'_>| {
        decide::approved(
            project,
            args.sign.as_deref(),
            args.signature.as_deref(),
            words,
        )
    };
    let resolved = engine::factory::resolve(project, &asked, approve)?;
    if out.json {
        out.facts(&serde_json::json!({"project": resolved.name, "status": resolved.status}));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} {}: `{}` is on record\nnext: proofhouse factory run {}",
        out.paint(Tone::Good, "resolved"),
        args.escalation,
        args.action,
        resolved.name
    ));
    Ok(exit::OK)
}

fn read(path: &Path) -> Result<Value, EngineError> {
    let bytes = std::fs::read(path).map_err(EngineError::io("read", path))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        EngineError::user(
            "payload_malformed",
            format!("{}: {error}", path.display()),
            "give one JSON object; `proofhouse schema HumanResolution` has the form",
        )
    })
}
