//! The tests of a module, run by the ship and by nobody else (rules F5.4, F11.3 and F12.4), against
//! what was debated; then the minimum of coverage by name, and the floor of `examples.md`. One
//! failure is enough to block, and what was not run has failed. What was tested is put on record, so
//! that no later step can be about something else.

use super::found::{Broke, Held, could_not};
use super::modules::{EXAMPLES, LOG, SHIP, Seal, Stored};
use super::suite::{self, Expect, REACHED_OUT};
use super::surface;
use ::factory::contract::{MicroModuleContract, coverage, examples};
use ::factory::ship::{ExecutionLog, Outcome, Summary, TestResult};
use kernel::Word;
use kernel::effect::GateOrder;
use kernel::outcome::{CheckResult, Verdict};
use languages::runners::{Status, TestRun};
use sandbox::Cancel;
use workspace::context::Context;

/// The most tests and files that are told by name.
const MOST_NAMES: usize = 80;

/// Runs them, and writes down what was tested: `debated`, and nothing else.
pub(super) fn run(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    debated: &Seal,
    cancel: &Cancel,
) -> Result<Held, Broke> {
    if module.has(SHIP) {
        return Err(format!("{} is shipped already", module.reference).into());
    }
    let contract = module.contract()?;
    let laid = surface::lay_out(context, order, module)?;
    laid.is_of(debated)?;
    let code = surface::extract(context, order, module, &laid, cancel)?;
    let began = workspace::clock::now();
    let (result, run) = suite::run(context, order, &laid, &code.runner, Expect::Green, cancel)?;
    if result.verdict == Verdict::CouldNotRun {
        let reason = result.reason.clone();
        return Err(Broke::by(&result, Verdict::CouldNotRun, reason));
    }
    let log = log(&contract, &run, began.to_string());
    let mut wrong = Vec::new();
    if result.verdict != Verdict::Pass {
        wrong.push(told(&result));
    } else if log.blocks_ship() {
        let names = log.tests.iter().filter(|one| one.result == Outcome::Fail);
        let names: Vec<&str> = names.map(|one| one.name.as_str()).collect();
        wrong.push(format!(
            "skipped, ignored or expected to fail, which is no pass: {}",
            names.join(", ")
        ));
    }
    if contract.surface().effects.is_empty() && result.shows.contains(&Word::from(REACHED_OUT)) {
        let reached = result.ran.iter().flat_map(|ran| &ran.denied);
        let reached: Vec<&str> = reached.map(String::as_str).collect();
        wrong.push(format!(
            "it declares no effects, and tried to reach {} while its tests ran",
            reached.join(", ")
        ));
    }
    // A test that fails is there: what is missing is told with it, not one round later.
    let there = log.tests.iter();
    let there = there.filter(|one| !wrong.is_empty() || one.result == Outcome::Pass);
    if !log.tests.is_empty() {
        let there: Vec<&str> = there.map(|one| one.name.as_str()).collect();
        let missing = coverage::missing(contract.surface(), there);
        wrong.extend(missing.iter().map(coverage::Requirement::failure));
    }
    let text = String::from_utf8_lossy(&module.read(EXAMPLES)?).into_owned();
    let entries = surface::shown(contract.surface(), &code.surface);
    let report = examples::judge(&text, contract.surface(), &entries);
    wrong.extend(
        report
            .errors
            .iter()
            .map(|found| format!("{EXAMPLES}: {}", found.message)),
    );
    // Also of a suite that failed: it is the evidence of the halt that may follow (rule F11.3).
    if log.tests.is_empty() {
        // That of an earlier round says nothing about this one.
        let _ = std::fs::remove_file(module.folder.join(LOG));
    } else {
        module.write(LOG, &log).map_err(could_not)?;
        if log.summary.failed > 0 {
            wrong.push(format!("the whole log is {}", module.path_of(LOG)));
        }
    }
    if !wrong.is_empty() {
        return Err(Broke::by(&result, Verdict::Fail, wrong.join("; ")));
    }
    let (arch, system) = (std::env::consts::ARCH, std::env::consts::OS);
    module.mark_tested(debated, &format!("{} on {arch}-{system}", code.runner))?;
    Ok(Held {
        reason: format!(
            "{} tests passed; every constraint, invariant and error has one: {}; the files are {}",
            log.summary.total,
            listed(log.tests.iter().map(|one| one.name.as_str())),
            listed(
                debated
                    .files
                    .keys()
                    .map(String::as_str)
                    .filter(|name| *name != LOG)
            )
        ),
        evidence: result.evidence,
        ran: result.ran.map(Box::new),
    })
}

/// The most of a runner's own words that is passed on.
const MOST_WORDS: usize = 4_000;

/// Why the suite failed, in the compiler's and the tests' own words.
fn told(result: &CheckResult) -> String {
    let mut words = result.details.as_str();
    if let Some((at, _)) = words.char_indices().nth(MOST_WORDS) {
        words = &words[..at];
    }
    match words.trim() {
        "" => result.reason.clone(),
        words => format!("{}\n{words}\n", result.reason),
    }
}

/// Names in a row, as many as help.
fn listed<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = all.collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// The log of rule F11.3. It has two results: what was skipped did not pass.
fn log(contract: &MicroModuleContract, run: &TestRun, executed_at: String) -> ExecutionLog {
    let tests: Vec<TestResult> = run
        .tests
        .iter()
        .map(|test| TestResult {
            name: test.name.clone(),
            result: match test.status {
                Status::Passed => Outcome::Pass,
                Status::Failed | Status::Skipped => Outcome::Fail,
            },
            duration_ms: None,
        })
        .collect();
    let passed = run.count(Status::Passed) as u64;
    let total = tests.len() as u64;
    ExecutionLog {
        module_id: contract.module_id.clone(),
        module_version: contract.module_version,
        executed_at,
        tests,
        summary: Summary {
            total,
            passed,
            failed: total - passed,
        },
    }
}
