//! Reading a check's settings strictly: a misspelt setting that is silently ignored is a gate that
//! is silently open. The type of the settings says which keys there are, and its documentation what
//! they mean.

mod values;

pub(crate) use values::{
    Choice, Choices, Expression, Globs, IdPattern, Item, Items, Number, Paths, Placed,
    RelativePath, Text, Texts, WordTable, Words, Wrong, value,
};

use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest time that a setting may give: a week of seconds.
pub(crate) const WEEK: i64 = 7 * 24 * 3600;

/// A time limit in seconds.
pub(crate) type Seconds = Number<1, WEEK>;

/// One setting of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub name: String,
    /// What it means, in one line.
    pub what: String,
    /// Must it be given?
    pub required: bool,
}

fn meant(near: &Option<&'static str>) -> String {
    near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

/// Why settings are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// No check has this name.
    #[error(
        "there is no check `{name}`{}; docs/checks.md lists all {count}, from `{first}` to `{last}`", meant(.near)
    )]
    NoSuchCheck {
        name: String,
        /// The one that it looks like.
        near: Option<&'static str>,
        /// How many checks there are.
        count: usize,
        /// The first of them.
        first: &'static str,
        /// The last of them.
        last: &'static str,
    },
    /// The settings are not a table.
    #[error("the settings of `{of}` must be a table")]
    NoTable {
        /// Whose they are.
        of: &'static str,
    },
    /// There is no such key.
    #[error("`{of}` has no setting `{key}`; {}", allowed(.keys))]
    Unknown {
        /// Whose they are.
        of: &'static str,
        key: String,
        /// The keys that there are.
        keys: Vec<String>,
    },
    /// A key is missing.
    #[error("`{of}` needs the setting `{}` ({}); {}", .missing.name, .missing.what, allowed(.keys))]
    Missing {
        /// Whose they are.
        of: &'static str,
        missing: Setting,
        /// The keys that there are.
        keys: Vec<String>,
    },
    /// A value is not what it must be.
    #[error("`{of}`: the setting `{key}` {why}")]
    Wrong {
        /// Whose they are.
        of: &'static str,
        /// Where it stands.
        key: String,
        /// What it must be.
        why: String,
    },
    /// Each value is right, and together they are not.
    #[error("`{of}` {rule}")]
    Together {
        /// Whose they are.
        of: &'static str,
        /// What must hold between them.
        rule: &'static str,
    },
    /// The condition of a check is wrong.
    #[error("`{check}`: {source}")]
    When {
        check: &'static str,
        /// Why.
        source: Box<SettingsError>,
    },
}

fn allowed(keys: &[String]) -> String {
    match keys {
        [] => "it takes no settings".to_owned(),
        keys => format!("allowed keys: {}", keys.join(", ")),
    }
}

/// All settings that a type has.
pub(crate) fn settings<T: JsonSchema>() -> Vec<Setting> {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let member = |name: &str| schema.get(name).cloned().unwrap_or_default();
    let required = member("required");
    let is_required = |name: &String| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|required| required == name)
    };
    let properties = member("properties");
    let properties = properties.as_object().into_iter().flatten();
    properties
        .map(|(name, about)| Setting {
            name: name.clone(),
            what: what(about["description"].as_str().unwrap_or_default()),
            required: is_required(name),
        })
        .collect()
}

/// A sentence as part of another one.
fn what(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_end_matches('.');
    let mut chars = line.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            let rest = &line[first.len_utf8()..];
            first.to_lowercase().chain(rest.chars()).collect()
        }
        _ => line.to_owned(),
    }
}

/// Reads settings, with no unknown and no missing key.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(
    of: &'static str,
    with: &Value,
) -> Result<T, SettingsError> {
    // A check without settings is written without a table.
    let nothing = serde_json::Map::new();
    let map = match with {
        Value::Null => &nothing,
        Value::Object(map) => map,
        _ => return Err(SettingsError::NoTable { of }),
    };
    let known = settings::<T>();
    let keys = || known.iter().map(|setting| setting.name.clone()).collect();
    let is_known = |key: &&String| known.iter().any(|setting| setting.name == **key);
    if let Some(key) = map.keys().find(|key| !is_known(key)) {
        let (key, keys) = (key.clone(), keys());
        return Err(SettingsError::Unknown { of, key, keys });
    }
    let is_missing = |setting: &&Setting| setting.required && !map.contains_key(&setting.name);
    if let Some(missing) = known.iter().find(is_missing).cloned() {
        let keys = keys();
        return Err(SettingsError::Missing { of, missing, keys });
    }
    serde_path_to_error::deserialize(&Value::Object(map.clone())).map_err(|error| {
        SettingsError::Wrong {
            of,
            key: error.path().to_string(),
            why: error.into_inner().to_string(),
        }
    })
}
