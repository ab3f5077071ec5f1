//! What shows whether the code works: the suite of a runner that we know, test by test, or else a
//! command that a person set, by its exit code. A command counts as one test of its own name, so that
//! whoever compares two runs need not know which of the two it was.

use super::by_runner::ByRunner;
use super::line::{Line, read};
use crate::Subject;
use crate::error::Error;
use crate::execute::{Executed, Program, execute};
use crate::settings::{Choice, Text, Words};
use crate::text::label;
use kernel::outcome::Verdict;
use languages::runners::{
    Call, Ending, Runner, Status, TestResult, TestRun, call, detect, is_plain_python,
    is_python_test, python_line, script,
};
use std::collections::BTreeSet;
use std::time::Instant;

/// One of them.
pub(crate) enum Instrument {
    /// A runner, and the line for it where it is not the runner's own.
    Suite(OfRunner, String),
    /// A line for `sh -c`.
    Command(String),
    /// A person's line, as it is written, beside the suite that is read in its stead: what it says
    /// beyond that counts as well. It is judged by its exit code, and proves nothing more by it.
    AsWritten(String),
}

/// A runner, with its own line or another.
pub(crate) struct OfRunner {
    pub(crate) runner: Runner,
    pub(crate) command: Option<String>,
    /// Where it is called, below the top.
    pub(crate) folder: Option<String>,
}

/// What becomes of a line that says more than the runner which is called in its stead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsWritten {
    /// It is run as well.
    Too,
    /// And what it starts is held against what that was when the run began.
    Followed,
}

impl Words for AsWritten {
    const WORDS: &'static [(&'static str, Self)] =
        &[("too", Self::Too), ("followed", Self::Followed)];
}

/// What it showed.
pub(crate) struct Shown {
    /// The name for people, and for the evidence.
    pub(crate) name: String,
    pub(crate) executed: Executed,
    pub(crate) run: TestRun,
    pub(crate) ending: Ending,
    /// As in [`super::by_runner::Suite`].
    pub(crate) reached: String,
}

impl Shown {
    /// Was it a command whose tests nobody counts?
    pub(crate) fn is_by_exit_code(&self) -> bool {
        matches!(self.run.tests.as_slice(), [one] if one.name == self.name)
    }

    /// What came of its tests; of a command, how it ended.
    pub(crate) fn summary(&self) -> String {
        match self.executed.ending().filter(|_| self.is_by_exit_code()) {
            Some(ending) => format!("{ending}, and nobody has counted tests"),
            None => self.run.summary(),
        }
    }

    /// What a command printed last that is no suite: no test says what went wrong.
    pub(crate) fn last_output(&self) -> String {
        match self.is_by_exit_code() {
            true => format!("; last output: {}", self.executed.last_line()),
            false => String::new(),
        }
    }
}

impl Instrument {
    /// Those of this repository: the command of a field, else what a person set, else the runner that
    /// is recognised.
    pub(crate) fn all(
        field: Option<&Text>,
        as_written: Option<Choice<AsWritten>>,
        subject: &Subject<'_>,
    ) -> Result<Vec<Self>, Error> {
        let line = field.and_then(|field| subject.fields.get(&**field));
        if let Some(line) = line.map(|line| line.trim()).filter(|line| !line.is_empty()) {
            let suite = OfRunner::by(Runner::Junit, Some(line));
            return Ok(vec![Self::Suite(suite, line.to_owned())]);
        }
        if !subject.commands.is_empty() {
            let each = subject.commands.iter();
            return Ok(each
                .flat_map(|line| Self::of_line(line, as_written, subject))
                .collect());
        }
        let suite = recognised(subject)?;
        let name = suite.command.clone();
        let name = name.unwrap_or_else(|| suite.runner.name().to_owned());
        Ok(vec![Self::Suite(suite, name)])
    }

    /// What stands for a person's line: where it says more than the runner that is read in its stead, and
    /// that is asked for, the line itself as well.
    pub(crate) fn of_line(
        line: &str,
        as_written: Option<Choice<AsWritten>>,
        subject: &Subject<'_>,
    ) -> Vec<Self> {
        let own = || vec![Self::of(line, subject)];
        match as_written.map(|set| *set) {
            None => return own(),
            Some(AsWritten::Too | AsWritten::Followed) => {}
        }
        let of = Line::of(line);
        let Some(runner) = of.runner_of_package(subject) else {
            return own();
        };
        let package = of.package(subject).unwrap_or_default();
        let Some(says) = script(&package, runner) else {
            return own();
        };
        // What it gives the runner is a person's only as long as nobody has changed it since.
        let command = says.command.filter(|_| {
            of.package_before(subject)
                .is_none_or(|before| script(&before, runner) == script(&package, runner))
        });
        let suite = OfRunner::by(runner, command.as_deref()).within(&of);
        let name = match runner {
            Runner::Node => "node --test",
            _ => runner.name(),
        };
        vec![
            Self::Suite(suite, format!("{name}, beside {line}")),
            Self::AsWritten(line.to_owned()),
        ]
    }

    /// What a person's line is: a call of a runner that we know is read test by test.
    pub(crate) fn of(line: &str, subject: &Subject<'_>) -> Self {
        let of = Line::of(line);
        let of_package = of.runner_of_package(subject).map(|runner| Call {
            runner,
            command: None,
        });
        let known = match of.calls_package() {
            true => of_package,
            false => call(of.said),
        };
        match known {
            Some(Call { runner, command }) => {
                let suite = OfRunner::by(runner, command.as_deref()).within(&of);
                Self::Suite(suite, line.to_owned())
            }
            None => Self::Command(line.to_owned()),
        }
    }

