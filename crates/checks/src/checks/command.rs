//! `command`: runs a command and judges its exit code, not its word. A command that changes the
//! tree which it judges does not pass.

use crate::Subject;
use crate::checks::controls::{BROKEN, Controls, whole};
use crate::checks::suite::{
    self,
    instrument::{AsWritten, Instrument, Shown},
    line::{script_before, started_before},
};
use crate::checks::tests::verdict;
use crate::execute::{Executed, FoundBy, MEND_COMMAND, Program, execute};
use crate::judge::{Judge, Judged, Trouble};
use crate::settings::{Choice, Number, Seconds, SettingsError, Text, Texts, Words};
use crate::text::{answer, first_few, label, one_line, reword, several_lines};
use documents::is_placeholder;
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict, Worth};
use languages::runners::{Ending, Status, as_before};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Instant;

pub(super) const NO_COMMAND: &str = "no validation command is set; give `--check CMD` at `proofhouse new`, or `[checks] commands` in .proofhouse/config.toml";

/// A command ends with the expected exit code and leaves the tree as it was.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Command {
    /// Program and arguments, as a list.
    argv: Option<Texts>,
    /// A line for `sh -c`.
    shell: Option<Text>,
    /// `commands`: all that a human set for this run.
    from: Option<Choice<Commands>>,
    /// A field: each command in backticks, or else its whole text. With `from`, both, each once.
    field: Option<Text>,
    /// `pass`: where no command is set, others prove it.
    if_none: Option<Choice<Pass>>,
    /// Wall limit; never more than the gate's.
    timeout_seconds: Option<Seconds>,
    /// The exit code that passes; 0.
    expect_exit: Option<Number<0, 255>>,
    /// Text that the output must contain, too.
    expect_output: Option<Text>,
    /// `on`: a line that calls a test runner is read test by test, and the suite must show that it could
    /// have failed; `mutated`: as in `tests`; off.
    controls: Option<Choice<Controls>>,
    /// As in `suite`, with `controls`.
    as_written: Option<Choice<AsWritten>>,
    /// A field with what is asked for: a program that it names may be another one than before.
    asked_in: Option<Text>,
    /// `weak`: a suite in which nothing fails but what failed when the run began, and something passes that
    /// did not, is no failure, and shows less than a green one.
    red_before: Option<Choice<Weakly>>,
    /// A state in which the field is mended: shown as `next-STATE` where what its line is to start is not
    /// there, which no edit of the work mends.
    unstartable: Option<Text>,
}

/// What was red before passes, and is called weak.
#[derive(Clone, Copy)]
struct Weakly;

impl Words for Weakly {
    const WORDS: &'static [(&'static str, Self)] = &[("weak", Self)];
}

/// The commands that a human set.
#[derive(Clone, Copy)]
struct Commands;

impl Words for Commands {
    const WORDS: &'static [(&'static str, Self)] = &[("commands", Self)];
}

/// Where there is no command, that will do.
#[derive(Clone, Copy)]
struct Pass;

impl Words for Pass {
    const WORDS: &'static [(&'static str, Self)] = &[("pass", Self)];
}

impl Judge for Command {
    const NAME: &'static str = "command";
    type Answer = Judged<Vec<CheckResult>>;

    fn lint(&self) -> Result<(), SettingsError> {
        let given = [
            self.argv.is_some(),
            self.shell.is_some(),
            self.from.is_some() || self.field.is_some(),
        ];
        match given.into_iter().filter(|given| *given).count() {
            1 if Controls::asked(self.controls)
                && (self.expect_exit.is_some() || self.expect_output.is_some()) =>
            {
                Self::refuse("takes `controls` with neither `expect_exit` nor `expect_output`")
            }
            1 => Ok(()),
            _ => {
                Self::refuse("needs exactly one of `argv`, `shell`, and `from` or `field` or both")
            }
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let timeout = self.timeout_seconds.map(Seconds::seconds);
        if let Some(words) = &self.argv {
            let program = Program {
                argv: words.to_vec(),
                shown: &words.join(" "),
                found_by: FoundBy::Path,
                timeout,
                started,
                report: None,
                leaves: None,
            };
            return Ok(vec![self.one(subject, program)]);
        }
        let mut lines: Vec<&str> = self.shell.as_deref().into_iter().collect();
        if self.from.is_some() {
            lines.extend(subject.commands.iter().map(String::as_str));
        }
        let unset = self.from.is_some() && lines.is_empty();
        if unset && self.if_none.is_none() {
            return Err(Trouble::CouldNotRun(NO_COMMAND.to_owned()));
        }
        if let Some(field) = self.field.as_deref() {
            let own = of_field(field, subject)?;
            // One command runs once, whoever chose it.
            let own: Vec<&str> = own.into_iter().filter(|one| !lines.contains(one)).collect();
            lines.splice(0..0, own);
        }
        if lines.is_empty() {
            let reason = "no command is set, and none is needed";
            return Ok(vec![answer(Self::NAME, Verdict::Pass, reason)]);
        }
        let mut results = Vec::new();
        for line in lines {
            let mut of_line = match Controls::asked(self.controls) {
                true => self.held(subject, line, started),
                false => vec![self.one(subject, Program::shell(line, timeout, started))],
            };
            self.forgive(subject, line, (&mut of_line, started));
            self.send_back(subject, line, &mut of_line);
            results.append(&mut of_line);
        }
        Ok(results)
    }
}

/// What the run of a suite means.
fn judged(shown: &Shown) -> (Verdict, String) {
    if let Some(worthless) = shown.executed.worthless() {
        return worthless;
    }
    let summary = shown.run.summary();
    if shown.ending == Ending::Green {
        return (
            Verdict::Pass,
            format!("{summary}{}", shown.executed.notes()),
        );
    }
    let failed = shown.run.with(Status::Failed).map(|test| &test.name);
    let faults = shown.run.faults.iter().map(|fault| &fault.what);
    let what: Vec<&String> = failed.chain(faults).collect();
    let ending = shown.executed.ending().unwrap_or_default();
    let how = shown.ending.as_str();
    let reason = format!("{how} ({ending}): {summary}: {}", first_few(&what, 5));
    (Verdict::Fail, reason)
}

/// The commands that a field names.
pub(super) fn of_field<'a>(name: &str, subject: &Subject<'a>) -> Judged<Vec<&'a str>> {
    let text = subject.fields.get(name).map_or("", |text| text.trim());
    if is_placeholder(text) {
        let why = format!("the field `{name}` names no command");
        return Err(Trouble::CouldNotRun(why));
    }
    match kernel::pattern::quoted(text) {
        quoted if quoted.is_empty() => Ok(vec![text]),
        quoted => Ok(quoted),
    }
}

