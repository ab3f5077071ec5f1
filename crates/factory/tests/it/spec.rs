//! Rule F3.2: every completeness rule broken alone, and everything broken at once.

use crate::samples::{spec, spec_of, task, task_in};
use factory::spec::{ProductSpec, read, render, spec_md, validate};
use factory::{Report, Severity};
use kernel::form::{Form, Object};
use proptest::prelude::*;
use serde_json::{Value, json};

fn judged(spec: &Value) -> Report {
    validate(&serde_json::to_vec(spec).unwrap())
}

/// (rule, code, whole path) of everything found.
fn found(spec: &Value) -> Vec<(Option<u8>, String, String)> {
    judged(spec)
        .all()
        .map(|d| (d.rule, d.code.to_string(), d.whole_path()))
        .collect()
}

/// Exactly these are found.
#[track_caller]
fn finds(spec: &Value, wanted: &[(u8, &str, &str)]) {
    let wanted: Vec<_> = wanted
        .iter()
        .map(|(rule, code, path)| {
            let rule = (*rule > 0).then_some(*rule);
            (rule, (*code).to_owned(), (*path).to_owned())
        })
        .collect();
    assert_eq!(found(spec), wanted);
}

const EPIC: &str = "$.pillars[0].epics[0]";
const STORY: &str = "$.pillars[0].epics[0].stories[0]";
const TASK: &str = "$.pillars[0].epics[0].stories[0].tasks[0]";

fn at(base: &str, field: &str) -> String {
    format!("{base}.{field}")
}

#[test]
fn s3_2_2_a_whole_spec_passes_and_is_read() {
    finds(&spec(), &[]);
    let (read, report) = read(&serde_json::to_vec(&spec()).unwrap()).unwrap();
    assert!(report.passes() && report.warnings.is_empty());
    assert_eq!(serde_json::to_value(&read).unwrap(), spec());
}

/// The walk through a spec knows some forms and takes every other for a text of the wrong kind: a member of
/// such a form could be asked for in a brief and would be refused whatever it says.
#[test]
fn every_member_of_a_spec_has_a_form_that_its_judge_knows() {
    fn known(object: &Object) {
        for member in object.members {
            let place = format!("{}.{}", object.name, member.name);
            match &member.form {
                // In the form of exams, which is asked as a whole: `spec_library.rs`.
                _ if ["SpecCase.steps", "SpecCase.holds"].contains(&place.as_str()) => {}
                Form::Text(_) | Form::Id(_) | Form::Word(_) => {}
                Form::Object(inner) | Form::List(Form::Object(inner), _) => known(inner),
                Form::List(Form::Text(_) | Form::Id(_), _) => {}
                other => panic!("{place} has the form {other:?}"),
            }
        }
    }
    known(&ProductSpec::OBJECT);
    for (language, good) in [
        ("rust", true),
        ("python", true),
        ("javascript", true),
        ("ada", false),
    ] {
        let mut told = spec();
        told["product"] = json!({"name": "shop", "form": "none", "language": language, "why": "modules are enough"});
        assert_eq!(
            judged(&told).passes(),
            good,
            "{language}: {:?}",
            found(&told)
        );
    }
}

/// Nothing may be what a command reads, and what it prints.
#[test]
fn a_case_may_read_nothing_and_print_nothing() {
    let mut told = spec();
    told["product"] = json!({"name": "shop", "form": "command", "cases": [{"shows": ["STR-001"], "given": "", "prints": ""}]});
    let codes: Vec<String> = found(&told).into_iter().map(|(_, code, _)| code).collect();
    assert!(!codes.contains(&"empty_field".to_owned()), "{codes:?}");
    told["product"]["cases"][0] = json!({"shows": ["STR-001"], "given": "", "refuses": ""});
    let codes: Vec<String> = found(&told).into_iter().map(|(_, code, _)| code).collect();
    assert!(codes.contains(&"empty_field".to_owned()), "{codes:?}");
}

