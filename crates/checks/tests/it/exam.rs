//! An exam on an honest product, and on products that would pass a suite: what each is told.

use crate::world::{Example, Vault, World, sha256};
use checks::{Keep, run_gate};
use kernel::effect::CheckSpec;
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Slugs: words in small letters with dashes between, told apart from what is there.
const HONEST: &str = "
taken = set()

def slug(text):
    if not isinstance(text, str):
        raise TypeError('text')
    words = ''.join(c.lower() if c.isalnum() else ' ' for c in text).split()
    if not words:
        raise ValueError('nothing to name')
    return '-'.join(words)

def unslug(name):
    return name.replace('-', ' ')
";

fn one(id: &str, input: Value, claim: Value) -> Value {
    json!({"id": id, "clause": "blanks become dashes", "steps": [{"call": "slug:slug", "with": [input]}], "holds": [claim]})
}

fn equals(value: Value) -> Value {
    json!({"of": 0, "is": "equals", "value": value})
}

fn exam() -> Value {
    json!({"driver": "python", "cases": [
        one("C1", json!("Hello World"), equals(json!("hello-world"))),
        one("C2", json!("a  b"), equals(json!("a-b"))),
        {"id": "C3", "clause": "ValueError that says so", "steps": [{"call": "slug:slug", "with": ["  !"]}], "holds": [
            {"of": 0, "is": "fails", "value": "ValueError"},
            {"of": 0, "is": "contains", "value": "nothing to"},
        ]},
        one("C4", json!("x_y"), equals(json!("x-y"))),
        {"id": "C5", "clause": "a slug is its own slug", "steps": [
            {"call": "slug:slug", "with": ["Big Red Car"]},
            {"call": "slug:unslug", "with": [{"$answer": 0}]},
            {"call": "slug:slug", "with": [{"$answer": 1}]},
        ], "holds": [
            {"of": 2, "is": "same", "other": 0},
            {"of": 1, "is": "equals", "value": "big red car"},
        ]},
        {"id": "C6", "clause": "anything", "steps": [{"call": "slug:slug", "with": ["q"]}],
         "holds": [{"of": 0, "is": "equals", "value": "q"}]},
        one("C7", json!("x_y"), equals(json!("x-y"))),
    ]})
}

fn spec(part: &str) -> CheckSpec {
    CheckSpec {
        check: "exam".into(),
        with: json!({"part": part, "base": "tests", "tests": ["repo/tests/**"]}),
        weight: Default::default(),
        shows: None,
        code: None,
    }
}

