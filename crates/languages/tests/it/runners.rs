//! Recorded reports of real runners, read. Each file in `tests/data` was written by the tool that
//! its name begins with (cargo 1.95, pytest 9.2, Python 3.11, node 20, jest 30, vitest 4.1, go 1.19); only paths
//! were shortened.

use languages::runners::{Ending, RUNNERS, Runner, Status, TestRun};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn data(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read_to_string(path.join(file)).unwrap()
}

fn read(file: &str) -> TestRun {
    let runner = Runner::named(file.split('_').next().unwrap()).unwrap();
    runner.read(&data(file))
}

/// File, exit code of the runner, what it amounts to, and passed, failed, skipped.
const RECORDED: &[(&str, i32, Ending, [usize; 3])] = &[
    ("cargo_green.txt", 0, Ending::Green, [5, 0, 2]),
    ("cargo_red.txt", 101, Ending::Red, [5, 1, 2]),
    ("cargo_no_symbol.txt", 101, Ending::NotBuilt, [0, 0, 0]),
    ("cargo_none.txt", 0, Ending::NoTests, [0, 0, 0]),
    ("cargo_early_exit.txt", 0, Ending::Incomplete, [3, 0, 2]),
    ("pytest_green.xml", 0, Ending::Green, [3, 0, 1]),
    ("pytest_red.xml", 1, Ending::Red, [4, 2, 2]),
    ("pytest_no_symbol.xml", 2, Ending::NotBuilt, [0, 0, 0]),
    ("pytest_none.xml", 5, Ending::NoTests, [0, 0, 0]),
    ("pytest_subtests.xml", 0, Ending::Green, [2, 0, 0]),
    ("pytest_early_stop.xml", 0, Ending::Incomplete, [1, 0, 0]),
    ("unittest_green.xml", 0, Ending::Green, [2, 0, 1]),
    ("unittest_red.xml", 1, Ending::Red, [1, 1, 1]),
    ("unittest_no_symbol.xml", 1, Ending::NotBuilt, [0, 0, 0]),
    ("node_green.xml", 0, Ending::Green, [2, 0, 2]),
    ("node_red.xml", 1, Ending::Red, [1, 1, 2]),
    ("node_no_symbol.xml", 1, Ending::NotBuilt, [0, 0, 0]),
    ("node_none.xml", 0, Ending::NoTests, [0, 0, 0]),
    ("node_early_exit.xml", 0, Ending::NoTests, [0, 0, 0]),
    ("node_exit_midway.xml", 1, Ending::Incomplete, [2, 0, 0]),
    ("jest_green.json", 0, Ending::Green, [2, 0, 2]),
    ("jest_red.json", 1, Ending::Red, [1, 1, 2]),
    ("jest_no_symbol.json", 1, Ending::NotBuilt, [0, 0, 0]),
    ("jest_none.json", 1, Ending::NoTests, [0, 0, 0]),
    ("vitest_green.json", 0, Ending::Green, [2, 0, 2]),
    ("vitest_red.json", 1, Ending::Red, [1, 1, 2]),
    ("vitest_no_symbol.json", 1, Ending::NotBuilt, [0, 0, 0]),
    ("vitest_none.json", 1, Ending::NoTests, [0, 0, 0]),
    ("vitest_early_exit.json", 1, Ending::Red, [1, 2, 0]),
    ("go_green.jsonl", 0, Ending::Green, [4, 0, 1]),
    ("go_red.jsonl", 1, Ending::Red, [2, 2, 1]),
    ("go_no_symbol.jsonl", 2, Ending::NotBuilt, [4, 0, 1]),
    ("go_none.jsonl", 0, Ending::NoTests, [0, 0, 0]),
    ("go_early_exit.jsonl", 1, Ending::Red, [1, 1, 0]),
];

