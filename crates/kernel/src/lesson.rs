//! What was learnt in a task, as a line of its document: `TAG: text (status)`. One reading of it, for
//! the check that asks for it and for all who collect it.

use serde::{Deserialize, Serialize};

/// Where a lesson belongs: the domain, the spec, what users see, the tests, or the way of working.
pub const TAGS: [&str; 5] = ["DDD", "SDD", "UDD", "TDD", "ADD"];

/// Does a lesson still wait to be taken up?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonStatus {
    /// It waits.
    Open,
    /// A person has taken it up.
    Folded,
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lesson {
    /// One of [`TAGS`].
    pub tag: String,
    pub text: String,
    pub status: LessonStatus,
}

impl Lesson {
    /// Reads a list item; none if it is no lesson.
    pub fn of(item: &str) -> Option<Self> {
        let (tag, said) = item.split_once(':')?;
        let tag = tag.trim_matches(|char: char| !char.is_alphanumeric());
        let tag = TAGS
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(tag))?;
        let said = said.trim().trim_start_matches(['*', '_', ' ']);
        let (text, status) = said.strip_suffix(')')?.rsplit_once('(')?;
        let status = match status.trim().to_lowercase().as_str() {
            "open" => LessonStatus::Open,
            "folded" => LessonStatus::Folded,
            _ => return None,
        };
        Some(Self {
            tag: tag.to_owned(),
            text: text.trim().to_owned(),
            status,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_has_a_tag_a_text_and_a_status() {
        let lesson = Lesson::of("**tdd**: suites (short ones): ten lines (open)").unwrap();
        assert_eq!(lesson.tag, "TDD");
        assert_eq!(lesson.text, "suites (short ones): ten lines");
        assert_eq!(lesson.status, LessonStatus::Open);
        let folded = Lesson::of("ADD: ask first (Folded)").unwrap();
        assert_eq!(folded.status, LessonStatus::Folded);
        for none in [
            "none",
            "TDD: no status",
            "XYZ: of nothing (open)",
            "TDD: x (maybe)",
        ] {
            assert_eq!(Lesson::of(none), None, "{none}");
        }
    }
}