impl Command {
    /// No edit of the work makes a program that is not there. What a person set is theirs to mend.
    fn send_back(&self, subject: &Subject<'_>, line: &str, results: &mut [CheckResult]) {
        let own = !subject.commands.iter().any(|set| set == line);
        let Some(state) = self.unstartable.as_deref().filter(|_| own) else {
            return;
        };
        let missing = |one: &&mut CheckResult| {
            one.verdict == Verdict::CouldNotRun && one.reason.contains(MEND_COMMAND)
        };
        for result in results.iter_mut().filter(missing) {
            result.shows.insert(Word::new(format!("next-{state}")));
        }
    }

    /// Nobody is blamed for tests that failed when the run began. Only a line that is a test runner's and
    /// nothing else can be told so.
    fn forgive(
        &self,
        subject: &Subject<'_>,
        line: &str,
        (results, started): (&mut Vec<CheckResult>, Instant),
    ) {
        let plain = |one: &CheckResult| one.verdict == Verdict::Fail && one.code.is_none();
        if self.red_before.is_none() || !results.iter().any(plain) {
            return;
        }
        let all = Instrument::of_line(line, self.as_written, subject);
        let [suite @ Instrument::Suite(..)] = all.as_slice() else {
            return;
        };
        let Ok(shown) = suite.show(subject, started) else {
            return;
        };
        let before = whole::run_before(subject, suite).unwrap_or_default();
        let red = shown.ending == Ending::Red && shown.executed.worthless().is_none();
        let Some(found) = as_before(&before, &shown.run, Ending::Red).filter(|_| red) else {
            return;
        };
        // What is red may be the very thing that was asked for: something else has to show the work.
        let green: BTreeSet<&str> = before
            .with(Status::Passed)
            .map(|one| one.name.as_str())
            .collect();
        let mut passed = shown.run.with(Status::Passed);
        if !passed.any(|one| !green.contains(one.name.as_str())) {
            return;
        }
        for result in results.iter_mut().filter(|one| plain(one)) {
            result.verdict = Verdict::Pass;
            result.shows.insert(Word::from(Worth::Weak.as_str()));
            reword(result, format_args!("weak: {}", suite::as_before(&found)));
        }
    }

    /// Runs one line with everything that stands for it: both the suite that is read in its stead and,
    /// where it says more, the line as it is written.
    fn held(&self, subject: &Subject<'_>, line: &str, started: Instant) -> Vec<CheckResult> {
        let timeout = self.timeout_seconds.map(Seconds::seconds);
        let all = Instrument::of_line(line, self.as_written, subject);
        let changed = self.as_written.and_then(|_| script_before(line, subject));
        let changed = changed.map(|before| {
            let name = format!("command: {}: its script", label(line));
            let why = format!(
                "it is another one than when the run began: {}",
                one_line(&before, 200)
            );
            whole::weak(&name, &why)
        });
        let follows = self.as_written.filter(|set| **set == AsWritten::Followed);
        let asked = self.asked_in.as_deref();
        let asked = asked.and_then(|field| subject.fields.get(field));
        let asked = asked.map_or("", String::as_str);
        let bent = follows.map_or_else(Vec::new, |_| started_before(line, asked, subject));
        let bent = (!bent.is_empty()).then(|| {
            let name = format!("command: {}: what it starts", label(line));
            let which = first_few(&bent, 5);
            whole::weak(
                &name,
                &format!("not the same as when the run began: {which}"),
            )
        });
        let each = all.iter().flat_map(|instrument| match instrument {
            Instrument::AsWritten(line) => {
                vec![self.one(subject, Program::shell(line, timeout, started))]
            }
            Instrument::Suite(_, name) | Instrument::Command(name) => {
                self.read(subject, (instrument, name), &all, started)
            }
        });
        let mut results: Vec<CheckResult> = changed.into_iter().chain(each).collect();
        if let Some(bent) = bent {
            // What the suite reports is no more than the line is that it stands for.
            for result in &mut results {
                if result.shows.remove(&Word::from(Worth::Reported.as_str())) {
                    result.shows.insert(Word::from(Worth::Weak.as_str()));
                }
            }
            results.push(bent);
        }
        results
    }

