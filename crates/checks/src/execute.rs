//! Running one program for a check: in a room over the judged tree, confined, with everything about
//! it on record. What makes a run worthless whatever the program says is judged here, once for all
//! checks.

use crate::error::Error;
use crate::readers::report_files;
use crate::rooms::{RoomError, Rooms};
use crate::text::{answer, first_few, label, one_line, several_lines};
use crate::{Subject, TreeNow};
use kernel::outcome::{CheckResult, EvidenceRef, Ran, Verdict};
use languages::is_not_there;
use languages::manifests::is_lock;
use languages::printed::both_ends;
use languages::runners;
use sandbox::{Ended, Killed, Launch, LaunchError, Limits};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Enough for any log that somebody reads; the middle of a longer one is left out.
const OUTPUT: usize = 4 << 20;
/// How every reason ends that a line is to be mended for, because what it starts is not there.
pub(crate) const MEND_COMMAND: &str = "mend the command";
/// Who finds the program? A shell reports a missing one as exit code 127.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundBy {
    Shell,
    Path,
}

/// What is to be run.
pub(crate) struct Program<'a> {
    pub(crate) argv: Vec<String>,
    /// For people.
    pub(crate) shown: &'a str,
    pub(crate) found_by: FoundBy,
    pub(crate) timeout: Option<Duration>,
    /// When the check began: the gate's wall time counts from there.
    pub(crate) started: Instant,
    /// A file in a folder of our own that it may write.
    pub(crate) report: Option<&'a Path>,
    /// A file or folder of the repository where it leaves reports.
    pub(crate) leaves: Option<&'a str>,
}

impl<'a> Program<'a> {
    /// A line for `sh -c`.
    pub(crate) fn shell(line: &'a str, timeout: Option<Duration>, started: Instant) -> Self {
        Self {
            argv: vec!["sh".into(), "-c".into(), line.to_owned()],
            shown: line,
            found_by: FoundBy::Shell,
            timeout,
            started,
            report: None,
            leaves: None,
        }
    }
}

/// What was run.
pub(crate) struct Executed {
    pub(crate) ended: Ended,
    /// The reports that it left, none of which was there before.
    pub(crate) reports: Vec<PathBuf>,
    found_by: FoundBy,
    left: Result<Left, Error>,
    ran: Ran,
    kept: EvidenceRef,
    /// Its reports lie in there.
    _room: Option<Box<dyn Send>>,
}

/// What a program left of the tree that it judged.
#[derive(Default)]
struct Left {
    changed: Vec<String>,
    /// What was there beside the tree.
    included: Vec<String>,
    /// Only where there is no room: what is made in one is gone.
    new: Vec<String>,
}

impl Left {
    fn between(before: &TreeNow, after: &TreeNow) -> Self {
        let same = |(path, hash): &(&String, &String)| after.files.get(*path) == Some(*hash);
        let changed = before.files.iter().filter(|file| !same(file));
        let new = after.files.keys();
        Self {
            changed: changed.map(|(path, _)| path.clone()).collect(),
            included: Vec::new(),
            new: new
                .filter(|path| !before.files.contains_key(*path))
                .cloned()
                .collect(),
        }
    }
}

/// How a program ended, and what there is to be seen of it.
struct Done {
    ended: Ended,
    left: Result<Left, Error>,
    reports: Vec<PathBuf>,
    room: Option<Box<dyn Send>>,
}

