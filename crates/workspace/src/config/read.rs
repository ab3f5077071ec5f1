//! From a file or the environment to checked values. Whatever is not in the table of settings is
//! an error with the line and the nearest name.

use super::keys::{self, KEYS, Key, Shape};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::Path;

/// A checked value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A whole number.
    Number(u64),
}

fn malformed(place: &str, what: &str, mend: String) -> Error {
    Error::user("config_malformed", format!("{place}: {what}"), mend)
}

/// The values of a file; none if there is no file.
pub(super) fn file(path: &Path) -> Result<BTreeMap<String, Value>, Error> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    let table: toml::de::DeTable<'_> = match toml::de::DeTable::parse(&text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let at = line(error.span().map_or(0, |span| span.start));
            return Err(malformed(
                &format!("{}:{at}", path.display()),
                error.message(),
                "correct the line".to_owned(),
            ));
        }
    };
    let mut found = BTreeMap::new();
    let mut open: Vec<(String, toml::de::DeTable<'_>)> = vec![(String::new(), table)];
    while let Some((prefix, table)) = open.pop() {
        for (key, value) in table {
            let place = format!("{}:{}", path.display(), line(key.span().start));
            let name = format!("{prefix}{}", key.get_ref());
            match value.into_inner() {
                toml::de::DeValue::Table(inner) if keys::find(&name).is_none() => {
                    open.push((format!("{name}."), inner));
                }
                value => {
                    let key = known(&place, &name)?;
                    found.insert(name.clone(), of_toml(&place, key, &name, value)?);
                }
            }
        }
    }
    Ok(found)
}

fn known(place: &str, name: &str) -> Result<&'static Key, Error> {
    keys::find(name).ok_or_else(|| {
        let mend = match keys::suggestion(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "known settings: {}",
                KEYS.iter()
                    .map(|key| key.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        malformed(place, &format!("there is no setting `{name}`"), mend)
    })
}

fn wrong(place: &str, key: &Key, name: &str) -> Error {
    let wanted = match key.shape {
        Shape::Text => "a text".to_owned(),
        Shape::Texts => "a list of texts".to_owned(),
        Shape::Number => "a whole number".to_owned(),
        Shape::OneOf(words) => format!("one of {}", words.join(", ")),
    };
    malformed(
        place,
        &format!("`{name}` must be {wanted}"),
        format!("for example: {} = {}", name, key.example),
    )
}

fn of_toml(
    place: &str,
    key: &'static Key,
    name: &str,
    value: toml::de::DeValue<'_>,
) -> Result<Value, Error> {
    use toml::de::DeValue;
    let fail = || wrong(place, key, name);
    match (key.shape, value) {
        (Shape::Text, DeValue::String(text)) => Ok(Value::Text(text.into_owned())),
        (Shape::OneOf(words), DeValue::String(text)) if words.contains(&text.as_ref()) => {
            Ok(Value::Text(text.into_owned()))
        }
        (Shape::Number, DeValue::Integer(number)) => number
            .as_str()
            .replace('_', "")
            .parse()
            .map(Value::Number)
            .map_err(|_| fail()),
        (Shape::Texts, DeValue::Array(items)) => {
            let mut texts = Vec::new();
            for item in items {
                match item.into_inner() {
                    DeValue::String(text) => texts.push(text.into_owned()),
                    _ => return Err(fail()),
                }
            }
            Ok(Value::Texts(texts))
        }
        _ => Err(fail()),
    }
}

/// `PROOFHOUSE_CHECKS__COMMANDS` for `checks.commands`.
pub fn variable(name: &str) -> String {
    format!("PROOFHOUSE_{}", name.to_uppercase().replace('.', "__"))
}

/// Values from the environment. Only settings without a star have a variable.
pub(super) fn environment() -> Result<Vec<(String, String, Value)>, Error> {
    let mut found = Vec::new();
    for key in KEYS.iter().filter(|key| !key.name.contains('*')) {
        let variable = variable(key.name);
        let Ok(text) = std::env::var(&variable) else {
            continue;
        };
        let place = format!("${variable}");
        let value = match key.shape {
            Shape::Text => Value::Text(text),
            Shape::OneOf(words) if words.contains(&text.as_str()) => Value::Text(text),
            Shape::Number => Value::Number(
                text.replace('_', "")
                    .parse()
                    .map_err(|_| wrong(&place, key, key.name))?,
            ),
            // One command a line, as no separator could not also stand in a command.
            Shape::Texts => Value::Texts(
                text.lines()
                    .map(str::to_owned)
                    .filter(|line| !line.trim().is_empty())
                    .collect(),
            ),
            Shape::OneOf(_) => return Err(wrong(&place, key, key.name)),
        };
        found.push((variable, key.name.to_owned(), value));
    }
    Ok(found)
}
