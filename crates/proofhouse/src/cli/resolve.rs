//! `proofhouse resolve`: a person's resolution of an escalation of the factory.

use super::args::Resolve;
use super::out::{Out, Tone};
use super::{exit, payload, signing};
use ::factory::halt::Action;
use approval::Words;
use engine::factory::Asked;
use serde_json::{Map, Value};
use std::path::PathBuf;
use workspace::{EngineError, Project};

pub(crate) fn resolve(project: &Project, args: &Resolve, out: &Out) -> Result<u8, EngineError> {
    let blank = match args.payload.is_none() && args.set.is_empty() {
        true => engine::factory::blank(project, &args.escalation, &args.action)?,
        false => None,
    };
    let edited = match (&blank, args.edit) {
        (Some(blank), true) => Some(Edited::of(blank)?),
        (Some(blank), false) => return Err(unfilled(args, blank, out)),
        (None, _) => None,
    };
    let payload = match (&edited, &args.payload) {
        (Some(edited), _) => payload::read(&edited.path)?,
        (None, Some(path)) => payload::read(path)?,
        (None, None) => members(args)?,
    };
    let asked = Asked {
        escalation: &args.escalation,
        action: &args.action,
        payload: &payload,
        because: &args.because,
    };
    if args.signing.message {
        return signing::show(&engine::factory::message(project, &asked)?);
    }
    let approve = |words: &Words<'_>| signing::approved(project, &args.signing, words);
    let resolved = engine::factory::resolve(project, &asked, approve)?;
    if let Some(edited) = edited {
        edited.forget();
    }
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

/// A form that the person filled in with their own editor. What they wrote stays until it is on record.
struct Edited {
    path: PathBuf,
}

impl Edited {
    fn of(blank: &Value) -> Result<Self, EngineError> {
        let mut named = ["VISUAL", "EDITOR"].into_iter();
        let named = named.find_map(|name| std::env::var(name).ok().filter(|one| !one.is_empty()));
        let Some(editor) = named else {
            return Err(EngineError::environment(
                "no_editor",
                "`--edit` opens your editor, and neither VISUAL nor EDITOR names one",
                "set one of them, or keep the form as a file without `--edit`, and hand it back with `--payload FILE`",
            ));
        };
        let folder = std::env::temp_dir();
        let path = folder.join(format!("proofhouse-resolve-{}.json", std::process::id()));
        let form = serde_json::to_string_pretty(blank).unwrap_or_default() + "\n";
        // Somebody else's file is never taken over.
        let made = std::fs::File::create_new(&path);
        let mut file = made.map_err(EngineError::io("create", &path))?;
        let written = std::io::Write::write_all(&mut file, form.as_bytes());
        written.map_err(EngineError::io("write", &path))?;
        let line = format!("{editor} \"$0\"");
        let argv = ["sh", "-c", &line, &path.display().to_string()].map(str::to_owned);
        let ended = sandbox::hand_over(&argv, &folder).map_err(EngineError::io("edit", &path))?;
        let edited = Self { path };
        if !ended.success() {
            edited.forget();
            return Err(EngineError::user(
                "editor_failed",
                format!("`{editor}` ended with an error, so that nothing is resolved"),
                "end it without one once the form is filled in",
            ));
        }
        let now = std::fs::read_to_string(&edited.path).unwrap_or_default();
        if now.trim() == form.trim() || now.trim().is_empty() {
            edited.forget();
            return Err(EngineError::user(
                "payload_member_missing",
                "the form was not filled in, so that nothing is resolved",
                "run it again, and write over what stands in the form",
            ));
        }
        eprintln!(
            "what you wrote is in {} until it is on record",
            edited.path.display()
        );
        Ok(edited)
    }

    fn forget(self) {
        // Left behind, it is only litter in a temporary folder.
        let _ = std::fs::remove_file(self.path);
    }
}

/// Shows the payload that is wanted, by itself on standard output, so that it can be kept and edited.
fn unfilled(args: &Resolve, blank: &Value, out: &Out) -> EngineError {
    let members = blank.as_object().into_iter().flat_map(|one| one.keys());
    let members: Vec<String> = members.map(|name| format!("`{name}`")).collect();
    let (what, action) = (members.join(", "), &args.action);
    let set = match Action::of(action) {
        Some(Action::RevisePlan | Action::SplitTask | Action::ProvideFix) | None => "",
        Some(_) => ", or give each member by `--set NAME=VALUE`",
    };
    match out.json {
        true => out.facts(&serde_json::json!({"payload": blank})),
        false => out.line(&serde_json::to_string_pretty(blank).unwrap_or_default()),
    }
    EngineError::user(
        "payload_member_missing",
        format!("{action} needs a payload: {what} is missing"),
        format!(
            "keep what was printed as FILE, edit it, and hand it back with `--payload FILE`, or edit it at once with `--edit`{set}"
        ),
    )
}

/// The payload as flags give it: texts, and lists where the action takes one.
fn members(args: &Resolve) -> Result<Value, EngineError> {
    let action = Action::of(&args.action);
    let mut payload = Map::new();
    for (name, value) in &args.set {
        let value = Value::String(value.clone());
        let holds_list = action.is_some_and(|action| action.takes_list(name));
        match payload.get_mut(name) {
            Some(Value::Array(list)) => list.push(value),
            Some(_) => {
                return Err(EngineError::user(
                    "payload_malformed",
                    format!("`{name}` is set twice, and is no list"),
                    "set it once",
                ));
            }
            None if holds_list => {
                payload.insert(name.clone(), Value::Array(vec![value]));
            }
            None => {
                payload.insert(name.clone(), value);
            }
        }
    }
    Ok(Value::Object(payload))
}
