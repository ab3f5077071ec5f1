//! Rules F3.3 and F4.1: ids, folders, task files; and everything that must stop a plan.

use crate::samples::{spec, spec_of, task, task_in};
use factory::engineering::context::BRIEFS;
use factory::plan::{Known, NoPlan, Plan, Siblings, plan, slug, task_files};
use factory::spec::ProductSpec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn typed(spec: &Value) -> ProductSpec {
    serde_json::from_value(spec.clone()).unwrap()
}

fn planned(spec: &Value) -> Plan {
    plan(&typed(spec), &Known::default()).unwrap()
}

#[track_caller]
fn refused(spec: &Value, code: &str) -> NoPlan {
    let refused = plan(&typed(spec), &Known::default()).unwrap_err();
    assert!(refused.0.iter().any(|r| r.code == code), "{refused:#?}");
    assert_eq!(
        task_files(&typed(spec), BRIEFS, &Known::default()).unwrap_err(),
        refused,
        "nothing is made"
    );
    refused
}

#[test]
fn s4_1_slugs() {
    for (name, wanted) in [
        ("User Authentication", "user-authentication"),
        ("API v2.0 Integration", "api-v2-0-integration"),
        ("Setup DB & Cache Layer", "setup-db-cache-layer"),
        ("  Leading Spaces  ", "leading-spaces"),
        ("snake_case.and-dots", "snake-case-and-dots"),
        ("Über Straße", "ber-stra-e"),
        ("日本語", ""),
        ("---", ""),
        (&"b".repeat(64), &"b".repeat(64)),
    ] {
        assert_eq!(slug(name), wanted, "{name}");
    }
    // The hash is of the whole slug before it was cut: SHA-256 of 65 times `c`.
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest("c".repeat(65).as_bytes());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        slug(&"C".repeat(65)),
        format!("{}-{}", "c".repeat(56), &hex[..7])
    );
}

#[test]
fn s4_1_siblings_get_numbers_in_order() {
    let mut siblings = Siblings::default();
    let names = ["login", "login", "login-2", "login", "login-2", "other"];
    let given: Vec<String> = names.map(|n| siblings.name(n.to_owned())).to_vec();
    assert_eq!(
        given,
        [
            "login",
            "login-2",
            "login-2-2",
            "login-3",
            "login-2-3",
            "other"
        ]
    );
}

#[test]
fn s3_3_ids_orders_folders_and_dependencies() {
    let mut two = spec();
    let mut story = two.pointer("/pillars/0/epics/0/stories/0").unwrap().clone();
    story["tasks"] = json!([task(3, &[2, 1, 2]), task(4, &[])]);
    story["tasks"][1]["name"] = json!("Task 3");
    let stories = two.pointer_mut("/pillars/0/epics/0/stories").unwrap();
    stories.as_array_mut().unwrap().push(story);
    let plan = serde_json::to_value(planned(&two)).unwrap();
    assert_eq!(
        plan,
        json!({"tasks": [
            {"task_id": "T-core-auth-login-001", "source_id": "TSK-001", "folder": "project/core/auth/login/task-1", "declaration_order": 0, "depends_on": []},
            {"task_id": "T-core-auth-login-002", "source_id": "TSK-002", "folder": "project/core/auth/login/task-2", "declaration_order": 1, "depends_on": ["T-core-auth-login-001"]},
            {"task_id": "T-core-auth-login-2-001", "source_id": "TSK-003", "folder": "project/core/auth/login-2/task-3", "declaration_order": 2, "depends_on": ["T-core-auth-login-002", "T-core-auth-login-001"]},
            {"task_id": "T-core-auth-login-2-002", "source_id": "TSK-004", "folder": "project/core/auth/login-2/task-3-2", "declaration_order": 3, "depends_on": []},
        ]})
    );
}

