//! Reading a check's settings strictly. It refuses unknown keys and wrong types, and names the
//! keys that there are: a misspelt setting that is silently ignored is a gate that is silently
//! open.

use crate::Setting;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::{Map, Value};
use std::time::Duration;

/// The settings of one check, with no unknown and no missing key.
pub(crate) struct Settings<'a> {
    check: &'static str,
    map: Option<&'a Map<String, Value>>,
}

impl<'a> Settings<'a> {
    pub(crate) fn open(
        name: &'static str,
        known: &[Setting],
        with: &'a Value,
    ) -> Result<Self, String> {
        let map = match with {
            // A check without settings is written without a table.
            Value::Null => None,
            Value::Object(map) => Some(map),
            _ => return Err(format!("the settings of `{name}` must be a table")),
        };
        let keys: Vec<&str> = known.iter().map(|setting| setting.name).collect();
        let allowed = if keys.is_empty() {
            "it takes no settings".to_string()
        } else {
            format!("allowed keys: {}", keys.join(", "))
        };
        if let Some(key) = map
            .into_iter()
            .flat_map(Map::keys)
            .find(|key| !keys.contains(&key.as_str()))
        {
            return Err(format!("`{name}` has no setting `{key}`; {allowed}"));
        }
        let settings = Self { check: name, map };
        if let Some(missing) = known
            .iter()
            .find(|setting| setting.required && settings.get(setting.name).is_none())
        {
            return Err(format!(
                "`{name}` needs the setting `{}` ({}); {allowed}",
                missing.name, missing.what
            ));
        }
        Ok(settings)
    }

    /// A table inside of the settings, whose keys the caller has looked at.
    pub(crate) fn part(name: &'static str, map: &'a Map<String, Value>) -> Self {
        Self {
            check: name,
            map: Some(map),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.and_then(|map| map.get(key))
    }

    /// A refusal that names check and key.
    pub(crate) fn refuse<T>(&self, key: &str, must: &str) -> Result<T, String> {
        Err(format!(
            "`{}`: the setting `{key}` must be {must}",
            self.check
        ))
    }

    /// A text with something in it.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(_) => self.refuse(key, "a text that is not empty"),
        }
    }

    /// A list of texts with at least one in it.
    pub(crate) fn list(&self, key: &str) -> Result<Option<Vec<&'a str>>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => self.texts(key, value).map(Some),
        }
    }

    /// The texts in a value that lies under `key`.
    pub(crate) fn texts(&self, key: &str, value: &'a Value) -> Result<Vec<&'a str>, String> {
        let must = "a list of texts that are not empty";
        let texts: Option<Vec<&str>> = value.as_array().and_then(|values| {
            values
                .iter()
                .map(|value| value.as_str().filter(|text| !text.trim().is_empty()))
                .collect()
        });
        match texts {
            Some(texts) if !texts.is_empty() => Ok(texts),
            _ => self.refuse(key, must),
        }
    }

    /// A file as `repo/...` or `task/...`.
    pub(crate) fn placed(&self, key: &str) -> Result<Option<&'a str>, String> {
        let file = self.text(key)?;
        file.map(crate::readers::paths::lint_placed).transpose()?;
        Ok(file)
    }

    /// A whole number in a range that fits a count.
    pub(crate) fn count(&self, key: &str, low: i64, high: i64) -> Result<Option<usize>, String> {
        let number = self.number(key, low, high)?;
        Ok(number.and_then(|number| usize::try_from(number).ok()))
    }

    /// A whole number in a range.
    pub(crate) fn number(&self, key: &str, low: i64, high: i64) -> Result<Option<i64>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) if (low..=high).contains(&number) => Ok(Some(number)),
                _ => self.refuse(key, &format!("a whole number from {low} to {high}")),
            },
        }
    }

    /// A time in whole seconds, up to a week.
    pub(crate) fn seconds(&self, key: &str, low: i64) -> Result<Option<Duration>, String> {
        let seconds = self.number(key, low, 7 * 24 * 3600)?;
        Ok(seconds.map(|seconds| Duration::from_secs(seconds.unsigned_abs())))
    }

    /// A list of globs; `*` stays within a folder and `**` does not. Without the key, none.
    pub(crate) fn globs(&self, key: &str) -> Result<GlobSet, String> {
        let wrong = |error: globset::Error| format!("the setting `{key}`: {error}");
        let mut builder = GlobSetBuilder::new();
        for text in self.list(key)?.unwrap_or_default() {
            let glob = GlobBuilder::new(text).literal_separator(true).build();
            builder.add(glob.map_err(wrong)?);
        }
        builder.build().map_err(wrong)
    }
}
