//! Each text of a task is judged by its gate: where one says nothing and all else is honest, the gate
//! says so. Only checks that read are run, so a case is cheap.

use super::data;
use crate::lights_out::documents::{Nowhere, sentences_of, wrong};
use checks::{Place, Subject, TreeNow, run_gate};
use flow::{Workflow, built_in, load};
use kernel::effect::CheckSpec;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

static WORKFLOW: LazyLock<Workflow> = LazyLock::new(|| {
    let source = built_in("add").unwrap();
    let lint = |name: &str, with: &_| checks::lint(name, with).map_err(|why| why.to_string());
    load(&source, &lint).unwrap_or_else(|error| panic!("{error}"))
});

static TAUGHT: LazyLock<String> = LazyLock::new(|| WORKFLOW.teaches());

/// Checks that read what somebody wrote.
const READ: [&str; 9] = [
    "anchors",
    "codes",
    "covers",
    "entries",
    "flag",
    "globs",
    "lessons",
    "questions",
    "sections",
];

/// What lies in the task folder and the repository, and what was handed in.
#[derive(Clone)]
struct Written {
    task: String,
    cases: String,
    result: Value,
}

impl Written {
    /// What the honest agent leaves behind when it has worked in all phases up to this one.
    fn up_to(state: &str) -> Self {
        let script: toml::Table = toml::from_str(&data("honest.toml")).unwrap();
        let mut written = Self {
            task: built_in("add").unwrap().files["task/TASK.md"].clone(),
            cases: String::new(),
            result: Value::Null,
        };
        for attempt in script["attempt"].as_array().unwrap() {
            for step in attempt["steps"].as_array().unwrap() {
                let text = |key: &str| step.get(key).and_then(toml::Value::as_str);
                if let (Some(find), Some(put)) = (text("find"), text("replace")) {
                    assert!(written.task.contains(find), "{find}");
                    written.task = written.task.replacen(find, put, 1);
                }
                if let (Some("repo/tests/cases"), Some(cases)) = (text("write"), text("text")) {
                    written.cases = cases.to_owned();
                }
            }
            if attempt["state"].as_str() == Some("verify") {
                let evidence = "<!-- What was looked at, and what was seen. -->";
                let deep = "<!-- Wiring, dead code, or a semantic read: is the green earned? -->";
                let task = written.task.replace(evidence, "read src/total.sh again");
                written.task = task.replace(deep, "no fixture is in the code");
            }
            if attempt["state"].as_str() == Some(state) {
                written.result = serde_json::to_value(&attempt["result"]).unwrap();
                return written;
            }
        }
        panic!("nobody works in {state}");
    }

    /// What the gate of this state says against it, a line each.
    fn judged(&self, state: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("task/TASK.md", self.task.as_str()),
            ("repo/tests/cases", &self.cases),
            ("repo/src/cart.sh", "items() { echo none; }\n"),
            ("repo/src/total.sh", "total() { :; }\n"),
        ];
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let reads = |spec: &&CheckSpec| READ.contains(&spec.check.as_str());
        let gate = WORKFLOW.states[state].gate.iter().filter(reads);
        let binding = gate.filter(|spec| spec.weight == kernel::effect::Weight::Binding);
        let specs: Vec<CheckSpec> = binding.cloned().collect();
        let place = Place {
            repo: &folder.path().join("repo"),
            installed: &folder.path().join("repo"),
            task: &folder.path().join("task"),
            views: checks::Views::default(),
        };
        let names = files
            .iter()
            .filter_map(|(path, _)| path.strip_prefix("repo/"));
        let now = TreeNow {
            hash: String::new(),
            files: names.map(|name| (name.to_owned(), String::new())).collect(),
        };
        let (cancel, tree) = (sandbox::Cancel::new(), || Ok(now.clone()));
        let fields: BTreeMap<String, String> = self
            .task
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let forms = built_in("add").unwrap().files;
        let forms: BTreeMap<String, String> = forms
            .into_iter()
            .filter_map(|(file, text)| Some((file.strip_prefix("task/")?.to_owned(), text)))
            .collect();
        let changed = ["tests/cases", "src/total.sh"].map(|path| format!("repo/{path}"));
        let subject = Subject {
            fields: &fields,
            forms: Some(&forms),
            result: Some(&self.result),
            changed: &changed,
            brief: &TAUGHT,
            ..Subject::new(place, Duration::from_secs(60), &cancel, &Nowhere, &tree)
        };
        wrong(&run_gate(&specs, &subject))
    }
}

