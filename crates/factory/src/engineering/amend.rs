//! Were amendments applied, and nothing else (section 9.6)? By the Proposer's word, which can only say
//! no, and by the deliverable before and after the turn, which decides. Nobody debates what is made
//! in that turn, so it may hold what the Arbiter named and not one file more.
//!
//! A target is the path of a file, or a text that stands in one; `path::text` is both. Inside of a
//! file that an amendment names, nobody tells one line from another.

use super::artifacts::{Amended, Amendment, AmendmentAction, Failure};
use std::collections::BTreeMap;

/// A file that the turn changed, made or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Where, in the module's folder.
    pub path: String,
    /// Its text before; none: it was not there, or nobody can read it any more.
    pub before: Option<String>,
    /// Its text now; none: it is gone.
    pub after: Option<String>,
}

/// Amendments that the Proposer says it did not apply, or says nothing about.
pub fn unapplied(amendments: &[Amendment], said: &Amended) -> Vec<Failure> {
    let mut faults = Vec::new();
    for (at, amendment) in amendments.iter().enumerate() {
        let mut records = said
            .amendments
            .iter()
            .filter(|one| one.amendment_index == at);
        let why = match records.next() {
            Some(record) if record.applied => continue,
            Some(record) => record.note.as_str(),
            None => "the Proposer says nothing of it",
        };
        faults.push(not_applied(at, amendment, why));
    }
    faults
}

/// What the deliverable itself says against the turn: amendments that are not in it, and files that
/// changed although no amendment names them. `now` are all texts of the module, by path.
pub fn contradicted(
    amendments: &[Amendment],
    changed: &[Changed],
    now: &BTreeMap<String, String>,
) -> Vec<Failure> {
    let mut faults = Vec::new();
    for (at, amendment) in amendments.iter().enumerate() {
        let target = Target::of(&amendment.target);
        let why = match amendment.action {
            AmendmentAction::Add => missing(&target, changed),
            AmendmentAction::Modify => unmodified(&target, changed),
            AmendmentAction::Remove => {
                let stands = now.iter().any(|(path, text)| target.is_in(path, text));
                stands.then_some("the target is still there")
            }
        };
        faults.extend(why.map(|why| not_applied(at, amendment, why)));
    }
    for one in changed {
        let named = amendments
            .iter()
            .any(|amendment| Target::of(&amendment.target).names(one));
        if !named {
            let evidence = format!(
                "{} was changed while amendments were applied, and no amendment names it",
                one.path
            );
            faults.push(Failure::new(
                "nothing_but_the_amendments",
                evidence,
                "change what the amendments name, and nothing else",
            ));
        }
    }
    faults
}

fn missing(target: &Target<'_>, changed: &[Changed]) -> Option<&'static str> {
    let mut all = changed.iter();
    let there = all.any(|one| target.is_in_text(&one.path, one.after.as_deref()));
    (!there).then_some("no file that was changed holds the target")
}

fn unmodified(target: &Target<'_>, changed: &[Changed]) -> Option<&'static str> {
    let was = |one: &&Changed| target.is_in_text(&one.path, one.before.as_deref());
    let is = |one: &Changed| target.is_in_text(&one.path, one.after.as_deref());
    let had: Vec<&Changed> = changed.iter().filter(was).collect();
    if had.is_empty() {
        return Some("no file that was changed held the target before");
    }
    (!had.into_iter().any(is)).then_some("the target is gone")
}

/// What an amendment is about.
struct Target<'a> {
    /// The file, where the target names one beside a text.
    file: Option<&'a str>,
    /// A text, or a path.
    text: &'a str,
}

impl<'a> Target<'a> {
    fn of(target: &'a str) -> Self {
        let target = target.trim().trim_matches('`');
        let target = target.strip_prefix("./").unwrap_or(target);
        match target.split_once("::") {
            Some((file, text)) if file.contains(['/', '.']) => Self {
                file: Some(file),
                text,
            },
            _ => Self {
                file: None,
                text: target,
            },
        }
    }

    /// Is it this file, or does it stand in it?
    fn is_in(&self, path: &str, text: &str) -> bool {
        match self.file {
            Some(file) => is_path(file, path) && stands_in(self.text, text),
            None => is_path(self.text, path) || stands_in(self.text, text),
        }
    }

    fn is_in_text(&self, path: &str, text: Option<&str>) -> bool {
        text.is_some_and(|text| self.is_in(path, text))
    }

    /// Does it allow this change?
    fn names(&self, changed: &Changed) -> bool {
        is_path(self.file.unwrap_or(self.text), &changed.path)
            || self.is_in_text(&changed.path, changed.before.as_deref())
            || self.is_in_text(&changed.path, changed.after.as_deref())
    }
}

/// Also where the Arbiter wrote the path from the top of the store.
fn is_path(named: &str, path: &str) -> bool {
    let rest = named.strip_suffix(path);
    rest.is_some_and(|above| above.is_empty() || above.ends_with('/'))
}

/// As a word of its own: `parse` does not stand in `parse_all`.
fn stands_in(word: &str, text: &str) -> bool {
    let inner =
        |letter: Option<char>| letter.is_some_and(|one| one.is_alphanumeric() || one == '_');
    let (first, last) = (word.chars().next(), word.chars().next_back());
    text.match_indices(word).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        let glued_before = inner(first) && inner(before);
        let glued_after = inner(last) && inner(after);
        !word.is_empty() && !glued_before && !glued_after
    })
}

fn not_applied(at: usize, amendment: &Amendment, why: &str) -> Failure {
    let what = serde_json::to_string(amendment).unwrap_or_default();
    Failure::new(
        "amendment_applied",
        format!("amendment {at} {what} was not applied: {why}"),
        &amendment.detail,
    )
}
