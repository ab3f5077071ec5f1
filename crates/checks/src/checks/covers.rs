//! `covers`: every id of one document is dealt with in another. It refuses a mere mention where
//! columns are asked for: each must hold something real for each id.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::readers::sections::sections_of;
use crate::readers::substance::hollow;
use crate::settings::{Choice, IdPattern, Placed, SettingsError, Text, Texts, WordTable, Words};
use crate::text::first_few;
use documents::markdown::Section;
use documents::markdown::labelled;
use documents::says_none;
use schemars::JsonSchema;
use serde::Deserialize;

/// Every id of one file is in another, with something in each named column.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Covers {
    /// Expression for an id, such as `AC-\d+`.
    pattern: IdPattern,
    /// `pass`: where the text with the ids says `none`, nothing is to be covered.
    if_none: Option<Choice<Pass>>,
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
    /// A table: column to files, in one of which each part of the cell must stand.
    #[serde(default)]
    traced: WordTable,
    /// `each`: an entry that names an id says something of it.
    words: Option<Choice<Spoken>>,
}

/// What is said of an id besides its name.
#[derive(Clone, Copy)]
enum Spoken {
    /// Something, of each.
    Each,
}

impl Words for Spoken {
    const WORDS: &'static [(&'static str, Self)] = &[("each", Self::Each)];
}

/// That there is nothing will do.
#[derive(Clone, Copy)]
struct Pass;

impl Words for Pass {
    const WORDS: &'static [(&'static str, Self)] = &[("pass", Self)];
}

impl Judge for Covers {
    const NAME: &'static str = "covers";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match self
            .traced
            .keys()
            .all(|column| self.columns.contains(column))
        {
            true => Ok(()),
            false => Self::refuse("has a column in `traced` that is not in `columns`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let from = sections_of(subject, &self.from, self.from_section.as_deref())?;
        let ids: Vec<String> = from
            .iter()
            .flat_map(|section| self.pattern.set(&section.content))
            .collect();
        if ids.is_empty()
            && self.if_none.is_some()
            && from.iter().any(|section| says_none(&section.content))
        {
            return Ok(format!("{} has none to cover", self.from));
        }
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
            if let Some(Spoken::Each) = self.words.as_deref() {
                let mut entries = sections.iter().flat_map(entries);
                let says = |entry: String| {
                    names(&entry) && hollow(subject, &entry.replace(id, ""), "").is_none()
                };
                if !entries.any(says) {
                    wrong.push(format!("nothing is said of {id}; write how, behind it"));
                }
            }
            let mut filled: Vec<(&String, String)> = Vec::new();
            for column in self.columns.iter() {
                let Some(said) = sections
                    .iter()
                    .find_map(|one| fills(subject, one, &names, column))
                else {
                    wrong.push(format!("{id} has no `{column}`"));
                    continue;
                };
                let files = self.traced.get(column).into_iter().flatten();
                let texts: Vec<String> = files
                    .map(|file| paths::read(subject.place, file).map_err(Error::of(file)))
                    .collect::<Result<_, _>>()?;
                if let Some(part) = untraced(&said, &texts) {
                    wrong.push(format!(
                        "{id}: `{column}` names `{part}`, which is not there"
                    ));
                }
                let said = said.trim().to_lowercase();
                if let Some((other, _)) = filled.iter().find(|(_, other)| *other == said) {
                    wrong.push(format!("{id}: `{column}` repeats `{other}`"));
                }
                filled.push((column, said));
            }
        }
        if wrong.is_empty() {
            return Ok(format!("all {} ids are covered", ids.len()));
        }
        Err(format!("{}: {}", self.file, first_few(&wrong, 8)).into())
    }
}

/// The first part of a cell that stands in none of the texts. Of a path the last step counts: a tree
/// is drawn with each on a line of its own.
fn untraced<'s>(said: &'s str, texts: &[String]) -> Option<&'s str> {
    if texts.is_empty() {
        return None;
    }
    let stands = |part: &str| {
        let name = part
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or(part);
        let name = name.to_lowercase();
        texts.iter().any(|text| text.to_lowercase().contains(&name))
    };
    let parts = said
        .split([',', ';', '+'])
        .map(|part| part.trim().trim_matches('`'));
    let mut parts = parts.filter(|part| !part.is_empty());
    // Of a phrase, such as `to_roman in roman.py`, the names count.
    let in_words = |part: &str| {
        let mut names = part
            .split_whitespace()
            .map(|word| word.trim_matches(|char: char| "`()".contains(char)))
            .filter(|word| word.contains(['.', '_', '/', ':']))
            .peekable();
        names.peek().is_some() && names.all(stands)
    };
    parts.find(|part| !stands(part) && !in_words(part))
}

/// The rows and outermost list items of a section.
fn entries(section: &Section) -> Vec<String> {
    let rows = section.rows.iter().map(|row| row.cells.join(" | "));
    rows.chain(section.points.iter().cloned()).collect()
}

/// What a row or a list item that names the id has in this column or behind this label, if that says
/// anything.
fn fills(
    subject: &Subject<'_>,
    section: &Section,
    names: &dyn Fn(&str) -> bool,
    column: &str,
) -> Option<String> {
    let says = |said: &String| hollow(subject, said, column).is_none();
    let rows = section.rows.iter();
    let mut rows = rows.filter(|row| names(&row.cells.join(" | ")));
    let in_row = rows.find_map(|row| row.cell(column).map(str::to_owned).filter(says));
    let points = || section.points.iter().filter(|point| names(point));
    in_row.or_else(|| points().find_map(|point| labelled(point, column).filter(says)))
}
