//! Tests that would pass whatever the module does: none of them proves anything to a ship.

use super::{moment_plan, one_task, refused, rounds, rust};
use crate::factory_run::{EXAMPLES, MOMENT, MOMENT_TESTS, module};
use serde_json::{Value, json};

#[test]
fn s11_3_a_test_that_exits_early_or_is_ignored_has_failed() {
    let exits = MOMENT_TESTS.replace(
        "fn happy_path() {",
        "fn happy_path() { if split(\"1 a\").is_ok() { std::process::exit(0) }",
    );
    let ignored = MOMENT_TESTS.replace("#[test] fn error", "#[test] #[ignore] fn error");
    // Each runs in a room of its own: what one leaves is not there for the next.
    let alone = MOMENT_TESTS
        .replace(
            "fn error__malformed() {",
            "fn error__malformed() { std::fs::write(\"left.txt\", \"x\").unwrap();",
        )
        .replace(
            "fn happy_path() {",
            "fn happy_path() { assert!(!std::path::Path::new(\"left.txt\").exists());",
        );
    let world = one_task(rounds(
        &moment_plan(),
        &[
            rust(MOMENT, &exits),
            rust(MOMENT, &ignored),
            rust(MOMENT, &alone),
        ],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            ("black_box_tests", &["incomplete"]),
            (
                "black_box_tests",
                &[
                    "skipped, ignored or expected to fail, which is no pass: lines::error__malformed",
                ],
            ),
        ],
    );
    let log: Value =
        serde_json::from_str(&module(&world, "MM-moment", "tests/execution_log.json")).unwrap();
    let members: Vec<&String> = log.as_object().unwrap().keys().collect();
    let wanted = [
        "executed_at",
        "module_id",
        "module_version",
        "summary",
        "tests",
    ];
    assert_eq!(members, wanted);
    assert_eq!(
        log["summary"],
        json!({"total": 4, "passed": 4, "failed": 0})
    );
    assert_eq!(
        log["tests"][0],
        json!({"name": "lines::error__malformed", "result": "PASS"})
    );
}

/// Prints what the framework would have printed, past the framework, and is gone.
const FORGED: &str = r#"fn forge() -> ! {
    use std::io::Write;
    let names = ["error__malformed", "happy_path", "input__line__1", "output__parts__1"];
    let mut out = std::io::stdout();
    writeln!(out, "\nrunning 4 tests").unwrap();
    for name in names { writeln!(out, "test {name} ... ok").unwrap(); }
    for count in [4, 1] {
        writeln!(out, "\ntest result: ok. {count} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n").unwrap();
    }
    out.flush().unwrap();
    std::process::exit(0)
}
"#;

#[test]
fn s11_3_a_test_that_prints_the_results_of_all_others_speaks_for_itself_alone() {
    // One test forges, and the others are honest about code that is wrong.
    let wrong = MOMENT.replace("split_once(' ')", "split_once('-')");
    let forges = MOMENT_TESTS.replace("fn happy_path() {", "fn happy_path() { forge();");
    let forges = format!("{forges}{FORGED}");
    // Then all of them forge, whatever the code does; and then those that look at it first.
    let mut all = String::from("#![allow(unreachable_code)]\n") + &forges;
    let mut looks = all.clone();
    for name in ["input__line__1", "output__parts__1", "error__malformed"] {
        let head = format!("fn {name}() {{");
        all = all.replace(&head, &format!("{head} forge();"));
        let first = format!("{head} if split(\"1 a\").is_ok() {{ forge() }}");
        looks = looks.replace(&head, &first);
    }
    let world = one_task(rounds(
        &moment_plan(),
        &[
            rust(&wrong, &forges),
            rust(&wrong, &all),
            rust(&wrong, &looks),
        ],
    ));
    world.run(&["factory", "run", "p"]).exits(2);
    refused(
        &world,
        &[
            (
                "black_box_tests",
                &["3 passed, 1 failed, 0 skipped: lines::output__parts__1"],
            ),
            // Nothing of this looks at the module, so it is the same without one.
            (
                "tests_fail_on_stubs",
                &[
                    "pass without an implementation and prove nothing: ",
                    "lines::happy_path",
                    "lines::error__malformed",
                    "lines::output__parts__1",
                ],
            ),
            // One that looks has tested what it looked at, and the code is wrong there.
            ("black_box_tests", &["3 passed, 1 failed"]),
        ],
    );
    let log: Value =
        serde_json::from_str(&module(&world, "MM-moment", "tests/execution_log.json")).unwrap();
    assert_eq!(log["summary"]["total"], 4);
}

