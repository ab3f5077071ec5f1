//! Were amendments applied, and nothing else (rule F9.6)? By the Proposer's word, which can only say
//! no, and by the deliverable before and after the turn, which decides. Nobody debates what is made
//! in that turn, so it may hold what the Arbiter named and not one file more.
//!
//! A target is the path of a file, or a text that stands in one; `path::text` is both. A path opens
//! its file. A bare text opens, for MODIFY, every file in which a piece that it stood for changed; for
//! REMOVE every file in which it stood; for ADD the one file that holds it now and that nothing else
//! opens: where there are two, neither is open, and the Arbiter has to say `path::text`. So nobody
//! opens a file by writing a target into it. Inside of an open file, nobody tells one line from
//! another.

mod blocks;
mod seen;

pub use seen::{adds_code, idle};

use crate::debate::{Amended, Amendment, AmendmentAction, Failure};
use blocks::{stands_in, touched};
use std::collections::{BTreeMap, BTreeSet};

/// A file that the turn changed, made or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Where, in the module's folder.
    pub path: String,
    /// Its text before; none: it was not there.
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
            AmendmentAction::Remove => unremoved(&target, changed, now),
        };
        faults.extend(why.map(|why| not_applied(at, amendment, why)));
    }
    let open = open(amendments, changed);
    for one in changed {
        if !open.contains(one.path.as_str()) {
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
    let is = |one: &&&Changed| target.is_in_text(&one.path, one.after.as_deref());
    let had: Vec<&Changed> = changed.iter().filter(was).collect();
    if had.is_empty() {
        return Some("no file that was changed held the target before");
    }
    let still: Vec<&&Changed> = had.iter().filter(is).collect();
    if still.is_empty() {
        return Some("the target is gone");
    }
    let modified = had.iter().any(|one| target.is_modified(one));
    (!modified).then_some("what the target stands for is as it was")
}

fn unremoved(
    target: &Target<'_>,
    changed: &[Changed],
    now: &BTreeMap<String, String>,
) -> Option<&'static str> {
    if now.iter().any(|(path, text)| target.is_in(path, text)) {
        return Some("the target is still there");
    }
    let mut all = changed.iter();
    let stood = all.any(|one| target.is_in_text(&one.path, one.before.as_deref()));
    (!stood).then_some("the target never stood there")
}

/// The changed files that the amendments open.
fn open<'c>(amendments: &[Amendment], changed: &'c [Changed]) -> BTreeSet<&'c str> {
    let mut open = BTreeSet::new();
    for amendment in amendments {
        let target = Target::of(&amendment.target);
        let named = changed
            .iter()
            .filter(|one| target.names(amendment.action, one));
        open.extend(named.map(|one| one.path.as_str()));
    }
    let mut more = Vec::new();
    for amendment in amendments {
        let target = Target::of(&amendment.target);
        if amendment.action != AmendmentAction::Add || target.file.is_some() {
            continue;
        }
        let holds: Vec<&str> = changed
            .iter()
            .filter(|one| target.is_in_text(&one.path, one.after.as_deref()))
            .map(|one| one.path.as_str())
            .filter(|path| !open.contains(path))
            .collect();
        if let [only] = holds[..] {
            more.push(only);
        }
    }
    open.extend(more);
    open
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

    /// Is something that it stands for not as it was? Of a path, the whole file.
    fn is_modified(&self, changed: &Changed) -> bool {
        let before = changed.before.as_deref().unwrap_or_default();
        let after = changed.after.as_deref().unwrap_or_default();
        match self.file {
            Some(file) => is_path(file, &changed.path) && touched(self.text, before, after),
            None => is_path(self.text, &changed.path) || touched(self.text, before, after),
        }
    }

    /// Does it allow this change, by its path or by what stood there?
    fn names(&self, action: AmendmentAction, changed: &Changed) -> bool {
        is_path(self.file.unwrap_or(self.text), &changed.path)
            || match action {
                AmendmentAction::Add => false,
                AmendmentAction::Modify => self.is_modified(changed),
                AmendmentAction::Remove => {
                    self.is_in_text(&changed.path, changed.before.as_deref())
                }
            }
    }
}

/// Also where the Arbiter wrote the path from the top of the store.
fn is_path(named: &str, path: &str) -> bool {
    let rest = named.strip_suffix(path);
    rest.is_some_and(|above| above.is_empty() || above.ends_with('/'))
}

fn not_applied(at: usize, amendment: &Amendment, why: &str) -> Failure {
    let what = serde_json::to_string(amendment).unwrap_or_default();
    Failure::new(
        "amendment_applied",
        format!("amendment {at} {what} was not applied: {why}"),
        &amendment.detail,
    )
}
