//! `cites`: every entry rests on names that the run has given out. It refuses a name that is not
//! there (any more), and an entry that cites nothing.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::sections::sections_of;
use crate::readers::substance::hollow;
use crate::settings::{Expression, Placed, SettingsError, Text};
use crate::text::{first_few, label};
use documents::substance::little_to_do;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Each entry cites names that the run knows, and none that it does not.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Cites {
    /// `task/...` or `repo/...`; or else `result`.
    file: Option<Placed>,
    /// The heading over the entries, with `file`.
    section: Option<Text>,
    /// A key of the agent's result, in place of a file.
    result: Option<Text>,
    /// A regular expression for the names.
    pattern: Expression,
    /// The kind of names: `facts`, `evidence`, `issues`.
    known: Text,
    /// A kind of names all of which must be cited.
    all: Option<Text>,
    /// A regular expression for names that no entry may cite.
    never: Option<Expression>,
}

impl Judge for Cites {
    const NAME: &'static str = "cites";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match (&self.file, &self.section, &self.result) {
            (Some(_), Some(_), None) | (None, None, Some(_)) => Ok(()),
            _ => Self::refuse("needs either `file` and `section`, or `result`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let entries = self.entries(subject)?;
        if entries.is_empty() {
            return Err("there is no entry that could cite anything"
                .to_owned()
                .into());
        }
        let nothing = Default::default();
        let known = subject.known.get(&*self.known).unwrap_or(&nothing);
        // The consolidated context names it itself, where it says how a criterion was judged.
        let verdicts = subject.known.get("verdicts");
        let (mut wrong, mut cited) = (Vec::new(), std::collections::BTreeSet::new());
        for entry in &entries {
            let shown = label(entry);
            let names: Vec<&str> = self
                .pattern
                .find_iter(entry)
                .map(|found| found.as_str())
                .collect();
            if names.is_empty() {
                wrong.push(format!("`{shown}` cites nothing"));
            }
            let empty = hollow(subject, entry, "").filter(|why| !why.is_blank());
            let empty = empty.or_else(|| little_to_do(entry).filter(|_| self.file.is_some()));
            if let Some(why) = empty {
                wrong.push(format!("`{shown}` {why}"));
            }
            for name in names {
                match known.contains(name) {
                    true => {
                        cited.insert(name);
                    }
                    false => wrong.push(format!(
                        "`{shown}` cites {name}, which is not there (fact_not_consolidated)"
                    )),
                }
            }
            let never = self.never.iter().flat_map(|never| never.find_iter(entry));
            let mut raw = never.map(|found| found.as_str());
            if let Some(name) = raw.find(|name| !verdicts.is_some_and(|ids| ids.contains(*name))) {
                wrong.push(format!(
                    "`{shown}` cites {name}, which is not to be planned on"
                ));
            }
        }
        let all = self.all.as_deref().and_then(|kind| subject.known.get(kind));
        let left_out: Vec<&str> = all
            .into_iter()
            .flatten()
            .map(String::as_str)
            .filter(|name| !cited.contains(name))
            .collect();
        if !left_out.is_empty() {
            wrong.push(format!("nothing cites {}", first_few(&left_out, 5)));
        }
        if wrong.is_empty() {
            return Ok(format!(
                "{} entries cite {} names",
                entries.len(),
                cited.len()
            ));
        }
        Err(first_few(&wrong, 3).into())
    }
}

impl Cites {
    fn entries(&self, subject: &Subject<'_>) -> Judged<Vec<String>> {
        if let Some(file) = self.file.as_deref() {
            let sections = sections_of(subject, file, self.section.as_deref())?;
            let points = sections.into_iter().flat_map(|section| section.points);
            return Ok(points.collect());
        }
        let key = self.result.as_deref().unwrap_or_default();
        let value = subject.result.map_or(&Value::Null, |result| &result[key]);
        Ok(match value {
            Value::String(text) if !text.trim().is_empty() => vec![text.clone()],
            Value::Array(list) => list.iter().map(Value::to_string).collect(),
            _ => Vec::new(),
        })
    }
}
