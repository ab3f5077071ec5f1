//! `entries`: each entry of a section says what it must. It refuses a section that is left empty:
//! one that has nothing to list says `none`.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::readers::substance::{form_of, hollow, nothing_new};
use crate::settings::{Number, Placed, SettingsError, Text, Texts, WordTable};
use crate::text::{first_few, label};
use documents::is_placeholder;
use documents::markdown;
use documents::markdown::labelled;
use documents::says_none;
use documents::substance::{said_first, unnamed};
use schemars::JsonSchema;
use serde::Deserialize;

/// Each entry of a section mentions what it must, and there are as many as there must be.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Entries {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the entries.
    section: Text,
    /// How many there must be; without it, `none` will do.
    min: Option<Number<1, 10_000>>,
    /// How many there may be.
    max: Option<Number<0, 10_000>>,
    /// Words of which each entry has one; behind one that ends with `:` stands more.
    #[serde(default)]
    mention: Texts,
    /// Labels that each entry has, as in `Failure: ...`.
    #[serde(default)]
    labels: Texts,
    /// Labels behind which a number stands, in whichever entry they are.
    #[serde(default)]
    figures: Texts,
    /// A table: label to the words of which each entry has one behind it.
    #[serde(default)]
    words: WordTable,
    /// Headings under which no entry may stand, too.
    #[serde(default)]
    apart_from: Texts,
}

impl Judge for Entries {
    const NAME: &'static str = "entries";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match (self.min, self.max) {
            (Some(min), Some(max)) if *min > *max => {
                Self::refuse("is set so that `min` is more than `max`")
            }
            _ => Ok(()),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let (file, section) = (&*self.file, &*self.section);
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let sections = markdown::sections(&text, section);
        if sections.is_empty() {
            return Err(format!("{file} has no heading `{section}`").into());
        }
        let found = entries(&text, section);
        let count = found.len();
        let mut wrong = Vec::new();
        let min = self.min.map_or(0, Number::count);
        if count < min {
            wrong.push(format!("{count} entries, fewer than {min}"));
        } else if count == 0 {
            if sections.iter().any(|section| says_none(&section.content)) {
                return Ok(format!("`{section}`: none"));
            }
            wrong.push("it has no entry, and does not say `none`".to_owned());
        }
        if let Some(max) = self.max.map(Number::count).filter(|max| count > *max) {
            wrong.push(format!("{count} entries, more than {max}"));
        }
        let form = form_of(subject, file, section);
        for (at, entry) in found.iter().enumerate() {
            let shown = label(entry);
            let lower = entry.to_lowercase();
            let first = said_first(entry);
            let empty = hollow(subject, first, section).filter(|why| !why.is_blank());
            if let Some(why) = nothing_new(subject, entry, section, &form).or(empty) {
                wrong.push(format!("`{shown}` {why}"));
                continue;
            }
            let said = plain(unnamed(entry));
            if found[..at]
                .iter()
                .any(|other| plain(unnamed(other)) == said)
            {
                wrong.push(format!("`{shown}` stands there twice"));
            }
            let mentions = |word: &String| match word.strip_suffix(':') {
                Some(name) => {
                    labelled(entry, name).is_some_and(|said| hollow(subject, &said, name).is_none())
                }
                None => lower.contains(&word.to_lowercase()),
            };
            if !self.mention.is_empty() && !self.mention.iter().any(mentions) {
                wrong.push(format!(
                    "`{shown}` has none of: {}",
                    self.mention.join(", ")
                ));
            }
            for name in self.labels.iter() {
                match labelled(entry, name).map(|said| hollow(subject, &said, name)) {
                    Some(None) => {}
                    Some(Some(why)) if !why.is_blank() => {
                        wrong.push(format!("`{shown}`: `{name}` {why}"));
                    }
                    _ => wrong.push(format!("`{shown}` has no `{name}`")),
                }
            }
            wrong.extend(self.one_for_all(entry));
            for name in self.figures.iter() {
                let said = labelled(entry, name);
                if said.is_some_and(|said| !said.chars().any(char::is_numeric)) {
                    wrong.push(format!("`{shown}`: `{name}:` has no figure"));
                }
            }
            for (name, words) in self.words.iter() {
                let said = labelled(entry, name).unwrap_or_default();
                let said = said.trim().trim_end_matches('.');
                if !words.iter().any(|word| word.eq_ignore_ascii_case(said)) {
                    let words = words.join(", ");
                    wrong.push(format!("`{shown}` says `{name}:` none of {words}"));
                }
            }
            for heading in self.apart_from.iter() {
                let others = entries(&text, heading);
                let same = |other: &String| {
                    plain(other) == plain(entry) || plain(said_first(other)) == plain(first)
                };
                if others.iter().any(same) {
                    wrong.push(format!("`{shown}` also stands under `{heading}`"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(format!("`{section}` has {count} entries"));
        }
        Err(format!("{file}, `{section}`: {}", first_few(&wrong, 3)).into())
    }
}

impl Entries {
    /// One text behind all labels of an entry says nothing of any.
    fn one_for_all(&self, entry: &str) -> Option<String> {
        let said = self.labels.iter().filter_map(|name| labelled(entry, name));
        let said: Vec<String> = said.map(|said| plain(&said)).collect();
        let (first, others) = said.split_first()?;
        let short = others.len() < 2 && first.split(' ').count() < 4;
        let same = !others.is_empty() && !short && others.iter().all(|other| other == first);
        same.then(|| {
            let (shown, names) = (label(entry), self.labels.join(", "));
            format!("`{shown}` says the same for {names}; write what is so for each")
        })
    }
}

/// The entries of a section: what lies one heading below; else its list items; else its rows.
fn entries(text: &str, heading: &str) -> Vec<String> {
    let below = markdown::below(text, heading).into_iter();
    let below: Vec<String> = below
        .map(|section| format!("{}\n{}", section.title, section.content))
        .collect();
    if !below.is_empty() {
        return below;
    }
    let sections = markdown::sections(text, heading);
    let points = sections.iter().flat_map(|section| section.points.clone());
    let rows = sections.iter().flat_map(|section| &section.rows);
    let entries: Vec<String> = points
        .chain(rows.map(|row| row.cells.join(" | ")))
        .collect();
    let real = |entry: &String| !is_placeholder(entry) && !says_none(entry);
    entries.into_iter().filter(real).collect()
}

fn plain(text: &str) -> String {
    let words = text.split(|char: char| !char.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}
