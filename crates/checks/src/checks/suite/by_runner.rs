//! The suite of a runner that we know: it is run, and read test by test.

use crate::Subject;
use crate::error::Error;
use crate::execute::{Executed, Program, execute};
use crate::readers::report_files::{self, Folder};
use crate::text::label;
use languages::runners::{DRIVER, Results, Runner, TestRun, merge};
use std::time::{Duration, Instant};

/// A suite to be run.
pub(crate) struct ByRunner<'a> {
    pub(crate) runner: Runner,
    /// A line for `sh -c`, instead of the runner's own.
    pub(crate) command: Option<&'a str>,
    /// Where it is called, below the top.
    pub(crate) folder: Option<&'a str>,
    /// File or folder of the repository with JUnit XML that the line writes.
    pub(crate) junit: Option<&'a str>,
    /// Wall limit; none but the gate's.
    pub(crate) wall: Option<Duration>,
    /// What people call it.
    pub(crate) name: &'a str,
}

/// A suite that was run.
pub(crate) struct Suite {
    pub(crate) executed: Executed,
    /// For people.
    pub(crate) name: String,
    pub(crate) run: TestRun,
    /// What marked code says about being reached; empty where nothing was marked.
    pub(crate) reached: String,
}

impl ByRunner<'_> {
    /// Runs the suite and reads its results. An error is a reason why it could not be run.
    pub(crate) fn run(&self, subject: &Subject<'_>, started: Instant) -> Result<Suite, Error> {
        let known = self.runner.known();
        let command = self.command.or(known.command);
        let command = command.ok_or("this runner needs a `command`")?;
        let folder = Folder::new()?;
        let own = folder.file();
        if let Some(driver) = known.driver {
            folder.lay(DRIVER, driver)?;
        }
        let below = self
            .folder
            .map(|folder| format!("cd {folder} && {{ {command}; }}"));
        let command = below.as_deref().unwrap_or(command);
        let mut program = Program::shell(command, self.wall, started);
        program.report = Some(&own);
        program.leaves = self.junit;
        let executed = execute(subject, program)?;
        let report = |path| match report_files::read(path) {
            Ok(Some(text)) => self.runner.read(&text),
            Ok(None) => unwritten(),
            Err(why) => TestRun::unreadable(why.to_string()),
        };
        let run = match (known.results, self.junit) {
            (Results::Output, _) if executed.ended.truncated => TestRun::unreadable(
                "the output is too long to be read whole; use a runner with a report",
            ),
            (Results::Output, _) => self.runner.read(&executed.text()),
            (Results::Report, None) => report(&own),
            (Results::Report, Some(_)) if executed.reports.is_empty() => unwritten(),
            (Results::Report, Some(_)) => {
                let each = executed.reports.iter();
                merge(each.map(|path| report(path)).collect())
            }
        };
        let run = run.explained_by(&executed.text());
        let name = format!("tests: {} ({})", label(self.name), self.runner.name());
        let reached = report_files::read(&own.with_extension("reached"));
        Ok(Suite {
            executed,
            name,
            run,
            reached: reached.ok().flatten().unwrap_or_default(),
        })
    }
}

fn unwritten() -> TestRun {
    TestRun::unreadable("the runner ended without writing its report")
}