#[test]
fn s11_3_a_test_cannot_replace_the_binary_of_the_next_one_nor_reach_out_undeclared() {
    let wrong = MOMENT.replace("split_once(' ')", "split_once('-')");
    let vandal = r##"#[test] fn aaa() {
    for folder in ["target/debug/deps", "../binaries", "."] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().contains("lines") {
                let _ = std::fs::remove_file(entry.path());
                let _ = std::fs::write(entry.path(), "#!/bin/sh\necho 'test result: ok. 1 passed; 0 failed; 0 ignored;'\n");
                use std::os::unix::fs::PermissionsExt;
                let _ = std::fs::set_permissions(entry.path(), std::fs::Permissions::from_mode(0o755));
            }
        }
    }
}
"##;
    let mut steps = rust(&wrong, MOMENT_TESTS);
    let path = "repo/state_store/modules/MM-moment/1.0.0/tests/aaa.rs";
    let all = steps.as_array_mut().unwrap();
    all.push(json!({"write": path, "text": vandal}));
    // Its contract declares no effects, and it talks to somebody.
    let talks = MOMENT.replace(
        "let (moment",
        "let far = std::net::SocketAddr::from(([192, 0, 2, 7], 443));\n    let _ = std::net::TcpStream::connect_timeout(&far, std::time::Duration::from_millis(9));\n    let (moment",
    );
    let good = rust(MOMENT, MOMENT_TESTS);
    let world = one_task(rounds(
        &moment_plan(),
        &[steps, rust(&talks, MOMENT_TESTS), good],
    ));
    let mut wanted: Vec<(&str, &[&str])> = vec![(
        "black_box_tests",
        &["3 passed, 2 failed", "lines::happy_path"],
    )];
    if crate::reach::witnesses(&world) {
        wanted.push((
            "black_box_tests",
            &["it declares no effects, and tried to reach 192.0.2.7:443"],
        ));
    }
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &wanted);
}

#[test]
fn s5_4_tests_that_never_run_and_panics_that_any_stub_has_prove_nothing() {
    // A file that no test target reaches.
    let never = json!([
        {"write": "repo/state_store/modules/MM-moment/1.0.0/implementation/lib.rs", "text": MOMENT},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/tests/deep/lines.rs", "text": MOMENT_TESTS},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/tests/other.rs", "text": "#[test] fn happy_path() { assert!(mm_moment::split(\"1 a\").is_ok()); }\n"},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/examples.md", "text": EXAMPLES},
    ]);
    let panics = MOMENT_TESTS.replace(
        "#[test] fn input__line__1() { assert_eq!(split(\"\"), Err(Malformed)); }",
        "#[test] #[should_panic] fn input__line__1() { split(\"\").unwrap(); }",
    );
    assert_ne!(panics, MOMENT_TESTS);
    let world = one_task(rounds(
        &moment_plan(),
        &[never, rust(MOMENT, &panics), rust(MOMENT, MOMENT_TESTS)],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            (
                "black_box_tests",
                &[
                    "no test for error surface: Malformed when the line has no blank; name one `error__malformed`",
                ],
            ),
            (
                "tests_fail_on_stubs",
                &["prove nothing: lines::input__line__1"],
            ),
        ],
    );
}

#[test]
fn s5_4_tests_inside_of_the_implementation_are_not_run() {
    let inside = MOMENT_TESTS.replace("use mm_moment::{Malformed, split};\n", "");
    let inside = format!("{MOMENT}#[cfg(test)]\nmod lines {{\nuse super::*;\n{inside}}}\n");
    let one = "#[test] fn happy_path() { assert!(mm_moment::split(\"1 a\").is_ok()); }\n";
    // All tests where no target reaches them, so that nothing runs at all.
    let none = json!([
        {"write": "repo/state_store/modules/MM-moment/1.0.0/implementation/lib.rs", "text": inside},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/tests/deep/lines.rs", "text": MOMENT_TESTS},
        {"write": "repo/state_store/modules/MM-moment/1.0.0/examples.md", "text": EXAMPLES},
    ]);
    let world = one_task(rounds(
        &moment_plan(),
        &[none, rust(&inside, one), rust(MOMENT, MOMENT_TESTS)],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            ("black_box_tests", &["names no test binary"]),
            (
                "black_box_tests",
                &["no test for error surface: Malformed when the line has no blank"],
            ),
        ],
    );
}