fn files(of: &[(&str, &str)]) -> BTreeMap<String, String> {
    let files = of.iter();
    files
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

/// What the last exam of a world says, for the next.
fn sealed(vault: &Vault) -> Vec<u8> {
    let kept = vault.0.lock().unwrap();
    let papers = kept.iter().rev().find(|(name, _)| name == "exam");
    papers.expect("a paper was sealed").1.clone()
}

fn write(exam: &Value, before: &[(&str, &str)]) -> (World, CheckResult) {
    write_for(exam, before, None)
}

/// For a task with this document, whose refusals must each be asked for.
fn write_for(exam: &Value, before: &[(&str, &str)], task: Option<&str>) -> (World, CheckResult) {
    let world = World::new();
    let bytes = json!({"summary": "s", "exam": exam}).to_string();
    world.vault.keep("result", bytes.as_bytes()).unwrap();
    let example = Example {
        results: BTreeMap::from([(
            "examiner".to_owned(),
            json!({"sealed": sha256(bytes.as_bytes())}),
        )]),
        repo: files(before),
        before: files(before),
        task: task
            .into_iter()
            .flat_map(|text| files(&[("T.md", text)]))
            .collect(),
        ..Example::default()
    };
    let mut spec = spec("written");
    if task.is_some() {
        for (key, value) in [
            ("codes_from", "task/T.md"),
            ("reject", "Reject"),
            ("errors", "Errors"),
        ] {
            spec.with[key] = value.into();
        }
    }
    let mut results = world.with(&example, |subject| run_gate(&[spec], subject));
    (world, results.remove(0))
}

fn sit(paper: &[u8], product: &str) -> (World, CheckResult) {
    let world = World::new();
    let example = Example {
        earlier: vec![(
            "exam".to_owned(),
            String::from_utf8(paper.to_vec()).unwrap(),
        )],
        repo: files(&[
            ("slug.py", product),
            ("tests/test_slug.py", "assert slug('a b') == 'a-b'\n"),
        ]),
        before: files(&[("README.md", "slugs\n")]),
        ..Example::default()
    };
    let mut results = world.with(&example, |subject| run_gate(&[spec("sat")], subject));
    (world, results.remove(0))
}

#[test]
fn an_exam_is_tried_before_it_counts() {
    let (world, result) = write(&exam(), &[("README.md", "slugs\n")]);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    for part in [
        "6 cases fail on the code before",
        "2 of them are held back",
        "C7 (it was asked before)",
    ] {
        assert!(
            result.reason.contains(part),
            "no `{part}` in {}",
            result.reason
        );
    }
    assert!(result.evidence.iter().all(|kept| kept.sealed));
    // No word of a case is in what people and roles read.
    let public = serde_json::to_string(&result).unwrap();
    assert!(
        !public.contains("hello") && !public.contains("Hello"),
        "{public}"
    );
    let paper: Value = serde_json::from_slice(&sealed(&world.vault)).unwrap();
    assert_eq!(paper["cases"].as_array().unwrap().len(), 6);

    // Everything holds already: nothing is asked for.
    let (_, result) = write(&exam(), &[("slug.py", HONEST)]);
    assert_eq!(result.code.as_deref(), Some("exam_too_weak"), "{result:?}");
    // One answer for all.
    let same = json!({"driver": "python", "cases": [
        one("C1", json!("a"), equals(json!("x"))),
        one("C2", json!("b"), equals(json!("x"))),
        one("C3", json!("c"), equals(json!("x"))),
    ]});
    let (_, result) = write(&same, &[("README.md", "")]);
    assert_eq!(result.code.as_deref(), Some("exam_too_weak"), "{result:?}");
    assert!(
        result.reason.contains("always gives the same answer"),
        "{result:?}"
    );
    let (_, result) = write(
        &json!({"driver": "python", "cases": [1]}),
        &[("README.md", "")],
    );
    assert_eq!(result.code.as_deref(), Some("bad_exam"), "{result:?}");
}

/// A product that refuses what it must and answers nonsense otherwise would pass.
#[test]
fn an_exam_asks_for_values_apart_from_refusals() {
    let before = [("README.md", "slugs\n")];
    let refusal = json!({"of": 0, "is": "fails", "value": "ValueError"});
    let of = |one_claim: Value, other: Value| {
        json!({"driver": "python", "cases": [
            one("C1", json!("Big Red"), one_claim),
            one("C2", json!("a b"), other),
            one("C3", json!(" !"), refusal.clone()),
        ]})
    };
    let differs = |value: &str| json!({"of": 0, "is": "differs", "value": value});
    for weak in [
        of(differs("zz"), differs("yy")),
        of(equals(json!("a-b")), equals(json!("a-b"))),
    ] {
        let (_, result) = write(&weak, &before);
        assert_eq!(result.code.as_deref(), Some("exam_too_weak"), "{result:?}");
        assert!(result.reason.contains("refuses what it must"), "{result:?}");
    }
    let (_, result) = write(&of(equals(json!("big-red")), equals(json!("a-b"))), &before);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
}

/// What the cases claim of values is so little that no mutant is noticed by it.
#[test]
fn what_is_noticed_by_refusals_alone_is_not_observed() {
    let (world, result) = write(&exam(), &[("README.md", "slugs\n")]);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    let mut paper: Value = serde_json::from_slice(&sealed(&world.vault)).unwrap();
    for one in paper["cases"].as_array_mut().unwrap() {
        if one["name"] != "C3" {
            one["case"]["holds"] = json!([{"of": 0, "is": "differs", "value": "zz"}]);
        }
    }
    let refuses_alone = "def slug(text):\n    if not text.strip(' !'):\n        raise ValueError('nothing to name')\n    return 'x'\ndef unslug(name):\n    return name\n";
    let (_, result) = sit(paper.to_string().as_bytes(), refuses_alone);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    let alone = "all of them by what is refused alone";
    assert!(result.reason.contains(alone), "{result:?}");
    assert!(result.shows.is_empty(), "{result:?}");
}

/// Whoever examines may want what the builder wants: that nobody asks for what is refused.
#[test]
fn an_exam_asks_for_every_refusal_of_the_contract_by_its_code() {
    let before = [("README.md", "slugs\n")];
    let task = |rows: &[(&str, &str)]| {
        let reject = rows
            .iter()
            .map(|(code, _)| format!("- R1: what is refused as {code}; Code: {code}\n"));
        let errors = rows
            .iter()
            .map(|(code, says)| format!("- `{code}`: {says}\n"));
        format!(
            "# Shape\n`slug(text)` gives a slug\n# Reject\n{}# Errors\n{}",
            reject.collect::<String>(),
            errors.collect::<String>()
        )
    };
    // C3 fails with a `ValueError`, and is about something else than any code.
    let rows = [
        ("no_word", "`ValueError` is raised"),
        ("no_text", "`TypeError` is raised"),
    ];
    let (_, result) = write_for(&exam(), &before, Some(&task(&rows)));
    assert_eq!(result.code.as_deref(), Some("exam_too_weak"), "{result:?}");
    assert!(result.reason.contains("`no_word`, `no_text`"), "{result:?}");
    // What it must meet may come after other calls, under the error that the contract has for it.
    let mut asks = exam();
    let cases = asks["cases"].as_array_mut().unwrap();
    cases[2]["clause"] = "Code: no_word".into();
    cases.push(
        json!({"id": "C8", "clause": "what is refused as no_text", "steps": [
            {"call": "slug:slug", "with": ["Big Red"]},
            {"call": "slug:slug", "with": [[1]]},
        ], "holds": [
            {"of": 0, "is": "equals", "value": "big-red"},
            {"of": 1, "is": "fails", "value": "TypeError"},
        ]}),
    );
    let (_, result) = write_for(&asks, &before, Some(&task(&rows)));
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    // Nothing is refused: nothing of it is asked for.
    let none = "# Reject\n- none: every text has a slug\n# Errors\n- none\n";
    let (_, result) = write_for(&exam(), &before, Some(none));
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
}

#[test]
fn an_honest_product_passes_and_is_observed() {
    let (world, _) = write(&exam(), &[("README.md", "slugs\n")]);
    let paper = sealed(&world.vault);
    let noisy = format!("{HONEST}\nprint('loaded')\n");
    let (_, result) = sit(&paper, &noisy);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    assert!(result.shows.iter().any(|word| word.as_str() == "observed"));
    assert!(
        result.reason.contains("6 cases hold, 2 of them never told"),
        "{result:?}"
    );
}

/// What the builder hears: the clause, the calls and its own answers; what is told is spent, and the
/// last word stays untold.
#[test]
fn what_fails_is_told_once_and_the_rest_stays_hidden() {
    let (world, _) = write(&exam(), &[("README.md", "slugs\n")]);
    let paper = sealed(&world.vault);
    let wrong = HONEST.replace("'-'.join(words)", "'_'.join(words)");
    let (world, result) = sit(&paper, &wrong);
    assert_eq!(result.code.as_deref(), Some("exam_failed"), "{result:?}");
    let after: Value = serde_json::from_slice(&sealed(&world.vault)).unwrap();
    let cases = after["cases"].as_array().unwrap();
    let told = cases.iter().filter(|one| one["told"] == true).count();
    let hidden: Vec<&Value> = cases
        .iter()
        .filter(|one| one["held_back"] == true)
        .collect();
    assert!(told >= 1 && hidden.len() == 2, "{after}");
    assert!(hidden.iter().all(|one| one["told"] == false));
    assert!(
        result.details.contains("blanks become dashes") && result.details.contains(" -> answered"),
        "{}",
        result.details
    );
    for one in hidden {
        let input = one["case"]["steps"][0]["with"][0].to_string();
        assert!(
            !result.details.contains(&input),
            "{input} in {}",
            result.details
        );
    }
    // What should have been answered is never said.
    assert!(
        !result.details.contains("hello-world"),
        "{}",
        result.details
    );

    // All open cases hold and all hidden ones were told: somebody has to write more.
    let mut spent = after;
    for one in spent["cases"].as_array_mut().unwrap() {
        (one["told"], one["held_back"]) = (json!(true), json!(false));
    }
    let spent = spent.to_string();
    let (_, result) = sit(spent.as_bytes(), HONEST);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    assert!(result.shows.is_empty(), "{result:?}");
    let example = Example {
        earlier: vec![("exam".to_owned(), spent)],
        ..Example::default()
    };
    let mut results = World::new().with(&example, |subject| run_gate(&[spec("untold")], subject));
    assert_eq!(results.remove(0).code.as_deref(), Some("exam_used_up"));
}

/// The cases ask a module that was there, and nothing of what the change made.
#[test]
fn an_exam_that_looks_elsewhere_observes_nothing() {
    let (world, result) = write(&exam(), &[("README.md", "slugs\n")]);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    let paper = sealed(&world.vault);
    let (_, honest) = sit(&paper, HONEST);
    assert!(
        honest.reason.contains("mutants of the product are noticed"),
        "{honest:?}"
    );
    assert!(honest.shows.iter().any(|word| word.as_str() == "observed"));
    let elsewhere = Example {
        earlier: vec![("exam".to_owned(), String::from_utf8(paper).unwrap())],
        repo: files(&[
            ("slug.py", HONEST),
            ("shop.py", "def total(prices):\n    return 0\n"),
        ]),
        before: files(&[("slug.py", HONEST)]),
        ..Example::default()
    };
    let mut results = World::new().with(&elsewhere, |subject| run_gate(&[spec("sat")], subject));
    let result = results.remove(0);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    assert!(
        result.reason.contains("no case notices any of"),
        "{result:?}"
    );
    assert!(!result.shows.iter().any(|word| word.as_str() == "observed"));
}

/// Products that a suite might believe.
#[test]
fn no_cheat_knows_the_answers() {
    let (world, _) = write(&exam(), &[("README.md", "slugs\n")]);
    let paper = sealed(&world.vault);
    let tests_alone = "def slug(text):\n    return {'a b': 'a-b', 'A': 'a'}.get(text, text)\ndef unslug(name):\n    return name\n";
    let constant =
        "def slug(text):\n    return 'hello-world'\ndef unslug(name):\n    return 'big red car'\n";
    // It looks for questions and answers wherever it can.
    let reads = "import sys, gc, json\ndef slug(text):\n    for one in gc.get_objects():\n        if isinstance(one, dict) and 'holds' in one:\n            return one['holds'][0]['value']\n    return 'no answers here'\ndef unslug(name):\n    return name\n";
    let second = format!(
        "{HONEST}\nimport os, json\nfor fd in range(3, 20):\n    try:\n        os.write(fd, json.dumps({{'answers': []}}).encode())\n    except OSError:\n        pass\n"
    );
    let early = format!("{HONEST}\nimport os\nos.write(1, b'{{}}')\nos._exit(0)\n");
    // It works alone, and not after something else was asked.
    let composed = HONEST.replace(
        "    return '-'.join(words)",
        "    taken.add(text)\n    return '-'.join(words) if len(taken) < 2 else 'busy'",
    );
    // It knows a machine of nobody's, and tires.
    let of_nobody = HONEST.replace(
        "    return '-'.join(words)",
        "    import os\n    return text if 'HOSTNAME' in os.environ else '-'.join(words)",
    );
    let tires = HONEST.replace(
        "    return '-'.join(words)",
        "    global calls\n    calls += 1\n    return '-'.join(words) if calls < 20 else text",
    );
    let tires = format!("calls = 0\n{tires}");
    // It is right while somebody tests it.
    let watched = HONEST.replace(
        "    return '-'.join(words)",
        "    import sys\n    seen = {'unittest', 'pytest', '_pytest'} & set(sys.modules)\n    frame = sys._getframe(1).f_code.co_name\n    return '-'.join(words) if seen or frame.startswith('test') else text",
    );
    for (name, product) in [
        ("is right under test alone", watched.as_str()),
        ("knows a machine of nobody's", &of_nobody),
        ("tires", &tires),
        ("knows the tests' values", tests_alone),
        ("a constant", constant),
        ("reads the frames", reads),
        ("a second frame", &second),
        ("leaves early", &early),
        ("works alone", &composed),
        (
            "fails and says nothing",
            &HONEST.replace("'nothing to name'", "''"),
        ),
    ] {
        let (_, result) = sit(&paper, product);
        assert_eq!(result.verdict, Verdict::Fail, "{name}: {result:?}");
        assert_eq!(
            result.code.as_deref(),
            Some("exam_failed"),
            "{name}: {result:?}"
        );
    }
}

/// Any language, by its command line: files last from one call of a case to the next, and no longer.
#[test]
fn a_command_line_is_asked_with_its_files() {
    let case = |id: &str, items: &[&str], says: &str| {
        let mut steps: Vec<Value> = items
            .iter()
            .map(|item| json!({"call": "sh", "with": ["todo.sh", "add"], "stdin": item}))
            .collect();
        steps.push(json!({"call": "sh", "with": ["todo.sh", "list"]}));
        let last = steps.len() - 1;
        json!({"id": id, "clause": "what was added is listed", "steps": steps, "holds": [
            {"of": last, "at": "/stdout", "is": "equals", "value": says},
            {"of": last, "at": "/exit", "is": "equals", "value": 0},
        ]})
    };
    let exam = json!({"driver": "command", "cases": [
        case("C1", &["milk"], "milk\n"),
        case("C2", &["it's", "eggs"], "it's\neggs\n"),
        case("C3", &["a b", "c"], "a b\nc\n"),
        {"id": "C4", "clause": "a list that is there is listed", "steps": [
            {"call": "sh", "with": ["todo.sh", "list"], "named": {"list": "it's\n", "of/old.json": {"n": 1}}},
            {"call": "cat", "with": ["of/old.json"]},
        ], "holds": [
            {"of": 0, "at": "/stdout", "is": "equals", "value": "it's\n"},
            {"of": 1, "at": "/stdout", "is": "equals", "value": "{\"n\":1}"},
        ]},
        {"id": "C5", "clause": "no other word", "steps": [{"call": "sh", "with": ["todo.sh", "sing"]}], "holds": [
            {"of": 0, "at": "/exit", "is": "equals", "value": 3},
        ]},
    ]});
    let (world, result) = write(&exam, &[("README.md", "")]);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    let counted = "5 cases fail on the code before, as they must, and 1 of them ask";
    assert!(result.reason.contains(counted), "{result:?}");
    let paper = sealed(&world.vault);
    let sit_after = |script: &str, opened: Option<String>| {
        let mut earlier = vec![("exam".to_owned(), String::from_utf8(paper.clone()).unwrap())];
        earlier.extend(opened.map(|hash| ("opened".to_owned(), hash)));
        let example = Example {
            earlier,
            repo: files(&[("todo.sh", script)]),
            before: files(&[("README.md", "")]),
            ..Example::default()
        };
        let world = World::new();
        world
            .with(&example, |subject| run_gate(&[spec("sat")], subject))
            .remove(0)
    };
    let sit = |script: &str| sit_after(script, None);
    let honest = "case $1 in add) cat >> list; echo >> list;; list) cat list;; *) exit 3;; esac\n";
    let result = sit(honest);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    assert!(!result.shows.is_empty(), "{result:?}");
    // The run was over once, and anybody could have read what is asked.
    let result = sit_after(honest, Some(checks::hash_of(&paper)));
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    assert!(result.shows.is_empty(), "{result:?}");
    for (from, to) in [(">> list; echo", "> list; echo"), ("cat list", "cat of/*")] {
        assert!(honest.contains(from), "{from}");
        let result = sit(&honest.replace(from, to));
        assert_eq!(result.code.as_deref(), Some("exam_failed"), "{from}");
        // Another third is held back each time.
        let told = result.details.contains("C4: ");
        let files = " beside the files {\"list\":";
        assert_eq!(result.details.contains(files), told, "{result:?}");
    }
}

/// A service in any language, by requests: it is started for each case, and what came out of one request goes into
/// the next.
#[test]
fn a_service_is_asked_by_requests() {
    let case = |id: &str, name: &str, size: usize| {
        json!({"id": id, "clause": "what was made can be had", "steps": [
            {"call": "POST /items", "with": [{"name": name}], "named": {"X-Who": "me"}},
            {"call": "GET /items/{0/body/id}"},
            {"call": "POST /items", "with": [{"name": {"$answer": 1, "at": "/body/name"}}]},
            {"call": "GET /items/none"},
            {"call": "POST /echo", "stdin": name},
        ], "holds": [
            {"of": 0, "at": "/status", "is": "equals", "value": 201},
            {"of": 0, "at": "/body/id", "is": "equals", "value": 1},
            {"of": 1, "at": "/body/name", "is": "equals", "value": name},
            {"of": 1, "at": "/body/size", "is": "equals", "value": size},
            {"of": 2, "at": "/body/id", "is": "more", "value": 1},
            {"of": 3, "at": "/status", "is": "equals", "value": 404},
            {"of": 4, "at": "/body", "is": "equals", "value": name},
        ]})
    };
    let exam = |starts: &str| {
        json!({"driver": "http", "service": {"start": starts, "port": 8123}, "cases": [
            case("C1", "milk", 4),
            case("C2", "it's", 4),
            case("C3", "eggs and ham", 12),
        ]})
    };
    let (world, result) = write(&exam("exec python3 shop.py $PORT"), &[("README.md", "")]);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    let paper = sealed(&world.vault);
    let sit = |product: &str| {
        let paper = String::from_utf8(paper.clone()).unwrap();
        let example = Example {
            earlier: vec![("exam".to_owned(), paper)],
            repo: files(&[("shop.py", product)]),
            before: files(&[("README.md", "")]),
            ..Example::default()
        };
        let world = World::new();
        world
            .with(&example, |subject| run_gate(&[spec("sat")], subject))
            .remove(0)
    };
    let honest = include_str!("../data/shop.py");
    let result = sit(honest);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    assert!(!result.shows.is_empty(), "{result:?}");
    // Who keeps what another case made, answers noise, or does not come up, does not pass.
    for (from, to) in [
        ("len(ITEMS)", "2"),
        ("\"size\": len(name)", "\"size\": 4"),
        ("int(sys.argv[1])", "int(sys.argv[2])"),
        ("201", "200"),
    ] {
        assert!(honest.contains(from), "{from}");
        let result = sit(&honest.replace(from, to));
        assert_eq!(
            result.code.as_deref(),
            Some("exam_failed"),
            "{from}: {result:?}"
        );
        // Its own answers are told, and never what is claimed.
        assert!(
            from != "201" || !result.details.contains("201"),
            "{result:?}"
        );
        let told = result
            .details
            .contains("POST /items with the body {\"name\":");
        assert!(told, "{result:?}");
    }
}

#[test]
fn javascript_is_asked_by_its_exports() {
    let found = std::process::Command::new("node").arg("--version").output();
    if !found.is_ok_and(|ended| ended.status.success()) {
        eprintln!("LEFT OUT, for want of node");
        return;
    }
    let ask = |id: &str, input: Value, claim: Value| json!({"id": id, "clause": "c", "steps": [{"call": "half.mjs:half", "with": [input]}], "holds": [claim]});
    let exam = json!({"driver": "javascript", "cases": [
        ask("C1", json!(4), equals(json!(2))),
        ask("C2", json!("x"), equals(json!({"$number": "NaN"}))),
        ask("C3", json!(null), json!({"of": 0, "is": "fails", "value": "TypeError"})),
        {"id": "C4", "clause": "c", "steps": [{"call": "half.mjs:half", "with": [false]}], "holds": [
            {"of": 0, "is": "fails"}, {"of": 0, "is": "equals", "value": "no number"},
        ]},
    ]});
    let (world, result) = write(&exam, &[("README.md", "")]);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    let example = Example {
        earlier: vec![(
            "exam".to_owned(),
            String::from_utf8(sealed(&world.vault)).unwrap(),
        )],
        repo: files(&[(
            "half.mjs",
            "console.log('loaded');\nexport const half = (x) => { if (x === null) throw new TypeError('x'); if (x === false) throw new Error('no number'); return x / 2; };\n",
        )]),
        before: files(&[("README.md", "")]),
        ..Example::default()
    };
    let world = World::new();
    let result = world
        .with(&example, |subject| run_gate(&[spec("sat")], subject))
        .remove(0);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
}

/// Rust is asked by its functions: what is called is built, inputs and answers go by their types.
#[test]
fn rust_is_asked_by_its_functions() {
    let call = |function: &str, input: Value| json!({"call": format!("my_cart::{function}"), "with": [input]});
    let case = |id: &str, steps: Value, holds: Value| json!({"id": id, "clause": "halves", "steps": steps, "holds": [holds]});
    let fails = json!({"of": 0, "is": "fails", "value": "Odd"});
    let exam = json!({"driver": "rust", "cases": [
        case("C1", json!([call("half", json!(8)), call("half", json!({"$answer": 0}))]), json!({"of": 1, "is": "equals", "value": 2})),
        case("C2", json!([call("half", json!(7))]), fails),
        case("C3", json!([call("names::joined", json!(["a", "b\u{e9}"]))]), equals(json!("a-b\u{e9}"))),
        case("C4", json!([call("half", json!(10))]), equals(json!(5))),
        case("C5", json!([call("names::joined", json!([]))]), equals(json!(""))),
        {"id": "C6", "clause": "halves", "steps": [call("half", json!(9))], "holds": [
            {"of": 0, "is": "fails", "value": "Wrong"}, {"of": 0, "is": "contains", "value": "9"},
        ]},
    ]});
    let (world, result) = write(&exam, &[("README.md", "")]);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    let paper = sealed(&world.vault);
    let manifest = "[package]\nname = \"my-cart\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let sit = |library: &str| {
        let example = Example {
            earlier: vec![("exam".to_owned(), String::from_utf8(paper.clone()).unwrap())],
            repo: files(&[("Cargo.toml", manifest), ("src/lib.rs", library)]),
            before: files(&[("README.md", "")]),
            ..Example::default()
        };
        let world = World::new();
        world
            .with(&example, |subject| run_gate(&[spec("sat")], subject))
            .remove(0)
    };
    let names = "pub mod names { pub fn joined(all: &[String]) -> String { println!(\"joins\"); all.join(\"-\") } }\n";
    let honest = format!(
        "#[derive(Debug)]\npub enum Wrong {{ Odd(u32) }}\npub fn half(n: u32) -> Result<u32, Wrong> {{ if n % 2 == 1 {{ Err(Wrong::Odd(n)) }} else {{ Ok(n / 2) }} }}\n{names}"
    );
    let result = sit(&honest);
    assert_eq!(result.verdict, Verdict::Pass, "{result:?}");
    assert!(!result.shows.is_empty(), "{result:?}");
    // One answer for everything.
    let result = sit(&honest.replace("Ok(n / 2)", "Ok(4)"));
    assert_eq!(result.code.as_deref(), Some("exam_failed"), "{result:?}");
    // A type that only the product has.
    let own = honest.replace("-> Result<u32, Wrong>", "-> Result<Half, Wrong>");
    let own = own.replace("Ok(n / 2)", "Ok(Half)") + "pub struct Half;\n";
    let result = sit(&own);
    assert_eq!(result.code.as_deref(), Some("exam_unasked"), "{result:?}");
    // What is called is not there.
    let result = sit(names);
    assert_eq!(result.code.as_deref(), Some("exam_failed"), "{result:?}");
    assert!(result.details.contains("cannot be built"), "{result:?}");
}
