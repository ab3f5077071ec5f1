//! `health`: a service answers. It refuses hosts that are not this machine (a remote one is asked
//! by a command, under the gate's own network policy), and to ask without end.

mod ask;

use crate::Subject;
use crate::execute::{Executed, Program, execute};
use crate::judge::Judge;
use crate::settings::{Number, Seconds, SettingsError, Text, WEEK};
use crate::text::{answer, label};
use ask::Url;
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict, Worth};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// A service on this machine, or a command that asks one, answers within some tries.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Health {
    /// `http://` on loopback that must answer 200.
    url: Option<Url>,
    /// A line for `sh -c` that asks; exit code 0 is health.
    command: Option<Text>,
    /// A line that starts the service, for the check only.
    start: Option<Text>,
    /// How often it is asked; 10.
    tries: Option<Number<1, 1_000>>,
    /// The time between two tries; 1.
    pause_seconds: Option<Number<0, WEEK>>,
    /// Text that the answer must contain.
    contains: Option<Text>,
    /// Wall limit; never more than the gate's.
    timeout_seconds: Option<Seconds>,
}

impl Judge for Health {
    const NAME: &'static str = "health";
    type Answer = CheckResult;

    fn lint(&self) -> Result<(), SettingsError> {
        match (&self.url, &self.command) {
            (Some(_), None) | (None, Some(_)) => Ok(()),
            _ => Self::refuse("needs `url` or `command`, and not both"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> CheckResult {
        let mut result = self.asked(subject, Instant::now());
        if result.verdict == Verdict::Pass {
            result.shows.insert(Word::from(Worth::Observed.as_str()));
        }
        result
    }
}

impl Health {
    fn asked(&self, subject: &Subject<'_>, started: Instant) -> CheckResult {
        let probe = match (&self.url, &self.command, &self.start) {
            (Some(url), _, None) => return self.ask_from_here(url, subject, started),
            // An address has no character that means something to a shell.
            (Some(url), ..) => format!("curl -fsS --max-time 10 '{url}'"),
            (None, command, _) => command.as_deref().unwrap_or_default().to_owned(),
        };
        // A service of the repository is started for the question and ended after it. Checks have a
        // loopback of their own, so whoever asks must sit in there, too.
        let (before, shown) = match &self.start {
            Some(start) => (format!("( {start}\n) >&2 &\n"), &**start),
            None => (String::new(), probe.as_str()),
        };
        let script = self.script(&before, &probe);
        self.in_the_sandbox(&script, shown, subject, started)
    }

    fn tries(&self) -> usize {
        self.tries.map_or(10, Number::count)
    }

    fn pause(&self) -> Duration {
        let pause = self.pause_seconds.map(Number::seconds);
        pause.unwrap_or(Duration::from_secs(1))
    }

    /// Asks again and again inside of one shell: what was started must live between the tries.
    fn script(&self, before: &str, probe: &str) -> String {
        let (tries, pause) = (self.tries(), self.pause().as_secs());
        format!(
            "{before}i=0\nwhile :; do\n( {probe}\n)\ne=$?\ni=$((i+1))\n\
             if [ $e = 0 ] || [ $e = 126 ] || [ $e = 127 ] || [ $i -ge {tries} ]; then exit $e; fi\n\
             sleep {pause}\ndone\n"
        )
    }

    fn in_the_sandbox(
        &self,
        script: &str,
        shown: &str,
        subject: &Subject<'_>,
        started: Instant,
    ) -> CheckResult {
        let name = format!("health: {}", label(shown));
        let mut program =
            Program::shell(script, self.timeout_seconds.map(Seconds::seconds), started);
        program.shown = shown;
        let executed: Executed = match execute(subject, program) {
            Ok(executed) => executed,
            Err(why) => return answer(&name, Verdict::CouldNotRun, &why),
        };
        let (ending, last) = (executed.ending().unwrap_or_default(), executed.last_line());
        let (verdict, reason) = match executed.worthless().or_else(|| executed.not_found()) {
            Some(worthless) => worthless,
            None if executed.ended.exit != Some(0) => {
                let tries = self.tries();
                let reason = format!("no answer in {tries} tries; {ending}; last output: {last}");
                (Verdict::Fail, reason)
            }
            None => match self.contains.as_deref().filter(|text| !executed.says(text)) {
                Some(text) => {
                    let text = label(text);
                    (
                        Verdict::Fail,
                        format!("the answer does not contain `{text}`: {last}"),
                    )
                }
                None => (Verdict::Pass, "it answers".to_owned()),
            },
        };
        executed.answer(&name, verdict, &reason)
    }

    /// Asks a service that runs already, outside of any sandbox.
    fn ask_from_here(&self, url: &Url, subject: &Subject<'_>, started: Instant) -> CheckResult {
        let name = format!("health: {url}");
        let limit = self.timeout_seconds.map(Seconds::seconds);
        let wall = limit.map_or(subject.wall, |limit| limit.min(subject.wall));
        let mut last = String::new();
        for number in 0..self.tries() {
            if number > 0 {
                std::thread::sleep(self.pause().min(wall.saturating_sub(started.elapsed())));
            }
            let left = wall.saturating_sub(started.elapsed());
            if subject.cancel.is_cancelled() || left.is_zero() {
                let reason = format!("it was cut short after {number} tries; {last}");
                return answer(&name, Verdict::CouldNotRun, &reason);
            }
            match url.get(left.min(Duration::from_secs(10))) {
                Ok((200, body)) => {
                    let text = self.contains.as_deref().unwrap_or_default();
                    let (verdict, reason) = if body.contains(text) {
                        (Verdict::Pass, "it answers 200".to_owned())
                    } else {
                        let text = label(text);
                        (Verdict::Fail, format!("it answers 200 without `{text}`"))
                    };
                    let kept = subject
                        .keep
                        .keep(&format!("answer of {url}"), body.as_bytes());
                    return match kept {
                        Ok(kept) => {
                            let mut result = answer(&name, verdict, &reason);
                            result.evidence.push(kept);
                            result
                        }
                        Err(why) => answer(&name, Verdict::CouldNotRun, &why),
                    };
                }
                Ok((status, _)) => last = format!("it answered {status}"),
                Err(why) => last = why.to_string(),
            }
        }
        let reason = format!("no answer in {} tries; {last}", self.tries());
        answer(&name, Verdict::Fail, &reason)
    }
}
