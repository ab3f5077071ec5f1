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

static TAUGHT: LazyLock<String> = LazyLock::new(|| WORKFLOW.teaches());

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

/// The same as they are when this state ends: a next version says what is new, and what was distilled
/// has its sources.
fn documents_in(state: &str) -> BTreeMap<String, String> {
    let mut documents = documents();
    let mail = "We want to be greeted.\n".to_owned();
    documents.insert("repo/docs/input/mail.txt".to_owned(), mail);
    if state == "IterationConfirmed" {
        let scope = documents.get_mut("task/scope.md").unwrap();
        scope.push_str("## Changes\nIt speaks German as well.\n");
    }
    documents
}

/// The same of a product that is shipped somewhere.
fn shipped_in(state: &str) -> BTreeMap<String, String> {
    let mut documents = documents_in(state);
    let scope = documents.get_mut("task/scope.md").unwrap();
    *scope = scope.replace("None; it runs locally.", "The branch `live`.");
    documents
}

fn always(spec: &CheckSpec) -> bool {
    spec.with.get("when").is_none()
}

/// What is asked for where the product is shipped, and not else.
fn where_shipped(spec: &CheckSpec) -> bool {
    spec.with["when"].get("is_not").is_some()
}

/// A vault that forgets: every gate here is the first.
pub(crate) struct Nowhere;

