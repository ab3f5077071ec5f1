//! A whole product, asked by the cases of its spec: everybody knows those, so nothing is held back, and
//! all of them are told. The room, the drivers and the claims are those of every exam.

use super::ask;
use crate::Subject;
use crate::checks::controls::seed;
use crate::error::Error;
use crate::room::Room;
use kernel::exam::paper::Known;
use kernel::exam::{Case, Driver, Service, claims, controls};

/// What a case came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// What each call was answered with, in words.
    pub answers: Vec<String>,
    /// How it does not hold; none: it does.
    pub wrong: Option<String>,
}

/// Asks the product that is judged, in a room of its own, several times and each time in another order.
pub fn ask(
    subject: &Subject<'_>,
    driver: Driver,
    service: Option<&Service>,
    cases: &[Case],
) -> Result<Vec<Heard>, Error> {
    let known: Vec<Known> = cases
        .iter()
        .zip(1..)
        .map(|(case, number)| Known {
            name: number.to_string(),
            driver,
            service: service.cloned(),
            case: case.clone(),
            guard: false,
            held_back: false,
            told: true,
        })
        .collect();
    let asked: Vec<_> = known.iter().map(Known::asked).collect();
    let room = || Room::as_judged(subject);
    let sat = ask::all(subject, &room, &asked, &seed()?)?;
    let all: Vec<&Case> = cases.iter().collect();
    let heard = known.iter().map(|one| {
        let rounds = sat.answers.get(&one.name);
        let failed = one.failed(rounds);
        let first = rounds.and_then(|rounds| rounds.first());
        let answers = failed.unwrap_or_else(|| first.map_or(&[], Vec::as_slice));
        let calls = one.calls(answers);
        let wrong = match (failed, controls::cannot_fail(&one.case, &all)) {
            (Some(_), _) => {
                let claims = one.case.holds.iter();
                let broken = claims.filter(|claim| !claims::claim_holds(&one.case, claim, answers));
                let broken: Vec<String> = broken.map(ToString::to_string).collect();
                let said: Vec<String> = calls
                    .iter()
                    .map(|(call, answer)| format!("{call} {answer}"))
                    .collect();
                let broken = broken.join(" and ");
                Some(format!("it should hold that {broken}; {}", said.join(", ")))
            }
            (None, Some(why)) => Some(format!("it proves nothing: {why}")),
            (None, None) => None,
        };
        let answers = calls.into_iter().map(|(_, answer)| answer);
        Heard {
            answers: answers.collect(),
            wrong: wrong.map(|wrong| match sat.faults.first() {
                Some(fault) => format!("{wrong} ({fault})"),
                None => wrong,
            }),
        }
    });
    Ok(heard.collect())
}
