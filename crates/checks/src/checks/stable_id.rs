//! `stable_id`: a field holds an identity that stays, or is wholly new. It refuses one that was used
//! before and left: what was counted on it would be forgotten.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::settings::{Expression, Text};
use crate::text::one_line;
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

/// A field's identity is the one in force, or one that no snapshot has had.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct StableId {
    /// The field.
    field: Text,
    /// A regular expression that the whole value matches.
    pattern: Expression,
}

impl Judge for StableId {
    const NAME: &'static str = "stable_id";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let (field, pattern) = (&*self.field, &self.pattern);
        let id = subject.fields.get(field).map_or("", |text| text.trim());
        let shown = one_line(id, 40);
        let whole = whole(pattern.as_str());
        let whole = whole.map_err(|error| Trouble::CouldNotRun(error.to_string()))?;
        if !whole.is_match(id) {
            let pattern = pattern.as_str();
            return Err(format!("`{field}: {shown}` does not match `{pattern}`").into());
        }
        let has = |kind: &str| {
            subject
                .known
                .get(kind)
                .is_some_and(|names| names.contains(id))
        };
        match (has("id"), has("ids")) {
            (true, _) => Ok(format!("`{shown}` stays")),
            (false, false) => Ok(format!("`{shown}` is new")),
            (false, true) => {
                let used = subject.known.get("ids").into_iter().flatten();
                let used = used.filter(|used| whole.is_match(used));
                let free = free(id, used).map_or_else(String::new, |free| format!(", as `{free}`"));
                let why = format!(
                    "`{shown}` was used before and left; mint a new one{free} (slice_id_reused)"
                );
                Err(why.into())
            }
        }
    }
}

/// The pattern, of the whole value.
fn whole(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("^(?:{pattern})$"))
}

/// Could this be a name of the form? A pattern that cannot be read rules none out: the check itself says so.
pub fn is_id(pattern: &str, id: &str) -> bool {
    whole(pattern).map_or(true, |whole| whole.is_match(id))
}

/// The next name after these: one above the highest number of the form of the last.
pub fn free_id<'u>(used: impl Iterator<Item = &'u String> + Clone) -> Option<String> {
    let last = used.clone().last()?;
    free(last, used)
}

/// The next name of this form: its digits, one above the highest that was used.
fn free<'u>(id: &str, used: impl Iterator<Item = &'u String>) -> Option<String> {
    let head = id.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let width = id.len() - head.len();
    let numbers = used.filter_map(|one| one.strip_prefix(head)?.parse::<u64>().ok());
    let next = numbers.max()?.checked_add(1)?;
    Some(format!("{head}{next:0width$}"))
}