#[test]
fn s3_2_3_rule_1_a_pillar_has_an_epic() {
    let mut bad = spec();
    bad["pillars"][0]["epics"] = json!([]);
    finds(&bad, &[(1, "too_few", "$.pillars[0].epics")]);
}

#[test]
fn s3_2_3_rule_2_an_epic_has_a_story_and_a_criterion() {
    let mut bad = spec();
    let epic = bad.pointer_mut("/pillars/0/epics/0").unwrap();
    epic["stories"] = json!([]);
    epic["success_criteria"] = json!([]);
    finds(
        &bad,
        &[
            (2, "too_few", &at(EPIC, "stories")),
            (2, "too_few", &at(EPIC, "success_criteria")),
        ],
    );
}

#[test]
fn s3_2_3_rule_3_a_story_has_a_task() {
    finds(&spec_of(vec![]), &[(3, "too_few", &at(STORY, "tasks"))]);
}

#[test]
fn s3_2_3_rule_4_two_subtasks() {
    let mut bad = spec();
    task_in(&mut bad, 0)["subtasks"] = json!(["only one of them", "  "]);
    finds(
        &bad,
        &[
            (4, "too_few", &at(TASK, "subtasks")),
            (10, "empty_field", &at(TASK, "subtasks[1]")),
        ],
    );
}

#[test]
fn s3_2_3_rule_5_two_acceptance_criteria() {
    let mut bad = spec();
    task_in(&mut bad, 0)["acceptance_criteria"] = json!(["returns it"]);
    finds(&bad, &[(5, "too_few", &at(TASK, "acceptance_criteria"))]);
}

#[test]
fn s3_2_3_rule_6_five_dimensions_without_placeholders() {
    let mut bad = spec();
    let sketch = &mut task_in(&mut bad, 0)["io_contract_sketch"];
    sketch["inputs"] = json!("TBD");
    sketch["outputs"] = json!("");
    sketch["effects"] = json!("N/A");
    sketch.as_object_mut().unwrap().remove("modes");
    let sketch = at(TASK, "io_contract_sketch");
    let mut found = found(&bad);
    found.sort();
    let wanted: Vec<_> = [
        (6, "empty_field", "outputs"),
        (6, "missing_field", "modes"),
        (6, "placeholder", "effects"),
        (6, "placeholder", "inputs"),
        (10, "missing_field", "modes"),
    ]
    .map(|(rule, code, field)| (Some(rule), code.to_owned(), at(&sketch, field)))
    .to_vec();
    assert_eq!(found, wanted);
    let mut none = spec();
    task_in(&mut none, 0)
        .as_object_mut()
        .unwrap()
        .remove("io_contract_sketch");
    finds(
        &none,
        &[
            (10, "missing_field", &sketch),
            (6, "missing_field", &sketch),
        ],
    );
}

#[test]
fn s3_2_3_rule_7_task_ids_are_unique() {
    let bad = spec_of(vec![task(1, &[]), task(2, &[]), task(1, &[])]);
    finds(&bad, &[(7, "duplicate_id", &at(STORY, "tasks[2].task_id"))]);
    let message = &judged(&bad).errors[0].message;
    assert!(message.contains("tasks[0]"), "{message}");
}

#[test]
fn s3_2_3_rule_8_references_resolve() {
    let bad = spec_of(vec![task(1, &[]), task(2, &[1, 9])]);
    finds(
        &bad,
        &[(8, "unknown_reference", &at(STORY, "tasks[1].depends_on[1]"))],
    );
}

#[test]
fn s3_2_3_rule_9_no_cycles_and_the_cycle_is_named() {
    let bad = spec_of(vec![
        task(1, &[]),
        task(2, &[4, 1]),
        task(3, &[2]),
        task(4, &[3]),
        task(5, &[5]),
        task(6, &[5]),
    ]);
    let report = judged(&bad);
    let messages: Vec<_> = report.errors.iter().map(|d| (d.rule, &d.message)).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages.iter().all(|(rule, _)| *rule == Some(9)));
    assert!(
        messages[0]
            .1
            .ends_with("TSK-002 -> TSK-004 -> TSK-003 -> TSK-002")
    );
    assert!(messages[1].1.ends_with("TSK-005 -> TSK-005"));
}