#[test]
fn every_recorded_report_is_read_for_what_it_is() {
    for (file, exit, ending, counts) in RECORDED {
        let run = read(file);
        let seen = [Status::Passed, Status::Failed, Status::Skipped].map(|one| run.count(one));
        assert_eq!(seen, *counts, "{file}: {run:#?}");
        assert_eq!(run.ending(Some(*exit)), *ending, "{file}: {run:#?}");
        let names: BTreeSet<&String> = run.tests.iter().map(|test| &test.name).collect();
        assert_eq!(names.len(), run.tests.len(), "{file}");
    }
}

#[test]
fn every_recording_is_used_and_every_runner_is_recorded() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let used = RECORDED.iter().any(|(file, ..)| *file == name);
        assert!(used || name == "node_no_symbol.txt", "{name}");
    }
    for known in RUNNERS {
        assert_eq!(known.runner.name(), known.name);
        assert_eq!(Runner::named(known.name), Some(known.runner));
        let recorded = RECORDED
            .iter()
            .any(|(file, ..)| file.starts_with(known.name));
        // Any JUnit report is read as pytest's is.
        assert!(recorded || known.runner == Runner::Junit, "{}", known.name);
    }
    assert_eq!(Runner::named("auto"), None);
}

#[test]
fn a_green_exit_code_does_not_hide_a_failure_and_a_red_one_spoils_a_pass() {
    for (file, _, ending, _) in RECORDED {
        let run = read(file);
        let spoilt = run.ending(Some(1));
        if *ending == Ending::Green {
            assert_eq!(spoilt, Ending::Incomplete, "{file}");
            assert_eq!(run.ending(None), Ending::Incomplete, "{file}");
        } else {
            assert_ne!(run.ending(Some(0)), Ending::Green, "{file}");
        }
    }
}

/// Anywhere a report may be cut off: never green with a test less than the whole.
#[test]
fn half_a_report_is_never_green() {
    for (file, _, ending, counts) in RECORDED {
        if *ending != Ending::Green {
            continue;
        }
        let text = data(file);
        let runner = Runner::named(file.split('_').next().unwrap()).unwrap();
        for (at, _) in text.char_indices() {
            let run = runner.read(&text[..at]);
            if run.ending(Some(0)) == Ending::Green && run.count(Status::Passed) < counts[0] {
                // Whole binaries and packages may be missing at the end; a part of one may not.
                let whole = match runner {
                    Runner::Cargo => text[..at].trim_end().lines().last().is_some_and(|line| {
                        line.starts_with("test result: ") || !line.starts_with("test ")
                    }),
                    _ => false,
                };
                assert!(whole, "{file} cut at {at}: {run:#?}");
            }
        }
    }
}

/// Each is a green report with lines in it that a test could have written to standard output.
#[test]
fn results_that_a_test_wrote_itself_spoil_the_run() {
    let honest = data("cargo_green.txt");
    for (real, forged, why) in [
        (
            "test ac_1_total ... ok\n",
            "test ac_1_total ... ok\ntest ac_9_never ... ok\n",
            "began 2 tests and named 3",
        ),
        (
            "test ac_1_total ... ok\n",
            "test ac_2_empty ... ok\n",
            "named `ac_2_empty` twice",
        ),
        // It says `ok` behind its own name, and the framework's word comes too late.
        (
            "test ac_1_total ... ok\n",
            "test ac_1_total ... \nok\nFAILED\n",
            "sums up [1, 1, 0] passed, failed and ignored, and its lines say [2, 0, 0]",
        ),
    ] {
        assert!(honest.contains(real), "{honest}");
        let mut text = honest.replacen(real, forged, 1);
        if forged.contains("FAILED") {
            let sum = "test result: ok. 2 passed; 0 failed; 0 ignored";
            assert!(text.contains(sum), "{text}");
            text = text.replace(sum, "test result: FAILED. 1 passed; 1 failed; 0 ignored");
        }
        let run = Runner::Cargo.read(&text);
        assert_eq!(run.ending(Some(0)), Ending::Incomplete, "{run:#?}");
        assert!(run.faults[0].what.contains(why), "{run:#?}");
        assert_eq!(run.faults.len(), 1, "{run:#?}");
    }
    // Two examples of one function are two tests: only their lines differ.
    let twice = "   Doc-tests shop\n\nrunning 2 tests\ntest src/lib.rs - add (line 3) ... ok\ntest src/lib.rs - add (line 9) ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n";
    let run = Runner::Cargo.read(twice);
    assert_eq!(run.ending(Some(0)), Ending::Green, "{run:#?}");
}

