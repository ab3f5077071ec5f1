//! A condition on any check of a gate: `when = { file, section, is }` (or `is_not`), `{ file, section,
//! mentions }` or `{ unless }`. In doubt the check runs: also where the deciding words cannot be read.

use crate::readers::paths;
use crate::settings::{self, Placed, SettingsError, Text, Texts};
use crate::text::{label, one_line};
use crate::{Check, Subject, find, registry};
use documents::is_placeholder;
use documents::{choice, markdown};
use kernel::Word;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The key beside a check's own settings.
const KEY: &str = "when";
const MUST: &str = "must have `is` or `is_not` (a list of words) and either `file` (with `section`, `label` or both) or `field`; or else `mentions` (a list of words), `file` and `section`; or `unless` alone (a word that a check before it may show)";

/// When a check applies.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct When {
    /// The file that decides.
    file: Option<Placed>,
    /// The heading over the deciding words.
    section: Option<Text>,
    /// The label of the deciding line.
    label: Option<Text>,
    /// The field that decides, in place of a file.
    field: Option<Text>,
    /// The words with which the check applies.
    #[serde(default)]
    is: Texts,
    /// The words with which the check does not apply.
    #[serde(default)]
    is_not: Texts,
    /// Words of which the section must mention one, so that the check applies.
    #[serde(default)]
    mentions: Texts,
    /// The word with which it does not apply, where a check before it in the gate has shown it.
    unless: Option<Text>,
}

/// Refuses an unknown check, bad settings and a bad condition.
pub fn lint(name: &str, with: &Value) -> Result<(), SettingsError> {
    open(&[], name, with).map(drop)
}

/// The check, its condition and its own settings.
pub(crate) fn open<'a>(
    own: &[&'a dyn Check],
    name: &str,
    with: &Value,
) -> Result<(&'a dyn Check, Option<When>, Value), SettingsError> {
    let own = own.iter().copied().find(|check| check.name() == name);
    let check = own.or(find(name)).ok_or_else(|| {
        // All of them would not fit into a reason.
        let (first, last) = (registry().first(), registry().last());
        SettingsError::NoSuchCheck {
            near: kernel::near::nearest(name, registry().iter().map(|check| check.name())),
            name: name.to_owned(),
            count: registry().len(),
            first: first.map_or("", |check| check.name()),
            last: last.map_or("", |check| check.name()),
        }
    })?;
    let mut own = with.clone();
    let condition = own.as_object_mut().and_then(|map| map.remove(KEY));
    let condition = condition.map(|condition| When::read(&condition));
    let condition = condition
        .transpose()
        .map_err(|source| SettingsError::When {
            check: check.name(),
            source: Box::new(source),
        })?;
    check.lint(&own)?;
    Ok((check, condition, own))
}

impl When {
    fn read(value: &Value) -> Result<Self, SettingsError> {
        let when: Self = settings::read(KEY, value)?;
        let placed = when.section.is_some() || when.label.is_some();
        let by_word = match (&when.file, &when.field) {
            (Some(_), None) => placed,
            (None, Some(_)) => !placed,
            _ => false,
        };
        let searched = when.file.is_some()
            && when.field.is_none()
            && when.section.is_some()
            && when.label.is_none();
        let alone = when.file.is_none() && when.field.is_none() && !placed;
        let unless = when.unless.is_some();
        let words = [&when.is, &when.is_not, &when.mentions].map(|words| !words.is_empty());
        match words {
            [true, false, false] | [false, true, false] if by_word && !unless => Ok(when),
            [false, false, true] if searched && !unless => Ok(when),
            [false, false, false] if alone && unless => Ok(when),
            _ => Err(SettingsError::Together {
                of: KEY,
                rule: MUST,
            }),
        }
    }

    /// Why the check does not apply, if it certainly does not.
    pub(crate) fn spares(&self, subject: &Subject<'_>, shown: &BTreeSet<Word>) -> Option<String> {
        if let Some(word) = &self.unless {
            let is_shown = shown.iter().any(|one| one.as_str() == &**word);
            return is_shown.then(|| format!("it waits: `{}` is shown", label(word)));
        }
        if !self.mentions.is_empty() {
            return self.unmentioned(subject);
        }
        let (section, label_of) = (self.section.as_deref(), self.label.as_deref());
        let (what, line) = match (self.field.as_deref(), self.file.as_deref()) {
            (Some(field), _) => (field, subject.fields.get(field)?.clone()),
            (None, file) => {
                let file = file?;
                let text = paths::read(subject.place, file).ok()?;
                let what = section.or(label_of).unwrap_or(file);
                (what, choice::decisive(&text, section, label_of).ok()?)
            }
        };
        if is_placeholder(&line) {
            return None;
        }
        let (said, not) = (one_line(&line, 40), choice::choose(&line, &self.is_not));
        let why = match (self.is.is_empty(), choice::choose(&line, &self.is)) {
            (false, Some(_)) => return None,
            (false, None) => format!("`{said}`, not {}", self.is.join(" or ")),
            (true, _) => format!("`{}`", not?),
        };
        Some(format!("it does not apply: `{}` is {why}", label(what)))
    }

    /// The same where a section is searched for words.
    fn unmentioned(&self, subject: &Subject<'_>) -> Option<String> {
        let (file, section) = (self.file.as_deref()?, self.section.as_deref()?);
        let text = paths::read(subject.place, file).ok()?;
        let found = markdown::chosen(&text, Some(section)).ok()?;
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
            label(section),
            self.mentions.join(", ")
        ))
    }
}
