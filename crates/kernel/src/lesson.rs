//! What was learnt in a task, as a line of its document: `TAG: text; evidence: where (status)`. One
//! reading of it, for the check that asks for it and for all who collect it.

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
    /// A person has said that it is none.
    Rejected,
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lesson {
    /// One of [`TAGS`].
    pub tag: String,
    pub text: String,
    /// Where it shows: a file, a test, a finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
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
            "rejected" => LessonStatus::Rejected,
            _ => return None,
        };
        let (text, evidence) = evidence(text.trim());
        Some(Self {
            tag: tag.to_owned(),
            text: text.to_owned(),
            evidence: evidence.map(str::to_owned),
            status,
        })
    }

    /// Does it wait to be taken up?
    pub fn is_open(&self) -> bool {
        self.status == LessonStatus::Open
    }

    /// Does it stand in one of these lists of lessons, a line each, whatever became of it?
    pub fn is_among(&self, lists: &[Vec<u8>]) -> bool {
        let lists = lists.iter().map(|bytes| String::from_utf8_lossy(bytes));
        lists.into_iter().any(|list| {
            let mut known = list.lines().filter_map(Self::of);
            known.any(|one| one.text == self.text)
        })
    }
}

/// A text, and what it says behind `evidence:`, in brackets or behind a semicolon.
fn evidence(text: &str) -> (&str, Option<&str>) {
    const WORD: &str = "evidence:";
    let Some((said, rest)) = text.rsplit_once(WORD) else {
        return (text, None);
    };
    let (said, rest) = (said.trim_end(), rest.trim());
    let parts = match said.strip_suffix(['(', '[']) {
        Some(said) => rest.strip_suffix([')', ']']).map(|rest| (said, rest)),
        None => said.strip_suffix(';').map(|said| (said, rest)),
    };
    match parts {
        Some((said, rest)) if !rest.trim().is_empty() => (said.trim_end(), Some(rest.trim())),
        _ => (text, None),
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
        assert_eq!(folded.evidence, None);
        assert!(!folded.is_open() && lesson.is_open());
        let seen = b"TDD: ten lines (open)\nADD: ask first (open)".to_vec();
        assert!(folded.is_among(std::slice::from_ref(&seen)) && !lesson.is_among(&[seen]));
        for said in [
            "TDD: ten lines do; evidence: tests/a.py:3 (open)",
            "TDD: ten lines do (evidence: tests/a.py:3) (open)",
        ] {
            let lesson = Lesson::of(said).unwrap();
            assert_eq!(lesson.text, "ten lines do", "{said}");
            assert_eq!(lesson.evidence.as_deref(), Some("tests/a.py:3"), "{said}");
        }
        let none = Lesson::of("TDD: no evidence: none was looked for (rejected)").unwrap();
        assert_eq!(none.text, "no evidence: none was looked for");
        assert_eq!(none.status, LessonStatus::Rejected);
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