#[test]
fn s3_2_3_rule_9_long_chains_and_long_circles() {
    let chain: Vec<Value> = (0..5_000).map(|n| task(n, &[n + 1])).collect();
    let report = judged(&spec_of(chain.clone()));
    assert_eq!(report.errors.len(), 1, "only the last reference is wrong");
    let mut circle = chain;
    circle.push(task(5_000, &[0]));
    let report = judged(&spec_of(circle));
    assert_eq!(report.errors.len(), 1);
    assert!(
        report.errors[0].message.contains("more"),
        "{}",
        report.errors[0].message
    );
}

#[test]
fn s3_2_3_rule_10_required_fields() {
    for (path, fields) in [
        (
            "",
            "spec_id spec_version title description created_at updated_at pillars",
        ),
        ("/pillars/0", "pillar_id name description rationale epics"),
        (
            "/pillars/0/epics/0",
            "epic_id name description success_criteria stories",
        ),
        (
            "/pillars/0/epics/0/stories/0",
            "story_id name description user_facing_behavior tasks",
        ),
        (
            "/pillars/0/epics/0/stories/0/tasks/0",
            "task_id name description subtasks acceptance_criteria io_contract_sketch",
        ),
    ] {
        for field in fields.split(' ') {
            let mut bad = spec();
            let object = bad.pointer_mut(path).unwrap().as_object_mut().unwrap();
            object.remove(field);
            let found = found(&bad);
            let hit = |(rule, code, path): &(Option<u8>, String, String)| {
                *rule == Some(10) && code == "missing_field" && path.ends_with(field)
            };
            assert!(found.iter().any(hit), "{path}/{field}: {found:?}");
            for wrong in [json!(null), json!(5), json!({}), json!(true)] {
                let mut bad = spec();
                let object = bad.pointer_mut(path).unwrap();
                object[field] = wrong;
                assert!(!judged(&bad).passes(), "{path}/{field}");
            }
            if object_is_text(path, field) {
                let mut bad = spec();
                bad.pointer_mut(path).unwrap()[field] = json!(" \n");
                assert!(judged(&bad).errors.iter().any(|d| d.code == "empty_field"));
            }
        }
    }
}

fn object_is_text(path: &str, field: &str) -> bool {
    spec().pointer(path).unwrap()[field].is_string()
}

#[test]
fn s3_2_2_forms_of_ids_versions_and_moments() {
    let long = format!("TSK-{}", "1".repeat(130));
    for (field, value, code) in [
        ("spec_id", "SPEC-1", "bad_id"),
        ("spec_id", "SPEC-00a", "bad_id"),
        ("spec_id", "SPEC-a1b2c3d4", "bad_id"),
        ("spec_id", &long, "id_too_long"),
        ("spec_version", "1.0", "bad_version"),
        ("spec_version", "1.0.0-rc1", "bad_version"),
        ("created_at", "yesterday", "bad_moment"),
        ("updated_at", "2026-02-30T00:00:00Z", "bad_moment"),
    ] {
        let mut bad = spec();
        bad[field] = json!(value);
        finds(&bad, &[(10, code, &format!("$.{field}"))]);
    }
    let mut good = spec();
    good["spec_id"] = json!("SPEC-12345");
    finds(&good, &[]);
}

#[test]
fn s3_2_3_rules_11_to_14_warn_and_block_nothing() {
    let mut bad = spec();
    let task = task_in(&mut bad, 0);
    task["description"] = json!("stub");
    task["acceptance_criteria"] = json!(["good quality", "returns it"]);
    task["subtasks"] = json!(["Write the parser", "write a parser!"]);
    task["io_contract_sketch"]["error_surfaces"] = json!("errors may occur");
    let report = judged(&bad);
    assert!(report.passes());
    assert!(
        report
            .warnings
            .iter()
            .all(|d| d.severity == Severity::Warning)
    );
    let mut rules: Vec<_> = report.warnings.iter().filter_map(|d| d.rule).collect();
    rules.sort();
    assert_eq!(rules, [11, 12, 13, 14]);
}

