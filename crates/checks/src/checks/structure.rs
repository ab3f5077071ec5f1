//! `structure`: the repository is built as its design draws it. It refuses designed files that are
//! not there, and more files than some that nobody designed.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::drawing::Drawing;
use crate::readers::{found, sources};
use crate::settings::{Globs, Number, Placed, Text};
use crate::text::first_few;
use schemars::JsonSchema;
use serde::Deserialize;

/// The files that a design draws are there, and few sources that it does not draw.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Structure {
    /// The design; `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the drawing; Directory Structure.
    section: Option<Text>,
    /// Globs of sources that need no design.
    #[serde(default)]
    allow: Globs,
    /// How many sources of a hundred may be undesigned; 0.
    undesigned_percent: Option<Number<0, 100>>,
}

impl Judge for Structure {
    const NAME: &'static str = "structure";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let files = sources::files(subject).map_err(Trouble::cannot)?;
        let drawing = Drawing::of(&self.file, self.section.as_deref(), &self.allow);
        let designed = drawing.designed(subject, &files)?;
        let mut wrong = Vec::new();
        let missing: Vec<&str> = designed
            .iter()
            .filter(|one| !files.iter().any(|path| one.is(path)))
            .map(|one| one.path.as_str())
            .collect();
        if !missing.is_empty() {
            wrong.push(format!("missing: {}", first_few(&missing, 8)));
        }
        let found = found::as_found(subject).map_err(Trouble::cannot)?;
        let sources = drawing.sources(subject, (&files, found.as_ref()), &designed);
        let strange: Vec<&&String> = sources
            .iter()
            .filter(|path| !designed.iter().any(|one| one.is(path)))
            .collect();
        let shown: Vec<&str> = strange.iter().map(|path| path.as_str()).collect();
        let said = format!(
            "{} of {} sources are not designed",
            strange.len(),
            sources.len()
        );
        let allowed = self.undesigned_percent.map_or(0, Number::count);
        if strange.len() * 100 > allowed * sources.len() {
            wrong.push(format!("{said}: {}", first_few(&shown, 8)));
        }
        if wrong.is_empty() {
            return Ok(format!(
                "all {} designed files are there; {said}",
                designed.len()
            ));
        }
        Err(wrong.join("; ").into())
    }
}
