//! `codes`: the error codes of a task agree with each other. Each is refused in the spec, met in a
//! scenario, declared in the contract and named by the tests; none stands in one of these places that
//! the spec lacks, and no new test is of a scenario that is not there. It reads words, without those that
//! are only said when a test fails: whether a test asserts the code that it names, it does not know.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged};
use crate::readers::globs::Line;
use crate::readers::paths;
use crate::readers::sections::sections_of;
use crate::readers::substance::hollow;
use crate::room::Room;
use crate::settings::{IdPattern, Placed, SettingsError, Text};
use crate::text::{first_few, label, one_line};
use documents::markdown::labelled;
use documents::refusals::{Refusal, names};
use documents::says_none;
use documents::substance::nothing;
use kernel::StateName;
use languages::test_texts;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Every error code of the spec is in its scenarios, its contract and its tests, and no other one is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Codes {
    /// The document; `task/...` or `repo/...`.
    file: Placed,
    /// The heading over what is refused, each entry with its id and `Code: ...`.
    reject: Text,
    /// Expression for the ids of what is refused, such as `R\d+`.
    ids: IdPattern,
    /// The heading over the scenarios of refusals, each entry with its `Code: ...`.
    scenarios: Option<Text>,
    /// The heading over the contract's errors, each entry beginning with its code.
    errors: Option<Text>,
    /// A field with globs of the tests, in which each code is named.
    tests: Option<Text>,
    /// Expression for the ids of scenarios: no new test names one that the document lacks.
    planned: Option<IdPattern>,
    /// The state whose checkpoint shows which tests are new.
    base: Option<Text>,
}

/// The label of a code.
const CODE: &str = "Code";

impl Judge for Codes {
    const NAME: &'static str = "codes";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match (&self.tests, &self.planned, &self.base) {
            (None, None, None) | (Some(_), None, None) | (Some(_), Some(_), Some(_)) => Ok(()),
            _ => Self::refuse("takes `planned` and `base` together, and with `tests`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let mut wrong = Vec::new();
        let refused = self.refused(subject, &mut wrong)?;
        let codes: BTreeSet<&String> = refused.values().flatten().collect();
        if codes.is_empty() && wrong.is_empty() && !self.refuses_nothing(subject)? {
            wrong.push(format!(
                "`{}` has no code, and does not say `none: why`",
                &*self.reject
            ));
        }
        if let Some(heading) = &self.scenarios {
            self.scenarios(subject, heading, &refused, &mut wrong)?;
        }
        if let Some(heading) = &self.errors {
            self.errors(subject, heading, &codes, &mut wrong)?;
        }
        if let Some(field) = &self.tests {
            self.tests(subject, field, &codes, &mut wrong)?;
        }
        match wrong.is_empty() {
            true => Ok(format!("{} codes agree", codes.len())),
            false => Err(first_few(&wrong, 4).into()),
        }
    }
}

impl Codes {
    /// The codes by the ids of what is refused.
    fn refused(
        &self,
        subject: &Subject<'_>,
        wrong: &mut Vec<String>,
    ) -> Result<BTreeMap<String, BTreeSet<String>>, Error> {
        let mut refused: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in entries(subject, &self.file, &self.reject)? {
            let Some(code) = coded(&entry, wrong) else {
                continue;
            };
            match self.ids.all(&entry).first() {
                Some(id) => {
                    refused.entry(id.clone()).or_default().insert(code);
                }
                None => wrong.push(format!("`{}` has no id", label(&entry))),
            }
        }
        Ok(refused)
    }

    /// Each scenario meets the code of what it names, and each code is met.
    fn scenarios(
        &self,
        subject: &Subject<'_>,
        heading: &str,
        refused: &BTreeMap<String, BTreeSet<String>>,
        wrong: &mut Vec<String>,
    ) -> Result<(), Error> {
        let mut met = BTreeSet::new();
        for entry in entries(subject, &self.file, heading)? {
            let Some(code) = coded(&entry, wrong) else {
                continue;
            };
            let named = self.ids.set(&entry);
            let fits = named
                .iter()
                .any(|id| refused.get(id).is_some_and(|codes| codes.contains(&code)));
            if !fits {
                let which: Vec<&String> = named.iter().collect();
                wrong.push(format!(
                    "`{}` meets `{code}`, which is not the code of {}",
                    label(&entry),
                    match which.is_empty() {
                        true => format!("anything under `{}`", &*self.reject),
                        false => first_few(&which, 3),
                    }
                ));
            }
            met.insert(code);
        }
        let unmet = refused
            .values()
            .flatten()
            .filter(|code| !met.contains(*code));
        wrong.extend(unmet.map(|code| format!("no scenario meets `{code}`")));
        Ok(())
    }

    /// The contract declares each code, says something of it, and declares no other one.
    fn errors(
        &self,
        subject: &Subject<'_>,
        heading: &str,
        codes: &BTreeSet<&String>,
        wrong: &mut Vec<String>,
    ) -> Result<(), Error> {
        let mut declared = BTreeSet::new();
        for entry in entries(subject, &self.file, heading)? {
            let (first, rest) = entry.split_once([':', ' ']).unwrap_or((&entry, ""));
            let code = bare(first);
            let rest = rest.trim_start_matches([':', '-', '–', '—', ' ']);
            if !codes.contains(&code) {
                let first = one_line(first, 40);
                wrong.push(format!("`{heading}` has `{first}`, which nothing refuses"));
            } else if let Some(why) = hollow(subject, rest, first) {
                wrong.push(format!("what `{heading}` says of `{code}` {why}"));
            }
            declared.insert(code);
        }
        let lacks = codes.iter().filter(|code| !declared.contains(**code));
        wrong.extend(lacks.map(|code| format!("`{heading}` lacks `{code}`")));
        Ok(())
    }

