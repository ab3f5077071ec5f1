//! `complexity`: the brake on a build that outgrows its design. It refuses many more files than
//! were designed, files that nobody can hold in the head, and packages that the design never names.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::drawing::Drawing;
use crate::readers::{found, paths, sources};
use crate::settings::{Globs, Number, Placed, Text};
use crate::text::first_few;
use documents::markdown;
use languages::manifests::Manifest;
use schemars::JsonSchema;
use serde::Deserialize;

/// No more sources than twice the designed, no file over 300 lines, no undesigned package.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Complexity {
    /// The design; `task/...` or `repo/...`.
    file: Placed,
    /// The heading over its drawing; Directory Structure.
    section: Option<Text>,
    /// Globs of sources that do not count.
    #[serde(default)]
    allow: Globs,
    /// How many times the designed files there may be; 2.
    times: Option<Number<1, 1_000>>,
    /// How many lines a source may have; 300.
    lines: Option<Number<1, 1_000_000>>,
    /// A heading of the design; sources whose paths stand under it may be longer.
    exceptions: Option<Text>,
}

/// More bytes than this, and nobody reads it as one line.
const WIDE: usize = 200;

impl Judge for Complexity {
    const NAME: &'static str = "complexity";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let files = sources::files(subject).map_err(Trouble::cannot)?;
        let drawing = Drawing::of(&self.file, self.section.as_deref(), &self.allow);
        let designed = drawing.designed(subject, &files)?;
        let planned = designed
            .iter()
            .filter(|one| sources::is_source(&one.path))
            .count();
        let found = found::as_found(subject).map_err(Trouble::cannot)?;
        let sources = drawing.sources(subject, (&files, found.as_ref()), &designed);
        let mut wrong = Vec::new();
        let count = sources.len();
        let times = self.times.map_or(2, Number::count);
        if count > planned * times {
            wrong.push(format!(
                "{count} sources, more than {times} times the {planned} designed"
            ));
        }
        let design = paths::read(subject.place, &self.file)?;
        let excepted: String = self
            .exceptions
            .iter()
            .flat_map(|heading| markdown::sections(&design, heading))
            .map(|section| section.content + "\n")
            .collect();
        let mut long = Vec::new();
        let grown = |path: &&&String| !found::is_as_found(subject, found.as_ref(), path);
        let counted = sources.iter().filter(grown);
        for path in counted.filter(|path| !names(&excepted, path)) {
            let text = sources::text(subject, path).map_err(Trouble::cannot)?;
            let lines = text.map_or(0, |text| read_lines(&text));
            if lines > self.lines.map_or(300, Number::count) {
                long.push(format!("{path} has {lines} lines"));
            }
        }
        if !long.is_empty() {
            wrong.push(first_few(&long, 5));
        }
        let text = design.to_lowercase();
        let manifests = sources::manifests(subject, &files).map_err(Trouble::cannot)?;
        // What the repository depended on already is nobody's to design.
        let were_there = |path: &str| {
            let text = found.as_ref().and_then(|room| room.text(path));
            let manifest = text.and_then(|text| Manifest::read(path, &text).ok());
            manifest.into_iter().flatten().flat_map(|one| one.names)
        };
        let strange: Vec<String> = manifests
            .iter()
            .flat_map(|manifest| {
                manifest
                    .names
                    .iter()
                    .map(move |name| (name, &manifest.path))
            })
            .filter(|(name, _)| !names(&text, &name.to_lowercase()))
            .filter(|(name, path)| !were_there(path).any(|one| one == **name))
            .map(|(name, path)| format!("{name} ({path})"))
            .collect();
        if !strange.is_empty() {
            wrong.push(format!("not in the design: {}", first_few(&strange, 8)));
        }
        if wrong.is_empty() {
            return Ok(format!("{count} sources, {planned} designed"));
        }
        Err(wrong.join("; ").into())
    }
}

/// How many lines somebody has to read: one that is as long as several is several, and a return
/// ends a line as well.
fn read_lines(text: &str) -> usize {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = text.lines().map(|line| line.len().div_ceil(WIDE).max(1));
    lines.sum()
}

/// Does the text name the package, or the path, as a word of its own?
fn names(text: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