impl Keep for Nowhere {
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        Ok(EvidenceRef {
            hash: String::new(),
            name: name.to_owned(),
            size: bytes.len() as u64,
            sealed: false,
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
    let of_documents = [
        "sections",
        "ids",
        "entries",
        "one_of",
        "covers",
        "findings",
        "sourced",
        "components",
    ];
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
        installed: &folder.path().join("repo"),
        task: &folder.path().join("task"),
        views: checks::Views::default(),
    };
    let names = documents
        .keys()
        .filter_map(|path| path.strip_prefix("repo/"));
    let files: BTreeMap<String, String> =
        names.map(|name| (name.to_owned(), String::new())).collect();
    let hash = String::new();
    let now = TreeNow { hash, files };
    let (cancel, tree) = (sandbox::Cancel::new(), || Ok(now.clone()));
    let subject = Subject {
        brief: &TAUGHT,
        tree_before: "tree",
        tree_after: "tree",
        ..Subject::new(place, Duration::from_secs(60), &cancel, &Nowhere, &tree)
    };
    run_gate(&specs, &subject)
}

/// The reasons of those that did not pass, a line each.
pub(crate) fn wrong(results: &[CheckResult]) -> String {
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

/// The documents as a case has them.
fn changed(case: &toml::Table) -> BTreeMap<String, String> {
    let mut documents = documents_in(case["gate"].as_str().unwrap());
    change(&mut documents, case);
    if let Some(also) = case.get("also") {
        change(&mut documents, also.as_table().unwrap());
    }
    let more = case.get("and").and_then(toml::Value::as_array);
    for also in more.into_iter().flatten() {
        change(&mut documents, also.as_table().unwrap());
    }
    documents
}

#[test]
fn every_condition_of_a_document_is_held_by_its_gate() {
    let cases: toml::Table = toml::from_str(CASES).unwrap();
    let mut wrongly: Vec<String> = Vec::new();
    for case in cases["case"].as_array().unwrap() {
        let case = case.as_table().unwrap();
        let text = |key: &str| case.get(key).and_then(toml::Value::as_str);
        let documents = changed(case);
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
        for spec in asked.filter(|spec| always(spec) || where_shipped(spec)) {
            let file = spec.with["file"].as_str().unwrap();
            let honest = shipped_in(state.as_str());
            assert_eq!(wrong(&judged(state.as_str(), &honest)), "", "{state}");
            for heading in spec.with["headings"].as_array().unwrap() {
                let heading = heading.as_str().unwrap();
                let mut documents = shipped_in(state.as_str());
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

/// The documents that the happy agent writes in this state.
fn written_in(state: &str) -> Vec<String> {
    let script: toml::Table = toml::from_str(HAPPY).unwrap();
    let attempts = script["attempt"].as_array().unwrap().iter();
    let here = attempts.filter(|attempt| attempt["state"].as_str() == Some(state));
    let steps = here.flat_map(|attempt| attempt["steps"].as_array().unwrap());
    let path = |step: &toml::Value| Some(step.get("write")?.as_str()?.to_owned());
    steps.filter_map(path).collect()
}

/// A document with its form and no word: headings, ids, columns and labels stay, all else is `x`.
fn hollow(text: &str) -> String {
    filled(text, &mut || "x".to_owned())
}

/// The same with these texts in it.
fn filled(text: &str, says: &mut dyn FnMut() -> String) -> String {
    let mut line = |line: &str| match line.trim() {
        "" => String::new(),
        fence if fence.starts_with("```") || fence.starts_with("|--") => fence.to_owned(),
        title if title.starts_with('#') => title.to_owned(),
        row if row.starts_with('|') => {
            let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
            let cell = |(at, cell): (usize, &&str)| match at {
                0 => (*cell).to_owned(),
                _ => format!(" {} ", says()),
            };
            let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
            format!("|{}|", cells.join("|"))
        }
        item if item.starts_with("- AC-") => format!("{}: {}", &item[..6], says()),
        item if item.starts_with("- ") => format!("- {}", says()),
        _ => says(),
    };
    let lines: Vec<String> = text.lines().map(&mut line).collect();
    lines.join("\n") + "\n"
}

/// Sentences of the briefs, one after the other.
pub(crate) fn sentences_of(taught: &str) -> Vec<String> {
    let taught = taught.replace('\n', " ");
    let sentences = taught.split(". ").map(str::trim);
    let plain = |one: &&str| one.split(' ').count() > 6 && !one.contains(['`', '#', '{', '|', ':']);
    sentences.filter(plain).map(str::to_owned).collect()
}

#[test]
fn neighbours_of_x_are_refused_at_each_gate_on_their_own() {
    let taught = sentences_of(&TAUGHT);
    assert!(taught.len() > 20, "{taught:?}");
    let mut faults = Vec::new();
    for (state, def) in &WORKFLOW.states {
        if def.role.is_none() || !def.gate.iter().any(reads) {
            continue;
        }
        let documents = documents_in(state.as_str());
        for path in written_in(state.as_str()) {
            let Some(honest) = documents.get(&path).filter(|_| path.ends_with(".md")) else {
                continue;
            };
            let mut at = 0;
            let mut brief = || {
                at += 1;
                taught[at % taught.len()].clone()
            };
            let ways: [(&str, &mut dyn FnMut() -> String); 4] = [
                ("one sentence", &mut || {
                    "Everything is as it should be.".to_owned()
                }),
                ("Latin", &mut || "Lorem ipsum dolor sit amet.".to_owned()),
                ("keys", &mut || "asdf jkl qwerty".to_owned()),
                ("the brief", &mut brief),
            ];
            for (title, says) in ways {
                let mut documents = documents.clone();
                documents.insert(path.clone(), filled(honest, says));
                let said = wrong(&judged(state.as_str(), &documents));
                let heard = said.contains("say the same") || said.contains("says nothing");
                // One sentence may be missed as such where something else is missing more.
                if !heard && (title != "one sentence" || said.is_empty()) {
                    faults.push(format!("{state}: {path}: {title}: {said}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_document_of_x_is_refused_at_each_gate_on_its_own() {
    let mut tried = Vec::new();
    for (state, def) in &WORKFLOW.states {
        if def.role.is_none() || !def.gate.iter().any(reads) {
            continue;
        }
        // All that came before is honest, and so is what is written here: it passes.
        let documents = documents_in(state.as_str());
        assert_eq!(wrong(&judged(state.as_str(), &documents)), "", "{state}");
        let mut here = written_in(state.as_str());
        if state.as_str() == "IterationConfirmed" {
            here.push("task/scope.md".to_owned());
        }
        for path in here.iter().filter(|path| path.ends_with(".md")) {
            let text = hollow(&documents[path]);
            let mut documents = documents.clone();
            documents.insert(path.clone(), text);
            let said = wrong(&judged(state.as_str(), &documents));
            assert!(said.contains("says nothing"), "{state}: {path}: {said}");
            tried.push(state.to_string());
        }
    }
    tried.dedup();
    let judged = [
        "AuditingStack",
        "Analyzing",
        "Deploying",
        "Designing",
        "Distilling",
        "Expanding",
        "Iterating",
        "IterationConfirmed",
        "Reconciling",
        "Reviewing",
        "Verifying",
    ];
    for state in judged {
        assert!(
            tried.iter().any(|tried| tried == state),
            "{state} was not tried"
        );
    }
    // The others write code or questions, and are judged by running them.
    for (state, def) in &WORKFLOW.states {
        let runs = def
            .gate
            .iter()
            .any(|spec| ["slices", "tests", "exam"].contains(&spec.check.as_str()));
        let known = def.role.is_none() || judged.contains(&state.as_str()) || runs;
        assert!(known, "nobody judges {state}");
    }
}

#[test]
fn each_section_of_x_is_refused_by_its_name_where_all_else_is_honest() {
    let mut tried = 0;
    for (state, def) in &WORKFLOW.states {
        let asked = def.gate.iter().filter(|spec| spec.check == "sections");
        for spec in asked.filter(|spec| always(spec) || where_shipped(spec)) {
            let file = spec.with["file"].as_str().unwrap();
            for heading in spec.with["headings"].as_array().unwrap() {
                let heading = heading.as_str().unwrap();
                let mut documents = shipped_in(state.as_str());
                let document = documents.get_mut(file).unwrap();
                let title = format!("## {heading}\n");
                let (before, after) = document.split_once(&title).expect("an honest document");
                let rest = after.find("\n## ").map_or("", |at| &after[at + 1..]);
                *document = format!("{before}## {heading}\nx\n{rest}");
                let said = wrong(&judged(state.as_str(), &documents));
                assert!(said.contains(heading), "{state}: {heading}: {said}");
                tried += 1;
            }
        }
    }
    assert!(tried > 50, "only {tried} sections were tried");
}

#[test]
fn every_text_has_a_judge_and_every_role_that_judges_is_asked() {
    assert!(WORKFLOW.judged.len() > 60, "{}", WORKFLOW.judged.len());
    for state in ["Analyzing", "Reviewing", "Reconciling", "Verifying"] {
        let def = &WORKFLOW.states[state];
        assert!(!def.questions.is_empty(), "{state}");
        for question in &def.questions {
            let named = format!("question {} in {state}", question.id);
            let judges = WORKFLOW.judged.iter().any(|one| one.by == named);
            assert!(judges, "{named} judges no text");
        }
    }
}

/// What the happy agent answers in this state.
fn answers_in(state: &str) -> Option<serde_json::Value> {
    let script: toml::Table = toml::from_str(HAPPY).unwrap();
    let attempts = script["attempt"].as_array().unwrap().iter();
    let mut here = attempts.filter(|attempt| attempt["state"].as_str() == Some(state));
    let result = here.next()?.get("result")?.get("answers")?.clone();
    Some(serde_json::to_value(result).unwrap())
}

/// What the questions of this state say of these answers, where something is built.
fn answered(state: &str, answers: &serde_json::Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut documents = documents_in(state);
    for (path, text) in [
        ("repo/preferences.md", "# Preferences\n\nStack: Rust\n"),
        ("task/log.md", "# Log\n\nExpanding passed.\n"),
    ] {
        documents.insert(path.to_owned(), text.to_owned());
    }
    for (path, text) in &documents {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let specs = WORKFLOW.states[state].gate.iter();
    let specs = specs.filter(|spec| ["questions", "stands"].contains(&spec.check.as_str()));
    let specs: Vec<CheckSpec> = specs.cloned().collect();
    let place = Place {
        repo: &folder.path().join("repo"),
        installed: &folder.path().join("repo"),
        task: &folder.path().join("task"),
        views: checks::Views::default(),
    };
    let result = serde_json::json!({ "summary": "s", "answers": answers });
    let built = [kernel::StateName::from("Building")].into();
    let now = TreeNow {
        hash: String::new(),
        files: BTreeMap::new(),
    };
    let (cancel, tree) = (sandbox::Cancel::new(), || Ok(now.clone()));
    let subject = Subject {
        brief: &TAUGHT,
        result: Some(&result),
        standing: &built,
        ..Subject::new(place, Duration::from_secs(60), &cancel, &Nowhere, &tree)
    };
    wrong(&run_gate(&specs, &subject))
}

#[test]
fn answers_of_x_are_refused_at_each_gate_each_by_itself() {
    let mut tried = 0;
    for (state, def) in WORKFLOW
        .states
        .iter()
        .filter(|(_, def)| !def.questions.is_empty())
    {
        let honest = answers_in(state.as_str()).expect("honest answers");
        assert_eq!(answered(state.as_str(), &honest), "", "{state}");
        for question in &def.questions {
            let id = &question.id;
            let says = |answer: &str, evidence: &str| {
                let mut answers = honest.clone();
                answers[id] = serde_json::json!({ "answer": answer, "evidence": evidence });
                answered(state.as_str(), &answers)
            };
            let evidence = honest[id]["evidence"].as_str().unwrap();
            let mut unsaid = honest.clone();
            unsaid.as_object_mut().unwrap().remove(id);
            for (title, said) in [
                ("a letter for evidence", says("yes", "x")),
                ("a letter and a place", says("yes", "task/scope.md x")),
                ("a place and no word", says("yes", "task/scope.md")),
                ("a letter for an answer", says("x", evidence)),
                ("no", says("no", evidence)),
                ("nothing", answered(state.as_str(), &unsaid)),
            ] {
                let name = format!("questions: {id}");
                assert!(said.contains(&name), "{state}: {id}: {title}: {said}");
                assert_eq!(said.lines().count(), 1, "{state}: {id}: {title}: {said}");
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 25);
}
