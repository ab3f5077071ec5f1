//! What a task asks for, point by point, and whether a plan answers every point (rules F5.5 and F10.1).
//! Points are the acceptance criteria, and the inputs, outputs and errors of the sketch. A module answers
//! one by a clause of its contract, and each of those clauses needs a test of its name before anything
//! ships: so nothing of a task is left out without a word. Of what is reused the shipped contract counts.
//!
//! Whether a clause is a good answer is the Challenger's to judge, who is shown the table.

use super::kind::TELLS;
use super::reuse::{Offered, candidate};
use crate::contract::coverage::{self, Category};
use crate::contract::from_plan::{means_none, says_none, surface};
use crate::micro_plan::{IoContract, Misplan, Plan, PlanFault, PlannedModule};
use crate::project::types::ModuleRef;
use crate::readable::same_words;
use crate::spec::IoContractSketch;
use std::collections::BTreeSet;

/// Which clauses can answer a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Criterion,
    Input,
    Output,
    Error,
}

/// One thing that a task asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// `criterion-1`, `input-1`, `output-1`, `error-1`.
    pub key: String,
    /// In the task's words.
    pub what: String,
    kind: Kind,
}

/// Everything that a task asks for. What is said twice is asked once. `briefs` is the form of the
/// project's.
pub fn asked(criteria: &[String], sketch: Option<&IoContractSketch>, briefs: u32) -> Vec<Asked> {
    let points = |prose| points(prose, briefs);
    let mut all = Vec::new();
    let mut add = |kind: Kind, name: &str, texts: Vec<&str>| {
        let mut seen = BTreeSet::new();
        let texts = texts.into_iter().map(str::trim);
        let own = texts.filter(|text| seen.insert(same_words(text)));
        all.extend(own.enumerate().map(|(at, text)| Asked {
            key: format!("{name}-{}", at + 1),
            what: text.to_owned(),
            kind,
        }));
    };
    let criteria = criteria.iter().map(String::as_str).collect();
    add(Kind::Criterion, "criterion", criteria);
    if let Some(sketch) = sketch {
        add(Kind::Input, "input", points(&sketch.inputs));
        add(Kind::Output, "output", points(&sketch.outputs));
        let errors = points(&sketch.error_surfaces).into_iter();
        add(Kind::Error, "error", errors.flat_map(named).collect());
    }
    all
}

/// The points of a dimension that is written as prose: lines, and what semicolons and sentences part.
/// One that begins with `none` has none.
fn points(prose: &str, briefs: u32) -> Vec<&str> {
    let mut found = Vec::new();
    for part in prose.split(['\n', ';']) {
        let mut from = 0;
        for (at, _) in part.match_indices(". ") {
            let after = part[at + 2..].trim_start().chars().next();
            if after.is_some_and(char::is_uppercase) {
                found.push(&part[from..at]);
                from = at + 2;
            }
        }
        found.push(&part[from..]);
    }
    let bare = |one: &str| -> usize { one.chars().filter(|c| c.is_alphanumeric()).count() };
    let mut found: Vec<&str> = found
        .into_iter()
        .map(|one| one.trim().trim_start_matches(['-', '*', '•']).trim_start())
        .filter(|one| bare(one) > 0)
        .collect();
    let none = match briefs {
        ..TELLS => says_none,
        _ => means_none,
    };
    if found.first().is_some_and(|first| none(first)) {
        found.clear();
    }
    found
}

/// `Empty for a blank, Long for too many`: each error has a name of its own, with a capital.
fn named(point: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in point.match_indices(", ") {
        let after = point[at + 2..].chars().next();
        if after.is_some_and(char::is_uppercase) {
            found.push(&point[from..at]);
            from = at + 2;
        }
    }
    found.push(&point[from..]);
    found
}

/// Whether a clause can answer a point; none: the contract has no such clause.
fn fits(point: &Asked, contract: &IoContract, clause: &str) -> Option<bool> {
    let surface = surface(contract);
    let tested = coverage::required(surface.surface());
    // That valid inputs give the expected output says nothing in particular.
    let mut tested = tested
        .iter()
        .filter(|one| one.category != Category::HappyPath);
    if let Some(found) = tested.find(|one| one.key == clause) {
        return Some(match (point.kind, found.category) {
            (Kind::Criterion, _) => true,
            (Kind::Input, of) => of != Category::OutputInvariant,
            (Kind::Output, of) => of == Category::OutputInvariant,
            (Kind::Error, of) => of == Category::ErrorSurface,
        });
    }
    // An input that is bound by its type alone, which every test of the module keeps to.
    let mut items = coverage::inputs(surface.surface()).into_iter();
    items
        .any(|key| key == clause)
        .then_some(point.kind == Kind::Input)
}

/// What can be named as an answer, of a contract.
fn clauses(contract: &IoContract) -> Vec<String> {
    let surface = surface(contract);
    let tested = coverage::required(surface.surface()).into_iter();
    let tested = tested.filter(|one| one.category != Category::HappyPath);
    let inputs = coverage::inputs(surface.surface()).into_iter();
    let all = inputs.chain(tested.map(|one| one.key));
    all.map(|key| format!("`{key}`")).collect()
}

