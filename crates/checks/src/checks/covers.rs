//! `covers`: every id of one document is dealt with in another. It refuses a mere mention where
//! columns are asked for: each must hold something real for each id.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::documents::{labelled, sections_of};
use crate::readers::markdown::Section;
use crate::settings::{IdPattern, Placed, Text, Texts};
use crate::text::{first_few, is_placeholder};
use schemars::JsonSchema;
use serde::Deserialize;

/// Every id of one file is in another, with something in each named column.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Covers {
    /// Expression for an id, such as `AC-\d+`.
    pattern: IdPattern,
    /// The file with the ids; `task/...` or `repo/...`.
    from: Placed,
    /// The heading over the ids; the whole file.
    from_section: Option<Text>,
    /// The file that must cover them.
    file: Placed,
    /// The heading in it; the whole file.
    section: Option<Text>,
    /// Table columns, or labels as in `Test: ...`, that each id must fill.
    #[serde(default)]
    columns: Texts,
}

impl Judge for Covers {
    const NAME: &'static str = "covers";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let from = sections_of(subject, &self.from, self.from_section.as_deref())?;
        let ids: Vec<String> = from
            .iter()
            .flat_map(|section| self.pattern.set(&section.content))
            .collect();
        if ids.is_empty() {
            return Err(format!("{} has no id to cover", self.from).into());
        }
        let sections = sections_of(subject, &self.file, self.section.as_deref())?;
        let mut wrong = Vec::new();
        for id in &ids {
            let names = |said: &str| self.pattern.all(said).contains(id);
            if !sections.iter().any(|section| names(&section.content)) {
                wrong.push(format!("{id} is not there"));
                continue;
            }
            for column in self.columns.iter() {
                if !sections.iter().any(|one| fills(one, &names, column)) {
                    wrong.push(format!("{id} has no `{column}`"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(format!("all {} ids are covered", ids.len()));
        }
        Err(format!("{}: {}", self.file, first_few(&wrong, 8)).into())
    }
}

/// Does a row or a list item that names the id have this column or label, with content?
fn fills(section: &Section, names: &dyn Fn(&str) -> bool, column: &str) -> bool {
    let in_row = section.rows.iter().any(|row| {
        names(&row.cells.join(" | ")) && row.cell(column).is_some_and(|cell| !is_placeholder(cell))
    });
    in_row
        || section.points.iter().any(|point| {
            names(point) && labelled(point, column).is_some_and(|said| !is_placeholder(&said))
        })
}
