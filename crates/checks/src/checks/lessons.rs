//! `lessons`: what was learnt is said in a form in which it can be collected: where it belongs, what it
//! is, and whether it still waits to be taken up. It refuses a lesson that says nothing.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::sections::sections_of;
use crate::readers::substance::hollow;
use crate::settings::{Placed, Text};
use crate::text::{first_few, label};
use documents::says_none;
use kernel::lesson::{self, Lesson};
use schemars::JsonSchema;
use serde::Deserialize;

/// Each lesson of a section says where it belongs, what it is and whether it is open; or `none`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Lessons {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the lessons.
    section: Text,
}

impl Judge for Lessons {
    const NAME: &'static str = "lessons";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let heading = &*self.section;
        let sections = sections_of(subject, &self.file, Some(heading))?;
        let points: Vec<&String> = sections.iter().flat_map(|one| &one.points).collect();
        let points: Vec<&&String> = points.iter().filter(|one| !says_none(one)).collect();
        if points.is_empty() {
            return match sections.iter().any(|one| says_none(&one.content)) {
                true => Ok(format!("`{heading}`: none")),
                false => Err(format!("`{heading}` has no lesson, and does not say `none`").into()),
            };
        }
        let fault = |point: &&&String| match Lesson::of(point) {
            None => Some(format!(
                "`{}` is no lesson; write `- TDD: what was learnt (open)`, with one of {}",
                label(point),
                lesson::TAGS.join(", ")
            )),
            Some(lesson) => hollow(subject, &lesson.text, heading)
                .map(|why| format!("`{}` {why}", label(point))),
        };
        let wrong: Vec<String> = points.iter().filter_map(fault).collect();
        match wrong.is_empty() {
            true => Ok(format!("{} lessons", points.len())),
            false => Err(first_few(&wrong, 3).into()),
        }
    }
}