    /// What it is called.
    pub(crate) fn named(&self) -> &str {
        match self {
            Self::Suite(_, name) | Self::Command(name) | Self::AsWritten(name) => name,
        }
    }

    /// The runner, where its results are read test by test and we know whose they are.
    pub(crate) fn runner(&self) -> Option<Runner> {
        match self {
            Self::Suite(suite, _) => Some(suite.runner).filter(|runner| *runner != Runner::Junit),
            Self::Command(_) | Self::AsWritten(_) => None,
        }
    }

    /// The same suite, of which only tests are run whose names have one of these in them; none where the
    /// runner cannot be told so.
    pub(crate) fn only(&self, names: &BTreeSet<String>) -> Option<Self> {
        let Self::Suite(suite, line) = self else {
            return None;
        };
        let runner = suite.runner;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let which = match runner {
            Runner::Pytest => format!("-k '{}'", names.join(" or ")),
            Runner::Unittest => format!("-k {}", names.join(" -k ")),
            Runner::Cargo
            | Runner::Vitest
            | Runner::Jest
            | Runner::Node
            | Runner::Go
            | Runner::Junit => return None,
        };
        let command = suite.command.as_deref().or(runner.known().command)?;
        // Somebody chooses already.
        let chooses = command
            .split_whitespace()
            .any(|word| word.starts_with("-k"));
        let command = format!("{command} {which}");
        let part = OfRunner {
            runner,
            command: Some(command),
            folder: suite.folder.clone(),
        };
        (!chooses).then(|| Self::Suite(part, line.clone()))
    }

    /// Is it a line that another one of these reads test by test?
    pub(crate) fn is_as_written(&self) -> bool {
        matches!(self, Self::AsWritten(_))
    }

    /// Runs it where the subject is.
    pub(crate) fn show(&self, subject: &Subject<'_>, started: Instant) -> Result<Shown, Error> {
        let (executed, name, run, reached) = match self {
            Self::Suite(suite, line) => {
                let suite = ByRunner {
                    runner: suite.runner,
                    command: suite.command.as_deref(),
                    folder: suite.folder.as_deref(),
                    junit: None,
                    wall: None,
                    name: "suite",
                };
                let suite = suite.run(subject, started)?;
                (suite.executed, line, suite.run, suite.reached)
            }
            Self::Command(line) | Self::AsWritten(line) => {
                let executed = execute(subject, Program::shell(line, None, started))?;
                let passed = executed.ended.exit == Some(0);
                let test = TestResult {
                    name: label(line),
                    file: None,
                    status: if passed {
                        Status::Passed
                    } else {
                        Status::Failed
                    },
                    // What it printed is told with the command itself.
                    message: None,
                };
                let run = TestRun::of(vec![test], Vec::new());
                (executed, line, run, String::new())
            }
        };
        if let Some((Verdict::CouldNotRun, why)) =
            executed.worthless().or_else(|| executed.not_found())
        {
            return Err(format!("`{}`: {why}", label(name)).into());
        }
        let ending = run.ending(executed.ended.exit);
        Ok(Shown {
            name: label(name),
            executed,
            run,
            ending,
            reached,
        })
    }
}

/// The runner that a repository's files show, unless a person's commands call another one and not it; or else
/// the one that they call, or that its tests in Python are written for, with its line.
pub(crate) fn recognised(subject: &Subject<'_>) -> Result<OfRunner, Error> {
    let lines = subject.commands.iter();
    let called = lines.filter_map(|line| match Instrument::of(line, subject) {
        Instrument::Suite(suite, _) => Some(suite),
        Instrument::Command(_) | Instrument::AsWritten(_) => None,
    });
    let called: Vec<OfRunner> = called.collect();
    let unknown = match detect(&|path| read(subject, path)) {
        Ok(shown) => {
            let other = called.iter().all(|one| one.runner != shown);
            // All of its tests: those that come with the work are among no names that were given before.
            let other = called.into_iter().next().filter(|_| other);
            let all = other.map(|one| OfRunner {
                command: None,
                ..one
            });
            return Ok(all.unwrap_or(OfRunner::by(shown, None)));
        }
        Err(error) => error,
    };
    if let Some(known) = called.into_iter().next() {
        return Ok(known);
    }
    let files = subject.tree()?.files;
    let a_test = |folder: &str| {
        let tests = files.keys().filter(|path| {
            let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
            parent == folder && is_python_test(name)
        });
        tests.min().and_then(|path| read(subject, path))
    };
    let line = python_line(&a_test, &|path| files.contains_key(path));
    let found = line.and_then(|line| call(&line));
    let found = found.map(|call| OfRunner::by(call.runner, call.command.as_deref()));
    let plain = || is_plain_python(&|path| read(subject, path));
    let plain = || plain().then(|| OfRunner::by(Runner::Pytest, None));
    found.or_else(plain).ok_or_else(|| unknown.into())
}

impl OfRunner {
    pub(crate) fn by(runner: Runner, command: Option<&str>) -> Self {
        Self {
            runner,
            command: command.map(str::to_owned),
            folder: None,
        }
    }

    /// The same in the folder of a line.
    fn within(self, line: &Line<'_>) -> Self {
        let folder = line.folder.map(str::to_owned);
        Self { folder, ..self }
    }
}
