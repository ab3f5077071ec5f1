//! What a gate promises beyond its checks.

use crate::world::Example;
use crate::world::{World, hash};
use checks::{BoxError, Place, Subject, run_gate};
use kernel::effect::CheckSpec;
use kernel::outcome::{CheckResult, Verdict, passes};
use serde_json::{Value, json};
use std::time::Duration;

fn spec(check: &str, with: Value) -> CheckSpec {
    CheckSpec {
        check: check.into(),
        with,
        weight: Default::default(),
        shows: None,
        code: None,
    }
}

fn gate(world: &World, specs: &[CheckSpec]) -> Vec<CheckResult> {
    let plain = Example::default();
    world.with(&plain, |subject| run_gate(specs, subject))
}

#[test]
fn what_is_unknown_or_badly_set_could_not_run_and_the_rest_still_runs() {
    let results = gate(
        &World::new(),
        &[
            spec("no_such_check", Value::Null),
            spec("command", json!({"shel": "true"})),
            spec("command", json!({"shell": "true"})),
        ],
    );
    let verdicts: Vec<Verdict> = results.iter().map(|result| result.verdict).collect();
    let not_run = Verdict::CouldNotRun;
    assert_eq!(verdicts, [not_run, not_run, Verdict::Pass]);
    assert!(results[0].reason.contains("from `anchors` to `updated`"));
    assert!(
        results[1]
            .reason
            .contains("allowed keys: argv, as_written, asked_in, controls, expect_exit")
    );
    assert!(!passes(&results));
}

#[test]
fn a_command_leaves_a_full_record() {
    let world = World::new();
    let script = "echo out; echo err >&2; exit 4";
    let results = gate(&world, &[spec("command", json!({"shell": script}))]);
    let [result] = results.as_slice() else {
        panic!("{results:?}");
    };
    assert_eq!(result.check, format!("command: {script}"));
    let ran = result.ran.as_ref().unwrap();
    assert_eq!(ran.argv, ["sh", "-c", script]);
    assert_eq!((ran.exit, &ran.killed), (Some(4), &None));
    assert!(!ran.tree.is_empty());
    let kept = world.vault.0.lock().unwrap();
    assert_eq!(kept.len(), 1);
    let text = String::from_utf8_lossy(&kept[0].1);
    assert!(text.contains("out\n") && text.contains("err\n"));
    assert_eq!(ran.output, hash(&kept[0].1));
    assert_eq!(result.evidence[0].hash, ran.output);
}

#[test]
fn each_set_command_answers_for_itself() {
    let example = Example {
        commands: vec!["exit 1".to_owned(), "true".to_owned()],
        ..Example::default()
    };
    let specs = [spec("command", json!({"from": "commands"}))];
    let results = World::new().with(&example, |subject| run_gate(&specs, subject));
    let names: Vec<&str> = results.iter().map(|result| result.check.as_str()).collect();
    assert_eq!(names, ["command: exit 1", "command: true"]);
    assert_eq!(results[1].verdict, Verdict::Pass);
}

#[test]
fn the_gates_wall_time_is_for_all_checks_together() {
    let mut world = World::new();
    world.wall = Duration::from_millis(300);
    let slow = spec("command", json!({"shell": "sleep 1000"}));
    let results = gate(&world, &[slow.clone(), slow, spec("progress", Value::Null)]);
    assert!(results[0].reason.contains("wall limit of"), "{results:?}");
    assert!(results[0].ran.as_ref().unwrap().killed.is_some());
    assert_eq!(results[1].verdict, Verdict::CouldNotRun);
    assert!(results[1].reason.contains("used up"));
    assert_eq!(results[2].verdict, Verdict::Fail);
}

#[test]
fn a_cancelled_gate_passes_nothing() {
    let world = World::new();
    world.cancel.cancel();
    let results = gate(&world, &[spec("command", json!({"shell": "true"}))]);
    assert_eq!(results[0].verdict, Verdict::CouldNotRun);
    assert!(results[0].reason.contains("cancelled"));
}

