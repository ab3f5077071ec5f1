//! `sourced`: documents that were made out of others say of each entry where it comes from. It refuses
//! to make something out of nothing, an entry that names no source, and a contradiction that nobody has
//! answered.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::substance::hollow;
use crate::readers::{items, paths};
use crate::settings::{Item, Text};
use crate::text::{first_few, label};
use documents::markdown;
use documents::markdown::labelled;
use documents::says_none;
use schemars::JsonSchema;
use serde::Deserialize;

/// Each entry of the documents names a file that they were made of.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Sourced {
    /// A glob of the documents.
    files: Item,
    /// A glob of what they are made of; the documents themselves are none of it.
    from: Item,
    /// A heading over contradictions: each has `Answered: ...`, or it says `none`.
    answered: Option<Text>,
}

impl Judge for Sourced {
    const NAME: &'static str = "sourced";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let named =
            |glob: &Item| items::named(subject, &[glob.to_string()]).map_err(Trouble::cannot);
        let documents = named(&self.files)?;
        let mut from = named(&self.from)?;
        from.retain(|item| !documents.contains(item));
        if from.is_empty() {
            let why = format!("there is nothing to make it of: no file is {}", &*self.from);
            return Err(why.into());
        }
        if documents.is_empty() {
            return Err(format!("no file is {}", &*self.files).into());
        }
        let names: Vec<&str> = from
            .iter()
            .map(|item| item.rsplit('/').next().unwrap_or(item))
            .collect();
        let (mut wrong, mut count) = (Vec::new(), 0);
        for document in &documents {
            let text =
                paths::read(subject.place, document).map_err(|why| format!("{document} {why}"))?;
            let whole = markdown::whole(&text);
            let rows = whole.rows.iter().map(|row| row.cells.join(" | "));
            let entries: Vec<String> = whole.points.iter().cloned().chain(rows).collect();
            let entries: Vec<&String> = entries.iter().filter(|one| !says_none(one)).collect();
            if entries.is_empty() {
                wrong.push(format!(
                    "{document} has no entry; write a list, each with its source"
                ));
            }
            for entry in &entries {
                let said = names
                    .iter()
                    .fold((*entry).clone(), |said, name| said.replace(name, ""));
                if let Some(why) = hollow(subject, &said, "") {
                    wrong.push(format!("{document}: `{}` {why}", label(entry)));
                } else if !names.iter().any(|name| entry.contains(name)) {
                    wrong.push(format!("{document}: `{}` names no source", label(entry)));
                }
            }
            wrong.extend(self.unanswered(subject, document, &text));
            count += entries.len();
        }
        if wrong.is_empty() {
            return Ok(format!("{count} entries name where they come from"));
        }
        Err(first_few(&wrong, 4).into())
    }
}

impl Sourced {
    fn unanswered(&self, subject: &Subject<'_>, document: &str, text: &str) -> Vec<String> {
        let Some(heading) = self.answered.as_deref() else {
            return Vec::new();
        };
        let sections = markdown::sections(text, heading);
        let points: Vec<&String> = sections.iter().flat_map(|one| &one.points).collect();
        let open = |point: &&&String| {
            let answer = labelled(point, "Answered");
            !says_none(point)
                && answer.is_none_or(|said| hollow(subject, &said, "Answered").is_some())
        };
        if !sections.iter().any(|one| says_none(&one.content)) && points.is_empty() {
            return vec![format!(
                "{document} has no list under `{heading}`, and does not say `none` there"
            )];
        }
        let open = points.iter().filter(open);
        open.map(|point| format!("{document}: `{}` has no `Answered`", label(point)))
            .collect()
    }
}
