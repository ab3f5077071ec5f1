//! JUnit's XML: every check of every run as a test, by the latest gate of each state, every case of an exam that
//! is over, and the audit of the run as one more.

use super::Audited;
use crate::finding::RunAudit;
use kernel::Machine;
use kernel::machine::Activity;
use quick_xml::Writer;
use quick_xml::events::BytesText;
use report::gate::{Answer, Check, Gate, latest};
use report::history::history;
use report::look::peek_run;
use report::told_case::{ToldCase, sat_cases};
use std::fmt::Write as _;
use std::io;
use workspace::project::Project;

/// The whole report. A run whose journal cannot be read has its audit alone.
pub fn junit(project: &Project, audited: &Audited<'_>) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let runs: Vec<(&RunAudit, Shown)> = audited
        .runs
        .iter()
        .map(|audit| (audit, shown(project, &audit.run)))
        .collect();
    let written = writer
        .create_element("testsuites")
        .with_attribute(("name", "Proofhouse"))
        .write_inner_content(|writer| {
            for (audit, shown) in &runs {
                suite(writer, audit, shown)?;
            }
            if let Some(coverage) = audited.coverage {
                let count = coverage.covered.len() + coverage.uncovered.len();
                let failed = coverage.uncovered.iter().filter(|one| one.required).count();
                open(writer, "covers", [count, failed, 0], &|writer| {
                    for one in &coverage.covered {
                        case(writer, "covers", &one.path, 0, None)?;
                    }
                    for one in &coverage.uncovered {
                        let word = if one.required { "failure" } else { "skipped" };
                        case(writer, "covers", &one.path, 0, Some((word, &one.why)))?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        });
    written.expect("a list of bytes takes whatever is written");
    let text = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}\n")
}

/// What there is of a run beside its audit.
#[derive(Default)]
struct Shown {
    gates: Vec<Gate>,
    /// Is it done? What failed in a run that is not has let nothing pass.
    done: bool,
    /// The cases that its product was asked last.
    cases: Vec<(String, Option<ToldCase>)>,
}

fn shown(project: &Project, run: &str) -> Shown {
    let (Ok(peek), Ok(history)) = (peek_run(project, run), history(project, run)) else {
        return Shown::default();
    };
    let workflow = peek.machine.workflow();
    let mut gates = history.gates(workflow.noted_check());
    gates.reverse();
    // Where the exam is written, it is the code before that is asked.
    let sat = |gate: &&&Gate| {
        let mut states = workflow.states.keys();
        !states.any(|state| state.as_str() == gate.state && workflow.is_sealed_in(state))
    };
    let cases = latest(&gates)
        .iter()
        .filter(sat)
        .flat_map(|gate| &gate.checks)
        .map(|check| sat_cases(project, check))
        .find(|cases| !cases.is_empty());
    Shown {
        done: peek.machine.status().activity == Activity::Done,
        cases: cases.unwrap_or_default(),
        gates,
    }
}

fn suite(writer: &mut Writer<Vec<u8>>, audit: &RunAudit, shown: &Shown) -> io::Result<()> {
    let latest = latest(&shown.gates);
    let wrong = shown
        .cases
        .iter()
        .filter(|(_, failed)| shown.done && failed.is_some());
    let checks: Vec<(&Gate, &Check)> = latest
        .iter()
        .flat_map(|gate| gate.checks.iter().map(move |check| (*gate, check)))
        .collect();
    let many = |answer: Answer| {
        let of = checks
            .iter()
            .filter(|(_, check)| verdict(check, shown.done) == answer);
        of.count()
    };
    let counts = [
        checks.len() + shown.cases.len() + audit.findings.len().max(1),
        many(Answer::Failed) + wrong.count() + audit.findings.len(),
        many(Answer::CouldNotRun),
    ];
    open(writer, &audit.run, counts, &|writer| {
        for (nth, (gate, check)) in checks.iter().enumerate() {
            let class = format!("{}.{}", audit.run, gate.state);
            // Build servers take two of one name for one.
            let like =
                |(of, one): &&(&Gate, &Check)| of.state == gate.state && one.check == check.check;
            let name = match checks[..nth].iter().filter(like).count() {
                0 => check.check.clone(),
                earlier => format!("{} ({})", check.check, earlier + 1),
            };
            let problem = match verdict(check, shown.done) {
                Answer::Passed => None,
                Answer::Failed => Some("failure"),
                Answer::CouldNotRun => Some("error"),
                Answer::Noted => Some("skipped"),
            };
            let problem = problem.map(|word| (word, check.reason.as_str()));
            case(writer, &class, &name, check.millis, problem)?;
        }
        let class = format!("{}.exam.cases", audit.run);
        for (name, failed) in &shown.cases {
            let told = failed.as_ref().map(|case| {
                let lines: Vec<String> = std::iter::once(case.clause.clone())
                    .chain(case.lines())
                    .collect();
                lines.join("\n")
            });
            let word = if shown.done { "failure" } else { "skipped" };
            let problem = told.as_deref().map(|told| (word, told));
            case(writer, &class, name, 0, problem)?;
        }
        let class = format!("{}.audit", audit.run);
        if audit.findings.is_empty() {
            case(writer, &class, "clean", 0, None)?;
        }
        for one in &audit.findings {
            let what = format!("{}:{}: {}", audit.file, one.line.max(1), one.what);
            case(writer, &class, &one.code, 0, Some(("failure", &what)))?;
        }
        Ok(())
    })
}

/// What it says of the work: what is not reached yet has failed nobody, and what failed in a run that is not done
/// is why it is not.
fn verdict(check: &Check, done: bool) -> Answer {
    match check.answer {
        Answer::Passed => Answer::Passed,
        _ if check.not_yet || !done => Answer::Noted,
        answer => answer,
    }
}

type Inner<'a> = &'a dyn Fn(&mut Writer<Vec<u8>>) -> io::Result<()>;

fn open(
    writer: &mut Writer<Vec<u8>>,
    name: &str,
    [tests, failures, errors]: [usize; 3],
    inner: Inner<'_>,
) -> io::Result<()> {
    let [tests, failures, errors] = [tests, failures, errors].map(|many| many.to_string());
    writer
        .create_element("testsuite")
        .with_attributes([
            ("name", plain(name).as_str()),
            ("tests", tests.as_str()),
            ("failures", failures.as_str()),
            ("errors", errors.as_str()),
        ])
        .write_inner_content(|writer| inner(writer))?;
    Ok(())
}

fn case(
    writer: &mut Writer<Vec<u8>>,
    class: &str,
    name: &str,
    millis: u64,
    problem: Option<(&str, &str)>,
) -> io::Result<()> {
    let mut time = String::new();
    // A text takes whatever is written.
    let _ = write!(time, "{}.{:03}", millis / 1000, millis % 1000);
    let (class, name) = (plain(class), plain(name));
    let element = writer.create_element("testcase").with_attributes([
        ("classname", class.as_str()),
        ("name", name.as_str()),
        ("time", time.as_str()),
    ]);
    let Some((word, what)) = problem else {
        element.write_empty()?;
        return Ok(());
    };
    let what = plain(what);
    let first = what.lines().next().unwrap_or_default();
    element.write_inner_content(|writer| {
        let inner = writer
            .create_element(word)
            .with_attribute(("message", first));
        inner.write_text_content(BytesText::new(&what))?;
        Ok(())
    })?;
    Ok(())
}

/// XML has no word for most controls.
fn plain(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}