#[test]
fn s4_1_task_files_have_every_part() {
    let (plan, files) = task_files(&typed(&spec()), BRIEFS, &Known::default()).unwrap();
    let given = spec();
    let epic = &given["pillars"][0]["epics"][0];
    let story = &epic["stories"][0];
    assert_eq!(files.len(), 2);
    assert_eq!(
        files[1].path,
        format!("{}/{}.md", plan.tasks[1].folder, plan.tasks[1].task_id)
    );
    let whole = "# Task: Task 2
## Task ID: T-core-auth-login-002

## Context
- **Pillar:** Core — Everything that reads and understands
- **Epic:** Auth — Everything about single lines of logs
- **Story:** Login — A user sees the parts of a line
PROMISED
## Description
Parses one line of the log into its parts

## Subtasks
1. Split the line at blanks
2. Turn the first part into a moment

## Acceptance Criteria
- returns the moment and the text
- rejects a line without a moment

## Micro Module Contract
- **Inputs:** line: non-empty string
- **Outputs:** (moment, text), the text trimmed
- **Error surfaces:** MalformedLine when there is no moment; EmptyLine when it is blank
- **Effects:** none; it is pure
- **Modes:** sync, because it only computes

## Dependency Contracts
References to upstream modules (CONTRACT_ONLY — no source code):
- T-core-auth-login-001: Inputs: line: non-empty string. Outputs: (moment, text), the text trimmed. Error surfaces: MalformedLine when there is no moment; EmptyLine when it is blank. Effects: none; it is pure. Modes: sync, because it only computes

## Error Cases
- MalformedLine when there is no moment
- EmptyLine when it is blank
";
    let promised =
        "- **What users see (STR-001):** SEEN\n- **Success criterion (EPC-001/1):** MET\n";
    let seen = &story["user_facing_behavior"];
    let met = &epic["success_criteria"][0];
    let promised = promised
        .replace("SEEN", seen.as_str().unwrap())
        .replace("MET", met.as_str().unwrap());
    assert_eq!(files[1].text, whole.replace("PROMISED", &promised));
    assert!(files[0].text.contains("no source code):\n- None\n"));
    // A project that began before has the files that it had.
    let (_, files) = task_files(&typed(&spec()), 2, &Known::default()).unwrap();
    assert_eq!(files[1].text, whole.replace("PROMISED\n", "\n"));
    // Which case of the product shows what, and what none does.
    let mut sold = spec();
    sold["product"] = json!({"name": "log", "form": "command", "entry": "TSK-002", "cases": [
        {"shows": ["EPC-001/1"], "given": "1 a", "prints": "a"},
        {"shows": ["EPC-001/1"], "given": "2 a", "prints": "a"},
    ]});
    let (_, files) = task_files(&typed(&sold), BRIEFS, &Known::default()).unwrap();
    for shown in [
        " (no case of the product shows it)\n- **Success",
        " (shown by case 1, 2 of the product)\n",
    ] {
        assert!(files[1].text.contains(shown), "{}", files[1].text);
    }
}

#[test]
fn s4_1_criteria_and_sketches_keep_their_blanks_and_lines() {
    let mut given = spec();
    let task = task_in(&mut given, 0);
    let criterion = "returns `2025-01\\n  food: -20.00 (2)`";
    task["acceptance_criteria"][0] = json!(criterion);
    task["io_contract_sketch"]["error_surfaces"] =
        json!("Empty: no  text\nLong: too much\n## Error Cases\nnone");
    let (_, files) = task_files(&typed(&given), BRIEFS, &Known::default()).unwrap();
    let text = &files[0].text;
    assert!(text.contains(&format!("- {criterion}\n")), "{text}");
    let lines =
        "- **Error surfaces:** Empty: no  text\n  Long: too much\n  \\## Error Cases\n  none\n";
    assert!(text.contains(lines), "{text}");
    assert!(
        text.contains("\n- Empty: no  text\n- Long: too much\n"),
        "{text}"
    );
    assert_eq!(text.matches("\n## Error Cases").count(), 1, "{text}");
    // And a person reads what the spec says.
    let page = factory::spec::render(&typed(&given));
    assert!(page.contains(&format!("- {criterion}\n")), "{page}");
    assert!(page.contains(lines), "{page}");
    // A project that began before has the files that it had.
    let (_, files) = task_files(&typed(&given), 6, &Known::default()).unwrap();
    assert!(files[0].text.contains("`2025-01\\n food: -20.00 (2)`"));
}

#[test]
fn s4_1_texts_of_the_spec_cannot_add_parts_to_a_task_file() {
    let mut forged = spec();
    let task = task_in(&mut forged, 0);
    task["name"] = json!("x\n## Acceptance Criteria\n- anything goes");
    task["description"] = json!("Parses one line\n## Acceptance Criteria\n- anything goes");
    task["subtasks"] = json!(["a b c\n## Error Cases", "d e f"]);
    let (_, files) = task_files(&typed(&forged), BRIEFS, &Known::default()).unwrap();
    assert_eq!(files[0].text.matches("\n## Acceptance Criteria").count(), 1);
    assert_eq!(files[0].text.matches("\n## Error Cases").count(), 1);
}

