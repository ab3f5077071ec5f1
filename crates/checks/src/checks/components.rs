//! `components`: the parts that a design lists are those that it draws, and each has its place. A part
//! is an entry `NAME (PLACE): what it does`; the drawing is a fenced block with `[NAME]` for each. It
//! cannot tell whether the parts are the right ones.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::drawing::Drawing;
use crate::readers::sections::sections_of;
use crate::readers::sources;
use crate::settings::{Number, Placed, Text};
use crate::text::{first_few, one_line};
use globset::GlobSet;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// The components that the design lists are drawn, each with its place in the drawn tree.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Components {
    /// The design; `task/...` or `repo/...`.
    file: Placed,
    /// The heading over list and drawing; Architecture.
    section: Option<Text>,
    /// The heading over what is reached and not built; External Integrations.
    outside: Option<Text>,
    /// How many there must be; 0.
    least: Option<Number<0, 1_000>>,
    /// With more than so many, they are drawn; 2.
    undrawn: Option<Number<0, 1_000>>,
}

/// The place of what is reached and not built.
const EXTERNAL: &str = "external";

struct Component {
    name: String,
    place: String,
}

impl Judge for Components {
    const NAME: &'static str = "components";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let heading = self.section.as_deref().unwrap_or("Architecture");
        let sections = sections_of(subject, &self.file, Some(heading))?;
        let items = sections.iter().flat_map(|section| &section.items);
        let listed: Vec<Component> = items.filter_map(|item| component(item)).collect();
        let blocks = sections.iter().flat_map(|section| &section.code);
        let drawn: BTreeSet<String> = blocks.flat_map(|block| nodes(block)).collect();
        let mut wrong = Vec::new();
        let least = self.least.map_or(0, Number::count);
        if listed.len() < least {
            wrong.push(format!(
                "`{heading}` lists {} components, fewer than {least}; write each as `- NAME (its file or folder, or {EXTERNAL}): what it does`",
                listed.len()
            ));
        }
        wrong.extend(self.misplaced(subject, &listed)?);
        let names: BTreeSet<String> = listed.iter().map(|one| one.name.to_lowercase()).collect();
        let many = listed.len() > self.undrawn.map_or(2, Number::count);
        let told = |wrong: &mut Vec<String>, what: &str, names: Vec<&String>| {
            if !names.is_empty() {
                wrong.push(format!("{what}: {}", first_few(&names, 8)));
            }
        };
        if many || !(drawn.is_empty() || listed.is_empty()) {
            let missing = names.difference(&drawn).collect();
            told(
                &mut wrong,
                "not drawn as `[NAME]` in a fenced block",
                missing,
            );
        }
        if least > 0 || !listed.is_empty() {
            let unlisted = drawn.difference(&names).collect();
            told(&mut wrong, "drawn, and not listed", unlisted);
        }
        match wrong.is_empty() {
            true if listed.is_empty() => Ok(format!("`{heading}` lists no component")),
            true => Ok(format!("{} components, as they are drawn", listed.len())),
            false => Err(format!("{}: {}", self.file, wrong.join("; ")).into()),
        }
    }
}

impl Components {
    /// Components whose place the design does not have.
    fn misplaced(&self, subject: &Subject<'_>, listed: &[Component]) -> Judged<Vec<String>> {
        if listed.is_empty() {
            return Ok(Vec::new());
        }
        let mut files = sources::files(subject).map_err(Trouble::cannot)?;
        // Nothing is built yet: what a place begins with is a folder, not the repository's name.
        files.extend(listed.iter().map(|one| one.place.clone()));
        let nothing = GlobSet::empty();
        let tree = Drawing::of(&self.file, None, &nothing).designed(subject, &files)?;
        let outside = self.outside.as_deref().unwrap_or("External Integrations");
        let reached = sections_of(subject, &self.file, Some(outside))?;
        let reached: String = reached
            .iter()
            .map(|one| one.content.to_lowercase())
            .collect();
        let fault = |one: &Component| {
            let place = one.place.trim_start_matches("./");
            if place.eq_ignore_ascii_case(EXTERNAL) {
                let named = reached.contains(&one.name.to_lowercase());
                return (!named).then(|| format!("`{}` is not under `{outside}`", one.name));
            }
            let folder = format!("{}/", place.trim_end_matches('/'));
            let has = tree
                .iter()
                .any(|designed| designed.is(place) || designed.path.starts_with(&folder));
            (!has).then(|| {
                let place = one_line(place, 60);
                format!(
                    "`{}` lies at `{place}`, which the tree does not have",
                    one.name
                )
            })
        };
        Ok(listed.iter().filter_map(fault).collect())
    }
}

/// `NAME (PLACE): what it does`.
fn component(item: &str) -> Option<Component> {
    let (name, rest) = item.split_once('(')?;
    let (place, rest) = rest.split_once(')')?;
    let name = name.trim();
    let is_one = !name.is_empty() && name.split_whitespace().count() <= 3;
    (is_one && rest.trim_start().starts_with(':')).then(|| Component {
        name: name.to_owned(),
        place: place.trim().to_owned(),
    })
}

/// What stands in square brackets.
fn nodes(drawing: &str) -> Vec<String> {
    let opened = drawing.split('[').skip(1);
    let inside = opened.filter_map(|rest| rest.split_once(']'));
    let names = inside.map(|(name, _)| name.trim().to_lowercase());
    names
        .filter(|name| name.chars().any(char::is_alphanumeric))
        .collect()
}