/// Runs it. An error is a reason why it could not be run.
pub(crate) fn execute(subject: &Subject<'_>, program: Program<'_>) -> Result<Executed, Error> {
    let left = subject.wall.saturating_sub(program.started.elapsed());
    let wall = program.timeout.map_or(left, |timeout| timeout.min(left));
    if wall.is_zero() {
        return Err("the gate's wall time is used up; give the gate more time".into());
    }
    let before = subject.tree()?;
    let told = format!("{}, {} s at most", label(program.shown), wall.as_secs());
    (subject.progress)(&told);
    let limits = Limits {
        wall,
        idle: None,
        output_bytes: OUTPUT,
    };
    let mut launch = Launch::new(
        program.argv,
        subject.place.repo,
        subject.env.clone(),
        limits,
    );
    launch.pid_file = subject.pid_file.map(Path::to_owned);
    launch.policy = subject.policy.cloned();
    if let Some(report) = program.report {
        let path = report.display().to_string();
        launch.env.insert(runners::REPORT.to_owned(), path);
        if let Some(policy) = &mut launch.policy {
            policy.write.extend(report.parent().map(Path::to_owned));
            if let Some(names) = &mut policy.environment {
                names.insert(runners::REPORT.to_owned());
            }
        }
    }
    let done = match subject.rooms {
        Some(rooms) => in_room(subject, rooms, &launch, program.leaves)?,
        None => in_place(subject, &before, &launch, program.leaves)?,
    };
    let ended = done.ended;
    let kept = subject
        .keep
        .keep(
            &format!("output of {}", label(program.shown)),
            &ended.output,
        )
        .map_err(Error::undone("its output cannot be kept"))?;
    Ok(Executed {
        found_by: program.found_by,
        ran: Ran {
            argv: launch.argv,
            exit: ended.exit,
            killed: ended.killed.map(|killed| killed.to_string()),
            tree: before.hash,
            output: kept.hash.clone(),
            millis: ended.millis,
            denied: ended.denied.iter().map(ToString::to_string).collect(),
            unrecorded: ended.unrecorded.clone(),
        },
        left: done.left,
        reports: done.reports,
        ended,
        kept,
        _room: done.room,
    })
}

/// Runs a program of ours whose output is for nobody but whoever asks: nothing of it is kept, and what
/// it does to its room is of no matter. What it reads on standard input is all that it is told.
pub(crate) fn unseen(
    subject: &Subject<'_>,
    argv: Vec<String>,
    stdin: Vec<u8>,
    wall: Duration,
) -> Result<Ended, Error> {
    let limits = Limits {
        wall: wall.min(subject.wall),
        idle: None,
        output_bytes: OUTPUT,
    };
    let mut launch = Launch::new(argv, subject.place.repo, subject.env.clone(), limits);
    launch.stdin = stdin;
    launch.pid_file = subject.pid_file.map(Path::to_owned);
    launch.policy = subject.policy.cloned();
    match subject.rooms {
        Some(rooms) => Ok(in_room(subject, rooms, &launch, None)?.ended),
        None => sandbox::run(&launch, subject.cancel).map_err(|error| not_started(subject, error)),
    }
}

fn not_started(subject: &Subject<'_>, error: LaunchError) -> Error {
    subject.note_failure(&error);
    Error::NotStarted(error)
}

/// Runs it in a room, where nothing that it does stays.
fn in_room(
    subject: &Subject<'_>,
    rooms: &dyn Rooms,
    launch: &Launch,
    leaves: Option<&str>,
) -> Result<Done, Error> {
    let done = rooms
        .run(launch, subject.cancel)
        .map_err(|error| match error {
            RoomError::NotStarted(error) => not_started(subject, error),
            RoomError::NoRoom(_) => Error::Says(error.to_string()),
        })?;
    let reports = match leaves {
        Some(path) => report_files::written(
            &report_files::at(&done.before, path)?,
            report_files::at(&done.after, path)?,
        ),
        None => Vec::new(),
    };
    let left = Left {
        changed: done.changed,
        included: done.included,
        new: Vec::new(),
    };
    Ok(Done {
        ended: done.ended,
        left: Ok(left),
        reports,
        room: Some(done.room),
    })
}

/// Runs it in the folder itself.
fn in_place(
    subject: &Subject<'_>,
    before: &TreeNow,
    launch: &Launch,
    leaves: Option<&str>,
) -> Result<Done, Error> {
    let repo = subject.place.repo;
    let reports = |path| report_files::at(repo, path);
    let there = leaves.map(reports).transpose()?;
    let ended =
        sandbox::run(launch, subject.cancel).map_err(|error| not_started(subject, error))?;
    let after = leaves.map(reports).transpose()?;
    Ok(Done {
        ended,
        left: subject.tree().map(|after| Left::between(before, &after)),
        reports: report_files::written(&there.unwrap_or_default(), after.unwrap_or_default()),
        room: None,
    })
}