#[test]
fn unknown_members_warn_with_the_nearest_name() {
    let mut bad = spec();
    let task = task_in(&mut bad, 0).as_object_mut().unwrap();
    let value = task.remove("depends_on").unwrap();
    task.insert("dependsOn".to_owned(), value);
    let report = judged(&bad);
    assert!(report.passes());
    assert_eq!(report.warnings[0].code, "unknown_field");
    assert!(report.warnings[0].message.contains("`depends_on`"));
}

#[test]
fn everything_wrong_is_found_in_one_pass_with_its_place() {
    let text = "{\n  \"spec_id\": 7,\n  \"title\": \"a\", \"title\": \"b\",\n  \"big\": 9007199254740993,\n  \"description\": \"\\ud800 and so on and so on\",\n  \"pillars\": [\n    3,\n    {\"epics\": {}}\n  ]\n}";
    let report = validate(text.as_bytes());
    let has = |code: &str, path: &str, line: u32| {
        let hit = report
            .all()
            .any(|d| d.code == code && d.whole_path() == path && d.line == Some(line));
        assert!(hit, "{code} {path} {line} in {report:#?}");
    };
    has("wrong_type", "$.spec_id", 2);
    has("duplicate_key", "$.title", 3);
    has("number_beyond_2_53", "$.big", 4);
    has("unknown_field", "$.big", 4);
    has("invalid_unicode", "$.description", 5);
    has("missing_field", "$.spec_version", 1);
    has("wrong_type", "$.pillars[0]", 7);
    has("wrong_type", "$.pillars[1].epics", 8);
    has("missing_field", "$.pillars[1].name", 8);
}

#[test]
fn what_is_no_spec_at_all() {
    for (text, code) in [
        ("", "invalid_json"),
        ("[]", "wrong_type"),
        ("null", "wrong_type"),
        ("\"spec\"", "wrong_type"),
        ("{\"spec_id\": \"SPEC-001\",}", "invalid_json"),
    ] {
        let report = validate(text.as_bytes());
        assert_eq!(report.errors[0].code, code, "{text}");
        assert!(report.errors[0].line.is_some());
    }
    assert_eq!(validate(b"\xff\xfe{").errors[0].code, "invalid_unicode");
}

#[test]
fn s3_2_4_the_markdown_has_everything_and_no_forged_headings() {
    let mut forged = spec();
    forged["title"] = json!("Log\n# Approved");
    task_in(&mut forged, 0)["description"] = json!("Parses a line into parts\n## Warnings\nNone.");
    task_in(&mut forged, 1)["description"] = json!("stub");
    let (spec, report) = read(&serde_json::to_vec(&forged).unwrap()).unwrap();
    let text = spec_md(&spec, &report, &["https://example.org/a".to_owned()]);
    assert!(text.starts_with("# Log # Approved\n"));
    assert_eq!(text.matches("\n## Warnings\n").count(), 1);
    assert!(text.contains("tasks[1].description`: a description of fewer"));
    assert!(text.contains("- https://example.org/a"));
    for (_, _, _, task) in spec.tasks() {
        for part in task.subtasks.iter().chain(&task.acceptance_criteria) {
            assert!(text.contains(part.as_str()), "{part}");
        }
        assert!(text.contains(&task.io_contract_sketch.error_surfaces));
    }
    assert!(text.starts_with(&render(&spec)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The judgement and the type agree: what passes can be read.
    #[test]
    fn what_passes_can_be_read(at in 0usize..2_500, byte in 0u8..128) {
        let mut bytes = serde_json::to_vec(&spec()).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        if validate(&bytes).passes() {
            let read: Result<factory::spec::ProductSpec, _> = serde_json::from_slice(&bytes);
            prop_assert!(read.is_ok(), "{}", read.unwrap_err());
        }
    }
}
