//! `take` and `hand_in`: work that waits for a guest, and what becomes of it. A client waits for an answer no longer
//! than it has patience for; what goes on then goes on by itself, and can be asked for.

use super::told::{Page, evidence, status, waiting};
use crate::begin::go_on;
use agents::Waiting;
use engine::guest::{self, Open};
use kernel::Machine;
use kernel::machine::Activity;
use serde_json::Value;
use std::time::{Duration, Instant};
use workspace::{EngineError, Project};

/// Clients give up on a tool after a minute.
const PATIENCE: Duration = Duration::from_secs(45);
/// Of another process nobody is told what it does: its journal is looked at.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn take(project: &Project, run: &str) -> Result<String, EngineError> {
    let run = match run {
        "" => only(project)?,
        run => run.to_owned(),
    };
    match settle(project, &run, None)? {
        Stands::Open(open) => {
            Waiting::take(&open.home());
            Ok(brief(&open))
        }
        Stands::Moves => Ok(format!(
            "nothing of `{run}` can be taken yet: the engine is at work. `take` again in a while."
        )),
        Stands::Rests => Err(EngineError::user(
            "nothing_to_take",
            format!(
                "nothing of `{run}` waits for a guest: {}",
                status(project, &run)?
            ),
            "`start` begins another run; what a person must do, `inbox` says",
        )),
    }
}

pub(super) fn hand_in(
    project: &Project,
    (run, attempt): (&str, &str),
    result: &Value,
    page: Page<'_>,
) -> Result<String, EngineError> {
    let open = guest::open(project, run)?;
    let Some(open) = open.filter(|open| open.effect.to_string() == attempt) else {
        return Err(EngineError::user(
            "nothing_to_hand_in",
            format!(
                "attempt `{attempt}` of `{run}` waits for nothing: its time is over, or it was handed in or ended"
            ),
            "`take` the work anew; what you have made in the old folder has to be brought over",
        ));
    };
    guest::hand_in(project, &open, result)?;
    let stands = settle(project, run, Some(&open))?;
    let said = evidence(project, run)?;
    Ok(match stands {
        Stands::Open(next) => {
            Waiting::take(&next.home());
            let brief = brief(&next);
            format!("handed in, and it is not done yet:\n\n{said}\n\n{brief}")
        }
        Stands::Moves => "handed in; the gates still run. `status` says where it stands, `evidence` what failed, `take` what is to be done next.".to_owned(),
        Stands::Rests => format!("handed in.\n\n{said}\n\n{}", waiting(project, page)?),
    })
}

/// Where a run stands for a guest.
enum Stands {
    /// Somebody can work.
    Open(Box<Open>),
    /// The engine works.
    Moves,
    /// It is over, or waits for a person.
    Rests,
}

/// Waits until a run stands still, with an engine for it where nobody drives it.
fn settle(project: &Project, run: &str, after: Option<&Open>) -> Result<Stands, EngineError> {
    let began = Instant::now();
    let mut begun = false;
    loop {
        // Before the journal is looked at: what an engine wrote last is then seen.
        let driven = report::look::is_driven(project, run);
        let status = report::look::peek_run(project, run)?.machine.status();
        let mut flying = status.in_flight.iter();
        let handed_in = after.is_some_and(|open| flying.any(|one| one.effect == open.effect));
        if !handed_in && let Some(open) = guest::open(project, run)? {
            return Ok(Stands::Open(Box::new(open)));
        }
        let works = handed_in || status.activity == Activity::Working;
        match (driven, works) {
            (false, false) => return Ok(Stands::Rests),
            (false, true) if begun => return Ok(Stands::Rests),
            (false, true) => {
                go_on(project, run)?;
                begun = true;
            }
            (true, _) => {}
        }
        if began.elapsed() > PATIENCE {
            return Ok(Stands::Moves);
        }
        std::thread::sleep(PAUSE);
    }
}

/// The one run that a guest works in and that is not over.
fn only(project: &Project) -> Result<String, EngineError> {
    let names = store::list(&project.journals())?;
    let mut found = Vec::new();
    for name in names.iter().map(|name| name.as_str()) {
        let Ok(peek) = report::look::peek_run(project, name) else {
            continue;
        };
        let yours = peek.machine.started().is_some_and(|one| one.unconfined);
        if yours && peek.machine.status().activity == Activity::Working {
            found.push(name.to_owned());
        }
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(EngineError::user(
            "nothing_to_take",
            "nothing waits for a guest",
            "`start` begins a run; a person sets `agent = \"guest\"` in .proofhouse/config.toml to have you work in it",
        )),
        many => Err(EngineError::user(
            "nothing_to_take",
            format!("several runs wait for a guest: {}", many.join(", ")),
            "name one as `run`",
        )),
    }
}

fn brief(open: &Open) -> String {
    format!(
        "Attempt `{}` of `{}`: role `{}`, state `{}`, {} minutes in all. Work in this folder and nowhere else, without git:\n  {}\nFiles of the task lie in\n  {}\nWhen you are done, call `hand_in` with this run and attempt, and as `result` the JSON object that the brief ends with. Where the brief says that nothing else can be reached, that is a rule for you: nothing holds you to it here, and the record says so.\n\n{}",
        open.effect,
        open.run,
        open.waiting.role,
        open.waiting.state,
        open.waiting.wall_millis / 60_000,
        open.view.join("repo").display(),
        open.view.join("task").display(),
        open.brief
    )
}
