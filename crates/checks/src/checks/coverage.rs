//! `coverage`: the share of lines that the tests reach, as a command measures it. It refuses a
//! command whose number it cannot read, and a share that is lower than when it last passed.

use crate::execute::{Errand, Executed, execute};
use crate::judge::{Judged, Judges, Trouble};
use crate::readers::report_files::{self, Folder};
use crate::readers::runners;
use crate::settings::Settings;
use crate::text::label;
use crate::{Example, Setting, Subject};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::json;
use std::time::{Duration, Instant};

/// The check.
pub(crate) struct Coverage;

pub(crate) struct Wanted<'a> {
    command: &'a str,
    suite: &'a str,
    min: u32,
    slack: u32,
    timeout: Option<Duration>,
}

impl Judges for Coverage {
    const NAME: &'static str = "coverage";
    const ABOUT: &'static str =
        "a coverage command shows a share of lines that is high enough and not lower than before";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("command", "a line for `sh -c`"),
        Setting::optional("suite", "a name, where a workflow measures several"),
        Setting::optional("min_percent", "the least share; 0"),
        Setting::optional("slack_percent", "by how much it may sink; 0"),
        Setting::optional("timeout_seconds", "wall limit; never more than the gate's"),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged<CheckResult>;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        let percent = |key: &str| -> Result<u32, String> {
            let number = settings.number(key, 0, 100)?.unwrap_or(0);
            Ok(u32::try_from(number).unwrap_or(0) * 100)
        };
        Ok(Wanted {
            command: settings.text("command")?.unwrap_or_default(),
            suite: settings.text("suite")?.unwrap_or("suite"),
            min: percent("min_percent")?,
            slack: percent("slack_percent")?,
            timeout: settings.seconds("timeout_seconds", 1)?,
        })
    }

    fn judge(wanted: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged<CheckResult> {
        let started = Instant::now();
        let cannot = Trouble::CouldNotRun;
        let folder = Folder::new().map_err(cannot)?;
        let file = folder.file();
        let mut errand = Errand::shell(wanted.command, wanted.timeout, started);
        errand.report = Some(&file);
        let executed = execute(subject, errand).map_err(cannot)?;
        let report = report_files::read(&file)
            .map_err(cannot)?
            .unwrap_or_default();
        Ok(measured(wanted, subject, executed, &report))
    }

    fn examples() -> Vec<Example> {
        let prints = |line: &str| json!({"command": format!("echo '{line}'")});
        vec![
            Example::passes("coverage.py", prints("TOTAL 20 5 75%"), "75.00 %"),
            Example::passes(
                "a report file",
                json!({"command": "printf 'SF:a\\nLF:4\\nLH:3\\nend_of_record\\n' >\"$PROOFHOUSE_REPORT\"", "min_percent": 75}),
                "75.00 %",
            ),
            Example {
                earlier: &[("coverage of suite", "8000")],
                ..Example::fails(
                    "lower than before",
                    prints("total: (statements) 75.0%"),
                    "75.00 % of lines, 80.00 % before",
                )
            },
            Example {
                earlier: &[("coverage of suite", "8000")],
                ..Example::passes(
                    "within the slack",
                    json!({"command": "echo 'total: (statements) 79.5%'", "slack_percent": 1}),
                    "79.50 %",
                )
            },
            Example::fails(
                "too low",
                json!({"command": "echo TOTAL 20 5 75%", "min_percent": 80}),
                "75.00 % of lines, less than 80.00 %",
            ),
            Example::fails("no number", prints("all covered"), "shows no coverage"),
            Example::fails(
                "a command that fails",
                json!({"command": "echo TOTAL 20 5 75%; exit 1"}),
                "exit code 1",
            ),
            Example::cannot_run(
                "a missing program",
                json!({"command": "no-such-program-of-ours"}),
                "the shell cannot run it",
            ),
        ]
    }
}

fn measured(
    wanted: &Wanted<'_>,
    subject: &Subject<'_>,
    executed: Executed,
    report: &str,
) -> CheckResult {
    let name = format!("coverage: {}", label(wanted.suite));
    let kept_as = format!("coverage of {}", label(wanted.suite));
    if let Some((verdict, reason)) = executed.worthless().or_else(|| executed.not_found()) {
        return executed.answer(&name, verdict, &reason);
    }
    let shown = runners::coverage(report).or_else(|| runners::coverage(&executed.text()));
    let earlier = match subject.keep.earlier(&kept_as) {
        Ok(earlier) => earlier,
        Err(why) => return executed.answer(&name, Verdict::CouldNotRun, &why),
    };
    let before: Option<u32> = earlier
        .last()
        .and_then(|bytes| String::from_utf8_lossy(bytes).parse().ok());
    let fail = |executed: Executed, reason: String| executed.answer(&name, Verdict::Fail, &reason);
    let last = executed.last_line();
    if executed.ended.exit != Some(0) {
        let ending = executed.ending().unwrap_or_default();
        return fail(executed, format!("{ending}, not 0; last output: {last}"));
    }
    let Some(share) = shown else {
        return fail(
            executed,
            format!("the output shows no coverage; last output: {last}"),
        );
    };
    if share.0 < wanted.min {
        let least = runners::Coverage(wanted.min);
        return fail(executed, format!("{share} of lines, less than {least}"));
    }
    if let Some(before) = before.filter(|before| share.0 + wanted.slack < *before) {
        let before = runners::Coverage(before);
        return fail(executed, format!("{share} of lines, {before} before"));
    }
    // The higher one stays the mark: a slack must not add up.
    let mark = before.map_or(share.0, |before| before.max(share.0));
    match subject.keep.keep(&kept_as, mark.to_string().as_bytes()) {
        Ok(kept) => {
            let mut result = executed.answer(&name, Verdict::Pass, &format!("{share} of lines"));
            result.evidence.push(kept);
            result
        }
        Err(why) => executed.answer(&name, Verdict::CouldNotRun, &why),
    }
}
