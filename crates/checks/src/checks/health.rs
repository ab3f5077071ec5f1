//! `health`: a service answers. It refuses hosts that are not this machine (a remote one is asked
//! by a command, under the gate's own network policy), and to ask without end.

mod ask;

use crate::execute::{Errand, Executed, execute};
use crate::judge::Judges;
use crate::settings::Settings;
use crate::text::{answer, label};
use crate::{Example, Setting, Subject};
use ask::Url;
use kernel::outcome::{CheckResult, Verdict};
use serde_json::json;
use std::time::{Duration, Instant};

/// The check.
pub(crate) struct Health;

pub(crate) struct Wanted<'a> {
    how: How<'a>,
    tries: usize,
    pause: Duration,
    contains: Option<&'a str>,
    timeout: Option<Duration>,
}

enum How<'a> {
    /// A service that runs already.
    Url(Url),
    /// A command that asks one.
    Command(&'a str),
    /// A service of the repository, started for the question and ended after it. Checks have a
    /// loopback of their own, so whoever asks must sit in there, too.
    Start { start: &'a str, probe: String },
}

impl Judges for Health {
    const NAME: &'static str = "health";
    const ABOUT: &'static str =
        "a service on this machine, or a command that asks one, answers within some tries";
    const SETTINGS: &'static [Setting] = &[
        Setting::optional("url", "`http://` on loopback that must answer 200"),
        Setting::optional(
            "command",
            "a line for `sh -c` that asks; exit code 0 is health",
        ),
        Setting::optional(
            "start",
            "a line that starts the service, for the check only",
        ),
        Setting::optional("tries", "how often it is asked; 10"),
        Setting::optional("pause_seconds", "the time between two tries; 1"),
        Setting::optional("contains", "text that the answer must contain"),
        Setting::optional("timeout_seconds", "wall limit; never more than the gate's"),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = CheckResult;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        let start = settings.text("start")?;
        let how = match (settings.text("url")?, settings.text("command")?, start) {
            (Some(url), None, start) => {
                let read = Url::read(url).map_err(|why| format!("`health`: {why}"))?;
                match start {
                    None => How::Url(read),
                    Some(start) => How::Start {
                        start,
                        // `read` let no character through that means something to a shell.
                        probe: format!("curl -fsS --max-time 10 '{url}'"),
                    },
                }
            }
            (None, Some(command), None) => How::Command(command),
            (None, Some(command), Some(start)) => How::Start {
                start,
                probe: command.to_owned(),
            },
            _ => return Err("`health` needs `url` or `command`, and not both".into()),
        };
        Ok(Wanted {
            how,
            tries: settings.count("tries", 1, 1000)?.unwrap_or(10),
            pause: settings
                .seconds("pause_seconds", 0)?
                .unwrap_or(Duration::from_secs(1)),
            contains: settings.text("contains")?,
            timeout: settings.seconds("timeout_seconds", 1)?,
        })
    }

    fn judge(wanted: &Self::Wanted<'_>, subject: &Subject<'_>) -> CheckResult {
        let started = Instant::now();
        match &wanted.how {
            How::Url(url) => from_here(url, wanted, subject, started),
            How::Command(command) => {
                let script = script("", command, wanted);
                in_the_sandbox(&script, command, wanted, subject, started)
            }
            How::Start { start, probe } => {
                let before = format!("( {start}\n) >&2 &\n");
                let script = script(&before, probe, wanted);
                in_the_sandbox(&script, start, wanted, subject, started)
            }
        }
    }

    fn examples() -> Vec<Example> {
        vec![
            Example {
                repo: &[("status", "healthy")],
                ..Example::passes(
                    "a command that asks",
                    json!({"command": "cat status", "contains": "healthy"}),
                    "it answers",
                )
            },
            Example::passes(
                "a service that needs a moment",
                json!({
                    "start": "echo up >.up; sleep 1000",
                    "command": "grep up .up && rm .up", "tries": 50, "pause_seconds": 0
                }),
                "it answers",
            ),
            Example::fails(
                "never healthy",
                json!({"command": "echo sick; exit 1", "tries": 2, "pause_seconds": 0}),
                "no answer in 2 tries; exit code 1; last output: sick",
            ),
            Example::fails(
                "another answer",
                json!({"command": "echo sick", "contains": "healthy", "tries": 1}),
                "does not contain `healthy`",
            ),
            Example::fails(
                "a service that is started and never answers",
                json!({"start": "sleep 1000", "command": "false", "tries": 2, "pause_seconds": 0}),
                "no answer in 2 tries",
            ),
            Example::fails(
                // Port 1 needs a right that no service of ours has.
                "nobody listens",
                json!({"url": "http://127.0.0.1:1/", "tries": 1}),
                "no answer in 1 tries",
            ),
            Example::cannot_run(
                "not this machine",
                json!({"url": "http://example.org/"}),
                "loopback",
            ),
            Example::cannot_run(
                "nobody to ask",
                json!({"start": "true"}),
                "needs `url` or `command`",
            ),
        ]
    }
}

/// Asks again and again inside of one shell: what was started must live between the tries.
fn script(before: &str, probe: &str, wanted: &Wanted<'_>) -> String {
    let (tries, pause) = (wanted.tries, wanted.pause.as_secs());
    format!(
        "{before}i=0\nwhile :; do\n( {probe}\n)\ne=$?\ni=$((i+1))\n\
         if [ $e = 0 ] || [ $e = 126 ] || [ $e = 127 ] || [ $i -ge {tries} ]; then exit $e; fi\n\
         sleep {pause}\ndone\n"
    )
}

fn in_the_sandbox(
    script: &str,
    shown: &str,
    wanted: &Wanted<'_>,
    subject: &Subject<'_>,
    started: Instant,
) -> CheckResult {
    let name = format!("health: {}", label(shown));
    let mut errand = Errand::shell(script, wanted.timeout, started);
    errand.shown = shown;
    let executed: Executed = match execute(subject, errand) {
        Ok(executed) => executed,
        Err(why) => return answer(&name, Verdict::CouldNotRun, &why),
    };
    let (ending, last) = (executed.ending().unwrap_or_default(), executed.last_line());
    let (verdict, reason) = match executed.worthless().or_else(|| executed.not_found()) {
        Some(worthless) => worthless,
        None if executed.ended.exit != Some(0) => {
            let tries = wanted.tries;
            let reason = format!("no answer in {tries} tries; {ending}; last output: {last}");
            (Verdict::Fail, reason)
        }
        None => match wanted.contains.filter(|text| !executed.says(text)) {
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
fn from_here(
    url: &Url,
    wanted: &Wanted<'_>,
    subject: &Subject<'_>,
    started: Instant,
) -> CheckResult {
    let name = format!("health: {url}");
    let wall = wanted
        .timeout
        .map_or(subject.wall, |timeout| timeout.min(subject.wall));
    let mut last = String::new();
    for number in 0..wanted.tries {
        if number > 0 {
            std::thread::sleep(wanted.pause.min(wall.saturating_sub(started.elapsed())));
        }
        let left = wall.saturating_sub(started.elapsed());
        if subject.cancel.is_cancelled() || left.is_zero() {
            let reason = format!("it was cut short after {number} tries; {last}");
            return answer(&name, Verdict::CouldNotRun, &reason);
        }
        match url.get(left.min(Duration::from_secs(10))) {
            Ok((200, body)) => {
                let text = wanted.contains.unwrap_or_default();
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
            Err(why) => last = why,
        }
    }
    let reason = format!("no answer in {} tries; {last}", wanted.tries);
    answer(&name, Verdict::Fail, &reason)
}
