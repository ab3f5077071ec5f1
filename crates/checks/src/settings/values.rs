//! The kinds of values that settings have, and what each must be.

use crate::readers::{globs, items, paths};
use documents::idents::Pattern;
use globset::GlobSet;
use regex::Regex;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::time::Duration;

/// How a value is read: by a function of what was written; and what a schema says of it. With
/// `=> Target`, it can be used as what it holds.
macro_rules! value {
    ($(@[$($generics:tt)*])? $kind:ty => $target:ty, $read:expr, $schema:tt) => {
        $crate::settings::value!($(@[$($generics)*])? $kind, $read, $schema);

        impl<$($($generics)*)?> ::std::ops::Deref for $kind {
            type Target = $target;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };
    ($(@[$($generics:tt)*])? $kind:ty, $read:expr, $schema:tt) => {
        impl<'de, $($($generics)*)?> ::serde::Deserialize<'de> for $kind {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let read: fn(&::serde_json::Value) -> Result<Self, $crate::settings::Wrong> = $read;
                let value = ::serde_json::Value::deserialize(from)?;
                read(&value).map_err(::serde::de::Error::custom)
            }
        }

        impl<$($($generics)*)?> ::schemars::JsonSchema for $kind {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($kind).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!($schema)
            }
        }
    };
}
pub(crate) use value;

fn text(value: &Value) -> Result<&str, Wrong> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.ok_or(Wrong::Must("a text that is not empty".into()))
}

fn texts(value: &Value) -> Result<Vec<String>, Wrong> {
    let values = value.as_array().filter(|values| !values.is_empty());
    let texts: Option<Vec<String>> = values.and_then(|values| {
        let texts = values.iter().map(|value| text(value).ok());
        texts.map(|text| text.map(str::to_owned)).collect()
    });
    texts.ok_or(Wrong::Must("a list of texts that are not empty".into()))
}

/// Why a value is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("must be {0}")]
    Must(Cow<'static, str>),
    #[error("is wrong: {0}")]
    Is(#[source] Box<dyn std::error::Error>),
}

impl Wrong {
    fn is(why: impl Into<Box<dyn std::error::Error>>) -> Self {
        Self::Is(why.into())
    }
}

/// A text with something in it.
#[derive(Debug, Clone)]
pub(crate) struct Text(String);
value!(Text => str, |value| Ok(Self(text(value)?.to_owned())), {"type": "string", "minLength": 1});

/// A list of texts with at least one in it; empty where it was left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts(Vec<String>);
value!(Texts => [String], |value| Ok(Self(texts(value)?)), {
    "type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}
});

impl Texts {
    /// What stands for a list that was left out.
    pub(crate) fn of(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| (*text).to_owned()).collect())
    }
}

/// A file as `repo/...` or `task/...`.
#[derive(Debug, Clone)]
pub(crate) struct Placed(String);
value!(
    Placed => str,
    |value| {
        let path = text(value)?;
        paths::lint_placed(path).map_err(Wrong::is)?;
        Ok(Self(path.to_owned()))
    },
    {"type": "string", "pattern": "^(repo|task)/."}
);

/// A path that stays in its folder.
#[derive(Debug, Clone)]
pub(crate) struct RelativePath(String);
value!(
    RelativePath => str,
    |value| {
        let path = text(value)?;
        paths::lint(path).map_err(Wrong::is)?;
        Ok(Self(path.to_owned()))
    },
    {"type": "string", "minLength": 1}
);

/// Paths that stay in their folder; none where they were left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Paths(Vec<String>);
value!(
    Paths => [String],
    |value| {
        let paths = texts(value)?;
        let mut each = paths.iter();
        each.try_for_each(|path| paths::lint(path)).map_err(Wrong::is)?;
        Ok(Self(paths))
    },
    {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}
);

/// An item as for `freeze`.
#[derive(Debug, Clone)]
pub(crate) struct Item(String);
value!(
    Item => str,
    |value| {
        let item = text(value)?;
        items::lint(item).map_err(Wrong::is)?;
        Ok(Self(item.to_owned()))
    },
    {"type": "string", "minLength": 1}
);

/// Items as for `freeze`; none where they were left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Items(Vec<String>);
value!(
    Items => [String],
    |value| {
        let items = texts(value)?;
        let mut each = items.iter();
        each.try_for_each(|item| items::lint(item)).map_err(Wrong::is)?;
        Ok(Self(items))
    },
    {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}
);

