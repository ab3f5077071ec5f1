//! Canaries for languages of which nothing has to be parsed for it: they are written behind the last
//! line of a file of tests.

use super::plan::{Canary, Ends, Order, Plan, Test};
use super::{File, Files};
use crate::readers::runners::Runner;

const NODE: &[(&str, Ends, &str)] = &[
    ("passes", Ends::Passed, "ASSERT.strictEqual(1 + 1, 2)"),
    ("equal", Ends::Failed, "ASSERT.strictEqual(1, 2)"),
    ("true", Ends::Failed, "ASSERT.ok(false)"),
    ("raises", Ends::Failed, "ASSERT.throws(() => {})"),
    ("error", Ends::Failed, "throw new Error(\"of a canary\")"),
];

const CARGO: &[(&str, Ends, &str)] = &[
    ("passes", Ends::Passed, "assert_eq!(1 + 1, 2);"),
    ("equal", Ends::Failed, "assert_eq!(1, 2);"),
    ("true", Ends::Failed, "assert!(1 > 2);"),
    ("error", Ends::Failed, "panic!(\"of a canary\");"),
];

/// A plan with canaries alone; none where there are none for this runner.
pub(super) fn canaries(runner: Runner, seed: &str, files: &Files) -> Option<Plan> {
    let (endings, rows): (&[&str], _) = match runner {
        Runner::Node => (&[".js", ".mjs", ".cjs"], NODE),
        Runner::Cargo => (&[".rs"], CARGO),
        Runner::Pytest
        | Runner::Unittest
        | Runner::Vitest
        | Runner::Jest
        | Runner::Go
        | Runner::Junit => return None,
    };
    let mut order = Order::of(seed, files, endings, None);
    if runner == Runner::Cargo && !order.tests.iter().any(|file| file.changed) {
        // Tests of the change stand inside of its sources.
        let mixed = |file: &&File| file.path.ends_with(".rs") && file.now.contains("#[cfg(test)]");
        let mixed: Vec<File> = files.code.iter().filter(mixed).cloned().collect();
        order.tests = if mixed.is_empty() { order.tests } else { mixed };
    }
    let each = order.tests.iter().enumerate();
    let tests = each.map(|(number, file)| {
        let token = format!("{}_{number}", order.token);
        let name = |kind: &str| format!("test_{token}_{kind}");
        let appended = match runner {
            Runner::Cargo => rust(&token, rows, &name),
            _ => script(&token, rows, &name, is_module(file)),
        };
        Test {
            path: file.path.clone(),
            text: format!("{}{appended}", file.now),
            base: format!("{}{appended}", file.before.as_deref().unwrap_or_default()),
            canaries: rows
                .iter()
                .map(|(kind, ends, _)| Canary {
                    name: name(kind),
                    ends: *ends,
                })
                .collect(),
            turned: Vec::new(),
            token,
        }
    });
    Some(Plan {
        tests: tests.collect(),
        ..Plan::default()
    })
}

/// Does node take this file for an ECMAScript module?
fn is_module(file: &File) -> bool {
    let imports = |line: &str| {
        let line = line.trim_start();
        line.starts_with("import ") || line.starts_with("import{") || line.starts_with("export ")
    };
    match file.path.rsplit('.').next() {
        Some("mjs") => true,
        Some("cjs") => false,
        _ => file.now.lines().any(imports),
    }
}

fn script(
    token: &str,
    rows: &[(&str, Ends, &str)],
    name: &dyn Fn(&str) -> String,
    module: bool,
) -> String {
    let (test, assert) = (format!("test_{token}"), format!("assert_{token}"));
    let mut text = match module {
        true => {
            format!("\n;import {test} from \"node:test\";\nimport {assert} from \"node:assert\";\n")
        }
        false => format!(
            "\n;const {test} = require(\"node:test\");\nconst {assert} = require(\"node:assert\");\n"
        ),
    };
    for (kind, _, body) in rows {
        let (name, body) = (name(kind), body.replace("ASSERT", &assert));
        text.push_str(&format!("{test}(\"{name}\", () => {{ {body}; }});\n"));
    }
    text
}

fn rust(token: &str, rows: &[(&str, Ends, &str)], name: &dyn Fn(&str) -> String) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn files(path: &str, now: &str) -> Files {
        let file = File {
            path: path.to_owned(),
            now: now.to_owned(),
            before: None,
            changed: true,
        };
        let test = path.contains("test");
        let (tests, code) = match test {
            true => (vec![file], Vec::new()),
            false => (Vec::new(), vec![file]),
        };
        Files { tests, code }
    }

    #[test]
    fn canaries_stand_where_the_tests_of_the_change_are() {
        let inline = "pub fn a() {}\n#[cfg(test)]\nmod tests {}\n";
        let plan = canaries(Runner::Cargo, "5eed", &files("src/a.rs", inline)).unwrap();
        assert_eq!(plan.tests[0].path, "src/a.rs");
        assert!(plan.tests[0].text.contains("mod canaries_c5eed_0"));
        let module = files("test/a.js", "import test from 'node:test'\n");
        let plan = canaries(Runner::Node, "5eed", &module).unwrap();
        assert!(plan.tests[0].text.contains(";import test_c5eed_0"));
        let old = files("test/a.js", "const test = require('node:test')\n");
        let plan = canaries(Runner::Node, "5eed", &old).unwrap();
        assert!(plan.tests[0].text.contains("require(\"node:test\")"));
        assert!(canaries(Runner::Go, "5eed", &old).is_none());
    }
}
