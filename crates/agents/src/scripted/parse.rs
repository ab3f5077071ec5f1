//! From TOML to a script, with every refusal naming file, line and mend.
//!
//! It checks the script's form and nothing of its sense: a script may ask for impossible
//! paths and leave wrong results, because rehearsing those is what it is for.

use super::error::ScriptError;
use super::fields::{Field, Fields, Source};
use super::parse_step::steps;
use super::script::{Answer, Entry, Script};
use kernel::outcome::Usage;
use serde_json::{Map, Value};
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const ENTRY_KEYS: &str = "state, role, attempt, brief, steps, result, result_text and usage";

/// Reads a script.
pub(super) fn parse(name: &str, text: &str) -> Result<Script, ScriptError> {
    let source = Source { name, text };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let what = format!("this is not TOML: {}", error.message().replace('\n', ", "));
        source.wrong(at, what, "mend the syntax (https://toml.io)")
    })?;
    let span = table.span();
    let mut fields = Fields::new(source, "the script".to_owned(), span, table.into_inner());
    let log = fields.text("log")?.map(PathBuf::from);
    let entries = match fields.take("attempt") {
        None => Vec::new(),
        Some(Field {
            value: DeValue::Array(list),
            ..
        }) => list
            .into_iter()
            .map(|item| entry(source, item))
            .collect::<Result<_, _>>()?,
        Some(field) => return Err(field.wrong(source, "write [[attempt]] with two brackets")),
    };
    fields.end("log and [[attempt]]")?;
    if entries.is_empty() {
        return Err(source.wrong(0, "there is no [[attempt]]", "add at least one"));
    }
    Ok(Script { log, entries })
}

fn entry(source: Source<'_>, item: Spanned<DeValue<'_>>) -> Result<Entry, ScriptError> {
    let span = item.span();
    let line = source.line(span.start);
    let DeValue::Table(table) = item.into_inner() else {
        return Err(source.wrong(span.start, "an attempt is not a table", "write [[attempt]]"));
    };
    let mut fields = Fields::new(source, "the [[attempt]]".to_owned(), span, table);
    let entry = Entry {
        line,
        state: fields.text("state")?,
        role: fields.text("role")?,
        brief: fields.text("brief")?,
        attempt: fields
            .whole("attempt", 1, u64::from(u32::MAX))?
            .map(|nth| nth as u32),
        steps: steps(&mut fields)?,
        answer: answer(&mut fields)?,
        usage: usage(&mut fields)?,
    };
    fields.end(ENTRY_KEYS)?;
    Ok(entry)
}

fn answer(fields: &mut Fields<'_>) -> Result<Answer, ScriptError> {
    let source = fields.source;
    let result = fields.take("result");
    match (result, fields.text("result_text")?) {
        (None, None) => Ok(Answer::Nothing),
        (None, Some(text)) => Ok(Answer::Text(text)),
        (Some(field), Some(_)) => Err(source.wrong(
            field.at,
            "the [[attempt]] has both `result` and `result_text`",
            "keep one of them",
        )),
        (
            Some(Field {
                at,
                value: DeValue::Table(table),
                ..
            }),
            None,
        ) => {
            let object = object(source, table)?;
            if object.contains_key("usage") {
                let what = "`usage` stands inside `result`";
                return Err(source.wrong(at, what, "put it beside: usage = { ... }"));
            }
            Ok(Answer::Value(object))
        }
        (Some(field), None) => Err(field.wrong(
            source,
            "write result = { summary = \"...\" }, or result_text for anything else",
        )),
    }
}

fn usage(fields: &mut Fields<'_>) -> Result<Option<Usage>, ScriptError> {
    let source = fields.source;
    let (at, table) = match fields.take("usage") {
        None => return Ok(None),
        Some(Field {
            at,
            value: DeValue::Table(table),
            ..
        }) => (at, table),
        Some(field) => return Err(field.wrong(source, "write usage = { input_tokens = 1 }")),
    };
    let mut fields = Fields::new(source, "`usage`".to_owned(), at..at, table);
    // TOML's whole numbers end here, and so do the sums of anyone who adds a few of them.
    let mut number = |key| Ok(fields.whole(key, 0, i64::MAX as u64)?.unwrap_or(0));
    let usage = Usage {
        input_tokens: number("input_tokens")?,
        cached_tokens: 0,
        output_tokens: number("output_tokens")?,
        micro_dollars: number("micro_dollars")?,
    };
    fields.end("input_tokens, output_tokens and micro_dollars")?;
    Ok(Some(usage))
}

fn object(source: Source<'_>, table: DeTable<'_>) -> Result<Map<String, Value>, ScriptError> {
    let pair = |(key, value): (Spanned<std::borrow::Cow<'_, str>>, Spanned<DeValue<'_>>)| {
        Ok((key.into_inner().into_owned(), json(source, value)?))
    };
    table.into_iter().map(pair).collect()
}

fn json(source: Source<'_>, value: Spanned<DeValue<'_>>) -> Result<Value, ScriptError> {
    let at = value.span().start;
    let number = |text: &str| {
        let what = format!("{text} is not a number that JSON has");
        source.wrong(at, what, "give a smaller, finite number or a string")
    };
    Ok(match value.into_inner() {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map(Value::from)
            .map_err(|_| number(integer.as_str()))?,
        DeValue::Float(float) => float
            .as_str()
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map(Value::Number)
            .ok_or_else(|| number(float.as_str()))?,
        DeValue::Array(list) => Value::Array(
            list.into_iter()
                .map(|item| json(source, item))
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => Value::Object(object(source, table)?),
    })
}
