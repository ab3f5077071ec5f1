//! `proofhouse hook stop`: asked by a client when its agent is about to stop. It runs no check. It looks whether the
//! guest changed its folder since the last gate, what that gate said, or that what was handed in is still judged; it
//! says each once, and never where the client says that it was asked already.

use super::exit;
use crate::mcp::told;
use agents::Waiting;
use engine::guest::{self, Open};
use kernel::Machine;
use kernel::effect::EffectKind;
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};
use workspace::{EngineError, Project};

/// The longest message that a client sends.
const LONGEST: u64 = 1 << 20;

pub(crate) fn stop(place: &Path) -> Result<u8, EngineError> {
    let mut text = String::new();
    let input = std::io::stdin().lock().take(LONGEST);
    let read = { input }.read_to_string(&mut text);
    let asked: Value = match read {
        // Some put a mark of byte order before it.
        Ok(_) => serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default(),
        Err(_) => Value::Null,
    };
    if is_asked_again(&asked) {
        return Ok(exit::OK);
    }
    // Whoever works elsewhere is not kept from stopping.
    let Ok(project) = Project::find(&stands(&asked, place)) else {
        return Ok(exit::OK);
    };
    if let Some(why) = due(&project)? {
        println!("{}", answer(&asked, &why));
    }
    Ok(exit::OK)
}

/// Has the client gone on because of a hook before?
fn is_asked_again(asked: &Value) -> bool {
    let looped = asked["loop_count"].as_u64().unwrap_or(0) > 0;
    looped || asked["stop_hook_active"].as_bool().unwrap_or(false)
}

fn stands(asked: &Value, place: &Path) -> PathBuf {
    let said = asked["cwd"].as_str();
    let said = said.or_else(|| asked["workspace_roots"][0].as_str());
    said.map_or_else(|| place.to_owned(), PathBuf::from)
}

/// As the client wants to hear it: Cursor takes the next message, the others a reason.
fn answer(asked: &Value, why: &str) -> Value {
    match asked.get("loop_count") {
        Some(_) => json!({ "followup_message": why }),
        None => json!({ "decision": "block", "reason": why }),
    }
}

/// What a guest who took work is to be told, if it was not told so before.
fn due(project: &Project) -> Result<Option<String>, EngineError> {
    for (run, home) in taken(project) {
        let open = match guest::open(project, &run) {
            Ok(Some(open)) if Waiting::is_taken(&open.home()) => open,
            Ok(None) => match judged(project, &run, &home)? {
                None => continue,
                why => return Ok(why),
            },
            Ok(Some(_)) | Err(_) => continue,
        };
        let changed = open.waiting.changed(&open.home());
        let why = match &changed {
            Some(_) => Some(hand_in(&open)),
            None => told::failed(project, &run)?.map(|said| mend(&open, &said)),
        };
        // One state, one word.
        let state = changed.unwrap_or_else(|| "as it was taken".to_owned());
        if let Some(why) = why
            && Waiting::tell_once(&open.home(), &state)
        {
            return Ok(Some(why));
        }
    }
    Ok(None)
}

/// The runs of which somebody took work and that are not over, with the folder of the attempt that was taken last. No
/// journal is read for it.
fn taken(project: &Project) -> Vec<(String, PathBuf)> {
    let mut runs = Vec::new();
    let names = store::list(&project.journals()).unwrap_or_default();
    for name in names.iter().map(|name| name.as_str()) {
        let homes = std::fs::read_dir(project.work(name)).into_iter().flatten();
        let homes = homes.flatten().map(|home| home.path());
        let last = homes.filter(|home| Waiting::was_taken(home)).max();
        runs.extend(last.map(|home| (name.to_owned(), home)));
    }
    runs
}

/// That what was handed in is judged right now, where somebody does: once for each attempt.
fn judged(project: &Project, run: &str, home: &Path) -> Result<Option<String>, EngineError> {
    let status = report::look::peek_run(project, run)?.machine.status();
    let mut flying = status.in_flight.iter();
    let judges = flying.any(|one| one.kind == EffectKind::Gate);
    if !judges || !report::look::is_driven(project, run) {
        return Ok(None);
    }
    let doing = told::at_work(project, run)?;
    let tells = doing.filter(|_| Waiting::tell_once(home, "the gates run"));
    Ok(tells.map(|doing| {
        format!("What you handed in of `{run}` is judged ({doing}). Call `take` with this run: it waits for the gates, and says what is to be done next.")
    }))
}

fn hand_in(open: &Open) -> String {
    format!(
        "You have changed files since you took attempt `{}` of `{}`, and nothing of it was judged. Call `hand_in` with its result; if it cannot be done, say so in `impossible`.",
        open.effect, open.run
    )
}

fn mend(open: &Open, said: &str) -> String {
    format!(
        "`{}` is not done. {said}\nMend it in {} and call `hand_in` for attempt `{}`; if it cannot be done, say so in `impossible` of the result.",
        open.run,
        open.view.join("repo").display(),
        open.effect
    )
}