#[test]
fn names_are_those_of_the_tests() {
    let names = |file: &str| -> Vec<String> {
        read(file).tests.into_iter().map(|test| test.name).collect()
    };
    assert_eq!(
        names("cargo_red.txt"),
        [
            "basket::ac_1_total",
            "basket::ac_2_empty",
            "basket::ac_3_discount",
            "shop (documentation)::src/lib.rs - add",
            "shop (documentation)::src/lib.rs - nothing",
            "shop::tests::adds",
            "shop::tests::panics",
            "shop::tests::slow",
        ]
    );
    assert_eq!(
        names("node_red.xml"),
        [
            "AC-3 tax",
            "AC-4 todo",
            "basket > AC-1 total",
            "basket > AC-2 discount"
        ]
    );
    assert_eq!(
        names("pytest_green.xml")[0],
        "test_shop.TestBasket::test_ac_1_total"
    );
    assert_eq!(
        names("jest_red.json")[0],
        "shop.test.js > basket AC-1 total"
    );
    // `TestForged` was only printed.
    assert_eq!(
        names("go_red.jsonl"),
        [
            "example.org/shop.TestMany",
            "example.org/shop.TestMany/one",
            "example.org/shop.TestMany/two_words",
            "example.org/shop.TestTax",
            "example.org/shop.TestTotal",
        ]
    );
}

#[test]
fn failures_say_why() {
    for (file, test, why) in [
        (
            "cargo_red.txt",
            "basket::ac_3_discount",
            "discount is missing",
        ),
        (
            "pytest_red.xml",
            "test_shop::test_ac_3_discount",
            "discount <is> missing & \"quoted\"",
        ),
        (
            "pytest_red.xml",
            "test_shop::test_needs_database",
            "no database",
        ),
        (
            "node_red.xml",
            "basket > AC-2 discount",
            "discount <missing>",
        ),
        (
            "jest_red.json",
            "shop.test.js > basket AC-2 discount",
            "toBe",
        ),
        (
            "vitest_red.json",
            "shop.test.js > basket AC-2 discount",
            "expected 1 to be 2",
        ),
        (
            "go_red.jsonl",
            "example.org/shop.TestMany/two_words",
            "two is wrong",
        ),
        ("cargo_green.txt", "shop::tests::slow", "slow"),
    ] {
        let run = read(file);
        let found = run.tests.iter().find(|one| one.name == test).unwrap();
        let said = found.message.as_deref().unwrap_or_default();
        assert!(said.contains(why), "{file}: {said}");
    }
}

#[test]
fn what_did_not_build_names_what_is_missing() {
    for (file, name) in [
        ("cargo_no_symbol.txt", "tax"),
        ("pytest_no_symbol.xml", "shop"),
        ("jest_no_symbol.json", "./shop"),
        ("vitest_no_symbol.json", "./shop"),
        ("go_no_symbol.jsonl", "Tax"),
    ] {
        assert_eq!(read(file).missing_symbols(), [name], "{file}");
    }
    let node = read("node_no_symbol.xml");
    assert!(node.missing_symbols().is_empty());
    let node = node.explained_by(&data("node_no_symbol.txt"));
    assert_eq!(node.missing_symbols(), ["/src/node/shop.mjs"]);
}

#[test]
fn what_is_no_report_is_unreadable() {
    for known in RUNNERS {
        for text in ["", "all tests passed\n", "{}", "<html/>", "[1]", "\u{0}"] {
            let run = known.runner.read(text);
            assert_eq!(
                run.ending(Some(0)),
                Ending::Unreadable,
                "{}: {text:?}",
                known.name
            );
        }
    }
}

#[test]
fn a_run_can_be_kept_and_read_again() {
    let run = read("cargo_red.txt");
    let text = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<TestRun>(&text).unwrap(), run);
}