/// The phase, an honest text of it, what stands there instead, and what is said to that.
const HOLLOW: [(&str, &str, &str, &str); 27] = [
    (
        "ground",
        "what is in a cart",
        "x",
        "src/cart.sh says nothing",
    ),
    (
        "ground",
        "- src/cart.sh :: items - what is in a cart\n- src/total.sh (new)",
        "- x (new)",
        "say behind x what it will be",
    ),
    (
        "specify",
        "M1: the total of two prices is their sum",
        "M1: x",
        "`M1: x` says nothing",
    ),
    (
        "specify",
        "R1: a price that is no number",
        "R1: x",
        "says nothing",
    ),
    ("specify", "Code: refused", "Code: x", "says nothing"),
    (
        "specify",
        "- carts have totals; verify: sh tests/run.sh",
        "- x; verify: x",
        "says nothing",
    ),
    (
        "specify",
        "- prices are whole numbers; From:",
        "- x; From:",
        "says nothing",
    ),
    (
        "specify",
        "- prices are whole numbers; From: spec; Why: nobody said so",
        "- prices are whole numbers; From: spec; Why: x",
        "`Why` says nothing",
    ),
    (
        "scenarios",
        "- prices are whole numbers; From: spec",
        "- prices are whole numbers; From: hearsay",
        "says `From:` none of",
    ),
    (
        "contract",
        "- prices are whole numbers; From: spec",
        "- prices are whole numbers",
        "says `From:` none of",
    ),
    (
        "specify",
        "⚠ prices are whole numbers",
        "⚠ x",
        "says nothing",
    ),
    ("specify", "From: spec", "From: x", "does not say `From:`"),
    (
        "scenarios",
        "Given: prices 1 and 2",
        "Given: x",
        "`Given` says nothing",
    ),
    (
        "scenarios",
        "Then: it is 3",
        "Then: x",
        "`Then` says nothing",
    ),
    (
        "scenarios",
        "When: the total is asked for; Then: it says so",
        "When: x; Then: it says so",
        "`When` says nothing",
    ),
    (
        "scenarios",
        "is unchanged; Code: refused",
        "is unchanged; Code: x",
        "is no code",
    ),
    (
        "scenarios",
        "is unchanged; Code: refused",
        "is unchanged; Code: other",
        "not the code of R1",
    ),
    (
        "contract",
        "`total PRICE...` in src/total.sh prints the sum, or `refused`; `items` of src/cart.sh stays.",
        "x",
        "`Shape` says nothing",
    ),
    (
        "contract",
        "`total PRICE...` in src/total.sh prints the sum, or `refused`; `items` of src/cart.sh stays.",
        "x `items` src/cart.sh x",
        "names its anchors and says nothing",
    ),
    (
        "contract",
        "printed instead of a sum, as soon as a price is no number",
        "x",
        "says of `refused` says nothing",
    ),
    (
        "contract",
        "- `refused`: printed",
        "- `other`: printed",
        "which nothing refuses",
    ),
    (
        "contract",
        "- S1: s1_adds",
        "- S1: x",
        "nothing is said of S1",
    ),
    ("contract", "From: spec", "From: x", "does not say `From:`"),
    (
        "verify",
        "read src/total.sh again",
        "x",
        "`Evidence` says nothing",
    ),
    (
        "verify",
        "no fixture is in the code",
        "x",
        "`Deep checks` says nothing",
    ),
    (
        "observe",
        "totals that are refused",
        "x",
        "`Watch` says nothing",
    ),
    (
        "observe",
        "a suite can be ten lines of shell",
        "x",
        "says nothing",
    ),
];

#[test]
fn a_text_of_x_is_refused_at_each_gate_on_its_own() {
    for state in WORKFLOW.states.iter().filter(|(_, def)| def.role.is_some()) {
        let state = state.0.as_str();
        assert_eq!(Written::up_to(state).judged(state), "", "{state}");
    }
    for (state, honest, hollow, says) in HOLLOW {
        let mut written = Written::up_to(state);
        assert!(written.task.contains(honest), "{state}: {honest}");
        written.task = written.task.replace(honest, hollow);
        let said = written.judged(state);
        assert!(
            said.contains(says),
            "{state}: {hollow}: no `{says}` in {said}"
        );
    }
}