    /// Runs an instrument, test by test where it is a suite, and says what its answer is worth.
    fn read(
        &self,
        subject: &Subject<'_>,
        (instrument, line): (&Instrument, &str),
        all: &[Instrument],
        started: Instant,
    ) -> Vec<CheckResult> {
        let timeout = self.timeout_seconds.map(Seconds::seconds);
        if instrument.runner().is_none() {
            let mut result = self.one(subject, Program::shell(line, timeout, started));
            if result.verdict == Verdict::Pass {
                result.shows.insert(Word::from(Worth::Weak.as_str()));
            }
            return vec![result];
        }
        let name = format!("command: {}", label(line));
        let shown = match instrument.show(subject, started) {
            Ok(shown) => shown,
            Err(why) => return vec![answer(&name, Verdict::CouldNotRun, why)],
        };
        let left = &Subject {
            wall: subject.wall.saturating_sub(started.elapsed()),
            ..*subject
        };
        let (run, millis) = (shown.run.clone(), shown.executed.ended.millis);
        let (verdict, reason) = judged(&shown);
        let zero = shown.executed.ended.exit == Some(0);
        let told = verdict::told(&shown.run);
        let red = shown.ending == Ending::Red && shown.executed.worthless().is_none();
        let mut result = shown.executed.answer(&name, verdict, reason);
        if verdict == Verdict::Pass {
            let green = whole::Green {
                run: &run,
                millis,
                controls: Controls::of(self.controls),
            };
            let controls = whole::result(left, instrument, &green, &name);
            return vec![result, controls];
        }
        result.details = several_lines(&format!("{told}{}", result.details));
        if red && all.iter().any(Instrument::is_as_written) {
            // Tests that a person's own line leaves out, and that its runner finds: the line is held by
            // itself.
            let before = whole::run_before(left, instrument).unwrap_or_default();
            if let Some(found) = as_before(&before, &run, Ending::Red) {
                result.verdict = Verdict::Pass;
                result.shows.insert(Word::from(Worth::Weak.as_str()));
                reword(
                    &mut result,
                    format_args!("weak: {}", suite::as_before(&found)),
                );
            }
        }
        if zero && verdict == Verdict::Fail {
            // It says by its exit code that all is well, and does not say of what.
            match whole::read_before(left, instrument) {
                Ok(true) => result.code = Some(BROKEN.to_owned()),
                Ok(false) | Err(_) => {
                    result.verdict = Verdict::Pass;
                    result.shows.insert(Word::from(Worth::Weak.as_str()));
                }
            }
        }
        vec![result]
    }

    /// Runs one command and judges it.
    fn one(&self, subject: &Subject<'_>, program: Program<'_>) -> CheckResult {
        let name = format!("command: {}", label(program.shown));
        match execute(subject, program) {
            Ok(executed) => {
                let (verdict, reason) = self.verdict(&executed);
                executed.answer(&name, verdict, &reason)
            }
            Err(why) => answer(&name, Verdict::CouldNotRun, why),
        }
    }

    /// What a command's end means. What makes the run worthless comes first, the exit code after
    /// it, and the output last.
    fn verdict(&self, executed: &Executed) -> (Verdict, String) {
        if let Some(worthless) = executed.worthless() {
            return worthless;
        }
        let ending = executed.ending().unwrap_or_default();
        let wanted = self.expect_exit.map_or(0, |exit| *exit);
        if executed.ended.exit.map(i64::from) != Some(wanted) {
            if let Some(not_found) = executed.not_found() {
                return not_found;
            }
            let last = executed.last_line();
            let reason = format!("{ending}, not {wanted}; last output: {last}");
            return (Verdict::Fail, reason);
        }
        if let Some(wanted) = self.expect_output.as_deref()
            && !executed.says(wanted)
        {
            let cut = if executed.ended.truncated {
                " (in what was kept of it)"
            } else {
                ""
            };
            let reason = format!(
                "{ending}, but the output does not contain `{}`{cut}",
                label(wanted)
            );
            return (Verdict::Fail, reason);
        }
        (Verdict::Pass, format!("{ending}{}", executed.notes()))
    }
}
