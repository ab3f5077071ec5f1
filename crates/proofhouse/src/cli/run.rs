//! `proofhouse run` and `proofhouse resume`.

use super::args::Run;
use super::live_trace::Live;
use super::out::{Out, Tone};
use super::progress::Progress;
use super::{exit, inbox, land, notify, status, which};
use engine::session::{Ended, Restore, Session};
use engine::world::Interrupter;
use engine::{Ending, Until};
use kernel::machine::Activity;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use workspace::{EngineError, Project};

type Stop = Box<dyn Fn() + Send>;

/// How long the loop has after a second Ctrl-C to end by itself.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often Ctrl-C was pressed.
static ASKED: AtomicUsize = AtomicUsize::new(0);
static STOP: OnceLock<Mutex<Option<Stop>>> = OnceLock::new();

/// Lets Ctrl-C stop whatever loop runs now. A session that starts anew puts itself here again.
pub(crate) fn on_stop(stop: Stop) {
    let first = STOP.get().is_none();
    let slot = STOP.get_or_init(|| Mutex::new(None));
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
    if first {
        // Without a handler, Ctrl-C still ends us; the next session finds what was left.
        let _ = ctrlc::set_handler(|| {
            if ASKED.fetch_add(1, Ordering::Relaxed) > 0 {
                // Whatever we wait for, a git that hangs too, dies with us.
                std::thread::spawn(|| {
                    std::thread::sleep(PATIENCE);
                    std::process::exit(i32::from(exit::INTERRUPTED));
                });
            }
            if let Some(slot) = STOP.get()
                && let Some(stop) = &*slot.lock().unwrap_or_else(PoisonError::into_inner)
            {
                stop();
            }
        });
    }
}

/// The same, for a session.
pub(crate) fn on_interrupt(interrupter: Interrupter) {
    on_stop(Box::new(move || interrupter.interrupt()));
}

pub(crate) fn run(project: &Project, args: &Run, out: &Out) -> Result<u8, EngineError> {
    let run = which::named(project, args.run.as_deref())?;
    let session = Session {
        project,
        run,
        agent: args.agent.as_deref(),
        built: None,
        until: if args.once {
            Until::OnePass
        } else {
            Until::Rest
        },
        restore: if args.restore_views {
            Restore::Views
        } else {
            Restore::No
        },
    };
    let ended = {
        let name = report::look::run_name(project, run)?;
        let workflow = report::look::workflow_of(project, &name)?;
        let progress = Progress::of(out, &workflow);
        let mut progress = Live::of(progress, project, run)?;
        session.drive(&mut progress, &on_interrupt)?
    };
    report(project, &ended, out)
}

/// Where the evidence page of a run is.
fn evidence(project: &Project, run: &str) -> Result<String, EngineError> {
    let peek = report::look::peek_run(project, run)?;
    report::address::link(&project.of_run(run), &peek.machine)
}

/// Says how a session ended, and gives its exit code.
pub(crate) fn report(project: &Project, ended: &Ended, out: &Out) -> Result<u8, EngineError> {
    let run = ended.status.run.as_str();
    if ended.ending != Ending::Interrupted {
        notify::run(project, &ended.status, out);
    }
    if out.json {
        status::print(project, run, out)?;
    }
    let say = |text: String| {
        if !out.json {
            out.line(&text);
        }
    };
    if ended.ending == Ending::Interrupted {
        eprintln!(
            "interrupted; what was in flight is on record as lost. Go on with:\n  proofhouse resume {run}"
        );
        return Ok(exit::INTERRUPTED);
    }
    Ok(match ended.status.activity {
        Activity::Done => {
            say(format!(
                "{} `{run}` is done: every gate passed.",
                out.paint(Tone::Good, "done")
            ));
            let peek = report::look::peek_run(project, run)?;
            say(match report::fate::Fate::of(project, run, &peek.machine) {
                Some(fate) => fate.words(),
                None => format!(
                    "what it made is in {}; no branch was moved",
                    project.of_run(run).repo().display()
                ),
            });
            say(format!("evidence: {}", evidence(project, run)?));
            say(format!("verify it yourself: proofhouse audit {run}"));
            if !out.json {
                let grounds = report::inbox::grounds(project, run, &peek)?;
                inbox::worth(out, &grounds);
                inbox::cost(out, &grounds);
                land::offer(project, run, out);
            }
            exit::OK
        }
        Activity::Working | Activity::Resting => {
            say(format!(
                "`{run}` is in `{}`; go on with: proofhouse run {run}",
                ended.status.state
            ));
            exit::OK
        }
        Activity::Stopped => {
            say(format!(
                "{} `{run}` was stopped by a person in `{}`.",
                out.paint(Tone::Warn, "stopped"),
                ended.status.state
            ));
            exit::USER
        }
        Activity::Waiting => {
            if !out.json {
                let looked = report::look(project, run)?;
                inbox::ask(out, project, &report::inbox::of(project, run, &looked)?);
                say(format!("evidence: {}", evidence(project, run)?));
            }
            exit::WAITING
        }
    })
}
