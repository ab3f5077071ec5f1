//! The exam as an instrument on the finished product: its functions are made to do the same always, and
//! the cases, which all hold, must notice. What notices no mutant observes nothing. For code in Python, however it is asked;
//! to build one in Rust anew for each mutant would take longer than the exam.

use super::ask;
use crate::Subject;
use crate::checks::controls::{Files, altered};
use crate::error::Error;
use crate::room::Room;
use kernel::exam::answers::{Answer, Answers};
use kernel::exam::claims::holds;
use kernel::exam::paper::Known;
use kernel::exam::values::of_values;
use kernel::exam::{Case, Claim, Relation};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many mutants are tried.
const MOST: usize = 8;

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Noticed {
    tried: usize,
    /// Mutants on which a case failed.
    noticed: usize,
    /// Those on which one failed by what it claims of a value; none: no case claims anything of one.
    by_value: Option<usize>,
    /// Cases that failed on none of them.
    blind: usize,
    /// Were there more than are tried?
    more: bool,
}

impl Noticed {
    /// Does the exam look at the product at all?
    pub(super) fn any(&self) -> bool {
        self.by_value.unwrap_or(self.noticed) > 0 || self.more
    }

    /// In words without a value.
    pub(super) fn said(&self) -> String {
        let Self {
            tried,
            noticed,
            by_value,
            blind,
            more: _,
        } = self;
        match (noticed, blind) {
            (1.., _) if *by_value == Some(0) => format!(
                "{noticed} of {tried} mutants of the product are noticed, and all of them by what is refused alone"
            ),
            (0, _) => format!("no case notices any of {tried} mutants of the product"),
            (_, 0) => format!("{noticed} of {tried} mutants of the product are noticed"),
            _ => format!(
                "{noticed} of {tried} mutants of the product are noticed; {blind} cases notice none"
            ),
        }
    }
}

/// Asks mutants of the product; none where nothing of it can be mutated.
pub(super) fn tried(
    subject: &Subject<'_>,
    room: &Room,
    files: &Files,
    (cases, seed): (&[&Known], &str),
) -> Result<Option<Noticed>, Error> {
    let most = subject.mutants.map_or(MOST, |most| most.min(MOST));
    let own = |known: &&&Known| ask::is_asked_again(subject, known.driver);
    let cases: Vec<&Known> = cases.iter().filter(own).copied().collect();
    if most == 0 || cases.is_empty() {
        return Ok(None);
    }
    let mut noticing: BTreeSet<&str> = BTreeSet::new();
    let (mut tried, mut noticed, mut by_value) = (0, 0, 0);
    let values = |known: &&Known| of_values(&known.case, known.driver);
    // Of what is not refused there may be nothing else to say than that it is not.
    let says = |case: Case| case.holds.iter().any(says_something);
    let any_value = cases.iter().filter_map(values).any(says);
    for mutant in altered(subject, room, files, (seed, most))? {
        let honest = room.text(&mutant.path);
        room.put(&mutant.path, Some(&mutant.text))?;
        room.forget_compiled()?;
        let asked: Vec<_> = cases.iter().map(|known| known.asked()).collect();
        let answers = ask::once(subject, room, &asked);
        room.put(&mutant.path, honest.as_deref())?;
        let answers = answers?;
        let failing = cases.iter().zip(&answers);
        let failing: Vec<&str> = failing
            .filter(|(known, answers)| known.failed(Some(&vec![(*answers).clone()])).is_some())
            .map(|(known, _)| known.name.as_str())
            .collect();
        let wrong = |(known, answers): (&&Known, &Answers)| {
            // Whoever refuses what it may not is noticed by that.
            let is_value = |claim: &Claim| matches!(answers.get(claim.of), Some(Answer::Value(_)));
            values(known)
                .is_some_and(|case| case.holds.iter().all(is_value) && !holds(&case, answers))
        };
        by_value += usize::from(cases.iter().zip(&answers).any(wrong));
        tried += 1;
        noticed += usize::from(!failing.is_empty());
        noticing.extend(failing);
    }
    Ok((tried > 0).then(|| Noticed {
        tried,
        noticed,
        by_value: any_value.then_some(by_value),
        blind: cases.len() - noticing.len(),
        more: tried == most,
    }))
}

/// Does a claim say more of a value than that there is one?
fn says_something(claim: &Claim) -> bool {
    let nothing = |value: &Value| matches!(value, Value::Null | Value::Bool(true));
    claim.is != Relation::Equals || !claim.value.as_ref().is_some_and(nothing)
}

#[cfg(test)]
mod tests {
    use super::Noticed;

    #[test]
    fn what_came_of_it_is_said_without_a_value() {
        let said = |tried, noticed, by_value, blind| {
            let came = Noticed {
                tried,
                noticed,
                by_value: Some(by_value),
                blind,
                more: false,
            };
            (came.any(), came.said())
        };
        assert_eq!(
            said(4, 0, 0, 3),
            (
                false,
                "no case notices any of 4 mutants of the product".to_owned()
            )
        );
        let (any, refused) = said(4, 4, 0, 0);
        assert!(
            !any && refused.ends_with("by what is refused alone"),
            "{refused}"
        );
        assert!(said(4, 4, 4, 0).1.ends_with("are noticed"));
        assert!(said(4, 3, 1, 2).1.ends_with("2 cases notice none"));
    }
}
