//! `take` and `hand_in`: work that waits for a guest, and what becomes of it. A client waits for an answer no longer
//! than it has patience for; what goes on then goes on by itself, and can be asked for.

use super::told::{Page, at_work, evidence, evidence_beside, status, waiting};
use crate::begin::go_on;
use crate::cli::signing::takes_passkeys_alone;
use agents::Waiting;
use engine::guest::{self, Open};
use kernel::Machine;
use kernel::machine::Activity;
use report::now::Spool;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use workspace::room::Included;
use workspace::{EngineError, Project};

/// Clients give up on a tool after a minute.
const PATIENCE: Duration = Duration::from_secs(45);
/// Of another process nobody is told what it does: its journal is looked at.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn take(project: &Project, run: &str, page: Page<'_>) -> Result<String, EngineError> {
    let run = match run {
        "" => only(project)?,
        run => run.to_owned(),
    };
    match settle(project, &run, None)? {
        Stands::Open(open) => {
            taken(project, &open);
            Ok(brief(project, &open))
        }
        Stands::Moves => Ok(format!(
            "nothing of `{run}` can be taken yet: {}. `take` again in a while.",
            moving(project, &run)?
        )),
        Stands::Rests => Err(EngineError::user(
            "nothing_to_take",
            format!(
                "nothing of `{run}` waits for a guest: {}",
                status(project, &run)?
            ),
            way_on(project, &run, page)?.unwrap_or_else(|| {
                "`start` begins another run; what a person must do, `inbox` says".to_owned()
            }),
        )),
    }
}

/// What the engine does meanwhile.
fn moving(project: &Project, run: &str) -> Result<String, EngineError> {
    let doing = at_work(project, run)?;
    Ok(doing.unwrap_or_else(|| "the engine is at work".to_owned()))
}

/// What is to be done about a run of which nothing waits for a guest any more; none: nobody knows better than to
/// take it anew.
fn way_on(project: &Project, run: &str, page: Page<'_>) -> Result<Option<String>, EngineError> {
    if !takes_passkeys_alone(project, run) {
        return Ok(None);
    }
    let status = report::look::peek_run(project, run)?.machine.status();
    let place = page.of_run(project, run);
    Ok(match status.activity {
        Activity::Waiting => Some(format!(
            "nothing is left for you to do: it waits for the person, who answers with their passkey on {place}"
        )),
        Activity::Done => Some(format!(
            "nothing is left for you to do: the run is over. Tell the person: {place} shows it, and what it made they put onto their branch with `proofhouse land {run}`, unless that was done or there is nothing to land"
        )),
        Activity::Stopped => {
            Some("a person ended it; `start` begins another run, if they want one".to_owned())
        }
        Activity::Working | Activity::Resting => None,
    })
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
            way_on(project, run, page)?.unwrap_or_else(|| {
                "`take` the work anew; what you have made in the old folder has to be brought over"
                    .to_owned()
            }),
        ));
    };
    guest::hand_in(project, &open, result)?;
    let stands = settle(project, run, Some(&open))?;
    Ok(match stands {
        Stands::Open(next) => {
            taken(project, &next);
            let brief = brief(project, &next);
            let said = evidence_beside(project, run, &brief)?;
            format!("handed in, and it is not done yet:\n\n{said}\n\n{brief}")
        }
        Stands::Moves => format!(
            "handed in, and not judged to the end yet: {}. `take` in a while: it waits for the gates, and says what is to be done next. `evidence` says what failed.",
            moving(project, run)?
        ),
        Stands::Rests => format!(
            "handed in.\n\n{}\n\n{}",
            evidence(project, run)?,
            waiting(project, page)?
        ),
    })
}

/// Somebody works on it from now on, which whoever looks on sees.
fn taken(project: &Project, open: &Open) {
    Waiting::take(&open.home());
    Spool::open(project, &open.run, open.effect).tell("a guest has taken it");
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

/// What the engine's rooms have beside the tree and the folder has not, such as a virtual environment: where it
/// lies, so that the commands that judge can be tried.
fn beside(project: &Project, folder: &Path) -> String {
    // Nobody is kept from work because this is not known.
    let laid_in = workspace::room::laid_in(project).unwrap_or_default();
    let dependencies = laid_in
        .iter()
        .filter(|one| one.kind == Included::Dependencies && !folder.join(&one.path).exists());
    let lines: String = dependencies
        .map(|one| format!("\n  {}  is  {}", one.path.display(), one.source.display()))
        .collect();
    match lines.as_str() {
        "" => lines,
        lines => format!(
            "\nThe engine's rooms have these beside the tree, and this folder has not. To run a command that names one of them, name it where it lies in the person's repository, and write nothing there:{lines}"
        ),
    }
}

fn brief(project: &Project, open: &Open) -> String {
    let folder = open.view.join("repo");
    format!(
        "Attempt `{}` of `{}`: role `{}`, state `{}`, {} minutes in all. Work in this folder and nowhere else, without git (which would act on the person's repository around it):\n  {}\nFiles of the task lie in\n  {}{}\nWhen you are done, call `hand_in` with this run and attempt, and as `result` the JSON object that the brief ends with. Where the brief says that nothing else can be reached, that is a rule for you: nothing holds you to it here, and the record says so.\n\n{}",
        open.effect,
        open.run,
        open.waiting.role,
        open.waiting.state,
        open.waiting.wall_millis / 60_000,
        folder.display(),
        open.view.join("task").display(),
        beside(project, &folder),
        open.brief
    )
}
