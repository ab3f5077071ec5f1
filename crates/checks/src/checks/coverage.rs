//! `coverage`: the share of lines that the tests reach, as a command measures it. It refuses a
//! command whose number it cannot read, and a share that is lower than when it last passed.

use crate::Subject;
use crate::error::Error;
use crate::execute::{Executed, Program, execute};
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::report_files::{self, Folder};
use crate::settings::{Number, Seconds, Text};
use crate::text::label;
use kernel::outcome::{CheckResult, Verdict};
use languages::runners;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Instant;

/// A coverage command shows a share of lines that is high enough and not lower than before.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Coverage {
    /// A line for `sh -c`.
    command: Text,
    /// A name, where a workflow measures several.
    suite: Option<Text>,
    /// The least share; 0.
    min_percent: Option<Number<0, 100>>,
    /// By how much it may sink; 0.
    slack_percent: Option<Number<0, 100>>,
    /// Wall limit; never more than the gate's.
    timeout_seconds: Option<Seconds>,
}

impl Judge for Coverage {
    const NAME: &'static str = "coverage";
    type Answer = Judged<CheckResult>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        let started = Instant::now();
        let cannot = |why: Error| Trouble::cannot(why);
        let folder = Folder::new().map_err(cannot)?;
        let file = folder.file();
        let mut program = Program::shell(
            &self.command,
            self.timeout_seconds.map(Seconds::seconds),
            started,
        );
        program.report = Some(&file);
        let executed = execute(subject, program).map_err(cannot)?;
        let report = report_files::read(&file)
            .map_err(cannot)?
            .unwrap_or_default();
        Ok(measured(self, subject, executed, &report))
    }
}

/// In hundredths of a percent.
fn percent(given: Option<Number<0, 100>>) -> u32 {
    given.map_or(0, |percent| u32::try_from(*percent).unwrap_or(0) * 100)
}

fn measured(
    wanted: &Coverage,
    subject: &Subject<'_>,
    executed: Executed,
    report: &str,
) -> CheckResult {
    let suite = label(wanted.suite.as_deref().unwrap_or("suite"));
    let name = format!("coverage: {suite}");
    let kept_as = format!("coverage of {suite}");
    let (min, slack) = (percent(wanted.min_percent), percent(wanted.slack_percent));
    if let Some((verdict, reason)) = executed.worthless().or_else(|| executed.not_found()) {
        return executed.answer(&name, verdict, &reason);
    }
    let shown = runners::coverage(report).or_else(|| runners::coverage(&executed.text()));
    let earlier = match subject.earlier(&kept_as) {
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
    if share.0 < min {
        let least = runners::Coverage(min);
        return fail(executed, format!("{share} of lines, less than {least}"));
    }
    if let Some(before) = before.filter(|before| share.0 + slack < *before) {
        let before = runners::Coverage(before);
        return fail(executed, format!("{share} of lines, {before} before"));
    }
    // The higher one stays the mark: a slack must not add up.
    let mark = before.map_or(share.0, |before| before.max(share.0));
    match subject.keep.keep(&kept_as, mark.to_string().as_bytes()) {
        Ok(kept) => {
            let mut result = executed.answer(&name, Verdict::Pass, format!("{share} of lines"));
            result.evidence.push(kept);
            result
        }
        Err(why) => executed.answer(&name, Verdict::CouldNotRun, &why),
    }
}
