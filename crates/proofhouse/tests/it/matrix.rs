//! What proves what: `tests/data/matrix.toml` names for each workflow and each way to go wrong the test
//! and the transcript; `tests/data/add/codes.toml` does so for each code of a method. A cell without a
//! proof, a proof that is not there and a refusal that its test does not assert are failures here.

use crate::cheats;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const WORKFLOWS: [&str; 4] = ["lights-out", "slice", "add", "phase"];
const ROWS: [&str; 18] = [
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
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    workflow: String,
    row: String,
    test: Option<String>,
    data: Option<String>,
    says: Option<String>,
    cannot: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    code: String,
    test: Option<String>,
    cannot: Option<String>,
}

fn read(path: &str) -> String {
    std::fs::read_to_string(cheats::data(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn list<T: serde::de::DeserializeOwned>(path: &str, key: &str) -> Vec<T> {
    let mut table: toml::Table = toml::from_str(&read(path)).unwrap();
    let list = table
        .remove(key)
        .unwrap_or_else(|| panic!("{path}: no {key}"));
    list.try_into()
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The source of a module of these tests.
fn source(module: &[&str]) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let path: PathBuf = module.iter().collect();
    std::fs::read_to_string(root.join(path).with_extension("rs")).ok()
}

/// The text of a function, from its attributes to its closing brace at the margin.
fn function<'s>(source: &'s str, name: &str) -> Option<&'s str> {
    let at = source.find(&format!("fn {name}("))?;
    let head = source[..at].rfind("\n\n").unwrap_or(0);
    let end = source[at..].find("\n}")?;
    Some(&source[head..at + end])
}

/// Does the test exist and assert the text, in itself or in a helper of its file that it calls?
fn asserts(test: &str, says: &str) -> Result<(), String> {
    let parts: Vec<&str> = test.split("::").collect();
    let (name, module) = parts.split_last().ok_or("no test is named")?;
    let source = source(module).ok_or_else(|| format!("{test}: there is no such file"))?;
    let body = function(&source, name).ok_or_else(|| format!("{test}: there is no such test"))?;
    if !body.contains("#[test]") || body.contains("#[ignore") {
        return Err(format!("{test} is no test that runs"));
    }
    let helpers = source.match_indices("fn ").filter_map(|(at, _)| {
        let name = source[at + 3..].split(['(', '<']).next()?;
        let called = body.contains(&format!("{name}("));
        called.then(|| function(&source, name)).flatten()
    });
    let mut texts = std::iter::once(body).chain(helpers);
    if texts.any(|text| text.contains(says)) {
        return Ok(());
    }
    Err(format!("{test} asserts no `{says}`"))
}

/// What is wrong with one proof.
fn judge(test: &str, data: Option<&str>, says: &str) -> Result<(), String> {
    if let Some(data) = data
        && !cheats::data(data).is_file()
    {
        return Err(format!("there is no transcript {data}"));
    }
    // Transcripts of cheats say themselves what must come of them; one test plays all of a folder.
    if let Some(transcript) = data.filter(|data| data.starts_with("cheats/")) {
        let text = read(transcript);
        if !text.contains(says) {
            return Err(format!("{transcript} asks for no `{says}`"));
        }
        return asserts(test, "");
    }
    asserts(test, says)
}

#[test]
fn every_workflow_and_every_way_to_go_wrong_has_its_proof() {
    let cells: Vec<Cell> = list("matrix.toml", "cell");
    let mut wrong = Vec::new();
    for workflow in WORKFLOWS {
        for row in ROWS {
            let mut fit = cells
                .iter()
                .filter(|cell| cell.workflow == workflow && cell.row == row);
            let (Some(cell), None) = (fit.next(), fit.next()) else {
                wrong.push(format!("{workflow}, {row}: no proof, or two"));
                continue;
            };
            let judged = match (&cell.test, &cell.says, &cell.cannot) {
                (Some(test), Some(says), None) => judge(test, cell.data.as_deref(), says),
                (None, None, Some(why)) if why.len() > 20 => Ok(()),
                _ => Err("neither a test with what it says, nor a reason".to_owned()),
            };
            wrong.extend(judged.err().map(|why| format!("{workflow}, {row}: {why}")));
        }
    }
    assert_eq!(cells.len(), WORKFLOWS.len() * ROWS.len(), "cells of no row");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_transcript_of_a_cheat_is_in_the_matrix() {
    let cells: Vec<Cell> = list("matrix.toml", "cell");
    let used: BTreeSet<String> = cells.into_iter().filter_map(|cell| cell.data).collect();
    for name in cheats::names() {
        assert!(
            used.contains(&format!("cheats/{name}.toml")),
            "{name} proves no cell"
        );
    }
}

#[test]
fn every_code_of_the_method_comes_or_can_not() {
    let codes: Vec<Code> = list("add/codes.toml", "code");
    let known: BTreeSet<&str> = codes.iter().map(|code| code.code.as_str()).collect();
    assert_eq!(known.len(), codes.len(), "a code twice");
    let mut wrong = Vec::new();
    for code in &codes {
        match (&code.test, &code.cannot) {
            (Some(test), None) => wrong.extend(judge(test, None, &code.code).err()),
            (None, Some(why)) if why.len() > 20 => {}
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

#[test]
fn a_proof_that_is_not_there_is_missed() {
    assert!(asserts("matrix::no_such_test", "x").is_err());
    assert!(asserts("nowhere::at_all", "x").is_err());
    assert!(
        asserts("matrix::asserts", "x").is_err(),
        "a helper is no test"
    );
    let test = "matrix::a_proof_that_is_not_there_is_missed";
    assert!(asserts(test, &["a text that", "stands nowhere"].join(" ")).is_err());
    assert!(asserts(test, "a helper is no test").is_ok());
    assert!(judge(test, Some("cheats/none.toml"), "").is_err());
}
