//! `interfaces`: what a design names as its interfaces is in the code; where that is asked for, with the
//! same parameters and types as far as both sides say them, and what the code makes public is in the
//! design. No compiler is asked.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::sections::sections_of;
use crate::readers::{paths, sources};
use crate::settings::{Choice, Placed, Text, Words};
use crate::text::first_few;
use documents::markdown;
use languages::Declared;
use languages::public_names;
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
    /// `refused`: every public name of a source stands somewhere in the design.
    unnamed: Option<Choice<Unnamed>>,
    /// `held`: a function that the design writes with its parameters is declared so.
    signatures: Option<Choice<Signatures>>,
}

/// What becomes of a function with other parameters than the design says.
#[derive(Clone, Copy)]
enum Signatures {
    /// It is refused.
    Held,
}

impl Words for Signatures {
    const WORDS: &'static [(&'static str, Self)] = &[("held", Self::Held)];
}

/// What becomes of a public name that the design does not have.
#[derive(Clone, Copy)]
enum Unnamed {
    /// It is refused.
    Refused,
}

impl Words for Unnamed {
    const WORDS: &'static [(&'static str, Self)] = &[("refused", Self::Refused)];
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
        if named.is_empty() && self.unnamed.is_none() {
            return Ok(format!("`{heading}` names no function"));
        }
        let files = sources::files(subject).map_err(Trouble::cannot)?;
        let mut code = Vec::new();
        for path in files.iter().filter(|path| sources::is_source(path)) {
            let text = sources::text(subject, path).map_err(Trouble::cannot)?;
            code.push((path.as_str(), text.unwrap_or_default()));
        }
        let mut missing = named.clone();
        for (_, text) in code.iter().filter(|(path, _)| !sources::is_test(path)) {
            let has: BTreeSet<&str> = words(text).collect();
            missing.retain(|name| !has.contains(name.as_str()));
        }
        let mut wrong = Vec::new();
        if !missing.is_empty() {
            let missing: Vec<String> = missing.into_iter().collect();
            wrong.push(format!(
                "{} `{heading}` names what no source has: {}; write it, or mend the design",
                self.file,
                first_few(&missing, 8)
            ));
        }
        if self.signatures.is_some() {
            let design = paths::read(subject.place, &self.file)?;
            let others = others(&code, &markdown::code_under(&design, heading));
            if !others.is_empty() {
                wrong.push(format!(
                    "not as {} has it: {}; write it so, or mend the design",
                    self.file,
                    first_few(&others, 5)
                ));
            }
        }
        if self.unnamed.is_some() {
            let design = paths::read(subject.place, &self.file)?;
            let unnamed = unnamed(&code, &design);
            if !unnamed.is_empty() {
                wrong.push(format!(
                    "public, and not in {}: {}; name it there, or take it out",
                    self.file,
                    first_few(&unnamed, 8)
                ));
            }
        }
        match wrong.is_empty() {
            true => Ok(format!("all {} names are in the sources", named.len())),
            false => Err(wrong.join("; ").into()),
        }
    }
}

/// Functions that the sources declare otherwise than the design does, each with a source's own words.
/// What no source declares in a form that is read is held by its name alone.
fn others(code: &[(&str, String)], design: &[String]) -> Vec<String> {
    let own = code.iter().filter(|(path, _)| !sources::is_test(path));
    let there: Vec<(&str, Declared)> = own
        .flat_map(|(path, text)| {
            let found = languages::declared(path, text).into_iter();
            found.map(move |one| (*path, one))
        })
        .collect();
    let wanted = design.iter().flat_map(|text| languages::designed(text));
    let other = |wanted: Declared| {
        let mut same = there.iter().filter(|(_, one)| one.name == wanted.name);
        let (path, first) = same.clone().next()?;
        let why = wanted.differs(first)?;
        let fits = same.any(|(_, one)| wanted.differs(one).is_none());
        (!fits).then(|| format!("`{wanted}` ({path} has `{first}`: {why})"))
    };
    wanted.filter_map(other).collect()
}

/// The public names that the design does not have, each with its file, and whether anything uses it.
fn unnamed(code: &[(&str, String)], design: &str) -> Vec<String> {
    let designed: BTreeSet<&str> = words(design).collect();
    let mut unnamed = Vec::new();
    for (path, text) in code.iter().filter(|(path, _)| !sources::is_test(path)) {
        let public = public_names::of(path, text);
        for name in public
            .iter()
            .filter(|name| !designed.contains(name.as_str()))
        {
            let all = code.iter().flat_map(|(_, text)| words(text));
            unnamed.push(match all.filter(|word| word == name).count() {
                0 | 1 => format!("{name} ({path}; nothing uses it)"),
                _ => format!("{name} ({path})"),
            });
        }
    }
    unnamed
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !is_of_a_name(char))
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
