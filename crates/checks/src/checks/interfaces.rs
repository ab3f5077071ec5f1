//! `interfaces`: what a design names as its interfaces is in the code. It refuses a name that no source
//! has; it does not compare types, and says nothing of code that the design does not name.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::documents::sections_of;
use crate::readers::sources;
use crate::settings::{Placed, Text};
use crate::text::first_few;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Every function that the design names under a heading stands in a source.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Interfaces {
    /// The design; `task/...` or `repo/...`.
    file: Placed,
    /// The heading over them; Interfaces.
    section: Option<Text>,
}

impl Judge for Interfaces {
    const NAME: &'static str = "interfaces";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let heading = self.section.as_deref().unwrap_or("Interfaces");
        let sections = sections_of(subject, &self.file, Some(heading))?;
        let named: BTreeSet<String> = sections
            .iter()
            .flat_map(|one| called(&one.content))
            .collect();
        if named.is_empty() {
            return Ok(format!("`{heading}` names no function"));
        }
        let files = sources::files(subject).map_err(Trouble::cannot)?;
        let mut missing = named.clone();
        for path in files
            .iter()
            .filter(|path| sources::is_source(path) && !sources::is_test(path))
        {
            let text = sources::text(subject, path).map_err(Trouble::cannot)?;
            let text = text.unwrap_or_default();
            let mut words = text.split(|char: char| !is_of_a_name(char));
            let has: BTreeSet<&str> = words.by_ref().collect();
            missing.retain(|name| !has.contains(name.as_str()));
        }
        if missing.is_empty() {
            return Ok(format!("all {} names are in the sources", named.len()));
        }
        let missing: Vec<String> = missing.into_iter().collect();
        Err(format!(
            "{} `{heading}` names what no source has: {}; write it, or mend the design",
            self.file,
            first_few(&missing, 8)
        )
        .into())
    }
}

fn is_of_a_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Names that stand right before a parenthesis: `greet(name: &str) -> String`.
fn called(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices('(') {
        let before = &text[..at];
        let start = before
            .char_indices()
            .rev()
            .take_while(|(_, char)| is_of_a_name(*char))
            .last()
            .map_or(at, |(start, _)| start);
        let name = &before[start..];
        if name.chars().count() > 1 && !name.starts_with(|char: char| char.is_numeric()) {
            names.push(name.to_owned());
        }
    }
    names
}
