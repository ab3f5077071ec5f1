//! What an addition must lead to: what is added to the code has to be seen by a test, and what is added
//! to tests has to be run. A mention of the target is no addition, and code that nothing notices is none
//! that anybody asked for.

use super::{Changed, Target, not_applied};
use crate::debate::{Amendment, AmendmentAction, Failure};
use std::collections::BTreeSet;

/// Does an addition stand in the code itself? Then the tests must fail without it.
pub fn adds_code(amendments: &[Amendment], changed: &[Changed]) -> bool {
    let mut all = added(amendments, changed);
    all.any(|(_, _, files)| files.iter().any(|one| is_code(&one.path)))
}

/// Additions to tests that nobody runs: comments, and nothing else.
pub fn idle(amendments: &[Amendment], changed: &[Changed]) -> Vec<Failure> {
    let of_tests = |one: &&Changed| one.path.starts_with("tests/");
    let mut found = Vec::new();
    for (at, amendment, files) in added(amendments, changed) {
        let elsewhere = files.iter().any(|one| !of_tests(one));
        if !elsewhere && !files.is_empty() && files.iter().all(|one| only_comments(one)) {
            let why = "nothing but comments was added, which no test runs";
            found.push(not_applied(at, amendment, why));
        }
    }
    found
}

fn is_code(path: &str) -> bool {
    path.starts_with("implementation/")
}

/// Each ADD with the changed files that hold its target now.
fn added<'a>(
    amendments: &'a [Amendment],
    changed: &'a [Changed],
) -> impl Iterator<Item = (usize, &'a Amendment, Vec<&'a Changed>)> {
    let adds = amendments.iter().enumerate();
    let adds = adds.filter(|(_, one)| one.action == AmendmentAction::Add);
    adds.map(|(at, amendment)| {
        let target = Target::of(&amendment.target);
        let holds = |one: &&Changed| target.is_in_text(&one.path, one.after.as_deref());
        (at, amendment, changed.iter().filter(holds).collect())
    })
}

/// Are all lines that came and went comments, or blank? By how lines begin, in the languages that we
/// build: an attribute of Rust is none.
fn only_comments(changed: &Changed) -> bool {
    let lines = |text: &Option<String>| -> BTreeSet<String> {
        let lines = text.iter().flat_map(|text| text.lines());
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let (before, after) = (lines(&changed.before), lines(&changed.after));
    let mut differing = before.symmetric_difference(&after);
    differing.all(|line| {
        let attribute = line.starts_with("#[") || line.starts_with("#![");
        let begins = ["//", "#", "*", "/*", "\"\"\""];
        line.is_empty() || (!attribute && begins.iter().any(|one| line.starts_with(one)))
    })
}
