//! Reading a TOML table key by key, with the line of everything that is wrong.
//!
//! A derive would name the line of some faults and the mend of none. Keys that nobody asked for are
//! errors: a misspelt one would silently make another script.

use super::error::ScriptError;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The script's text and name, for errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

impl Source<'_> {
    /// The line of a byte offset, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// An error at a byte offset.
    pub(super) fn wrong(
        &self,
        at: usize,
        what: impl Into<String>,
        mend: impl Into<String>,
    ) -> ScriptError {
        ScriptError::Malformed {
            file: self.name.to_owned(),
            line: self.line(at),
            what: what.into(),
            mend: mend.into(),
        }
    }
}

/// One value with its place.
#[derive(Debug)]
pub(super) struct Field<'a> {
    pub(super) key: String,
    pub(super) at: usize,
    pub(super) value: DeValue<'a>,
}

impl Field<'_> {
    /// The error of a value that is not what the key takes.
    pub(super) fn wrong(&self, source: Source<'_>, mend: &str) -> ScriptError {
        let what = format!(
            "`{}` is a TOML {} that does not fit here",
            self.key,
            self.value.type_str()
        );
        source.wrong(self.at, what, mend)
    }
}

/// The keys of a table that have not been taken yet.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub(super) source: Source<'a>,
    pub(super) place: String,
    pub(super) at: usize,
    left: Vec<Field<'a>>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        source: Source<'a>,
        place: String,
        span: Range<usize>,
        table: DeTable<'a>,
    ) -> Self {
        let left = table.into_iter().map(|(key, value)| field(&key, value));
        Self {
            source,
            place,
            at: span.start,
            left: left.collect(),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.left.iter().any(|field| field.key == key)
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Field<'a>> {
        let at = self.left.iter().position(|field| field.key == key)?;
        Some(self.left.swap_remove(at))
    }

    /// A string, if the key is there.
    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, ScriptError> {
        match self.take(key) {
            None => Ok(None),
            Some(Field {
                value: DeValue::String(text),
                ..
            }) => Ok(Some(text.into_owned())),
            Some(field) => Err(field.wrong(self.source, "give a string in quotes")),
        }
    }

    /// A string that must be there.
    pub(super) fn need(&mut self, key: &str) -> Result<String, ScriptError> {
        match self.text(key)? {
            Some(text) => Ok(text),
            None => Err(self.source.wrong(
                self.at,
                format!("{} has no `{key}`", self.place),
                format!("add `{key} = \"...\"`"),
            )),
        }
    }

    /// A string that must be there and say something.
    pub(super) fn need_filled(&mut self, key: &str) -> Result<String, ScriptError> {
        let at = self
            .left
            .iter()
            .find(|field| field.key == key)
            .map_or(self.at, |field| field.at);
        let text = self.need(key)?;
        if text.is_empty() {
            let what = format!("`{key}` of {} is empty", self.place);
            return Err(self
                .source
                .wrong(at, what, "write something between the quotes"));
        }
        Ok(text)
    }

    /// A whole number of at least `least`, if the key is there.
    pub(super) fn whole(
        &mut self,
        key: &str,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, ScriptError> {
        let Some(field) = self.take(key) else {
            return Ok(None);
        };
        let number = match &field.value {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        match number.filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(field.wrong(
                self.source,
                &format!("give a whole number from {least} to {most}"),
            )),
        }
    }

    /// `true` or `false`; `false` if the key is not there.
    pub(super) fn flag(&mut self, key: &str) -> Result<bool, ScriptError> {
        match self.take(key) {
            None => Ok(false),
            Some(Field {
                value: DeValue::Boolean(flag),
                ..
            }) => Ok(flag),
            Some(field) => Err(field.wrong(self.source, "give true or false")),
        }
    }

    /// Ends the reading: whatever was not taken is unknown.
    pub(super) fn end(self, known: &str) -> Result<(), ScriptError> {
        match self.left.iter().min_by_key(|field| field.at) {
            None => Ok(()),
            Some(field) => Err(self.source.wrong(
                field.at,
                format!("{} has an unknown key `{}`", self.place, field.key),
                format!("it takes {known}"),
            )),
        }
    }
}

fn field<'a>(key: &Spanned<std::borrow::Cow<'a, str>>, value: Spanned<DeValue<'a>>) -> Field<'a> {
    Field {
        key: key.get_ref().clone().into_owned(),
        at: key.span().start,
        value: value.into_inner(),
    }
}
