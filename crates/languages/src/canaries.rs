//! Tests of ours that stand behind the last line of a file of tests, for runners of which nothing has to be parsed
//! for it: what they are called, what they say, and how they must end.

use crate::runners::Runner;
use serde::Deserialize;

/// How a test of ours must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    Passed,
    Failed,
}

/// Kind, end and body of each.
pub type Rows = &'static [(&'static str, Ends, &'static str)];

const NODE: Rows = &[
    ("passes", Ends::Passed, "ASSERT.strictEqual(1 + 1, 2)"),
    ("equal", Ends::Failed, "ASSERT.strictEqual(1, 2)"),
    ("true", Ends::Failed, "ASSERT.ok(false)"),
    ("raises", Ends::Failed, "ASSERT.throws(() => {})"),
    ("error", Ends::Failed, "throw new Error(\"of a canary\")"),
];

const CARGO: Rows = &[
    ("passes", Ends::Passed, "assert_eq!(1 + 1, 2);"),
    ("equal", Ends::Failed, "assert_eq!(1, 2);"),
    ("true", Ends::Failed, "assert!(1 > 2);"),
    ("error", Ends::Failed, "panic!(\"of a canary\");"),
];

/// For vitest and jest: both have `test` and `expect`.
const EXPECT: Rows = &[
    ("passes", Ends::Passed, "ASSERT(1 + 1).toBe(2)"),
    ("equal", Ends::Failed, "ASSERT(1).toBe(2)"),
    ("true", Ends::Failed, "ASSERT(false).toBeTruthy()"),
    ("raises", Ends::Failed, "ASSERT(() => {}).toThrow()"),
    ("error", Ends::Failed, "throw new Error(\"of a canary\")"),
];

const GO: Rows = &[
    (
        "passes",
        Ends::Passed,
        "if 1+1 != 2 { t.Fatal(\"of a canary\") }",
    ),
    ("fails", Ends::Failed, "t.Error(\"of a canary\")"),
    ("ends", Ends::Failed, "t.FailNow()"),
    ("error", Ends::Failed, "t.Fatalf(\"of a %s\", \"canary\")"),
];

/// Endings of files that jest and vitest take.
const SCRIPTS: &[&str] = &[".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];

/// The endings of files that take them, and the tests; none where there are none for this runner.
pub fn rows(runner: Runner) -> Option<(&'static [&'static str], Rows)> {
    Some(match runner {
        Runner::Node => (&[".js", ".mjs", ".cjs"], NODE),
        Runner::Cargo => (&[".rs"], CARGO),
        Runner::Vitest | Runner::Jest => (SCRIPTS, EXPECT),
        Runner::Go => (&["_test.go"], GO),
        Runner::Pytest | Runner::Unittest | Runner::Junit => return None,
    })
}

/// The name of one of them in a file with this token.
pub fn name(runner: Runner, token: &str, kind: &str) -> String {
    match runner {
        Runner::Go => format!("Test_{token}_{kind}"),
        _ => format!("test_{token}_{kind}"),
    }
}

/// What is to stand behind the last line. `module`: the file is a module of ECMAScript.
pub fn appended(runner: Runner, token: &str, rows: Rows, module: bool) -> String {
    let name = |kind: &str| name(runner, token, kind);
    match runner {
        Runner::Cargo => rust(token, rows, &name),
        Runner::Go => go(rows, &name),
        _ => script(runner, token, rows, &name, module),
    }
}

fn go(rows: Rows, name: &dyn Fn(&str) -> String) -> String {
    let each = rows.iter();
    each.map(|(kind, _, body)| format!("\nfunc {}(t *testing.T) {{ {body} }}\n", name(kind)))
        .collect()
}

fn script(
    runner: Runner,
    token: &str,
    rows: Rows,
    name: &dyn Fn(&str) -> String,
    module: bool,
) -> String {
    let (test, assert) = (format!("test_{token}"), format!("assert_{token}"));
    let from = match runner {
        Runner::Vitest => "vitest",
        _ => "@jest/globals",
    };
    let mut text = match (runner, module) {
        (Runner::Node, true) => {
            format!("\n;import {test} from \"node:test\";\nimport {assert} from \"node:assert\";\n")
        }
        (Runner::Node, false) => format!(
            "\n;const {test} = require(\"node:test\");\nconst {assert} = require(\"node:assert\");\n"
        ),
        // vitest has no `require` for its own.
        (Runner::Vitest, _) | (_, true) => {
            format!("\n;import {{ test as {test}, expect as {assert} }} from \"{from}\";\n")
        }
        (_, false) => {
            format!("\n;const {{ test: {test}, expect: {assert} }} = require(\"{from}\");\n")
        }
    };
    for (kind, _, body) in rows {
        let (name, body) = (name(kind), body.replace("ASSERT", &assert));
        text.push_str(&format!("{test}(\"{name}\", () => {{ {body}; }});\n"));
    }
    text
}

fn rust(token: &str, rows: Rows, name: &dyn Fn(&str) -> String) -> String {
    let mut text = format!("\n#[cfg(test)]\nmod canaries_{token} {{\n");
    for (kind, _, body) in rows {
        let name = name(kind);
        text.push_str(&format!(
            "    #[test]\n    fn {name}() {{\n        {body}\n    }}\n"
        ));
    }
    text.push_str("}\n");
    text
}