/// Globs; `*` stays within a folder and `**` does not. None where they were left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Globs(GlobSet);
value!(
    Globs => GlobSet,
    |value| {
        let texts = texts(value)?;
        let globs = globs::compiled(globs::Star::Stays, texts.iter().map(String::as_str));
        Ok(Self(globs.map_err(Wrong::is)?))
    },
    {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}
);

/// A regular expression.
#[derive(Debug, Clone)]
pub(crate) struct Expression(Regex);
value!(
    Expression => Regex,
    |value| match Regex::new(text(value)?) {
        Ok(found) => Ok(Self(found)),
        Err(_) => Err(Wrong::Must("a regular expression".into())),
    },
    {"type": "string", "format": "regex"}
);

impl Display for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Display for Placed {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A whole number in a range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number<const LOW: i64, const HIGH: i64>(i64);
value!(
    @[const LOW: i64, const HIGH: i64] Number<LOW, HIGH> => i64,
    |value| match value.as_i64().filter(|number| (LOW..=HIGH).contains(number)) {
        Some(number) => Ok(Self(number)),
        None => Err(Wrong::Must(format!("a whole number from {LOW} to {HIGH}").into())),
    },
    {"type": "integer", "minimum": LOW, "maximum": HIGH}
);

impl<const LOW: i64, const HIGH: i64> Number<LOW, HIGH> {
    /// As a count.
    pub(crate) fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }

    /// As a time in seconds.
    pub(crate) fn seconds(self) -> Duration {
        Duration::from_secs(self.0.unsigned_abs())
    }
}

/// What is chosen by a word.
pub(crate) trait Words: Copy + 'static {
    /// The words, and what each chooses.
    const WORDS: &'static [(&'static str, Self)];
}

/// One of a few words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice<T>(T);
value!(
    @[T: Words] Choice<T> => T,
    |value| match T::WORDS.iter().find(|(word, _)| value == word) {
        Some((_, chosen)) => Ok(Self(*chosen)),
        None => Err(Wrong::Must(listed(T::WORDS, "or").into())),
    },
    {"enum": T::WORDS.iter().map(|(word, _)| *word).collect::<Vec<_>>()}
);

/// Some of a few words; none where they were left out.
#[derive(Debug, Clone)]
pub(crate) struct Choices<T>(Vec<T>);
value!(
    @[T: Words] Choices<T> => [T],
    |value| {
        let chosen = |value: &Value| {
            let found = T::WORDS.iter().find(|(word, _)| value == word);
            found.map(|(_, chosen)| *chosen)
        };
        let chosen: Option<Vec<T>> = value
            .as_array()
            .filter(|values| !values.is_empty())
            .and_then(|values| values.iter().map(chosen).collect());
        let must = || Wrong::Must(format!("a list of {}", listed(T::WORDS, "and")).into());
        chosen.map(Self).ok_or_else(must)
    },
    {"type": "array", "minItems": 1, "items": {
        "enum": T::WORDS.iter().map(|(word, _)| *word).collect::<Vec<_>>()
    }}
);

impl<T: Words> Choices<T> {
    /// What stands for a list that was left out.
    pub(crate) fn of(chosen: &[T]) -> Self {
        Self(chosen.to_vec())
    }
}

impl<T> Default for Choices<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// `a`, `b` or `c`.
fn listed<T>(words: &[(&str, T)], joint: &str) -> String {
    let mut words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} {joint} {last}", words.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// A table: name to the list of its words. Empty where it was left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordTable(BTreeMap<String, Vec<String>>);
value!(
    WordTable => BTreeMap<String, Vec<String>>,
    |value| {
        let table = value.as_object().filter(|table| !table.is_empty());
        let table = table.ok_or(Wrong::Must("a table: name to the list of its words".into()))?;
        let lists = table.iter().map(|(name, list)| Ok((name.clone(), texts(list)?)));
        lists.collect::<Result<_, Wrong>>().map(Self)
    },
    {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}
);

/// What ids look like.
#[derive(Debug, Clone)]
pub(crate) struct IdPattern(Pattern);
value!(
    IdPattern => Pattern,
    |value| Ok(Self(Pattern::new(text(value)?).map_err(Wrong::is)?)),
    {"type": "string", "format": "regex"}
);
