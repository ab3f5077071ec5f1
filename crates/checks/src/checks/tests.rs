//! `tests`: runs a suite and judges it test by test. It refuses an exit code instead of names, a
//! suite that ran nothing or not to its end, and a suite that has become smaller than it was.

mod examples;
pub(crate) mod verdict;

use crate::execute::{Errand, Executed, execute};
use crate::judge::{Judged, Judges, Trouble};
use crate::readers::idents::Pattern;
use crate::readers::paths;
use crate::readers::report_files::{self, Folder};
use crate::readers::runners::{Results, Runner, TestRun, detect, merge};
use crate::settings::Settings;
use crate::text::label;
use crate::{Example, Setting, Subject};
use kernel::outcome::CheckResult;
use std::time::{Duration, Instant};

/// The check.
pub(crate) struct Tests;

/// What must hold between a suite and what it was.
const RATCHETS: [&str; 3] = ["count", "names", "skips"];

/// The settings, read.
pub(crate) struct Order<'a> {
    runner: Option<Runner>,
    command: Option<&'a str>,
    command_from: Option<&'a str>,
    junit: Option<&'a str>,
    suite: &'a str,
    expect: Expect,
    min: usize,
    max_skipped: Option<usize>,
    ids: Option<Ids<'a>>,
    keeps: Vec<&'a str>,
    timeout: Option<Duration>,
}

/// Ids of which each needs a test.
pub(crate) struct Ids<'a> {
    pattern: Pattern,
    file: &'a str,
    section: Option<&'a str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    Green,
    Red,
    RedOrMissingSymbol,
}

impl Judges for Tests {
    const NAME: &'static str = "tests";
    const ABOUT: &'static str =
        "the test suite runs to its end, with named results, and is green (or red, if asked for)";
    const SETTINGS: &'static [Setting] = &[
        Setting::optional("runner", "`auto`, or the runner's name; auto"),
        Setting::optional("command", "a line for `sh -c`, instead of the runner's own"),
        Setting::optional(
            "command_from",
            "a field with such a line that writes JUnit XML; empty: the runner's own",
        ),
        Setting::optional("junit", "file or folder of the repository with JUnit XML"),
        Setting::optional("suite", "a name, where a workflow runs several suites"),
        Setting::optional("expect", "`green`, `red` or `red_or_missing_symbol`; green"),
        Setting::optional("min", "how many tests must run at least; 1"),
        Setting::optional("max_skipped", "how many tests may be skipped at most"),
        Setting::optional("ids", "expression for ids of which each needs a test"),
        Setting::optional(
            "ids_from",
            "the file with the ids; `task/...` or `repo/...`",
        ),
        Setting::optional("ids_section", "the heading over the ids; the whole file"),
        Setting::optional(
            "keeps",
            "list of `count`, `names`, `skips`: as before or better",
        ),
        Setting::optional("timeout_seconds", "wall limit; never more than the gate's"),
    ];
    type Wanted<'a> = Order<'a>;
    type Answer = Judged<CheckResult>;

    fn read<'a>(settings: &Settings<'a>) -> Result<Order<'a>, String> {
        let runner = match settings.text("runner")? {
            None | Some("auto") => None,
            Some(name) => match Runner::named(name) {
                Some(runner) => Some(runner),
                None => {
                    let must =
                        "`auto`, `cargo`, `pytest`, `vitest`, `jest`, `node`, `go` or `junit`";
                    return settings.refuse("runner", must);
                }
            },
        };
        let command = settings.text("command")?;
        let junit = settings.text("junit")?;
        if let Some(path) = junit {
            paths::lint(path)?;
        }
        if command.is_none() && (junit.is_some() || runner == Some(Runner::Junit)) {
            return Err("`tests`: `junit` needs a `command` that writes the report".into());
        }
        if junit.is_some() && !matches!(runner, None | Some(Runner::Junit)) {
            return Err("`tests`: `junit` is for `runner = \"junit\"` only".into());
        }
        let expect = match settings.text("expect")? {
            None | Some("green") => Expect::Green,
            Some("red") => Expect::Red,
            Some("red_or_missing_symbol") => Expect::RedOrMissingSymbol,
            Some(_) => {
                return settings.refuse("expect", "`green`, `red` or `red_or_missing_symbol`");
            }
        };
        let section = settings.text("ids_section")?;
        let ids = match (settings.text("ids")?, settings.text("ids_from")?) {
            (None, None) if section.is_none() => None,
            (Some(pattern), Some(file)) => {
                paths::lint_placed(file)?;
                Some(Ids {
                    pattern: Pattern::new(pattern)?,
                    file,
                    section,
                })
            }
            _ => return Err("`tests`: `ids` and `ids_from` go together".into()),
        };
        let keeps = settings.list("keeps")?.unwrap_or_default();
        if keeps.iter().any(|kept| !RATCHETS.contains(kept)) {
            return settings.refuse("keeps", "a list of `count`, `names` and `skips`");
        }
        let count = |key: &str, low: i64| -> Result<Option<usize>, String> {
            let number = settings.number(key, low, 1_000_000)?;
            Ok(number.and_then(|number| usize::try_from(number).ok()))
        };
        Ok(Order {
            runner: runner.or(junit.map(|_| Runner::Junit)),
            command,
            command_from: settings.text("command_from")?,
            junit,
            suite: settings.text("suite")?.unwrap_or("suite"),
            expect,
            min: count("min", 1)?.unwrap_or(1),
            max_skipped: count("max_skipped", 0)?,
            ids,
            keeps,
            timeout: settings.seconds("timeout_seconds", 1)?,
        })
    }

    fn judge(order: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged<CheckResult> {
        let started = Instant::now();
        let suite = suite(order, subject, started);
        let (executed, name, run) = suite.map_err(Trouble::CouldNotRun)?;
        Ok(verdict::answer_for(order, subject, executed, &name, run))
    }

    fn examples() -> Vec<Example> {
        examples::examples()
    }
}

