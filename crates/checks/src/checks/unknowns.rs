//! `unknowns`: what the run does not know yet, counted: open issues of the latest snapshot and of the
//! draft that somebody is to look into. It refuses a scope that shows whoever looks nothing. Whether
//! something else is unknown, it cannot tell.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::{globs::Line, sources};
use crate::settings::{Number, Text};
use crate::text::{first_few, one_line};
use kernel::pattern::Named;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// As many unknowns as these bounds allow, each with a scope that shows something.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Unknowns {
    /// At least so many; 0.
    least: Option<Number<0, 1_000>>,
    /// At most so many; no bound.
    most: Option<Number<0, 1_000>>,
    /// The field with the cap that each scope lies in.
    within: Option<Text>,
    /// Only where the result asks for this state as `next`.
    before: Option<Text>,
}

/// The next action of an issue that somebody is to look into.
const LOOK: &str = "re-scout";

impl Judge for Unknowns {
    const NAME: &'static str = "unknowns";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let nothing = Value::Null;
        let result = subject.result.unwrap_or(&nothing);
        if let Some(state) = self.before.as_deref()
            && result["next"] != state
        {
            return Ok(format!("`{state}` is not asked for"));
        }
        let draft = &result["snapshot"];
        let items = |key: &str| draft[key].as_array().into_iter().flatten();
        let asked: Vec<&Value> = items("open").filter(|one| one["next"] == LOOK).collect();
        let wrong: Vec<String> = asked
            .iter()
            .filter_map(|one| self.blind(subject, one).transpose())
            .collect::<Result<_, _>>()?;
        if !wrong.is_empty() {
            return Err(first_few(&wrong, 3).into());
        }
        let resolved: BTreeSet<&str> = items("resolve")
            .filter_map(|one| one["id"].as_str())
            .collect();
        let known = subject.known.get("unknowns").into_iter().flatten();
        let known = known.filter(|name| !resolved.contains(name.as_str()));
        let (issues, words): (Vec<&String>, Vec<&String>) =
            known.partition(|name| name.starts_with("I-"));
        let count = match issues.len() + asked.len() {
            // What no issue says is unknown as a whole, until there is a fact.
            0 if items("facts").next().is_none() => words.len(),
            named => named,
        };
        let (least, most) = (
            self.least.map_or(0, Number::count),
            self.most.map(Number::count),
        );
        if count < least {
            return Err(format!(
                "nothing is unknown that somebody could look into: open an issue with `next` `{LOOK}` first"
            )
            .into());
        }
        match most {
            Some(most) if count > most => Err(format!("{count} unknowns, more than {most}").into()),
            _ => Ok(format!("{count} unknowns")),
        }
    }
}

impl Unknowns {
    /// Why whoever looks into this one would see nothing.
    fn blind(
        &self,
        subject: &Subject<'_>,
        issue: &Value,
    ) -> Result<Option<String>, crate::error::Error> {
        let scope = &issue["scope"];
        if scope.is_null() {
            return Ok(None);
        }
        let text = one_line(issue["text"].as_str().unwrap_or_default(), 60);
        let Some(scope) = scope
            .as_str()
            .filter(|one| !Named::of(one).inside.is_empty())
        else {
            return Ok(Some(format!(
                "`scope` of `{text}` names no glob of the repository"
            )));
        };
        let own = Line::of(scope)?;
        let cap = self.within.as_deref().map(|field| {
            let sentence = subject.fields.get(field).map_or("", String::as_str);
            Line::of(sentence)
        });
        let cap = cap.transpose()?;
        let inside =
            |path: &String| own.holds(path) && cap.as_ref().is_none_or(|cap| cap.holds(path));
        if sources::files(subject)?.iter().any(inside) {
            return Ok(None);
        }
        let cap = self
            .within
            .as_deref()
            .map_or_else(String::new, |field| format!(" inside of `{field}`"));
        Ok(Some(format!("`scope` of `{text}` shows no file{cap}")))
    }
}
