//! Canaries for languages of which nothing has to be parsed for it: they are written behind the last
//! line of a file of tests. Tests of JavaScript get copies with an assertion turned round as well.

use super::plan::{self, Canary, Function, Mutant, Order, Placebo, Plan, Test};
use super::{File, Files};
use languages::canaries::{appended, name, rows};
use languages::mutants::{Mutants, STACK, Wanted, functions, in_turn, mutants};
use languages::runners::Runner;
use languages::script::{Source, wrapped};
use languages::turned::{Turned, turned};
use std::collections::BTreeMap;

/// A plan with canaries alone; none where there are none for this runner.
pub(super) fn canaries(runner: Runner, seed: &str, files: &Files) -> Option<Plan> {
    let (endings, rows) = rows(runner)?;
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
        let appended = appended(runner, &token, rows, is_module(file));
        let copied = match runner {
            Runner::Node | Runner::Vitest | Runner::Jest => {
                let texts = (file.now.as_str(), file.before.as_deref());
                turned(&file.path, texts, &token, order.turned)
            }
            _ => Turned::of(&file.now),
        };
        let text = format!("{}{appended}", copied.text);
        // What is as it was has the same copies in it.
        let base = match &file.before {
            Some(before) if *before == file.now => text.clone(),
            before => format!("{}{appended}", before.as_deref().unwrap_or_default()),
        };
        let copies = copied.names.into_iter().map(|name| plan::Turned {
            class: String::new(),
            name,
        });
        Test {
            path: file.path.clone(),
            text,
            plain: format!("{}{appended}", file.now),
            base,
            canaries: rows
                .iter()
                .map(|(kind, ends, _)| Canary {
                    name: name(runner, &token, kind),
                    ends: *ends,
                })
                .collect(),
            turned: copies.collect(),
            token,
        }
    });
    Some(Plan {
        tests: tests.collect(),
        ..Plan::default()
    })
}

fn is_module(file: &File) -> bool {
    languages::script::is_module(&file.path, &file.now)
}

/// Adds placebos and mutants of the changed sources in Rust to a plan that has canaries. Tests inside of
/// a source carry their canaries along.
pub(super) fn add_mutants(plan: &mut Plan, order: &Order) {
    let sources: Vec<Source<'_>> = order
        .code
        .iter()
        .map(|file| {
            let canaries = plan.tests.iter().find(|test| test.path == file.path);
            Source {
                path: &file.path,
                now: canaries.map_or(&file.now, |test| &test.text),
                before: file.before.as_deref(),
            }
        })
        .collect();
    let tests: Vec<&str> = order.tests.iter().map(|file| file.now.as_str()).collect();
    let found = on_a_deep_stack(&Wanted {
        seed: &order.seed,
        sources: &sources,
        tests: &tests,
        again: &order.again,
        constants: order.constants,
        others: order.others,
        each: order.each,
    });
    plan.code = found.code;
    plan.functions = found.functions;
    plan.constants = found.constants;
    plan.others = found.others;
    plan.left_out = found.left_out;
    plan.faults.extend(found.faults);
}

/// Whatever an agent wrote, it gets an answer, and the engine goes on.
fn on_a_deep_stack(wanted: &Wanted<'_>) -> Mutants {
    std::thread::scope(|scope| {
        let made = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || mutants(wanted))
            .map(std::thread::ScopedJoinHandle::join);
        match made {
            Ok(Ok(found)) => found,
            _ => Mutants {
                faults: vec!["what was changed could not be taken apart".to_owned()],
                ..Mutants::default()
            },
        }
    })
}

/// Adds constants of the changed modules to a plan that has canaries.
pub(super) fn add_constants(plan: &mut Plan, order: &Order) {
    let tests: Vec<&str> = order.tests.iter().map(|file| file.now.as_str()).collect();
    let mut next = 1;
    for file in &order.code {
        let source = Source {
            path: &file.path,
            now: &file.now,
            before: file.before.as_deref(),
        };
        let Some(module) = wrapped(source, &tests, &order.token, next) else {
            continue;
        };
        let files = module.files.into_iter();
        plan.code
            .extend(files.map(|(path, text)| Placebo { path, text }));
        for function in module.functions {
            next = function.number + 1;
            let constants = function.constants.into_iter();
            plan.constants.extend(constants.map(|(what, text)| Mutant {
                number: function.number,
                what,
                line: function.line,
                path: file.path.clone(),
                text,
            }));
            plan.functions.push(Function {
                number: function.number,
                name: function.name,
                path: file.path.clone(),
                line: function.line,
            });
        }
        plan.wrapped = true;
    }
    let named: BTreeMap<u32, &str> = {
        let each = plan.functions.iter();
        each.map(|one| (one.number, one.name.as_str())).collect()
    };
    let of = |one: &Mutant| named.get(&one.number).copied().unwrap_or_default();
    let mut all = in_turn(std::mem::take(&mut plan.constants));
    let most = order.constants.max(functions(&all).min(order.each));
    all.sort_by_key(|one| !one.is_among(&order.again, of(one)));
    plan.left_out = all.len().saturating_sub(most);
    all.truncate(most);
    plan.constants = all;
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
        for (runner, path, line) in [
            (
                Runner::Vitest,
                "test/a.test.ts",
                ";import { test as test_c5eed_0",
            ),
            (Runner::Jest, "test/a.test.js", "require(\"@jest/globals\")"),
            (
                Runner::Go,
                "a_test.go",
                "func Test_c5eed_0_fails(t *testing.T)",
            ),
        ] {
            let plan = canaries(runner, "5eed", &files(path, "old\n")).unwrap();
            assert!(plan.tests[0].text.contains(line), "{}", plan.tests[0].text);
        }
        assert!(canaries(Runner::Junit, "5eed", &old).is_none());
    }
}
