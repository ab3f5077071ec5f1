//! What proves what: `tests/data/matrix.toml` names for each workflow and each way to go wrong the test
//! and the transcript; `tests/data/add/codes.toml` does so for each code of a method. A cell without a
//! proof, a proof that is not there, a play that does not ask for its refusal and a refusal that its
//! test does not assert are failures here.

mod asserted;

use crate::play::{self, Play};
use asserted::asserts;
use kernel::table::Completing;
use kernel::{Kind, StateName};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

const ROWS: [&str; 19] = [
    "happy path",
    "each gate fails once",
    "each gate fails thrice",
    "each human decision",
    "a crash at every event",
    "edited test",
    "deleted test",
    "skipped test",
    "weakened assertion through runner config",
    "contract edited after freeze",
    "stub that hard-codes fixtures",
    "early exit 0",
    "tests that never run",
    "forged gate record",
    "forged approval",
    "edited snapshot",
    "scope escape",
    "instructions planted in docs/input",
    "a finding called fixed",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    workflow: String,
    row: String,
    test: Option<String>,
    data: Option<String>,
    /// Further cheats of this row.
    #[serde(default)]
    also: Vec<String>,
    says: Option<String>,
    cannot: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    code: String,
    test: Option<String>,
    /// A cheat of `tests/data/cheats`, which is played with all the others.
    play: Option<String>,
    cannot: Option<String>,
}

fn read(path: &str) -> String {
    std::fs::read_to_string(play::data(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn list<T: serde::de::DeserializeOwned>(path: &str, key: &str) -> Vec<T> {
    let mut table: toml::Table = toml::from_str(&read(path)).unwrap();
    let list = table
        .remove(key)
        .unwrap_or_else(|| panic!("{path}: no {key}"));
    list.try_into()
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What is wrong with one proof: a play that is played, and asks for the text; or a test that asserts it.
fn judge(workflow: &str, test: &str, data: Option<&str>, says: &str) -> Result<(), String> {
    if let Some(data) = data.filter(|data| !play::data(data).is_file()) {
        return Err(format!("there is no transcript {data}"));
    }
    // The name of a transcript stands wherever it is read.
    if data.is_some_and(|data| data.contains(says)) && !says_who_plays(data) {
        return Err(format!("`{says}` is the name of its transcript"));
    }
    let player = match data.and_then(|data| data.split_once('/')) {
        Some(("cheats", _)) => {
            let play: Play = play::read(data.unwrap_or_default());
            is_refused(&play, says)?;
            format!(
                "cheats::every_cheat_in_{}_ends_in_its_refusal",
                play.workflow.replace('-', "_")
            )
        }
        Some(("crashes", _)) => format!("everywhere::of_{}", says.replace('-', "_")),
        Some(("gates" | "decisions", _)) => {
            format!("plays::{}::{says}", workflow.replace('-', "_"))
        }
        _ => return asserts(test, says),
    };
    if test == player {
        return Ok(());
    }
    Err(format!("{test} does not play it, {player} does"))
}

/// Does `says` name the player of this transcript, and no text?
fn says_who_plays(data: Option<&str>) -> bool {
    let folder = data.and_then(|data| data.split_once('/'));
    matches!(folder, Some(("crashes" | "gates" | "decisions", _)))
}

/// A cheat asks for its refusal, and never ends in a pass.
fn is_refused(play: &Play, says: &str) -> Result<(), String> {
    if !play.asks_for(says) {
        return Err(format!("it asks for no `{says}`"));
    }
    let workflow = play::workflow(&play.workflow);
    let ends = StateName::from(play.ends.state.as_str());
    let state = workflow.table.states.get(&ends).ok_or("no such state")?;
    let passed = state.completing == Completing::Yes
        || state.kind == Kind::End
        || workflow.states[&ends].done;
    if passed {
        return Err(format!("it ends in `{ends}`, and that is a pass"));
    }
    Ok(())
}

#[test]
fn every_workflow_and_every_way_to_go_wrong_has_its_proof() {
    let cells: Vec<Cell> = list("matrix.toml", "cell");
    let mut wrong = Vec::new();
    for workflow in flow::built_in_names() {
        for row in ROWS {
            let mut fit = cells
                .iter()
                .filter(|cell| cell.workflow == workflow && cell.row == row);
            let (Some(cell), None) = (fit.next(), fit.next()) else {
                wrong.push(format!("{workflow}, {row}: no proof, or two"));
                continue;
            };
            let judged = match (&cell.test, &cell.says, &cell.cannot) {
                (Some(test), Some(says), None) => judge(workflow, test, cell.data.as_deref(), says),
                (None, None, Some(why)) if why.len() > 20 => Ok(()),
                _ => Err("neither a test with what it says, nor a reason".to_owned()),
            };
            for also in &cell.also {
                let found = is_refused(&play::read(also), "");
                wrong.extend(found.err().map(|why| format!("{also}: {why}")));
            }
            wrong.extend(judged.err().map(|why| format!("{workflow}, {row}: {why}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let workflows = flow::built_in_names().count();
    assert_eq!(cells.len(), workflows * ROWS.len(), "cells of no row");
}

#[test]
fn every_transcript_of_a_cheat_is_in_the_matrix() {
    let cells: Vec<Cell> = list("matrix.toml", "cell");
    let codes: Vec<Code> = list("add/codes.toml", "code");
    let mut used: BTreeSet<String> = codes.into_iter().filter_map(|code| code.play).collect();
    used.extend(
        cells
            .into_iter()
            .flat_map(|cell| cell.data.into_iter().chain(cell.also)),
    );
    for name in play::names("cheats") {
        assert!(
            used.contains(&format!("cheats/{name}.toml")),
            "{name} proves no cell"
        );
    }
}

#[test]
fn every_code_of_the_method_comes_or_cannot() {
    let codes: Vec<Code> = list("add/codes.toml", "code");
    let known: BTreeSet<&str> = codes.iter().map(|code| code.code.as_str()).collect();
    assert_eq!(known.len(), codes.len(), "a code twice");
    let mut wrong = Vec::new();
    for code in &codes {
        match (&code.test, &code.play, &code.cannot) {
            (Some(test), None, None) => wrong.extend(asserts(test, &code.code).err()),
            (None, Some(play), None) => {
                let found = is_refused(&play::read(play), &code.code);
                wrong.extend(found.err().map(|why| format!("{play}: {why}")));
            }
            (None, None, Some(why)) if why.len() > 20 => {}
            _ => wrong.push(format!("{}: neither a test nor a reason", code.code)),
        }
    }
    // What the page on `add` promises is here.
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/add.md");
    let page = std::fs::read_to_string(page).unwrap();
    let table = page.split("## Refusals").nth(1).unwrap();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cell = line.split('|').nth(1).unwrap();
        for code in cell.split('`').skip(1).step_by(2) {
            if !known.contains(code) {
                wrong.push(format!("docs/add.md has `{code}`, and nothing proves it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
