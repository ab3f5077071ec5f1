//! The JSON report of jest, which vitest writes too. It refuses a report that counts more tests
//! than it names, and one of a run that was interrupted.

use super::{Fault, FaultKind, Status, TestResult, TestRun, Unknown};
use kernel::line::one_line;
use serde_json::Value;

const MESSAGE: usize = 500;
/// How the two say that a file has no test.
const EMPTY: [&str; 2] = ["must contain at least one test", "No test suite found"];

pub(super) fn read(text: &str) -> TestRun {
    let report: Value = match serde_json::from_str(text) {
        Ok(report) => report,
        Err(error) => return TestRun::unreadable(format!("the JSON report: {error}")),
    };
    let Some(files) = report["testResults"].as_array() else {
        return TestRun::unreadable("the JSON report has no `testResults`");
    };
    let (mut tests, mut faults) = (Vec::new(), Vec::new());
    for file in files {
        if let Err(why) = one(file, &mut tests, &mut faults) {
            return TestRun::unreadable(why.to_string());
        }
    }
    let counted = report["numTotalTests"].as_u64().unwrap_or(0);
    if counted > tests.len() as u64 {
        let what = format!("it counts {counted} tests and names {}", tests.len());
        faults.push(Fault::new(FaultKind::Incomplete, what));
    }
    if report["wasInterrupted"] == true {
        faults.push(Fault::new(FaultKind::Incomplete, "it was interrupted"));
    }
    TestRun::of(tests, faults)
}

fn one(file: &Value, tests: &mut Vec<TestResult>, faults: &mut Vec<Fault>) -> Result<(), Unknown> {
    let path = file["name"].as_str().unwrap_or_default();
    let base = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let message = file["message"].as_str().unwrap_or_default();
    let results = file["assertionResults"]
        .as_array()
        .ok_or("a file of the JSON report has no `assertionResults`")?;
    let failed_file = file["status"] == "failed";
    let mut failed = 0;
    for result in results {
        let name = result["fullName"]
            .as_str()
            .filter(|name| !name.trim().is_empty())
            .ok_or("a test of the JSON report has no name")?;
        let status = match result["status"].as_str() {
            Some("passed") => Status::Passed,
            Some("failed") => Status::Failed,
            Some("pending" | "skipped" | "todo" | "disabled") => Status::Skipped,
            other => {
                let what = format!(
                    "`{name}` was begun and not ended: its status is `{}`",
                    other.unwrap_or("none")
                );
                faults.push(Fault::new(FaultKind::Incomplete, what));
                continue;
            }
        };
        failed += usize::from(status == Status::Failed);
        let said = result["failureMessages"][0].as_str();
        tests.push(TestResult {
            name: format!("{base} > {name}"),
            file: Some(path.to_owned()),
            status,
            message: said.map(|said| one_line(said.lines().next().unwrap_or(said), MESSAGE)),
        });
    }
    if failed_file && results.is_empty() {
        let what = format!("`{base}`: {}", one_line(message, MESSAGE));
        faults.push(if EMPTY.iter().any(|empty| message.contains(empty)) {
            Fault::new(FaultKind::NoTests, what)
        } else {
            Fault::not_built(what, message)
        });
    } else if failed_file && failed == 0 {
        // A hook around the tests failed; no single test says so.
        tests.push(TestResult {
            name: format!("{base} > (the file itself)"),
            file: Some(path.to_owned()),
            status: Status::Failed,
            message: Some(one_line(message, MESSAGE)),
        });
    }
    Ok(())
}
