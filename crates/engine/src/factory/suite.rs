//! One run of a module's tests, in the sandbox, test by test. Rust has a process for each test
//! (`each`). In Python runners and their reports are those of the check `tests`; here is only which
//! command there is, and what the environment lacks.

mod each;

pub(super) use each::{Answered, with_constants};

use super::found::{Broke, could_not};
use super::scratch::Laid;
use crate::perform::InVault;
use checks::{BoxError, Keep, Place, RoomError, Subject, TreeNow};
use kernel::Word;
use kernel::effect::{CheckSpec, GateOrder, Weight};
use kernel::outcome::{CheckResult, Verdict};
use languages::Language;
use languages::runners::{FaultKind, Runner, TestRun};
use sandbox::{Cancel, Ended, Launch};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use store::{Node, Tree};
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::room::Rooms;

const RESULTS: &str = "results of suite";
/// A day. No ship waits that long; it keeps sums of times within what a clock can hold.
const LONGEST: u64 = 24 * 60 * 60;
/// What a build says when the machine is at fault, and not the module.
pub(super) const ENVIRONMENT: [&str; 5] = [
    "rustup could not",
    "linker `",
    "o space left on device",
    "toolchain '",
    "No module named 'pytest'",
];

/// Shown where a test, or the module in it, tried to reach something that is not its own.
pub(super) const REACHED_OUT: &str = "reached_out";

/// What the suite is expected to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    Green,
    Red,
}

/// Runs it. The error says why it could not be run.
pub(super) fn run(
    context: &Context,
    order: &GateOrder,
    laid: &Laid,
    runner: &str,
    expect: Expect,
    cancel: &Cancel,
) -> Result<(CheckResult, TestRun), Broke> {
    let (mut result, run) = match laid.language {
        Language::Rust => each::run(context, order, laid, expect, cancel)?,
        Language::Python | Language::JavaScript => {
            report(context, order, laid, runner, expect, cancel)?
        }
    };
    let ours = run
        .faults
        .iter()
        .filter(|fault| fault.kind == FaultKind::NotBuilt)
        .any(|fault| ENVIRONMENT.iter().any(|word| fault.what.contains(word)));
    if ours {
        result.verdict = Verdict::CouldNotRun;
    }
    Ok((result, run))
}

/// How long a person lets the tests of a module run, all together and without their build. A ship
/// waits no longer than its own wall in any case.
fn limit(context: &Context) -> Result<Option<Duration>, EngineError> {
    let config = context.project.config()?;
    let seconds = config.number("factory.test_seconds");
    Ok(seconds.map(|seconds| Duration::from_secs(seconds.clamp(1, LONGEST))))
}

/// Runs a suite that reports on itself.
fn report(
    context: &Context,
    order: &GateOrder,
    laid: &Laid,
    runner: &str,
    expect: Expect,
    cancel: &Cancel,
) -> Result<(CheckResult, TestRun), Broke> {
    let top = laid.top.as_path();
    let policy = context.reach.scratch(top);
    let keep = InVault(context);
    let tree = || tree(top);
    let pid_file = context.home(order.id).join("pid");
    let place = Place {
        repo: top,
        installed: top,
        task: top,
        views: checks::Views::default(),
    };
    let wall = Duration::from_millis(order.wall_millis);
    let now = tree().map_err(could_not)?;
    let rooms = Rooms::over_folder(top, &context.rooms, &context.home(order.id), now);
    let subject = Subject {
        env: &context.env,
        pid_file: Some(&pid_file),
        policy: Some(&policy),
        rooms: Some(&rooms),
        ..Subject::new(place, wall, cancel, &keep, &tree)
    };
    let (reader, command) = command(laid, runner);
    let mut with = json!({
        "runner": reader, "command": command,
        "expect": match expect { Expect::Green => "green", Expect::Red => "red" },
    });
    if let Some(limit) = limit(context).map_err(could_not)? {
        with["timeout_seconds"] = limit.as_secs().into();
    }
    let spec = CheckSpec {
        check: "tests".to_owned(),
        with,
        weight: Weight::Binding,
        shows: None,
        code: None,
    };
    let result = checks::run_gate(&[spec], &subject).into_iter().next();
    let mut result = result.ok_or_else(|| could_not("the tests gave no answer"))?;
    let denied = result
        .ran
        .as_ref()
        .is_some_and(|ran| !ran.denied.is_empty());
    result.shows.extend(denied.then(|| Word::from(REACHED_OUT)));
    let run = results_of(context, &result)?;
    Ok((result, run))
}

/// Who reads the results of a suite that reports on itself, and the line for the shell.
fn command(laid: &Laid, runner: &str) -> (&'static str, String) {
    if laid.language == Language::JavaScript {
        let node = Runner::Node.known();
        let line = node.command.unwrap_or_default();
        return (node.name, format!("{line} tests/*.test.mjs"));
    }
    let path = laid.path.join(":");
    if runner.starts_with("pytest") {
        let line = format!(
            "PYTHONPATH={path} exec python3 -B -m pytest -p no:cacheprovider --junitxml=\"$PROOFHOUSE_REPORT\" tests"
        );
        return ("pytest", line);
    }
    let line = format!("PYTHONPATH={path} exec python3 -B run_tests.py");
    ("junit", line)
}

/// What the suite did, test by test: the check keeps it as evidence.
fn results_of(context: &Context, result: &CheckResult) -> Result<TestRun, Broke> {
    let kept = result.evidence.iter().find(|kept| kept.name == RESULTS);
    let Some(kept) = kept else {
        let reason = result.reason.clone();
        return Err(Broke::by(result, Verdict::CouldNotRun, reason));
    };
    let bytes = InVault(context).fetch(&kept.hash).map_err(could_not)?;
    serde_json::from_slice(&bytes).map_err(could_not)
}

/// Runs a program about a laid out module in a room of its own: what it writes is gone with it.
pub(super) fn in_room(
    context: &Context,
    order: &GateOrder,
    laid: &Laid,
    launch: &Launch,
    cancel: &Cancel,
) -> Result<Ended, RoomError> {
    let now = tree(&laid.top).map_err(RoomError::NoRoom)?;
    let scratch = context.home(order.id);
    let rooms = Rooms::over_folder(&laid.top, &context.rooms, &scratch, now);
    Ok(checks::Rooms::run(&rooms, launch, cancel)?.ended)
}

pub(super) fn tree(top: &Path) -> Result<TreeNow, BoxError> {
    let built = |path: &Path| path == Path::new("target") || path == Path::new("Cargo.lock");
    let files = store::walk(top, &built)?;
    let tree = Tree::of(top, files)?;
    let hash = tree.hash();
    let files = tree.files.into_iter().map(|(path, node)| match node {
        Node::File { sha256 } | Node::Executable { sha256 } => (path, sha256),
        other => (path, format!("{other:?}")),
    });
    Ok(TreeNow {
        hash,
        files: files.collect(),
    })
}
