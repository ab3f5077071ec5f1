//! `lessons`: what was learnt is said in a form in which it can be collected: where it belongs, what it
//! is, and whether it still waits to be taken up. It refuses a lesson that says nothing, and one that is
//! taken up as soon as it is written: who learns it does not settle it.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::sections::sections_of;
use crate::readers::substance::hollow;
use crate::settings::{Placed, Text};
use crate::text::{answer, first_few, label};
use documents::says_none;
use kernel::lesson::{self, Lesson};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

/// As which the lessons of a gate are kept, for the next one that looks.
const KEPT: &str = "lessons";

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
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let heading = &*self.section;
        let sections = sections_of(subject, &self.file, Some(heading))?;
        let points: Vec<&String> = sections.iter().flat_map(|one| &one.points).collect();
        let points: Vec<&&String> = points.iter().filter(|one| !says_none(one)).collect();
        let pass = |why: String| answer(Self::NAME, Verdict::Pass, why);
        if points.is_empty() {
            return match sections.iter().any(|one| says_none(&one.content)) {
                true => Ok(pass(format!("`{heading}`: none"))),
                false => Err(format!("`{heading}` has no lesson, and does not say `none`").into()),
            };
        }
        let earlier = subject.keep.earlier(KEPT).map_err(Trouble::cannot)?;
        let fault = |point: &&&String| match Lesson::of(point) {
            None => Some(format!(
                "`{}` is no lesson; write `- TDD: what was learnt (open)`, with one of {}",
                label(point),
                lesson::TAGS.join(", ")
            )),
            Some(lesson) if !lesson.is_open() && !lesson.is_among(&earlier) => Some(format!(
                "`{}` is new and settled: only a person settles a lesson; write `(open)`",
                label(point)
            )),
            Some(lesson) => hollow(subject, &lesson.text, heading)
                .map(|why| format!("`{}` {why}", label(point))),
        };
        let wrong: Vec<String> = points.iter().filter_map(fault).collect();
        if !wrong.is_empty() {
            return Err(first_few(&wrong, 3).into());
        }
        // A person may settle what was seen here before.
        let lines: Vec<&str> = points.iter().map(|point| point.as_str()).collect();
        let kept = subject.keep.keep(KEPT, lines.join("\n").as_bytes());
        let mut result = pass(format!("{} lessons", points.len()));
        result.evidence.push(kept.map_err(Trouble::cannot)?);
        Ok(result)
    }
}
