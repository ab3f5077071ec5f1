//! The exam of one module: an examiner who sees its contract and what the task asks for writes questions
//! before anybody builds it, the engine asks them before the debate and again before the ship, and nobody
//! who works ever sees one that was not told. What was asked and what became of it is kept under seal; here
//! is only where that lies and how it stands.

use crate::debate::Failure;
use crate::micro_plan::{IoContract, PlanFault};
use kernel::exam::EXAM;
use kernel::outcome::{CheckResult, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How often an examiner writes questions for one module: once, and once more when all that were held back
/// were told.
pub const MOST_EXAMS: u32 = 2;
/// How often one that could not fail is handed back to who wrote it.
const MOST_REFUSALS: u32 = 2;

/// The check that tries an exam before anybody builds.
pub const WRITTEN: &str = "exam_written";
/// The check that asks a proposal before it is debated.
pub const OPEN: &str = "exam_open";
/// How that fails where every case was told.
pub const USED_UP: &str = "exam_used_up";

/// Why a module has no exam where a person's config says so.
pub const OFF: &str = "a person's config has switched exams off (`checks.exam`)";

/// Why a further version that an exception makes has none.
pub const OF_A_CHANGE: &str = "a version that an exception makes has no exam of its own";

/// Does a project examine its modules?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exams {
    /// Each has an exam.
    Asked,
    /// A person's config has switched them off: what is shown is reported.
    Off,
}

/// Where a debate goes once the exam is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// Nobody has built it.
    #[default]
    Build,
    /// It is there, and is asked.
    Sit,
    /// It is there as another project has debated it, and is shipped.
    Ship,
}

/// How the exam of a module stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Examined {
    #[serde(default)]
    pub then: Then,
    /// What the examiner handed in, by its hash under seal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_in: Option<String>,
    /// All cases and what became of each, by their hash under seal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
    /// Exams that were sealed.
    #[serde(default)]
    pub rounds: u32,
    /// How often the present one was handed back.
    #[serde(default)]
    pub refusals: u32,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unasked: Option<String>,
    /// Who ships it although cases do not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<String>,
    /// What the last word came to: `observed: ...` or `reported: ...`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
}

impl Examined {
    /// One that is to be written.
    pub fn begun(then: Then) -> Self {
        Self {
            then,
            ..Self::default()
        }
    }

    /// May what was handed in be handed back?
    pub(super) fn may_mend(&self) -> bool {
        self.refusals < MOST_REFUSALS
    }

    /// May there be new cases?
    pub(super) fn may_renew(&self) -> bool {
        self.rounds < MOST_EXAMS
    }

    /// What an examiner handed in: its hash, or why there is nothing.
    pub(super) fn handed_in(result: &Value) -> Result<String, String> {
        if let Some(hash) = result["sealed"].as_str() {
            return Ok(hash.to_owned());
        }
        let why = result["summary"].as_str().unwrap_or_default().trim();
        Err(match why {
            "" => "the examiner handed in no exam, and did not say why".to_owned(),
            why => format!("the examiner handed in no exam: {why}"),
        })
    }

    /// What gates say of it beside their verdict: where it lies now, and what the last word came to.
    pub fn hear(&mut self, results: &[CheckResult]) {
        for result in results {
            let sealed = result.evidence.iter().rfind(|one| {
                one.sealed && one.name.split(' ').next() == Some(EXAM) && one.name.contains(" of ")
            });
            if let Some(kept) = sealed {
                self.paper = Some(kept.hash.clone());
            }
            let last = super::ship::ShipStep::Exam.row().check;
            if result.check == last && result.verdict == Verdict::Pass {
                self.said.clone_from(&result.reason);
            }
        }
    }

    /// What the engine's checks are given of it.
    pub fn order(&self, contract: Option<&IoContract>) -> Value {
        let errors = contract.map(errors).unwrap_or_default();
        let modes = contract.map(modes).unwrap_or_default();
        let inputs = contract.map(inputs).unwrap_or_default();
        json!({
            "handed_in": self.handed_in, "paper": self.paper, "unasked": self.unasked,
            "waived": self.waived, "errors": errors, "modes": modes, "inputs": inputs, "said": self.said,
        })
    }
}

/// The names of a contract's errors: each is met by a case.
fn errors(contract: &IoContract) -> Vec<String> {
    let surface = crate::contract::from_plan::surface(contract);
    let names = surface.error_surfaces.iter();
    names.map(|error| error.name.clone()).collect()
}

