//! From a TOML table to one step: exactly one verb, and only the keys that belong to it.

use super::error::ScriptError;
use super::fields::{Field, Fields};
use super::script::{Occurs, OnFailure, Step};
use std::time::Duration;
use toml::de::DeValue;

const VERBS: [&str; 12] = [
    "write", "append", "edit", "set", "delete", "chmod", "symlink", "run", "wait", "print",
    "crash", "hang",
];

/// The entry's steps, in order.
pub(super) fn steps(fields: &mut Fields<'_>) -> Result<Vec<Step>, ScriptError> {
    const MEND: &str = "write steps = [ { run = \"...\" }, ... ]";
    let source = fields.source;
    let list = match fields.take("steps") {
        None => return Ok(Vec::new()),
        Some(Field {
            value: DeValue::Array(list),
            ..
        }) => list,
        Some(field) => return Err(field.wrong(source, MEND)),
    };
    let mut steps = Vec::new();
    for (at, item) in list.into_iter().enumerate() {
        let span = item.span();
        let place = format!("step {}", at + 1);
        match item.into_inner() {
            DeValue::Table(table) => steps.push(step(Fields::new(source, place, span, table))?),
            _ => return Err(source.wrong(span.start, format!("{place} is not a table"), MEND)),
        }
    }
    Ok(steps)
}

fn step(mut fields: Fields<'_>) -> Result<Step, ScriptError> {
    let found: Vec<&str> = VERBS.into_iter().filter(|verb| fields.has(verb)).collect();
    let [verb] = found[..] else {
        let what = match found[..] {
            [] => format!("{} has no verb", fields.place),
            _ => format!(
                "{} has more than one verb ({})",
                fields.place,
                found.join(", ")
            ),
        };
        let mend = format!("give each step exactly one of {}", VERBS.join(", "));
        return Err(fields.source.wrong(fields.at, what, mend));
    };
    fields.place = format!("{} (`{verb}`)", fields.place);
    let (step, known) = match verb {
        "write" => {
            let path = fields.need_filled(verb)?;
            (
                Step::Write {
                    path,
                    text: fields.need("text")?,
                },
                "`write` and `text`",
            )
        }
        "append" => {
            let path = fields.need_filled(verb)?;
            (
                Step::Append {
                    path,
                    text: fields.need("text")?,
                },
                "`append` and `text`",
            )
        }
        "edit" => {
            let path = fields.need_filled(verb)?;
            let find = fields.need_filled("find")?;
            let replace = fields.need("replace")?;
            let occurs = if fields.flag("all")? {
                Occurs::AtLeastOnce
            } else {
                Occurs::Once
            };
            (
                Step::Edit {
                    path,
                    find,
                    replace,
                    occurs,
                },
                "`edit`, `find`, `replace` and `all`",
            )
        }
        "set" => {
            let field = fields.need_filled(verb)?;
            (
                Step::Set {
                    field,
                    to: fields.need("to")?,
                },
                "`set` and `to`",
            )
        }
        "delete" => (
            Step::Delete {
                path: fields.need_filled(verb)?,
            },
            "`delete`",
        ),
        "chmod" => {
            let path = fields.need_filled(verb)?;
            (
                Step::Chmod {
                    path,
                    mode: mode(&mut fields)?,
                },
                "`chmod` and `mode`",
            )
        }
        "symlink" => {
            let path = fields.need_filled(verb)?;
            (
                Step::Symlink {
                    path,
                    to: fields.need_filled("to")?,
                },
                "`symlink` and `to`",
            )
        }
        "run" => {
            let command = fields.need_filled(verb)?;
            let failure = if fields.flag("must")? {
                OnFailure::Crash
            } else {
                OnFailure::GoOn
            };
            (Step::Run { command, failure }, "`run` and `must`")
        }
        "wait" => (
            Step::Wait {
                time: seconds(&mut fields)?,
            },
            "`wait`",
        ),
        "print" => (
            Step::Print {
                text: fields.need(verb)?,
            },
            "`print`",
        ),
        "crash" => {
            let code = fields.whole(verb, 1, 255)?.unwrap_or(1) as u8;
            (Step::Crash { code }, "`crash`")
        }
        _ => (hang(&mut fields)?, "`hang`"),
    };
    fields.end(known)?;
    Ok(step)
}

fn hang(fields: &mut Fields<'_>) -> Result<Step, ScriptError> {
    match fields.take("hang") {
        Some(field) if !matches!(field.value, DeValue::Boolean(true)) => {
            Err(field.wrong(fields.source, "write hang = true, or leave the step out"))
        }
        _ => Ok(Step::Hang),
    }
}

fn mode(fields: &mut Fields<'_>) -> Result<u32, ScriptError> {
    let text = fields.need("mode")?;
    match u32::from_str_radix(&text, 8) {
        Ok(mode) if mode <= 0o7777 => Ok(mode),
        _ => {
            let what = format!("{} has the mode {text:?}, which is not octal", fields.place);
            Err(fields
                .source
                .wrong(fields.at, what, "write it as chmod does, such as \"755\""))
        }
    }
}

fn seconds(fields: &mut Fields<'_>) -> Result<Duration, ScriptError> {
    let Some(field) = fields.take("wait") else {
        return Ok(Duration::ZERO);
    };
    let number = match &field.value {
        DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
        DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
        _ => None,
    };
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| field.wrong(fields.source, "give seconds from 0, such as 0.5"))
}
