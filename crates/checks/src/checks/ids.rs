//! `ids`: a document defines stable ids, each once, and loses none that it had. It does not
//! forget: the ids of the last document that passed are in the run's own evidence. Under a heading
//! of its own it refuses an entry without an id, for nobody would ask for its test or its proof: also
//! one whose id only looks like one.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::paths;
use crate::readers::substance::hollow;
use crate::settings::{IdPattern, Number, Placed, Text, Texts};
use crate::text::{answer, first_few, label};
use documents::idents::Pattern;
use documents::is_placeholder;
use documents::markdown::{self, Row, Section};
use documents::substance::alike;
use documents::threshold::has_threshold;
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A document defines ids, each once, and none that passed before is lost.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Ids {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// Expression for an id, such as `AC-\d+`.
    pattern: IdPattern,
    /// The heading over the definitions; the whole file.
    section: Option<Text>,
    /// How many there must be at least; 1.
    min: Option<Number<1, 10_000>>,
    /// How many need a number with a unit; 0.
    thresholds: Option<Number<0, 10_000>>,
    /// Headings under which old ids may rest.
    #[serde(default)]
    retired_in: Texts,
}

impl Judge for Ids {
    const NAME: &'static str = "ids";
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let kept_as = format!("ids of {}", label(&self.file));
        let defined: Vec<String> = defined(self, subject, &kept_as)?.into_iter().collect();
        let kept = subject.keep.keep(&kept_as, defined.join("\n").as_bytes());
        let cannot = |why| Trouble::CouldNotRun(format!("the ids cannot be kept: {why}"));
        let reason = format!("{} ids: {}", defined.len(), first_few(&defined, 5));
        let mut result = answer(Self::NAME, Verdict::Pass, &reason);
        result.evidence.push(kept.map_err(cannot)?);
        Ok(result)
    }
}

/// Each definition: an id and all that is said of it. An id is defined where a list item, a table
/// row or a heading begins with it; anywhere else it is only mentioned.
fn definitions(text: &str, section: &Section, pattern: &Pattern) -> Vec<(String, String)> {
    let begins = |said: &str| begins(pattern, said);
    let mut found = Vec::new();
    for said in &section.items {
        found.extend(begins(said).map(|id| (id, said.clone())));
    }
    for row in &section.rows {
        let said = said(row);
        found.extend(begins(&said).map(|id| (id, said)));
    }
    for below in markdown::below(text, &section.title) {
        let said = format!("{}\n{}", below.title, below.content);
        found.extend(begins(&below.title).map(|id| (id, said)));
    }
    found
}

/// The id at the beginning of a text, behind what is only form.
fn begins(pattern: &Pattern, said: &str) -> Option<String> {
    let said = said.trim_start_matches(|char: char| !char.is_alphanumeric());
    let id = pattern.all(said).into_iter().next()?;
    said.starts_with(&id).then_some(id)
}

/// The entries of a section that begin with no id. What stands below a heading with one belongs to it.
fn strays(text: &str, section: &Section, pattern: &Pattern) -> Vec<String> {
    let below = markdown::below(text, &section.title).into_iter();
    let explained = below.filter(|below| begins(pattern, &below.title).is_some());
    let explained: Vec<String> = explained
        .flat_map(|below| {
            let rows: Vec<String> = below.rows.iter().map(said).collect();
            below.points.into_iter().chain(rows)
        })
        .collect();
    let points = section.points.iter().cloned();
    points
        .chain(section.rows.iter().map(said))
        .filter(|entry| !is_placeholder(entry) && begins(pattern, entry).is_none())
        .filter(|entry| !explained.contains(entry))
        .map(|entry| format!("`{}` has no id", label(&entry)))
        .collect()
}

fn said(row: &Row) -> String {
    row.cells.join(" | ")
}

/// The ids that the document defines, if all is well with them.
fn defined(wanted: &Ids, subject: &Subject<'_>, kept_as: &str) -> Judged<BTreeSet<String>> {
    let file = &*wanted.file;
    let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
    let sections = markdown::chosen(&text, wanted.section.as_deref())
        .map_err(|why| format!("{file} {why}"))?;
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut measured = 0;
    let mut meant: Vec<(String, String)> = Vec::new();
    for section in &sections {
        for (id, said) in definitions(&text, section, &wanted.pattern) {
            measured += usize::from(has_threshold(&said.replace(&id, "")));
            *times.entry(id.clone()).or_default() += 1;
            // What an item means may stand in the list inside of it.
            let mut points = section.points.iter();
            let point = points.find(|point| begins(&wanted.pattern, point).as_ref() == Some(&id));
            let said = point.unwrap_or(&said).replace(&id, "");
            meant.push((id, said));
        }
    }
    let empty = meant
        .iter()
        .filter_map(|(id, said)| Some(format!("`{id}` {}", hollow(subject, said, "")?)));
    let mut empty: Vec<String> = empty.collect();
    let texts = meant.iter().map(|(id, said)| (id.as_str(), said.as_str()));
    empty.extend(alike(texts.filter(|(id, _)| times[*id] == 1)));
    let mut wrong: Vec<String> = times
        .iter()
        .filter(|(_, times)| **times > 1)
        .map(|(id, times)| format!("{id} is defined {times} times"))
        .chain(empty)
        .collect();
    if wanted.section.is_some() {
        let strays = sections
            .iter()
            .flat_map(|section| strays(&text, section, &wanted.pattern));
        wrong.extend(strays.take(5));
    }
    let min = wanted.min.map_or(1, Number::count);
    let thresholds = wanted.thresholds.map_or(0, Number::count);
    if times.len() < min {
        wrong.push(format!("{} ids, fewer than {min}", times.len()));
    } else if measured < thresholds {
        wrong.push(format!(
            "{measured} of them have a number with a unit, fewer than {thresholds}"
        ));
    }
    let defined: BTreeSet<String> = times.into_keys().collect();
    let mut known = defined.clone();
    for heading in wanted.retired_in.iter() {
        for section in markdown::sections(&text, heading) {
            known.extend(wanted.pattern.set(&section.content));
        }
    }
    let whole = markdown::whole(&text);
    let entries = whole
        .items
        .iter()
        .cloned()
        .chain(whole.rows.iter().map(said));
    let elsewhere: BTreeSet<String> = entries
        .filter_map(|entry| begins(&wanted.pattern, &entry))
        .filter(|id| !known.contains(id))
        .collect();
    if let Some(section) = wanted.section.as_ref().filter(|_| !elsewhere.is_empty()) {
        let elsewhere: Vec<String> = elsewhere.into_iter().collect();
        wrong.push(format!(
            "not under `{section}`: {}",
            first_few(&elsewhere, 5)
        ));
    }
    let earlier = subject.keep.earlier(kept_as).map_err(Trouble::cannot)?;
    if let Some(last) = earlier.last() {
        let last = String::from_utf8_lossy(last).into_owned();
        let lost: Vec<&str> = last.lines().filter(|id| !known.contains(*id)).collect();
        if !lost.is_empty() {
            wrong.push(format!("lost since it passed: {}", first_few(&lost, 10)));
        }
    }
    if wrong.is_empty() {
        return Ok(defined);
    }
    Err(format!("{file}: {}", wrong.join("; ")).into())
}
