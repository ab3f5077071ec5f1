//! `command`: runs a command and judges its exit code. It refuses to believe output, to run on a
//! tree it cannot hash, and to pass a command that changes the tree it judges.

mod examples;
mod verdict;

use crate::execute::{Errand, Through, execute};
use crate::judge::{Judged, Judges, Trouble};
use crate::settings::Settings;
use crate::text::{answer, label};
use crate::{Example, Setting, Subject};
use kernel::outcome::{CheckResult, Verdict};
use std::time::{Duration, Instant};

const NO_COMMAND: &str = "no validation command is set; give `--check CMD` at `proofhouse new`, or `[checks] commands` in .proofhouse/config.toml";

/// The check.
pub(crate) struct Command;

/// The settings, read.
pub(crate) struct Order<'a> {
    what: What<'a>,
    timeout: Option<Duration>,
    exit: i32,
    output: Option<&'a str>,
}

enum What<'a> {
    Argv(Vec<&'a str>),
    Shell(&'a str),
    Commands,
    Field(&'a str),
    /// The same, but there may be none.
    AnyCommands,
}

impl Judges for Command {
    const NAME: &'static str = "command";
    const ABOUT: &'static str =
        "a command ends with the expected exit code and leaves the tree as it was";
    const SETTINGS: &'static [Setting] = &[
        Setting::optional("argv", "program and arguments, as a list"),
        Setting::optional("shell", "a line for `sh -c`"),
        Setting::optional("from", "`commands`: all that a human set for this run"),
        Setting::optional(
            "field",
            "a field: each command in backticks, or else its whole text",
        ),
        Setting::optional(
            "if_none",
            "`pass`: where no command is set, others prove it",
        ),
        Setting::optional("timeout_seconds", "wall limit; never more than the gate's"),
        Setting::optional("expect_exit", "the exit code that passes; 0"),
        Setting::optional("expect_output", "text that the output must contain, too"),
    ];
    type Wanted<'a> = Order<'a>;
    type Answer = Judged<Vec<CheckResult>>;

    fn read<'a>(settings: &Settings<'a>) -> Result<Order<'a>, String> {
        let argv = settings.list("argv")?.map(What::Argv);
        let shell = settings.text("shell")?.map(What::Shell);
        let from = match settings.text("from")? {
            None => None,
            Some("commands") => match settings.text("if_none")? {
                None => Some(What::Commands),
                Some("pass") => Some(What::AnyCommands),
                Some(_) => return settings.refuse("if_none", "`pass`"),
            },
            Some(_) => return settings.refuse("from", "`commands`"),
        };
        let field = settings.text("field")?.map(What::Field);
        let mut given = [argv, shell, from, field].into_iter().flatten();
        let (Some(what), None) = (given.next(), given.next()) else {
            return Err(
                "`command` needs exactly one of `argv`, `shell`, `from` and `field`".into(),
            );
        };
        Ok(Order {
            what,
            timeout: settings.seconds("timeout_seconds", 1)?,
            exit: i32::try_from(settings.number("expect_exit", 0, 255)?.unwrap_or(0)).unwrap_or(0),
            output: settings.text("expect_output")?,
        })
    }

    fn judge(order: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let shell = |line: &str| {
            let argv = vec!["sh".into(), "-c".into(), line.to_string()];
            one(order, subject, started, line, argv, Through::Shell)
        };
        Ok(match &order.what {
            What::Argv(words) => {
                let argv = words.iter().map(|word| word.to_string()).collect();
                let shown = words.join(" ");
                vec![one(order, subject, started, &shown, argv, Through::Nothing)]
            }
            What::Shell(line) => vec![shell(line)],
            What::Commands if subject.commands.is_empty() => {
                return Err(Trouble::CouldNotRun(NO_COMMAND.to_owned()));
            }
            What::Field(name) => {
                let lines = of_field(name, subject).map_err(Trouble::CouldNotRun)?;
                lines.iter().map(|line| shell(line)).collect()
            }
            What::AnyCommands if subject.commands.is_empty() => {
                let reason = "no command is set, and none is needed";
                vec![answer(Self::NAME, Verdict::Pass, reason)]
            }
            What::Commands | What::AnyCommands => {
                subject.commands.iter().map(|line| shell(line)).collect()
            }
        })
    }

    fn examples() -> Vec<Example> {
        examples::examples()
    }
}

/// The commands that a field names.
fn of_field<'a>(name: &str, subject: &Subject<'a>) -> Result<Vec<&'a str>, String> {
    let text = subject.fields.get(name).map_or("", |text| text.trim());
    if crate::text::is_placeholder(text) {
        return Err(format!("the field `{name}` names no command"));
    }
    match kernel::pattern::quoted(text) {
        quoted if quoted.is_empty() => Ok(vec![text]),
        quoted => Ok(quoted),
    }
}

/// Runs one command and judges it.
fn one(
    order: &Order<'_>,
    subject: &Subject<'_>,
    started: Instant,
    shown: &str,
    argv: Vec<String>,
    through: Through,
) -> CheckResult {
    let name = format!("command: {}", label(shown));
    let errand = Errand {
        argv,
        shown,
        through,
        timeout: order.timeout,
        started,
        report: None,
    };
    match execute(subject, errand) {
        Ok(executed) => {
            let (verdict, reason) = verdict::judge(order, &executed);
            executed.answer(&name, verdict, &reason)
        }
        Err(reason) => answer(&name, Verdict::CouldNotRun, &reason),
    }
}