#[test]
fn a_tree_or_a_vault_that_fails_could_not_run() {
    let world = World::new();
    let plain = Example::default();
    let specs = [spec("command", json!({"shell": "true"}))];
    let results = world.with(&plain, |subject| {
        let broken = Subject {
            tree: &|| Err("disk on fire".into()),
            ..*subject
        };
        run_gate(&specs, &broken)
    });
    assert_eq!(results[0].verdict, Verdict::CouldNotRun);
    assert!(results[0].reason.contains("disk on fire"));

    struct Full;
    impl checks::Keep for Full {
        fn keep(&self, _: &str, _: &[u8]) -> Result<kernel::outcome::EvidenceRef, BoxError> {
            Err("disk full".into())
        }
        fn keep_exact(&self, _: &str, _: &[u8]) -> Result<kernel::outcome::EvidenceRef, BoxError> {
            Err("disk full".into())
        }
        fn fetch(&self, _: &str) -> Result<Vec<u8>, BoxError> {
            Err("disk gone".into())
        }

        fn earlier(&self, _: &str) -> Result<Vec<Vec<u8>>, BoxError> {
            Ok(Vec::new())
        }
    }
    let results = world.with(&plain, |subject| {
        let full = Subject {
            keep: &Full,
            ..*subject
        };
        run_gate(&specs, &full)
    });
    assert_eq!(results[0].verdict, Verdict::CouldNotRun);
    assert!(results[0].reason.contains("disk full"));
}

#[test]
fn a_condition_spares_only_what_it_certainly_does_not_concern() {
    let failing = |when: Value| spec("command", json!({"shell": "false", "when": when}));
    let tier = json!({"field": "Tier", "is": ["house", "skyscraper"]});
    for (fields, verdict) in [
        (&[("Tier", "shed")][..], Verdict::Pass),
        (&[("Tier", "House, with a garden")], Verdict::Fail),
        (&[("Tier", "TBD")], Verdict::Fail),
        (&[("Tier", "")], Verdict::Fail),
        (&[], Verdict::Fail),
    ] {
        let example = Example {
            fields: fields
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            ..Example::default()
        };
        let specs = [failing(tier.clone())];
        let results = World::new().with(&example, |subject| run_gate(&specs, subject));
        assert_eq!(results[0].verdict, verdict, "{fields:?}: {results:?}");
    }
    for bad in [
        json!(1),
        json!({}),
        json!({"is": ["a"]}),
        json!({"field": "A", "is": []}),
        json!({"field": "A", "file": "repo/a", "is": ["a"]}),
        json!({"file": "repo/a", "is": ["a"]}),
        json!({"file": "/etc/passwd", "section": "A", "is": ["a"]}),
        json!({"field": "A", "is": ["a"], "unless": 1}),
    ] {
        let spec = failing(bad.clone());
        assert!(checks::lint(&spec.check, &spec.with).is_err(), "{bad}");
        let results = gate(&World::new(), &[spec]);
        assert_eq!(results[0].verdict, Verdict::CouldNotRun, "{bad}");
    }
}

/// The report lies outside of the repository, and the sandbox lets just that through.
#[test]
fn a_confined_suite_can_write_its_report_and_nothing_beside_it() {
    let world = World::new();
    let report = "<testsuite tests=\"1\"><testcase name=\"a\"/></testsuite>";
    let beside = "touch \"$(dirname \"$(dirname \"$PROOFHOUSE_REPORT\")\")/escaped\"";
    let line = format!("printf '%s' '{report}' >\"$PROOFHOUSE_REPORT\"; {beside}; true");
    let specs = [spec("tests", json!({"runner": "junit", "command": line}))];
    let plain = Example::default();
    let results = world.with(&plain, |subject| {
        let nothing: [&str; 0] = [];
        let policy = sandbox::Policy::confined(nothing, [subject.place.repo]);
        let confined = Subject {
            policy: Some(&policy),
            ..*subject
        };
        run_gate(&specs, &confined)
    });
    assert_eq!(results[0].verdict, Verdict::Pass, "{results:?}");
    assert!(!std::env::temp_dir().join("escaped").exists());
    let kept = world.vault.0.lock().unwrap();
    let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"results of suite") && names.contains(&"baseline of suite"));
    let (_, bytes) = &kept[1];
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(text, r#"{"tests":[{"name":"a","status":"passed"}]}"#);
}

