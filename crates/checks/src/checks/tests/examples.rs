//! The worked examples of `tests`: reports written by shell lines, so that they need no runner.

use crate::Example;
use serde_json::{Value, json};

/// A command that writes this report and ends with this exit code.
fn writes(report: &str, exit: u8) -> Value {
    let line = format!("printf '%s' '{report}' > \"$PROOFHOUSE_REPORT\"; exit {exit}");
    json!({"runner": "junit", "command": line})
}

fn and(mut with: Value, more: Value) -> Value {
    if let (Some(with), Value::Object(more)) = (with.as_object_mut(), more) {
        with.extend(more);
    }
    with
}

const GREEN: &str = "<testsuite tests=\"2\"><testcase classname=\"a\" name=\"ac_1_total\"/><testcase classname=\"a\" name=\"ac_2_tax\"/></testsuite>";
const SKIPS: &str = "<testsuite tests=\"2\"><testcase classname=\"a\" name=\"ac_1_total\"/><testcase classname=\"a\" name=\"ac_2_tax\"><skipped/></testcase></testsuite>";
const RED: &str = "<testsuite tests=\"2\"><testcase classname=\"a\" name=\"ac_1_total\"/><testcase classname=\"a\" name=\"ac_2_tax\"><failure message=\"19 is not 0\"/></testcase></testsuite>";
const SMALLER: &str =
    "<testsuite tests=\"1\"><testcase classname=\"a\" name=\"ac_1_total\"/></testsuite>";
const MISSING: &str = "<testsuite tests=\"1\" errors=\"1\"><testcase classname=\"\" name=\"a\"><error message=\"collection failure\">No module named \"shop\"</error></testcase></testsuite>";
const BEFORE: &str = "{\"tests\":[{\"name\":\"a::ac_1_total\",\"status\":\"passed\"},{\"name\":\"a::ac_2_tax\",\"status\":\"failed\"}]}";
const SCOPE: &[(&str, &str)] = &[(
    "scope.md",
    "# Acceptance Criteria\n- AC-1: totals\n- AC-2: tax\n# Deferred\n- AC-3\n",
)];

pub(super) fn examples() -> Vec<Example> {
    let by_ids = |report: &str| {
        and(
            writes(report, 0),
            json!({"ids": "AC-\\d+", "ids_from": "repo/scope.md", "ids_section": "Acceptance Criteria"}),
        )
    };
    let keeping = |report: &str| {
        and(
            writes(report, 0),
            json!({"keeps": ["count", "names", "skips"]}),
        )
    };
    vec![
        Example::passes("all green", writes(GREEN, 0), "green: 2 passed, 0 failed"),
        Example::fails(
            "a red test is named",
            writes(RED, 1),
            "1 passed, 1 failed, 0 skipped: a::ac_2_tax",
        ),
        Example::fails(
            "exit code zero does not make a red suite green",
            writes(RED, 0),
            "a::ac_2_tax",
        ),
        Example::fails(
            "an exit code that no test explains",
            writes(GREEN, 3),
            "exit code 3, though no test failed",
        ),
        Example::fails(
            "zero tests are no pass",
            writes("<testsuites/>", 0),
            "no test ran",
        ),
        Example::fails(
            "all tests are skipped",
            writes(
                "<testsuite><testcase name=\"a\"><skipped/></testcase></testsuite>",
                0,
            ),
            "no test ran",
        ),
        Example::fails(
            "a suite that ends early",
            writes(
                "<testsuite tests=\"3\"><testcase name=\"a\"/></testsuite>",
                0,
            ),
            "incomplete: `the suite` counts 3 tests and reports 1",
        ),
        Example::fails(
            "half a report",
            writes("<testsuite><testcase name=\"a\"/>", 0),
            "unreadable: the JUnit report: it ends inside of <testsuite>",
        ),
        Example::fails(
            "no report at all",
            json!({"runner": "junit", "command": "echo all tests passed"}),
            "ended without writing its report",
        ),
        Example {
            repo: &[("out/a.xml", GREEN)],
            ..Example::fails(
                "a report that was there before",
                json!({"command": "true", "junit": "out"}),
                "ended without writing its report",
            )
        },
        Example {
            repo: &[("out/.gitkeep", "")],
            ..Example::passes(
                "several reports in a folder",
                json!({
                    "command": format!("printf '%s' '{GREEN}' >out/a.xml; printf '%s' '{SMALLER}' >out/b.xml"),
                    "junit": "out", "min": 3
                }),
                "green: 3 passed",
            )
        },
        Example::fails(
            "too few",
            and(writes(GREEN, 0), json!({"min": 3})),
            "2 tests ran, fewer than 3",
        ),
        Example::fails(
            "too many skips",
            and(writes(SKIPS, 0), json!({"max_skipped": 0})),
            "1 skipped, more than 0: a::ac_2_tax",
        ),
        Example {
            repo: SCOPE,
            ..Example::passes("a test for every id", by_ids(GREEN), "green")
        },
        Example {
            repo: SCOPE,
            ..Example::fails(
                "a skipped test proves nothing of its id",
                by_ids(SKIPS),
                "no test that ran names AC-2",
            )
        },
        Example::passes(
            "red, as it should be before the code is written",
            and(writes(RED, 1), json!({"expect": "red"})),
            "red: 1 passed, 1 failed",
        ),
        Example::fails(
            "a green that needs no code",
            and(writes(GREEN, 0), json!({"expect": "red"})),
            "must be red before the code is written",
        ),
        Example::fails(
            "what does not build is not red",
            and(writes(MISSING, 2), json!({"expect": "red"})),
            "not_built: `a` could not be collected",
        ),
        Example::passes(
            "a missing name may be the right reason",
            json!({
                "runner": "cargo", "expect": "red_or_missing_symbol",
                "command": "echo 'error[E0425]: cannot find function `tax` in crate `shop`'; exit 101"
            }),
            "it does not build yet, for want of tax",
        ),
        Example::fails(
            "another build failure is not",
            json!({
                "runner": "cargo", "expect": "red_or_missing_symbol",
                "command": "echo 'error: expected one of `;`'; exit 101"
            }),
            "not_built: error: expected one of",
        ),
        Example {
            earlier: &[("baseline of suite", BEFORE)],
            ..Example::passes("as many as before", keeping(GREEN), "green")
        },
        Example {
            earlier: &[("baseline of suite", BEFORE)],
            ..Example::fails(
                "a deleted test",
                keeping(SMALLER),
                "1 tests ran, 2 before; missing since: a::ac_2_tax",
            )
        },
        Example {
            earlier: &[("baseline of suite", BEFORE)],
            ..Example::fails("a new skip", keeping(SKIPS), "skipped since: a::ac_2_tax")
        },
        Example {
            repo: &[("tests/a.txt", "strict\n")],
            ..Example::fails(
                "a suite that edits what it judges",
                json!({"runner": "junit", "command": "echo lax >tests/a.txt"}),
                "changed the tree it judges",
            )
        },
        Example::cannot_run(
            "no runner is recognised",
            json!({}),
            "no test runner is recognised",
        ),
        Example::cannot_run(
            "a runner that is not installed",
            json!({"runner": "go", "command": "no-such-program-of-ours test"}),
            "the shell cannot run it",
        ),
        Example::cannot_run(
            "JUnit from nothing",
            json!({"runner": "junit"}),
            "needs a `command`",
        ),
        Example::cannot_run(
            "a bad expression",
            json!({"ids": "AC-(", "ids_from": "repo/a.md"}),
            "is no regular expression",
        ),
    ]
}
