//! `extent`: a repair stays with what was found. A file that no finding names, and that was no part of
//! the work before, needs a reason of its own; beyond a number of them a person looks. It goes by
//! paths: what is done inside of a file is a reviewer's to judge.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::substance::hollow;
use crate::settings::{Number, Text};
use crate::text::first_few;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Files outside of what was found wrong have their reasons, and are not too many.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Extent {
    /// The key of the result with the reasons: a list of `{path, reason}`. Without it, none is asked
    /// for.
    reasons: Option<Text>,
    /// How many files may be outside.
    most: Option<Number<0, 10_000>>,
}

impl Judge for Extent {
    const NAME: &'static str = "extent";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let outside = outside(subject);
        if let Some(most) = self.most.map(Number::count)
            && outside.len() > most
        {
            let named = first_few(&outside, 5);
            let count = outside.len();
            return Err(format!(
                "{count} files are outside of what was found, more than {most}: {named}"
            )
            .into());
        }
        let unexplained: Vec<&String> = match &self.reasons {
            Some(key) => outside
                .iter()
                .filter(|path| !has_reason(subject, key, path))
                .collect(),
            None => Vec::new(),
        };
        if !unexplained.is_empty() {
            let key = self.reasons.as_deref().unwrap_or_default();
            let named = first_few(&unexplained, 8);
            return Err(format!(
                "outside of what was found, and without a reason in `{key}`: {named}"
            )
            .into());
        }
        Ok(match outside.len() {
            0 => "nothing outside of what was found was touched".to_owned(),
            count => format!("{count} files outside of what was found, each with its reason"),
        })
    }
}

/// What was touched since the last checkpoint and is neither named in a finding nor part of the work
/// that the findings are about.
fn outside(subject: &Subject<'_>) -> Vec<String> {
    let of = |kind: &str| subject.known.get(kind).into_iter().flatten();
    let mut found: Vec<String> = of("wrong").cloned().collect();
    let results = subject.results.values();
    found.extend(results.map(|result| result.value["findings"].to_string()));
    let inside = |path: &str| {
        let before = of("recorded").any(|one| one.strip_prefix("repo/") == Some(path));
        before || found.iter().any(|text| names(text, path))
    };
    let touched = of("touched").filter_map(|path| path.strip_prefix("repo/"));
    touched
        .filter(|path| !inside(path))
        .map(str::to_owned)
        .collect()
}

/// Does the text name this file, by its path or by a name that ends it?
fn names(text: &str, path: &str) -> bool {
    let mut tail = Some(path);
    while let Some(name) = tail {
        let stands = text.match_indices(name).any(|(at, _)| {
            let part = |each: char| each.is_alphanumeric() || "_-/.".contains(each);
            let before = text[..at].chars().next_back();
            let mut after = text[at + name.len()..].chars();
            let next = after.next();
            let ends = match next {
                Some('.') => !after.next().is_some_and(char::is_alphanumeric),
                next => !next.is_some_and(&part),
            };
            // What stands in front of it is the rest of its path, or nothing of one.
            let begins = match before {
                Some('/') => name == path,
                before => !before.is_some_and(part),
            };
            begins && ends
        });
        if stands {
            return true;
        }
        tail = name.split_once('/').map(|(_, rest)| rest);
    }
    false
}

fn has_reason(subject: &Subject<'_>, key: &str, path: &str) -> bool {
    let reasons = subject.result.map_or(&Value::Null, |result| &result[key]);
    let mut reasons = reasons.as_array().into_iter().flatten();
    reasons.any(|one| {
        let of = one["path"].as_str().unwrap_or_default();
        let of = of.strip_prefix("repo/").unwrap_or(of);
        let reason = one["reason"].as_str().unwrap_or_default();
        of == path && hollow(subject, reason, "").is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_file_is_named_by_its_path_or_by_the_end_of_it() {
        for (text, path) in [
            ("grep -q good code.txt", "code.txt"),
            ("at src/lib.rs:12.", "src/lib.rs"),
            ("--> /room/src/lib.rs:12", "src/lib.rs"),
            ("lib.rs is wrong.", "src/lib.rs"),
        ] {
            assert!(names(text, path), "{text} {path}");
        }
        for (text, path) in [
            ("mycode.txt", "code.txt"),
            ("code.txt.bak", "code.txt"),
            ("tests/lib.rs", "src/lib.rs"),
            ("nothing", "a/b"),
        ] {
            assert!(!names(text, path), "{text} {path}");
        }
    }
}