#[test]
fn neighbours_of_x_are_refused_at_each_gate_on_their_own() {
    let taught = &sentences_of(&TAUGHT)[3];
    let mut faults = Vec::new();
    for (state, honest, hollow, says) in HOLLOW {
        // A letter as the name of a source or a code is another matter.
        if !says.contains("says nothing") || hollow.contains("Code: x") {
            continue;
        }
        for filler in ["Lorem ipsum dolor sit amet", "asdf jkl qwerty", taught] {
            let mut written = Written::up_to(state);
            let words = hollow.split(' ');
            let words: Vec<&str> = words
                .map(|word| if word == "x" { filler } else { word })
                .collect();
            let hollow = words.join(" ").replace("x;", &format!("{filler};"));
            written.task = written.task.replace(honest, &hollow);
            let said = written.judged(state);
            if !said.contains("says nothing") {
                faults.push(format!("{state}: {hollow}: {said}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A phase whose gate reads what somebody wrote is among those that are tried with nothing.
#[test]
fn every_gate_that_reads_a_text_is_tried_with_x() {
    // The tests of a task are code: one that says nothing is green before it, and the suite must be red.
    let of_code = ["tests", "retest"];
    for (state, def) in &WORKFLOW.states {
        let reads = def
            .gate
            .iter()
            .any(|spec| READ.contains(&spec.check.as_str()));
        let tried = HOLLOW.iter().any(|(tried, ..)| *tried == state.as_str());
        let asked = !def.questions.is_empty();
        let code = of_code.contains(&state.as_str());
        assert!(
            !reads || tried || asked || code,
            "nobody tries {state} with x"
        );
    }
}

/// One sentence that could be true, in every place of a phase.
#[test]
fn one_sentence_everywhere_is_refused_at_each_gate() {
    let sentence = "everything is as it should be";
    let places: [(&str, &[&str]); 3] = [
        (
            "specify",
            &[
                "the total of two prices is their sum",
                "a price that is no number",
                "carts have totals",
                "prices are whole numbers",
                "nobody said so",
                "every sum",
            ],
        ),
        (
            "scenarios",
            &[
                "prices 1 and 2",
                "the total is asked for",
                "it is 3",
                "a price `x`",
            ],
        ),
        (
            "contract",
            &[
                "s1_adds",
                "s2_rejects",
                "printed instead of a sum, as soon as a price is no number",
            ],
        ),
    ];
    for (state, places) in places {
        let mut written = Written::up_to(state);
        for place in places {
            assert!(written.task.contains(place), "{state}: {place}");
            written.task = written.task.replace(place, sentence);
        }
        let said = written.judged(state);
        assert!(
            said.contains("the same")
                || said.contains("also stands")
                || said.contains("there twice"),
            "{state}: {said}"
        );
    }
    let mut written = Written::up_to("verify");
    let answers = written.result["answers"].as_object_mut().unwrap();
    for answer in answers.values_mut() {
        answer["evidence"] = format!("src/total.sh: {sentence}").into();
    }
    assert!(written.judged("verify").contains("say the same"));
}

/// What holds for every task is read before anything is looked up, also by whoever comes with `.add/`.
#[test]
fn whoever_grounds_a_task_reads_the_foundation_first() {
    let brief = &WORKFLOW.states["ground"].brief;
    for file in [
        "AGENTS.md",
        "CONVENTIONS.md",
        "GLOSSARY.md",
        "PROJECT.md",
        ".add/",
    ] {
        assert!(brief.contains(&format!("`{file}`")), "{file}: {brief}");
    }
}

/// What the critic answers may be `yes` or `no`, and neither is `x`.
#[test]
fn answers_of_x_hold_the_critique_each_by_itself() {
    let questions = &WORKFLOW.states["critique"].questions;
    assert_eq!(questions.len(), 3);
    for question in questions {
        for (key, value) in [("evidence", "x"), ("answer", "x"), ("answer", "")] {
            let mut written = Written::up_to("critique");
            written.result["answers"][&question.id][key] = value.into();
            let said = written.judged("critique");
            assert!(
                said.contains(&question.id),
                "{} {value}: {said}",
                question.id
            );
        }
    }
}

#[test]
fn answers_of_x_hold_the_verify_gate_each_by_itself() {
    let questions = &WORKFLOW.states["verify"].questions;
    assert_eq!(questions.len(), 4);
    for question in questions {
        for (key, value) in [("evidence", "x"), ("answer", "no"), ("answer", "x")] {
            let mut written = Written::up_to("verify");
            written.result["answers"][&question.id][key] = value.into();
            let said = written.judged("verify");
            assert!(
                said.contains(&question.id),
                "{} {value}: {said}",
                question.id
            );
        }
    }
}

/// Every code is tested, and nothing that the contract lacks.
#[test]
fn the_tests_are_of_the_contract_and_of_all_of_it() {
    for (cases, says) in [
        (
            "s1_adds|1 2|3\ns2_rejects|x|no\n",
            "no test names `refused`",
        ),
        (
            "s1_adds|1 2|3\ns2_rejects|x|refused\ns3_other|y|other\n",
            "`s3_other` in tests/cases tests a scenario that is not there",
        ),
    ] {
        let mut written = Written::up_to("tests");
        written.cases = cases.to_owned();
        let said = written.judged("tests");
        assert!(said.contains(says), "no `{says}` in {said}");
    }
}
