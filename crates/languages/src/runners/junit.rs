//! JUnit XML, the format that most runners can write. It refuses reports that were cut off, and it
//! sees a test that was begun and not ended: a case without a name, or a suite that counts more
//! tests than it holds.

use super::xml::{self, Element};
use super::{Fault, FaultKind, Status, TestResult, TestRun};
use kernel::line::one_line;

/// What makes a name unlike any other in the suite.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// The `classname` of the case.
    Class,
    /// The names of the suites around it; node has one class for all.
    Suites,
}

/// How much of a message is worth keeping.
const MESSAGE: usize = 500;
/// How node reports that our command turned an `exit(0)` into a failure.
const EXITED: &str = "exitCode: 86,";
/// Files that node may name where it has no test to name.
const SCRIPTS: [&str; 6] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

pub(super) fn by_class(text: &str) -> TestRun {
    read(text, Naming::Class)
}

pub(super) fn by_suite(text: &str) -> TestRun {
    read(text, Naming::Suites)
}

fn read(text: &str, naming: Naming) -> TestRun {
    let root = match xml::parse(text) {
        Ok(root) => root,
        Err(why) => return TestRun::unreadable(format!("the JUnit report: {why}")),
    };
    if !matches!(root.name.as_str(), "testsuites" | "testsuite") {
        return TestRun::unreadable(format!("<{}> is no JUnit report", root.name));
    }
    let mut walk = Walk {
        naming,
        counts_parts: root.attribute("name") == Some("pytest tests"),
        tests: Vec::new(),
        faults: Vec::new(),
    };
    walk.suite(&root, &mut Vec::new());
    TestRun::of(walk.tests, walk.faults)
}

struct Walk {
    naming: Naming,
    /// Since 9, pytest counts each `subTest`, and reports them in the case that they are in.
    counts_parts: bool,
    tests: Vec<TestResult>,
    faults: Vec<Fault>,
}

impl Walk {
    /// Walks one suite; how many cases it holds.
    fn suite(&mut self, suite: &Element, around: &mut Vec<String>) -> usize {
        let own = (suite.name == "testsuite")
            .then(|| suite.attribute("name").unwrap_or_default().to_owned());
        let depth = around.len();
        around.extend(own);
        let mut held = 0;
        for child in &suite.children {
            match child.name.as_str() {
                "testsuite" => held += self.suite(child, around),
                "testcase" => {
                    held += 1;
                    self.case(child, around);
                }
                _ => {}
            }
        }
        let counted = suite
            .attribute("tests")
            .and_then(|count| count.parse::<usize>().ok());
        let counted = counted.filter(|counted| *counted > held && !self.counts_parts);
        if let Some(counted) = counted {
            let name = suite.attribute("name").unwrap_or("the suite");
            let what = format!("`{name}` counts {counted} tests and reports {held}");
            self.faults.push(Fault::new(FaultKind::Incomplete, what));
        }
        around.truncate(depth);
        held
    }

    fn case(&mut self, case: &Element, around: &[String]) {
        let name = case.attribute("name").unwrap_or_default();
        if name.trim().is_empty() {
            let what = "a test was begun and not ended: its case has no name";
            self.faults.push(Fault::new(FaultKind::Incomplete, what));
            return;
        }
        let child = |names: &[&str]| {
            let mut children = case.children.iter();
            children.find(|child| names.contains(&child.name.as_str()))
        };
        let failed = child(&["failure", "error"]);
        let skipped = child(&["skipped"]);
        let message = failed.or(skipped).map(said);
        // How pytest says that a file could not be imported.
        if let Some(error) = failed
            && error.attribute("message") == Some("collection failure")
        {
            let what = format!(
                "`{name}` could not be collected: {}",
                last_line(&error.text)
            );
            self.faults.push(Fault::not_built(what, &error.text));
            return;
        }
        if self.naming == Naming::Suites && around.is_empty() && is_script(name) {
            let file = name.rsplit('/').next().unwrap_or(name);
            self.faults.push(match failed {
                Some(error) if error.text.contains(EXITED) => Fault::new(
                    FaultKind::Incomplete,
                    format!("`{file}` exits in the middle of its tests"),
                ),
                Some(error) => {
                    let what = format!("`{file}` failed before its first test");
                    Fault::not_built(what, &error.text)
                }
                None => Fault::new(
                    FaultKind::NoTests,
                    format!("`{file}` ended without a test: it has none, or it exits early"),
                ),
            });
            return;
        }
        let not_run = case.attribute("status") == Some("notrun")
            || matches!(case.attribute("result"), Some("suppressed" | "skipped"));
        let status = if failed.is_some() {
            Status::Failed
        } else if skipped.is_some() || not_run {
            Status::Skipped
        } else {
            Status::Passed
        };
        let full = match self.naming {
            Naming::Class => {
                let class = case.attribute("classname").unwrap_or_default();
                let mut parts = vec![class, name];
                parts.retain(|part| !part.is_empty());
                parts.join("::")
            }
            Naming::Suites => {
                let mut parts = around.to_vec();
                parts.push(name.to_owned());
                parts.join(" > ")
            }
        };
        self.tests.push(TestResult {
            name: full,
            file: case.attribute("file").map(str::to_owned),
            status,
            message: message.filter(|message| !message.is_empty()),
        });
    }
}

fn said(element: &Element) -> String {
    let message = element.attribute("message").unwrap_or_default();
    let message = if message.trim().is_empty() {
        element.text.as_str()
    } else {
        message
    };
    one_line(message, MESSAGE)
}

fn last_line(text: &str) -> String {
    let line = text.lines().rfind(|line| !line.trim().is_empty());
    one_line(line.unwrap_or_default(), MESSAGE)
}

fn is_script(name: &str) -> bool {
    name.contains(['/', '\\']) && SCRIPTS.iter().any(|ending| name.ends_with(ending))
}
