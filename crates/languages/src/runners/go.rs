//! `go test -json`. It refuses results of tests that were never begun: a test can print a line that
//! looks like one, and it sees tests that were begun and never ended.

use super::{Fault, FaultKind, Status, TestResult, TestRun};
use kernel::line::one_line;
use serde_json::Value;
use std::collections::BTreeMap;

const MESSAGE: usize = 500;

#[derive(Default)]
struct Begun {
    ended: Option<Status>,
    said: String,
}

#[derive(Default)]
struct Package {
    tests: BTreeMap<String, Begun>,
    /// How it ended as a whole.
    ended: Option<String>,
    said: String,
}

pub(super) fn read(text: &str) -> TestRun {
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut events = 0;
    for line in text.lines() {
        let event = match serde_json::from_str::<Value>(line) {
            Ok(event) if event["Action"].is_string() => event,
            _ => {
                // Compiler output, and before Go 1.24 the end of packages that did not build.
                if line.ends_with("[build failed]") || line.ends_with("[setup failed]") {
                    faults.push(Fault::not_built(one_line(line, MESSAGE), text));
                }
                continue;
            }
        };
        events += 1;
        note(&event, &mut packages, &mut faults, text);
    }
    if events == 0 && faults.is_empty() {
        return TestRun::unreadable("the output of `go test -json` has no event");
    }
    let mut tests = Vec::new();
    for (name, package) in packages {
        close(&name, package, &mut tests, &mut faults);
    }
    TestRun::of(tests, faults)
}

fn note(
    event: &Value,
    packages: &mut BTreeMap<String, Package>,
    faults: &mut Vec<Fault>,
    text: &str,
) {
    let member = |key: &str| event[key].as_str();
    let Some(action) = member("Action") else {
        return;
    };
    if action == "build-fail" {
        let what = format!("{} does not build", member("ImportPath").unwrap_or("it"));
        faults.push(Fault::not_built(what, text));
        return;
    }
    let Some(name) = member("Package") else {
        return;
    };
    let package = packages.entry(name.to_owned()).or_default();
    let Some(test) = member("Test") else {
        match action {
            "output" => package.said.push_str(member("Output").unwrap_or_default()),
            "pass" | "skip" => package.ended = Some(action.to_owned()),
            "fail" if event.get("FailedBuild").is_some() => {
                package.ended = Some("build".to_owned());
            }
            "fail" => package.ended = Some(action.to_owned()),
            _ => {}
        }
        return;
    };
    if action == "run" {
        package.tests.entry(test.to_owned()).or_default();
        return;
    }
    let Some(begun) = package.tests.get_mut(test) else {
        return;
    };
    match action {
        "pass" => begun.ended = Some(Status::Passed),
        "fail" => begun.ended = Some(Status::Failed),
        "skip" => begun.ended = Some(Status::Skipped),
        "output" => {
            let said = member("Output").unwrap_or_default();
            // What the framework says of itself is no message.
            if !said.starts_with("=== ") && !said.trim_start().starts_with("--- ") {
                begun.said.push_str(said);
            }
        }
        _ => {}
    }
}

fn close(name: &str, package: Package, tests: &mut Vec<TestResult>, faults: &mut Vec<Fault>) {
    let mut failed = 0;
    for (test, begun) in package.tests {
        let Some(status) = begun.ended else {
            let what = format!("`{name}.{test}` was begun and not ended");
            faults.push(Fault::new(FaultKind::Incomplete, what));
            continue;
        };
        failed += usize::from(status == Status::Failed);
        let said = one_line(&begun.said, MESSAGE);
        tests.push(TestResult {
            name: format!("{name}.{test}"),
            file: None,
            status,
            message: (status != Status::Passed && !said.is_empty()).then_some(said),
        });
    }
    match package.ended.as_deref() {
        None => {
            let what = format!("the package `{name}` was begun and not ended");
            faults.push(Fault::new(FaultKind::Incomplete, what));
        }
        // The package failed around its tests: in `TestMain`, in `init`, in `go vet`.
        Some("fail") if failed == 0 => tests.push(TestResult {
            name: format!("{name} (the package itself)"),
            file: None,
            status: Status::Failed,
            message: Some(one_line(&package.said, MESSAGE)),
        }),
        Some(_) => {}
    }
}
