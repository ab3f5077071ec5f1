//! Doing one step, exactly as a real agent with the same rights could.
//!
//! Files are touched in this process; `run` goes through `sandbox::run`. After a step that failed
//! the attempt ends as crashed, with what the system said.

use super::script::{Occurs, OnFailure, Step};
use super::stage::{Stage, Stop};
use crate::command::survivors;
use crate::environment::environment;
use crate::home::Home;
use crate::transcript::TRANSCRIPT_BYTES;
use sandbox::{Killed, Launch, Limits};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

/// Where `set` finds its field.
const STATE_FILE: &str = "task/STATE.md";

/// Does the step; a failure is in the transcript and ends the attempt.
pub(super) fn perform(step: &Step, stage: &mut Stage<'_>) -> Result<(), Stop> {
    let name = describe(step);
    stage.announce(&name);
    let failed = |error: io::Error| Stop::crashed(format!("step `{name}` failed: {error}"));
    match step {
        Step::Write { path, text } => write(&stage.path(path), text).map_err(failed),
        Step::Append { path, text } => append(&stage.path(path), text).map_err(failed),
        Step::Edit {
            path,
            find,
            replace,
            occurs,
        } => edit(&stage.path(path), find, replace, *occurs).map_err(failed),
        Step::Set { field, to } => set(&stage.path(STATE_FILE), field, to).map_err(failed),
        Step::Delete { path } => delete(&stage.path(path)).map_err(failed),
        Step::Chmod { path, mode } => {
            fs::set_permissions(stage.path(path), Permissions::from_mode(*mode)).map_err(failed)
        }
        Step::Symlink { path, to } => link(&stage.path(path), to).map_err(failed),
        Step::Run { command, failure } => run(command, *failure, stage),
        Step::Wait { time } => stage.wait(*time),
        Step::Print { text } => {
            stage.output(text.as_bytes());
            Ok(())
        }
        Step::Crash { code } => Err(Stop::crashed(format!("exit code {code}"))),
        Step::Hang => stage.wait(Duration::MAX),
    }
}

fn describe(step: &Step) -> String {
    match step {
        Step::Write { path, .. } => format!("write {path}"),
        Step::Append { path, .. } => format!("append {path}"),
        Step::Edit { path, .. } => format!("edit {path}"),
        Step::Set { field, to } => format!("set {field}: {to}"),
        Step::Delete { path } => format!("delete {path}"),
        Step::Chmod { path, mode } => format!("chmod {mode:o} {path}"),
        Step::Symlink { path, to } => format!("symlink {path} -> {to}"),
        Step::Run { command, .. } => format!("run {command}"),
        Step::Wait { time } => format!("wait {} s", time.as_secs_f64()),
        Step::Print { .. } => "print".to_owned(),
        Step::Crash { code } => format!("crash {code}"),
        Step::Hang => "hang".to_owned(),
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    make_folder(path)?;
    fs::write(path, text)
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    make_folder(path)?;
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(text.as_bytes())
}

fn edit(path: &Path, find: &str, replace: &str, occurs: Occurs) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    match (text.matches(find).count(), occurs) {
        (0, _) => Err(io::Error::other(format!(
            "{find:?} does not occur in the file"
        ))),
        (1, _) | (_, Occurs::AtLeastOnce) => fs::write(path, text.replace(find, replace)),
        (count, Occurs::Once) => Err(io::Error::other(format!(
            "{find:?} occurs {count} times; make it longer, or add all = true"
        ))),
    }
}

/// Changes the value of the first `Field:` line and nothing else of the file.
fn set(path: &Path, field: &str, to: &str) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    let head = format!("{field}:");
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(&head) {
            let end = offset + line.trim_end_matches(['\n', '\r']).len();
            return fs::write(
                path,
                format!("{}{head} {to}{}", &text[..offset], &text[end..]),
            );
        }
        offset += line.len();
    }
    Err(io::Error::other(format!(
        "{STATE_FILE} has no `{head}` line"
    )))
}

fn delete(path: &Path) -> io::Result<()> {
    // Not `metadata`: a link is deleted, never what it points at.
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

fn link(path: &Path, to: &str) -> io::Result<()> {
    make_folder(path)?;
    symlink(to, path)
}

fn run(command: &str, failure: OnFailure, stage: &mut Stage<'_>) -> Result<(), Stop> {
    let order = stage.order;
    let argv = ["sh", "-c", command].map(str::to_owned).to_vec();
    let limits = Limits {
        wall: stage.left(),
        idle: None,
        output_bytes: TRANSCRIPT_BYTES,
    };
    let launch = Launch {
        pid_file: Some(Home::of(order).pid()),
        policy: stage.order.policy.clone(),
        ..Launch::new(argv, order.view.join("repo"), environment(order), limits)
    };
    let ended = sandbox::run(&launch, stage.cancel)
        .map_err(|error| Stop::crashed(format!("step `run {command}` failed: {error}")))?;
    stage.output(&ended.output);
    stage.connections.note(&ended);
    match ended.killed {
        // The command got what was left; the limit that ran out is the attempt's.
        Some(Killed::Wall(_)) => return Err(Stop::killed(Killed::Wall(order.wall))),
        Some(killed) => return Err(Stop::killed(killed)),
        None => {}
    }
    if let Some(reason) = survivors(&ended) {
        return Err(Stop::crashed(reason));
    }
    let status = match (ended.exit, ended.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit code".to_owned(),
    };
    stage.note(&format!("({status})"));
    match (ended.exit, failure) {
        (Some(0), _) | (_, OnFailure::GoOn) => Ok(()),
        (_, OnFailure::Crash) => Err(Stop::crashed(format!(
            "`{command}` had to succeed: {status}"
        ))),
    }
}