impl Executed {
    /// What makes the run worthless, whatever its exit code and its output say.
    pub(crate) fn worthless(&self) -> Option<(Verdict, String)> {
        let ended = &self.ended;
        let could_not = |reason: String| Some((Verdict::CouldNotRun, reason));
        let left = match &self.left {
            Ok(left) => left,
            Err(why) => return could_not(format!("after it, {why}")),
        };
        if ended.survivors > 0 {
            return could_not(format!("{} of its processes do not die", ended.survivors));
        }
        match ended.killed {
            Some(killed @ Killed::Cancelled) => return could_not(killed.to_string()),
            Some(killed) => {
                let last = self.last_line();
                let reason = format!(
                    "it did not end, and something in it waits or loops for ever ({killed}); the last that it said: {last}"
                );
                return Some((Verdict::Fail, reason));
            }
            None => {}
        }
        if !left.changed.is_empty() {
            let paths = first_few(&left.changed, 5);
            let stale = left.changed.iter().all(|path| is_lock(path));
            let mend = match stale {
                true => {
                    "; it is out of date, and the build refreshes it: bring it along as the build leaves it, or name it in `room.writable` if it is to stay as it is"
                }
                false => "",
            };
            let reason = format!("the command changed the tree it judges: {paths}{mend}");
            return Some((Verdict::Fail, reason));
        }
        if self.ending().is_none() {
            return could_not("its exit code is unknown".into());
        }
        None
    }

    /// The shell's way to say that there is no such program, or a starter's that it knows no such thing.
    pub(crate) fn not_found(&self) -> Option<(Verdict, String)> {
        if self.found_by != FoundBy::Shell || self.ended.exit == Some(0) {
            return None;
        }
        let (ending, last) = (self.ending().unwrap_or_default(), self.last_line());
        if let Some(said) = self.text().lines().find(|line| is_not_there(line)) {
            let said = one_line(said, 150);
            let reason =
                format!("what it is to start is not there ({ending}): {said}; {MEND_COMMAND}");
            return Some((Verdict::CouldNotRun, reason));
        }
        if !matches!(self.ended.exit, Some(126 | 127)) {
            return None;
        }
        let reason = format!(
            "the shell cannot run it ({ending}): {last}; install the program or {MEND_COMMAND}"
        );
        Some((Verdict::CouldNotRun, reason))
    }

    /// How it ended by itself, in words.
    pub(crate) fn ending(&self) -> Option<String> {
        match (self.ended.exit, self.ended.signal) {
            (Some(code), _) => Some(format!("exit code {code}")),
            (None, Some(signal)) => Some(format!("ended by signal {signal}")),
            (None, None) => None,
        }
    }

    /// The last line of its output, for people.
    pub(crate) fn last_line(&self) -> String {
        let text = self.text();
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        // A program that begins with where it lies says too little in a short line.
        let named = |line: &str| match line.split_once(": ") {
            Some((program, said)) if program.starts_with('/') && !program.contains(' ') => {
                let name = program.rsplit('/').next().unwrap_or(program);
                format!("{name}: {said}")
            }
            _ => line.to_owned(),
        };
        last.map_or_else(|| "(none)".into(), |line| one_line(&named(line), 150))
    }

    /// Its output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.ended.output).into_owned()
    }

    /// Does its output contain this?
    pub(crate) fn says(&self, wanted: &str) -> bool {
        let output = &self.ended.output;
        let mut windows = output.windows(wanted.len().max(1));
        windows.any(|window| window == wanted.as_bytes())
    }

    /// What is worth a word though it does not fail.
    pub(crate) fn notes(&self) -> String {
        let mut notes = self.laid_in();
        if let Ok(left) = &self.left
            && !left.new.is_empty()
        {
            notes.push_str(&format!("; new files: {}", first_few(&left.new, 5)));
        }
        if self.ended.leftover > 0 {
            let killed = self.ended.leftover;
            notes.push_str(&format!("; {killed} processes it left were killed"));
        }
        notes
    }

    /// What of the person's own tree was laid in for it.
    pub(crate) fn laid_in(&self) -> String {
        match &self.left {
            Ok(left) if !left.included.is_empty() => {
                format!("; with {}", first_few(&left.included, 5))
            }
            _ => String::new(),
        }
    }

    /// The check's answer, with all that was recorded. One that is no pass tells the command and
    /// what it printed, behind what else there is to say.
    pub(crate) fn answer(self, name: &str, verdict: Verdict, reason: impl Display) -> CheckResult {
        let mut result = answer(name, verdict, reason);
        if verdict != Verdict::Pass {
            let command = match self.ran.argv.as_slice() {
                [shell, flag, line] if shell == "sh" && flag == "-c" => line.clone(),
                argv => argv.join(" "),
            };
            let (before, printed) = (&result.details, both_ends(&self.text()));
            result.details = several_lines(&format!("{before}\n$ {command}\n{printed}"))
                .trim()
                .to_owned();
        }
        result.ran = Some(self.ran);
        result.evidence.push(self.kept);
        result
    }
}