/// Runs the suite and reads its results. An error is a reason why it could not be run.
pub(crate) fn suite(
    order: &Order<'_>,
    subject: &Subject<'_>,
    started: Instant,
) -> Result<(Executed, String, TestRun), String> {
    let from_field = order.command_from.and_then(|field| {
        let line = subject.fields.get(field)?.trim();
        (!line.is_empty()).then_some(line)
    });
    let repo = subject.place.repo;
    let root_file = |path: &str| paths::read(subject.place, &format!("repo/{path}")).ok();
    let runner = match order.runner {
        Some(runner) => runner,
        None if from_field.is_some() => Runner::Junit,
        None => detect(&root_file)?,
    };
    let command = from_field.or(order.command).or(runner.known().command);
    let command = command.ok_or("this runner needs a `command`")?;
    let folder = Folder::new()?;
    let own = folder.file();
    let before = order
        .junit
        .map(|path| report_files::at(repo, path))
        .transpose()?;
    let mut errand = Errand::shell(command, order.timeout, started);
    errand.report = Some(&own);
    let executed = execute(subject, errand)?;
    let unwritten = || TestRun::unreadable("the runner ended without writing its report");
    let run = match (runner.known().results, order.junit) {
        (Results::Output, _) if executed.ended.truncated => TestRun::unreadable(
            "the output is too long to be read whole; use a runner with a report",
        ),
        (Results::Output, _) => runner.read(&executed.text()),
        (Results::Report, None) => match report_files::read(&own) {
            Ok(Some(text)) => runner.read(&text),
            Ok(None) => unwritten(),
            Err(why) => TestRun::unreadable(why),
        },
        (Results::Report, Some(path)) => {
            let after = report_files::at(repo, path)?;
            let mut runs = Vec::new();
            for path in report_files::written(&before.unwrap_or_default(), &after) {
                runs.push(match report_files::read(path) {
                    Ok(Some(text)) => runner.read(&text),
                    Ok(None) => unwritten(),
                    Err(why) => TestRun::unreadable(why),
                });
            }
            if runs.is_empty() {
                unwritten()
            } else {
                merge(runs)
            }
        }
    };
    let run = run.explained_by(&executed.text());
    let name = format!("tests: {} ({})", label(order.suite), runner.name());
    Ok((executed, name, run))
}