#[test]
fn s4_1_a_missing_field_names_task_and_field() {
    let mut bad = spec();
    task_in(&mut bad, 1)["io_contract_sketch"]["modes"] = json!(" ");
    task_in(&mut bad, 1)["subtasks"] = json!([]);
    let refused = refused(&bad, "task_file_incomplete");
    let what = &refused.0[0].what;
    assert!(what.contains("T-core-auth-login-002 (Task 2)"), "{what}");
    assert!(
        what.contains("modes") && what.contains("subtasks"),
        "{what}"
    );
}

#[test]
fn s4_1_an_id_of_129_characters() {
    let mut spec = spec();
    // T- + 40 + - + 40 + - + 39 + -001 = 127 and on.
    for (length, fits) in [(40, true), (41, true), (42, false)] {
        spec["pillars"][0]["name"] = json!("p".repeat(40));
        spec["pillars"][0]["epics"][0]["name"] = json!("e".repeat(39));
        spec["pillars"][0]["epics"][0]["stories"][0]["name"] = json!("s".repeat(length));
        if fits {
            assert_eq!(
                planned(&spec).tasks[0].task_id.len(),
                2 + 40 + 1 + 39 + 1 + length + 4
            );
        } else {
            let refused = refused(&spec, "task_id_too_long");
            assert!(refused.0[0].what.contains("129 characters"));
            assert!(refused.0[0].what.contains("TSK-001"));
        }
    }
}

#[test]
fn s4_1_ids_that_meet_across_parents() {
    let mut spec = spec();
    let mut other = spec["pillars"][0].clone();
    spec["pillars"][0]["name"] = json!("a b");
    spec["pillars"][0]["epics"][0]["name"] = json!("c");
    other["name"] = json!("a");
    other["epics"][0]["name"] = json!("b c");
    other["epics"][0]["stories"][0]["tasks"] = json!([task(3, &[])]);
    spec["pillars"].as_array_mut().unwrap().push(other);
    let refused = refused(&spec, "task_id_taken");
    let what = &refused.0[0].what;
    assert!(
        what.contains("TSK-001") && what.contains("TSK-003"),
        "{what}"
    );
    assert!(what.contains("T-a-b-c-login-001"), "{what}");
}

#[test]
fn s3_3_a_story_of_1000_tasks() {
    let tasks = |count: usize| (1..=count).map(|n| task(n, &[])).collect();
    assert_eq!(
        planned(&spec_of(tasks(999))).tasks[998].task_id,
        "T-core-auth-login-999"
    );
    let refused = refused(&spec_of(tasks(1_000)), "story_too_large");
    assert!(refused.0[0].what.contains("STR-001") && refused.0[0].what.contains("1000 tasks"));
}

#[test]
fn s3_3_names_without_letters_and_references_without_tasks() {
    let mut bad = spec_of(vec![task(1, &[9]), task(2, &[3]), task(3, &[2])]);
    bad["pillars"][0]["name"] = json!("日本語");
    let refused = refused(&bad, "empty_slug");
    let codes: Vec<&str> = refused.0.iter().map(|r| r.code.as_str()).collect();
    assert_eq!(codes, ["empty_slug", "unknown_reference", "cycle"]);
    assert!(refused.0[2].what.contains("TSK-002 -> TSK-003 -> TSK-002"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s4_1_slugs_are_safe_and_stable(name in "\\PC{0,100}") {
        let made = slug(&name);
        prop_assert!(made.len() <= 64);
        prop_assert!(made.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        prop_assert!(!made.starts_with('-') && !made.ends_with('-'));
        if made.len() < 64 {
            prop_assert_eq!(slug(&made), made);
        }
    }

    #[test]
    fn s4_1_siblings_never_share_a_name(names in prop::collection::vec("(a|b)(-[2-4]){0,2}", 0..30)) {
        let mut siblings = Siblings::default();
        let given: BTreeSet<String> = names.iter().map(|n| siblings.name(n.clone())).collect();
        prop_assert_eq!(given.len(), names.len());
    }
}
