//! A condition on any check of a gate: `when = { file, section, is }` or `{ file, section, mentions }`. It
//! refuses to spare a check in doubt: if the deciding words cannot be read, the check runs.

use crate::readers::{choice, markdown, paths};
use crate::settings::Settings;
use crate::text::{label, one_line};
use crate::{Check, Subject, find, registry};
use serde_json::Value;

/// The key beside a check's own settings.
const KEY: &str = "when";
const MUST: &str = "a table with `is` (a list of words) and either `file` (with or without `section` and `label`) or `field`; or one with `mentions` (a list of words), `file` and `section`";

/// When a check applies.
pub(crate) struct When {
    place: Place,
    is: Vec<String>,
    mentions: Vec<String>,
}

enum Place {
    Field(String),
    File {
        file: String,
        section: Option<String>,
        label: Option<String>,
    },
}

/// Refuses an unknown check, bad settings and a bad condition.
pub fn lint(name: &str, with: &Value) -> Result<(), String> {
    open(name, with).map(drop)
}

/// The check, its condition and its own settings.
pub(crate) fn open(
    name: &str,
    with: &Value,
) -> Result<(&'static dyn Check, Option<When>, Value), String> {
    let check = find(name).ok_or_else(|| {
        // All of them would not fit into a reason.
        let names: Vec<&str> = registry().iter().map(|check| check.name()).collect();
        let (first, last) = (names.first().unwrap_or(&""), names.last().unwrap_or(&""));
        format!(
            "there is no check `{name}`; docs/checks.md lists all {}, from `{first}` to `{last}`",
            names.len()
        )
    })?;
    let mut own = with.clone();
    let condition = own.as_object_mut().and_then(|map| map.remove(KEY));
    let condition = condition
        .map(|condition| When::read(&condition))
        .transpose()
        .map_err(|why| format!("`{name}`: {why}"))?;
    check.lint(&own)?;
    Ok((check, condition, own))
}

impl When {
    fn read(value: &Value) -> Result<Self, String> {
        let refuse = || format!("the setting `{KEY}` must be {MUST}");
        let map = value.as_object().ok_or_else(refuse)?;
        let known = ["file", "section", "label", "field", "is", "mentions"];
        if map.keys().any(|key| !known.contains(&key.as_str())) {
            return Err(refuse());
        }
        let settings = Settings::part(KEY, map);
        let text = |key: &str| -> Result<Option<String>, String> {
            Ok(settings.text(key)?.map(str::to_owned))
        };
        let (is, mentions) = (settings.list("is")?, settings.list("mentions")?);
        let (section, label) = (text("section")?, text("label")?);
        let searched = text("field")?.is_none() && section.is_some() && label.is_none();
        if is.is_some() == mentions.is_some() || (mentions.is_some() && !searched) {
            return Err(refuse());
        }
        let place = match (text("file")?, text("field")?) {
            (Some(file), None) if section.is_some() || label.is_some() => {
                paths::lint_placed(&file)?;
                Place::File {
                    file,
                    section,
                    label,
                }
            }
            (None, Some(field)) if section.is_none() && label.is_none() => Place::Field(field),
            _ => return Err(refuse()),
        };
        let owned = |words: Option<Vec<&str>>| -> Vec<String> {
            let words = words.unwrap_or_default().into_iter();
            words.map(str::to_owned).collect()
        };
        Ok(Self {
            place,
            is: owned(is),
            mentions: owned(mentions),
        })
    }

    /// Why the check does not apply, if it certainly does not.
    pub(crate) fn spares(&self, subject: &Subject<'_>) -> Option<String> {
        if !self.mentions.is_empty() {
            return self.unmentioned(subject);
        }
        let (what, line) = match &self.place {
            Place::Field(field) => (field, subject.fields.get(field)?.clone()),
            Place::File {
                file,
                section,
                label,
            } => {
                let text = paths::read(subject.place, file).ok()?;
                let what = section.as_ref().or(label.as_ref()).unwrap_or(file);
                let (section, label) = (section.as_deref(), label.as_deref());
                (what, choice::decisive(&text, section, label).ok()?)
            }
        };
        let words: Vec<&str> = self.is.iter().map(String::as_str).collect();
        if crate::text::is_placeholder(&line) || choice::choose(&line, &words).is_some() {
            return None;
        }
        Some(format!(
            "it does not apply: `{}` is `{}`, not {}",
            label(what),
            one_line(&line, 40),
            words.join(" or ")
        ))
    }

    /// The same where a section is searched for words.
    fn unmentioned(&self, subject: &Subject<'_>) -> Option<String> {
        let Place::File { file, section, .. } = &self.place else {
            return None;
        };
        let text = paths::read(subject.place, file).ok()?;
        let found = markdown::chosen(&text, section.as_deref()).ok()?;
        let says = |word: &String| {
            let word = word.to_lowercase();
            let mut sections = found.iter();
            sections.any(|section| section.content.to_lowercase().contains(&word))
        };
        if self.mentions.iter().any(says) {
            return None;
        }
        Some(format!(
            "it does not apply: `{}` mentions no {}",
            label(section.as_deref().unwrap_or(file)),
            self.mentions.join(", ")
        ))
    }
}
