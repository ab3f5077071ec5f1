//! The exam as an instrument on the finished product: its functions are made to do the same always, and
//! the cases, which all hold, must notice. What notices no mutant observes nothing. For code in Python, however it is asked;
//! to build one in Rust anew for each mutant would take longer than the exam.

use super::ask;
use crate::Subject;
use crate::checks::controls::{Files, altered};
use crate::error::Error;
use crate::room::Room;
use kernel::exam::paper::Known;
use std::collections::BTreeSet;

/// How many mutants are tried.
const MOST: usize = 8;

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Noticed {
    tried: usize,
    /// Mutants on which a case failed.
    noticed: usize,
    /// Cases that failed on none of them.
    blind: usize,
    /// Were there more than are tried?
    more: bool,
}

impl Noticed {
    /// Does the exam look at the product at all?
    pub(super) fn any(&self) -> bool {
        self.noticed > 0 || self.more
    }

    /// In words without a value.
    pub(super) fn said(&self) -> String {
        let Self {
            tried,
            noticed,
            blind,
            more: _,
        } = self;
        match (noticed, blind) {
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
    let (mut tried, mut noticed) = (0, 0);
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
        tried += 1;
        noticed += usize::from(!failing.is_empty());
        noticing.extend(failing);
    }
    Ok((tried > 0).then(|| Noticed {
        tried,
        noticed,
        blind: cases.len() - noticing.len(),
        more: tried == most,
    }))
}

#[cfg(test)]
mod tests {
    use super::Noticed;

    #[test]
    fn what_came_of_it_is_said_without_a_value() {
        let said = |tried, noticed, blind| {
            let came = Noticed {
                tried,
                noticed,
                blind,
                more: false,
            };
            (came.any(), came.said())
        };
        assert_eq!(
            said(4, 0, 3),
            (
                false,
                "no case notices any of 4 mutants of the product".to_owned()
            )
        );
        assert!(said(4, 4, 0).1.ends_with("are noticed"));
        assert!(said(4, 3, 2).1.ends_with("2 cases notice none"));
    }
}
