//! `proofhouse hook stop`: asked by a client when its agent is about to stop. It runs no check. It looks whether the
//! guest changed its folder since the last gate, or what that gate said; it says each once, and never where the
//! client says that it was asked already.

use super::exit;
use crate::mcp::told;
use agents::Waiting;
use engine::guest::{self, Open};
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
    for run in taken(project) {
        let Ok(Some(open)) = guest::open(project, &run) else {
            continue;
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

/// The runs of which somebody took work, and has not handed it in. No journal is read for it.
fn taken(project: &Project) -> Vec<String> {
    let mut runs = Vec::new();
    let names = store::list(&project.journals()).unwrap_or_default();
    for name in names.iter().map(|name| name.as_str()) {
        let homes = std::fs::read_dir(project.work(name)).into_iter().flatten();
        if homes.flatten().any(|home| Waiting::is_taken(&home.path())) {
            runs.push(name.to_owned());
        }
    }
    runs
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