/// The names of a contract's inputs, in the order in which a call has them.
fn inputs(contract: &IoContract) -> Vec<String> {
    let surface = crate::contract::from_plan::surface(contract);
    let names = surface.inputs.iter();
    names.map(|input| input.name.clone()).collect()
}

/// How a contract says that it can be called.
fn modes(contract: &IoContract) -> Vec<&'static str> {
    let surface = crate::contract::from_plan::surface(contract);
    let modes = [
        (surface.modes.sync, "sync"),
        (surface.modes.async_, "async"),
    ];
    let there = modes.into_iter().filter(|(there, _)| *there);
    there.map(|(_, name)| name).collect()
}

/// What did not hold, each with what was told of it.
pub(super) fn failures(results: &[CheckResult]) -> Vec<Failure> {
    let failed = results.iter().filter(|one| one.verdict != Verdict::Pass);
    let each = failed.map(|one| {
        let told = one.details.trim();
        let evidence = match told {
            "" => one.reason.clone(),
            told => format!("{}\n{told}", one.reason),
        };
        Failure::new(
            &one.check,
            evidence,
            "let the module answer what the clause of each case says: those that are told here are asked again, and others with them",
        )
    });
    each.collect()
}

/// What a pass says, clause by clause.
pub(super) fn seen(results: &[CheckResult]) -> Vec<String> {
    let each = results.iter().flat_map(|one| {
        let lines = one.details.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty()).map(str::to_owned);
        std::iter::once(one.reason.clone()).chain(lines)
    });
    each.collect()
}

/// Why a module that a plan reuses is not the one.
pub(super) fn unfit(at: usize, results: &[CheckResult]) -> PlanFault {
    let failed = results.iter().filter(|one| one.verdict != Verdict::Pass);
    let why: Vec<String> = failed
        .map(|one| match one.details.trim() {
            "" => one.reason.clone(),
            told => format!("{}\n{told}", one.reason),
        })
        .collect();
    PlanFault {
        code: Some(crate::micro_plan::Misplan::NotPassed),
        path: format!("modules[{at}].reuse_candidate_refs[0]"),
        message: format!("it does not pass the exam of this task: {}", why.join("; ")),
    }
}

/// What an examiner returns.
pub(super) const RETURNS: &str = "Write an exam of the module: questions that its code will be asked in a room of its own, and what must hold of the answers. Nobody has built it yet, and who builds it never sees what you write. Derive each expected value from the contract and from what the task asks for, and from nothing else. One JSON object: `exam`, with `driver` (write `python`, whatever the module is written in: the engine asks it in its own language) and `cases`, at least 3 and as many as it takes. A case has `id` (such as `C1`), `clause` (the line of the contract or of the task that says so, word for word), `steps` and `holds`. A step is one call: `call` is `module:sync` (`module:async` for a mode of that name) and `with` the inputs, as JSON, in the order of the contract; `{\"$answer\": 0}` is the answer to the first call of the case. What must hold is said of the call `of` (from 0), `at` a JSON pointer into its answer (left out: all of it): `is` one of `equals`, `differs`, `less`, `more`, `contains` (each with a `value`), `close` (with `value` and `within`), `same` and `other` (than the answer to the call `other`), `fails` (with the name of an error surface as `value`).";

/// What no schema can say of one.
pub(super) const RULES: [&str; 4] = [
    "Each error surface is met by a case that claims `fails` with its name.",
    "Ask for at least two different answers, and vary every input: a module that always answers the same, or that ignores an input, must not pass. Cases of several calls that follow each other find more than single ones.",
    "A third of the cases is held back for the last word before the ship; a case that does not hold is told to who builds, with its clause and the module's own answer.",
    "Where JSON cannot say the inputs or the answers, leave `exam` out and say in `summary` why: the module is shipped without one then, and its record says so.",
];

/// A short one, as it is written.
pub(super) fn example() -> Value {
    let mut exam = kernel::exam::example();
    for case in exam["cases"].as_array_mut().into_iter().flatten() {
        for step in case["steps"].as_array_mut().into_iter().flatten() {
            step["call"] = json!("module:sync");
        }
        let claims = case["holds"].as_array_mut().into_iter().flatten();
        for claim in claims.filter(|claim| claim["is"] == "fails") {
            claim["value"] = json!("NoWord");
        }
    }
    json!({"summary": "12 cases, each from a line of the contract", EXAM: exam})
}