fn wants(kind: Kind) -> &'static str {
    match kind {
        Kind::Criterion => "a constraint, an invariant or an error",
        Kind::Input => "an input, a constraint or an error",
        Kind::Output => "an invariant of an output",
        Kind::Error => "an error",
    }
}

/// What of a task a plan leaves out, and answers that are none.
pub(crate) fn unanswered(
    asked: &[Asked],
    plan: &Plan,
    offered: &dyn Fn(&ModuleRef) -> Offered,
    briefs: u32,
) -> Vec<PlanFault> {
    let mut faults = Vec::new();
    let mut answered = BTreeSet::new();
    for (at, module) in plan.modules.iter().enumerate() {
        let contract = contract_of(module, offered);
        for (nth, answer) in module.answers.iter().enumerate() {
            let mut say = |code, message: String| {
                faults.push(PlanFault {
                    code: Some(code),
                    path: format!("modules[{at}].answers[{nth}].clause"),
                    message,
                });
            };
            let point = asked.iter().find(|one| one.key == answer.asked);
            // What nobody asked for answers nothing; a contract that is missing or not shipped is a
            // fault of its own.
            let (Some(point), Some(contract)) = (point, &contract) else {
                continue;
            };
            match fits(point, contract, &answer.clause) {
                Some(true) => {
                    answered.insert(point.key.as_str());
                }
                Some(false) => {
                    let message = format!(
                        "`{}` does not answer `{}`, which wants {}",
                        answer.clause,
                        point.key,
                        wants(point.kind)
                    );
                    say(Misplan::ClauseUnfit, message);
                }
                None => {
                    let whose = match candidate(module) {
                        Some(reused) => format!("the contract of {reused}"),
                        None => "its contract".to_owned(),
                    };
                    let mut message = format!("{whose} has no clause `{}`", answer.clause);
                    if briefs >= TELLS {
                        message.push_str(&format!("; it has {}", clauses(contract).join(", ")));
                    }
                    say(Misplan::ClauseUnknown, message);
                }
            }
        }
    }
    let open = asked
        .iter()
        .filter(|one| !answered.contains(one.key.as_str()));
    faults.extend(open.map(|point| PlanFault {
        code: Some(Misplan::Unanswered),
        path: "modules".to_owned(),
        message: format!(
            "no clause answers `{}` ({}): name {} that does, in `answers` of its module; only a person can drop it",
            point.key,
            point.what,
            wants(point.kind)
        ),
    }));
    faults
}

/// The contract whose clauses count.
fn contract_of(
    module: &PlannedModule,
    offered: &dyn Fn(&ModuleRef) -> Offered,
) -> Option<IoContract> {
    match candidate(module).map(offered) {
        None | Some(Offered::Elsewhere) => module.io_contract.clone(),
        Some(Offered::Module(shipped)) => Some(shipped),
        Some(Offered::Nothing | Offered::Outdated(_) | Offered::Unlocked) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(asked: &[Asked]) -> Vec<(&str, &str)> {
        let all = asked.iter();
        all.map(|one| (one.key.as_str(), one.what.as_str()))
            .collect()
    }

    #[test]
    fn a_task_asks_for_its_criteria_and_for_each_point_of_its_sketch() {
        let criteria = ["returns the sum".to_owned(), "Returns the sum.".to_owned()];
        let sketch = IoContractSketch {
            inputs: "text: not empty; limit: at most 80. Both are given".to_owned(),
            outputs: "- slug: lower case, no blanks\n- cut: whether it was cut, e.g. at 80"
                .to_owned(),
            error_surfaces: "Empty for a blank, Long when it is too long, or odd".to_owned(),
            effects: "none".to_owned(),
            modes: "sync".to_owned(),
        };
        assert_eq!(
            keys(&asked(&criteria, Some(&sketch), TELLS)),
            [
                ("criterion-1", "returns the sum"),
                ("input-1", "text: not empty"),
                ("input-2", "limit: at most 80"),
                ("input-3", "Both are given"),
                ("output-1", "slug: lower case, no blanks"),
                ("output-2", "cut: whether it was cut, e.g. at 80"),
                ("error-1", "Empty for a blank"),
                ("error-2", "Long when it is too long, or odd"),
            ]
        );
        let none = IoContractSketch {
            inputs: "None; it takes nothing".to_owned(),
            error_surfaces: "none: it cannot fail".to_owned(),
            outputs: "合計; 負でない".to_owned(),
            ..sketch
        };
        assert_eq!(
            keys(&asked(&[], Some(&none), TELLS)),
            [("output-1", "合計"), ("output-2", "負でない")]
        );
        assert_eq!(asked(&[], None, TELLS), []);
        // As people write it; a project goes on as it began.
        let reasoned = IoContractSketch {
            inputs: "None of the lines is blank".to_owned(),
            error_surfaces: "none, every number of seconds can be written".to_owned(),
            outputs: "None. It prints".to_owned(),
            ..none.clone()
        };
        let points = asked(&[], Some(&reasoned), TELLS);
        assert_eq!(keys(&points), [("input-1", "None of the lines is blank")]);
        let before = asked(&[], Some(&reasoned), TELLS - 1);
        assert!(before.iter().any(|one| one.key == "error-1"), "{before:?}");
    }
}
