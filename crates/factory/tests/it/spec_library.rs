//! What a spec says that a library must do: calls of the names at its top, and what must hold of the answers,
//! in the form of exams, judged before anybody works by it.

use crate::samples::spec;
use factory::engineering::context::BRIEFS;
use factory::spec::{read, read_new, render};
use serde_json::{Value, json};

/// Whatever the spec promises.
fn promised() -> Vec<String> {
    let spec = spec();
    let mut all = Vec::new();
    for pillar in spec["pillars"].as_array().unwrap() {
        for epic in pillar["epics"].as_array().unwrap() {
            let id = epic["epic_id"].as_str().unwrap();
            let criteria = epic["success_criteria"].as_array().unwrap();
            all.extend((1..=criteria.len()).map(|number| format!("{id}/{number}")));
            let stories = epic["stories"].as_array().unwrap().iter();
            all.extend(stories.map(|story| story["story_id"].as_str().unwrap().to_owned()));
        }
    }
    all
}

fn case() -> Value {
    json!({
        "shows": promised(),
        "steps": [{"call": "label", "with": ["1 a"]}, {"call": "label", "with": [{"$answer": 0}]}],
        "holds": [{"of": 0, "is": "equals", "value": "a at 1"}, {"of": 1, "is": "fails", "value": "Malformed"}],
    })
}

/// The task that nothing depends on.
fn last() -> String {
    let spec: factory::spec::ProductSpec = serde_json::from_value(spec()).unwrap();
    let waited = |id: &str| {
        spec.tasks()
            .any(|(.., one)| one.depends_on.iter().any(|on| on == id))
    };
    let mut tasks = spec.tasks().map(|(.., task)| task.task_id.clone());
    tasks.find(|id| !waited(id)).unwrap()
}

fn of(language: &str, cases: &[Value]) -> Value {
    let mut told = spec();
    told["product"] = json!({"name": "labels", "form": "library", "entry": last(), "cases": cases});
    if !language.is_empty() {
        told["product"]["language"] = json!(language);
    }
    if cases.is_empty() {
        told["product"].as_object_mut().unwrap().remove("cases");
    }
    told
}

fn codes(told: &Value, briefs: u32) -> Vec<(String, String)> {
    let text = serde_json::to_vec(told).unwrap();
    let errors = read_new(&text, briefs)
        .err()
        .map_or(Vec::new(), |report| report.errors);
    errors
        .iter()
        .map(|one| (one.code.to_string(), one.whole_path()))
        .collect()
}

#[test]
fn s15_4_every_story_and_criterion_of_a_library_is_shown_by_a_case_of_it() {
    for language in ["rust", "python", "javascript", ""] {
        assert_eq!(codes(&of(language, &[case()]), BRIEFS), [], "{language}");
    }
    let none = of("python", &[]);
    let missing = ("not_shown".to_owned(), "$.product.cases".to_owned());
    assert_eq!(codes(&none, BRIEFS), std::slice::from_ref(&missing));
    // Projects that began before go on as they began, and what was approved stays readable.
    assert_eq!(codes(&none, 8), []);
    assert!(read(&serde_json::to_vec(&none).unwrap()).is_ok());
    let mut some = case();
    some["shows"] = json!([promised()[0]]);
    assert_eq!(codes(&of("rust", &[some]), BRIEFS), [missing]);
}

#[test]
fn what_a_library_cannot_be_asked_is_refused_with_its_place() {
    let at = |place: &str| format!("$.product.cases[0]{place}");
    let changes: [(&str, &str, Value, &str, String); 9] = [
        (
            "python",
            "/prints",
            json!("a"),
            "case_without_end",
            at(".steps"),
        ),
        (
            "python",
            "/steps/0/call",
            json!("os:system"),
            "bad_call",
            at(".steps[0].call"),
        ),
        (
            "rust",
            "/steps/1/call",
            json!(".len"),
            "bad_call",
            at(".steps[1].call"),
        ),
        (
            "",
            "/steps/1/call",
            json!(".len"),
            "bad_call",
            at(".steps[1].call"),
        ),
        (
            "rust",
            "/steps/0/named",
            json!({"n": 1}),
            "bad_call",
            at(".steps[0].named"),
        ),
        (
            "python",
            "/steps/0/with",
            json!([{"$answer": 1}]),
            "bad_call",
            at(".steps[0].with"),
        ),
        (
            "python",
            "/holds/0/of",
            json!(7),
            "bad_claim",
            at(".holds[0].of"),
        ),
        (
            "python",
            "/holds/0/is",
            json!("looks like"),
            "wrong_shape",
            at(".holds[0].is"),
        ),
        (
            "python",
            "/steps/0/arguments",
            json!([]),
            "wrong_shape",
            at(".steps[0].arguments"),
        ),
    ];
    for (language, pointer, value, code, place) in changes {
        let mut one = case();
        let (parent, last) = pointer.rsplit_once('/').unwrap();
        one.pointer_mut(parent).unwrap()[last] = value;
        let found = codes(&of(language, &[one]), BRIEFS);
        let told = (code.to_owned(), place);
        assert!(found.contains(&told), "{pointer} in {language}: {found:?}");
    }
    // In the other languages an answer has methods, and inputs names in one.
    let mut one = case();
    one["steps"][1]["call"] = json!(".strip");
    assert_eq!(codes(&of("python", &[one.clone()]), BRIEFS), []);
    assert_eq!(codes(&of("javascript", &[one.clone()]), BRIEFS), []);
    one["steps"][1]["named"] = json!({"chars": "a"});
    assert_eq!(codes(&of("python", &[one]), BRIEFS), []);
    let mut bare = case();
    bare.as_object_mut().unwrap().remove("holds");
    let ends = ("case_without_end".to_owned(), at(".steps"));
    assert_eq!(codes(&of("rust", &[bare]), BRIEFS), [ends]);
}

#[test]
fn a_person_reads_language_calls_and_claims_and_no_name_of_our_own() {
    let mut told = of("python", &[case()]);
    let (spec, _) = read(&serde_json::to_vec(&told).unwrap()).unwrap();
    let page = render(&spec);
    for line in [
        "**In:** Python\n",
        "- label(\"1 a\")\n- label(answer 1)\n",
        "- call 1 answers \"a at 1\"\n- call 2 fails with \"Malformed\"\n",
    ] {
        assert!(page.contains(line), "no {line} in {page}");
    }
    told["product"]["cases"][0]["print"] = json!("x");
    told["product"]["languages"] = json!("x");
    let report = factory::spec::validate(&serde_json::to_vec(&told).unwrap());
    let said: Vec<&str> = report
        .warnings
        .iter()
        .map(|one| one.message.as_str())
        .collect();
    assert!(said[1].starts_with("a product has no member"), "{said:?}");
    assert!(said[0].starts_with("a case has no member"), "{said:?}");
}