    /// Some test names each code, and no new one a scenario that is not there.
    fn tests(
        &self,
        subject: &Subject<'_>,
        field: &str,
        codes: &BTreeSet<&String>,
        wrong: &mut Vec<String>,
    ) -> Result<(), Error> {
        let globs = subject.fields.get(field).map_or("", String::as_str);
        let line = Line::of(globs)?;
        let tree = subject.tree()?;
        let files: Vec<(&String, String)> = tree
            .files
            .keys()
            .filter(|path| line.holds(path))
            .filter_map(|path| {
                let text = paths::read(subject.place, &format!("repo/{path}")).ok()?;
                // What is only said when a test fails tests nothing.
                Some((path, test_texts::without_messages(path, &text)))
            })
            .collect();
        let untested = codes
            .iter()
            .filter(|code| !files.iter().any(|(_, text)| names(text, code)));
        wrong.extend(untested.map(|code| format!("no test names `{code}`")));
        let (Some(pattern), Some(base)) = (&self.planned, &self.base) else {
            return Ok(());
        };
        let document = paths::read(subject.place, &self.file).map_err(Error::of(&self.file))?;
        let planned = pattern.set(&document);
        let strange: Vec<(&String, &str)> = files
            .iter()
            .filter(|(path, _)| subject.changed.contains(&format!("repo/{path}")))
            .flat_map(|(path, text)| {
                let words = text.split(|char: char| !(char.is_alphanumeric() || char == '_'));
                words.map(move |word| (*path, word))
            })
            .filter(|(_, word)| opens_with(word, pattern).is_some_and(|id| !planned.contains(&id)))
            .collect();
        if strange.is_empty() {
            return Ok(());
        }
        let before = match subject.commits.get(&StateName::from(&**base)) {
            Some(commit) => Some(Room::of(subject, commit, &BTreeMap::new())?),
            None => None,
        };
        let was_there = |path: &str, word: &str| {
            let text = before.as_ref().and_then(|room| room.text(path));
            text.is_some_and(|text| text.contains(word))
        };
        let new = strange
            .into_iter()
            .filter(|(path, word)| !was_there(path, word));
        let new: BTreeSet<String> = new
            .map(|(path, word)| format!("`{word}` in {path} tests a scenario that is not there"))
            .collect();
        wrong.extend(new);
        Ok(())
    }

    /// Does the document say that nothing is refused, and why?
    fn refuses_nothing(&self, subject: &Subject<'_>) -> Result<bool, Error> {
        let sections = sections_of(subject, &self.file, Some(&self.reject))?;
        let mut said = sections.iter().map(|section| section.content.as_str());
        let reasoned = |text: &str| {
            let reason = text.split_once([':', ',', '\u{2014}']);
            reason.is_some_and(|(_, why)| hollow(subject, why, "").is_none())
        };
        Ok(said.any(|text| says_none(text) && reasoned(text)))
    }
}

fn entries(subject: &Subject<'_>, file: &Placed, heading: &str) -> Result<Vec<String>, Error> {
    let sections = sections_of(subject, file, Some(heading))?;
    let entries = sections.into_iter().flat_map(|section| section.points);
    Ok(entries.filter(|entry| !says_none(entry)).collect())
}

/// Everything that a document refuses by a code, in its order.
pub(super) fn refusals(
    subject: &Subject<'_>,
    file: &Placed,
    [reject, errors]: [&str; 2],
) -> Result<Vec<Refusal>, Error> {
    let declared = entries(subject, file, errors)?;
    let refusals = entries(subject, file, reject)?.into_iter();
    let refusals = refusals.filter_map(|refused| {
        let code = coded(&refused, &mut Vec::new())?;
        let of_it = |entry: &&String| {
            let first = entry.split_once([':', ' ']);
            bare(first.map_or(entry, |(first, _)| first)) == code
        };
        let declared = declared.iter().find(of_it).cloned();
        Some(Refusal {
            code,
            refused,
            declared: declared.unwrap_or_default(),
        })
    });
    Ok(refusals.collect())
}

/// The id of a scenario with which a word begins, in the way of tests: `s3_adds` is of `S3`.
fn opens_with(word: &str, pattern: &IdPattern) -> Option<String> {
    let word = word.strip_prefix("test_").unwrap_or(word);
    let (first, _) = word.split_once('_')?;
    let id = first.to_uppercase();
    pattern.all(&id).into_iter().find(|found| *found == id)
}

/// The code of an entry, or what is wrong with it.
fn coded(entry: &str, wrong: &mut Vec<String>) -> Option<String> {
    let Some(said) = labelled(entry, CODE) else {
        wrong.push(format!("`{}` has no `{CODE}:`", label(entry)));
        return None;
    };
    let code = bare(&said);
    let is_word = |char: char| char.is_alphanumeric() || "_-.".contains(char);
    if code.is_empty() || !code.chars().all(is_word) || nothing(&code, "").is_some() {
        wrong.push(format!(
            "`{}`: `{}` is no code; write one word, such as `bad_price`",
            label(entry),
            one_line(&said, 40)
        ));
        return None;
    }
    Some(code)
}

/// A code without what stands around it, in one case.
fn bare(said: &str) -> String {
    let around = |char: char| !char.is_alphanumeric();
    said.trim_matches(around).to_lowercase()
}
