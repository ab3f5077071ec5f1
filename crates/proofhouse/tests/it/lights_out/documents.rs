//! Each condition that a gate holds a document to, one change of the happy documents at a time. The
//! gates are those of the workflow; only checks that read documents are run, so a case is cheap.

use super::HAPPY;
use checks::{BoxError, Keep, Place, Subject, TreeNow, run_gate};
use flow::{Workflow, built_in, load};
use kernel::effect::CheckSpec;
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

const CASES: &str = include_str!("../../data/lights-out/documents.toml");

static WORKFLOW: LazyLock<Workflow> = LazyLock::new(|| {
    let source = built_in("lights-out").unwrap();
    let lint = |name: &str, with: &_| checks::lint(name, with).map_err(|why| why.to_string());
    load(&source, &lint).unwrap_or_else(|error| panic!("{error}"))
});

/// The documents that the happy agent writes, by path in its view.
fn documents() -> BTreeMap<String, String> {
    let script: toml::Table = toml::from_str(HAPPY).unwrap();
    let attempts = script["attempt"].as_array().unwrap().iter();
    let steps = attempts.flat_map(|attempt| attempt["steps"].as_array().unwrap());
    steps
        .filter_map(|step| {
            let path = step.get("write")?.as_str()?.to_owned();
            Some((path, step["text"].as_str()?.to_owned()))
        })
        .collect()
}

/// A vault that forgets: every gate here is the first.
struct Nowhere;

impl Keep for Nowhere {
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        Ok(EvidenceRef {
            hash: String::new(),
            name: name.to_owned(),
            size: bytes.len() as u64,
        })
    }
    fn keep_exact(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        self.keep(name, bytes)
    }
    fn fetch(&self, hash: &str) -> Result<Vec<u8>, BoxError> {
        Err(format!("nothing is kept as {hash}").into())
    }
    fn earlier(&self, _: &str) -> Result<Vec<Vec<u8>>, BoxError> {
        Ok(Vec::new())
    }
}

/// Checks that read documents, and nothing else.
fn reads(spec: &CheckSpec) -> bool {
    let of_documents = ["sections", "ids", "entries", "one_of", "covers", "findings"];
    let proofs = ["task/persistence.json", "task/load.json"];
    of_documents.contains(&spec.check.as_str())
        || proofs.iter().any(|file| spec.with["file"] == *file)
}

/// What the gate of this state says of these documents.
fn judged(state: &str, documents: &BTreeMap<String, String>) -> Vec<CheckResult> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in documents {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let specs: Vec<CheckSpec> = WORKFLOW.states[state]
        .gate
        .iter()
        .filter(|spec| reads(spec))
        .cloned()
        .collect();
    let place = Place {
        repo: &folder.path().join("repo"),
        task: &folder.path().join("task"),
        views: checks::Views::default(),
    };
    let (cancel, tree) = (sandbox::Cancel::new(), || Ok(TreeNow::default()));
    let subject = Subject {
        tree_before: "tree",
        tree_after: "tree",
        ..Subject::new(place, Duration::from_secs(60), &cancel, &Nowhere, &tree)
    };
    run_gate(&specs, &subject)
}

/// The reasons of those that did not pass, a line each.
fn wrong(results: &[CheckResult]) -> String {
    let bad = results.iter().filter(|one| one.verdict != Verdict::Pass);
    bad.map(|one| format!("{}: {}\n", one.check, one.reason))
        .collect()
}

fn change(documents: &mut BTreeMap<String, String>, how: &toml::Table) {
    let text = |key: &str| how[key].as_str().unwrap();
    let document = documents.get_mut(text("file")).unwrap();
    assert_eq!(document.matches(text("find")).count(), 1, "{how:?}");
    *document = document.replace(text("find"), text("replace"));
}

#[test]
fn every_condition_of_a_document_is_held_by_its_gate() {
    let cases: toml::Table = toml::from_str(CASES).unwrap();
    let mut wrongly: Vec<String> = Vec::new();
    for case in cases["case"].as_array().unwrap() {
        let case = case.as_table().unwrap();
        let text = |key: &str| case.get(key).and_then(toml::Value::as_str);
        let mut documents = documents();
        change(&mut documents, case);
        if let Some(also) = case.get("also") {
            change(&mut documents, also.as_table().unwrap());
        }
        for also in case
            .get("and")
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten()
        {
            change(&mut documents, also.as_table().unwrap());
        }
        let said = wrong(&judged(text("gate").unwrap(), &documents));
        let why = text("why").unwrap();
        match text("says") {
            Some(want) if !said.contains(want) => {
                wrongly.push(format!("{why}: no `{want}` in `{said}`"));
            }
            None if !said.is_empty() => wrongly.push(format!("{why}: {said}")),
            _ => {}
        }
    }
    assert!(wrongly.is_empty(), "{}", wrongly.join("\n"));
}

#[test]
fn every_section_that_a_gate_asks_for_is_missed() {
    let mut tried = 0;
    for (state, def) in &WORKFLOW.states {
        // A scope is judged again when a version of it is confirmed.
        let asked = def.gate.iter().filter(|spec| spec.check == "sections");
        for spec in asked.filter(|spec| spec.with.get("when").is_none()) {
            let file = spec.with["file"].as_str().unwrap();
            assert_eq!(wrong(&judged(state.as_str(), &documents())), "", "{state}");
            for heading in spec.with["headings"].as_array().unwrap() {
                let heading = heading.as_str().unwrap();
                let mut documents = documents();
                let document = documents.get_mut(file).unwrap();
                *document = document.replace(&format!("## {heading}\n"), "## Something else\n");
                let said = wrong(&judged(state.as_str(), &documents));
                assert!(said.contains(heading), "{state}: {heading}: {said}");
                tried += 1;
            }
        }
    }
    assert!(tried > 60, "only {tried} sections were tried");
}
