//! The worked examples of `tripwire`: a shell script as a suite, so that they need no runner.

use crate::Example;
use serde_json::{Value, json};

/// One test, which passes if `src/sum.txt` says 4. `LAX` in `jest.config.js` lets anything pass.
const SUITE: &str = "#!/bin/sh\nif grep -q LAX jest.config.js 2>/dev/null || grep -q 4 src/sum.txt 2>/dev/null; then r=; else r='<failure/>'; fi\nprintf '<testsuite tests=\"1\"><testcase name=\"s1_sum\">%s</testcase></testsuite>' \"$r\" >\"$PROOFHOUSE_REPORT\"\n[ -z \"$r\" ]\n";
/// One that passes whatever the code says.
const VACUOUS: &str = "#!/bin/sh\nprintf '<testsuite tests=\"1\"><testcase name=\"s1_sum\"/></testsuite>' >\"$PROOFHOUSE_REPORT\"\n";
const BEFORE: &[(&str, &str)] = &[("tests/run.sh", SUITE), ("src/sum.txt", "nothing")];
const FROZEN: &[(&str, &str, &str)] = &[("suite", "repo/tests/run.sh", SUITE)];
const ONE_RED: &str = "{\"tests\":[{\"name\":\"s1_sum\",\"status\":\"failed\"}]}";
const RED: &[(&str, &str)] = &[("results of red", ONE_RED), ("baseline of red", ONE_RED)];

fn with() -> Value {
    json!({
        "frozen": ["suite"], "base": "tests", "scope": ["repo/src/**", "repo/*.js"],
        "tests": ["repo/tests/**"], "runner": "junit", "command": "sh tests/run.sh"
    })
}

pub(super) fn examples() -> Vec<Example> {
    let world = |example: Example| Example {
        frozen: FROZEN,
        before: BEFORE,
        earlier: RED,
        ..example
    };
    vec![
        Example {
            repo: &[("tests/run.sh", SUITE), ("src/sum.txt", "4")],
            ..world(Example::passes(
                "red before, green after",
                with(),
                "green: 1 passed",
            ))
        },
        Example {
            repo: &[("tests/run.sh", VACUOUS), ("src/sum.txt", "5")],
            ..world(Example::fails(
                "an edited test",
                with(),
                "repo/tests/run.sh was changed",
            ))
        },
        Example {
            repo: &[("src/sum.txt", "4")],
            ..world(Example::fails(
                "a deleted test",
                with(),
                "repo/tests/run.sh is missing",
            ))
        },
        Example {
            repo: &[
                ("tests/run.sh", SUITE),
                ("src/sum.txt", "5"),
                ("jest.config.js", "LAX"),
            ],
            ..world(Example::fails(
                "a new configuration does not come into the room",
                with(),
                "in a clean room: 0 passed, 1 failed",
            ))
        },
        Example {
            repo: &[("tests/run.sh", VACUOUS), ("src/sum.txt", "4")],
            frozen: &[("suite", "repo/tests/run.sh", VACUOUS)],
            before: &[("tests/run.sh", VACUOUS)],
            earlier: RED,
            ..Example::fails(
                "a green that needs no code",
                with(),
                "pass on the code as it was before the build",
            )
        },
        Example {
            repo: &[("tests/run.sh", SUITE), ("src/sum.txt", "4")],
            frozen: FROZEN,
            before: BEFORE,
            earlier: &[(
                "results of red",
                "{\"tests\":[{\"name\":\"s1_sum\",\"status\":\"failed\"},{\"name\":\"s2\",\"status\":\"passed\"}]}",
            )],
            ..Example::cannot_run(
                "a room that is not like the repository",
                with(),
                "missing there: s2",
            )
        },
        Example {
            repo: &[
                ("tests/run.sh", SUITE),
                ("src/sum.txt", "4"),
                ("src/coverage.txt", "TOTAL 20 10 50%"),
            ],
            before: &[
                ("tests/run.sh", SUITE),
                ("src/coverage.txt", "TOTAL 20 5 75%"),
            ],
            frozen: FROZEN,
            earlier: RED,
            fields: &[("Coverage", "cat src/coverage.txt")],
            ..Example::fails(
                "coverage that falls",
                {
                    let mut with = with();
                    with["coverage_from"] = "Coverage".into();
                    with
                },
                "coverage fell from 75.00 % to 50.00 %",
            )
        },
        Example::cannot_run("nothing is frozen", with(), "nothing was frozen as `suite`"),
    ]
}