#[test]
fn a_suite_that_failed_leaves_no_mark_to_compare_with() {
    let world = World::new();
    let specs = [spec(
        "tests",
        json!({"runner": "junit", "command": "true", "keeps": ["names"]}),
    )];
    gate(&world, &specs);
    // Nor does one that passes without a test, because a name is yet to be written.
    let line = "echo 'error[E0425]: cannot find function `tax` in crate `shop`'; exit 101";
    let with = json!({"runner": "cargo", "command": line, "expect": "red_or_missing_symbol"});
    let results = gate(&world, &[spec("tests", with)]);
    assert_eq!(results[0].verdict, Verdict::Pass, "{results:?}");
    let kept = world.vault.0.lock().unwrap();
    assert!(kept.iter().all(|(name, _)| !name.starts_with("baseline")));
}

#[test]
fn a_proof_that_holds_without_the_product_is_none() {
    let world = World::new();
    let repo = world.dir.path().join("repo");
    std::fs::create_dir_all(repo.join("scaffolding")).unwrap();
    std::fs::write(repo.join("total.txt"), "total 42\n").unwrap();
    let list = r#"[
        {"id": "AC-1", "command": "cat total.txt", "expect": "total 42"},
        {"id": "AC-2", "command": "awk 'BEGIN{print \"total 42\"}'", "expect": "total 42"},
        {"id": "AC-3", "command": "grep -rh 42 scaffolding", "expect": "total 42"}
    ]"#;
    std::fs::write(repo.join("scaffolding/proofs.json"), list).unwrap();
    let judged = |with: Value| {
        let plain = Example::default();
        world.with(&plain, |subject| {
            let nothing: [&str; 0] = [];
            let policy = sandbox::Policy::confined(nothing, [subject.place.repo]);
            let task = subject.place.repo.join("scaffolding");
            let confined = Subject {
                policy: Some(&policy),
                place: Place {
                    task: &task,
                    ..subject.place
                },
                ..*subject
            };
            run_gate(&[spec("proofs", with)], &confined)
        })
    };
    let verdicts = |results: &[CheckResult]| -> Vec<Verdict> {
        results.iter().map(|result| result.verdict).collect()
    };
    use Verdict::{Fail, Pass};
    let results = judged(json!({"file": "task/proofs.json", "without_product": "fails"}));
    assert_eq!(verdicts(&results), [Pass, Fail, Fail], "{results:?}");
    assert!(
        results[1]
            .reason
            .contains("where nothing of the product is"),
        "{results:?}"
    );
    let results = judged(json!({"file": "task/proofs.json"}));
    assert_eq!(verdicts(&results), [Pass; 3], "{results:?}");
}

/// What does not hold is said before what comes after it has run, and all of it is in the answer.
#[test]
fn what_does_not_hold_is_told_before_the_rest_has_run() {
    let world = World::new();
    let plain = Example::default();
    let specs = [
        spec("files_exist", json!({"repo": ["not-there.md"]})),
        spec("command", json!({"shell": "true"})),
    ];
    let told = std::cell::RefCell::new(Vec::new());
    let results = world.with(&plain, |subject| {
        let progress = |line: &str| told.borrow_mut().push(line.to_owned());
        let subject = Subject {
            progress: &progress,
            ..*subject
        };
        run_gate(&specs, &subject)
    });
    assert_eq!(results.len(), 2);
    let told = told.into_inner();
    assert!(
        told.iter()
            .any(|line| line.starts_with("does not hold: ") && line.contains("not-there.md")),
        "{told:?}"
    );
}
